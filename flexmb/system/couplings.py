"""Couplings of a placed mechanism: from what a model says to rows, sums of joint coordinates that are constant.

In: the checked couplings and the design position. Out: `PlacedCoupling`; faults of wheels that cannot mesh. Angles of
wheels are counted about one common axis and relative to the line of centres: with psi its angle and th those of the
wheels,

    wheels  r_1 (th_1 - psi) + r_2 (th_2 - psi) = 0, r_2 negative for internal teeth     belt  r_1 ... - r_2 ... = 0
    rack    r th - x = 0       screw  (lead / 2 pi) th - x = 0       differential  2 th_c - th_l - th_r = 0
    planetary train without planets  th_s + (z_r / z_s) th_r - (1 + z_r / z_s) th_c = 0   (Willis)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from flexmb.errors import Fault, InputError
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.system.mechanism import CoupledCoordinate, CoupledRow, Mechanism, PlacedCoupling
from flexmb.system.wheel_teeth import mesh, rack_and_pinion
from flexmb.system.wheels import Form, Unfit, Wheel, WheelMaker, combined, line_of_centres

CLOSE = 1e-6
"""Largest misfit of an axis or a distance, as a part of the distance."""


def place_couplings(spec: ModelSpec, mechanism: Mechanism) -> list[PlacedCoupling]:
    """All couplings of a model; raises InputError with those that do not fit."""
    found, faults = [], []
    for name, coupling in spec.couplings.items():
        try:
            rows = _ROWS[coupling.type](_Placing(spec, mechanism), coupling)
        except Unfit as unfit:
            path = ("couplings", name, *((unfit.key,) if unfit.key else ()))
            faults.append(Fault(f"coupling '{name}': {unfit.text}", path, unfit.hint))
            continue
        found.append(PlacedCoupling(name, coupling.type, tuple(rows)))
    if faults:
        raise InputError(faults)
    return found


class _Placing:
    """One coupling on its way to rows."""

    def __init__(self, spec: ModelSpec, mechanism: Mechanism):
        self.spec, self.mechanism = spec, mechanism
        self.wheels = WheelMaker(mechanism)

    def row(self, text: str, form: Form, unit: str, effort_unit: str) -> CoupledRow:
        """A row of a form: coefficients by joint."""
        coordinates = tuple(self.coordinate(joint, c) for joint, c in form.items() if c != 0.0)
        if len(coordinates) < 2:
            raise Unfit("it couples fewer than two joint coordinates: nothing else would move", "joints")
        return CoupledRow(text, coordinates, unit, effort_unit)

    def coordinate(self, joint: int, coefficient: float) -> CoupledCoordinate:
        """The only angle or slide of a joint with a coefficient."""
        placed = self.mechanism.joints[joint]
        names = [name for name in placed.type.coordinates if placed.type.kind_of(name) == self.wheels.kinds[joint]]
        return CoupledCoordinate(joint, names[0], coefficient)


def _coordinates(placing: _Placing, coupling: Any) -> list[CoupledRow]:
    """Rows of coordinates and coefficients as given."""
    places = [placing.spec.split_coordinate(text) for text in coupling.joints]
    mechanism, made = placing.mechanism, []
    for (joint, name), factor in zip(places, coupling.coefficients, strict=True):
        made.append(CoupledCoordinate(mechanism.joint_index[joint], name, factor))
    first_joint, first_name = places[0]
    is_length = placing.spec.joints[first_joint].kind.kind_of(first_name) == "length"
    text = " + ".join(f"{one.coefficient:g} {joint}.{name}" for (joint, name), one in zip(places, made, strict=True))
    units = ("m", "N") if is_length else ("rad", "N*m")
    return [CoupledRow(text.replace("+ -", "- "), tuple(made), *units, coupling.offset)]


def _radii(coupling: Any, distance: float) -> tuple[float, float]:
    """Pitch radii of two wheels; the second is negative for internal teeth."""
    sign = -1.0 if coupling.internal else 1.0
    if coupling.radii is not None:
        r_1, r_2 = coupling.radii[0], sign * coupling.radii[1]
        if abs(abs(r_1 + r_2) - distance) > CLOSE * distance:
            text = f"the axes are {distance:.9g} m apart, but wheels with pitch radii of {r_1:g} and {abs(r_2):g} m "
            hint = "Give teeth or ratio; the radii follow from the axes."
            raise Unfit(f"{text}mesh at {abs(r_1 + r_2):.9g} m", "radii", hint)
    else:
        ratio = sign * (coupling.ratio if coupling.ratio is not None else coupling.teeth[1] / coupling.teeth[0])
        if ratio == -1.0:
            raise Unfit("a ring as large as its pinion cannot mesh with it", "internal")
        r_1 = distance / abs(1.0 + ratio)
        r_2 = ratio * r_1
    if sign < 0.0 and -r_2 <= r_1:
        raise Unfit(
            f"the ring ({-r_2:g} m) is not larger than its pinion ({r_1:g} m)", "internal", "List the pinion first."
        )
    return r_1, r_2


def _gear(placing: _Placing, coupling: Any) -> list[CoupledRow]:
    first, second = (placing.wheels.wheel(name) for name in coupling.joints)
    if coupling.markers is not None:
        first, second = (
            placing.wheels.moved(wheel, marker) for wheel, marker in zip((first, second), coupling.markers, strict=True)
        )
    return [_meshing(placing, coupling, first, second, lambda distance: _radii(coupling, distance), coupling.carrier)]


def _meshing(
    placing: _Placing,
    coupling: Any,
    first: Wheel,
    second: Wheel,
    radii: Callable[[float], tuple[float, float]],
    carrier: str | None = None,
) -> CoupledRow:
    """The row of two wheels whose teeth mesh."""
    centres = line_of_centres(placing.wheels, first, second, carrier)
    r_1, r_2 = radii(centres.distance)
    form = combined((r_1, centres.first), (r_2, centres.second), (-r_1 - r_2, centres.psi))
    row = placing.row(f"teeth of {first.name} and {second.name}", form, "m", "N")
    teeth = mesh(centres, r_1, r_2, coupling.slope, coupling.helix_angle)
    beta, chi = (
        combined((1.0, centres.psi), (-1.0, centres.first)),
        combined((1.0, centres.second), (-1.0, centres.first)),
    )
    circles = (first.circle(abs(r_1)), second.circle(abs(r_2)))
    return replace(row, coordinates=_with_parts(placing, row, beta, chi), teeth=teeth, circles=circles)


def _with_parts(placing: _Placing, row: CoupledRow, beta: Form, chi: Form) -> tuple[CoupledCoordinate, ...]:
    """Coordinates of a row of teeth with their parts in the two angles; those that count turns only come last."""
    own = {one.joint: one for one in row.coordinates}
    for joint in {**beta, **chi}:
        own.setdefault(joint, placing.coordinate(joint, 0.0))
    return tuple(replace(one, beta=beta.get(joint, 0.0), chi=chi.get(joint, 0.0)) for joint, one in own.items())


def _rack(placing: _Placing, coupling: Any) -> list[CoupledRow]:
    pinion, rack = placing.wheels.wheel(coupling.joints[0]), placing.wheels.slider(coupling.joints[1])
    if pinion.support != rack.support:
        names = [placing.wheels.body_name(wheel.support) for wheel in (pinion, rack)]
        raise Unfit(f"the pinion is supported by '{names[0]}' and the rack by '{names[1]}': give one support", "joints")
    found = rack_and_pinion(pinion, rack, coupling.radius, coupling.toward, coupling.slope, coupling.helix_angle)
    form = combined((found.radius, pinion.form), (-found.sense, rack.form))
    row = placing.row(f"teeth of {pinion.name} and {rack.name}", form, "m", "N")
    circles = (pinion.circle(found.radius), rack.circle(0.0, found.axes))
    parts = _with_parts(placing, row, {}, pinion.form)
    return [replace(row, coordinates=parts, teeth=found.teeth, circles=circles)]


def _belt(placing: _Placing, coupling: Any) -> list[CoupledRow]:
    first, second = (placing.wheels.wheel(name) for name in coupling.joints)
    centres = line_of_centres(placing.wheels, first, second, coupling.carrier)
    if coupling.radii is not None:
        r_1, r_2 = coupling.radii
        units = ("m", "N")
        if r_1 + r_2 > centres.distance * (1.0 + CLOSE):
            text = f"the axes are {centres.distance:.6g} m apart, too near for pulleys of {r_1:g} and {r_2:g} m"
            raise Unfit(text, "radii")
    else:
        r_1, r_2 = 1.0, coupling.ratio if coupling.ratio is not None else coupling.teeth[1] / coupling.teeth[0]
        units = ("rad", "N*m")
    r_2 = r_2 if coupling.crossed else -r_2
    form = combined((r_1, centres.first), (r_2, centres.second), (-r_1 - r_2, centres.psi))
    row = placing.row(f"{first.name} and {second.name}", form, *units)
    if coupling.radii is None:
        return [row]
    return [replace(row, circles=tuple(w.circle(r) for w, r in zip((first, second), coupling.radii, strict=True)))]


def _screw(placing: _Placing, coupling: Any) -> list[CoupledRow]:
    screw, nut = placing.wheels.wheel(coupling.joints[0]), placing.wheels.slider(coupling.joints[1])
    way = float(screw.axis @ nut.axis)
    if abs(abs(way) - 1.0) > CLOSE:
        angle = math.degrees(math.acos(min(abs(way), 1.0)))
        raise Unfit(f"the slide is not along the axis of the screw, but {angle:.3g} deg from it", "joints")
    form = combined((coupling.lead / math.tau, screw.form), (-math.copysign(1.0, way), nut.form))
    return [placing.row(f"{screw.name} and {nut.name}", form, "m", "N")]


def _differential(placing: _Placing, coupling: Any) -> list[CoupledRow]:
    carrier = placing.wheels.wheel(coupling.carrier)
    left, right = (placing.wheels.turning(name, carrier) for name in coupling.sides)
    form = combined((2.0, carrier.form), (-1.0, left), (-1.0, right))
    text = f"{coupling.carrier} between {coupling.sides[0]} and {coupling.sides[1]}"
    return [placing.row(text, form, "rad", "N*m")]


def _planetary(placing: _Placing, coupling: Any) -> list[CoupledRow]:
    carrier = placing.wheels.wheel(coupling.carrier)
    if not coupling.planets:
        ratio = coupling.ratio if coupling.ratio is not None else coupling.teeth[-1] / coupling.teeth[0]
        parts = [(1.0, placing.wheels.turning(coupling.sun, carrier)), (-1.0 - ratio, carrier.form)]
        if coupling.ring is not None:
            parts.append((ratio, placing.wheels.turning(coupling.ring, carrier)))
        return [placing.row(f"sun, carrier and ring of {coupling.sun}", combined(*parts), "rad", "N*m")]
    sun, rows = placing.wheels.wheel(coupling.sun), []
    ring = placing.wheels.wheel(coupling.ring) if coupling.ring is not None else placing.wheels.support(carrier)
    z_s, z_p, z_r = coupling.teeth

    def outside(distance: float) -> tuple[float, float]:
        return distance * z_s / (z_s + z_p), distance * z_p / (z_s + z_p)

    def inside(distance: float) -> tuple[float, float]:
        return distance * z_p / (z_r - z_p), -distance * z_r / (z_r - z_p)

    for name in coupling.planets:
        planet = placing.wheels.wheel(name)
        rows.append(_meshing(placing, coupling, sun, planet, outside))
        rows.append(_meshing(placing, coupling, planet, ring, inside))
    return rows


_ROWS: dict[str, Callable[[_Placing, Any], list[CoupledRow]]] = {
    "coupling": _coordinates,
    "gear": _gear,
    "rack": _rack,
    "belt": _belt,
    "chain": _belt,
    "screw": _screw,
    "differential": _differential,
    "planetary": _planetary,
}
