"""One reaction, many methods: a joint as a branch (free bodies of the tree) and as a chord (multipliers), in joint,
absolute and mixed coordinates, on random mechanisms, rigid and flexible.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import flexmb as fx
from flexmb.analyses.inverse import inverse_model
from flexmb.analyses.preparation import prepare
from flexmb.bodies.orientation import rotations
from flexmb.recursive.recursive_reactions import recursive_reactions
from flexmb.results.inverse_result import InverseDynamics
from flexmb.results.joint_reactions import joint_reactions
from flexmb.system.placement import place
from tests.support.free_bodies import FINE, INSIDE, SAME, FreeBodies, flexible_mechanism, rigid_mechanism
from tests.support.mechanisms import TREE_JOINTS, random_tree

RIGID: dict[str, dict[str, Any]] = {
    "joint": {},
    "absolute": {"default": "absolute"},
    "mixed": {"absolute": ["body0", "body4"]},
    "other branches": {"branches": ["loop0", "loop2"]},
    "a third tree": {"branches": ["loop1"]},
}
FLEXIBLE: dict[str, dict[str, Any]] = {
    "joint": {},
    "absolute": {"default": "absolute"},
    "mixed": {"absolute": ["coupler"]},
    "cut at the rocker": {"chords": ["pin2"]},
}


def solve(folder: Path, data: dict[str, Any], coordinates: dict[str, Any]) -> tuple[InverseDynamics, set[str]]:
    """Inverse dynamics, and the joints that are chords."""
    changes = {"coordinates": coordinates, "analysis": {**FINE, "end": 0.01}, "output": {"every": 1e-3}}
    model = fx.Model.from_tables({**data, **changes})
    system = prepare(model).system
    return inverse_model(model, folder / "out.h5"), {system.mechanism.joints[k].name for k in system.topology.chords}


def compare(folder: Path, data: dict[str, Any], methods: dict[str, dict[str, Any]], limit: float) -> None:
    """All reactions, where they act, and the effort of the drive along the whole run, in parts of the largest one."""
    (first, chords), *others = (solve(folder, data, coordinates) for coordinates in methods.values())
    assert first.not_unique == {} and first.n_repeated == 0
    largest = {
        quantity: max(float(np.abs(getattr(reaction, quantity)).max()) for reaction in first.reactions.values())
        for quantity in ("force", "moment", "force_world", "moment_world", "position")
    }
    as_chord, as_branch = set(chords), set(first.reactions) - chords
    for (second, cut), method in zip(others, [*methods][1:], strict=True):
        as_chord |= cut
        as_branch |= set(second.reactions) - cut
        assert [*second.reactions] == [*first.reactions]
        for name, one in first.reactions.items():
            other = second.reactions[name]
            assert (one.first, one.second) == (other.first, other.second)
            for quantity, size in largest.items():
                gap = float(np.abs(getattr(one, quantity) - getattr(other, quantity)).max())
                assert gap < limit * size, (method, name, quantity, gap / size)
        effort = first.drives[0].effort
        gap = float(np.abs(second.drives[0].effort - effort).max())
        assert gap < limit * np.abs(effort).max(), (method, gap)
    assert as_chord == as_branch == set(first.reactions)  # every joint is found by both methods


# Two runs in different coordinates take different steps, each good to 1e-12: states agree to 100 times that, and so do
# reactions, which are functions of the state; those of soft beams change ten times as fast.


@pytest.mark.parametrize("seed", [1, 2])
def test_rigid_mechanisms(seed: int, tmp_path: Path) -> None:
    compare(tmp_path, rigid_mechanism(seed), RIGID, 2e-10)


@pytest.mark.parametrize(("seed", "field"), [(4, "exact"), pytest.param(5, "full", marks=pytest.mark.long)])
def test_flexible_mechanisms(seed: int, field: str, tmp_path: Path) -> None:
    compare(tmp_path, flexible_mechanism(seed, field), FLEXIBLE, 2e-9)


@pytest.mark.parametrize("data", [rigid_mechanism(3), flexible_mechanism(2)], ids=["rigid", "flexible"])
@pytest.mark.parametrize("coordinates", [{}, {"default": "absolute"}], ids=["joint", "absolute"])
def test_bodies_one_by_one(data: dict[str, Any], coordinates: dict[str, Any], tmp_path: Path) -> None:
    """The recursive method, from the ends of the tree inwards in numpy, at the states of the run."""
    found, _ = solve(tmp_path, data, coordinates)
    classic = recursive_reactions(found.result, found.model)
    assert all(known.all() for known in classic.determined.values())
    # Both are algebra of the same row: rounding, times the condition of the joint equations.
    for quantity in ("force", "moment", "force_world", "moment_world"):
        size = max(float(np.abs(getattr(reaction, quantity)).max()) for reaction in found.reactions.values())
        for name, reaction in found.reactions.items():
            gap = float(np.abs(getattr(classic.reactions[name], quantity) - getattr(reaction, quantity)).max())
            assert gap < 1e-9 * size, (name, quantity, gap / size)
    effort = found.drives[0].effort
    np.testing.assert_allclose(classic.efforts["drive"], effort, rtol=0, atol=1e-9 * np.abs(effort).max())


# Newton and Euler for every body


def in_balance(bodies: FreeBodies) -> None:
    """Rates of momentum are the wrenches, in parts of the largest one."""
    size = max(float(np.abs(bodies.wrench[name]).max()) for name in bodies.momentum)
    for name, momentum in bodies.momentum.items():
        gap = float(np.abs(bodies.rate(momentum) - bodies.wrench[name])[INSIDE].max())
        assert gap < SAME * size, (name, gap / size)


def run(folder: Path, data: dict[str, Any]) -> FreeBodies:
    """A run without drives, cut free; rows 1 ms apart, as rounding of the velocities counts by the row."""
    model = fx.Model.from_tables({**data, "analysis": {**FINE, "end": 0.06}, "output": {"every": 1e-3}})
    result = fx.run_model(model, folder / "out.h5")
    reactions = joint_reactions(result, model=model)
    return FreeBodies(data, SimpleNamespace(result=result, model=model, reactions=reactions, drives=()))


@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
def test_every_kind_of_joint_in_a_forward_run(coordinates: str, tmp_path: Path) -> None:
    """Each written from parent to child or the other way round."""
    data = random_tree(np.random.default_rng(2), coordinates={"default": coordinates})
    assert len(data["joints"]) == len(TREE_JOINTS)
    in_balance(run(tmp_path, data))


@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
def test_rolling_wheel(coordinates: str, tmp_path: Path) -> None:
    """The contact force is reported at the middle of the wheel, with the moment it has about that point."""
    wheel = {"mass": 2.0, "inertia": [0.05, 0.09, 0.05], "at": [0, 0, 0.3], "center": [0.02, 0, -0.03]}
    wheel |= {"velocity": [1.0, 0, 0], "angular_velocity": [0, 1.0 / 0.3, 0.2]}
    contact = {"type": "rolling", "at": [0, 0, 0], "normal": "z", "axis": "y", "radius": 0.3}
    data = {
        "model": {"gravity": [1.0, -2.0, -9.0]},
        "bodies": {"wheel": wheel},
        "joints": {"contact": {**contact, "bodies": ["ground", "wheel"]}},
        "coordinates": {"default": coordinates},
    }
    bodies = run(tmp_path, data)
    in_balance(bodies)
    # No moment about the point of contact: the lowest one of the disc.
    reaction = bodies.found.reactions["contact"]
    assert np.abs(reaction.moment_world).max() > 0.1
    axis = rotations(bodies.found.result["bodies/wheel/quaternion"])[:, :, 1]
    down = axis * axis[:, 2:] - np.array([0.0, 0.0, 1.0])
    lowest = reaction.position + 0.3 * down / np.linalg.norm(down, axis=1)[:, None]
    assert np.abs(lowest[:, 2]).max() < 1e-12
    assert np.abs(reaction.moment_about(lowest)).max() < 1e-12


def test_drive_of_a_point_on_a_beam(tmp_path: Path) -> None:
    """Its effort is a force along the axis at the deformed place; the rest of the mechanism as before."""
    data = flexible_mechanism(2)
    mechanism = place(fx.Model.from_tables(data).spec)
    start = float(mechanism.world_pose(mechanism.marker_index["coupler.tip"])[1][2])
    drive = {"marker": "coupler.tip", "along": "z", "expression": f"{start!r} + 0.3*t - 2*t^2"}
    data |= {"motions": {"drive": drive}, "output": {"every": 4e-4}}
    found = inverse_model(fx.Model.from_tables(data), tmp_path / "out.h5")
    assert found.n_driven == 1 and np.abs(found.drives[0].effort).max() > 1.0
    in_balance(FreeBodies(data, found))
