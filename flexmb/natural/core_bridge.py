"""Conversion of natural coordinates to the core's: poses, velocities and accelerations of bodies, loads.

A body's origin and axes are linear in the points and vectors, r = C x; with R = [axes],

    w = vee(R^T R_dot),     w_dot = vee(R^T R_ddot)      (skew parts; body axes)

are the rates of the core's absolute coordinates. Where a load depends on sensors or has no law in natural coordinates,
the core finds all loads in the same pose with the same velocities, and their generalised forces come back by C^T.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg.lapack import dgelsy, dgelsy_lwork
from scipy.sparse import csc_array, csr_array

from flexmb.arrays import Floats, Integers
from flexmb.bodies.orientation import rotations
from flexmb.layout import flat_arrays as L
from flexmb.machine_code.jit import call
from flexmb.model.schema import ModelSpec
from flexmb.model.schema import loads as schema
from flexmb.natural.base_motion import BaseMotion
from flexmb.natural.choice import Choice, Pose
from flexmb.natural.drives import CoreFunction
from flexmb.natural.frame_kernels import put_forces, put_places, put_rates
from flexmb.natural.layout import Layout, direction_of, point_of
from flexmb.natural.mass import extended_mass_matrix
from flexmb.natural.model_loads import Key
from flexmb.natural.programs import negative_loads
from flexmb.solvers.mechanics import Mechanics
from flexmb.system.mechanism import Mechanism
from flexmb.system.system import System

RANK = 1e-12
"""Ratio of the condition of what is solved below which a direction counts as free."""


class Bridge:
    """Natural coordinates of the bodies of a choice into the coordinates of a system in absolute ones."""

    def __init__(self, choice: Choice, layout: Layout, system: System):
        self.n_bodies, self.n_coordinates = len(choice.bodies), layout.n_coordinates
        self.order = np.array([branch.body - 1 for branch in system.topology.branches])
        entries = list[tuple[Floats, Integers, Integers]]()
        for number, body in enumerate(choice.bodies):
            parts = [point_of(body, np.zeros(3), layout), *(direction_of(body, axis, layout) for axis in np.eye(3))]
            for part, combination in enumerate(parts):
                first = 12 * number + 3 * part
                entries.append((combination.values, first + combination.components, combination.columns))
        values, rows, columns = (np.concatenate(part) for part in zip(*entries, strict=True))
        matrix = csr_array((values, (rows, columns)), shape=(12 * self.n_bodies, layout.n_coordinates))
        self.starts, self.columns = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64)
        self.values = np.asarray(matrix.data, dtype=np.float64)
        self._ints = np.concatenate([self.starts, self.order, self.columns])
        self._columns = self.starts.size + self.order.size

    def put(self, m: Mechanics, t: float, x: Floats, *rates: Floats) -> None:
        """Full coordinates x (n,) and their first (and second) rates into q, v (and a); quaternions do not jump."""
        m.t = t
        put_places(self._ints, self.n_bodies, self.values, self._columns, x, m.q)
        for target, rate in zip((m.v, m.a), rates, strict=False):
            put_rates(self._ints, self.n_bodies, self.values, self._columns, np.concatenate((x, rate)), target)

    def add_forces(self, x: Floats, bias: Floats, generalised: Floats) -> None:
        """Add the forces -bias on v to those (n,) on the full coordinates x (n,)."""
        put_forces(self._ints, self.n_bodies, self.values, self._columns, x, bias, generalised)

    def columns_of(self, bodies: Iterable[int]) -> Integers:
        """Full coordinates of moving bodies, by their numbers in the mechanism (ground: 0)."""
        ends = [self.starts[[12 * body - 12, 12 * body]] for body in bodies if body > 0]
        return np.unique(np.concatenate([self.columns[first:last] for first, last in ends] or [self.columns[:0]]))


def function_of(system: System, work: Floats, start: int) -> CoreFunction:
    """The function of time at I[start] of the core; work : (w,)."""
    return CoreFunction(system, work.copy(), start)


class Base:
    """The prescribed motion of the ground; coordinates are relative to it, components along its axes."""

    def __init__(self, base: schema.Base, gravity: ArrayLike, system: System, work: Floats):
        ints, rotation = system.ints, base.rotation
        self._gravity = np.array(gravity, dtype=float)
        self._axis = np.zeros(3) if rotation is None else np.array(rotation.axis, dtype=float)
        self._angle = None if rotation is None else function_of(system, work, int(ints[L.BASE_ANGLE]))
        first = int(ints[L.BASE_ACCELERATION]) if base.acceleration is not None else 0
        self._pushes = [function_of(system, work, int(ints[first + k])) for k in range(3 if first else 0)]

    def turn(self, t: float) -> Floats:
        """R (3, 3): axes of the base to those of the world."""
        half = 0.5 * self._angle(t)[0] if self._angle is not None else 0.0
        return rotations(np.array([np.cos(half), *(np.sin(half) * self._axis)]))

    def spin(self, t: float) -> Floats:
        """(3,) angular velocity [rad/s]."""
        return np.asarray((0.0 if self._angle is None else self._angle(t)[1]) * self._axis, dtype=np.float64)

    def spin_rate(self, t: float) -> Floats:
        """(3,) angular acceleration [rad/s^2]."""
        return np.asarray((0.0 if self._angle is None else self._angle(t)[2]) * self._axis, dtype=np.float64)

    def acceleration(self, t: float) -> Floats:
        """(3,) of its origin, less gravity [m/s^2]."""
        push = np.array([function(t)[0] for function in self._pushes]) if self._pushes else np.zeros(3)
        return np.asarray(self.turn(t).T @ (push - self._gravity), dtype=np.float64)

    def forces(self, choice: Choice, layout: Layout) -> BaseMotion:
        """Its inertia forces on all bodies."""
        mass = csc_array(extended_mass_matrix(choice.bodies, layout))
        return BaseMotion(layout, mass, self.acceleration, self.spin, self.spin_rate)


class CoreLoads:
    """All loads of a model, found by the core in the same pose with the same velocities."""

    def __init__(self, spec: ModelSpec, choice: Choice, layout: Layout, system: System, m: Mechanics):
        """`m`: workspace of the core, which keeps the turns of joints."""
        self.layout, self.bridge, self.m = layout, Bridge(choice, layout, system), m
        self.coupled = [self.bridge.columns_of(bodies) for bodies in loaded_bodies(spec, choice.mechanism)]
        """Full coordinates of the bodies on which each load acts"""

    def force(self, y: Floats, y_dot: Floats, t: float) -> Floats:
        """(n_extended,) Q_y."""
        m, n = self.m, self.bridge.n_coordinates
        self.bridge.put(m, t, y[:n], y_dot[:n])
        call(negative_loads.address, m.I, m.system.floats, m.W, 0)
        generalised = np.zeros(self.layout.n_extended)
        self.bridge.add_forces(y[:n], m.bias, generalised[:n])
        return generalised

    def potential(self, y: Floats, t: float) -> float:
        """Zero [J] at any y (n_extended,): the core writes the energies."""
        return 0.0


def loaded_bodies(spec: ModelSpec, mechanism: Mechanism) -> list[set[int]]:
    """Bodies on which each load acts, by their numbers."""
    found = []
    for force in spec.forces.values():
        if isinstance(force, schema.OnCoordinate):
            joint = mechanism.joints[mechanism.joint_index[force.joint]]
            markers = [joint.first, joint.second]
        else:
            single = (getattr(force, key, None) for key in ("marker", "relative_to"))
            markers = [mechanism.marker_index[name] for name in (*getattr(force, "markers", ()), *single) if name]
        found.append({mechanism.markers[marker].body for marker in markers})
    return found


def least_norm(matrix: Floats, right: Floats) -> Floats:
    """(c,) shortest least-squares solution of matrix (r, c) and right side (r,), by QR with pivoting."""
    rows, columns = matrix.shape
    if not columns:
        return np.zeros(0)
    padded = np.zeros(max(rows, columns))
    padded[:rows] = right
    work = int(dgelsy_lwork(rows, columns, 1, RANK)[0])
    _, solution, *_ = dgelsy(matrix, padded, np.zeros(columns, dtype=np.int32), RANK, work)
    return np.asarray(solution[:columns], dtype=np.float64)


def poses_of(system: System, m: Mechanics) -> list[Pose]:
    """Poses of all bodies in the workspace of a system in absolute coordinates, ground first."""
    zero = np.zeros(3)
    poses = [Pose(np.eye(3), zero, zero, zero)] * len(system.mechanism.bodies)
    q, v = m.q.reshape(-1, 7), m.v.reshape(-1, 6)
    for k, branch in enumerate(system.topology.branches):
        R = rotations(q[k, 3:] / np.linalg.norm(q[k, 3:]))
        poses[branch.body] = Pose(R, q[k, :3].copy(), R @ v[k, 3:], v[k, :3].copy())
    return poses


def joint_value(system: System, m: Mechanics, key: Key) -> float:
    """A joint coordinate as the last output has it, with its turns."""
    name, coordinate = key
    joint = system.mechanism.joints[system.mechanism.joint_index[name]]
    place = system.channel(f"joints/{name}/position").start + joint.type.coordinates.index(coordinate)
    return float(m.out[place])
