"""Section forces and moments of a beam by summation over one side of the cut, more accurate than EI v'' of few shapes.

Input: the motion of the body and all loads on it. Output: the force and moment that the part towards end B exerts on
the part towards end A, about the centre line:
    F(x) = sum over the part beyond x of (loads - mass times acceleration),    M(x) = the same with arms.
Axial force is positive in tension; M = (GJ kappa_1, EIy kappa_2, EIz kappa_3), that is (GJ phi', -EIy w'', EIz v'') for
small deflections. Summed over the other side the result is the same when loads and motion satisfy the rigid-body
equations. Gravity is a part of the motion: a = acceleration of the origin - g (theory 10, last line).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np

from flexmb.arrays import Floats
from flexmb.bodies.exact_motion import BodyMotion, ExactMotion, slice_forces
from flexmb.bodies.quadratic_beam import mass_points, quadratic_poses
from flexmb.reduction.beam_basis import BeamBasis


@dataclass(frozen=True)
class PointLoad:
    """A force and a moment at a point of the beam, body axes."""

    point: Floats
    """(3,) (x, Y, Z) in the undeformed beam [m]"""
    force: Floats = field(default_factory=lambda: np.zeros(3))
    """(3,) [N]"""
    moment: Floats = field(default_factory=lambda: np.zeros(3))
    """(3,) [N m]"""


@dataclass(frozen=True)
class LineLoad:
    """A force per length of the undeformed beam between two places of its centre line, constant in body axes."""

    force: Floats
    """(3,) [N/m]"""
    start: float
    """distance from end A [m]"""
    end: float


@dataclass(frozen=True)
class SectionForces:
    """Forces and moments of the part towards B on the part towards A at sections x, in the requested axes."""

    x: Floats
    """(m,) [m]"""
    force: Floats
    """(m, 3) axial, shear along y, shear along z [N]"""
    moment: Floats
    """(m, 3) torsion, bending about y, bending about z [N m]"""


def section_forces(
    basis: BeamBasis,
    motion: BodyMotion,
    x: Floats,
    loads: Sequence[PointLoad | LineLoad] = (),
    *,
    field: Literal["exact", "quadratic"] = "exact",
    side: Literal["A", "B"] = "B",
    axes: Literal["section", "body"] = "section",
) -> SectionForces:
    """Forces and moments at the sections x : (m,) [m], in the axes of the deformed section or of the body.

    `side` is the end whose part of the beam is summed. A point load or lump at a requested section belongs to the part
    towards B, but at x = 0 to the part towards A: sections at the ends lie inside the beam. All joint reactions on that
    side are loads.
    """
    x = np.asarray(x, dtype=float)
    kinematics: _Kinematics = _Exact(basis) if field == "exact" else _Quadratic(basis)
    parts = [kinematics.inertia(*_quadrature(basis, x, ()), motion), _point_loads(basis, kinematics, motion.q, loads)]
    lines = [load for load in loads if isinstance(load, LineLoad)]
    parts += [_line_load(load, kinematics, motion.q, *_quadrature(basis, x, (load.start, load.end))) for load in lines]
    place, arm, force, moment = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    near = 1e-9 * basis.length
    beyond = np.where(x[:, None] > near, place >= x[:, None] - near, place > near)
    counted = beyond.astype(float) if side == "B" else beyond - 1.0
    r0, R = kinematics.poses(np.stack([x, 0.0 * x, 0.0 * x], axis=-1), motion.q)
    F = counted @ force
    M = counted @ (np.cross(arm, force) + moment) - np.cross(r0, F)
    if axes == "section":
        F, M = np.einsum("mji,mj->mi", R, F), np.einsum("mji,mj->mi", R, M)
    return SectionForces(x, F, M)


_Part = tuple[Floats, Floats, Floats, Floats]
"""Places along the beam (p,), positions (p, 3), forces (p, 3) and moments (p, 3) that act there, body axes."""


class _Kinematics(Protocol):
    """Methods of a deformation field that the summation needs."""

    def poses(self, p_b: Floats, q: Floats) -> tuple[Floats, Floats]:
        """Positions (m, 3) and rotations (m, 3, 3) of the points p_b : (m, 3)."""

    def inertia(self, x: Floats, weight: Floats, motion: BodyMotion) -> _Part:
        """Inertia forces (minus mass times acceleration) of the beam, by a quadrature, and of its lumps."""


class _Exact:
    def __init__(self, basis: BeamBasis):
        self.field = ExactMotion(basis)

    def poses(self, p_b: Floats, q: Floats) -> tuple[Floats, Floats]:
        return self.field.pose(self.field.points(p_b), q)

    def inertia(self, x: Floats, weight: Floats, motion: BodyMotion) -> _Part:
        slices = self.field.all_slices(x, weight)
        at = self.field.motion(slices.places, motion.q, motion.q_dot)
        force, moment = slice_forces(slices, at, motion)
        return slices.places.x, at.r, -force, -moment


class _Quadratic:
    def __init__(self, basis: BeamBasis):
        self.basis = basis

    def poses(self, p_b: Floats, q: Floats) -> tuple[Floats, Floats]:
        return quadratic_poses(self.basis, p_b, q)

    def inertia(self, x: Floats, weight: Floats, motion: BodyMotion) -> _Part:
        place, points = mass_points(self.basis, x, weight)
        frame = np.stack([motion.a, motion.alpha, motion.omega])
        force = points.mass_forces(motion.q, motion.q_dot, motion.q_ddot, frame)
        return place, points.positions(motion.q), -force, 0.0 * force


def _point_loads(basis: BeamBasis, kinematics: _Kinematics, q: Floats, loads: Sequence[PointLoad | LineLoad]) -> _Part:
    points = [load for load in loads if isinstance(load, PointLoad)]
    p_b, force, moment = (
        np.array([getattr(load, name) for load in points], dtype=float).reshape(-1, 3)
        for name in ("point", "force", "moment")
    )
    return np.clip(p_b[:, 0], 0.0, basis.length), kinematics.poses(p_b, q)[0], force, moment


def _line_load(load: LineLoad, kinematics: _Kinematics, q: Floats, x: Floats, weight: Floats) -> _Part:
    inside = (x > load.start) & (x < load.end)
    x, force = x[inside], weight[inside, None] * np.asarray(load.force, dtype=float)
    return x, kinematics.poses(np.stack([x, 0.0 * x, 0.0 * x], axis=-1), q)[0], force, 0.0 * force


def _quadrature(basis: BeamBasis, *cuts: Floats | tuple[float, ...]) -> tuple[Floats, Floats]:
    """Places and weights between the breaks of the basis and all cuts, so that no piece lies on two sides of one."""
    ends = np.unique(np.clip(np.concatenate([basis.breaks, *cuts]), 0.0, basis.length))
    t, weight = np.polynomial.legendre.leggauss(basis.gauss)
    half = 0.5 * np.diff(ends)[:, None]
    return (ends[:-1, None] + half * (t + 1.0)).ravel(), (half * weight).ravel()
