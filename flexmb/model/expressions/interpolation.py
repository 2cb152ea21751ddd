"""Curves through the points of a motion: twice continuously differentiable, and true to the shape of the points.

Enters: points (x_i, y_i), x increasing; leaves: slope m_i and second derivative c_i at every point, which the quintic
of Hermite joins from point to point: velocities and accelerations are continuous.

"spline" is the cubic spline (not-a-knot). It rings beside a sudden change: through (0, 0), (0.5, 0), (0.501, 1), (1, 1)
it swings to 193. "monotone" is the same spline, held where it would turn between two points: there the slope m_i is the
limited harmonic mean of its two chords [Fritsch & Butland 1984], zero at a peak, the spline is solved again on both
sides with these slopes, and c_i is the smaller of the two second derivatives at such a point, or zero when their signs
differ. So between two points the curve only rises or only falls, as they do, and two equal points are joined by a level
line. With slopes of at most twice the chord and c = 0 the quintic never turns: its derivative has the Bernstein
coefficients m_0, m_0, 5 - 2 (m_0 + m_1), m_1, m_1 (chord 1), and

    6 (5 - 2 (m_0 + m_1)) + 2 sqrt(m_0 m_1) + 8 sqrt(m_0 m_1) >= 0  for 0 <= m <= 2,

hence second derivatives are halved until no piece turns. A table that the spline joins without turning keeps the spline
to the last digit. A peak may rise above its points only where they show a smooth one: the four second differences
around it have one sign and sizes within a factor of four (some ten points per period of a sine).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from flexmb.arrays import Flags, Floats

Points = tuple[tuple[float, float], ...]
STEEPEST = 2.0  # largest held slope, in chords
SIMILAR = 0.25  # least ratio of the second differences around a smooth peak
ROUNDING = 1e-12  # of the range of the values: turning back by less is round-off of the spline
DECIDED = 45  # halvings after which a quartic that only touches zero is within round-off of it


@dataclass(frozen=True)
class Overshoot:
    """Largest departure of a curve from the range of the two points that it joins, smooth peaks left out."""

    size: float
    """Largest distance from the range of the two points, in the unit of the values."""
    at: float
    """Its place x."""
    share: float
    """`size` against the range of all values."""


@lru_cache(maxsize=64)
def pieces(points: Points, form: str) -> tuple[tuple[float, ...], ...]:
    """Coefficients (c0 .. c5) of s = x - x_i of every piece; form: "spline" or "monotone"."""
    x, y = np.array(points, dtype=np.float64).T
    cubic = _cubic_pieces(x, y)
    if form == "spline" or not np.any(_turns(x, y, cubic)):
        return tuple(tuple(row) for row in cubic.tolist())
    return tuple(tuple(row) for row in _held(x, y, cubic).tolist())


def overshoot(points: Points, form: str) -> Overshoot:
    """Largest overshoot of a table's curve."""
    x, y = np.array(points, dtype=np.float64).T
    found = np.array(pieces(points, form))
    outside = np.zeros(len(found))
    places = x[:-1].copy()
    for i in np.flatnonzero(_turns(x, y, found)):
        s, values = _extremes(found[i], x[i + 1] - x[i])
        excess = np.maximum(values - max(y[i], y[i + 1]), min(y[i], y[i + 1]) - values)
        outside[i], places[i] = excess.max(), x[i] + s[excess.argmax()]
    worst = int(outside.argmax())
    size, span = float(outside[worst]), float(np.ptp(y))
    return Overshoot(size, float(places[worst]), size / span if span else 0.0)


def _cubic_pieces(x: Floats, y: Floats) -> Floats:
    """(n - 1, 6) coefficients of the cubic spline; of a parabola or a line through 3 or 2 points."""
    from scipy.interpolate import CubicSpline

    found = np.zeros((len(x) - 1, 6))
    found[:, :4] = CubicSpline(x, y, bc_type="not-a-knot").c[::-1].T
    return found


def _turns(x: Floats, y: Floats, found: Floats) -> Flags:
    """Pieces that do not only rise or only fall as their two points do, smooth peaks excepted."""
    h, step = np.diff(x), np.diff(y)
    powers = np.arange(1, 6)
    rate = (found[:, 1:] * powers * h[:, None] ** powers) @ _TO_BERNSTEIN.T  # h dy/dx
    tolerance = ROUNDING * float(np.ptp(y))
    turns = _is_negative(np.where(step[:, None] >= 0.0, rate, -rate), tolerance)
    turns |= (step == 0.0) & (np.abs(rate).max(axis=1) > tolerance)
    return np.asarray(turns & ~_smooth_peaks(x, y, found))


