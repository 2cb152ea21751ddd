"""Tables of measured motions: smoothed so that their noise is not differentiated.

Covers: reports.motion_report.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.interpolate import make_smoothing_spline

import flexmb
from flexmb.analyses.check import check_model
from flexmb.errors import InputError
from flexmb.model.expressions.smoothing import Points, penalised_spline, smooth
from tests.support.mechanisms import spec_of
from tests.support.runs import Run


def table_of(t: np.ndarray, x: np.ndarray) -> Points:
    return tuple(zip(t.tolist(), x.tolist(), strict=True))


def rotor(points: Any, **motion: Any) -> dict[str, Any]:
    """A flywheel of 2 kg m^2 whose angle follows a table; no gravity: the torque is 2 theta''."""
    return {
        "bodies": {"wheel": {"mass": 1.0, "inertia": [1.0, 1.0, 2.0], "at": [0, 0, 0]}},
        "joints": {"axle": {"type": "revolute", "bodies": ["ground", "wheel"], "at": [0, 0, 0], "axis": "z"}},
        "motions": {"drive": {"joint": "axle", "table": [list(point) for point in points], **motion}},
        "analysis": {"type": "kinematic", "end": points[-1][0], "step": 0.003},
    }


def test_cubic_relative_equals_the_smoothing_spline_of_scipy() -> None:
    # The same minimisation with the second instead of the third derivative.
    rng = np.random.default_rng(3)
    t = np.cumsum(rng.uniform(0.2, 1.2, 90))
    x = np.sin(0.2 * t) + 0.01 * rng.normal(size=t.size)
    wanted = make_smoothing_spline(t, x, w=np.gradient(t), lam=1.0)(t)
    assert penalised_spline(t, x, t, 2)(t) == pytest.approx(wanted, abs=1e-11)  # condition 1e4


@pytest.mark.parametrize(("n", "cutoff"), [(2001, 20.0), (20001, 20.0), (50001, 2.0)])
@pytest.mark.parametrize("part", [0.1, 0.5, 1.0, 2.0])
def test_passes_low_frequencies_and_stops_high_ones(n: int, cutoff: float, part: float) -> None:
    # 20 or 100 periods of the cut-off frequency, 20 to 2500 points a period.
    t = np.linspace(0.0, 10.0 if cutoff < 10.0 else 5.0, n)
    found = np.array(smooth(table_of(t, np.sin(2.0 * np.pi * part * cutoff * t)), cutoff).points)
    middle = (found[:, 0] > 0.25 * t[-1]) & (found[:, 0] < 0.75 * t[-1])
    wanted = np.sin(2.0 * np.pi * part * cutoff * found[:, 0]) / (1.0 + part**6)
    # The ends are forgotten as exp(-phase / 2), phase 2 pi 5 or more: 2e-7. Points h = 0.3 rad of the cut-off frequency
    # apart take the sine for its alias as well, which is smaller by (part h / 2 pi)^6, 7e-7 at most.
    assert found[middle, 1] == pytest.approx(wanted[middle], abs=1e-6)


def test_constant_acceleration_is_left_alone() -> None:
    t = np.linspace(1.0, 3.0, 300)
    found = smooth(table_of(t, 100.0 + 7.0 * t - 20.0 * t**2), 5.0)
    assert found.largest < 1e-11  # round-off of values of 100
    assert found.points[0][0] == 1.0 and found.points[-1][0] == 3.0


def test_torque_of_a_noisy_measurement() -> None:
    # Angle sin 4t with 1e-4 rad of noise at 500 Hz. Unsmoothed: some 1e-4 / (2 ms)^2 * 2 = 50 N m and more.
    rng = np.random.default_rng(1)
    t = np.arange(0.0, 3.0005, 0.002)
    noise = 1e-4 * rng.normal(size=t.size)
    points = table_of(t, np.sin(4.0 * t) + noise)
    rough, fine = Run(rotor(points)), Run(rotor(points, smooth="5 Hz"))
    time = fine["time"]
    middle = (time > 0.3) & (time < 2.7)
    wanted = -32.0 * np.sin(4.0 * time)
    assert np.abs(rough["motions/drive/effort"] - wanted).max() > 100.0
    # White noise through s^2 / (1 + s^6), s = f / 5 Hz: the variance of theta'' is noise^2 dt (2 pi 5)^5 / pi times the
    # integral of s^4 / (1 + s^6)^2 over s > 0. Four deviations, and the bias (4 / 31.4)^6 = 4e-6 of 32 N m.
    share = quad(lambda s: s**4 / (1.0 + s**6) ** 2, 0.0, np.inf)[0]
    deviation = 2.0 * 1e-4 * np.sqrt(0.002 * (2.0 * np.pi * 5.0) ** 5 / np.pi * share)
    gap = np.abs(fine["motions/drive/effort"] - wanted)
    assert gap[middle].max() < 4.0 * deviation + 32.0 * 4.4e-6
    # At the ends the jerk, 64 rad/s^3, is taken away over a time of about 1 / (2 pi 5 Hz).
    assert gap.max() < 2.0 * 2.0 * 64.0 / (2.0 * np.pi * 5.0)
    motion = spec_of(rotor(points, smooth="5 Hz")).motions["drive"]
    # Nearly all of the noise is taken away; the ends are moved by up to 64 / 31.4^3 = 2e-3 rad, for a hundredth of the
    # time, which counts as 2e-4 rad.
    assert 0.95 * np.std(noise) < motion.smoothing.rms < np.hypot(np.std(noise), 2e-4)


def test_by_python_and_in_the_report() -> None:
    t = np.linspace(0.0, 1.0, 101)
    model = flexmb.Model("rotor")
    model.rigid("wheel", mass=1.0, inertia=[1.0, 1.0, 2.0], at=[0, 0, 0])
    model.revolute("axle", "ground", "wheel", at=[0, 0, 0], axis="z")
    model.motion("drive", flexmb.table(table_of(t, np.cos(3.0 * t)), smooth=10.0), joint="axle")
    model.analysis(type="kinematic", end=1.0, step=0.1)
    text = " ".join(check_model(model).split())
    assert "smoothed motion 'drive': table of 101 points smoothed at 10 Hz, changed by" in text and "rad rms" in text


def test_what_cannot_be_smoothed_is_refused() -> None:
    points = table_of(np.linspace(0.0, 1.0, 11), np.zeros(11))
    for data, words in (
        (rotor(points, smooth=5.0), r"5 Hz must be between 1 Hz .* and 5 Hz \(half the rate of its 11 points\)"),
        (rotor(points, smooth=0.5), "one period in the 1 s"),
        (rotor(points[:4], smooth=2.0), "at least 7 points to be smoothed, found 4"),
        (rotor(points, smooth=-1.0), "smooth"),
    ):
        with pytest.raises(InputError, match=words):
            spec_of(data)
    data = rotor(points, smooth=2.0)
    del data["motions"]["drive"]["table"]
    data["motions"]["drive"]["rate"] = 3.0
    with pytest.raises(InputError, match="'smooth' is only for 'table'"):
        spec_of(data)
