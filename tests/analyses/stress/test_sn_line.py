"""S-N lines and damage by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from flexmb.analyses.stress.sn_line import EXAMPLE, SNLine, read_sn_line
from flexmb.errors import InputError

MPA = 1e6


def cycles(*rows: tuple[float, float, float]) -> np.ndarray:
    """Amplitude and mean [MPa], count."""
    return np.array(rows) * [MPA, MPA, 1.0]


def test_damage_by_hand() -> None:
    """At sigma_a = 100 MPa 1e6 cycles, k = 5: 200 MPa lasts 1e6/32, 50 MPa 32e6."""
    line = SNLine(100 * MPA, 1e6, 5.0)
    found = line.damage(cycles((200, 0, 10), (100, 50, 100), (50, 0, 3200)))
    assert found.damage == pytest.approx(10 * 32e-6 + 100e-6 + 1e-4, rel=1e-12)
    assert found.repeats == pytest.approx(1.0 / 5.2e-4) and found.n_cycles == 3310


def test_the_second_slope_and_the_limit() -> None:
    line = SNLine(100 * MPA, 1e6, 5.0, k2=9.0, limit=25 * MPA)
    assert line.endured(np.array([200, 100, 50, 25, 10]) * MPA) == pytest.approx([1e6 / 32, 1e6, 512e6, np.inf, np.inf])
    assert line.damage(cycles((25, 0, 1e9))).damage == 0.0
    assert line.damage(cycles((25, 0, 1e9))).repeats == np.inf
    assert line.damage(np.zeros((0, 3))).damage == 0.0


def test_means_by_goodman() -> None:
    """With Rm = 500 MPa an amplitude of 60 MPa about 200 MPa counts as 100 MPa; compression does not help."""
    line = SNLine(100 * MPA, 1e6, 5.0, Rm=500 * MPA)
    assert line.damage(cycles((60, 200, 1))).damage == pytest.approx(1e-6, rel=1e-12)
    assert line.damage(cycles((60, -200, 1))).damage == pytest.approx(0.6**5 * 1e-6, rel=1e-12)
    assert line.damage(cycles((60, 500, 1))).damage == np.inf
    assert line.damage(cycles((60, 500, 1))).repeats == 0.0


def test_classes_hold_all_cycles() -> None:
    found = SNLine(100 * MPA, 1e6, 5.0).damage(cycles((200, 0, 10), (100, 50, 100), (50, 0, 3200)))
    low, high, count = found.classes.T
    assert count.sum() == 3310 and high[-1] == 200 * MPA and count[-1] == 10
    assert low[1:] == pytest.approx(high[:-1])


def test_texts_with_units() -> None:
    assert read_sn_line(EXAMPLE) == SNLine(160 * MPA, 2e6, 5.0)
    text = "sigma_a=0.16 GPa; N=2e6; k=5, k2 = 9, limit = 80 MPa, Rm = 520 N/mm^2"
    assert read_sn_line(text) == SNLine(160 * MPA, 2e6, 5.0, 9.0, 80 * MPA, 520 * MPA)
    assert read_sn_line(str(read_sn_line(text))) == read_sn_line(text)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ["'' is not of the form", "sigma_a and N and k are missing", EXAMPLE]),
        ("sigma_a=160 MPa, N=2e6", ["k is missing"]),
        ("sigma_a=160, N=2e6, k=5", ["sigma_a = 160 Pa is not a stress", "MPa"]),
        ("sigma_a=160 MPa, N=2e6, K=5, m", ["no number 'K'", "'m' is not of the form", "k is missing"]),
        ("sigma_a=160 MPa, sigma_a=3 MPa, N=2e6, k=5", ["sigma_a is given twice"]),
        ("sigma_a=160 kg, N=2e6, k=5", ["sigma_a = '160 kg'", "mass"]),
        ("sigma_a=160 MPa, N=__import__('os'), k=5", ["N = "]),
        ("sigma_a=160 MPa, N=0.5, k=0, k2=500", ["N = 0.5", "k = 0", "k2 = 500"]),
        ("sigma_a=160 MPa, N=2e6, k=5, k2=3", ["k2 = 3 below the knee"]),
        ("sigma_a=160 MPa, N=2e6, k=5, limit=170 MPa", ["limit of 170 MPa is above"]),
        ("sigma_a=160 MPa, N=2e6, k=5, Rm=150 MPa", ["Rm = 150 MPa is not above"]),
        ("sigma_a=-160 MPa, N=2e6, k=5", ["sigma_a = -1.6e+08 Pa"]),
    ],
)
def test_all_faults_of_a_text(text: str, parts: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        read_sn_line(text)
    assert all(part in str(caught.value) for part in parts), str(caught.value)


def test_numbers_that_are_not_finite() -> None:
    with pytest.raises(InputError, match="k and Rm must be finite"):
        SNLine(160 * MPA, 2e6, math.nan, Rm=math.inf)
