"""Signed equivalent stress, its frequency, and jumps of its sign, of histories that are known."""

from __future__ import annotations

import numpy as np
import pytest

from flexmb.analyses.stress.histories import History, signed
from flexmb.results.stress_findings import MISES, PRINCIPAL

F = 50.0
UNIAXIAL = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
SHEAR = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0])


def sine(rows_per_period: float, kind: np.ndarray = UNIAXIAL, step: float = 1e-6, offset: float = 0.0) -> History:
    """A sine of 50 Hz over 400 periods."""
    time = np.arange(0.0, 400.0 / F, 1.0 / (F * rows_per_period))
    angle = 2.0 * np.pi * F * time + 0.3
    return History(time, np.outer(offset + np.sin(angle), kind), np.outer(2.0 * np.pi * F * np.cos(angle), kind), step)


@pytest.mark.parametrize("measure", [MISES, PRINCIPAL])
def test_of_one_axis_the_signed_stress_is_the_stress(measure: str) -> None:
    values = np.array([3.0, -2.0, 0.0, 1.0])
    assert signed(np.outer(values, UNIAXIAL), measure) == pytest.approx(values)


def test_of_two_axes() -> None:
    """sigma_1 = 3, sigma_3 = -5: von Mises sqrt(9 + 15 + 25) = 7."""
    stress = np.array([[3.0, -5.0, 0.0, 0.0, 0.0, 0.0]])
    assert signed(stress, MISES) == pytest.approx(-7.0)
    assert signed(stress, PRINCIPAL) == pytest.approx(-5.0)
    assert signed(-stress, MISES) == pytest.approx(7.0)


@pytest.mark.parametrize("rows", [8.3, 20.7, 101.0])
def test_rows_in_a_period(rows: float) -> None:
    # The mean is over a whole number of periods but for one row.
    assert sine(rows).rows_per_period == pytest.approx(rows, rel=0.02)
    assert sine(rows, offset=100.0).rows_per_period == pytest.approx(rows, rel=0.02)
    without = History(*(getattr(sine(rows), name) for name in ("time", "stress")), None)
    assert without.rows_per_period == pytest.approx(rows, rel=0.02)


def test_what_the_rows_hide_is_seen_by_the_rates() -> None:
    """0.95 periods from row to row look like a slow swing; a step of the integrator that large has no such rates."""
    hidden = sine(1.0 / 0.95)
    assert hidden.rows_per_period == pytest.approx(1.0 / 0.95, rel=0.05)
    assert sine(1.0 / 0.95, step=0.95 / F).rows_per_period == pytest.approx(20.0, rel=0.05)


def test_a_steady_stress_has_no_frequency() -> None:
    time = np.linspace(0.0, 1.0, 100)
    steady = History(time, np.outer(1.0 + 1e-6 * np.sin(300.0 * time), UNIAXIAL), None)
    assert steady.frequency == 0.0 and steady.rows_per_period == np.inf
    assert History(time[:1], np.ones((1, 6)), None).frequency == 0.0


@pytest.mark.parametrize("measure", [MISES, PRINCIPAL])
def test_jumps_of_the_sign(measure: str) -> None:
    """Shear with a trace of tension that changes its sign: the sign of the equivalent stress is that of the trace."""
    time = np.linspace(0.0, 1.0, 100)
    torsion = np.outer(np.ones(100), SHEAR) + 1e-3 * np.outer(np.cos(np.pi * time), UNIAXIAL)
    assert History(time, torsion, None).jump(measure) == pytest.approx(0.5, abs=0.01)
    assert np.isnan(sine(10.3).jump(measure)) and np.isnan(sine(2.5).jump(measure)), "a real change of sign"
