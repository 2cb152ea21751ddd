"""Constraint rows in symbols: of chords (joints that close loops) and of motions (theory 8).

A row is a condition between two markers A and B: an offset a_i . d, an angle a_i . b_j, a distance, the advance of a
screw, the contact of a rolling disc; or a coordinate of the tree less its motion. Each is written once, as a jet.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flexmb.axes import AXES
from flexmb.errors import Fault, InputError
from flexmb.joints.joint_type import Condition
from flexmb.symbolic import jets
from flexmb.symbolic.engine import Integer, Scalar, as_expression
from flexmb.symbolic.expressions import expression_of
from flexmb.symbolic.jets import Jet, VectorJet
from flexmb.symbolic.mechanism import SymbolicMechanism
from flexmb.symbolic.orders import add as plus
from flexmb.symbolic.orders import cosine, multiply, negative, reciprocal, sine, square_root
from flexmb.symbolic.recursion import BranchPlace, TreeMotion
from flexmb.symbolic.relative import LocalMotion, RelativeMotion
from flexmb.symbolic.vectors import XYZ, add, apply, column, cross, product, scale


@dataclass(frozen=True)
class SymbolicRow:
    """One constraint row: the jet holds Phi, its Jacobian, Phi' and the terms of Phi'' without accelerations."""

    owner: str
    text: str
    jet: Jet
    is_motion: bool = False
    on_velocity: bool = False


class MarkerMotion:
    """Place, axes, velocity and angular velocity of a marker in world axes."""

    def __init__(self, motion: TreeMotion, number: int):
        frame = motion.frames[motion.mechanism.markers[number].body]
        arm, tape = motion.arm(number), motion.tape
        R = frame.R_w
        first = frame.modes.start
        velocities, turnings = {}, {}
        for k, (velocity, turning) in frame.columns.items():
            velocity = add(velocity, cross(turning, arm.r))
            if k in frame.modes:
                velocity, turning = add(velocity, arm.psi[k - first]), add(turning, arm.omega[k - first])
            velocities[k] = tape.vector(apply(R, tape.vector(velocity)))
            turnings[k] = tape.vector(apply(R, turning))
        speed = add(frame.v, cross(frame.w, arm.r), arm.r_dot)
        bias = add(frame.a, cross(frame.alpha, arm.r), arm.bias_r)
        bias = add(bias, cross(frame.w, add(cross(frame.w, arm.r), scale(2, arm.r_dot))))
        self.tape = tape
        self.w = tape.vector(apply(R, add(frame.w, arm.w)))
        self.alpha = tape.vector(apply(R, add(frame.alpha, cross(frame.w, arm.w), arm.bias_w)))
        self.turnings = turnings
        self.axes: dict[int, VectorJet] = {}
        self.R = tape.matrix(product(R, arm.R))
        place = tape.vector(add(frame.p_w, apply(R, arm.r)))
        speed, bias = apply(R, tape.vector(speed)), apply(R, tape.vector(bias))
        self.place = jets.vector(place, velocities, tape.vector(speed), tape.vector(bias))

    def axis(self, i: int) -> VectorJet:
        """A unit vector that turns with the marker."""
        if i not in self.axes:
            tape, u = self.tape, column(self.R, i)
            rate = tape.vector(cross(self.w, u))
            bias = tape.vector(add(cross(self.alpha, u), cross(self.w, rate)))
            columns = {k: tape.vector(cross(turning, u)) for k, turning in self.turnings.items()}
            self.axes[i] = jets.vector(u, columns, rate, bias)
        return self.axes[i]


def _minus_function(jet: Jet, function: Scalar, t: Scalar) -> Jet:
    """A jet less a function of time."""
    first = function.diff(t)
    return jet + Jet(-function, {}, -first, -first.diff(t))


