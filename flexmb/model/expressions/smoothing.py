"""Measured motions made smooth enough to be differentiated twice.

Enters: points (t_i, x_i) and a cut-off frequency f_c [Hz]; leaves: points on the quintic spline x(t) that minimises

    sum_i w_i (x_i - x(t_i))^2 + (2 pi f_c)^-6  integral (d^3 x / dt^3)^2 dt,

w_i the spacing of the points about t_i: the smoothing spline (Reinsch, Numer. Math. 10, 1967; de Boor, A Practical
Guide to Splines, ch. 14). Far from the ends it passes a frequency f with the factor 1 / (1 + (f / f_c)^6): a half at
f_c, 0.98 at f_c / 2, 0.9986 at f_c / 3; constant accelerations pass everywhere. Noise of amplitude a at any frequency
leaves accelerations of 0.53 (2 pi f_c)^2 a at most. The knots of the spline are the t_i, or some of them where they lie
closer than a 60th of 1 / f_c. It ends without jerk, which shows in the first and last 1 / (2 f_c) or so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from flexmb.arrays import Floats, Integers

Points = tuple[tuple[float, float], ...]
LEAST_POINTS = 7
FINE = 0.1  # rad of the cut-off frequency: knots closer than this give no better curve, only ill-conditioned equations
COARSE = 0.25  # rad of the cut-off frequency: points farther apart would not hold the curve between them


@dataclass(frozen=True)
class Smoothing:
    """A smoothed table and its changes."""

    points: Points
    """The curve [s, m or rad]."""
    rms: float
    """Root mean square of the changes at the given points [m or rad]."""
    largest: float
    """Largest change [m or rad]."""
    largest_at: float
    """Time of the largest change [s]."""


def smoothing_fault(points: Sequence[Sequence[float]], cutoff: float) -> str:
    """Reason why a table cannot be smoothed at this cut-off frequency [Hz]; empty when it can."""
    n = len(points)
    if n < LEAST_POINTS:
        return f"a table needs at least {LEAST_POINTS} points to be smoothed, found {n}"
    duration = points[-1][0] - points[0][0]
    least, most = 1.0 / duration, 0.5 * (n - 1) / duration
    if not least <= cutoff < most:
        return (
            f"the cut-off frequency {cutoff:g} Hz must be between {least:.4g} Hz (one period in the {duration:g} s of "
            f"the table) and {most:.4g} Hz (half the rate of its {n} points)"
        )
    return ""


@lru_cache(maxsize=64)
def smooth(points: Points, cutoff: float) -> Smoothing:
    """The points, smoothed at a cut-off frequency [Hz]. Raises ValueError when this is impossible."""
    fault = smoothing_fault(points, cutoff)
    if fault:
        raise ValueError(fault)
    t, x = np.array(points, dtype=np.float64).T
    speed = 2.0 * np.pi * cutoff
    phase = speed * (t - t[0])  # in which the weight of the jerk is 1
    knots = _thinned(phase)
    trend = np.polynomial.Polynomial.fit(phase, x, 2)  # has no jerk: taken out for the sake of round-off
    curve = penalised_spline(phase, x - trend(phase), knots, 3)
    change = np.abs(curve(phase) + trend(phase) - x)
    worst = int(np.argmax(change))
    parts = [np.linspace(a, b, int(np.ceil((b - a) / COARSE)), endpoint=False) for a, b in pairwise(knots)]
    places = np.append(np.concatenate(parts), knots[-1])
    times = np.append(t[0] + places[:-1] / speed, t[-1])
    pairs = tuple(zip(times.tolist(), (curve(places) + trend(places)).tolist(), strict=True))
    return Smoothing(pairs, float(np.sqrt(np.mean(change**2))), float(change[worst]), float(t[worst]))


def _thinned(phase: Floats) -> Floats:
    """The knots: all places, or as many as keep a distance of at least FINE."""
    kept = [0]
    while (following := int(np.searchsorted(phase, phase[kept[-1]] + FINE))) < len(phase):
        kept.append(following)
    if kept[-1] != len(phase) - 1:
        kept[len(kept) - (len(kept) > 2) :] = [len(phase) - 1]
    return np.asarray(phase[kept])


def penalised_spline(places: Floats, x: Floats, knots: Floats, order: int) -> Any:
    """The spline s of degree 2 order - 1 that minimises sum w (x - s)^2 + integral (order-th derivative of s)^2.

    places, x : (m,) points; w is the spacing of the places. knots : (k,) within which the places lie.
    """
    from scipy.interpolate import BSpline
    from scipy.linalg import solveh_banded

    degree, width = 2 * order - 1, np.diff(knots)
    ends = np.r_[[knots[0]] * degree, knots, [knots[-1]] * degree]
    n = len(knots) + degree - 1
    own = np.eye(degree + 1)[np.arange(n) % (degree + 1)]  # shapes that overlap have columns of their own
    shapes = BSpline(ends, own, degree)
    nodes, shares = np.polynomial.legendre.leggauss(order)
    inside = (knots[:-1, None] + 0.5 * width[:, None] * (1.0 + nodes)).ravel()
    weights = np.gradient(places)
    bands = np.zeros((degree + 1, n))
    for spline, at, weight in (
        (shapes, places, weights),
        (shapes.derivative(order), inside, (0.5 * width[:, None] * shares).ravel()),
    ):
        columns, values = _neighbours(spline, ends, at, degree)
        for i in range(degree + 1):
            for j in range(i, degree + 1):
                np.add.at(bands[degree - (j - i)], columns[:, j], weight * values[:, i] * values[:, j])
    columns, values = _neighbours(shapes, ends, places, degree)
    right = np.zeros(n)
    np.add.at(right, columns, (weights * x)[:, None] * values)
    return BSpline(ends, solveh_banded(bands, right), degree)


def _neighbours(spline: Any, ends: Floats, places: Floats, degree: int) -> tuple[Integers, Floats]:
    """(m, degree + 1) numbers of the shapes that do not vanish at the places, and their values (or derivatives)."""
    last = len(ends) - 2 * degree - 2
    first = np.clip(np.searchsorted(ends, places, side="right") - 1 - degree, 0, last)
    columns = first[:, None] + np.arange(degree + 1)
    return columns, np.take_along_axis(np.asarray(spline(places)), columns % (degree + 1), axis=1)
