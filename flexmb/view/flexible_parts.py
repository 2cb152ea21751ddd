"""Flexible bodies as parts of a scene: their skin, the shapes of its motion in this run, and its stress.

A beam is drawn as its real section, a body from a file as the surface of its mesh, a body by its matrices as a bar
through its markers. The skin is moved by the field that the run used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.bodies.body_file import read_body
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.bodies.load_shape import stress_shapes
from flexmb.bodies.marker import Marker
from flexmb.bodies.marker_shapes import MarkerShapes
from flexmb.bodies.skin import PolynomialSkin, Skin, beam_skin_motion, mesh_skin_motion
from flexmb.results.stress_amplitudes import stress_amplitudes
from flexmb.view.beam_stress import beam_stress
from flexmb.view.geometry.beam_skin import beam_skin
from flexmb.view.geometry.primitives import extruded
from flexmb.view.recorded_motion import MechanismMotion
from flexmb.view.scene import Color, Part, Single, quaternions, rotations
from flexmb.view.snapshots import Shapes, fitted_shapes

NEAR = 1e-6
"""Largest error of a drawn point at scale 1, as a part of the length of its body."""
OF_DEFLECTION = 1e-4
"""The same as a part of the largest deflection, so that exaggerated pictures are accurate, too."""
OF_STRESS = 1e-3
_BAR = 0.01
"""Half width of the bar that represents a body given by matrices, as a part of its length."""


@dataclass(frozen=True)
class Covered:
    """A flexible body with the surface that is drawn."""

    body: FlexibleBody
    skin: Skin
    triangles: Integers
    stress: Floats | Single | None = None
    """(s, n + m, 6) per unit of elastic coordinate [Pa/m], and of the values of `stressing`"""
    nodes: Integers | None = None
    marks: dict[str, int] = field(default_factory=dict)
    stressing: tuple[str, ...] = ()
    """Forces that stress it directly, by load shapes"""

    def stress_amplitudes(self, channel: Callable[[str], Floats]) -> Floats:
        """(r, n + m) factors of its stress; channel : reads (r, ...) of a path of a result"""
        return stress_amplitudes(channel, self.body.name, self.body.n_modes, self.stressing)


def covered_body(
    body: FlexibleBody, markers: list[Marker], file: Path | None, acting: Mapping[str, str] | None = None
) -> Covered:
    """A flexible body with its skin.

    file : its body file, if it has one; acting : force -> load shape by which it acts on the body
    """
    if body.basis is not None:
        skin = beam_skin(body.basis)
        points = skin.solid.points
        stress = beam_stress(body.basis, skin.inside, skin.offset) if skin.is_true else None
        return Covered(body, beam_skin_motion(body, points), skin.solid.triangles, stress, None, skin.marks)
    if file is not None:
        reduced = read_body(file, second_order=body.order != 0)
        surface = reduced.surface
        if surface is not None and len(surface.triangles):
            motion = mesh_skin_motion(body, surface)
            stress, stressing = surface.stress, {}
            if stress is not None:
                shapes = {force: reduced.load(name) for force, name in (acting or {}).items()}
                stressing = {force: shape for force, shape in shapes.items() if shape.stress is not None}
                stress = stress_shapes(stress, list(stressing.values()))
            return Covered(body, motion, surface.triangles, stress, surface.nodes, stressing=tuple(stressing))
    return _stick(body, [marker for marker in markers if isinstance(marker.shapes, MarkerShapes)])


def _stick(body: FlexibleBody, markers: list[Marker]) -> Covered:
    """A square bar through the markers of a body that has no surface, in their order along its longest direction."""
    markers = list({tuple(np.round(marker.p_b, 9).tolist()): marker for marker in markers}.values())
    at = np.array([marker.p_b for marker in markers]).reshape(-1, 3)
    if len(at) < 2:
        at = _two_places(body, at[0] if len(at) else np.zeros(3))
    longest = np.linalg.svd(at - at.mean(axis=0), full_matrices=False)[2][0]
    order = np.argsort(at @ longest, kind="stable")
    half = _BAR * body.length
    square = half * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    # a straight bar with one section for every marker; its sections are then moved to the markers
    solid = extruded([square], np.arange(len(at), dtype=float))
    section = np.rint(solid.points[:, 0]).astype(int)
    across = np.linalg.svd(longest[None])[2][1:]
    across = across if np.linalg.det(np.array([longest, *across])) > 0.0 else across[::-1]
    points = at[order][section] + solid.points[:, 1:] @ across
    n = body.n_modes
    Phi, G = np.zeros((len(at), n, 3)), np.zeros((len(at), n * (n + 1) // 2, 3))
    k, l = np.tril_indices(n)
    for number, marker in enumerate(markers):
        assert isinstance(marker.shapes, MarkerShapes)
        Phi[number] = marker.shapes.Phi
        G[number] = marker.shapes.G[k, l] if marker.shapes.order > 1 else 0.0
    return Covered(body, PolynomialSkin(points, Phi[order][section], G[order][section]), solid.triangles)


def _two_places(body: FlexibleBody, marker: Floats) -> Floats:
    """(2, 3) the only place with known shapes, and the centre of the body, or along x if they are the same."""
    middle = body.first_moment / body.mass if body.mass > 0.0 else marker
    is_same = np.linalg.norm(middle - marker) < _BAR * body.length
    return np.array([marker, marker + [body.length, 0.0, 0.0] if is_same else middle])


def flexible_part(covered: Covered, motion: MechanismMotion, color: Color) -> tuple[Part, float]:
    """The part of a flexible body over all frames, and the largest error of its points at scale 1 [m]; 0 if that is
    within the tolerance."""
    body, skin = covered.body, covered.skin
    number = motion.mechanism.body_index[body.name]
    q, chord = motion.elastic(body), motion.chord_of(number)
    points = skin.points

    def deflection(rows: Integers, which: Integers) -> Floats:
        return chord.deflections(points[which], skin.displacements(q[rows], which), rows)

    few = np.unique(np.linspace(0, len(points) - 1, 200).astype(np.int64))
    blocks = np.array_split(np.arange(motion.n_frames), 1 + motion.n_frames // 64)
    largest = max(float(np.linalg.norm(deflection(rows, few), axis=2).max()) for rows in blocks if len(rows))
    tolerance = max(min(OF_DEFLECTION * largest, NEAR * body.length), 1e-12 * body.length)
    bent = fitted_shapes(deflection, motion.n_frames, len(points), tolerance)
    carried, amounts = chord.carried_shapes(points, body.length)
    position, quaternion = motion.body_pose(number)
    at, R = chord.poses(position, rotations(quaternion))
    stress = _stress_shapes(covered, motion)
    part = Part(
        name=body.name,
        kind="flexible",
        points=points,
        triangles=covered.triangles,
        position=at,
        quaternion=quaternions(R),
        color=color,
        shapes=np.concatenate([carried.astype(np.float32), bent.shapes]),
        amplitudes=np.concatenate([amounts, bent.amplitudes], axis=1),
        carried=len(carried),
        stress=None if stress is None else stress.shapes,
        stress_amplitudes=None if stress is None else stress.amplitudes,
        nodes=covered.nodes,
        marks=covered.marks,
    )
    return part, bent.error if bent.error > tolerance else 0.0


def _stress_shapes(covered: Covered, motion: MechanismMotion) -> Shapes | None:
    """The stress of a run by as few shapes as possible; None if it is unknown."""
    stress = covered.stress
    if stress is None or not stress.shape[1]:
        return None
    flat = np.asarray(stress, np.float32)
    q = covered.stress_amplitudes(motion.channel)

    def evaluate(rows: Integers, which: Integers) -> Floats:
        chosen = flat[which]
        product = q[rows].astype(np.float32) @ chosen.transpose(1, 0, 2).reshape(chosen.shape[1], -1)
        return product.reshape(len(rows), len(which), 6).astype(float)

    few = np.unique(np.linspace(0, len(flat) - 1, 400).astype(np.int64))
    peak = float(np.abs(evaluate(np.arange(len(q)), few)).max(initial=0.0))
    return fitted_shapes(evaluate, len(q), len(flat), OF_STRESS * peak) if peak > 0.0 else None
