"""Forces between two markers by an expression of their distance and its rate: against springs and closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmb as fx
from flexmb.errors import InputError
from flexmb.recursive.recursive_reactions import recursive_reactions
from tests.support.symbolic_numbers import difference

LINEAR = "200*(distance - 0.4) + 3*rate"


def swing(kind: str, coordinates: str = "joint", **analysis: Any) -> fx.Model:
    """A pendulum on a spherical joint with a force to a point of ground that is not on its way."""
    model = fx.Model("swing", gravity=(0, 0, -9.81))
    model.rigid("bob", mass=2, inertia=(0.1, 0.2, 0.15), at=(0.5, 0, 0))
    model.spherical("ball", model.ground, "bob", at=(0, 0, 0))
    model.marker(model.ground, "wall", at=(0.6, 0.5, 0.2))
    model.marker("bob", "eye", at=(0.7, 0, 0.1))
    if kind == "spring":
        model.spring_damper("pull", "ground.wall", "bob.eye", stiffness=200, damping=3, length=0.4)
    else:
        model.pair_force("pull", "ground.wall", "bob.eye", effort=kind)
    model.coordinates(default=coordinates)
    model.analysis(**{"end": 0.3, "step": 1e-3, "method": "rk4", **analysis})
    return model


@pytest.mark.parametrize("coordinates", ["joint", "absolute", "natural"])
def test_a_linear_law_is_a_spring_damper(coordinates: str) -> None:
    spring, force = (fx.run(swing(kind, coordinates)) for kind in ("spring", LINEAR))
    for path in ("bodies/bob/position", "bodies/bob/quaternion", "forces/pull/effort"):
        size = np.abs(spring[path]).max()
        assert np.abs(spring[path] - force[path]).max() < 1e-11 * size, path


def test_the_work_closes_the_balance_of_energy() -> None:
    result = fx.run(swing("50*distance^3 - 20 + 2*rate*abs(rate)"))
    energy = result["energy/kinetic"] + result["energy/potential"] - result["energy/work/total"]
    assert np.ptp(result["energy/work/pull"]) > 0.5
    assert np.ptp(energy) < 1e-8 * np.abs(result["energy/kinetic"]).max()


def test_symbols_are_the_numbers() -> None:
    tables = swing("50*distance^3 - 20 + 2*rate*distance + 4*sin(t)")._tables
    for coordinates in ("joint", "absolute"):
        assert difference({**tables, "coordinates": {"default": coordinates}}, 5) < 1e-12


def test_statics_and_modes_are_those_of_a_spring() -> None:
    found = []
    for kind in ("spring", LINEAR):
        model = swing(kind, type="static", method="generalized-alpha")
        found.append(fx.run(model)["bodies/bob/position"][-1])
        found.append(np.array([mode.frequency for mode in fx.modes_of_model(model).modes]))
    assert found[2] == pytest.approx(found[0], abs=1e-9)
    assert found[3] == pytest.approx(found[1], rel=1e-6)


def test_recursive_reactions_hold_it() -> None:
    model = swing(LINEAR)
    result = fx.run(model)
    again = recursive_reactions(result, model).reactions["ball"]
    size = np.abs(result["joints/ball/force"]).max()
    assert np.abs(again.force - result["joints/ball/force"]).max() < 1e-6 * size


@pytest.mark.parametrize(
    ("effort", "words"),
    [
        ("3 m", "is a length, but a force is needed"),
        ("lenght*3", "unknown name 'lenght'"),
        ("sqrt(0 - distance) + sqrt(t - 1)", "has no value at t = 0"),
        ("distance", "'distance' means the distance of its markers here, but is in [sensors] too"),
    ],
)
def test_faults(effort: str, words: str) -> None:
    model = swing(effort)
    model.sensor("distance", marker="bob", component="x")
    with pytest.raises(InputError) as caught:
        model.check()
    assert words in str(caught.value)


def test_it_needs_two_bodies() -> None:
    model = swing("0")
    model.pair_force("own", "bob.eye", "bob", effort="distance")
    model.pair_force("lost", "bob.eye", "bob.ear", effort="distance")
    with pytest.raises(InputError) as caught:
        model.check()
    assert "connects body 'bob' to itself" in str(caught.value) and "no marker 'ear'" in str(caught.value)
