"""Published rigid-body cases in natural coordinates, at the tolerances that the core has for them.

The classical Runge-Kutta method has an error of the order (omega h)^4 per radian; the steps are chosen by it. Numbers
and sources: tests/data/published_cases.json.
"""

from __future__ import annotations

import tomllib
from typing import Any

import numpy as np
import pytest
from natural_models import NaturalRun
from test_published_cases import ANGLES, CASES, close, expected, rotation


def run(case: str, every: float, **analysis: Any) -> NaturalRun:
    """A case with another output interval and analysis."""
    data = tomllib.loads((CASES / f"{case}.toml").read_text())
    data |= {"output": {"every": every}, "analysis": {}}
    for joint in data["joints"].values():
        joint.pop("tree", None)  # there is no tree
    found = NaturalRun(data, **{"method": "rk4", **analysis})
    assert found.summary.outcome == "finished"
    assert found.summary.largest_constraint_error < 1e-13
    assert found.summary.balance_gap < 1e-11
    return found


def at(found: NaturalRun, t: float, *paths: str) -> np.ndarray:
    """Channels at an output time, one after the other."""
    row = int(np.argmin(np.abs(found["time"] - t)))
    assert found["time"][row] == pytest.approx(t, abs=1e-9)
    return np.concatenate([np.atleast_1d(found[path][row]) for path in paths])


def test_a01_pendulum() -> None:
    # 4.4 rad/s at the bottom, 8 ms: 3e-7 m after four swings.
    pendulum, want = run("A01_pendulum", 0.5, step=8e-3, end=10), expected("A01")
    for t in (1, 5, 10):
        close(at(pendulum, t, "bodies/bob/position")[:2], want[f"P({t})"], atol=1e-6)
    assert at(pendulum, 10, "joints/pivot/velocity")[0] == pytest.approx(-want["theta_dot(10)"], abs=1e-6)
    assert pendulum.summary.energy_balance < 1e-7


def test_a02_double_fourbar_passes_its_singular_positions() -> None:
    # The axes are one vector, so no row repeats another but in line, where the mechanism could branch.
    # 4 rad/s, 8 ms: 1e-5 m at the end.
    fourbar, want = run("A02_double_fourbar", 0.1, step=8e-3, end=10), expected("A02")
    for t in (1, 5, 10):
        close(at(fourbar, t, "sensors/B0")[:2], want[f"B0({t})"], atol=1e-4)
    close(at(fourbar, 10, "sensors/B0_velocity")[:2], want["vB0(10)"], atol=1e-4)
    assert np.max(np.abs(fourbar["joints/foot_left/position"] + fourbar["joints/pin_left/position"])) < 1e-9
    assert np.ptp(fourbar["joints/foot_left/position"]) > 6
    assert fourbar.summary.energy_balance < 1e-6


def test_a03_andrews_squeezer() -> None:
    # Up to 1200 rad/s, 20 us: 2e-2 rad a step, 6e-7 of the velocities after 0.03 s.
    squeezer, want = run("A03_andrews", 0.01, step=2e-5, end=0.03), expected("A03")
    for t, tolerance in ((0, 1e-6), (0.03, 1e-4)):
        turn = rotation(at(squeezer, t, "bodies/K2/quaternion"))
        forces = [(turn @ at(squeezer, t, f"joints/{name}/force"))[:2] for name in ("E23", "E24", "E26")]
        close(np.concatenate(forces), want[f"lambda({t})"], rtol=tolerance, atol=1e-6)
    close(at(squeezer, 0, *[path + "acceleration" for path in ANGLES]), want["qdd(0)"], rtol=1e-6, atol=1e-3)
    close(at(squeezer, 0.03, *[path + "position" for path in ANGLES]), want["q(0.03)"], rtol=1e-6, atol=1e-8)
    close(at(squeezer, 0.03, *[path + "velocity" for path in ANGLES]), want["qd(0.03)"], rtol=1e-6, atol=1e-8)


def test_a05_stiff_flyball_governor() -> None:
    # The dampers decay with c/m of 1e4 1/s, five times in a step: only implicit, and only with their tangents.
    governor, want = run("A05_flyball", 0.05, method="generalized-alpha", rho=0.9, step=5e-4, end=0.1), expected("A05")
    assert at(governor, 0.1, "sensors/height")[0] == pytest.approx(want["s(0.1)"], abs=1e-4)
    assert governor.summary.rejected == 1


def test_a07_heavy_top() -> None:
    # 150 rad/s, 1 ms: 0.15 rad a step; the nutation is followed to 3e-6 m at 0.2 s and 8e-5 m at 1 s.
    top, want = run("A07_heavy_top", 0.2, step=1e-3, end=1), expected("A07")
    for t, tolerance in ((0.2, 1e-5), (1, 1e-3)):
        close(at(top, t, "sensors/center"), want[f"com({t})"], atol=tolerance)
    quaternion = at(top, 0.2, "bodies/top/quaternion")
    close(quaternion * np.sign(quaternion[0]), want["quat(0.2)"], atol=1e-3)
    close(at(top, 0, "joints/pivot/force"), want["reaction_on_body(0)"], rtol=1e-6, atol=1e-5)