_TO_BERNSTEIN = np.array(
    [[1, 0, 0, 0, 0], [1, 1 / 4, 0, 0, 0], [1, 1 / 2, 1 / 6, 0, 0], [1, 3 / 4, 1 / 2, 1 / 4, 0], [1, 1, 1, 1, 1]]
)
"""Bernstein coefficients of a quartic on [0, 1] from those of its powers; its values are between their extremes."""


def _is_negative(rates: Floats, tolerance: float) -> Flags:
    """Quartics (n, 5) by Bernstein coefficients that fall below -tolerance on [0, 1]; halved until this is decided."""
    negative = np.zeros(len(rates), dtype=bool)
    owner = np.arange(len(rates))
    for _ in range(DECIDED):
        negative[owner[np.minimum(rates[:, 0], rates[:, -1]) < -tolerance]] = True
        open_ = (rates.min(axis=1) < -tolerance) & ~negative[owner]
        if not np.any(open_):
            return negative
        rates, owner = rates[open_], owner[open_]
        left, right, row = [rates[:, 0]], [rates[:, -1]], rates
        while row.shape[1] > 1:  # de Casteljau
            row = 0.5 * (row[:, 1:] + row[:, :-1])
            left.append(row[:, 0])
            right.append(row[:, -1])
        rates = np.concatenate([np.column_stack(left), np.column_stack(right[::-1])])
        owner = np.concatenate([owner, owner])
    return negative


def _extremes(piece: Floats, h: float) -> tuple[Floats, Floats]:
    """Places s and values of the ends and the turning points of a piece."""
    rate = np.trim_zeros(piece[1:] * np.arange(1, 6) * h ** np.arange(1, 6), "b")
    roots = np.polynomial.polynomial.polyroots(rate) if len(rate) > 1 else np.empty(0)
    s = roots.real[np.abs(roots.imag) < 1e-7]
    s = h * np.append(s[(s > 0.0) & (s < 1.0)], (0.0, 1.0))
    return s, np.asarray(np.polynomial.polynomial.polyval(s, piece), dtype=np.float64)


def _smooth_peaks(x: Floats, y: Floats, found: Floats) -> Flags:
    """Pieces beside a peak that the points resolve, with no more bow than twice what the second differences give."""
    h = np.diff(x)
    chord = np.diff(y) / h
    smooth = np.zeros(len(h), dtype=bool)
    if len(h) < 5:
        return smooth
    bend = 2.0 * np.diff(chord) / (h[1:] + h[:-1])  # at x_1 ... x_{n-2}
    around = np.lib.stride_tricks.sliding_window_view(bend, 4)  # of piece i: at x_{i-1} ... x_{i+2}
    least, most = np.abs(around).min(axis=1), np.abs(around).max(axis=1)
    alike = (np.abs(np.sign(around).sum(axis=1)) == 4) & (least >= SIMILAR * most)
    at_peak = chord[1:-3] * chord[3:-1] < 0.0
    middle = 0.5 * h[2:-2, None]
    bow = np.abs((found[2:-2] * middle ** np.arange(6)).sum(axis=1) - 0.5 * (y[2:-3] + y[3:-2]))
    smooth[2:-2] = alike & at_peak & (bow <= 2.0 * most * h[2:-2] ** 2 / 8.0)
    return smooth


def _held(x: Floats, y: Floats, cubic: Floats) -> Floats:
    """Pieces of the spline held at points where it would turn."""
    h, few = np.diff(x), len(x) < 4  # not-a-knot needs four points
    held = np.full(len(x), few)
    slope = limited = _limited_slopes(h, np.diff(y) / h)
    bend = _second_derivatives(h, y, slope)
    found = _quintics(h, y, slope, bend) if few else cubic
    while np.any(turning := _turns(x, y, found)):
        loose = turning & ~(held[:-1] & held[1:])
        if np.any(loose):
            _hold(held, loose, found, h)
            slope = _slopes(x, y, np.where(held, limited, np.nan))
            bend = _second_derivatives(h, y, slope)
        else:
            ends = np.append(turning, False) | np.append(False, turning)
            if not np.any(bend[ends]):
                return found  # turns by round-off only
            bend[ends] = np.where(np.abs(bend[ends]) > 1e-9 * np.abs(bend).max(), 0.5 * bend[ends], 0.0)
        found = _quintics(h, y, slope, bend)
    return found


