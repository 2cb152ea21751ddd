"""Every joint type of the table between two moving bodies: as a branch, as a chord, in natural coordinates, and its
reactions by both methods. A new row of the table is tested here without a change.

Covers: joints.cylindrical, joints.dispatch, joints.distance, joints.free, joints.motion, joints.pin_in_slot,
joints.planar, joints.point_on_line, joints.prismatic, joints.revolute, joints.screw, joints.spherical,
joints.universal.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmb as fx
from flexmb.joints.table import JOINT_TYPES
from flexmb.recursive.recursive_reactions import recursive_reactions
from flexmb.results.joint_reactions import joint_reactions
from tests.support.mechanisms import TREE_JOINTS, joint_keys, random_body
from tests.support.natural_models import NaturalRun, assert_same_motion, differences
from tests.support.runs import Run

STEP = {"method": "rk4", "step": 1e-3, "end": 0.05}


def linkage(kind: str, seed: int = 3) -> dict[str, Any]:
    """Ground, universal joint, arm, the joint, hand; all its coordinates have a rate, those with a position a spring,
    a friction and an actuator."""
    rng = np.random.default_rng(seed)
    row = JOINT_TYPES[kind]
    joint = {**joint_keys(kind, rng), "bodies": ["arm", "hand"]}
    if row.n_v:
        joint["velocity"] = rng.normal(size=row.n_v).tolist()
    forces: dict[str, Any] = {}
    for name in row.drivable:
        on = {"joint": "joint", "coordinate": name}
        forces[f"spring_{name}"] = {"type": "joint-spring", **on, "stiffness": 3.0, "damping": 0.1, "rest": 0.1}
        forces[f"rub_{name}"] = {"type": "friction", **on, "viscous": 0.1, "coulomb": 0.2, "transition": 0.5}
        forces[f"drive_{name}"] = {"type": "actuator", **on, "effort": "cos(5*t)"}
    return {
        "model": {"gravity": [1.0, -2.0, -9.81]},
        "bodies": {"arm": random_body(rng), "hand": random_body(rng)},
        "joints": {"root": {**joint_keys("universal", rng), "bodies": ["ground", "arm"]}, "joint": joint},
        "forces": {**forces, "push": {"type": "force", "marker": "hand.tip", "vector": [3, "4*cos(5*t)", 5]}},
        "output": {"every": 0.01},
    }


@pytest.mark.parametrize("kind", TREE_JOINTS)
def test_one_motion_as_branch_as_chord_and_in_natural_coordinates(kind: str) -> None:
    """Speeds of some rad/s and a step of 1e-3 s: (omega h)^4 of 1e-10 to 1e-9."""
    data = linkage(kind)
    branch = Run(data, **STEP)
    chord = Run({**data, "coordinates": {"default": "absolute"}}, **STEP)
    assert "joint" in {row.owner for row in chord.system.rows} or kind == "free"
    assert_same_motion(NaturalRun(data, **STEP), chord)
    has_rod = JOINT_TYPES[kind].motions_of("rod")  # the spin of the frame on a rod is that of its history
    for path, difference in differences(branch, chord, "bodies", "joints").items():
        if not (has_rod and path.startswith("joints/joint/") and "/force" not in path and "/moment" not in path):
            assert difference < (1e-8 if path.endswith(("position", "quaternion")) else 1e-6), path


@pytest.mark.parametrize("kind", TREE_JOINTS)
def test_reactions_by_both_methods(tmp_path: Path, kind: str) -> None:
    data = {**linkage(kind), "analysis": STEP}
    model = fx.Model.from_tables(data)
    result = fx.run_model(model, tmp_path / "out.h5")
    assert recursive_reactions(result, model).difference(joint_reactions(result, model=model)) < 1e-9
