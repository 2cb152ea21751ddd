"""What the tests of loads, motions and sensors share: a body on one joint, both choices of the tree, closeness."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

RK = {"method": "rk45", "tolerance": 1e-10}
BRANCH: dict[str, Any] = {}
CHORD = {"default": "absolute"}
BOTH = pytest.mark.parametrize("coordinates", [BRANCH, CHORD], ids=["branch", "chord"])
# What a local error of 1e-10 makes of positions and rates of order one over a few oscillations.
CLOSE = 2e-8
G = 9.81
SLIDER = {"type": "prismatic", "axis": "z"}
WHEEL = {"type": "revolute", "axis": "z"}


def close(found: Any, wanted: Any, atol: float = CLOSE) -> None:
    np.testing.assert_allclose(found, wanted, rtol=0, atol=atol)


def one_body(joint: dict[str, Any] | None, coordinates: dict[str, Any], **parts: Any) -> dict[str, Any]:
    """A body of 2 kg and 0.5 kg m^2 about z, its centre in the origin, on one joint to ground."""
    body = {"mass": 2.0, "inertia": [0.3, 0.4, 0.5], "markers": parts.pop("markers", {})}
    joints = {} if joint is None else {"j": {"bodies": ["ground", "body"], "at": [0, 0, 0], **joint}}
    return {
        "model": {"name": "one body", "gravity": parts.pop("gravity", [0, 0, 0])},
        "bodies": {"body": {**body, **parts.pop("body", {})}},
        "joints": joints,
        "coordinates": coordinates,
        "analysis": {"end": parts.pop("end", 1.0)},
        **parts,
    }


def matrix(p: np.ndarray) -> np.ndarray:
    """Rotation matrix of a unit quaternion, w first."""
    w, v = p[0], p[1:]
    skew = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2 * w * skew + 2 * skew @ skew


def rotation(turn: dict[str, Any]) -> np.ndarray:
    """Rotation matrix of axis and angle."""
    axis = np.array(turn["axis"]) / np.linalg.norm(turn["axis"])
    return matrix(np.concatenate([[np.cos(turn["angle"] / 2)], np.sin(turn["angle"] / 2) * axis]))
