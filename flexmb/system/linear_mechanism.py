"""Small motions of a mechanism about its design position at rest: mass, elastic stiffness and joint rows in NumPy.

Every body moves rigidly (six coordinates) and by its shapes; a joint is a set of rows that vanish for the motions it
allows. Gravity, springs and axial forces are left out: this is the measure by which the shapes of beams are judged.
    G x = 0,   N = null(G),   N^T K N z = w^2 N^T M N z
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats
from flexmb.axes import AXES
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.bodies.flexible_properties import elastic_mass
from flexmb.bodies.marker import Marker
from flexmb.bodies.marker_shapes import MarkerShapes
from flexmb.bodies.rigid_body import RigidBody
from flexmb.elements.beam_shapes import COMPONENTS, BeamShape
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.reduction.beam_basis import BeamBasis, Lump
from flexmb.reduction.beam_matrices import BeamIntegrals, lump_motion
from flexmb.reduction.frames import rigid_shapes
from flexmb.system.mechanism import Mechanism, PlacedJoint

RIGID = 6
"""Rigid motions of a body, the first of its coordinates."""
_DEPENDENT = 1e-9
"""Singular values below this part of the largest are zero."""


@dataclass(frozen=True)
class LinearBody:
    """Small motions of one body."""

    placed: RigidBody
    stiffness: Floats
    """(6 + n, 6 + n)"""
    mass: Floats
    """(6 + n, 6 + n)"""
    shapes: tuple[BeamShape, ...] = ()
    """Rigid motions and shapes of a beam; empty for other bodies"""

    def motion_at(self, marker: Marker) -> tuple[Floats, Floats]:
        """(6 + n, 3) displacement and (6 + n, 3) turn of a marker per unit of each coordinate, world axes."""
        R = self.placed.R_wb
        if self.shapes:
            return beam_motion(self.shapes, self.shapes_length, marker.p_b, R)
        n = len(self.mass) - RIGID
        shift, turn = np.zeros((RIGID + n, 3)), np.zeros((RIGID + n, 3))
        shift[:3] = np.eye(3)
        shift[3:6] = np.cross(np.eye(3), marker.p_b)
        turn[3:6] = np.eye(3)
        if n and isinstance(marker.shapes, MarkerShapes):
            shift[RIGID:], turn[RIGID:] = marker.shapes.Phi, marker.shapes.Theta
        return shift @ R.T, turn @ R.T

    @property
    def shapes_length(self) -> float:
        """Length of a beam [m]."""
        assert isinstance(self.placed, FlexibleBody)
        return self.placed.length


def beam_motion(shapes: tuple[BeamShape, ...], length: float, p_b: Floats, R: Floats) -> tuple[Floats, Floats]:
    """(n, 3) displacement and turn of a point p_b of a beam per unit of each coordinate, in the axes R leads to."""
    x = float(np.clip(p_b[0], 0.0, length))
    shift, turn = lump_motion(shapes, Lump(x, 0.0, p_b - [x, 0.0, 0.0]))
    return shift @ R.T, turn @ R.T


def all_shapes(basis: BeamBasis) -> tuple[BeamShape, ...]:
    """Six rigid motions, then the shapes of a beam."""
    return (*(shape for component in COMPONENTS for shape in rigid_shapes(component)), *basis.shapes)


def linear_body(placed: RigidBody, basis: BeamBasis | None = None) -> LinearBody:
    """Small motions of a body; `basis` in place of that of a beam."""
    if isinstance(placed, FlexibleBody) and (basis or placed.basis) is not None:
        basis = basis or placed.basis
        assert basis is not None
        shapes = all_shapes(basis)
        integrals = BeamIntegrals(
            basis.length, basis.spans, basis.breaks, basis.gauss, basis.lumps, basis.shear, basis.rotary_inertia
        )
        stiffness = np.zeros((len(shapes), len(shapes)))
        stiffness[RIGID:, RIGID:] = basis.stiffness
        return LinearBody(placed, stiffness, integrals.mass(shapes), shapes)
    n = placed.n_modes if isinstance(placed, FlexibleBody) else 0
    stiffness, mass = np.zeros((RIGID + n, RIGID + n)), np.zeros((RIGID + n, RIGID + n))
    if isinstance(placed, FlexibleBody) and n:
        stiffness[RIGID:, RIGID:] = placed.stiffness
        mass[RIGID:, RIGID:] = elastic_mass(placed)
        field_mass = getattr(placed.field, "mass_matrix", None)
        if field_mass is not None:
            mass[:] = field_mass(np.zeros(n))
    if not n or not np.any(mass[:RIGID, :RIGID]):
        first = np.cross(np.eye(3), placed.first_moment)  # row i: e_i x S
        mass[:3, :3] = placed.mass * np.eye(3)
        mass[3:6, :3], mass[:3, 3:6] = first, first.T
        mass[3:6, 3:6] = placed.inertia
    return LinearBody(placed, stiffness, mass)


def held_axes(spec: ModelSpec, joint: PlacedJoint) -> tuple[str, str]:
    """Axes of a joint's first frame along which it holds, and about which it does; driven coordinates are held."""
    slides, turns = set(joint.type.free_slides), set(joint.type.free_turns)
    for motion in spec.motions.values():
        if motion.joint == joint.name:
            driven = joint.type.motion_of(spec.coordinate(joint.name, motion.coordinate))
            (slides if driven.type == "slide" else turns).discard(AXES[driven.axis])
    return "".join(sorted(set(AXES) - slides)), "".join(sorted(set(AXES) - turns))


