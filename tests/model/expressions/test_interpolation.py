"""Curves through points: no overshoot, continuous acceleration, and the spline where it is good."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from flexmb.arrays import Floats
from flexmb.model.expressions.interpolation import Points, overshoot, pieces
from flexmb.model.expressions.tables import smooth_value

JUMP = ((0.0, 0.0), (0.5, 0.0), (0.501, 1.0), (1.0, 1.0))


def points_of(x: Floats, y: Floats) -> Points:
    return tuple(zip(x.tolist(), y.tolist(), strict=True))


def derivatives(points: Points, form: str, t: Floats) -> tuple[Floats, Floats, Floats]:
    """Value, first and second derivative at the places t, straight from the coefficients."""
    x, found = np.array(points)[:, 0], np.array(pieces(points, form))
    i = np.clip(np.searchsorted(x, t, "right") - 1, 0, len(x) - 2)
    s, c = t - x[i], found[i]
    value, first, second = np.zeros_like(t), np.zeros_like(t), np.zeros_like(t)
    for k in range(5, -1, -1):
        second, first, value = second * s + 2.0 * first, first * s + value, value * s + c[:, k]
    return value, first, second


def test_a_sudden_change_does_not_swing() -> None:
    """The spline swings to 193; the curve is the quintic step, whose acceleration is 10/sqrt(3)/h^2 at most."""
    t = np.linspace(0.0, 1.0, 100_001)
    spline, *_ = derivatives(JUMP, "spline", t)
    value, rate, acceleration = derivatives(JUMP, "monotone", t)
    assert spline.max() > 192.0 and spline.min() < -192.0
    assert value.min() == 0.0 and value.max() == pytest.approx(1.0, abs=1e-15) and rate.min() > -1e-9
    assert np.abs(acceleration).max() == pytest.approx(10.0 / np.sqrt(3.0) / 0.001**2, rel=1e-3)
    assert smooth_value(JUMP, "monotone", 0.5005) == pytest.approx(0.5, abs=1e-12)


def test_overshoot_of_a_spline_is_measured() -> None:
    found = overshoot(JUMP, "spline")
    t = np.linspace(0.0, 0.5, 100_001)
    assert found.size == pytest.approx(-derivatives(JUMP, "spline", t)[0].min(), rel=1e-7)
    assert found.share == found.size and 0.2 < found.at < 0.22
    assert overshoot(JUMP, "monotone").size == 0.0


def test_monotone_points_give_monotone_curves_with_continuous_acceleration() -> None:
    """Spacings over five decades, steps over eight, some of them zero."""
    rng = np.random.default_rng(3)
    for _ in range(300):
        n = int(rng.integers(2, 15))
        x = np.cumsum(10.0 ** rng.uniform(-4.0, 1.0, n))
        y = np.cumsum(10.0 ** rng.uniform(-6.0, 2.0, n) * (rng.random(n) < 0.8)) * rng.choice([-1.0, 1.0])
        points, h, span = points_of(x, y), np.diff(x), max(float(np.ptp(y)), 1e-300)
        t = np.sort(np.concatenate([x[i] + h[i] * np.linspace(0.0, 1.0, 60) for i in range(n - 1)]))
        value, *_ = derivatives(points, "monotone", np.minimum(t, x[-1]))
        forward = np.sign(y[-1] - y[0]) * np.diff(value)
        assert forward.min() > -1e-11 * span, "ROUNDING is 1e-12 of the range per piece"
        assert max(value.max() - y.max(), y.min() - value.min()) < 1e-11 * span
        c = np.array(pieces(points, "monotone"))
        size = np.abs(c * h[:, None] ** np.arange(6)).max()
        for order in (0, 1, 2):
            power = np.arange(order, 6)
            factor = np.array([np.prod(np.arange(k - order + 1, k + 1)) for k in power])
            end = (c[:-1, order:] * factor * h[:-1, None] ** power).sum(axis=1)
            start = factor[0] * c[1:, order] * h[:-1] ** order
            assert np.abs(end - start).max(initial=0.0) <= 1e-9 * size


def test_points_of_any_kind_keep_their_extremes() -> None:
    """Rough data have no smooth peak: every piece rises or falls as its two points do."""
    rng = np.random.default_rng(4)
    for _ in range(200):
        n = int(rng.integers(3, 15))
        assert overshoot(points_of(np.cumsum(rng.uniform(0.1, 2.0, n)), rng.normal(size=n)), "monotone").share < 1e-11


@pytest.mark.parametrize("count", [10, 12, 20, 40])
@pytest.mark.parametrize("phase", [0.0, 0.3, 0.5])
def test_smooth_points_keep_the_spline_to_the_last_digit(count: int, phase: float) -> None:
    t = np.linspace(0.0, 3.0, 3 * count + 1)
    points = points_of(t, np.sin(2.0 * np.pi * (t + phase / count)))
    assert pieces(points, "monotone") == pieces(points, "spline")
    np.testing.assert_array_equal(
        np.array(pieces(points, "spline"))[:, :4], CubicSpline(t, np.array(points)[:, 1]).c[::-1].T
    )


@pytest.mark.parametrize(
    "points", [[(0, 0), (1, 1), (2, 1), (3, 0)], [(0, 0), (1, 1), (2, 0.9)], [(0, 0), (1, 0), (2, 5)]]
)
def test_dwells_and_coarse_peaks_are_not_exceeded(points: list[tuple[float, float]]) -> None:
    given = tuple((float(x), float(y)) for x, y in points)
    value, *_ = derivatives(given, "monotone", np.linspace(given[0][0], given[-1][0], 3001))
    highest, least = max(y for _, y in given), min(y for _, y in given)
    assert value.max() <= highest + 1e-12 and value.min() >= least - 1e-12


def test_a_ramp_beside_a_jump_stays_a_ramp() -> None:
    """Held points cut the ringing off: two points away from the jump the slope of the ramp is back to 10 %."""
    x = np.array([0.0, 1, 2, 3, 4, 5, 5.01, 6, 7, 8, 9, 10])
    y = np.array([0.0, 1, 2, 3, 4, 5, 50, 51, 52, 53, 54, 55])
    _, rate, _ = derivatives(points_of(x, y), "monotone", np.linspace(0.0, 3.0, 301))
    assert np.abs(rate - 1.0).max() < 0.1
    assert np.abs(derivatives(points_of(x, y), "spline", np.linspace(0.0, 3.0, 301))[1] - 1.0).max() > 10.0
