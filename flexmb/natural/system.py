"""A mechanism in natural coordinates: bodies that share points and unit vectors, and the terms of its equations.

Enters: bodies, the places of all points and unit vectors, and which of them are fixed; leaves, over the moving
coordinates q (the columns `moving` of the full coordinates x: points, unit vectors, mixed scalars),

    M(x),   Q(x, v, t),   Phi(x, t),   Phi_q,   gamma,        M a + Phi_q^T lambda = Q      [GJB eq. 4.19]

With a body of two points and one vector, M = V^T M_y V varies and Q holds -V^T M_y V_dot v [GJB eq. 4.78; the text
after it prints the plus sign]. Joints are made by sharing: a point is a spherical joint, two points or a point and a
vector a revolute joint; the others are rows of the `ConstraintBuilder`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import csr_array

from flexmb.arrays import Floats, Integers
from flexmb.errors import Fault, InputError
from flexmb.natural.body import NaturalBody
from flexmb.natural.constraint_rows import MovingRows, check_start
from flexmb.natural.constraints import ConstraintBuilder, Constraints
from flexmb.natural.extension import Extension
from flexmb.natural.forces import ForceSet
from flexmb.natural.layout import Layout
from flexmb.natural.mass import extended_mass_matrix
from flexmb.natural.packing import PackedNatural
from flexmb.natural.rigid import rigid_constraints
from flexmb.natural.saddle import SaddleMatrix, summed
from flexmb.natural.start import closed_start, dependent_rows
from flexmb.natural.varying_mass import MovingMass

FAR = 1e-9
"""Largest constraint error at the start, after projection, in sizes of the coordinates that change it."""


@dataclass(frozen=True)
class NaturalMechanism:
    """Input of a system: bodies, their points and vectors at the start, fixed coordinates, rows, forces.

    points (n_points, d) [m], vectors (n_vectors, d), scalars (n_scalars,) [m, rad]: values at the start, d = 2 or 3.
    """

    bodies: Sequence[NaturalBody]
    points: Floats
    vectors: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    scalars: Floats = field(default_factory=lambda: np.zeros(0))
    fixed_points: Iterable[int] = ()
    fixed_vectors: Iterable[int] = ()

    def layout(self) -> Layout:
        """Places of all points, vectors and scalars among the coordinates."""
        dimension = int(np.shape(self.points)[1])
        sizes = (len(self.points), len(self.vectors), len(self.scalars))
        return Layout.of(self.bodies, *sizes, dimension=dimension)

    def start(self) -> Floats:
        """Full coordinates as written."""
        return np.concatenate([np.ravel(part).astype(float) for part in (self.points, self.vectors, self.scalars)])

    def moving(self, layout: Layout) -> Integers:
        """Columns of the full coordinates that move."""
        mask = np.ones(layout.n_coordinates, dtype=bool)
        for point in self.fixed_points:
            mask[layout.point_columns(point)] = False
        for vector in self.fixed_vectors:
            mask[layout.vector_columns(vector)] = False
        return np.flatnonzero(mask)


Writer = Callable[[ConstraintBuilder, Layout], None]
"""Adds rows to the builder: explicit joints, drives."""


class NaturalSystem:
    """The arrays of a mechanism. Nothing in it depends on the state but the turns of rotational springs."""

    def __init__(
        self,
        mechanism: NaturalMechanism,
        joints: Sequence[Writer] = (),
        forces: Callable[[Layout], Sequence[ForceSet]] | None = None,
        sets: Callable[[Layout], Sequence[Constraints]] | None = None,
        time: float = 0.0,
    ):
        self.layout = mechanism.layout()
        self.bodies = list(mechanism.bodies)
        self.moving = mechanism.moving(self.layout)
        self.forces = list(forces(self.layout)) if forces else []
        self.extension = Extension(self.bodies, self.layout)
        self.mass_extended = csr_array(extended_mass_matrix(self.bodies, self.layout))
        builder = ConstraintBuilder(self.layout)
        for body in self.bodies:
            rigid_constraints(body, self.layout, builder)
        for joint in joints:
            joint(builder, self.layout)
        every_set: list[Constraints] = [builder.build(), *(sets(self.layout) if sets else ())]
        written = mechanism.start()
        self._check(written)
        every = self._sizes(written, every_set)
        self.sizes = every[self.moving]
        """(n,) magnitude of every moving coordinate: of points and distances that of a body [m], of others 1"""
        self.constraints = MovingRows(every_set, self.moving, written, every)
        self.start = written
        self.packed = PackedNatural(self)
        self.start = self._closed(time)
        repeated = dependent_rows(self.packed, time)
        self.constraints.keep(np.flatnonzero(~repeated))
        if repeated.any():
            self.packed.watch_rows(time)
        self.mass = MovingMass(self.mass_extended, self.extension, self.moving, written)
        rows = np.concatenate((self.mass.rows, self.constraints.hessian_rows))
        columns = np.concatenate((self.mass.columns, self.constraints.hessian_columns))
        gradient = (self.constraints.rows, self.constraints.columns)
        self.saddle = SaddleMatrix(self.n, self.m, (rows, columns), gradient)

    @property
    def n(self) -> int:
        """Number of moving coordinates."""
        return int(self.moving.size)

    @property
    def m(self) -> int:
        """Number of independent constraint rows."""
        return self.constraints.n_rows

    @property
    def has_constant_mass(self) -> bool:
        """Whether every body is fixed by its own points and vectors, without a cross product."""
        return bool(self.extension.is_identity)

    def rate(self, v: Floats) -> Floats:
        """Full rates (n_coordinates,) of the moving ones (n,): what is fixed rests."""
        full = np.zeros(self.layout.n_coordinates)
        full[self.moving] = v
        return full

    def mass_entries(self, x: Floats) -> Floats:
        """Entries of M on its fixed pattern."""
        return self.mass.entries(x)

    def mass_times(self, entries: Floats, v: Floats) -> Floats:
        """M v (n,)."""
        return self.mass.times(entries, v)

    def mass_dense(self, x: Floats) -> Floats:
        """M (n, n) as a full array."""
        return self.mass.dense(self.mass.entries(x))

    def full_force(self, x: Floats, v: Floats, t: float) -> Floats:
        """Q over the full coordinates, with the velocity force of a mass matrix that varies; v full."""
        if self.has_constant_mass:
            return self._applied(x, v, t)
        jacobian = self.extension.jacobian(x)
        applied = self._applied(self.extension.extend(x), self.extension.velocity(x, v), t)
        return jacobian.T @ (applied - self.mass_extended @ self.extension.bias(v))  # [GJB eq. 4.78]

    def force(self, x: Floats, v: Floats, t: float) -> Floats:
        """Q (n,) on the moving coordinates; v (n,)."""
        return self.full_force(x, self.rate(v), t)[self.moving]

    def kinetic_energy(self, x: Floats, v: Floats) -> float:
        """T [J] for the rates v (n,) of the moving coordinates."""
        rate = self.rate(v)
        y_dot = self.extension.velocity(x, rate)
        return 0.5 * float(y_dot @ (self.mass_extended @ y_dot))

    def potential_energy(self, x: Floats, t: float) -> float:
        """V [J] of all forces that have one."""
        y = self.extension.extend(x)
        return float(sum(one.potential(y, t) for one in self.forces))

    def power(self, x: Floats, v: Floats, multipliers: Floats, t: float) -> float:
        """dT/dt [W] = Q_y.y_dot + lambda.Phi_t: power of the applied forces and of the drives.

        The velocity force of a mass matrix that varies is none of these: it stands for a part of dT/dt itself.
        """
        y_dot = self.extension.velocity(x, self.rate(v))
        applied = self._applied(self.extension.extend(x), y_dot, t)
        return float(applied @ y_dot + multipliers @ self.constraints.rate(t))

    def reactions(self, x: Floats, v: Floats, a: Floats, multipliers: Floats, t: float) -> Floats:
        """Forces of the ground on the fixed coordinates (n_coordinates,), zero on the moving ones: points [N]."""
        rate, acceleration = self.rate(v), self.rate(a)
        rows, every = self.constraints.joined, self.constraints.all_multipliers(multipliers)
        held = summed(rows.columns, rows.entries(x) * every[rows.rows], x.size)
        jacobian = self.extension.jacobian(x)
        inertia = jacobian.T @ (self.mass_extended @ (jacobian @ acceleration))
        balance = inertia + held - self.full_force(x, rate, t)
        balance[self.moving] = 0.0
        return balance

    def _applied(self, y: Floats, y_dot: Floats, t: float) -> Floats:
        total = np.zeros(self.layout.n_extended)
        for one in self.forces:
            total += one.force(y, y_dot, t)
        return total

    def _sizes(self, x: Floats, sets: Sequence[Constraints]) -> Floats:
        """(n_coordinates,) magnitude of every coordinate, so that a mechanism of any size is judged alike."""
        points = self.layout.dimension * self.layout.n_points
        sizes = np.ones(x.size)
        length = max((_extent(body) for body in self.bodies), default=0.0)
        self.length = length = length or float(np.max(np.abs(x[:points]), initial=0.0)) or 1.0
        """Length [m] of the largest body"""
        sizes[:points] = length
        angles = set().union(*(one.written.angles() for one in sets))
        for column in range(self.layout.dimension * self.layout.n_nodes, x.size):
            sizes[column] = 1.0 if column in angles else length
        return sizes

    def _check(self, x: Floats) -> None:
        if not np.all(np.isfinite(x)):
            raise InputError([Fault("a point, unit vector or scalar is not a finite number at the start.")])

    def _closed(self, t: float) -> Floats:
        """The start, moved onto the constraints."""
        closed = closed_start(self.packed, t)
        check_start(self.constraints, closed, t, FAR)
        return closed


def _extent(body: NaturalBody) -> float:
    """Largest distance of a point of a body from its first one [m]; a long mechanism is closed body by body."""
    places = np.array([point.local for point in body.points], dtype=float)
    return float(np.max(np.linalg.norm(places - places[0], axis=1))) if len(places) else 0.0
