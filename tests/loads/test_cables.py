"""Cables: statics of a tackle, winch and its work, no push, eyes on moving and flexible bodies, bad input.

Covers: equations.cables.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmb as fx
from flexmb.analyses.modes import modes_of_model
from flexmb.errors import InputError
from flexmb.model.model import Model
from flexmb.recursive.recursive_reactions import recursive_reactions
from flexmb.results.joint_reactions import joint_reactions
from flexmb.symbolic.equations import equations_of
from tests.support.linear_models import linear
from tests.support.one_body import BOTH, RK, close
from tests.support.runs import Run

G = 9.81


def tackle(coordinates: dict[str, Any], length: Any = 3.99, **keys: Any) -> dict[str, Any]:
    """A load of 20 kg on a guide hangs in a loop of cable between two points of the ceiling, 2 m below."""
    cable = {"type": "cable", "markers": ["ground.left", "load", "ground.right"], "length": length, "stiffness": 2e4}
    return {
        "model": {"name": "tackle", "gravity": [0, 0, -G]},
        "bodies": {"load": {"mass": 20.0, "inertia": [1, 1, 1], "at": [0, 0, -2]}},
        "markers": {"left": {"at": [0, 0, 0]}, "right": {"at": [0, 0, 0]}},
        "joints": {"guide": {"type": "prismatic", "bodies": ["ground", "load"], "at": [0, 0, 0], "axis": "z"}},
        "forces": {"cable": {**cable, **keys}},
        "coordinates": coordinates,
        "analysis": {"end": 1.0},
    }


@BOTH
def test_rest_and_small_motions_in_a_loop(coordinates: dict[str, Any], tmp_path: Path) -> None:
    """Two falls: T = m g / 2 and w^2 = 4 k / m."""
    data = tackle(coordinates)
    data["analysis"] = {"type": "static"}
    with fx.run_model(Model.from_tables(data), tmp_path / "r.h5") as result:
        assert result["forces/cable/effort"][-1] == pytest.approx(10 * G, rel=1e-8)
        stretch = -2 * result["bodies/load/position"][-1, 2] - 3.99
        assert stretch == pytest.approx(10 * G / 2e4, rel=1e-6)
    data["analysis"] = {"end": 1.0, "step": 1e-3}
    (mode,) = modes_of_model(Model.from_tables(data), about="static").shown
    assert 2 * np.pi * mode.frequency == pytest.approx(np.sqrt(4 * 2e4 / 20.0), rel=1e-6)


def test_the_length_is_an_input_of_the_linearised_equations() -> None:
    """Two falls: z'' = -4 k / m z - 2 k / m l_0."""
    data = tackle({}, length=3.9)
    data["analysis"]["step"] = 1e-3
    found = linear(data)
    assert found.inputs == ("cable",)
    close(found.A, [[0, 1], [-4 * 2e4 / 20, 0]], atol=1e-5)
    close(found.B, [[0], [-2 * 2e4 / 20]], atol=1e-5)


@BOTH
def test_a_winch_lifts_at_half_its_speed_and_pays_for_it(coordinates: dict[str, Any]) -> None:
    """l_0 = 3.99 - 0.2 t^2: the load is lifted by half of it on average; the energy balance holds with the winch."""
    run = Run(tackle(coordinates, "3.99 m - 0.2*t^2", damping=100.0), **RK)
    z = run["bodies/load/position"][:, 2]
    mean = 10.0 * (G + 0.2) / 2e4  # stretch at the constant acceleration of 0.2 m/s^2
    assert 2 * -z[-1] == pytest.approx(3.79 + mean, abs=0.1 * mean)
    assert run.summary.energy_balance < 1e-6
    assert run["energy/work/cable"][-1] > 0.9 * 20.0 * G * 0.1


@pytest.mark.parametrize("damping", [0.0, 300.0])
def test_a_thrown_load_flies_freely_until_the_cable_is_taut(damping: float) -> None:
    data = tackle({}, damping=damping)
    data["joints"]["guide"]["velocity"] = 3.0
    data["bodies"]["load"]["at"] = [0, 0, -1.9]
    data["analysis"] = {"end": 1.0, "step": 1e-4}
    run = Run(data)
    t, z, tension = run["time"], run["bodies/load/position"][:, 2], run["forces/cable/effort"]
    slack = t < 0.6
    close(z[slack], -1.9 + 3 * t[slack] - 0.5 * G * t[slack] ** 2, atol=1e-8)
    assert np.all(tension >= 0.0) and not np.any(tension[slack]) and tension.max() > 1000.0


def hoist(coordinates: dict[str, Any]) -> dict[str, Any]:
    """A cable from the ground over an eye on a swinging bar to a load that hangs free."""
    return {
        "model": {"name": "hoist", "gravity": [0, 0, -G]},
        "bodies": {
            "bar": {"mass": 4.0, "inertia": [0.1, 0.5, 0.5], "at": [0.5, 0, 0],
                    "markers": {"eye": {"at": [0.5, 0, 0.1]}}},
            "load": {"mass": 2.0, "inertia": [0.1, 0.1, 0.1], "at": [1.2, 0.1, -1],
                     "markers": {"hook": {"at": [0, 0, 0.2]}}},
        },
        "markers": {"winch": {"at": [-0.5, 0, 1]}},
        "joints": {"pin": {"type": "revolute", "bodies": ["ground", "bar"], "at": [0, 0, 0], "axis": "y"}},
        "forces": {"cable": {"type": "cable", "markers": ["ground.winch", "bar.eye", "load.hook"], "length": 2.6,
                             "stiffness": 2000.0}},
        "coordinates": coordinates,
        "analysis": {"end": 0.5},
    }  # fmt: skip


def test_joint_absolute_and_natural_coordinates_move_alike(tmp_path: Path) -> None:
    found = []
    for coordinates in ({"default": "joint"}, {"default": "absolute"}, {"default": "natural"}):
        data = hoist(coordinates)
        data["analysis"] |= {"step": 5e-4, "method": "rk4", "end": 0.2}
        with fx.run_model(Model.from_tables(data), tmp_path / "r.h5") as result:
            found.append([*result["bodies/load/position"][-1], *result["bodies/bar/position"][-1]])
            assert result["forces/cable/effort"].max() > 10.0
    close(found[1], found[0], atol=1e-7)
    close(found[2], found[0], atol=1e-6)


def test_energy_and_recursive_reactions(tmp_path: Path) -> None:
    assert Run(hoist({}), **RK).summary.energy_balance < 1e-6
    data = hoist({})
    data["analysis"] |= {"step": 2e-4}
    model = Model.from_tables(data)
    with fx.run_model(model, tmp_path / "r.h5") as result:
        own, recorded = recursive_reactions(result, model).reactions["pin"], joint_reactions(result)["pin"]
        close(own.force, recorded.force, atol=1e-5 * np.abs(recorded.force).max())


def test_a_cable_through_an_eye_on_a_beam() -> None:
    """Flexible body: an eye at the tip of a cantilever carries a load; the energy balance stays closed."""
    data = hoist({})
    data["bodies"]["bar"] = {
        "beam": [[0, 0, 0], [1, 0, 0]], "material": "steel", "section": {"type": "circle", "diameter": 0.02},
        "field": "linear",
    }  # fmt: skip
    data["joints"]["pin"] = {"type": "fixed", "bodies": ["ground", "bar"], "at": [0, 0, 0]}
    data["forces"]["cable"]["markers"][1] = "bar.end"
    data["analysis"]["end"] = 0.1
    run = Run(data, **RK)
    assert run.summary.energy_balance < 1e-6 and run["forces/cable/effort"].max() > 1.0


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ({"markers": ["load"]}, "at least two markers, found 1"),
        ({"markers": ["ground.left", "load", "load", "ground.right"]}, "runs from 'load' to itself"),
        ({"markers": ["ground.left", "ground.right"]}, "connects body 'ground' to itself"),
        ({"stiffness": -5.0}, "greater than 0"),
        ({"damping": -5.0}, "must not be negative"),
        ({"length": 0.0}, "length of a cable must be positive"),
        ({"length": "3 m - s"}, "s"),
        ({"friction": 0.2}, "friction"),
    ],
)
def test_bad_cables(keys: dict[str, Any], text: str) -> None:
    with pytest.raises(InputError, match=text):
        Model.from_tables(tackle({}, **{"length": 3.99, **keys})).check()


def test_cables_have_no_symbols() -> None:
    data = tackle({})
    data["analysis"]["step"] = 1e-3
    with pytest.raises(InputError, match="'cable' has no symbolic form"):
        equations_of(Model.from_tables(data))
