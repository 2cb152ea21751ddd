"""Start rates of a mechanism that is locked while its bodies are rigid."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import flexmb as fx
from flexmb.model.model import Model
from flexmb.system.placement import place


def test_portal_starts_as_a_static_sway(tmp_path: Path) -> None:
    """Two columns clamped at foot and top: the rates of least elastic energy are those of 12 EI/L^3 each."""
    column = {"material": "steel", "section": {"type": "circle", "radius": 0.005}}
    model = Model.from_tables(
        {
            "model": {"gravity": [0, 0, 0]},
            "bodies": {
                "left": {**column, "beam": [[0, 0, 0], [0, 0, 1]]},
                "right": {**column, "beam": [[1, 0, 0], [1, 0, 1]]},
                "top": {"mass": 2, "inertia": [0.1, 0.2, 0.2], "at": [0.5, 0, 1]},
            },
            "joints": {
                "a": {"type": "fixed", "bodies": ["ground", "left"], "at": [0, 0, 0]},
                "c": {"type": "fixed", "bodies": ["ground", "right"], "at": [1, 0, 0]},
                "b": {"type": "fixed", "bodies": ["left", "top"], "at": [0, 0, 1]},
                "d": {"type": "fixed", "bodies": ["right", "top"], "at": [1, 0, 1]},
                "guide": {
                    "type": "prismatic", "bodies": ["ground", "top"], "at": [0.5, 0, 1], "axis": "x", "velocity": [1.0],
                },
            },
            "analysis": {"end": 0.002, "step": 1e-3},
        }
    )  # fmt: skip
    mechanism = place(model.spec)
    with fx.run_model(model, tmp_path / "r.h5") as result:
        for name in ("left", "right"):
            body = mechanism.bodies[mechanism.body_index[name]]
            rate = result[f"bodies/{name}/elastic_velocity"][0]
            E = body.basis.spans[0].material.E  # type: ignore[attr-defined]
            assert rate @ body.stiffness @ rate == pytest.approx(12 * E * np.pi * 0.005**4 / 4, rel=1e-9)  # type: ignore
        assert result["bodies/top/velocity"][0] == pytest.approx([1, 0, 0], abs=1e-12)
        text = " ".join(result.report.split())
    assert "locked while its bodies are rigid" in text and "least elastic energy" in text