def _hold(held: Flags, turning: Flags, found: Floats, h: Floats) -> None:
    """Hold the ends of turning pieces that are too steep or slope the wrong way; both ends when neither is to blame."""
    powers = np.arange(1, 6)
    rise = (found[:, 1:] * h[:, None] ** powers).sum(axis=1)
    slopes = h[:, None] * np.column_stack(
        [found[:, 1], (found[:, 1:] * powers * h[:, None] ** (powers - 1)).sum(axis=1)]
    )
    wrong = (slopes * np.sign(rise)[:, None] < 0.0) | (np.abs(slopes) > STEEPEST * np.abs(rise)[:, None])
    wrong &= ~np.column_stack([held[:-1], held[1:]])
    wrong[~wrong.any(axis=1)] = True
    held[:-1] |= wrong[:, 0] & turning
    held[1:] |= wrong[:, 1] & turning
    held[0] |= held[1]  # the not-a-knot end has no meaning beside a held point
    held[-1] |= held[-2]


def _limited_slopes(h: Floats, chord: Floats) -> Floats:
    """Slopes that a monotone curve may have [Fritsch & Butland 1984, as in scipy's PCHIP], at most two chords."""
    n = len(h) + 1
    slope = np.zeros(n)
    if n == 2:
        return np.full(2, chord[0])
    left, right = chord[:-1], chord[1:]
    same = left * right > 0.0
    w1, w2 = 2.0 * h[1:] + h[:-1], h[1:] + 2.0 * h[:-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = (w1 + w2) / (w1 / left + w2 / right)
    bound = STEEPEST * np.minimum(np.abs(left), np.abs(right))
    slope[1:-1] = np.where(same, np.sign(left) * np.minimum(np.abs(mean), bound), 0.0)
    for end, (h0, h1), (d0, d1) in ((0, h[:2], chord[:2]), (-1, h[:-3:-1], chord[:-3:-1])):
        outward = ((2.0 * h0 + h1) * d0 - h0 * d1) / (h0 + h1)
        slope[end] = np.sign(d0) * min(max(outward * np.sign(d0), 0.0), STEEPEST * abs(d0))
    return slope


def _slopes(x: Floats, y: Floats, held: Floats) -> Floats:
    """Slopes of the cubic spline with continuous second derivatives except at held points; nan: not held."""
    from scipy.linalg import solve_banded

    h, n = np.diff(x), len(x)
    chord = np.diff(y) / h
    bands, right = np.zeros((3, n)), np.zeros(n)
    bands[1] = 1.0
    bands[0, 2:], bands[1, 1:-1], bands[2, :-2] = h[:-1], 2.0 * (h[:-1] + h[1:]), h[1:]
    right[1:-1] = 3.0 * (h[1:] * chord[:-1] + h[:-1] * chord[1:])
    if n > 3:  # not-a-knot, as in scipy's CubicSpline
        for end, off, (h0, h1), (d0, d1) in ((0, (0, 1), h[:2], chord[:2]), (-1, (2, -2), h[:-3:-1], chord[:-3:-1])):
            bands[1, end], bands[off] = h1, h0 + h1
            right[end] = ((h0 + 2.0 * (h0 + h1)) * h1 * d0 + h0**2 * d1) / (h0 + h1)
    fixed = np.flatnonzero(~np.isnan(held))
    bands[1, fixed], right[fixed] = 1.0, held[fixed]
    bands[0, fixed[fixed + 1 < n] + 1] = 0.0
    bands[2, fixed[fixed > 0] - 1] = 0.0
    return np.asarray(solve_banded((1, 1), bands, right))


def _second_derivatives(h: Floats, y: Floats, slope: Floats) -> Floats:
    """Second derivative at every point: the smaller one of the cubics on both sides, zero when their signs differ."""
    chord = np.diff(y) / h
    start = (6.0 * chord - 4.0 * slope[:-1] - 2.0 * slope[1:]) / h
    end = (2.0 * slope[:-1] + 4.0 * slope[1:] - 6.0 * chord) / h
    left, right = np.append(start[0], end), np.append(start, end[-1])
    return np.where(left * right > 0.0, np.where(np.abs(left) < np.abs(right), left, right), 0.0)


def _quintics(h: Floats, y: Floats, slope: Floats, bend: Floats) -> Floats:
    """(n - 1, 6) coefficients of the quintics of Hermite."""
    a, b = 0.5 * bend[:-1], 0.5 * bend[1:]
    # What a parabola from the left end misses at the right end: in value, slope and half the second derivative.
    value = y[1:] - y[:-1] - h * (slope[:-1] + h * a)
    rate = (slope[1:] - slope[:-1] - 2.0 * h * a) * h
    twice = (b - a) * h * h
    return np.column_stack(
        [
            y[:-1],
            slope[:-1],
            a,
            (10.0 * value - 4.0 * rate + twice) / h**3,
            (-15.0 * value + 7.0 * rate - 2.0 * twice) / h**4,
            (6.0 * value - 3.0 * rate + twice) / h**5,
        ]
    )
