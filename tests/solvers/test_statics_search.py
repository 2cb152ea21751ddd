"""The search for an equilibrium: minima of independent energies, neutral motions, limits of fields, motions.

Covers: solvers.field_limits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

from flexmb.errors import ComputationError
from flexmb.reports.run_report import stability_text
from tests.support.flexible_mechanisms import WEIGHT, spinning_beam
from tests.support.mechanisms import random_tree
from tests.support.one_body import G, one_body
from tests.support.runs import Run
from tests.support.static_models import chain, column

Array = NDArray[np.float64]
STATIC: dict[str, Any] = {"type": "static"}
DOWN = [0, 0, -G]


def sprung_tree(seed: int, kinds: tuple[str, ...]) -> dict[str, Any]:
    """A random tree; the tip of every body hangs on three springs, some of which have no length at rest."""
    rng = np.random.default_rng(seed)
    data = random_tree(rng, tuple(str(kind) for kind in rng.permutation(kinds)))
    data["markers"] = {f"g{i}": {"at": (3 * rng.normal(size=3)).tolist()} for i in range(3)}
    data["forces"] = {
        f"{body}_{marker}": {
            "type": "spring-damper",
            "markers": [f"ground.{marker}", f"{body}.tip"],
            "stiffness": float(10 ** rng.uniform(0, 2)),
            "length": float(rng.choice([0.0, rng.uniform(0, 3)])),
        }
        for body in data["bodies"]
        for marker in data["markers"]
    }
    return data


class OtherEnergy:
    """Potential energy of such a tree of revolute, prismatic and spherical joints, from its data alone."""

    def __init__(self, data: dict[str, Any]):
        self.data = data
        self.design = {"ground": (np.zeros(3), Rotation.identity())}
        for name, body in data["bodies"].items():
            axis = np.array(body["orientation"]["axis"])
            turn = Rotation.from_rotvec(body["orientation"]["angle"] * axis / np.linalg.norm(axis))
            self.design[name] = (np.array(body["at"]), turn)
        self.widths = [3 if joint["type"] == "spherical" else 1 for joint in data["joints"].values()]

    def poses(self, x: Array) -> dict[str, tuple[Array, Rotation]]:
        """Position and orientation of the bodies when the joints have moved by x."""
        poses = {"ground": self.design["ground"]}
        first = 0
        for joint, width in zip(self.data["joints"].values(), self.widths, strict=True):
            moved, first = x[first : first + width], first + width
            parent, child = sorted(joint["bodies"], key=lambda name: name not in poses)
            (p0, R0), (c0, S0), (p, R) = self.design[parent], self.design[child], poses[parent]
            turn = R * R0.inv()
            pin = p + turn.apply(np.array(joint["at"]) - p0)
            axis = np.array(joint.get("axis", [0, 0, 0]))
            if joint["type"] == "prismatic":
                pin = pin + turn.apply(moved[0] * axis)
            else:
                turn = turn * Rotation.from_rotvec(moved if width == 3 else moved[0] * axis)
            poses[child] = (pin + turn.apply(c0 - np.array(joint["at"])), turn * S0)
        return poses

    def moves(self, poses: dict[str, tuple[Array, Rotation]]) -> Array:
        """What the joints have moved when the bodies have these poses."""
        moves, seen = [], ["ground"]
        for joint in self.data["joints"].values():
            parent, child = sorted(joint["bodies"], key=lambda name: name not in seen)
            seen.append(child)
            turns = [poses[name][1] * self.design[name][1].inv() for name in (parent, child)]
            pins = [
                poses[name][0] + turn.apply(np.array(joint["at"]) - self.design[name][0])
                for name, turn in zip((parent, child), turns, strict=True)
            ]
            moved = (turns[0].inv() * turns[1]).as_rotvec()
            if joint["type"] == "prismatic":
                moved = turns[0].inv().apply(pins[1] - pins[0])
            moves.append(moved if joint["type"] == "spherical" else [np.dot(moved, joint["axis"])])
        return np.concatenate(moves)

    def __call__(self, x: Array) -> float:
        poses, energy = self.poses(x), 0.0
        for name, body in self.data["bodies"].items():
            position, turn = poses[name]
            energy -= body["mass"] * np.dot(self.data["model"]["gravity"], position + turn.apply(body["center"]))
        for spring in self.data["forces"].values():
            anchor, tip = (end.split(".") for end in spring["markers"])
            position, turn = poses[tip[0]]
            end = position + turn.apply(self.data["bodies"][tip[0]]["markers"]["tip"]["at"])
            length = np.linalg.norm(end - self.data["markers"][anchor[1]]["at"])
            energy += 0.5 * spring["stiffness"] * (length - spring["length"]) ** 2
        return float(energy)


@pytest.mark.parametrize("seed", range(8))
def test_random_trees_rest_at_a_minimum_of_an_independent_energy(seed: int) -> None:
    """BFGS on the other energy, starting beside the equilibrium, comes back to it; the energies are the same. Numerical
    gradients of some 1e-8 of 1e3 J over stiffnesses of at least 1 J leave 1e-5."""
    data = sprung_tree(seed, ("revolute", "prismatic", "spherical", "revolute", "prismatic"))
    run = Run(data, **STATIC)
    found = run.summary.equilibrium  # type: ignore[attr-defined]
    assert found.is_stable and found.residual < 1e-13 and not found.neutral
    energy = OtherEnergy(data)
    poses = {name: (np.zeros(3), Rotation.identity()) for name in ("ground",)}
    for name in data["bodies"]:
        turn = Rotation.from_quat(run[f"bodies/{name}/quaternion"][0], scalar_first=True)
        poses[name] = (run[f"bodies/{name}/position"][0], turn)
    x = energy.moves(poses)
    assert energy(x) == pytest.approx(run["energy/potential"][0], rel=1e-12)
    beside = x + 0.02 * np.random.default_rng(seed).normal(size=len(x))
    least = minimize(energy, beside, method="BFGS", options={"gtol": 1e-6})
    assert least.fun == pytest.approx(run["energy/potential"][0], rel=1e-9)
    for name in data["bodies"]:
        assert energy.poses(least.x)[name][0] == pytest.approx(run[f"bodies/{name}/position"][0], abs=1e-4)


def test_a_motion_that_nothing_resists_is_left_and_named() -> None:
    """A ball joint: the body hangs down, its spin about the vertical meets no force. The lowest frequency is that of
    the other motions."""
    body = {"center": [0.4, 0, 0], "inertia": [0.01, 0.4, 0.4]}
    data = one_body({"type": "spherical"}, {}, gravity=DOWN, body=body)
    run = Run(data, **STATIC)
    found = run.summary.equilibrium  # type: ignore[attr-defined]
    assert found.neutral == ("'j.wx'",) and found.is_stable and found.residual < 1e-14
    assert "nothing resists a motion of j.wx" in stability_text(found)
    assert found.lowest == pytest.approx(2.0 * G * 0.4 / (0.4 + 2.0 * 0.4**2), rel=1e-8)
    turn = Rotation.from_quat(run["bodies/body/quaternion"][0], scalar_first=True)
    assert turn.apply([1, 0, 0]) == pytest.approx([0, 0, -1], abs=1e-12)
    rest = Run(data, start="static", end=0.1, step=1e-3)
    assert np.abs(rest["coordinates/v"]).max() < 1e-9


NEUTRAL_SEEDS = (8, 40, 180, 236)


@pytest.mark.parametrize("seed", NEUTRAL_SEEDS)
def test_random_trees_with_neutral_motions_settle(seed: int) -> None:
    """Free and ball-jointed bodies that hang on springs at one point may turn about the vertical through it."""
    data = sprung_tree(seed, ("free", "spherical", "cylindrical", "free", "universal"))
    run = Run(data, **STATIC)
    found = run.summary.equilibrium  # type: ignore[attr-defined]
    assert found.neutral and found.is_stable and found.residual < 1e-13
    rest = Run(data, start="static", end=0.05, step=1e-3)
    assert np.abs(rest["coordinates/v"]).max() < 1e-9


# Limits of fields


def test_a_column_that_buckles_beyond_its_field_is_refused() -> None:
    """Slope of the end of the elastica: K(sin(slope/2)) = sqrt(P L^2/EI) passes 90 degrees at 1.393 times Euler's load.
    Below that the bent column is found, above it the straight one is not sold as the answer."""
    critical = np.pi**2 / 4.0
    run = Run(column([-1.3 * critical, 0, 0]), **STATIC)
    assert run.summary.equilibrium.is_stable  # type: ignore[attr-defined]
    assert abs(run["sensors/end"][0][1]) > 0.5
    with pytest.raises(ComputationError, match="is unstable.*beam 'beam' has folded.*several beams"):
        Run(column([-2.0 * critical, 0, 0]), **STATIC)


# Motions, rates and dampers


def test_rates_and_dampers_do_not_move_the_equilibrium() -> None:
    """A driven hinge that turns, is accelerated and brakes its neighbour by a damper: the spring alone decides, with
    k (x - rest) = m g l/2 cos(0.3 + x) for the outer rod of 0.5 m and 1 kg; the rates are those of the motion."""
    spring = {"type": "joint-spring", "joint": "hinge1", "stiffness": 3.0, "damping": 2.0, "rest": 0.1}
    data = chain(2, motions={"drive": {"joint": "hinge0", "polynomial": [0.3, 2.0, 5.0]}}, forces={"s": spring})
    still, run = Run(data, **STATIC), Run(data, start="static", end=0.01, step=1e-3)
    x = float(still["joints/hinge1/position"][0])
    assert 3.0 * (x - 0.1) == pytest.approx(G * 0.25 * np.cos(0.3 + x), abs=1e-12)
    assert run["joints/hinge1/position"][0] == pytest.approx(x, abs=1e-14)
    assert run["joints/hinge0/velocity"][0] == pytest.approx(2.0, abs=1e-12)
    assert run["joints/hinge0/acceleration"][0] == pytest.approx(10.0, abs=1e-9)
    assert not still["coordinates/v"].any()


def test_a_turning_beam_starts_in_its_sag_without_rates() -> None:
    """The rates of a drive come on top of the sag w L^4/8EI of a beam (in a field that bends exactly: 2e-3 less)."""
    data = spinning_beam(0.1, 20.0)
    data["model"]["gravity"] = [0, 0, -G]
    data["sensors"] = {"tip": {"marker": "beam.end", "component": "z"}}
    run = Run(data, start="static", end=1e-3, step=1e-4)
    sag = WEIGHT / (8.0 * 2.0e11 * 0.01 * 0.02**3 / 12.0)
    assert run["sensors/tip"][0] == pytest.approx(-sag, rel=5e-3)
    assert run["joints/axle/velocity"][0] == pytest.approx(20.0, abs=1e-12)
    assert not run["bodies/beam/elastic_velocity"][0].any()
