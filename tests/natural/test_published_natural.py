"""Published cases in natural coordinates beyond what `flexmb verify` compares: quality of the runs, to the end of each
entry at its tolerance, with steps that reach it; orders.

The classical Runge-Kutta method has an error of the order (omega h)^4 / 120 per radian of the fastest turn.
"""

from __future__ import annotations

import tomllib
from typing import Any

import numpy as np
import pytest

from flexmb.verification import MODELS
from flexmb.verification.rigid_mechanisms import ANGLES
from flexmb.verification.running import crossings, expected
from tests.support.natural_models import ABSOLUTE, FINE, NaturalRun
from tests.support.runs import Run


def model(case: str, every: float) -> dict[str, Any]:
    """A case without its analysis."""
    data = tomllib.loads((MODELS / f"{case}.toml").read_text())
    for joint in data["joints"].values():
        joint.pop("tree", None)  # there is no tree
    return {**data, "output": {"every": every}, "analysis": {}}


def run(case: str, every: float, **analysis: Any) -> NaturalRun:
    """A case with another output interval and analysis."""
    found = NaturalRun(model(case, every), **analysis)
    assert found.summary.outcome == "finished"
    return found


@pytest.mark.parametrize(
    ("case", "analysis", "energy"),
    [
        # 4.4 rad/s: (omega h)^4 / 120 a radian, 9 rad; a quarter of the step: at least 4^4 times less
        ("A01_pendulum", {"step": 8e-3, "end": 2.0}, 1.5e-7),
        ("A01_pendulum", {"step": 2e-3, "end": 2.0}, 1.5e-7 / 4**4),
        # through the first position in which all links are in line
        ("A02_double_fourbar", {"step": 8e-3, "end": 2.0}, 1e-6),
        ("A03_andrews", {"step": 2e-5, "end": 0.004}, 1e-7),
        # 150 rad/s: (omega h)^4/120 a radian, 30 rad
        ("A07_heavy_top", {"step": 5e-4, "end": 0.2}, 1e-5),
    ],
)
def test_constraints_balance_and_energy(case: str, analysis: dict[str, float], energy: float) -> None:
    found = run(case, analysis["end"] / 4, method="rk4", **analysis)
    assert found.summary.largest_constraint_error < 1e-13
    assert found.summary.balance_gap < 1e-11
    assert found.summary.energy_balance < energy


def test_a02_turns_over() -> None:
    fourbar = run("A02_double_fourbar", 0.1, method="rk4", step=8e-3, end=2.0)
    assert np.ptp(fourbar["joints/foot_left/position"]) > 6


def test_a05_takes_its_first_steps() -> None:
    # The dampers decay with c/m of 1e4 1/s, five times in a step: only implicit, and only with their tangents.
    governor = run("A05_flyball", 0.05, method="generalized-alpha", rho=0.9, step=5e-4, end=0.05)
    assert governor.summary.rejected == 0
    assert governor.summary.balance_gap < 1e-10


def at(found: NaturalRun, t: float, *paths: str) -> np.ndarray:
    """Channels at an output time, one after the other."""
    row = int(np.argmin(np.abs(found["time"] - t)))
    assert found["time"][row] == pytest.approx(t, abs=1e-9)
    return np.concatenate([np.atleast_1d(found[path][row]) for path in paths])


def test_a01_period() -> None:
    # 4.4 rad/s, 8 ms: 1e-8 of a turn a swing; the crossings of the outputs are interpolated to 1e-8 s.
    pendulum, want = run("A01_pendulum", 8e-3, method="rk4", step=8e-3, end=10), expected("A01")
    swings = np.diff(crossings(pendulum["time"], pendulum["joints/pivot/position"], pendulum["joints/pivot/velocity"]))
    assert len(swings) == 7
    assert pendulum.summary.largest_constraint_error < 1e-13
    assert pendulum.summary.balance_gap < 1e-11
    assert pendulum.summary.energy_balance < 1e-7
    np.testing.assert_allclose(2.0 * swings, want["period"], rtol=0, atol=1e-6)
    for t in (1, 5, 10):
        np.testing.assert_allclose(at(pendulum, t, "bodies/bob/position")[:2], want[f"P({t})"], rtol=0, atol=1e-6)


