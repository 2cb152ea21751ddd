"""Closed-form modes of uniform beams and rods for any pair of end supports.

Bending, Euler-Bernoulli, without rotary inertia: omega_j = (b_j/L)^2 sqrt(EI/(rho A)), where b_j are the positive roots
of the characteristic equation of the supports. Divided by cosh b the equations are bounded, so that a few Newton steps
from the asymptotic root converge for any mode number. The mode is the null vector of the four end conditions in the
functions of `WaveCurve`. Rigid-body modes (b = 0) are left out: they belong to the body frame.
Source: any textbook of vibrations, e.g. R. D. Blevins, Formulas for Natural Frequency and Mode Shape, table 8-1.
"""

from __future__ import annotations

import math

import numpy as np

from flexmb.elements.beam_shapes import WaveCurve

ENDS = ("clamped", "pinned", "free", "guided")
"""Held: value and slope; value; none; slope."""
SUPPORTS = tuple(f"{left}-{right}" for left in ENDS for right in ENDS)

_HELD = {"clamped": (0, 1), "pinned": (0, 2), "free": (2, 3), "guided": (1, 3)}
"""Derivatives that are zero at an end."""


def held(supports: str) -> list[tuple[bool, bool]]:
    """Whether the deflection is held and whether the turn is held, for end A and end B."""
    return [(0 in _HELD[end], 1 in _HELD[end]) for end in supports.split("-")]


def beam_roots(supports: str, count: int) -> list[float]:
    """The first `count` positive roots b = k L of the beam with these supports."""
    ends = set(supports.split("-"))
    numbers = range(1, count + 1)
    if ends in ({"pinned"}, {"guided"}):
        return [j * math.pi for j in numbers]  # sin b = 0
    if ends == {"pinned", "guided"}:
        return [(j - 0.5) * math.pi for j in numbers]  # cos b = 0
    if ends in ({"clamped"}, {"free"}):
        return [_root_of_cosine((j + 0.5) * math.pi, 1.0) for j in numbers]  # cos b = 1/cosh b
    if ends == {"clamped", "free"}:
        return [_root_of_cosine((j - 0.5) * math.pi, -1.0) for j in numbers]  # cos b = -1/cosh b
    if "pinned" in ends:
        return [_root_of_tangent((j + 0.25) * math.pi, 1.0) for j in numbers]  # tan b = tanh b
    return [_root_of_tangent((j - 0.25) * math.pi, -1.0) for j in numbers]  # tan b = -tanh b


def beam_modes(supports: str, count: int, length: float) -> list[WaveCurve]:
    """The first `count` elastic bending modes of a uniform beam of this length [m]."""
    return [
        WaveCurve(length, root / length, _end_conditions_met(supports, root), bends=True)
        for root in beam_roots(supports, count)
    ]


def rod_modes(held_end: str | None, count: int, length: float) -> list[WaveCurve]:
    """The first `count` elastic stretch or twist modes of a uniform rod held at end "A", "B" or nowhere."""
    curves = []
    for j in range(1, count + 1):
        root = j * math.pi if held_end is None else (j - 0.5) * math.pi
        # held at B: sin(k (L - x)) = (-1)^(j+1) cos(k x) since cos(k L) = 0
        waves = (0.0, 1.0, 0.0, 0.0) if held_end == "A" else (1.0, 0.0, 0.0, 0.0)
        curves.append(WaveCurve(length, root / length, waves, bends=False))
    return curves


def _root_of_cosine(start: float, sign: float) -> float:
    """Root of cos b = sign/cosh b near `start`."""
    b = start
    for _ in range(20):
        e = math.exp(-b)
        sech = 2.0 * e / (1.0 + e * e)
        tanh = math.tanh(b)
        step = (math.cos(b) - sign * sech) / (-math.sin(b) + sign * sech * tanh)
        b -= step
        if abs(step) <= 1e-15 * b:
            break
    return b


def _root_of_tangent(start: float, sign: float) -> float:
    """Root of sin b = sign tanh b cos b near `start`."""
    b = start
    for _ in range(20):
        tanh = math.tanh(b)
        sine, cosine = math.sin(b), math.cos(b)
        step = (sine - sign * tanh * cosine) / (cosine + sign * (tanh * sine - (1.0 - tanh * tanh) * cosine))
        b -= step
        if abs(step) <= 1e-15 * b:
            break
    return b


def _end_conditions_met(supports: str, b: float) -> tuple[float, float, float, float]:
    """Coefficients of `WaveCurve` for k L = b: the null vector of the four end conditions."""
    cosine, sine, decayed = math.cos(b), math.sin(b), math.exp(-b)
    rows = []
    for end, (c, s, left, right) in zip(
        supports.split("-"), ((1.0, 0.0, 1.0, decayed), (cosine, sine, decayed, 1.0)), strict=True
    ):
        derivatives = [(c, s, left, right), (-s, c, -left, right), (-c, -s, left, right), (s, -c, -left, right)]
        rows += [derivatives[order] for order in _HELD[end]]
    null = np.linalg.svd(np.array(rows))[2][-1]
    null[np.abs(null) < 1e-13] = 0.0  # round-off of waves that this beam does not have, e.g. all but sin between pins
    a, b_, c_, d = (float(value) for value in null / np.abs(null).max())
    return a, b_, c_, d
