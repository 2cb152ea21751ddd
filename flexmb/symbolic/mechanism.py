"""A mechanism in symbols: bodies, markers and joints in the design position, with formulas for their numbers.

Enters: a model; leaves: the bodies, markers and joints of the numeric placement, in its order, with the same frames.
Orientations are constant: a frame that turns when a kept symbol changes is rejected with an error. Hence the length of
a rod along the unit vector e from A to B is e . (B - A), without a square root, and every place is a sum of the
formulas of points: p_b = R_wb^T (p - p_wb). Inertia about the body origin by Steiner, J + m (c.c 1 - c c'); of a
slender rod about its middle, m L^2/12 across.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.joints.joint_type import JointType
from flexmb.model.model import Model
from flexmb.model.schema.beams import BeamBody
from flexmb.model.schema.bodies import Body
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.symbolic.engine import Integer, Matrix, Rational, Scalar, Vector, as_expression, engine, expand, sqrt, tidy
from flexmb.symbolic.expressions import formula_of, value_of
from flexmb.symbolic.frames import check_frames, check_numbers
from flexmb.symbolic.numbers import exact, exact_matrix, physical, physical_vector
from flexmb.symbolic.vectors import add, apply, apply_transposed, dot, empty, identity, scale, sub, zero
from flexmb.system.mechanism import Mechanism
from flexmb.system.placement import place
from flexmb.system.topology import Topology, topology

XYZ = range(3)
NOISE = 1e-13
"""Coefficients of a place below this share of the size of the mechanism are rounding of directions."""


@dataclass(frozen=True)
class SymbolicBody:
    """A body; tensors in body axes about the body origin."""

    name: str
    mass: Scalar
    first_moment: Vector
    """int r dm [kg m]"""
    inertia: Matrix
    """int (r.r 1 - r r') dm [kg m^2]"""
    rotor: Vector
    """Constant internal angular momentum [N m s]"""
    R_wb: Matrix
    p_wb: Vector
    elastic: Any = None
    """Deformation field; None: rigid"""


@dataclass(frozen=True)
class SymbolicMarker:
    """A frame on a body, in body axes."""

    name: str
    body: int
    p_b: Vector
    R_b: Matrix
    shapes: Any = None
    """Shapes of the elastic coordinates of its body; None on a rigid one"""


@dataclass(frozen=True)
class SymbolicJoint:
    """A joint between two markers."""

    name: str
    type: JointType
    first: int
    second: int
    parameters: list[Scalar] = field(default_factory=list)
    """Screw: advance per radian [m]; distance: length [m]; rolling: radius [m]"""


@dataclass(frozen=True)
class SymbolicMechanism:
    """All parts, numbered as in the numeric mechanism of the same model; body 0 is ground."""

    name: str
    bodies: list[SymbolicBody]
    markers: list[SymbolicMarker]
    joints: list[SymbolicJoint]
    topology: Topology
    gravity: Vector
    """[m/s^2], world axes"""
    spec: ModelSpec
    """The checked model; numbers that depend on symbols carry their formula (`flexmb.symbolic.expressions.value_of`)"""
    body_index: dict[str, int]
    marker_index: dict[str, int]
    joint_index: dict[str, int]
    distributed: dict[str, list[tuple[int, Scalar]]]
    """Markers that a distributed force acts on, and the length [m] that each represents"""
    symbols: dict[str, float | None]
    """Kept names and their nominal values; None: the model gives none"""
    values: dict[str, float]
    """Values of the symbols at which `placed` is: nominal ones, or trial values"""
    placed: Mechanism
    """The numeric mechanism"""


def symbolic_mechanism(model: Model, keep: Collection[str] | str = ()) -> SymbolicMechanism:
    """The mechanism of `model`, with its symbols and the parameters in `keep` (or "all") kept as symbols."""
    read = model.symbolic_spec(keep)
    placed = place(read.numeric)
    if read.symbols:
        check_frames(read, placed)
    placer = _SymbolicPlacer(read.spec, placed)
    placer.place()
    if read.symbols and (placer.in_numbers or placed.distributed or placed.couplings):
        check_numbers(read, placed, placer.in_numbers)
    return SymbolicMechanism(
        name=read.spec.model.name,
        bodies=placer.bodies,
        markers=placer.markers,
        joints=placer.joints,
        topology=topology(read.numeric, placed),
        gravity=[value_of(entry) for entry in read.spec.model.gravity],
        spec=read.spec,
        body_index=placed.body_index,
        marker_index=placed.marker_index,
        joint_index=placed.joint_index,
        distributed=placer.distributed,
        symbols=read.symbols,
        values=read.values,
        placed=placed,
    )


class _SymbolicPlacer:
    """Adds the formulas to every placed part, in the order of the numeric placement."""

    def __init__(self, spec: ModelSpec, placed: Mechanism):
        self.spec = spec
        self.placed = placed
        self.bodies: list[SymbolicBody] = []
        self.markers: list[SymbolicMarker] = []
        self.joints: list[SymbolicJoint] = []
        self.origins: list[Vector] = [zero()]
        """Origins of the bodies in exact fractions, to compute with"""
        self.distributed: dict[str, list[tuple[int, Scalar]]] = {}
        self.in_numbers: list[str] = []
        """Flexible bodies whose field has no formulas"""
        self.lengths: dict[str, Scalar] = {}
        """Lengths of rods and beams, by body"""
        places = [body.p_wb for body in placed.bodies] + [marker.p_b for marker in placed.markers]
        self.noise = NOISE * max(float(np.abs(places).max()), 1e-300)

    def place(self) -> None:
        placed, spec = self.placed, self.spec
        self.bodies.append(SymbolicBody("ground", 0, zero(), empty(), zero(), _engine_identity(), zero()))
        for name, body in spec.bodies.items():
            self.bodies.append(self._body(name, body))
        places: dict[int, Vector] = {}
        for name, marker in spec.markers.items():
            places[placed.marker_index[f"ground.{name}"]] = self._marker_place("ground", marker)
        for body_name, body in spec.bodies.items():
            for name, marker in body.markers.items():
                places[placed.marker_index[f"{body_name}.{name}"]] = self._marker_place(body_name, marker)
        for name, (origin, end) in placed.beam_ends.items():
            places[origin], places[end] = zero(), [self.lengths[name], 0, 0]
        for number, joint in enumerate(placed.joints):
            places.update(self._joint_places(spec.joints[joint.name], number))
        for name, points in placed.distributed.items():
            places.update(self._load_places(name, points))
        for number, frame in enumerate(placed.markers):
            self.markers.append(self._marker(frame, places.get(number)))
        for joint in placed.joints:
            parameters = self._parameters(spec.joints[joint.name], joint)
            self.joints.append(SymbolicJoint(joint.name, joint.type, joint.first, joint.second, parameters))

    def _point(self, where: Any) -> Vector:
        """World design position of a named point, or of three numbers, in exact fractions."""
        return [formula_of(entry) for entry in self.spec.place(where)]

    def _cleaned(self, p: Vector) -> Vector:
        """A place without brackets and without the rounding of directions."""
        return [self._clean(entry) for entry in p]

    def _clean(self, value: Scalar) -> Scalar:
        value = expand(as_expression(value))
        if not value.free_symbols:
            return 0 if abs(float(value.n(53, real=True))) < self.noise else value
        if value.is_Add:
            parts = [part for part in value.args if not self._is_noise(part)]
            value = engine.Add(*parts) if parts else as_expression(0)
        return tidy(value) if not self._is_noise(value) else 0

    def _is_noise(self, part: Any) -> bool:
        """A number, or a symbol times one, that is a rounding error: only floating-point factors can be."""
        factors = part.args if part.is_Mul else (part,)
        return any(factor.is_Float and abs(float(factor)) < NOISE for factor in factors)

    def _along(self, name: str, ends: Any) -> tuple[Vector, Scalar]:
        """Origin and length of a rod or beam: the x axis of its frame runs along it."""
        start, end = (self._point(where) for where in ends)
        along = [exact(entry) for entry in self.placed.bodies[self.placed.body_index[name]].R_wb[:, 0]]
        self.lengths[name] = self._clean(dot(along, sub(end, start)))
        return start, self.lengths[name]

    def _body(self, name: str, body: Any) -> SymbolicBody:
        numeric = self.placed.bodies[self.placed.body_index[name]]
        R_wb = exact_matrix(numeric.R_wb)
        if not isinstance(body, Body):
            return self._flexible(name, body, R_wb)
        mass = formula_of(body.mass)
        inertia: Matrix = empty()
        if body.rod is not None:
            start, length = self._along(name, body.rod)
            center = [Rational(1, 2) * length, 0, 0]
            across = mass * length**2 * Rational(1, 12)
            inertia[1][1] = inertia[2][2] = across
        else:
            start = self._point(body.at)
            center = self._body_place(body.center, R_wb, start)
            if body.inertia is not None:
                inertia = [[formula_of(entry) for entry in row] for row in body.inertia]
        rotor = zero() if body.rotor is None else [value_of(entry) for entry in body.rotor]
        self.origins.append(start)
        return SymbolicBody(
            name,
            physical(mass),
            physical_vector(scale(mass, center)),
            [physical_vector(row) for row in _steiner(mass, center, inertia)],
            rotor,
            R_wb,
            physical_vector(self._cleaned(start)),
        )

    def _flexible(self, name: str, body: Any, R_wb: Matrix) -> SymbolicBody:
        """A flexible body; `fields` makes its field."""
        from flexmb.symbolic import fields

        start = self._along(name, body.beam)[0] if isinstance(body, BeamBody) else self._point(body.at)
        self.origins.append(start)
        numeric = self.placed.bodies[self.placed.body_index[name]]
        assert isinstance(numeric, FlexibleBody)
        elastic = fields.symbolic_field(self.spec, name, body, numeric, self.lengths.get(name))
        if not getattr(elastic, "in_symbols", False):
            self.in_numbers.append(name)
        return SymbolicBody(
            name,
            getattr(elastic, "mass", value_of(numeric.mass)),
            getattr(elastic, "first_moment", _in_numbers(numeric.first_moment)),
            getattr(elastic, "inertia", [_in_numbers(row) for row in numeric.inertia]),
            zero(),
            R_wb,
            physical_vector(self._cleaned(start)),
            elastic,
        )

    def _body_place(self, where: Any, R_wb: Matrix, p_wb: Vector) -> Vector:
        """Numbers are body coordinates; a point name is a world position."""
        place = self._point(where)
        return self._cleaned(apply_transposed(R_wb, sub(place, p_wb)) if isinstance(where, str) else place)

    def _marker_place(self, body_name: str, marker: Any) -> Vector:
        fraction = getattr(marker, "along", None)
        if fraction is not None:
            return [self._clean(formula_of(fraction) * self.lengths[body_name]), 0, 0]
        number = self.placed.body_index[body_name]
        return self._body_place(marker.at, self.bodies[number].R_wb, self.origins[number])

    def _marker(self, marker: Any, place: Vector | None) -> SymbolicMarker:
        """A marker at its place; one without a place is at a fixed place of its body (origin, body file)."""
        p_b = physical_vector([formula_of(entry) for entry in marker.p_b] if place is None else place)
        elastic = self.bodies[marker.body].elastic
        shapes = None
        if elastic is not None:
            from flexmb.symbolic import fields

            shapes = fields.marker_shapes(elastic, p_b, marker)
        return SymbolicMarker(marker.name, marker.body, p_b, exact_matrix(marker.R_b), shapes)

    def _joint_places(self, joint: Any, number: int) -> Iterator[tuple[int, Vector]]:
        """Places of the two markers that a joint placed by a point has made."""
        if joint.markers is not None:
            return
        numeric = self.placed.joints[number]
        ends = [self.placed.markers[marker].body for marker in (numeric.first, numeric.second)]
        origin = self.origins[ends[1]]
        if joint.kind.at == "pair":
            places = [self._point(where) for where in joint.at]
        else:
            places = [origin if joint.at is None else self._point(joint.at)] * 2
        if joint.kind.at == "first":
            places[1] = origin
        for marker, body, p_w in zip((numeric.first, numeric.second), ends, places, strict=True):
            yield marker, self._cleaned(apply_transposed(self.bodies[body].R_wb, sub(p_w, self.origins[body])))

    def _load_places(self, name: str, points: list[tuple[int, float]]) -> Iterator[tuple[int, Vector]]:
        """Places of the markers of a distributed force: the same shares of its part of the beam as in numbers."""
        force: Any = self.spec.forces[name]
        start = formula_of(force.start)
        end = self.lengths[force.body] if force.to is None else formula_of(force.to)
        span = sum(length for _, length in points)
        self.distributed[name] = []
        for marker, length in points:
            share = (float(self.placed.markers[marker].p_b[0]) - float(force.start)) / span
            yield marker, [self._clean(start + formula_of(share) * (end - start)), 0, 0]
            weight = self._clean(formula_of(length / span) * (end - start))
            self.distributed[name].append((marker, physical(weight)))

    def _parameters(self, joint: Any, numeric: Any) -> list[Scalar]:
        """Numbers of a joint: screw advance per radian, rod length, disc radius."""
        found: list[Scalar] = []
        for key in joint.kind.parameters:
            value = getattr(joint, key)
            if value is None:  # a length: that of the design position
                found.append(self._distance(numeric.first, numeric.second))
            elif key == "lead":
                found.append(physical(formula_of(value) / (2 * engine.pi)))
            else:
                found.append(value_of(value))
        return found

    def _distance(self, first: int, second: int) -> Scalar:
        """Design distance of two markers."""
        p_first, p_second = (self._world(marker) for marker in (first, second))
        d = self._cleaned(sub(p_second, p_first))
        along = [entry for entry in d if entry != 0]
        if len(along) == 1:
            (_, a), (_, b) = self.placed.world_pose(first), self.placed.world_pose(second)
            return physical(along[0] if float((b - a).sum()) > 0 else -along[0])
        return physical(sqrt(as_expression(dot(d, d))))

    def _world(self, marker: int) -> Vector:
        placed = self.markers[marker]
        return add(self.origins[placed.body], apply(self.bodies[placed.body].R_wb, placed.p_b))


def _in_numbers(values: Any) -> Vector:
    """Numbers of a body, without the rounding of their quadrature."""
    size = float(np.abs(values).max())
    return [0 if abs(value) <= NOISE * size else value_of(value) for value in values]


def _engine_identity() -> Matrix:
    return [[Integer(entry) if entry else 0 for entry in row] for row in identity()]


def _steiner(mass: Scalar, center: Vector, inertia: Matrix) -> Matrix:
    """(3, 3) inertia about the body origin, from the one about the centre of mass `center` in body axes."""
    about: Matrix = empty()
    for i in XYZ:
        for j in XYZ:
            moment = sum(center[k] ** 2 for k in XYZ if k != i) if i == j else -center[i] * center[j]
            about[i][j] = inertia[i][j] + mass * moment
    return about
