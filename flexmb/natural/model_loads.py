"""Loads and motions of a model in natural coordinates, and the checks of what they do not support.

Enters: a checked model and its choice of points and vectors; leaves: force sets, driven rows, and the mixed coordinates
that they act on. A joint coordinate with a motion, spring, friction or actuator is a coordinate itself (s or psi, with
its turns), tied to the points and vectors by one row; a load on it acts in its column alone:

    s = (r_b - r_a) . u_a,      S cos psi - C sin psi = 0,      Q_s = effort(s, s', t)            [GJB sec. 4.2, 4.5]
    motion   s = f(t), or (r_b - r_a) . u_a = f(t) for a marker

The advance of a screw is the row (r_b - r_a) . u_a = (lead / 2 pi) psi. If a load depends on sensors or has no law,
the core finds all of them (`core_bridge`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.errors import Fault
from flexmb.joints.joint_type import JointType
from flexmb.loads.table import LOAD_TYPES
from flexmb.model.expressions.expression import Expression
from flexmb.model.expressions.tokens import TextError
from flexmb.model.schema import ModelSpec, loads
from flexmb.model.schema.analysis import Analysis
from flexmb.model.schema.bodies import Body
from flexmb.model.schema.loads import expressions_of
from flexmb.natural.choice import Choice, Pose, is_covered
from flexmb.natural.constraints import ConstraintBuilder, Drive
from flexmb.natural.forces import (
    ConcentratedForces,
    ForceSet,
    Gravity,
    PointForce,
    Torque,
    add_torque,
    body_axes,
    force_on,
    torque_on,
)
from flexmb.natural.layout import Combination, Layout
from flexmb.natural.mixed import Angle, AngleRows, angle_between
from flexmb.natural.scalar_terms import ScalarTerm
from flexmb.natural.spring_laws import LinearLaw, SpringLaws, TabledLaw
from flexmb.natural.springs import TranslationalSprings
from flexmb.natural.system import Writer
from flexmb.system.mechanism import PlacedJoint

Turn = Callable[[float], Floats]
"""Time -> rotation matrix (3, 3), or angular velocity (3,)."""
Effort = Callable[[float, float], float]
"""Rate and time -> effort on a coordinate [N, N*m]."""
Key = tuple[str, str]
"""Joint and coordinate."""
CoordinateLoad = loads.JointSpring | loads.Friction | loads.Actuator
"""Load on a joint coordinate with a law here"""
_WITH_LAW = loads.PointForce | loads.PointTorque | loads.SpringDamper | CoordinateLoad
Components = Floats | Callable[[float], Floats]
"""(3,), constant or by time"""

METHODS = ("generalized-alpha", "rk4")


def uncovered(spec: ModelSpec) -> list[Fault]:
    """Faults of everything in a model that natural coordinates do not support."""
    faults = []

    def fault(text: str, *path: str, hint: str = "") -> None:
        faults.append(Fault(f"natural coordinates {text}.", path, hint or 'Use [coordinates] default = "absolute".'))

    for name, body in spec.bodies.items():
        if not isinstance(body, Body):
            fault(f"support only rigid bodies; '{name}' is flexible", "bodies", name)
            continue
        if body.coordinates is not None:
            text = f"apply to the whole model; '{name}' has coordinates = \"{body.coordinates}\""
            fault(text, "bodies", name, "coordinates", hint="Remove the coordinates of the body.")
    for name, joint in spec.joints.items():
        if not is_covered(joint.kind):
            fault(f"do not support the joint '{name}' ({joint.type})", "joints", name)
        if joint.tree:
            fault(f"have no tree; '{name}' has tree = true", "joints", name, "tree", hint="Remove tree = true.")
    if spec.coordinates.branches:
        fault("have no tree and no branches", "coordinates", "branches", hint="Remove the branches.")
    for name, force in spec.forces.items():
        if reason := LOAD_TYPES[force.type].not_in_natural:
            fault(f"do not support the {force.type.replace('-', ' ')} '{name}': {reason}", "forces", name)
    _check_analysis(spec.analysis, fault)
    return faults


def _check_analysis(analysis: Analysis | None, fault: Callable[..., None]) -> None:
    if analysis is None:
        return
    if "static" in (analysis.type, analysis.start):
        fault("do not support equilibria", "analysis", "type" if analysis.type == "static" else "start")
    if analysis.type != "dynamic":
        return
    if analysis.formulation == "embedding" and analysis.method == "generalized-alpha":
        fault("support the embedding formulation only with rk4", "analysis", "formulation", hint='Use method = "rk4".')
    is_known, has_step = analysis.method in METHODS, analysis.step is not None and analysis.tolerance is None
    if not (is_known and has_step):
        found = "without a step" if analysis.step is None else "with a tolerance"
        found = f'by "{analysis.method}"' + ("" if has_step else f" {found}")
        key = "method" if not is_known else "step" if analysis.step is None else "tolerance"
        hint = f"Give method = {' or '.join(repr(name) for name in METHODS)} and a step instead of a tolerance."
        fault(f"are integrated with a fixed step by {' or '.join(METHODS)}, not {found}", "analysis", key, hint=hint)
    if analysis.independent:
        hint = "Remove 'independent'."
        fault("choose their independent coordinates automatically", "analysis", "independent", hint=hint)


class CoordinateForces:
    """Efforts on mixed coordinates: springs and dampers, friction, actuators."""

    def __init__(self, layout: Layout, columns: Sequence[int], forces: Sequence[CoordinateLoad]):
        self.layout = layout
        acting = list(zip(columns, forces, strict=True))
        springs = [(column, force) for column, force in acting if isinstance(force, loads.JointSpring)]
        self._sprung = np.array([column for column, _ in springs], dtype=np.int64)
        self._springs = SpringLaws([_law(force, force.rest) for _, force in springs])
        others = [(column, force) for column, force in acting if not isinstance(force, loads.JointSpring)]
        self._others = [(column, _effort(force)) for column, force in others]
        rubbing = [(column, force) for column, force in acting if isinstance(force, loads.Friction)]
        self._rubbed = np.array([column for column, _ in rubbing], dtype=np.int64)
        self._frictions = [force for _, force in rubbing]

    def force(self, y: Floats, y_dot: Floats, t: float) -> Floats:
        """(n_extended,) Q_y."""
        efforts = np.zeros(self.layout.n_extended)
        if self._sprung.size:
            np.subtract.at(efforts, self._sprung, self._springs.force(y[self._sprung], y_dot[self._sprung]))
        for column, effort in self._others:
            efforts[column] += effort(float(y_dot[column]), t)
        return efforts

    def tangent_places(self) -> tuple[Integers, Integers]:
        """Rows and columns of the entries of the tangent."""
        columns = np.concatenate((self._sprung, self._rubbed))
        return columns, columns

    def tangent(self, y: Floats, y_dot: Floats, per_rate: float) -> Floats:
        """Entries of dQ_y/dy + per_rate dQ_y/dy_dot."""
        springs = -self._springs.stiffness(y[self._sprung]) - per_rate * self._springs.damping
        slopes = [
            _friction_slope(one, float(rate)) for one, rate in zip(self._frictions, y_dot[self._rubbed], strict=True)
        ]
        return np.concatenate((springs, per_rate * np.array(slopes)))

    def potential(self, y: Floats, t: float) -> float:
        """Stored energy of the springs [J]."""
        return self._springs.energy(y[self._sprung])


class Rotors:
    """Constant angular momenta h inside bodies: each gives its body the torque -omega x h, which does no work."""

    def __init__(self, layout: Layout, rotors: Sequence[tuple[tuple[Combination, ...], Floats]], spin: Turn | None):
        """Body axes and h (3,) along them [N m s] of every rotor; angular velocity (3,) of a moving base [rad/s]."""
        self.layout, self.rotors, self.spin = layout, rotors, spin

    def force(self, y: Floats, y_dot: Floats, t: float) -> Floats:
        """(n_extended,) Q_y."""
        generalised = np.zeros(self.layout.n_extended)
        base = np.zeros(3) if self.spin is None else self.spin(t)
        for axes, momentum in self.rotors:
            R = np.array([axis.at(y) for axis in axes])
            omega = 0.5 * np.sum(np.cross(R, np.array([axis.rate(y_dot) for axis in axes])), axis=0)
            add_torque(axes, np.cross(R.T @ momentum, omega + base), y, generalised)
        return generalised

    def potential(self, y: Floats, t: float) -> float:
        """None."""
        return 0.0


def _seen_at(kind: JointType, coordinate: str) -> tuple[int, bool]:
    """Axis whose angle from the first frame to the second a coordinate is; whether it turns about one of the first.

    One turn: the axis after its own. Two turns: the axis of the other one, which this turn alone moves.
    """
    turns = kind.motions_of("turn", "screw")
    own = turns.index(kind.motion_of(coordinate))
    if len(turns) == 1:
        return (turns[0].axis + 1) % 3, True
    return turns[1 - own].axis, own == 0


def _law(force: loads.SpringDamper | loads.JointSpring, rest: float) -> LinearLaw | TabledLaw:
    """Law of a spring; its table counts from `rest`."""
    if force.table is None:
        return LinearLaw(force.stiffness, rest, force.damping)
    table = np.array(force.table, dtype=float)
    return TabledLaw(table[:, 0] + rest, table[:, 1], force.damping)


def _effort(force: loads.Friction | loads.Actuator) -> Callable[[float, float], float]:
    """Rate and time -> effort of friction or of an actuator."""
    if isinstance(force, loads.Actuator):
        function = _function(force.effort)
        return lambda rate, t: function(t)
    viscous, coulomb, transition = force.viscous, force.coulomb, force.transition or 1.0
    return lambda rate, t: -viscous * rate - coulomb * math.tanh(rate / transition)


def _friction_slope(force: loads.Friction, rate: float) -> float:
    """Derivative of the effort of friction by the rate."""
    transition = force.transition or 1.0
    return float(-force.viscous - force.coulomb / transition * (1.0 - math.tanh(rate / transition) ** 2))


def _is_sensed(force: loads.Force) -> bool:
    """Whether an expression of the load depends on a sensor."""
    return any(expression.names - {"t"} for expression in expressions_of(force))


def _function(expression: Expression) -> Callable[[float], float]:
    """Value at a time; not a number where it has none, as in the core."""
    if expression.constant is not None:
        constant = float(expression.constant)
        return lambda t: constant

    def function(t: float) -> float:
        try:
            return expression(t)
        except TextError:
            return math.nan

    return function


@dataclass(frozen=True, eq=False)
class ModelLoads:
    """Loads and motions of a model, made from its choice of points and vectors before assembly."""

    spec: ModelSpec
    choice: Choice
    keys: tuple[Key, ...]
    """Joint coordinates that are coordinates themselves, in the order of the mixed scalars."""
    in_core: bool
    """Whether the core finds the loads: one depends on sensors, or has no law here."""

    @classmethod
    def of(cls, spec: ModelSpec, choice: Choice) -> ModelLoads:
        """Find the joint coordinates that something acts on."""
        acting = [(motion.joint, motion.coordinate) for motion in spec.motions.values() if motion.joint is not None]
        in_core = any(_is_sensed(force) or not isinstance(force, _WITH_LAW) for force in spec.forces.values())
        on_joints = [force for force in spec.forces.values() if isinstance(force, CoordinateLoad)]
        acting += [] if in_core else [(force.joint, force.coordinate) for force in on_joints]
        keys = [(joint, spec.coordinate(joint, coordinate)) for joint, coordinate in acting]
        joints = choice.mechanism.joints
        keys += [(joint.name, name) for joint in joints for one in joint.type.motions_of("screw") for name in one.names]
        return cls(spec, choice, tuple(dict.fromkeys(keys)), in_core)

    def start(self, poses: Sequence[Pose], near: Mapping[Key, float]) -> Floats:
        """(n_scalars,) mixed coordinates in these poses, turns counted near the given values."""
        values = []
        for name, coordinate in self.keys:
            joint = self._joint(name)
            (R_a, p_a), (R_b, p_b) = (self._frame(end, poses) for end in (joint.first, joint.second))
            motion = joint.type.motion_of(coordinate)
            if motion.type == "slide":
                values.append(float((p_b - p_a) @ R_a[:, motion.axis]))
                continue
            i, is_first = _seen_at(joint.type, coordinate)
            bare = angle_between(R_a[:, i], R_b[:, i], (R_a if is_first else R_b)[:, motion.axis])
            values.append(bare + math.tau * round((near[name, coordinate] - bare) / math.tau))
        return np.array(values)

    def rows(self, drives: Mapping[str, Drive]) -> list[Writer]:
        """Rows of the lengths among the mixed coordinates, of screws, and of the motions."""

        def write(builder: ConstraintBuilder, layout: Layout) -> None:
            for number, (name, coordinate) in enumerate(self.keys):
                joint = self._joint(name)
                own = joint.type.motion_of(coordinate)
                if own.type in ("slide", "screw"):
                    scale = joint.parameters[0] if own.type == "screw" else 1.0
                    term = ScalarTerm(layout.scalar_column(number), "linear", scale)
                    along = self.choice.marker_axis(joint.first, own.axis, layout)
                    builder.dot(self.choice.gap(joint, layout), along, scalar=term, name=name)
            for name, motion in self.spec.motions.items():
                if motion.joint is not None:
                    key = motion.joint, self.spec.coordinate(motion.joint, motion.coordinate)
                    column = layout.scalar_column(self.keys.index(key))
                    builder.linear([column], [1.0], drive=drives[name], name=name)
                    continue
                assert motion.marker is not None and motion.along is not None  # the other kind of motion
                marker, base = (self.choice.mechanism.marker_index[m] for m in (motion.marker, motion.relative_to))
                gap = self.choice.marker_point(marker, layout) - self.choice.marker_point(base, layout)
                along = self.choice.marker_axis(base, "xyz".index(motion.along), layout)
                builder.dot(gap, along, drive=drives[name], name=name)

        return [write]

    def angles(self, layout: Layout) -> list[AngleRows]:
        """Rows of the angles among the mixed coordinates."""
        found = []
        for number, (name, coordinate) in enumerate(self.keys):
            joint = self._joint(name)
            motion = joint.type.motion_of(coordinate)
            if motion.type == "slide":
                continue
            i, is_first = _seen_at(joint.type, coordinate)
            first, second = (self.choice.marker_axis(end, i, layout) for end in (joint.first, joint.second))
            axis = self.choice.marker_axis(joint.first if is_first else joint.second, motion.axis, layout)
            found.append(Angle(first, second, number, axis, name))
        return [AngleRows(found, layout)] if found else []

    def forces(self, layout: Layout, turn: Turn | None = None, spin: Turn | None = None) -> list[ForceSet]:
        """Gravity and all loads. With a moving base, `turn` takes its axes to those of the world, `spin` is its angular
        velocity (3,) in its axes, and gravity is left to its inertia forces."""
        choice, sets = self.choice, list[ForceSet]()
        markers = choice.mechanism.marker_index
        if turn is None and any(self.spec.model.gravity):
            sets.append(Gravity(choice.bodies, layout, self.spec.model.gravity))
        everything = [] if self.in_core else list(self.spec.forces.values())
        turning = zip(choice.bodies, choice.mechanism.bodies[1:], strict=True)
        rotors = [(body_axes(body, layout), placed.rotor) for body, placed in turning if np.any(placed.rotor)]
        if rotors:
            sets.append(Rotors(layout, rotors, spin))
        points, torques = self._at_markers(everything, layout, turn)
        if points or torques:
            sets.append(ConcentratedForces(layout, points, torques))
        springs = [force for force in everything if isinstance(force, loads.SpringDamper)]
        if springs:
            ends = [tuple(choice.marker_point(markers[m], layout) for m in spring.markers) for spring in springs]
            laws = [_law(spring, spring.length or 0.0) for spring in springs]
            sets.append(TranslationalSprings(layout, [(first, second) for first, second in ends], laws))
        on_joints = [force for force in everything if isinstance(force, CoordinateLoad)]
        if on_joints:
            keys = [(force.joint, self.spec.coordinate(force.joint, force.coordinate)) for force in on_joints]
            columns = [layout.scalar_column(self.keys.index(key)) for key in keys]
            sets.append(CoordinateForces(layout, columns, on_joints))
        return sets

    def _at_markers(
        self, everything: Iterable[loads.Force], layout: Layout, turn: Turn | None
    ) -> tuple[list[PointForce], list[Torque]]:
        """Forces and torques on markers of moving bodies."""
        points, torques = list[PointForce](), list[Torque]()
        for force in everything:
            if not isinstance(force, (loads.PointForce, loads.PointTorque)):
                continue
            marker = self.choice.mechanism.markers[self.choice.mechanism.marker_index[force.marker]]
            if marker.body == 0:
                continue
            body, follows = self.choice.bodies[marker.body - 1], force.axes == "marker"
            components = _components(force.vector, marker.R_b if follows else np.eye(3))
            if turn is not None and not follows:
                components = _turned_back(components, turn)
            if force.type == "force":
                points.append(force_on(body, marker.p_b, components, layout, follows))
            else:
                torques.append(torque_on(body, components, layout, follows))
        return points, torques

    def _joint(self, name: str) -> PlacedJoint:
        return self.choice.mechanism.joints[self.choice.mechanism.joint_index[name]]

    def _frame(self, marker: int, poses: Sequence[Pose]) -> tuple[Floats, Floats]:
        """Orientation and place of a marker in these poses, world axes."""
        placed = self.choice.mechanism.markers[marker]
        pose = poses[placed.body]
        return pose.R @ placed.R_b, pose.p + pose.R @ placed.p_b


def _components(vector: Sequence[Expression], turn: Floats) -> Components:
    """Turned components: numbers when they are constant, else a function of time."""
    functions = [_function(expression) for expression in vector]
    if all(expression.constant is not None for expression in vector):
        return turn @ np.array([function(0.0) for function in functions])
    return lambda t: turn @ np.array([function(t) for function in functions])


def _turned_back(components: Components, turn: Turn) -> Callable[[float], Floats]:
    """World components in the axes of the base."""
    if callable(components):
        return lambda t: np.asarray(turn(t).T @ components(t), dtype=np.float64)
    return lambda t: np.asarray(turn(t).T @ components, dtype=np.float64)
