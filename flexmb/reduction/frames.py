"""Shapes in a body frame: the rigid part is removed, the rest is scaled to a largest value of one.

    start   no deflection, turn, stretch, twist at end A       end   none of them at end B
    chord   no deflection at either end; no stretch, twist at A
    mean    no linear and angular momentum about the axes of the component: int phi dm = 0, int x phi dm = 0 with all
            inertia of the beam (lumps, rotary inertia); a lump off the axis also moves in other components,
            whose momentum remains
Turn means the turn of the section, which in Timoshenko theory is not the slope of the centre line.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from flexmb.arrays import Floats
from flexmb.elements.beam_shapes import BENDING, BeamShape
from flexmb.errors import Fault
from flexmb.reduction.beam_matrices import BeamIntegrals

FRAMES = ("start", "end", "chord", "mean")

_VANISHES = 1e-9
"""A shape smaller than this part of its curve is a rigid motion of the frame."""
_PEAK = 0.9
"""Samples are dense enough that the largest peak shows at least this part of its value."""
_RISEN = 0.01
"""The sign of a shape is chosen where it first exceeds this part of its largest value."""


@dataclass(frozen=True)
class RigidCurve:
    """A rigid motion in one component: a translation (power 0) or a turn about end A (power 1)."""

    power: int

    def values(self, x: Floats) -> Floats:
        """(m, 4) value, slope, turn, curvature at x (m,) [m]."""
        one, zero = np.ones_like(x), np.zeros_like(x)
        return np.stack([x, one, one, zero] if self.power else [one, zero, zero, zero], axis=1)


def rigid_shapes(component: str) -> list[BeamShape]:
    """The rigid motions that a frame can remove from a shape of this component."""
    powers = (0, 1) if component in BENDING else (0,)
    return [BeamShape(component, f"{component} rigid", RigidCurve(power)) for power in powers]


def in_frame(shape: BeamShape, frame: str, length: float, integrals: BeamIntegrals) -> BeamShape:
    """The shape without its rigid part in this frame."""
    (value_a, _, turn_a, _), (value_b, _, turn_b, _) = shape.values([0.0, length])
    bends = shape.component in BENDING
    if frame == "mean":
        rigid = rigid_shapes(shape.component)
        part = np.linalg.solve(integrals.mass(rigid), integrals.mass(rigid, [shape]))[:, 0]
        offset, tilt = part[0], part[1] if bends else 0.0
    elif frame == "end":
        tilt = turn_b if bends else 0.0
        offset = value_b - tilt * length
    else:
        tilt = 0.0
        if bends:
            tilt = turn_a if frame == "start" else (value_b - value_a) / length
        offset = value_a
    return replace(shape, offset=shape.offset + float(offset), tilt=shape.tilt + float(tilt))


def normalised(shape: BeamShape, breaks: Floats) -> tuple[BeamShape, list[Fault]]:
    """The shape with largest |value| 1, positive where it first rises from end A; a fault if it vanishes."""
    x = np.unique(np.concatenate([np.linspace(breaks[0], breaks[-1], 1025), breaks]))
    value = shape.values(x)[:, 0]
    raw = np.abs(shape.factor * shape.curve.values(x)[:, 0]).max()
    largest = np.abs(value).max()
    if not largest > _VANISHES * raw:
        text = f"shape {shape.label} vanishes in this frame: it is a rigid motion"
        return shape, [Fault(text, (), "Use other supports or another frame.")]
    sign = np.sign(value[np.argmax(np.abs(value) >= _RISEN * largest)])
    return replace(shape, factor=float(sign * shape.factor / _peak(shape, x, np.abs(value)))), []


def _peak(shape: BeamShape, x: Floats, size: Floats) -> float:
    """Largest |value|, from samples `size` at x, by sampling ever finer around every peak that may be the largest."""
    bordered = np.pad(size, 1, constant_values=-1.0)
    is_peak = (size >= bordered[:-2]) & (size >= bordered[2:]) & (size >= _PEAK * size.max())
    number = np.flatnonzero(is_peak)
    low, high = x[np.maximum(number - 1, 0)], x[np.minimum(number + 1, x.size - 1)]
    for _ in range(4):  # each round narrows by 16: the value of a smooth peak is then found to round-off
        finer = np.linspace(low, high, 33, axis=1)
        values = np.abs(shape.values(finer.ravel())[:, 0]).reshape(finer.shape)
        best, row = np.argmax(values, axis=1), np.arange(number.size)
        low, high = finer[row, np.maximum(best - 1, 0)], finer[row, np.minimum(best + 1, 32)]
    return float(values.max())
