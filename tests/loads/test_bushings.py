"""Bushings: gradient of their energy, action and reaction, torsion by large angles, preload, curves, bad matrices.

Covers: equations.bushings, model.schema.bushings.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmb as fx
from flexmb.errors import InputError
from flexmb.model.model import Model
from flexmb.recursive.recursive_reactions import recursive_reactions
from flexmb.results.joint_reactions import joint_reactions
from flexmb.symbolic.equations import equations_of
from tests.support.one_body import BOTH, RK, close
from tests.support.runs import Run


def full(seed: int, size: list[float]) -> list[list[float]]:
    """A full symmetric positive definite matrix (6, 6)."""
    half = np.random.default_rng(seed).normal(size=(6, 6))
    scale = np.sqrt(size)
    return (scale[:, None] * (half @ half.T / 6 + 0.3 * np.eye(6)) * scale).tolist()


STIFFNESS = full(1, [2000.0, 3000, 4000, 40, 50, 60])
DAMPING = full(2, [20.0, 30, 40, 0.4, 0.5, 0.6])


def two_bodies(mount: dict[str, Any], coordinates: dict[str, Any] | None = None) -> dict[str, Any]:
    """Two free bodies, turned and apart, on a bushing between markers beside their origins."""
    turned = {"axis": [1, 2, -1], "angle": 1.1}
    return {
        "model": {"name": "mount"},
        "bodies": {
            "one": {"mass": 2.0, "inertia": [0.1, 0.2, 0.25], "velocity": [1, 0.2, 0], "angular_velocity": [1, 0, 2],
                    "markers": {"m": {"at": [0.2, 0.1, 0], "orientation": {"axis": [0, 1, 1], "angle": 0.4}}}},
            "two": {"mass": 3.0, "inertia": [0.1, 0.2, 0.25], "at": [0.3, 0.2, 0.1], "orientation": turned,
                    "angular_velocity": [0.3, 0, -0.4], "markers": {"m": {"at": [0, -0.1, 0.05]}}},
        },
        "forces": {"mount": {"type": "bushing", "markers": ["one.m", "two.m"], **mount}},
        "coordinates": coordinates or {},
        "analysis": {"end": 0.3},
    }  # fmt: skip


@pytest.mark.parametrize("damping", [None, DAMPING], ids=["elastic", "damped"])
def test_full_matrices_keep_momentum_and_the_energy_balance(damping: Any) -> None:
    """Energy holds only if forces and moments are the gradient of the potential, by large rotations too."""
    curves = {"x": [[-1, -900], [0, 0], [1, 500]], "rz": [[-3, -30], [0, 0], [0.5, 1], [3, 40]]}
    mount = {"stiffness": STIFFNESS, "preload": [3, -2, 1, 0.1, 0.2, -0.1], "curves": curves}
    mount |= {"damping": damping} if damping else {}
    run = Run(two_bodies(mount), **RK)
    assert run.summary.energy_balance < 1e-6
    assert damping is None or run["energy/work/mount"][-1] < -1.0
    linear, angular = np.zeros((len(run.rows), 3)), np.zeros((len(run.rows), 3))
    for name, mass in (("one", 2.0), ("two", 3.0)):
        p, v, w = (run[f"bodies/{name}/{key}"] for key in ("position", "velocity", "angular_velocity"))
        q, local = run[f"bodies/{name}/quaternion"], w * [0.1, 0.2, 0.25]
        linear += mass * v
        angular += mass * np.cross(p, v)
        angular += local + 2 * np.cross(q[:, 1:], np.cross(q[:, 1:], local) + q[:, :1] * local)
    close(linear - linear[0], 0.0, atol=1e-8)
    close(angular - angular[0], 0.0, atol=1e-8)


def test_coordinates_and_frames_do_not_matter(tmp_path: Path) -> None:
    """Joint (free joints), absolute and natural coordinates; the same pair turned and moved in space."""
    mount = {"stiffness": STIFFNESS, "damping": DAMPING}
    found = []
    for coordinates in ({"default": "joint"}, {"default": "absolute"}, {"default": "natural"}):
        data = two_bodies(mount, coordinates)
        data["analysis"] = {"end": 0.1, "step": 5e-4, "method": "rk4"}
        with fx.run_model(Model.from_tables(data), tmp_path / "r.h5") as result:
            found.append([*result["bodies/two/position"][-1], result["energy/potential"][-1]])
            found[-1].append(result["energy/work/mount"][-1])
            assert result.summary["energy_balance"] < 1e-6
    close(found[1], found[0], atol=1e-9)
    close(found[2], found[0], atol=1e-7)


@BOTH
def test_a_joint_in_parallel_feels_preload_and_curve(coordinates: dict[str, Any]) -> None:
    """On a slider along x the effort is k x + preload + curve(x) + c v; the other components go to the joint."""
    mount = {"type": "bushing", "markers": ["ground", "body"], "stiffness": [100, 1, 1, 1, 1, 1],
             "damping": [5, 0, 0, 0, 0, 0], "preload": [7, 0, 0, 0, 0, 0.5],
             "curves": {"x": [[0, 0], [1, 40]]}}  # fmt: skip
    data = {
        "model": {"name": "mount"},
        "bodies": {"body": {"mass": 2.0, "inertia": [1, 1, 1]}},
        "joints": {"j": {"type": "prismatic", "bodies": ["ground", "body"], "at": [0, 0, 0], "axis": "x"}},
        "motions": {"move": {"joint": "j", "expression": "0.3*sin(2*t)"}},
        "forces": {"mount": mount},
        "coordinates": coordinates,
        "analysis": {"end": 1.0, "step": 1e-3},  # second order: errors of 1e-6 in the rate
    }
    run = Run(data)
    t = run["time"]
    x, v, a = 0.3 * np.sin(2 * t), 0.6 * np.cos(2 * t), -1.2 * np.sin(2 * t)
    close(run["motions/move/effort"], 2.0 * a + 140 * x + 7 + 5 * v, atol=2e-6)
    close(run["forces/mount/force"], np.outer(-(140 * x + 7 + 5 * v), [1, 0, 0]), atol=2e-6)
    close(run["forces/mount/moment"], [[0, 0, -0.5]] * len(t), atol=1e-10)


def test_recursive_reactions_take_the_recorded_wrench(tmp_path: Path) -> None:
    data = two_bodies({"stiffness": STIFFNESS, "damping": DAMPING})
    data["joints"] = {"hinge": {"type": "revolute", "bodies": ["ground", "one"], "at": [0, 0.3, 0], "axis": "y"},
                      "ball": {"type": "spherical", "bodies": ["ground", "two"], "at": [1, 0, 0]}}  # fmt: skip
    for body in data["bodies"].values():
        body.pop("velocity", None), body.pop("angular_velocity", None)
    data["analysis"] |= {"step": 1e-3}
    model = Model.from_tables(data)
    with fx.run_model(model, tmp_path / "r.h5") as result:
        own, recorded = recursive_reactions(result, model).reactions, joint_reactions(result)
        for name in ("hinge", "ball"):
            scale = np.abs(recorded[name].force).max()
            assert scale > 1.0
            close(own[name].force, recorded[name].force, atol=1e-5 * scale)


def test_a_beam_on_bushings_at_both_ends() -> None:
    """Flexible body on one side: the energy balance stays closed, and the mounts carry its weight at last."""
    mount = {"type": "bushing", "stiffness": [1e5] * 3 + [500] * 3, "damping": [300] * 3 + [1] * 3}
    data = {
        "model": {"name": "beam on mounts", "gravity": [0, 0, -9.81]},
        "bodies": {"beam": {"beam": [[0, 0, 0], [1, 0, 0]], "material": "steel",
                            "section": {"type": "circle", "diameter": 0.02}, "field": "linear"}},
        "markers": {"end": {"at": [1, 0, 0]}},
        "forces": {"a": {**mount, "markers": ["ground", "beam.start"]},
                   "b": {**mount, "markers": ["ground.end", "beam.end"]}},
        "analysis": {"end": 0.1},
    }  # fmt: skip
    run = Run(data, **RK)
    assert run.summary.energy_balance < 1e-6 and run["forces/a/force"][:, 2].max() > 10.0


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ({}, "needs stiffness, damping or curves"),
        ({"stiffness": [1, 1, 1]}, "found a list of 3"),
        ({"stiffness": [1, 1, -1, 1, 1, 1]}, "diagonal entry of z is -1"),
        ({"stiffness": np.diag([1.0] * 6).tolist()[:5] + [[1, 0, 0, 0, 0, 1]]}, r"not symmetric: entry \(1, 6\)"),
        ({"stiffness": (np.eye(6) + 2 * np.eye(6)[::-1]).tolist()}, "indefinite.*lowest eigenvalue is -1"),
        ({"damping": (np.eye(6) + 2 * np.eye(6)[::-1]).tolist()}, "indefinite"),
        ({"stiffness": ["1 N*m", 1, 1, 1, 1, 1]}, "entry 1"),
        ({"stiffness": [1] * 6, "markers": ["one.m", "one"]}, "connects body 'one' to itself"),
        ({"stiffness": [1] * 6, "preload": [1, 2]}, "6 numbers"),
        ({"curves": {"x": [[0, 0], [0, 1]]}}, "must increase"),
    ],
)
def test_bad_bushings(keys: dict[str, Any], text: str) -> None:
    with pytest.raises(InputError, match=text):
        Model.from_tables(two_bodies(keys)).check()


def test_bushings_have_no_symbols() -> None:
    data = two_bodies({"stiffness": STIFFNESS})
    data["analysis"]["step"] = 1e-3
    with pytest.raises(InputError, match="'mount' has no symbolic form: its rotation vector"):
        equations_of(Model.from_tables(data))
