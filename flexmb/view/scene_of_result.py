"""The scene of a run: its bodies as they moved and bent, joints and drives as symbols, reactions and forces as arrows.

Input: a result file (and the body files of its model). Output: a `Scene`, with at most a thousand or so frames out of
the rows of the result.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.loads.table import LOAD_TYPES
from flexmb.model.schema.loads import LoadShapeForce, PointForce, PointTorque
from flexmb.model.schema.mesh_bodies import MeshBody
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.results.export import default_selections
from flexmb.results.model_of_result import model_of
from flexmb.results.result_file import Result
from flexmb.results.time_window import rows_within
from flexmb.system.mechanism import Mechanism
from flexmb.system.placement import place
from flexmb.view.colors import GROUND, PARTS
from flexmb.view.flexible_parts import Covered, covered_body, flexible_part
from flexmb.view.framing import framed
from flexmb.view.geometry.default_shapes import body_color, rigid_solid, scene_size
from flexmb.view.recorded_motion import MechanismMotion, RecordedMotion
from flexmb.view.scene import STRESS_NOTE, Arrow, Curve, Part, PartKind, Scene
from flexmb.view.symbols import joint_travel, symbol_parts

FRAMES = 1200
"""Default number of frames of a scene."""
_MOST_CURVES = 24
_ROUNDING = 1e-9
"""Moments below this part of force times size are not drawn."""
MOST_TURN = np.pi / 4.0
"""Largest rotation between two frames that shows the true motion [rad]."""


def scene_of_result(
    result: Result,
    *,
    frames: int = FRAMES,
    start: float | None = None,
    end: float | None = None,
    channels: Sequence[str] = (),
    folder: str | os.PathLike[str] | None = None,
) -> Scene:
    """The scene of a result from `start` to `end` [s] with at most `frames` frames.

    channels: curves of the scene (default: the sensors); folder: further place to look for body files.
    """
    rows = chosen_rows(result, frames, start, end)
    curves = list(_curves(result, rows, channels))
    notes: list[str] = []
    spec = model_of(result, folder, notes).spec
    mechanism = place(spec)
    motion = RecordedMotion(result, mechanism, rows, spec.base)
    parts, error = drawn_parts(spec, mechanism, motion)
    if len(rows) < result.n_rows:
        notes.append(f"{len(rows)} of the {result.n_rows} rows of the result are shown.")
    if error > 0.0:
        notes.append(f"The deflection is drawn to {1e3 * error:.2g} mm: this motion needs more shapes than are stored.")
    notes += _base_notes(spec.base) + _turn_notes(motion) + _stress_notes(mechanism, parts)
    scene = Scene(
        title=result.name or result.path.stem,
        subtitle=_subtitle(result),
        time=motion.time,
        parts=tuple(parts),
        arrows=_felt(tuple(_arrows(spec, mechanism, motion)), scene_size(mechanism)),
        curves=tuple(curves),
        up=upwards(spec),
        notes=tuple(notes),
    )
    return framed(scene)


def chosen_rows(result: Result, frames: int, start: float | None, end: float | None) -> Integers:
    """Rows at about even times, at most `frames` of them."""
    time, within = result.time, np.arange(*rows_within(result, start, end))
    if len(within) <= frames:
        return within
    grid = np.linspace(time[within[0]], time[within[-1]], frames)
    after = np.clip(np.searchsorted(time[within], grid), 1, len(within) - 1)
    before = after - 1
    nearer = np.where(grid - time[within[before]] <= time[within[after]] - grid, before, after)
    return within[np.unique(nearer)]


def upwards(spec: ModelSpec) -> tuple[float, float, float]:
    """Direction that is drawn upwards: against gravity, else z."""
    gravity = np.asarray(spec.model.gravity, dtype=float)
    up = -gravity / np.linalg.norm(gravity) if np.any(gravity) else np.array([0.0, 0.0, 1.0])
    return float(up[0]), float(up[1]), float(up[2])


def _subtitle(result: Result) -> str:
    outcome = {"finished": "", "running": ", not finished", "failed": ", failed", "interrupted": ", interrupted"}
    version = result.provenance.get("flexmb", "")
    end = f" to {result.time[-1]:.4g}" if result.n_rows > 1 else ""
    return f"flexmb {version}, t = {result.time[0]:.4g}{end} s{outcome.get(result.outcome, '')}"


def _base_notes(base: Any) -> list[str]:
    """Notes about a moving ground."""
    notes = []
    if base is not None and base.rotation is not None:
        notes.append("The ground rotates; the picture is drawn in non-rotating axes.")
    if base is not None and base.acceleration is not None:
        notes.append("The ground accelerates; the picture moves with its origin.")
    return notes


def _turn_notes(motion: RecordedMotion) -> list[str]:
    """Warning if bodies turn so far from frame to frame that the motion between them is ambiguous."""
    steps, furthest = np.diff(motion.time), 0.0
    for body in motion.mechanism.bodies[1:] if len(steps) else ():
        speed = np.linalg.norm(motion.channel(f"bodies/{body.name}/angular_velocity"), axis=1)
        furthest = max(furthest, float((steps * 0.5 * (speed[1:] + speed[:-1])).max()))
    if furthest <= MOST_TURN:
        return []
    text = f"Bodies turn by up to {np.degrees(furthest):.0f} degrees between two frames"
    return [f"{text}: the motion between frames is ambiguous. Write more rows or use more frames."]


def _stress_notes(mechanism: Mechanism, parts: Sequence[Part]) -> list[str]:
    """Notes about stress that is missing in beams."""
    stressed = {part.name for part in parts if part.stress is not None}
    names = [
        f"'{body.name}'"
        for body in mechanism.bodies
        if isinstance(body, FlexibleBody) and body.basis is not None and body.name in stressed
        if all(shape.component != "u" for shape in body.basis.shapes)
    ]
    return [f"{STRESS_NOTE} its axial part, because there are no axial shapes: {', '.join(names)}."] if names else []


def drawn_parts(spec: ModelSpec, mechanism: Mechanism, motion: MechanismMotion) -> tuple[list[Part], float]:
    """Bodies and symbols, and the largest error of flexible points [m]; 0 if it is within the tolerance."""
    size = scene_size(mechanism)
    travel = {joint.name: joint_travel(joint, motion) for joint in mechanism.joints}
    parts, worst = [], 0.0
    for number, body in enumerate(mechanism.bodies):
        color = GROUND if not number else body_color(spec, body.name) or PARTS[(number - 1) % len(PARTS)]
        if isinstance(body, FlexibleBody) and body.n_modes:
            part, error = flexible_part(covered(spec, mechanism, number), motion, color)
            parts.append(part)
            worst = max(worst, error)
            continue
        solid = rigid_solid(mechanism, spec, number, size, travel)
        if solid is not None and len(solid.triangles):
            kind: PartKind = "rigid" if number else "ground"
            parts.append(Part(body.name, kind, solid.points, solid.triangles, *motion.body_pose(number), color))
    return parts + list(symbol_parts(spec, mechanism, motion, size)), worst


def covered(spec: ModelSpec, mechanism: Mechanism, number: int) -> Covered:
    """A flexible body of a mechanism with its skin."""
    body = mechanism.bodies[number]
    assert isinstance(body, FlexibleBody)
    markers = [marker for marker in mechanism.markers if marker.body == number]
    table = spec.bodies[body.name]
    acting = {
        name: force.shape
        for name, force in spec.forces.items()
        if isinstance(force, LoadShapeForce) and force.body == body.name
    }
    return covered_body(body, markers, Path(table.file.text) if isinstance(table, MeshBody) else None, acting)


def _felt(arrows: tuple[Arrow, ...], size: float) -> tuple[Arrow, ...]:
    """The arrows without moments that are round-off compared with force times the size of the mechanism [m]."""
    largest = max((float(np.abs(arrow.vector).max(initial=0.0)) for arrow in arrows if arrow.unit == "N"), default=0.0)
    least = _ROUNDING * largest * size
    return tuple(arrow for arrow in arrows if arrow.unit == "N" or np.abs(arrow.vector).max(initial=0.0) > least)


def _arrows(spec: ModelSpec, mechanism: Mechanism, motion: RecordedMotion) -> Iterator[Arrow]:
    """Reactions on the second body of every joint, and the forces and torques on markers."""
    for joint in mechanism.joints:
        if f"joints/{joint.name}/force" not in motion.result.channels:  # [output] reactions = false
            continue
        R = motion.marker_path(joint.first).R
        at = motion.marker_path(joint.second)
        for quantity, unit in (("force", "N"), ("moment", "N*m")):
            vector = np.einsum("rij,rj->ri", R, motion.channel(f"joints/{joint.name}/{quantity}"))
            yield Arrow(joint.name, f"reaction {quantity}", unit, at.position, at.deflection, vector)  # type: ignore[arg-type]
    for name, force in spec.forces.items():
        path = f"forces/{name}/{force.type}"
        if isinstance(force, PointForce | PointTorque) and path in motion.result.channels:
            at = motion.marker_path(mechanism.marker_index[force.marker])
            yield Arrow(
                name, force.type, str(LOAD_TYPES[force.type].unit), at.position, at.deflection, motion.channel(path)
            )


def _curves(result: Result, rows: Integers, channels: Sequence[str]) -> Iterator[Curve]:
    selections = result.names.find_all(channels) if channels else default_selections(result)
    if not channels:  # deflections first: they matter most
        selections.sort(key=lambda selection: "deflection" not in selection.channel.text)
    scalars = [scalar for selection in selections for scalar in selection.scalars]
    for scalar in scalars if channels else scalars[:_MOST_CURVES]:
        values: Floats = result.read(scalar, int(rows[0]), int(rows[-1]) + 1)[rows - rows[0]]
        yield Curve(scalar.label, scalar.unit, values)
