"""Wheels of couplings in the design position: axis, centre, support, and angle as a sum of joint coordinates.

The wheel of a joint is its second body, unless that is ground. Bodies that fixed joints connect count as one support.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from flexmb.arrays import Floats
from flexmb.errors import CarriedError
from flexmb.system.mechanism import Mechanism, PitchCircle, PlacedJoint

Form = dict[int, float]
"""Joint -> coefficient of its angle or slide."""
TURNING, SLIDING = ("revolute", "cylindrical"), ("prismatic", "cylindrical")
"""Joints whose angle, or slide, a coupling with a geometry takes."""
CLOSE = 1e-6
"""Largest misfit of an axis, as a part of the distance."""


class Unfit(CarriedError):
    """A coupling that its joints do not allow."""

    def __init__(self, text: str, key: str = "", hint: str = ""):
        super().__init__(text)
        self.text, self.key, self.hint = text, key, hint


def combined(*parts: tuple[float, Form]) -> Form:
    """Sum of factors times forms."""
    total: Form = {}
    for factor, form in parts:
        for joint, coefficient in form.items():
            total[joint] = total.get(joint, 0.0) + factor * coefficient
    return {joint: 0.0 if abs(c) < 1e-14 * max(abs(f) for f, _ in parts) else c for joint, c in total.items()}


@dataclass(frozen=True)
class Wheel:
    """A wheel, or a body that slides."""

    name: str
    body: int
    support: int
    marker: int
    """On the wheel, at its centre."""
    axis: Floats
    """World axes; about it the angle, along it the slide is positive."""
    centre: Floats
    form: Form
    """Its angle or slide relative to its support."""
    pose: Floats
    """Orientation of the marker, world axes."""

    def circle(self, radius: float, axes: Floats | None = None) -> PitchCircle:
        """Its pitch circle; of a rack the pitch line, with its axes in world axes."""
        if axes is None:
            x = np.eye(3)[int(np.argmin(np.abs(self.axis)))]
            x = _across(x, self.axis) / np.linalg.norm(_across(x, self.axis))
            axes = np.column_stack([x, np.cross(self.axis, x), self.axis])
        return PitchCircle(self.marker, self.pose.T @ axes, radius)


@dataclass(frozen=True)
class Centres:
    """Two wheels, seen along the axis of the first; angles relative to the support of the first."""

    wheels: tuple[Wheel, Wheel]
    axis: Floats
    towards: Floats
    """From the first axis to the second, unit vector."""
    distance: float
    psi: Form
    """Angle of the line of centres."""
    first: Form
    second: Form


class WheelMaker:
    """Finds the wheels of joints."""

    def __init__(self, mechanism: Mechanism):
        self.mechanism = mechanism
        self.kinds: dict[int, str] = {}
        """Joint -> kind of the coordinate that is coupled."""
        self.group = list(range(len(mechanism.bodies)))
        for joint in mechanism.joints:
            if joint.type.name == "fixed":
                one, other = sorted(self.group[body] for body in self._bodies(joint))
                self.group = [one if number == other else number for number in self.group]

    def _bodies(self, joint: PlacedJoint) -> tuple[int, int]:
        markers = self.mechanism.markers
        return markers[joint.first].body, markers[joint.second].body

    def body_name(self, body: int) -> str:
        """Name of a body."""
        return self.mechanism.bodies[body].name

    def wheel(self, name: str) -> Wheel:
        """The wheel that turns in a joint."""
        return self._found(name, "angle")

    def slider(self, name: str) -> Wheel:
        """The body that slides in a joint."""
        return self._found(name, "length")

    def _found(self, name: str, kind: str) -> Wheel:
        number = self.mechanism.joint_index[name]
        joint = self.mechanism.joints[number]
        first, second = self._bodies(joint)
        is_second = second != 0
        marker = joint.second if is_second else joint.first
        body, support = (second, first) if is_second else (first, second)
        axis = self.mechanism.world_pose(joint.first)[0][:, 2]
        pose, centre = self.mechanism.world_pose(marker)
        self.kinds[number] = kind
        form = {} if joint.type.name == "fixed" else {number: 1.0 if is_second else -1.0}
        return Wheel(self.body_name(body), body, self.group[support], marker, axis, centre, form, pose)

    def moved(self, wheel: Wheel, reference: str) -> Wheel:
        """The wheel with its centre at another marker, which is fixed to it."""
        marker = self.mechanism.marker_index[reference]
        body = self.mechanism.markers[marker].body
        if self.group[body] != self.group[wheel.body]:
            raise Unfit(f"marker '{reference}' is not on the wheel '{wheel.name}'", "markers")
        pose, centre = self.mechanism.world_pose(marker)
        off = _across(centre - wheel.centre, wheel.axis)
        if np.linalg.norm(off) > CLOSE * max(float(np.linalg.norm(centre - wheel.centre)), 1e-3):
            text = f"marker '{reference}' is {np.linalg.norm(off):.3g} m away from the axis of its wheel"
            raise Unfit(text, "markers")
        return replace(wheel, marker=marker, pose=pose, centre=centre)

    def support(self, wheel: Wheel) -> Wheel:
        """The body that carries a wheel, itself as a wheel that does not turn."""
        joint = self.mechanism.joints[next(iter(wheel.form))]
        marker = joint.first if joint.second == wheel.marker else joint.second
        pose, centre = self.mechanism.world_pose(marker)
        body = self.mechanism.markers[marker].body
        name = self.body_name(body)
        return Wheel(name, body, self.group[body], marker, wheel.axis, centre, {}, pose)

    def turning(self, name: str, carrier: Wheel) -> Form:
        """Angle of a wheel that is coaxial with a carrier, relative to what supports the carrier."""
        wheel = self.wheel(name)
        way = float(wheel.axis @ carrier.axis)
        off = float(np.linalg.norm(_across(wheel.centre - carrier.centre, carrier.axis)))
        reach = max(float(np.linalg.norm(wheel.centre - carrier.centre)), 1e-3)
        if wheel.form and (abs(abs(way) - 1.0) > CLOSE or off > CLOSE * reach):
            raise Unfit(f"the axis of joint '{name}' is not that of its carrier")
        form = combined((np.copysign(1.0, way), wheel.form))
        if wheel.support == carrier.support:
            return form
        if wheel.support == self.group[carrier.body]:
            return combined((1.0, form), (1.0, carrier.form))
        supports = [self.body_name(body) for body in (wheel.support, carrier.support)]
        raise Unfit(f"joint '{name}' is supported by '{supports[0]}', its carrier by '{supports[1]}'")

    def between(self, first: int, second: int, carrier: str | None) -> tuple[int, float] | None:
        """The joint in which the second support turns relative to the first, and its sign."""
        for number, joint in enumerate(self.mechanism.joints):
            ends = tuple(self.group[body] for body in self._bodies(joint))
            wanted = joint.name == carrier if carrier is not None else joint.type.name in TURNING
            if wanted and set(ends) == {first, second}:
                self.kinds[number] = "angle"
                return number, 1.0 if ends == (first, second) else -1.0
        return None


def _across(vector: Floats, axis: Floats) -> Floats:
    """The part of a vector at right angles to an axis."""
    return np.asarray(vector - (vector @ axis) * axis)


def line_of_centres(maker: WheelMaker, first: Wheel, second: Wheel, carrier: str | None) -> Centres:
    """Two wheels on parallel axes, with their angles and that of the line of centres."""
    axis = first.axis if first.form else second.axis
    if first.form and second.form and np.linalg.norm(np.cross(first.axis, second.axis)) > CLOSE:
        cosine = min(abs(float(first.axis @ second.axis)), 1.0)
        text = (
            f"the axes of '{first.name}' and '{second.name}' are not parallel ({np.degrees(np.arccos(cosine)):.3g} deg)"
        )
        hint = 'Use type = "coupling" with coefficients for bevel or worm gears: their teeth then load no bearing.'
        raise Unfit(text, "joints", hint)
    if first.body == second.body:
        raise Unfit(f"both joints turn the same body '{first.name}'", "joints")
    gap = _across(second.centre - first.centre, axis)
    distance = float(np.linalg.norm(gap))
    if distance <= 1e-9 * max(float(np.linalg.norm(second.centre - first.centre)), 1e-3):
        text = f"'{first.name}' and '{second.name}' turn about the same axis: their distance is zero"
        raise Unfit(text, "joints", 'Use type = "coupling" for joints about one axis.')
    turns = [combined((1.0 if wheel.axis @ axis > 0.0 else -1.0, wheel.form)) for wheel in (first, second)]
    psi: Form = {}
    if first.support != second.support:
        found = maker.between(first.support, second.support, carrier)
        supports = [maker.body_name(wheel.support) for wheel in (first, second)]
        if found is None:
            both = f"'{supports[0]}' and '{supports[1]}'"
            text = f"no joint about one of the axes connects the supports {both} of the two wheels"
            raise Unfit(text, "carrier", "Give carrier = the joint between them, or use one support.")
        number, sign = found
        joint = maker.mechanism.joints[number]
        R, place = maker.mechanism.world_pose(joint.first)
        turn = {number: sign * (1.0 if R[:, 2] @ axis > 0.0 else -1.0)}
        off = [float(np.linalg.norm(_across(place - wheel.centre, axis))) for wheel in (first, second)]
        if np.linalg.norm(np.cross(R[:, 2], axis)) > CLOSE or min(off) > CLOSE * distance:
            text = f"joint '{joint.name}' between the supports turns about neither axis of the wheels"
            raise Unfit(text, "carrier")
        psi = turn if off[0] < off[1] else {}
        turns[1] = combined((1.0, turns[1]), (1.0, turn))
    return Centres((first, second), axis, gap / distance, distance, psi, turns[0], turns[1])
