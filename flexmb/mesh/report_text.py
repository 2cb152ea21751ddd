"""The mesh report of `flexmb mesh info`: contents, repairs, and whether the mesh is sound."""

from __future__ import annotations

from textwrap import wrap

import numpy as np

from flexmb.arrays import Floats
from flexmb.axes import AXES
from flexmb.mesh.checks import MeshReport
from flexmb.mesh.deck import deck_summary
from flexmb.mesh.mesh import Mesh

_WIDTH = 96
_LABEL = 16
_MOST_SETS = 40


def mesh_report_text(mesh: Mesh, report: MeshReport) -> str:
    """The report as plain text of at most about 100 columns, the verdict first."""
    lines = [f"{mesh.name or 'unnamed mesh'}: {_verdict(mesh, report)}", ""]
    for loss in mesh.losses:
        lines += _entry("LEFT OUT" if loss.level != "note" else "left out", loss.text)
    lines += [""] if mesh.losses else []
    if mesh.source:
        lines += _entry("file", f"{mesh.source}, unit {mesh.unit}")
    lines += _entry("points", f"{report.n_points:,}")
    lines += _entry("cells", _counted(report.cells) or "none")
    if report.surfaces:
        lines += _entry("surface cells", f"{_counted(report.surfaces)} (mark surfaces, no stiffness)")
    low, high = report.low, report.high
    spans = (f"{axis} {_length(a)} .. {_length(b)}" for axis, a, b in zip(AXES, low, high, strict=True))
    size = " x ".join(_length(extent) for extent in high - low)
    lines += _entry("extents", f"{', '.join(spans)} m: {size} m")
    lines += _measures(report)
    if len(report.parts) == 1:
        lines += _entry("parts", "1 (all cells are connected)")
    elif report.parts:
        lines += _entry("parts", f"{len(report.parts)} of {', '.join(f'{size:,}' for size in report.parts[:8])} cells")
    lines += ["", *_sets(report)]
    if mesh.deck is not None:
        lines += ["", "deck", *(line for word, text in deck_summary(mesh.deck) for line in _entry(f"  {word}", text))]
    for title, texts in (("note", mesh.notes), ("WARNING", [warning.text for warning in report.warnings])):
        lines += [line for text in texts for line in ("", *_entry(title, text))]
    for fault in report.faults:
        lines += ["", *_entry("FAULT", f"{fault.text} {fault.hint}".strip())]
    return "\n".join(lines)


def _verdict(mesh: Mesh, report: MeshReport) -> str:
    if report.faults:
        return f"not usable: {len(report.faults)} fault{'s' if len(report.faults) > 1 else ''} (see below)"
    warnings = len(report.warnings) + sum(loss.level != "note" for loss in mesh.losses)
    if warnings:
        return f"usable with care: {warnings} warning{'s' if warnings > 1 else ''} (see below)"
    return "sound"


def _measures(report: MeshReport) -> list[str]:
    lines = []
    if report.volume:
        lines += _entry("volume", f"{report.volume:.6g} m^3 (steel of 7850 kg/m^3: {7850.0 * report.volume:.4g} kg)")
    if report.area:
        lines += _entry("shell cells", f"{report.area:.6g} m^2 in total")
    if report.length:
        lines += _entry("line cells", f"{report.length:.6g} m in total")
    if report.volume or report.area or report.length:
        centre = _without_dust(report.centre, float(np.max(report.high - report.low)))
        lines += _entry("centre", f"({', '.join(_length(x) for x in centre)}) m")
        J = _without_dust(report.inertia, float(np.abs(report.inertia).max()))
        unit = "m^5, density 1" if report.volume else "m^4, 1 kg/m^2" if report.area else "m^3, 1 kg/m"
        diagonal = ", ".join(f"{value:.5g}" for value in np.diag(J))
        products = ", ".join(f"{value:.4g}" for value in (J[0, 1], J[1, 2], J[2, 0]))
        lines += _entry("inertia", f"xx, yy, zz = {diagonal}; xy, yz, zx = {products} about the centre ({unit})")
    if np.isfinite(report.worst_quality):
        text = f"worst scaled Jacobian {report.worst_quality:.3g} (1 regular, 0 flat), {report.worst_cell}"
        lines += _entry("quality", text)
    return lines


def _without_dust(values: Floats, scale: float) -> Floats:
    """Values with round-off compared with the scale set to zero."""
    return np.where(np.abs(values) > 1e-12 * scale, values, 0.0)


def _sets(report: MeshReport) -> list[str]:
    """Table of sets: nodes, and cells where materials can be assigned."""
    if not report.node_sets and not report.cell_sets:
        return _entry(
            "sets", "none: select nodes by position, e.g. plane(x=0.3) or cylinder(px,py,pz, ax,ay,az, radius)"
        )
    names = list(dict.fromkeys([*report.node_sets, *report.cell_sets]))
    width = min(40, max(3, *(len(name) for name in names[:_MOST_SETS])))
    lines = [f"{'set':<{width}}  {'nodes':>10}  {'cells':>10}"]
    for name in names[:_MOST_SETS]:
        cells = f"{report.cell_sets[name]:,}" if name in report.cell_sets else ""
        lines.append(f"{name:<{width}}  {report.node_sets.get(name, 0):>10,}  {cells:>10}".rstrip())
    if len(names) > _MOST_SETS:
        lines.append(f"and {len(names) - _MOST_SETS} more")
    return lines


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {kind}" for kind, count in counts.items())


def _length(value: float) -> str:
    return f"{value + 0.0:.6g}"


def _entry(label: str, text: str) -> list[str]:
    first, *rest = wrap(text, _WIDTH - _LABEL, break_long_words=False, break_on_hyphens=False) or [""]
    return [f"{label:<{_LABEL}}{first}", *(" " * _LABEL + line for line in rest)]
