"""Teeth of two wheels, and of a rack and its pinion: the numbers of their rows (flexmb.equations.couplings)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.arrays import Floats
from flexmb.system.mechanism import Teeth
from flexmb.system.wheels import CLOSE, Centres, Unfit, Wheel


def _numbers(
    first: Wheel, second: Wheel, axes: Floats, is_rack: bool, radii: tuple[float, float], *rest: float
) -> tuple[float, ...]:
    """The record of a row of teeth; `axes`: x, y, z in the columns, world axes."""
    own = [(wheel.pose.T @ axes).ravel() for wheel in (first, second)]
    return (*own[0].tolist(), *own[1].tolist(), float(is_rack), *radii, *rest)


def mesh(centres: Centres, r_1: float, r_2: float, slope: float, helix_angle: float) -> Teeth:
    """Teeth of two wheels with pitch radii at the distance of their axes as designed; slope: radial over tangential
    force."""
    first, second = centres.wheels
    x, z = centres.towards, centres.axis
    total, cosine = r_1 + r_2, 1.0 / math.hypot(1.0, slope)
    base = abs(total) * cosine
    way = math.sqrt(max(total * total - base * base, 0.0)) - base * math.acos(min(cosine, 1.0))
    slant = math.copysign(1.0, total) / cosine if slope > 0.0 else 0.0
    height = float((second.centre - first.centre) @ z)
    numbers = _numbers(
        first, second, np.column_stack([x, np.cross(z, x), z]), False, (r_1, r_2),
        base, slant, way, math.tan(helix_angle), height, 0.0,
    )  # fmt: skip
    contact = first.centre + height * z + r_1 * math.copysign(1.0, total) * x
    return Teeth(first.marker, second.marker, numbers, contact)


@dataclass(frozen=True)
class RackAndPinion:
    """Teeth of a rack and its pinion."""

    teeth: Teeth
    radius: float
    sense: float
    """1: the rack slides along its axis when the pinion turns about its own."""
    axes: Floats
    """x along the rack, y away from the pinion, z along its axis, world axes."""


def rack_and_pinion(
    pinion: Wheel, rack: Wheel, radius: float | None, toward: Any, slope: float, helix_angle: float
) -> RackAndPinion:
    """Teeth of a rack; `toward`: direction from the axis of the pinion to it."""
    if abs(float(pinion.axis @ rack.axis)) > CLOSE:
        angle = 90.0 - math.degrees(math.acos(min(abs(float(pinion.axis @ rack.axis)), 1.0)))
        text = f"the rack '{rack.name}' does not slide at a right angle to the axis of '{pinion.name}'"
        raise Unfit(f"{text} ({angle:.3g} deg off)", "joints")
    z = pinion.axis
    across = np.cross(z, rack.axis)
    gap = float((rack.centre - pinion.centre) @ across)
    side = gap if toward is None else float(np.asarray(toward) @ across)
    if abs(side) < 1e-9:
        text = f"the line on which '{rack.name}' slides meets the axis of '{pinion.name}': its side is not known"
        raise Unfit(text, "joints", "Give toward = the direction from the pinion to the rack.")
    y = math.copysign(1.0, side) * across
    r = abs(gap) if radius is None else radius
    if r < 1e-9:
        raise Unfit("the radius of the pinion is zero", "radius", "Give radius.")
    height = float((pinion.centre - rack.centre) @ z)
    axes = np.column_stack([np.cross(y, z), y, z])
    slide = float((pinion.centre - rack.centre) @ axes[:, 0])
    offset = float((pinion.centre - rack.centre) @ y)
    numbers = _numbers(
        rack, pinion, axes, True, (0.0, r), 0.0, slope, offset, math.tan(helix_angle), height, slide
    )  # fmt: skip
    sense = math.copysign(1.0, float(rack.axis @ np.cross(z, y)))
    return RackAndPinion(Teeth(rack.marker, pinion.marker, numbers, pinion.centre + r * y), r, sense, axes)
