"""Scenes of models as drawn, for checks of what must be true of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import flexmb as fx
from flexmb.model.model import Model
from flexmb.results.model_of_result import model_of
from flexmb.results.result_file import Result
from flexmb.system.mechanism import Mechanism
from flexmb.system.placement import place
from flexmb.view.scene import Part, Scene
from flexmb.view.scene_of_result import scene_of_result
from tests.support.flexible_mechanisms import STEEL

Fixed = tuple[Result, Scene, Mechanism]


def drawn(path: Path, data: dict[str, Any], **analysis: Any) -> Fixed:
    """Run a model and make its scene; soft trees of random beams have shapes that do not suit their supports."""
    tables = {**data, "analysis": {**data.get("analysis", {}), **analysis}}
    with patch("flexmb.system.placement.support_faults", return_value=[]):
        result = fx.run_model(Model.from_tables(tables), path)
        return result, scene_of_result(result), place(model_of(result).spec)


def turn(axis: int, angle: float) -> np.ndarray:
    """Rotation about x, y or z."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3)
    R[i, i] = R[j, j] = np.cos(angle)
    R[j, i], R[i, j] = np.sin(angle), -np.sin(angle)
    return R


def ring(part: Part, x: float) -> np.ndarray:
    """Numbers of the points of a section of a beam."""
    return np.flatnonzero(np.abs(part.points[:, 0] - x) < 1e-9)


def held_beam(**keys: Any) -> dict[str, Any]:
    """A steel strip held at three places by joints, with an end that hangs over and is pushed."""
    strip = {"type": "rectangle", "y": 0.02, "z": 0.004}
    shapes = {"family": "elements", "bending": 5, "axial": 1, "torsion": 1}
    beam = {"beam": [[0, 0, 0], [1, 0, 0]], "material": STEEL, "section": strip, "shapes": shapes, **keys}
    slide = {"type": "point-on-line", "bodies": ["ground", "beam"], "line": "x"}
    return {
        "model": {"gravity": [0, -3, -9.81]},
        "bodies": {"beam": beam},
        "joints": {
            "pivot": {"type": "revolute", "bodies": ["ground", "beam"], "at": [0, 0, 0], "axis": "y"},
            "middle": {**slide, "at": [0.5, 0, 0]},
            "far": {**slide, "at": [0.8, 0, 0]},
        },
        "forces": {"push": {"type": "force", "marker": "beam.end", "vector": [0, 0, -5.0]}},
        "output": {"every": 2e-3},
    }
