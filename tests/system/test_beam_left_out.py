"""Given shapes without twist or stretch where the mechanism needs them: a warning; where it does not: none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmb as fx
from flexmb.model.model import Model
from flexmb.system.beam_left_out import left_out_warnings
from flexmb.system.placement import place
from flexmb.warning import WarningRecord
from tests.support.beam_mechanisms import BEAM, EI, chain, four_bar

GJ = 2e11 / 2.6 * np.pi * 0.005**4 / 2
WALL = {"type": "fixed", "bodies": ["ground", "b"], "at": [0, 0, 0]}


def bracket(shapes: dict[str, Any], vector: list[float]) -> dict[str, Any]:
    """A beam of 1 m along x with an arm of 0.5 m along y, and a force at its end."""
    return {
        "model": {"gravity": [0, 0, 0]},
        "bodies": {
            "b": {**BEAM, "beam": [[0, 0, 0], [1, 0, 0]], **shapes},
            "arm": {**BEAM, "beam": [[1, 0, 0], [1, 0.5, 0]], **shapes},
        },
        "joints": {"wall": WALL, "knee": {"type": "fixed", "bodies": ["b", "arm"], "at": [1, 0, 0]}},
        "forces": {"p": {"type": "force", "marker": "arm.end", "vector": vector}},
        "sensors": {"tip": {"marker": "arm.end", "component": "z"}},
        "analysis": {"type": "static"},
    }


def solved(tables: dict[str, Any], folder: Path) -> tuple[float, list[WarningRecord]]:
    with fx.run_model(Model.from_tables(tables), folder / "r.h5") as result:
        return float(result["sensors/tip"][0]), [found for found in result.warnings if found.code == "beam-shapes"]


def test_a_bracket_that_cannot_twist_gives_a_warning(tmp_path: Path) -> None:
    """P (L^3/3 EI + a^3/3 EI + a^2 L/GJ): without twist the last part, 46 %, is missing."""
    bending, twisting = 1.125 / (3 * EI), 0.25 / GJ
    tip, warnings = solved(bracket({}, [0, 0, -1e-3]), tmp_path)
    assert tip == pytest.approx(-1e-3 * (bending + twisting), rel=1e-6) and not warnings
    tip, warnings = solved(bracket({"shapes": 4}, [0, 0, -1e-3]), tmp_path)
    assert tip == pytest.approx(-1e-3 * bending, rel=1e-6)
    assert len(warnings) == 1 and warnings[0].place == "bodies.b.shapes"
    assert "cannot twist" in warnings[0].text and warnings[0].value == pytest.approx(0.5e-3 / GJ, rel=1e-3)
    twist = {"shapes": {"bending": 4, "torsion": 1}}
    assert not solved(bracket(twist, [0, 0, -1e-3]), tmp_path)[1]
    assert not solved(bracket({"shapes": 4}, [0, 1e-3, 0]), tmp_path)[1], "a force in the plane twists nothing"


def test_a_beam_between_two_walls_must_stretch() -> None:
    def warned(spec: Any) -> list[str]:
        return [warning.place for warning in left_out_warnings(spec, place(spec))]

    assert warned(chain(1, 6)) == ["bodies.b0.shapes"]
    assert not warned(chain(1, {"bending": 6, "axial": 1})) and not warned(chain(1, None))
    assert not warned(chain(1, 6, last=False)) and not warned(four_bar(4))


def test_a_force_across_the_plane_of_the_shapes_gives_a_warning(tmp_path: Path) -> None:
    """The beam bends along y, and is rigid along z, where the larger force acts; round-off across is no reason."""
    tables: dict[str, Any] = {
        "model": {"gravity": [0, 0, 0]},
        "bodies": {"b": {**BEAM, "beam": [[0, 0, 0], [1, 0, 0]], "shapes": {"bending": {"y": 4}}}},
        "joints": {"wall": WALL},
        "analysis": {"type": "static"},
    }
    for across, count in ((-10.0, 1), (-1e-4, 0)):
        tables["forces"] = {"p": {"type": "force", "marker": "b.end", "vector": [0, -5, across]}}
        with fx.run_model(Model.from_tables(tables), tmp_path / "r.h5") as result:
            found = [warning for warning in result.warnings if warning.code == "rigid-in-plane"]
        assert len(found) == count