def test_a02_by_the_implicit_method() -> None:
    """Through the positions in line, generalised-alpha is 1e-4 m off at 1 ms where joint coordinates are 1e-6 m off:
    its points go on circles, which costs (omega h)^2 / 12 a radian; angles at a nearly steady rate cost nothing. It is
    the error of second order and nothing else: the extrapolation from two steps, of order 4, has lost all of it."""
    want = expected("A02")["B0(1)"]
    steps = (4e-3, 2e-3, 1e-3)
    runs = [run("A02_double_fourbar", 0.5, method="generalized-alpha", step=step, end=1.0) for step in steps]
    places = [at(found, 1.0, "sensors/B0")[:2] for found in runs]
    errors = [float(np.max(np.abs(place - want))) for place in places]
    np.testing.assert_allclose(np.log2(np.array(errors[:-1]) / errors[1:]), 2.0, rtol=0, atol=0.05)
    assert errors[-1] < 3e-5
    np.testing.assert_allclose((4.0 * places[2] - places[1]) / 3.0, want, rtol=0, atol=1e-6)


@pytest.mark.long
def test_a03_to_its_end() -> None:
    # Up to 1200 rad/s, 31 us: 4e-2 rad a step; with 20 us 2e-9 of the angle and 2e-8 of the velocity at 0.05 s, here 6
    # times that.
    squeezer, want = run("A03_andrews", 0.01, method="rk4", step=3.125e-5, end=0.05), expected("A03")
    beta, rate = at(squeezer, 0.05, ANGLES[0] + "position", ANGLES[0] + "velocity")
    assert beta == pytest.approx(want["beta(0.05)"], rel=1e-7)
    assert rate == pytest.approx(want["beta_dot(0.05)"], rel=1e-6)
    angles = at(squeezer, 0.03, *[path + "position" for path in ANGLES])
    np.testing.assert_allclose(angles, want["q(0.03)"], rtol=1e-7)
    # Energy: what the motor puts in is what the bodies and the spring hold.
    work = 0.033 * (squeezer[ANGLES[0] + "position"] - squeezer[ANGLES[0] + "position"][0])
    energy = squeezer["energy/kinetic"] + squeezer["energy/potential"]
    np.testing.assert_allclose(energy - energy[0], work, rtol=0, atol=1e-7 * np.max(energy))
    np.testing.assert_allclose(squeezer["energy/work/motor"], work, rtol=0, atol=1e-7 * np.max(energy))


@pytest.mark.long
def test_a07_to_its_end() -> None:
    # 150 rad/s over 2 s, 0.3 ms: 47 mrad a step. Half the step divides the errors by 30: at 0.5 ms they are 1e-5 m and
    # 5e-3 rad/s at the end, at 0.3 ms 1e-6 m and 4e-4 rad/s.
    top, want = run("A07_heavy_top", 0.2, method="rk4", step=3e-4, end=2), expected("A07")
    for t, tolerance in ((0.2, 1e-7), (1, 1e-6), (2, 3e-6)):
        np.testing.assert_allclose(at(top, t, "sensors/center"), want[f"com({t})"], rtol=0, atol=tolerance)
    quaternion = at(top, 0.2, "bodies/top/quaternion")
    np.testing.assert_allclose(quaternion * np.sign(quaternion[0]), want["quat(0.2)"], rtol=0, atol=2e-6)
    np.testing.assert_allclose(at(top, 2, "bodies/top/angular_velocity"), want["omega_body(2)"], rtol=0, atol=1e-3)
    np.testing.assert_allclose(at(top, 0, "joints/pivot/force"), want["reaction_on_body(0)"], rtol=1e-6, atol=1e-5)
    energy = top["energy/kinetic"] + top["energy/potential"]
    np.testing.assert_allclose(energy, want["E"], rtol=1e-6)
    assert top.summary.energy_balance < 1e-6
    assert top.summary.largest_constraint_error < 1e-13
    assert top.summary.balance_gap < 1e-11


def test_a14_order_at_a_fast_spin() -> None:
    """The top at 300 rad/s, leant by 0.1 rad: 0.3 rad a step at 1 ms is too much for an order, 0.15 and less shows it.

    At 1 ms the departure of the spin angle is some 1e-2 rad: its size is (0.3)^4 / 120 a radian, over 15 rad.
    """
    data = model("A14_sleeping_top", 0.05)
    data["joints"]["tilt"]["position"] = [0.1, 0.0]
    want = Run({**data, "coordinates": ABSOLUTE}, **FINE, end=0.05)
    paths = ("bodies/top/position", "bodies/top/quaternion")
    errors = []
    for step in (5e-4, 2.5e-4, 1.25e-4):
        found = NaturalRun(data, method="rk4", step=step, end=0.05)
        errors.append([float(np.max(np.abs(found[path] - want[path]))) for path in paths])
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert np.all(orders > 3.6), errors
