"""Reactions from the ends of the tree inwards, in NumPy, against the multipliers of absolute and joint coordinates.

Covers: recursive.joint_subspaces, recursive.recorded_accelerations.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmb as fx
from flexmb.analyses.inverse import inverse_model
from flexmb.recursive.recursive_reactions import recursive_reactions
from flexmb.results.joint_reactions import joint_reactions
from tests.support.command_line import call
from tests.support.driven_models import LEE, cart, driven, solve
from tests.support.example_scripts import script
from tests.support.flexible_mechanisms import cantilever

RECURSIVE: dict[str, Any] = {"reactions": "recursive"}
LINEAR = 1e-11
"""Both methods solve the same linear equations of a row: round-off, and some condition of the mechanism."""
INTEGRATED = 1e-6
"""The rows of an integrated run leave a residual of the Newton iteration, 1e-7 of the forces and less, which one method
puts into the reactions and the other not."""


def lee(folder: Path, coordinates: str, **options: Any) -> Any:
    model = script("05_inverse_slider_crank").slider_crank(**options)
    model.coordinates(default=coordinates)
    model.output(every=4e-4)
    return inverse_model(model, folder / "out.h5", **RECURSIVE)


@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
def test_lee_slider_crank_rigid(tmp_path: Path, coordinates: str) -> None:
    found = lee(tmp_path, coordinates, rigid_rod=True)
    assert found.recursive is not None and found.how == "kinematic"
    assert all(known.all() for known in found.recursive.determined.values())
    assert found.method_difference < LINEAR
    torque = found.drives[0].effort
    np.testing.assert_allclose(found.recursive.efforts["drive"], torque, rtol=0, atol=LINEAR * np.abs(torque).max())


@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
@pytest.mark.parametrize("field", ["linear", "quadratic", "exact"])
def test_lee_slider_crank_flexible(tmp_path: Path, coordinates: str, field: str) -> None:
    found = lee(tmp_path, coordinates, field=field)
    assert found.recursive is not None and found.how == "dynamic"
    assert all(known.all() for known in found.recursive.determined.values())
    assert 0.0 < found.method_difference < INTEGRATED
    torque = found.drives[0].effort
    np.testing.assert_allclose(found.recursive.efforts["drive"], torque, rtol=0, atol=INTEGRATED * np.abs(torque).max())


def test_lee_slider_crank_flexible_quasi_static(tmp_path: Path) -> None:
    model = fx.read_model(LEE, {"analysis.end": "5 ms", "output.every": "0.5 ms"})
    found = inverse_model(model, tmp_path / "out.h5", elastic="quasi-static", **RECURSIVE)
    assert found.how == "quasi-static" and found.method_difference < INTEGRATED


@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
def test_planar_slider_crank_where_rows_repeat_others(tmp_path: Path, coordinates: str) -> None:
    found = solve(tmp_path, driven({"default": coordinates}, step=0.02), **RECURSIVE)
    assert found.recursive is not None and found.method_difference < LINEAR
    # What is open here is what the method of multipliers calls not unique.
    names = ("fx", "fy", "fz", "mx", "my", "mz")
    for joint, parts in found.not_unique.items():
        known = np.atleast_1d(found.recursive.determined[joint].all(axis=0))
        assert tuple(name for name, one in zip(names, known, strict=True) if not one) == parts


@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
def test_spatial_loop(tmp_path: Path, coordinates: str) -> None:
    data = driven({"default": coordinates}, step=0.02)
    pin = {"type": "universal", "bodies": ["rod", "crank"], "at": [0.2, 0, 0], "axes": ["z", "-y"]}  # the other way
    data["joints"]["pin"] = pin
    data["joints"]["wrist"] = {"type": "spherical", "bodies": ["rod", "slider"], "at": [0.8, 0, 0]}
    data["forces"] = {
        "push": {"type": "force", "marker": "slider", "vector": ["30*sin(4*t)", 5, -2]},
        "twist": {"type": "torque", "marker": "rod", "vector": [0.5, 1, 2], "axes": "marker"},
        "spring": {
            "type": "spring-damper",
            "markers": ["ground", "rod"],
            "stiffness": 200,
            "damping": 3,
            "length": 0.1,
        },
        "hinge": {"type": "joint-spring", "joint": "bearing", "stiffness": 4, "damping": 0.3},
        "drag": {"type": "friction", "joint": "slide", "viscous": 8},
    }
    found = solve(tmp_path, data, **RECURSIVE)
    assert found.recursive is not None and found.method_difference < LINEAR
    assert all(known.all() for known in found.recursive.determined.values())


JOINTS: dict[str, dict[str, Any]] = {
    "revolute": {"axis": [0.2, 0.4, 1.0], "velocity": 2.0},
    "prismatic": {"axis": [0.2, 0.4, 1.0], "velocity": 0.3},
    "cylindrical": {"axis": [0.2, 0.4, 1.0], "velocity": [0.3, 2.0]},
    "screw": {"axis": [0.2, 0.4, 1.0], "lead": 0.2, "velocity": 2.0},
    "universal": {"axes": ["x", "y"], "velocity": [2.0, -1.0]},
    "spherical": {"velocity": [1.0, -2.0, 3.0]},
    "planar": {"axis": [0.2, 0.4, 1.0], "velocity": [0.2, -0.1, 2.0]},
    "pin-in-slot": {"axis": "z", "slot": "x", "velocity": [0.3, 2.0]},
    "point-on-line": {"line": [0.2, 0.4, 1.0], "velocity": [0.3, 1.0, -2.0, 3.0]},
    "fixed": {},
}


@pytest.mark.parametrize("turned_round", [False, True])
@pytest.mark.parametrize("kind", JOINTS)
def test_open_tree(tmp_path: Path, kind: str, turned_round: bool) -> None:
    # Ground, hinge, arm, the joint, hand: a run of a free chain, then of the same one with the hinge driven.
    bodies = ["hand", "arm"] if turned_round else ["arm", "hand"]
    data: dict[str, Any] = {
        "model": {"gravity": [1.0, -2.0, -9.81]},
        "bodies": {
            "arm": {"mass": 2.0, "inertia": [0.02, 0.05, 0.06], "at": [0.3, 0, 0], "center": [0.1, 0.02, -0.03]},
            "hand": {"mass": 1.0, "inertia": [0.01, 0.02, 0.025], "at": [0.7, 0.1, 0], "rotor": [0.1, 0.2, -0.1]},
        },
        "joints": {
            "hinge": {"type": "revolute", "bodies": ["ground", "arm"], "at": [0, 0, 0], "axis": "y", "velocity": 3.0},
            "wrist": {"type": kind, "bodies": bodies, "at": [0.6, 0, 0], **JOINTS[kind]},
        },
        "forces": {"push": {"type": "force", "marker": "hand", "vector": [3, "4*cos(5*t)", 5], "axes": "marker"}},
        "analysis": {"end": 0.2, "step": 1e-3, "method": "rk4"},
        "output": {"every": 0.01},
    }
    model = fx.Model.from_tables(data)
    result = fx.run_model(model, tmp_path / "free.h5")
    found = recursive_reactions(result, model)
    # An open tree without motions has nothing unknown: both methods evaluate the equations of every row. Rows between
    # steps are interpolated, which 10 ms in steps of 1 ms are not.
    assert all(known.all() for known in found.determined.values())
    assert found.difference(joint_reactions(result, model=model)) < 1e-9
    data["joints"]["hinge"].pop("velocity")
    data["motions"] = {"swing": {"joint": "hinge", "expression": "sin(3*t)"}}
    data["analysis"] = {"end": 0.2, "step": 1e-3}
    assert solve(tmp_path, data, **RECURSIVE).method_difference < INTEGRATED


def test_a_chain_of_beams(tmp_path: Path) -> None:
    data = cantilever(1.0, field="exact")
    data["bodies"]["lump"] = {"mass": 5.0, "inertia": [1e-3, 2e-3, 3e-3], "at": [1.0, 0, 0]}
    data["joints"]["weld"] = {"type": "fixed", "bodies": ["beam", "lump"], "at": [1.0, 0, 0]}
    data["analysis"] = {**data["analysis"], "end": 0.1, "step": 1e-3}
    model = fx.Model.from_tables(data)
    result = fx.run_model(model, tmp_path / "out.h5")
    assert recursive_reactions(result, model).difference(joint_reactions(result, model=model)) < INTEGRATED


def test_a_marker_that_is_driven_and_a_free_degree(tmp_path: Path) -> None:
    data = cart(pull={"marker": "cart", "along": "x", "expression": "0.2*sin(3*t)"})
    data["analysis"] = {"end": 0.5, "step": 1e-3}
    found = solve(tmp_path, data, **RECURSIVE)
    assert found.n_free == 1 and found.recursive is not None and found.method_difference < INTEGRATED
    effort = found.drives[0].effort
    np.testing.assert_allclose(found.recursive.efforts["pull"], effort, rtol=0, atol=INTEGRATED * np.abs(effort).max())


def test_what_is_not_covered_is_refused_by_name(tmp_path: Path) -> None:
    tables = fx.read_model(LEE).identity
    tables["forces"] = {"wind": {"type": "distributed-force", "body": "rod", "vector": [0, 0, 1]}}
    tables["base"] = {"acceleration": ["1", "0", "0"]}
    with pytest.raises(fx.InputError) as caught:
        solve(tmp_path, tables, more_drives="least-squares", **RECURSIVE)
    texts = " ".join(str(fault) for fault in caught.value.faults)
    assert len(caught.value.faults) == 3
    assert "forces.wind" in texts and "moving ground" in texts and "fitted motions" in texts
    with pytest.raises(fx.InputError, match="choices: multipliers, recursive"):
        solve(tmp_path, driven(), reactions="guess")


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("-o", str(tmp_path / "lee.h5"), "--set", "analysis.end=2 ms")
    code, out, _ = call(capsys, "inverse", str(LEE), *options, "--reactions", "recursive")
    assert code == 0
    words = " ".join(out.split())
    assert "recursive: from the ends of the tree inwards" in words and "by multipliers: " in words
    difference = float(words.split("by multipliers: ")[1].split()[0])
    assert 0.0 < difference < INTEGRATED