class RowMaker:
    """All rows of a mechanism."""

    def __init__(self, motion: TreeMotion, places: list[BranchPlace], q: list[Scalar], v: list[Scalar], t: Scalar):
        self.motion, self.places, self.q, self.v, self.t = motion, places, q, v, t
        self.mechanism: SymbolicMechanism = motion.mechanism
        self.known: dict[int, MarkerMotion] = {}
        self.local: dict[int, LocalMotion] = {}
        self.pairs: dict[tuple[int, int], RelativeMotion] = {}

    def marker(self, number: int) -> MarkerMotion:
        """Motion of a marker, found once."""
        if number not in self.known:
            self.known[number] = MarkerMotion(self.motion, number)
        return self.known[number]

    def relative(self, first: int, second: int) -> RelativeMotion:
        """The second marker seen from the first."""
        if (first, second) not in self.pairs:
            for number in (first, second):
                if number not in self.local:
                    self.local[number] = LocalMotion(self.motion, number)
            made = RelativeMotion(self.motion, self.local[first], self.local[second])
            self.pairs[first, second] = made
        return self.pairs[first, second]

    def rows(self) -> list[SymbolicRow]:
        """Rows of chords, then of motions; those that hold at velocity level only come last."""
        found = []
        for number in self.mechanism.topology.chords:
            joint = self.mechanism.joints[number]
            for condition in joint.type.conditions:
                jet = self._condition(condition, joint)
                found.append(SymbolicRow(joint.name, condition.text, jet, on_velocity=condition.on_velocity))
        for name, motion in self.mechanism.spec.motions.items():
            found.append(self._motion(name, motion))
        return sorted(found, key=lambda row: row.on_velocity)

    def _condition(self, condition: Condition, joint: Any) -> Jet:
        b = self.relative(joint.first, joint.second)
        if condition.type == "offset":
            return b.d[condition.i]
        if condition.type == "angle":
            return b.axis(condition.j)[condition.i]
        if condition.type == "distance":
            (length,) = joint.parameters
            half = Integer(1) / 2
            return jets.dot(b.d, b.d).scaled(half / length) + Jet(-half * length)
        if condition.type == "advance":
            return _advance(b, joint.parameters[0])
        return _rolling(b, condition.i, joint.parameters[0])

    def _motion(self, name: str, motion: Any) -> SymbolicRow:
        where = ("motions", name)
        if motion.about is not None:
            text = (
                f"motion '{name}' drives an orientation, which has no symbolic form: its rotation vector is not smooth."
            )
            raise InputError([Fault(text, where, "Drive the coordinate of a joint.")])
        function = as_expression(expression_of(motion.function, {"t": self.t}, differentiable=True, path=where))
        markers = self.mechanism.marker_index
        if motion.joint is None:
            b = self.relative(markers[motion.relative_to], markers[motion.marker])
            jet = b.d[AXES.index(motion.along)]
            text = f"{motion.marker} along {motion.along}"
        else:
            q_index, v_index = self.coordinate(motion.joint, motion.coordinate, f"motion '{name}'", ("motions", name))
            jet, text = Jet(self.q[q_index], {v_index: 1}, self.v[v_index], 0), f"{motion.joint}"
        return SymbolicRow(name, text, _minus_function(jet, function, self.t), is_motion=True)

    def coordinate(self, joint: str, coordinate: str | None, what: str, path: tuple[str, ...]) -> tuple[int, int]:
        """Places of a joint coordinate among the stored coordinates and the rates; only of joints in the tree."""
        number = self.mechanism.joint_index[joint]
        for place in self.places:
            if place.branch.joint == number:
                name = self.mechanism.spec.coordinate(joint, coordinate)
                k = place.kind.coordinates.index(name)
                return place.q + k, place.v + k
        text = f"{what} acts on joint '{joint}', which is a chord: its coordinate has no symbolic form."
        hint = f"Put the joint into the tree (joints.{joint}.tree = true) and cut the loop elsewhere."
        raise InputError([Fault(text, path, hint)])


def _advance(b: RelativeMotion, lead: Scalar) -> Jet:
    """sin(angle - advance / lead), without the angle: the y component of b_x in a frame that advances with it."""
    angle = b.d[2].scaled(1 / as_expression(lead))
    s, c = sine(angle.value), cosine(angle.value)
    x = b.axis(0)
    return angle.through(c, negative(s), negative(c)) * x[1] - angle.through(s, c, negative(s)) * x[0]


def _rolling(b: RelativeMotion, k: int, radius: Scalar) -> Jet:
    """A disc with axis z of B on the plane x, y of A: its height (k = 2), or its sliding speed along an axis of A."""
    axis = b.axis(2)
    c = axis[2]
    s = _root(Jet(Integer(1)) - c * c)
    if k == 2:
        return b.d[2] - s.scaled(radius)
    down = [(-(c * y) if i != 2 else Jet(Integer(1)) - c * y) for i, y in enumerate(axis)]
    arm = jets.scaled(_reciprocal(s).scaled(-as_expression(radius)), down)
    """From the centre of the disc to the point of contact"""
    along = [Jet(Integer(1)) if i == k else Jet(0) for i in XYZ]
    turn = jets.cross(arm, along)
    # sliding speed d'_k + W . (arm x e_k), and its derivative at constant rates
    value, bias, columns = b.d[k].rate, b.d[k].bias, dict(b.d[k].columns)
    for i in XYZ:
        value = plus(value, multiply(b.w[i], turn[i].value))
        bias = plus(bias, plus(multiply(b.alpha[i], turn[i].value), multiply(b.w[i], turn[i].rate)))
        for j, turning in b.turnings.items():
            columns[j] = plus(columns.get(j, 0), multiply(turning[i], turn[i].value))
    return Jet(value, columns, value, bias)


def _root(x: Jet) -> Jet:
    root = square_root(x.value)
    slope = multiply(Integer(1) / 2, reciprocal(root))
    return x.through(root, slope, multiply(negative(slope), multiply(Integer(1) / 2, reciprocal(x.value))))


def _reciprocal(x: Jet) -> Jet:
    value = reciprocal(x.value)
    square = multiply(value, value)
    return x.through(value, negative(square), multiply(2, multiply(value, square)))
