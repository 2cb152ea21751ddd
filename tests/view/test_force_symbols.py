"""Cables that sag, springs and bushings in a scene: where they are drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmb as fx
from flexmb.model.model import Model
from flexmb.view.scene import Scene
from flexmb.view.scene_of_result import scene_of_result


def scene(forces: dict[str, Any], folder: Path) -> Scene:
    """A ball that hangs still, 1 m beside and 2 m below the ground."""
    data = {
        "model": {"name": "ball", "gravity": [0, 0, -9.81]},
        "bodies": {"ball": {"mass": 1.0, "inertia": [0.1, 0.1, 0.1], "at": [1, 0, -2]}},
        "markers": {"far": {"at": [3, 0, 0]}},
        "joints": {"hold": {"type": "prismatic", "bodies": ["ground", "ball"], "at": [1, 0, -2], "axis": "z"}},
        "motions": {"still": {"joint": "hold", "rate": 0.0}},
        "forces": forces,
        "analysis": {"end": 0.1, "step": 0.01},
    }
    with fx.run_model(Model.from_tables(data), folder / "r.h5") as result:
        return scene_of_result(result)


@pytest.mark.parametrize(("length", "slack"), [("7 m", True), ("4 m", False)])
def test_a_cable_hangs_in_an_arc_when_it_is_slack(length: str, slack: bool, tmp_path: Path) -> None:
    """Spans of sqrt(5) and sqrt(8) m; each sags by sqrt(3 s e / 8) in its middle, with its share e of the excess."""
    cable = {"type": "cable", "markers": ["ground", "ball", "ground.far"], "length": length, "stiffness": 100.0}
    parts = [part for part in scene({"rope": cable}, tmp_path).parts if part.name.startswith("cable rope")]
    assert [part.name for part in parts] == ["cable rope", "cable rope, span 2"]
    spans = np.sqrt([5.0, 8.0])
    excess = max(0.0, float(length.split()[0]) - spans.sum()) * spans / spans.sum()
    ends = ([0, 0, 0], [1, 0, -2], [3, 0, 0])
    for part, span, longer, start, end in zip(parts, spans, excess, ends, ends[1:], strict=False):
        points = part.positions(0)
        along = np.repeat(np.linspace(0, 1, 17), len(part.points) // 17)
        sag = np.sqrt(0.375 * span * longer)
        middle = points[np.abs(along - 0.5) < 1e-9].mean(axis=0)
        np.testing.assert_allclose(middle, np.mean([start, end], axis=0) - [0, 0, sag], atol=1e-5)
        np.testing.assert_allclose(points[along < 1e-9].mean(axis=0), start, atol=1e-5)
        assert bool(sag > 0.1) is slack


def test_a_bushing_is_a_ring_at_its_first_marker_and_a_damper_alone_is_not_drawn(tmp_path: Path) -> None:
    ends = {"type": "bushing", "markers": ["ball", "ground"]}
    forces = {"mount": {**ends, "stiffness": [10] * 6}, "drag": {**ends, "damping": [1] * 6},
              "coil": {"type": "spring-damper", "markers": ["ground", "ball"], "stiffness": 1.0,
                       "length": 1.0}}  # fmt: skip
    parts = {part.name: part for part in scene(forces, tmp_path).parts}
    assert "bushing drag" not in parts and "spring coil" in parts
    np.testing.assert_allclose(parts["bushing mount"].position[0], [1, 0, -2], atol=1e-12)
    assert np.abs(parts["bushing mount"].points.mean(axis=0)).max() < 1e-6
