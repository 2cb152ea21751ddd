"""Random closed mechanisms with several loops, drives, springs and dampers."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.mechanisms import joint_keys, random_body


def closed_mechanism(seed: int, *, driven: bool = True) -> dict[str, Any]:
    """A random tree of five bodies on the ground, closed by a distance, a point-on-line and a spherical joint.

    The tree has 9 degrees of freedom, the loops take 6, the drive of the joint `tree3` one more. Joints to the ground
    name it first and turn about a fixed point, so that their reactions are easy to sum.
    """
    rng = np.random.default_rng(seed)
    kinds = ("universal", "revolute", "spherical", "cylindrical", "revolute")
    parents = ("ground", "body0", "ground", "body1", "body2")
    bodies = {f"body{i}": random_body(rng) for i in range(len(kinds))}
    joints: dict[str, Any] = {}
    for i, (kind, parent) in enumerate(zip(kinds, parents, strict=True)):
        joints[f"tree{i}"] = {**joint_keys(kind, rng), "bodies": [parent, f"body{i}"]}
    joints["tree1"]["velocity"] = 0.8
    joints["loop0"] = {**joint_keys("distance", rng), "bodies": ["body1", "body2"]}
    joints["loop1"] = {**joint_keys("point-on-line", rng), "bodies": ["body3", "body4"]}
    joints["loop2"] = {**joint_keys("spherical", rng), "bodies": ["ground", "body3"]}
    spring = {"type": "spring-damper", "stiffness": 30.0, "damping": 0.5, "length": 0.5}
    forces = {
        "spring": {**spring, "markers": ["body1.tip", "body3.tip"]},
        "push": {"type": "force", "marker": "body2.tip", "vector": ["2*cos(9*t)", 1.0, "-3*sin(5*t)"]},
        "turning": {"type": "joint-spring", "joint": "tree1", "stiffness": 4.0, "damping": 0.2, "rest": 0.3},
        "motor": {"type": "actuator", "joint": "tree4", "effort": "sin(12*t)"},
        "drag": {"type": "friction", "joint": "tree4", "viscous": 0.3, "coulomb": 0.1, "transition": 0.5},
    }
    data: dict[str, Any] = {
        "model": {"name": "closed mechanism", "gravity": [1.0, -2.0, -9.0]},
        "bodies": bodies,
        "joints": joints,
        "forces": forces,
        "analysis": {"end": 0.1},
    }
    if driven:
        harmonic = {"amplitude": 0.1, "frequency": 2.0, "phase": 0.0}
        data["motions"] = {"drive": {"joint": "tree3", "coordinate": "slide", "harmonic": harmonic}}
    return data


def ladder(rungs: int, pins: str = "revolute", **extra: Any) -> dict[str, Any]:
    """Uprights of equal length on the ground, joined by couplers: a planar linkage with `rungs` loops in a row.

    Of spatial revolutes every loop has three constraint rows too many. `pins` is the type of the joint at the right end
    of every coupler: a point-on-line joint along the pin's axis says nothing twice.
    """
    rng = np.random.default_rng(rungs)
    bodies: dict[str, Any] = {}
    joints: dict[str, Any] = {}
    bar = {"mass": 1.0, "inertia": [0.02, 0.03, 0.04]}
    for i in range(rungs + 1):
        bodies[f"upright{i}"] = {**bar, "at": [i, 0, 0], "center": [0.0, float(rng.uniform(0.2, 0.6)), 0.0]}
        joints[f"foot{i}"] = {"type": "revolute", "bodies": ["ground", f"upright{i}"], "at": [i, 0, 0], "axis": "z"}
    joints["foot0"]["velocity"] = 2.0
    for i in range(rungs):
        bodies[f"coupler{i}"] = {**bar, "at": [i, 1, 0], "center": [0.5, 0.0, 0.0]}
        left = {"type": "revolute", "bodies": [f"upright{i}", f"coupler{i}"], "at": [i, 1, 0], "axis": "z"}
        axis = {"line": "z"} if pins == "point-on-line" else {"axis": "z"}
        right = {"type": pins, "bodies": [f"coupler{i}", f"upright{i + 1}"], "at": [i + 1, 1, 0], **axis}
        joints |= {f"left{i}": left, f"right{i}": right}
    return {
        "model": {"name": f"ladder of {rungs}", "gravity": [1.0, -9.81, 0.0]},
        "bodies": bodies,
        "joints": joints,
        "analysis": {"end": 0.3},
        **extra,
    }
