"""Mechanisms for the tests: random trees holding every joint, and a slider-crank."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.joints.table import JOINT_TYPES
from flexmb.model.schema import read_spec
from tests.support.one_body import G

TREE_JOINTS = (*(row.name for row in JOINT_TYPES.values() if row.n_v), "fixed")
"""Every joint type that can be in the tree."""


def random_body(rng: np.random.Generator) -> dict[str, Any]:
    """A body with random mass, centre, inertia, pose and one marker."""
    points = rng.normal(size=(8, 3)) * 0.3
    masses = rng.uniform(0.05, 0.3, size=8)
    center = masses @ points / masses.sum()
    d = points - center
    tensor = sum(m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in zip(masses, d, strict=True))
    return {
        "mass": float(masses.sum()),
        "inertia": tensor.tolist(),
        "center": center.tolist(),
        "at": rng.normal(size=3).tolist(),
        "orientation": {"axis": rng.normal(size=3).tolist(), "angle": float(rng.uniform(-3, 3))},
        "markers": {"tip": {"at": rng.normal(size=3).tolist(), "axis": rng.normal(size=3).tolist()}},
        "rotor": (0.1 * rng.normal(size=3)).tolist(),
    }


def joint_keys(kind: str, rng: np.random.Generator) -> dict[str, Any]:
    """The keys that a joint of this type needs besides its bodies."""
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    across = np.cross(axis, rng.normal(size=3))
    across /= np.linalg.norm(across)
    keys: dict[str, Any] = {"type": kind, "at": rng.normal(size=3).tolist()}
    row = JOINT_TYPES[kind]
    directions = {"axis": axis, "line": axis, "slot": across, "axes": np.array([axis, across])}
    keys |= {key: directions[key].tolist() for key in row.directions}
    keys |= dict.fromkeys(row.numbers, 0.7)
    if row.at == "pair":
        keys["at"] = [rng.normal(size=3).tolist(), rng.normal(size=3).tolist()]
    return keys


def random_tree(rng: np.random.Generator, kinds: tuple[str, ...] = TREE_JOINTS, **extra: Any) -> dict[str, Any]:
    """A tree with one body per joint type, parents chosen at random, every other joint written the other way round."""
    bodies: dict[str, Any] = {}
    joints: dict[str, Any] = {}
    names = ["ground"]
    for number, kind in enumerate(kinds):
        name = f"body{number}"
        bodies[name] = random_body(rng)
        pair = [names[int(rng.integers(len(names)))], name]
        joints[f"joint{number}"] = {**joint_keys(kind, rng), "bodies": pair if number % 2 == 0 else pair[::-1]}
        names.append(name)
    return {"model": {"name": "random tree", "gravity": [1.0, -2.0, -9.0]}, "bodies": bodies, "joints": joints, **extra}


def slider_crank(coordinates: dict[str, Any]) -> dict[str, Any]:
    """A planar slider-crank whose bearing is driven at a varying rate."""
    rod = {"mass": 1.0, "inertia": [0.001, 0.02, 0.02]}
    return {
        "model": {"name": "slider-crank", "gravity": [0, 0, -9.81]},
        "bodies": {
            "crank": {**rod, "center": [0.1, 0, 0]},
            "rod": {**rod, "at": [0.2, 0, 0], "center": [0.3, 0, 0]},
            "slider": {"mass": 2.0, "inertia": [0.01, 0.01, 0.01], "at": [0.8, 0, 0]},
        },
        "joints": {
            "bearing": {"type": "revolute", "bodies": ["ground", "crank"], "at": [0, 0, 0], "axis": "-y"},
            "pin": {"type": "revolute", "bodies": ["crank", "rod"], "at": [0.2, 0, 0], "axis": "-y"},
            "wrist": {"type": "revolute", "bodies": ["rod", "slider"], "at": [0.8, 0, 0], "axis": "-y"},
            "slide": {"type": "prismatic", "bodies": ["ground", "slider"], "at": [0.8, 0, 0], "axis": "x"},
        },
        "motions": {"drive": {"joint": "bearing", "expression": "0.5 + 6*t + 0.3*sin(5*t)"}},
        "coordinates": coordinates,
        "analysis": {"end": 1.0},
    }


def spec_of(data: dict[str, Any]) -> Any:
    """Checked model of a dictionary."""
    return read_spec(data)


def disc(**parts: Any) -> dict[str, Any]:
    """A disc of radius 0.3 m, 2 kg, axis y, standing on the plane z = 0."""
    joint = {"type": "rolling", "bodies": ["ground", "disc"], "at": [0, 0, 0], "normal": "z", "axis": "y"}
    joint["radius"] = 0.3
    return {
        "model": {"name": "disc", "gravity": parts.pop("gravity", [0, 0, -G])},
        "bodies": {
            "disc": {"mass": 2.0, "inertia": [0.045, 0.09, 0.045], "at": [0, 0, 0.3], **parts.pop("body", {})},
        },
        "joints": {"contact": joint},
        "analysis": {"end": 1.0},
        **parts,
    }


def rotation(p: np.ndarray) -> np.ndarray:
    """Rotation matrix of a unit quaternion (w, x, y, z)."""
    w, x, y, z = p
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def ring(kind: str, seed: int = 3) -> dict[str, Any]:
    """ground - revolute - universal - `kind` - spherical - ground: as many degrees of freedom as `kind` has."""
    rng = np.random.default_rng(seed)
    data: dict[str, Any] = {
        "model": {"name": f"ring with a {kind} joint", "gravity": [0.5, 0.3, -9.81]},
        "bodies": {name: random_body(rng) for name in ("one", "two", "three")},
        "joints": {
            "a": {**joint_keys("revolute", rng), "bodies": ["ground", "one"], "velocity": 1.5},
            "b": {**joint_keys("universal", rng), "bodies": ["two", "one"]},
            "x": {**joint_keys(kind, rng), "bodies": ["two", "three"]},
            "c": {**joint_keys("spherical", rng), "bodies": ["three", "ground"]},
        },
        "analysis": {"end": 0.2},
    }
    return data