class LinearMechanism:
    """Rows of the joints, mass and stiffness of all bodies; `bases` in place of those of some beams."""

    def __init__(self, spec: ModelSpec, mechanism: Mechanism, bases: Mapping[str, BeamBasis] | None = None):
        self.mechanism = mechanism
        bases = bases or {}
        self.bodies = [linear_body(body, bases.get(body.name)) for body in mechanism.bodies[1:]]
        sizes = [len(body.mass) for body in self.bodies]
        self.starts = np.concatenate([[0], np.cumsum(sizes)]).astype(int)
        self.size = _extent(mechanism)
        self.scale = np.ones(self.starts[-1])
        """Size of a unit of each coordinate: turns are measured as displacements at the size of the mechanism"""
        for number, body in enumerate(self.bodies):
            start = self.starts[number]
            if body.shapes:
                turning = [k for k, s in enumerate(body.shapes) if s.component == "t" or k in (1, 3)]
                self.scale[start + np.array(turning)] = 1.0 / self.size
            else:
                self.scale[start + 3 : start + 6] = 1.0 / self.size
        self.rows = self._rows(spec) * self.scale

    def block(self, body: int) -> slice:
        """Coordinates of a body (its number in the mechanism, from 1)."""
        return slice(int(self.starts[body - 1]), int(self.starts[body]))

    def _rows(self, spec: ModelSpec) -> Floats:
        rows: list[Floats] = []
        for joint in self.mechanism.joints:
            first, second = self.mechanism.markers[joint.first], self.mechanism.markers[joint.second]
            R, p = self.mechanism.world_pose(joint.first)
            shift, turn = np.zeros((3, self.starts[-1])), np.zeros((3, self.starts[-1]))
            for marker, sign in ((first, -1.0), (second, 1.0)):
                if marker.body:
                    at, about = self.bodies[marker.body - 1].motion_at(marker)
                    shift[:, self.block(marker.body)] += sign * at.T
                    turn[:, self.block(marker.body)] += sign * about.T
            along, around = held_axes(spec, joint)
            if joint.type.name == "distance":
                line = self.mechanism.world_pose(joint.second)[1] - p
                rows.append(line / max(float(np.linalg.norm(line)), 1e-300) @ shift)
            rows += [R[:, AXES.index(axis)] @ shift for axis in along]
            rows += [self.size * (R[:, AXES.index(axis)] @ turn) for axis in around]
        rows += self._motion_rows(spec)
        return np.array(rows).reshape(len(rows), self.starts[-1])

    def _motion_rows(self, spec: ModelSpec) -> Iterator[Floats]:
        """Rows of markers that are driven along or about an axis of another marker."""
        for motion in spec.motions.values():
            if motion.marker is None:
                continue
            numbers = [self.mechanism.marker_index[name] for name in (motion.relative_to, motion.marker)]
            axis = self.mechanism.world_pose(numbers[0])[0][:, AXES.index(motion.along or motion.about)]
            row = np.zeros(self.starts[-1])
            for number, sign in zip(numbers, (-1.0, 1.0), strict=True):
                marker = self.mechanism.markers[number]
                if marker.body:
                    at, about = self.bodies[marker.body - 1].motion_at(marker)
                    row[self.block(marker.body)] += sign * (at if motion.about is None else about) @ axis
            yield row if motion.about is None else self.size * row

    def is_rigid(self) -> Floats:
        """(n,) 1 for coordinates of rigid motions, 0 for elastic ones."""
        rigid = np.zeros(self.starts[-1])
        for start in self.starts[:-1]:
            rigid[start : start + RIGID] = 1.0
        return rigid

    def frequencies(self, count: int) -> Floats:
        """The lowest elastic frequencies [rad/s], at most `count`."""
        from scipy.linalg import LinAlgError, eigh  # only here: a quarter of a second at every start

        N = null_space(self.rows) * self.scale[:, None]
        n_free = null_space(self.rows[:, self.is_rigid() > 0.0]).shape[1]
        if N.shape[1] <= n_free:
            return np.zeros(0)
        K, M = np.zeros((self.starts[-1],) * 2), np.zeros((self.starts[-1],) * 2)
        for number, body in enumerate(self.bodies, start=1):
            block = self.block(number)
            K[block, block], M[block, block] = body.stiffness, body.mass
        reduced = N.T @ M @ N
        reduced += 1e-13 * np.trace(reduced) / len(reduced) * np.eye(len(reduced))  # bodies without inertia
        last = min(N.shape[1], n_free + count) - 1
        try:
            squares = eigh(N.T @ K @ N, reduced, eigvals_only=True, subset_by_index=[n_free, last])
        except LinAlgError:
            return np.zeros(0)
        return np.sqrt(np.maximum(squares, 0.0))


def null_space(rows: Floats) -> Floats:
    """(n, k) orthonormal motions for which all rows vanish."""
    n = rows.shape[1]
    if not rows.size:
        return np.eye(n)
    _, sigma, right = np.linalg.svd(rows, full_matrices=True)
    return np.asarray(right[int(np.sum(sigma > _DEPENDENT * max(float(sigma[0]), 1e-300))) :].T)


def rank(rows: Floats) -> int:
    """Number of independent rows."""
    return rows.shape[1] - null_space(rows).shape[1] if rows.size else 0


def _extent(mechanism: Mechanism) -> float:
    """Size of the mechanism in the design position [m]."""
    places = np.array([mechanism.world_pose(k)[1] for k in range(len(mechanism.markers))])
    return float(np.linalg.norm(np.ptp(places, axis=0))) or 1.0
