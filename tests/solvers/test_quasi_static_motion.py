"""Driven flexible mechanisms without vibration: closed forms, the dynamic and the kinematic analysis as witnesses.

Covers: solvers.driven_extrapolation.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from flexmb.errors import ComputationError, InputError
from flexmb.solvers.quasi_static_motion import analyse_quasi_static
from flexmb.solvers.settings import solver_settings
from tests.support.flexible_mechanisms import EI, WEIGHT, A, cantilever, slider_crank, spinning_beam
from tests.support.mechanisms import spec_of
from tests.support.quasi_static import QuasiStatic
from tests.support.runs import Rows, Run


def shaken_beam(frequency: float, **beam: Any) -> dict[str, Any]:
    """The bar clamped to a carriage of 1 kg that is shaken along y with 0.01 m at a frequency [Hz]; no gravity."""
    data = cantilever(**{"field": "linear", "shapes": {"family": "modes", "bending": {"y": 1, "z": 1}}, **beam})
    data["model"]["gravity"] = [0, 0, 0]
    data["bodies"]["carriage"] = {"mass": 1.0, "inertia": [1e-3] * 3, "at": "A"}
    data["joints"] = {
        "rail": {"type": "prismatic", "bodies": ["ground", "carriage"], "at": "A", "axis": "y"},
        "wall": {"type": "fixed", "bodies": ["carriage", "beam"], "at": "A"},
    }
    data["motions"] = {"drive": {"joint": "rail", "harmonic": {"amplitude": 0.01, "frequency": frequency}}}
    data["sensors"] = {"tip": {"marker": "beam.end", "relative_to": "carriage.origin", "component": "y"}}
    data["sensors"]["effort"] = {"motion": "drive"}
    data["analysis"] = {"end": 1.0 / frequency, "step": 0.02 / frequency}
    return data


def test_standstill_is_the_static_deflection() -> None:
    run = QuasiStatic(cantilever(shapes={"bending": {"y": 4, "z": 2}}, field="linear"), end=0.01)
    tip = run["sensors/tip"]
    assert tip[0] == pytest.approx(-WEIGHT / (8.0 * EI), rel=1e-9)  # four monomials hold the quartic exactly
    assert np.ptp(tip) < 1e-14  # m; round-off
    assert not np.abs(run["bodies/beam/elastic_velocity"]).max() > 1e-12
    assert run["joints/wall/force"][-1][1] == pytest.approx(WEIGHT, rel=1e-9)
    assert run.summary.method == "quasi-static"


def test_large_deflection_is_that_of_the_quasi_static_start() -> None:
    # Another search for the same balance, from the accelerations of the free bodies. The tip sinks by 1.3 m of 4 m.
    data = cantilever(4.0, shapes={"bending": {"y": 6, "z": 2}})
    tip = QuasiStatic(data, end=0.002)["sensors/tip"]
    assert tip[0] < -1.2
    start = Run(data, end=0.002, elastic_start="quasi-static")["sensors/tip"][0]
    assert tip == pytest.approx(start, abs=1e-9)  # m; both searches end at 1e-11 of a length or better


def test_beam_between_two_walls() -> None:
    # The constraints hold stretch and ends: some elastic coordinates depend on the others.
    data = cantilever(shapes={"bending": 4, "axial": 3}, frame="chord", markers={"mid": {"along": 0.5}})
    data["joints"]["other_wall"] = {"type": "fixed", "bodies": ["ground", "beam"], "at": "B"}
    data["sensors"] = {"mid": {"marker": "beam.mid", "component": "y"}}
    run = QuasiStatic(data, end=0.002)
    assert run["sensors/mid"][-1] == pytest.approx(-WEIGHT / (384.0 * EI), rel=3e-4)  # (deflection / height)^2
    for wall in ("wall", "other_wall"):
        assert run[f"joints/{wall}/force"][-1][1] == pytest.approx(WEIGHT / 2.0, rel=1e-6)


@pytest.mark.parametrize("ratio", [0.02, 0.2])
def test_shaken_beam_against_its_mode(ratio: float) -> None:
    # The first mode of the clamped bar: natural frequency (1.8751041 / L)^2 sqrt(EI / rho A), 61.308 % of the mass take
    # part (0.782992^2), it is 2 at its end when its mean square is 1 (Blevins, Formulas for Natural Frequency, 8-1).
    mass = 7870.0 * A
    natural = 1.8751041**2 * np.sqrt(EI / mass)
    speed = ratio * natural
    run = QuasiStatic(shaken_beam(speed / (2.0 * np.pi)))
    acceleration = -0.01 * speed**2 * np.sin(speed * run["time"])
    tip = -acceleration * 2.0 * 0.782992 / natural**2
    # Without the part ratio^2 / (1 - ratio^2) of the vibrating beam. Six digits of the published mode; the differences
    # in time are good to (1e-3)^2 of y'', which moves no tip.
    assert run["sensors/tip"] == pytest.approx(tip, abs=3e-6 * np.abs(tip).max())
    effort = acceleration * (1.0 + mass + mass * 0.782992**2 * ratio**2)
    assert run["sensors/effort"] == pytest.approx(effort, abs=1e-6 * np.abs(effort).max())
    vibrating = acceleration * (1.0 + mass + mass * 0.782992**2 * ratio**2 / (1.0 - ratio**2))
    gap = np.abs(run["sensors/effort"] - vibrating).max() / np.abs(effort).max()
    assert gap < 0.4 * ratio**4 + 1e-6  # the effort is short of the vibrating one by the fourth order only
    assert run.summary.left_out == pytest.approx(ratio**2, rel=1e-5)  # M y'' / (k y)


def test_damping_and_time_dependent_loads_act_on_the_rates() -> None:
    # One mode under f = sin(s t): k y + d y' = f is met with y' from the solution itself. At the end of the bar
    # y = (f - b f' + b^2 f'' ...) / k for stiffness-proportional damping b; y'' is the last derivative that is kept.
    data = shaken_beam(1.0, damping={"stiffness": 1e-3})
    data["motions"] = {"drive": {"joint": "rail", "polynomial": [0.0]}}
    data["forces"] = {"push": {"type": "force", "marker": "beam.end", "vector": ["0", "sin(20*t)", "0"]}}
    step = np.pi / 1600.0  # s; a row stands on the peak
    still = QuasiStatic({**data, "bodies": shaken_beam(1.0)["bodies"]}, end=80.0 * step, step=step)
    damped = QuasiStatic(data, end=80.0 * step, step=step)
    t, b = still["time"], 20.0 * 1e-3
    size = np.abs(still["sensors/tip"]).max()
    assert still["sensors/tip"] == pytest.approx(size * np.sin(20.0 * t), abs=1e-9 * size)  # linear
    wanted = size * (np.sin(20.0 * t) - b * np.cos(20.0 * t) - b**2 * np.sin(20.0 * t))
    assert damped["sensors/tip"] == pytest.approx(wanted, abs=1.1 * b**3 * size)


def test_approaches_the_dynamic_motion_of_a_slider_crank() -> None:
    # Both rest in the quasi-static shape at the start, so the dynamic one rings by what is left out there.
    gaps = []
    for speed in (60.0, 30.0):
        data = slider_crank(shapes={"family": "modes", "bending": 1})
        data["motions"]["drive"]["rate"] = speed
        options: dict[str, Any] = {"end": 2.0 / speed, "step": 0.005 / speed}
        slow, ringing = QuasiStatic(data, **options), Run(data, elastic_start="quasi-static", **options)
        assert slow["time"] == pytest.approx(ringing["time"])
        bow = ringing["sensors/mid"]
        gaps.append(np.abs(slow["sensors/mid"] - bow).max() / np.abs(bow).max())
    order = np.log2(gaps[0] / gaps[1])
    assert gaps[1] < 0.02
    assert order == pytest.approx(2.0, abs=0.4)  # next terms, and where the ringing stands at the peak


def test_rates_are_the_time_derivatives_and_works_balance() -> None:
    balances = []
    for speed in (60.0, 30.0):
        data = slider_crank()
        data["motions"]["drive"]["rate"] = speed
        run = QuasiStatic(data, end=3.6 / speed, step=0.0075 / speed)
        t, y, rate = run["time"], run["bodies/rod/elastic_position"], run["bodies/rod/elastic_velocity"]
        differences = (y[:-4] - 8.0 * y[1:-3] + 8.0 * y[3:-1] - y[4:]) / (12.0 * (t[1] - t[0]))
        # Fourth-order differences: 0.0075^4 / 30 of the rates; 256 times as much of the fourth harmonic.
        assert rate[2:-2] == pytest.approx(differences, abs=1e-5 * np.abs(rate).max())
        assert run.summary.rejected == 0
        balances.append(run.summary.energy_balance)
    # Energy less work: what M y'' does along y' is left out of the balance. It goes with (speed * y)^2 and y itself
    # with speed^2: the sixth power of the speed, of an energy that goes with the second.
    assert balances[0] < 1e-5
    assert np.log2(balances[0] / balances[1]) == pytest.approx(4.0, abs=0.4)


def test_rigid_mechanism_is_the_kinematic_analysis() -> None:
    data = slider_crank()
    data["bodies"]["rod"] = {"mass": 0.0667, "rod": ["A", "B"]}
    del data["sensors"]["mid"]
    quasi_static, kinematic = QuasiStatic(data), Run(data, type="kinematic")
    assert [c.path for c in quasi_static.system.channels] == [c.path for c in kinematic.system.channels]
    size = np.abs(kinematic.rows).max(axis=0)
    exact = [c.start for c in kinematic.system.channels if c.path.startswith("solver")]
    keep = np.setdiff1d(np.arange(len(size) - 2), exact)
    gap = np.abs(quasi_static.rows - kinematic.rows).max(axis=0)
    assert np.all(gap[keep] <= 1e-9 * size[keep] + 1e-9)  # round-off of accelerations of 3e3 m/s^2


@pytest.mark.parametrize("coordinates", [{"default": "absolute"}, {"absolute": ["rod"]}])
def test_coordinates_make_no_difference(coordinates: dict[str, Any]) -> None:
    data = slider_crank()
    runs = [QuasiStatic({**data, "coordinates": choice}, end=0.01, step=5e-4) for choice in ({}, coordinates)]
    for path in ("sensors/mid", "sensors/torque", "joints/big_end/force", "joints/bearing/moment"):
        joint, other = (run[path] for run in runs)
        # Rates by differences over 1e-3 of the motion: their truncation depends on which coordinate is the fastest.
        assert other == pytest.approx(joint, abs=1e-5 * np.abs(joint).max())


def test_steady_spin_is_a_balance() -> None:
    # In steady rotation nothing is left out: the dynamic run stays where the quasi-static one is.
    data = spinning_beam(0.1, 100.0, shapes={"bending": 2, "axial": 2})
    slow, run = QuasiStatic(data, end=0.005), Run(data, end=0.005, elastic_start="quasi-static")
    assert slow["sensors/reach"] == pytest.approx(run["sensors/reach"], abs=1e-11)
    assert slow["sensors/reach"][0] > 1.1 + 1e-5


def test_resumes_where_it_stopped() -> None:
    data = slider_crank()
    whole = QuasiStatic(data, end=0.004)
    half = QuasiStatic(data, end=0.002)
    sink = Rows()
    settings = solver_settings(spec_of({**data, "analysis": {"end": 0.004, "step": 5e-5}}).analysis)
    summary = analyse_quasi_static(half.system, settings, sink=sink, resume=half.sink.checkpoint)
    # Measured by the Jacobian at hand, which may be that of an earlier instant: an estimate to some percent.
    assert summary.left_out == pytest.approx(whole.summary.left_out, rel=0.05)
    rows = np.concatenate(sink.blocks)
    assert len(rows) == len(whole.rows) - len(half.rows)
    start = whole.system.channel("sensors/torque").start
    torque = whole.rows[len(half.rows) :, start]
    assert rows[:, start] == pytest.approx(torque, abs=1e-6 * np.abs(torque).max())  # noise of y'' by differences


def test_kink_of_the_acceleration_leaves_no_spike() -> None:
    # The carriage starts and stops by a ramp of degree five, whose jerk leaps at both ends: y follows the acceleration
    # and has a kink there, at 0.1 and 0.6 s. The effort on either side of a kink: mass times acceleration, less the
    # modal mass times y'', which goes with the fourth derivative of the ramp.
    data = shaken_beam(1.0)
    ramp = {"expression": "step(t, 0.1, 0, 0.6, 0.01)"}
    data["motions"] = {"drive": {"joint": "rail", **ramp}}
    run = QuasiStatic(data, end=0.8, step=0.01)
    mass, s = 7870.0 * A, np.clip((run["time"] - 0.1) / 0.5, 0.0, 1.0)
    acceleration = 0.01 / 0.25 * 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s)
    snap = 0.01 / 0.5**4 * (720.0 * s - 360.0) * ((s > 0.0) & (s < 1.0))
    natural = 1.8751041**2 * np.sqrt(EI / mass)
    effort = (1.0 + mass) * acceleration - mass * 0.782992**2 / natural**2 * snap
    inside = (np.abs(run["time"] - 0.1) > 1e-6) & (np.abs(run["time"] - 0.6) > 1e-6)
    gap = np.abs(run["sensors/effort"] - effort)
    assert gap[inside].max() < 1e-6 * np.abs(effort).max()
    assert gap.max() <= 1.01 * mass * 0.782992**2 / natural**2 * 0.01 / 0.5**4 * 360.0  # of either side


def test_what_is_not_driven_is_refused_by_name() -> None:
    data = slider_crank()
    del data["motions"], data["sensors"]["torque"]
    with pytest.raises(InputError, match=r"1 is free, such as .*\. Add 1 motion, or solve"):
        QuasiStatic(data)
    data = spinning_beam(0.1, 10.0, shapes={"bending": 2})
    del data["motions"]
    with pytest.raises(InputError, match="axle"):
        QuasiStatic(data)


def test_unreachable_position_is_reported() -> None:
    data = slider_crank()
    data["motions"] = {"drive": {"joint": "guide", "polynomial": [-0.05, 5.0]}}
    with pytest.raises(
        ComputationError, match="cannot reach the position that the motions prescribe: .*stays open"
    ) as caught:
        QuasiStatic(data, end=0.1, step=1e-3)
    assert caught.value.summary is not None and 0.0 < caught.value.summary.t_reached < 0.1


def test_extrapolation_from_instants_before_saves_sweeps_and_leaves_no_trace() -> None:
    """The same motion at 400 and at 800 instants: each starts from its own neighbours and ends at the same balance.

    They differ by the square of the short time of the difference quotients, a part of the interval: 1e-7 of y'. From
    Taylor's series an instant took more than four sweeps.
    """
    coarse, fine = (QuasiStatic(slider_crank(), step=5e-5 / parts, end=0.02) for parts in (1, 2))
    for path in ("bodies/rod/elastic_position", "sensors/mid", "sensors/torque"):
        assert np.abs(coarse[path] - fine[path][::2]).max() < 1e-7 * np.abs(coarse[path]).max(), path
    for run in (coarse, fine):
        assert run.summary.newton_iterations < 3.2 * run.summary.steps
