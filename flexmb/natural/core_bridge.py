"""Conversion of natural coordinates to the core's: poses, velocities and accelerations of bodies, sensor-driven loads.

A body's origin and axes are linear in the points and vectors, r = C x; with R = [axes],

    w = vee(R^T R_dot),     w_dot = vee(R^T R_ddot)      (skew parts; body axes)

are the rates of the core's absolute coordinates. A stop, a bushing, a cable or a load whose expression
depends on sensors gets its value from the core in the same pose and with the same velocities; where it acts is found in
natural coordinates as for all others.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg.lapack import dgelsy, dgelsy_lwork
from scipy.sparse import csc_array, csr_array

from flexmb.arrays import Floats, Integers
from flexmb.bodies.orientation import rotations
from flexmb.layout import flat_arrays as L
from flexmb.model.schema import loads as schema
from flexmb.natural.base_motion import BaseMotion
from flexmb.natural.choice import Choice, Pose
from flexmb.natural.drives import CoreFunction
from flexmb.natural.forces import add_torque, body_axes
from flexmb.natural.frame_kernels import put_places, put_rates
from flexmb.natural.layout import Combination, Layout, direction_of, point_of
from flexmb.natural.marker_wrenches import KINDS, MarkerWrenches
from flexmb.natural.mass import extended_mass_matrix
from flexmb.natural.model_loads import Key, ModelLoads
from flexmb.solvers.mechanics import Mechanics
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


class SensedForces:
    """Loads whose expressions depend on sensors, stops, bushings and cables."""

    def __init__(self, loads: ModelLoads, layout: Layout, system: System, base: Base | None):
        self.base = base
        choice, spec = loads.choice, loads.spec
        self.layout, self.bridge = layout, Bridge(choice, layout, system)
        self.m = Mechanics(system, system.workspace())
        self._forces, self._torques = list[tuple[int, Combination]](), list[tuple[int, tuple[Combination, ...]]]()
        self._efforts = list[tuple[int, int]]()
        self._wrenches = MarkerWrenches(choice, layout, system)
        self._stores = list[int]()
        for number, (name, force) in enumerate(spec.forces.items()):
            if name not in loads.sensed:
                continue
            block = int(system.ints[system.ints[L.LOADS] + number * L.LOAD + L.L_W])
            self._stores.append(block + L.LW_POTENTIAL)
            if isinstance(force, KINDS):
                self._wrenches.add(force, block)
                continue
            if isinstance(force, schema.OnCoordinate):
                key = force.joint, spec.coordinate(force.joint, force.coordinate)
                self._efforts.append((block + L.LW_EFFORT, layout.scalar_column(loads.keys.index(key))))
                continue
            assert isinstance(force, (schema.PointForce, schema.PointTorque))
            marker = choice.mechanism.markers[choice.mechanism.marker_index[force.marker]]
            if marker.body and isinstance(force, schema.PointForce):
                self._forces.append((block + L.LW_VECTOR, point_of(choice.bodies[marker.body - 1], marker.p_b, layout)))
            elif marker.body:
                self._torques.append((block + L.LW_VECTOR, body_axes(choice.bodies[marker.body - 1], layout)))

    def follow(self, work: Floats) -> None:
        """After a step: turns of joints are counted on from this workspace (w,)."""
        self.m.W[:] = work

    def force(self, y: Floats, y_dot: Floats, t: float) -> Floats:
        """(n_extended,) Q_y."""
        n = self.bridge.n_coordinates
        self.bridge.put(self.m, t, y[:n], y_dot[:n])
        self.m.equations()
        generalised, W = np.zeros(self.layout.n_extended), self.m.W
        back = np.eye(3) if self.base is None else self.base.turn(t).T
        for block, point in self._forces:
            point.add_force(back @ W[block : block + 3], generalised)
        for block, axes in self._torques:
            add_torque(axes, back @ W[block : block + 3], y, generalised)
        for slot, column in self._efforts:
            generalised[column] += W[slot]
        self._wrenches.apply(W, back, y, generalised)
        return generalised

    def potential(self, y: Floats, t: float) -> float:
        """Energy [J] that stops, bushings and cables store at y (n_extended,)."""
        n = self.bridge.n_coordinates
        self.bridge.put(self.m, t, y[:n], np.zeros(n))
        self.m.equations()
        return float(self.m.W[self._stores].sum())


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
