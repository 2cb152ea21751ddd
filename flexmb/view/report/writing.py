"""Write the report page of a result: everything is computed first, then written at once."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.errors import InputError
from flexmb.output_files import drafted, replacing_fault, suffix_fault
from flexmb.reports.flexible_report import flexible_warnings
from flexmb.reports.warnings import ringing_warning
from flexmb.results.flexible_findings import flexible_findings
from flexmb.results.model_of_result import model_of
from flexmb.results.result_file import Result
from flexmb.results.spectrum import ringing
from flexmb.results.stress_findings import StressFindings
from flexmb.suggestions import clipped
from flexmb.system.placement import place
from flexmb.view.plots import panels_of
from flexmb.view.plots.abscissa import over_time
from flexmb.view.plots.panels import Panel, with_peaks
from flexmb.view.report.array_pool import ArrayPool
from flexmb.view.report.charts import chart_of, deflection_panel
from flexmb.view.report.coarse import coarse_surface
from flexmb.view.report.facts import clock_of, headlines, histories_of, sensor_rows
from flexmb.view.report.health import checks
from flexmb.view.report.mode_surfaces import ModeTable, mode_tables
from flexmb.view.report.page import Content, page_text
from flexmb.view.scene import Part, Scene
from flexmb.view.scene_of_result import covered, scene_of_result
from flexmb.view.stress import stress_of
from flexmb.view.web.page import ViewerParts, viewer_parts
from flexmb.warning import WarningRecord

LARGEST = 2_000_000
"""Largest page that can be mailed [bytes]; the viewer gets a coarser scene if the page would be larger."""
_FRAMES = (1200, 600, 300)
_CELLS = 60
_SPOTS = 5
"""Hot spots of a body in the table"""


@dataclass(frozen=True)
class _Bodies:
    """Flexible bodies of the model of a result."""

    tables: list[ModeTable]
    warnings: list[WarningRecord]
    stress: StressFindings | None = None
    """None: no body has stress"""


def write_report(
    result: Result,
    path: str | os.PathLike[str],
    scene: Scene | None = None,
    *,
    folder: str | os.PathLike[str] | None = None,
) -> tuple[str, ...]:
    """Write the report page (.html) of a result; returns notes for the user.

    scene: scene of the viewer (default: that of the result); folder: further place to look for body files. Without the
    body files of the run the page has neither viewer nor modes, and a note says so.
    """
    target = Path(path)
    if fault := suffix_fault(target, (".html", ".htm")) or replacing_fault(target, target.suffix.lower()):
        raise InputError(fault)
    if folder is not None and not os.path.isdir(folder):
        raise InputError(f"There is no folder {clipped(os.fspath(folder))} for body files.")
    if result.n_rows == 0:
        raise InputError(f"'{result.path}' has no complete rows, so there is nothing to report.")
    notes: list[str] = []
    bodies = _Bodies([], [])
    try:
        bodies = _bodies(result, folder)
        scene = scene or scene_of_result(result, frames=_FRAMES[0], folder=folder)
    except InputError as error:
        what = "This page has no viewer" if scene is None else "The modes are not shown"
        notes.append(f"{what}: {' '.join(str(fault) for fault in error.faults)}")
    content = _content(result, scene, bodies, notes)
    text = page_text(content)
    if scene is not None and len(text.encode()) > LARGEST:
        content, text = _smaller(scene, content)
    with drafted(target, target.suffix.lower()) as draft:
        draft.write_text(text, encoding="utf-8")
    return content.notes


def _bodies(result: Result, folder: str | os.PathLike[str] | None) -> _Bodies:
    spec = model_of(result, folder).spec
    mechanism = place(spec)
    flexible = [n for n, body in enumerate(mechanism.bodies) if isinstance(body, FlexibleBody) and body.n_modes]
    warnings: list[WarningRecord] = []
    if flexible and not result.is_judged:
        warnings = list(flexible_warnings(mechanism, flexible_findings(mechanism, result), spec))
    skins = [covered(spec, mechanism, number) for number in flexible]
    stressed = any(skin.stress is not None and skin.stress.size for skin in skins)
    stress = stress_of(result, spots=_SPOTS, folder=folder) if stressed else None
    return _Bodies(mode_tables(skins), warnings, stress)


def _content(result: Result, scene: Scene | None, bodies: _Bodies, notes: list[str]) -> Content:
    histories = histories_of(scene)
    pool = ArrayPool()
    charts = [chart_of(panel, pool) for panel in _panels(result, scene, histories)]
    return Content(
        result=result,
        headlines=headlines(result, scene, histories, bodies.stress),
        viewer=_viewer(scene),
        charts=charts,
        stress=bodies.stress,
        modes=[(table, table.drawing(pool)) for table in bodies.tables],
        checks=checks(result, result.warnings if result.is_judged else _found_now(result, bodies)),
        sensors=sensor_rows(result),
        arrays=pool.texts(),
        clock=clock_of(result),
        notes=tuple(notes),
    )


def _found_now(result: Result, bodies: _Bodies) -> list[WarningRecord]:
    """Warnings about the rows of a run that has not ended, or of an old file."""
    swinging = ringing(result)
    return [*bodies.warnings, *([ringing_warning(swinging)] if swinging is not None else [])]


def _viewer(scene: Scene | None) -> ViewerParts | None:
    return viewer_parts(scene, playing=False) if scene is not None else None


def _panels(result: Result, scene: Scene | None, histories: dict[str, Any]) -> list[Panel]:
    try:
        panels = panels_of(result)
    except InputError:  # no data for the standard plots
        panels = []
    if scene is None or not histories:
        return panels
    axis = over_time(result)
    factor = 1e-3 if axis.unit == "ms" else 1e-6 if axis.unit == "\u00b5s" else 1.0
    largest = deflection_panel(scene, scene.time / factor, axis.unit, list(histories.items()))
    return [with_peaks(largest), *panels] if largest is not None else panels


def _smaller(scene: Scene, content: Content) -> tuple[Content, str]:
    """The page with a viewer of fewer triangles, then of fewer frames, until it is small enough to mail."""
    coarse = replace(scene, parts=tuple(_coarse_part(part) for part in scene.parts))
    note = "The viewer of this page shows coarser surfaces than 'flexmb animate' does, to keep the file small."
    content = replace(content, notes=(*content.notes, note))
    for frames in _FRAMES:
        every = max(1, -(-len(scene.time) // frames))
        content = replace(content, viewer=_viewer(_every(coarse, every)))
        text = page_text(content)
        if len(text.encode()) <= LARGEST:
            break
    return content, text


def _coarse_part(part: Part) -> Part:
    if len(part.points) < 2000:
        return part
    kept, triangles = coarse_surface(part.points, part.triangles, _CELLS)
    return replace(
        part,
        points=part.points[kept],
        triangles=triangles,
        shapes=part.shapes[:, kept] if part.n_shapes else part.shapes,
        stress=None if part.stress is None else part.stress[:, kept],
        nodes=None if part.nodes is None else part.nodes[kept],
        marks={},
    )


def _every(scene: Scene, every: int) -> Scene:
    """The scene with every n-th frame."""
    if every == 1:
        return scene
    parts = tuple(
        replace(
            part,
            position=part.position[::every],
            quaternion=part.quaternion[::every],
            amplitudes=part.amplitudes[::every],
            stress_amplitudes=None if part.stress_amplitudes is None else part.stress_amplitudes[::every],
        )
        for part in scene.parts
    )
    arrows = tuple(
        replace(one, position=one.position[::every], deflection=one.deflection[::every], vector=one.vector[::every])
        for one in scene.arrows
    )
    curves = tuple(replace(curve, values=curve.values[::every]) for curve in scene.curves)
    return replace(scene, time=scene.time[::every], parts=parts, arrows=arrows, curves=curves)
