"""Identities of inverse dynamics on random mechanisms, rigid and flexible: Newton and Euler for every body and for all,
power of the drives, and forward(inverse) = identity."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import make_interp_spline

import flexmb as fx
from flexmb.analyses import forward_check as module
from flexmb.analyses.forward_check import forward_check
from flexmb.analyses.inverse import inverse_model
from flexmb.results.inverse_result import InverseDynamics
from tests.support.free_bodies import GRAVITY, INSIDE, SAME, Array, FreeBodies, flexible_mechanism, rigid_mechanism
from tests.support.random_mechanisms import ladder

EVERY = 4e-4


MECHANISMS: dict[str, Callable[[], dict[str, Any]]] = {
    "rigid 1": lambda: rigid_mechanism(1),
    "rigid 2": lambda: rigid_mechanism(2),
    "rigid 3": lambda: rigid_mechanism(3),
    "exact 2": lambda: flexible_mechanism(2),
    "exact 3": lambda: flexible_mechanism(3),
    "exact 4": lambda: flexible_mechanism(4),
    "full 5": lambda: flexible_mechanism(5, "full"),
}


@pytest.fixture(scope="module", params=MECHANISMS)
def solved(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> FreeBodies:
    data = {**MECHANISMS[request.param](), "output": {"every": EVERY}}
    path = tmp_path_factory.mktemp("inverse") / "out.h5"
    return FreeBodies(data, inverse_model(fx.Model.from_tables(data), path))


def test_newton_and_euler_for_every_body(solved: FreeBodies) -> None:
    """A wrong reaction of any joint, branch or chord, on either body, is a gap here."""
    for name, momentum in solved.momentum.items():
        wrench = solved.wrench[name]
        for part in (slice(0, 3), slice(3, 6)):
            size = np.abs(wrench[:, part]).max()
            gap = np.abs(solved.rate(momentum) - wrench)[INSIDE, part].max()
            assert size > 0.1 and gap < SAME * size, (name, gap, size)


def test_ground_reactions_and_loads_are_the_rate_of_momentum(solved: FreeBodies) -> None:
    """Forces between bodies are left out, not cancelled: only joints with the ground, weights and the push count."""
    momentum = sum(solved.momentum.values(), np.zeros((len(solved.time), 6)))
    wrench = -solved.wrench["ground"]  # what the ground feels, springs and drives to it included, turned round
    for name, mass in solved.mass.items():
        weight = np.tile(mass * GRAVITY, (len(solved.time), 1))
        wrench = wrench + np.hstack([weight, np.cross(solved.first[name], GRAVITY)])
    t, tip = solved.time, solved.at(solved.data["forces"]["push"]["marker"])
    push = np.stack([2 * np.cos(9 * t), np.ones_like(t), -3 * np.sin(5 * t)], axis=1)
    wrench = wrench + np.hstack([push, np.cross(tip, push)])
    gap = np.abs(solved.rate(momentum) - wrench)[INSIDE].max(axis=0)
    assert np.all(gap < SAME * np.abs(wrench).max()), gap


def powers(solved: FreeBodies) -> dict[str, Array]:
    """Power of the drive, of the other loads and of all dampers (negative) [W]."""
    result, data, t = solved.found.result, solved.data, solved.time
    drive = data["motions"]["drive"]
    speeds = result[f"joints/{drive['joint']}/velocity"]
    speed = speeds if speeds.ndim == 1 else speeds[:, 0]  # of a cylindrical joint the slide comes first
    push = np.stack([2 * np.cos(9 * t), np.ones_like(t), -3 * np.sin(5 * t)], axis=1)
    loads = np.sum(push * solved.rate(solved.at(data["forces"]["push"]["marker"])), axis=1)
    spring, turning = data["forces"]["spring"], data["forces"]["turning"]
    first, second = (solved.at(marker) for marker in spring["markers"])
    lost = spring["damping"] * solved.rate(np.linalg.norm(second - first, axis=1)) ** 2
    lost = lost + turning["damping"] * result[f"joints/{turning['joint']}/velocity"] ** 2
    if "motor" in data["forces"]:
        turns = result["joints/tree4/velocity"]
        loads = loads + np.sin(12 * t) * turns
        lost = lost - result["forces/drag/effort"] * turns
        assert np.all(result["forces/drag/effort"] * turns <= 0.0)  # friction takes
    return {"drive": solved.found.drives[0].effort * speed, "loads": loads, "lost": -lost}


def test_work_of_the_drive_is_the_change_of_energy_and_what_is_lost(solved: FreeBodies) -> None:
    result, parts = solved.found.result, powers(solved)
    energy = result["energy/kinetic"] + result["energy/potential"]
    power = sum(parts.values(), np.zeros(len(energy)))
    size = max(np.abs(values).max() for values in parts.values())
    gap = np.abs(solved.rate(energy) - power)[INSIDE].max()
    assert gap < SAME * size, (gap, size)
    # The work that is reported: the integral of effort times rate, to the order of the steps' errors.
    drive = make_interp_spline(solved.time, parts["drive"], k=7).antiderivative()
    work = drive(solved.time) - drive(solved.time[0])
    np.testing.assert_allclose(solved.found.drives[0].work, work, rtol=0, atol=SAME * np.abs(work).max())


def departure(found: InverseDynamics) -> float:
    """Largest distance [m] or angle [rad] of any body from the prescribed motion, driven by efforts alone."""
    check = forward_check(found)
    return max(float(x.max()) for x in (*check.bodies.values(), *check.angles.values()))


def test_forward_of_inverse_is_the_identity(solved: FreeBodies) -> None:
    # A spline through efforts of 400 rad/s at steps of 0.1 ms is off by (omega h)^4/384 = 7e-9 of 20 N m, which moves
    # 0.1 kg m^2 by 1e-9 rad in 0.04 s at most.
    assert departure(solved.found) < 1e-9


@pytest.mark.parametrize("name", ["rigid 3", "exact 3"])
def test_forward_of_inverse_with_the_steps_of_a_user(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Generalised-alpha is of second order; so is what efforts and forward run are off: half the step, a quarter.
    found = []
    for step in (5e-4, 2.5e-4):
        data = {**MECHANISMS[name](), "analysis": {"end": 0.15, "step": step}, "output": {"every": 5e-3}}
        inverse = inverse_model(fx.Model.from_tables(data), tmp_path / "out.h5")
        found.append(departure(inverse))
    assert np.log2(found[0] / found[1]) == pytest.approx(2.0, abs=0.3) and found[1] < 1e-5
    # Efforts that are wrong by a thousandth are noticed.
    table = module.expressions.table
    monkeypatch.setattr(
        module.expressions, "table", lambda points, form: table([(t, 1.001 * x) for t, x in points], form)
    )
    assert departure(inverse) > 100 * found[1]


@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
def test_newton_and_euler_with_repeated_rows(coordinates: str, tmp_path: Path) -> None:
    """Reactions that are not unique are still in balance with the motion of every body."""
    data = ladder(2, coordinates={"default": coordinates}, output={"every": 2e-3})
    data["motions"] = {"drive": {"joint": "foot0", "expression": "2*t + 0.3*sin(9*t)"}}
    del data["joints"]["foot0"]["velocity"]
    data["analysis"] = {"end": 0.2, "step": 2e-3}
    found = inverse_model(fx.Model.from_tables(data), tmp_path / "out.h5")
    assert (found.how, found.n_repeated) == ("kinematic", 6) and "foot0" in found.not_unique
    bodies = FreeBodies(data, found)
    for name, momentum in bodies.momentum.items():
        wrench = bodies.wrench[name]
        # Harmonics of up to 40 rad/s in rows 2 ms apart: (omega h)^7/100 = 2e-10.
        assert np.abs(bodies.rate(momentum) - wrench)[INSIDE].max() < SAME * np.abs(wrench).max(), name
