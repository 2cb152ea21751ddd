"""Rainflow counts: the example of ASTM E1049, histories by hand, and the four-point method as a second algorithm."""

from __future__ import annotations

import numpy as np
import pytest

from flexmb.analyses.stress.rainflow import rainflow, reversals

ASTM = [-2.0, 1.0, -3.0, 5.0, -1.0, 3.0, -4.0, 4.0, -2.0]
"""Peaks and valleys A to I of figure 6 of ASTM E1049-85"""


def ranges(cycles: np.ndarray) -> dict[float, float]:
    """Count of every range."""
    found: dict[float, float] = {}
    for amplitude, _, count in cycles.tolist():
        found[2.0 * amplitude] = found.get(2.0 * amplitude, 0.0) + count
    return found


def test_the_example_of_the_standard() -> None:
    """ASTM E1049-85, 5.4.4 and figure 6."""
    assert ranges(rainflow(ASTM)) == {3.0: 0.5, 4.0: 1.5, 6.0: 0.5, 8.0: 1.0, 9.0: 0.5}


def test_the_example_of_the_standard_repeated() -> None:
    """ASTM E1049-85, 5.4.5 and figure 7."""
    cycles = rainflow(ASTM, repeating=True)
    assert ranges(cycles) == {3.0: 1.0, 4.0: 1.0, 7.0: 1.0, 9.0: 1.0}
    assert cycles.tolist() == [[4.5, 0.5, 1.0], [3.5, 0.5, 1.0], [2.0, 1.0, 1.0], [1.5, -0.5, 1.0]]


def test_points_between_reversals_do_not_count() -> None:
    fine = np.interp(np.linspace(0.0, 8.0, 801), np.arange(9.0), ASTM)
    held = np.repeat(ASTM, 3)
    for history in (fine, held):
        assert ranges(rainflow(history)) == ranges(rainflow(ASTM))
        assert ranges(rainflow(history, True)) == ranges(rainflow(ASTM, True))
    assert reversals(fine).tolist() == ASTM


def test_a_sine_has_as_many_cycles_as_periods() -> None:
    t = np.linspace(0.0, 7.0, 7 * 40 + 1)
    cycles = rainflow(10.0 + 3.0 * np.sin(2.0 * np.pi * t), repeating=True)
    assert cycles == pytest.approx(np.tile([3.0, 10.0, 1.0], (7, 1)))


def test_one_rise_repeated_is_a_whole_cycle() -> None:
    assert rainflow([0.0, 4.0]).tolist() == [[2.0, 2.0, 0.5]]
    assert rainflow([0.0, 4.0], repeating=True).tolist() == [[2.0, 2.0, 1.0]]


@pytest.mark.parametrize("history", [[], [3.0], [3.0, 3.0], [0.0, 0.0, 0.0]])
def test_histories_without_a_cycle(history: list[float]) -> None:
    assert rainflow(history).shape == rainflow(history, True).shape == (0, 3)


def test_round_off_is_no_cycle() -> None:
    history = 1e8 + np.array([0.0, 1e-3, 0.0, 1e7, 0.0])
    assert len(rainflow(history, True)) == 1


def four_point(values: list[float]) -> list[tuple[float, float]]:
    """(range, mean) of a repeated history: closed cycles of the history, and of its residue written twice.

    C. Amzallag, J. P. Gerey, J. L. Robert, J. Bahuaud, Int. J. Fatigue 16 (1994): the inner two of four reversals are a
    cycle if both lie within the outer two.
    """

    def closed(points: list[float]) -> tuple[list[tuple[float, float]], list[float]]:
        found, rest, at = [], list(points), 0
        while at + 3 < len(rest):
            a, b, c, d = rest[at : at + 4]
            if min(a, d) <= min(b, c) and max(b, c) <= max(a, d):
                found.append((abs(c - b), 0.5 * (b + c)))
                del rest[at + 1 : at + 3]
                at = max(0, at - 2)
            else:
                at += 1
        return found, rest

    first, rest = closed(values)
    second, _ = closed(reversals(np.array(rest + rest)).tolist())
    return sorted(first + second)


@pytest.mark.parametrize("seed", range(20))
def test_repeated_histories_by_the_four_point_method(seed: int) -> None:
    random = np.random.default_rng(seed)
    values = reversals(random.normal(size=random.integers(4, 60)))
    found = sorted((2.0 * a, m) for a, m, _ in rainflow(values, repeating=True).tolist())
    assert np.array(found) == pytest.approx(np.array(four_point(values.tolist())), abs=1e-12)
    assert (rainflow(values, repeating=True)[:, 2] == 1.0).all()


@pytest.mark.parametrize("seed", range(5))
def test_ranges_add_up_to_the_way_of_the_history(seed: int) -> None:
    """Each half cycle is one way: counts times range are half of the sum of all changes."""
    values = np.random.default_rng(seed).normal(size=200)
    amplitude, _, count = rainflow(values).T
    assert 4.0 * (amplitude * count).sum() == pytest.approx(np.abs(np.diff(values)).sum())
