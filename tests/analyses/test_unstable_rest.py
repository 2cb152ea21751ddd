"""Runs that stay in an unstable equilibrium give a warning with its growth; ordinary motions and stable rest do not."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmb as fx
from flexmb.model.model import Model

MATERIAL = {"E": 2.1e11, "nu": 0.3, "density": 7800}
EULER = np.pi**2 * 2.1e11 * np.pi * 0.005**4 / 4 / 4  # pi^2 EI/(4 L^2), clamped and free


def warning_of(tables: dict[str, Any], folder: Path) -> str:
    with fx.run_model(Model.from_tables(tables), folder / "r.h5") as result:
        text = " ".join(result.report.split())
    found = re.search(r"WARNING ([^.]*unstable.*)", text)
    return found[1] if found else ""


def pendulum(angle: float, gravity: float = -9.81, **joint: Any) -> dict[str, Any]:
    """A rod of 1 m on a pin, upright at angle 0."""
    pin = {"type": "revolute", "bodies": ["ground", "rod"], "at": [0, 0, 0], "axis": "x", "position": [angle], **joint}
    return {
        "model": {"gravity": [0, 0, gravity]},
        "bodies": {"rod": {"mass": 2.0, "rod": [[0, 0, 0], [0, 0, 1]]}},
        "joints": {"pin": pin},
        "analysis": {"end": 1.0, "step": 0.01},
    }


def column(force: Any, keys: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    section = {"type": "circle", "radius": 0.005}
    beam = {"beam": [[0, 0, 0], [1, 0, 0]], "material": MATERIAL, "section": section, **(keys or {})}
    return {
        "model": {"gravity": [0, 0, 0]},
        "bodies": {"b": beam},
        "joints": {"clamp": {"type": "fixed", "bodies": ["ground", "b"], "at": [0, 0, 0]}},
        "forces": {"p": {"type": "force", "marker": "b.end", "vector": [force, 0, 0]}},
        "analysis": {"end": 0.5, "step": 1e-3},
        **more,
    }


def test_upright_pendulum(tmp_path: Path) -> None:
    """Growth sqrt(3 g/2 L) of a rod."""
    text = warning_of(pendulum(0.0), tmp_path)
    assert "rests in an unstable equilibrium from t = 0 s: a disturbance of pin.angle would grow" in text
    assert f"exp({np.sqrt(1.5 * 9.81):.4g} t)" in text
    assert not warning_of(pendulum(np.pi), tmp_path), "hanging"
    assert not warning_of(pendulum(0.0, 9.81), tmp_path), "hanging the other way"
    assert not warning_of(pendulum(0.0, 0.0), tmp_path), "neutral"
    assert not warning_of(pendulum(0.5), tmp_path), "falling"
    assert not warning_of(pendulum(np.pi, velocity=[9.0]), tmp_path), "passes the top"
    assert not warning_of(pendulum(0.0, velocity=[1e-3]), tmp_path), "leaves the top"
    spring = {"hold": {"type": "joint-spring", "joint": "pin", "stiffness": 12.0}}
    assert not warning_of({**pendulum(0.0), "forces": spring}, tmp_path), "held: m g L/2 = 9.8 N m"
    spring["hold"]["stiffness"] = 8.0
    assert warning_of({**pendulum(0.0), "forces": spring}, tmp_path)


def test_check_says_so_without_a_run() -> None:
    assert "rests in an unstable equilibrium" in " ".join(fx.check_model(Model.from_tables(pendulum(0.0))).split())
    for still in (pendulum(np.pi), pendulum(0.5), pendulum(0.0, velocity=[1.0])):
        assert "unstable" not in fx.check_model(Model.from_tables(still))


def test_column_above_its_load(tmp_path: Path) -> None:
    assert not warning_of(column(-0.98 * EULER), tmp_path)
    assert "from t = 0 s" in warning_of(column(-1.02 * EULER), tmp_path)
    assert not warning_of(column(10.0 * EULER), tmp_path), "pulled"
    text = warning_of(column(f"-{2.0 * EULER}*t/0.5"), tmp_path)
    found = re.search(r"from t = ([\d.]+) s", text)
    assert found is not None and float(found[1]) == pytest.approx(0.25, abs=2e-3)  # half of the load is Euler's
    side = {"q": {"type": "force", "marker": "b.end", "vector": [0, 0, 1e-3]}}
    disturbed = column(-1.1 * EULER, analysis={"end": 0.2, "step": 1e-3})
    disturbed["forces"] |= side
    assert not warning_of(disturbed, tmp_path), "it moves"
    for other in ({"field": "quadratic"}, {"shapes": 4}):
        assert warning_of(column(-1.1 * EULER, other), tmp_path)


def test_strut_that_a_drive_pushes(tmp_path: Path) -> None:
    """Pinned at both ends between a moving slide and a mass that is accelerated beyond pi^2 EI/L^2."""
    section = {"type": "circle", "radius": 0.005}
    beam = {"beam": [[0, 0, 0], [1, 0, 0]], "material": MATERIAL, "section": section, "damping": {"ratio": 0.01}}
    body = {"mass": 100.0, "inertia": [1, 1, 1]}
    slide = {"type": "prismatic", "axis": "x"}
    tables: dict[str, Any] = {
        "model": {"gravity": [0, 0, 0]},
        "bodies": {"first": {**body, "at": [0, 0, 0]}, "strut": beam, "last": {**body, "at": [1, 0, 0]}},
        "joints": {
            "a": {**slide, "bodies": ["ground", "first"], "at": [0, 0, 0]},
            "b": {"type": "revolute", "bodies": ["first", "strut"], "at": [0, 0, 0], "axis": "y"},
            "c": {"type": "revolute", "bodies": ["strut", "last"], "at": [1, 0, 0], "axis": "y"},
            "d": {**slide, "bodies": ["ground", "last"], "at": [1, 0, 0]},
        },
        "motions": {"push": {"joint": "a", "polynomial": [0.0, 0.0, 6.0]}},
        "analysis": {"end": 0.5, "step": 1e-3},
    }
    text = warning_of(tables, tmp_path)  # 1200 N against 1017 N
    assert "beam 'strut' stays straight in a motion in which its straight form is unstable" in text
    tables["motions"] = {"push": {"joint": "a", "polynomial": [0.0, 0.0, 4.0]}}
    assert not warning_of(tables, tmp_path)  # 800 N


def test_spin_about_the_middle_axis(tmp_path: Path) -> None:
    """Growth w sqrt((I2 - I1) (I3 - I2)/(I1 I3)) of a free body; about the other axes its spin is stable."""
    body = {"mass": 1.0, "inertia": [1.0, 2.0, 3.0], "at": [0, 0, 0]}
    for axis, wanted in ((0, ""), (1, f"exp({5.0 / np.sqrt(3.0):.4g} t)"), (2, "")):
        spin = [5.0 * (k == axis) for k in range(3)]
        joint = {"type": "free", "bodies": ["ground", "b"], "velocity": [0, 0, 0, *spin]}
        tables = {
            "model": {"gravity": [0, 0, 0]},
            "bodies": {"b": body},
            "joints": {"j": joint},
            "analysis": {"end": 2.0, "step": 1e-2},
        }
        text = warning_of(tables, tmp_path)
        assert ("the steady motion is unstable" in text and wanted in text) if wanted else not text


@pytest.mark.parametrize(("part", "ratio", "unstable"), [(0.5, 0.02, False), (2.0, 0.02, True), (2.0, 0.0, False)])
def test_balanced_shaft(part: float, ratio: float, unstable: bool, tmp_path: Path) -> None:
    """Above its critical speed a shaft with internal damping whirls; below it, or without damping, it does not."""
    section = {"type": "circle", "radius": 0.01}
    beam = {"beam": [[0, 0, 0], [1, 0, 0]], "material": MATERIAL, "section": section, "rotary_inertia": True}
    critical = 3.9266**2 * np.sqrt(2.1e11 * 0.01**2 / 4 / 7800)  # clamped and pinned
    bearing = {"type": "revolute", "bodies": ["ground", "s"], "at": [0, 0, 0], "axis": "x"}
    ball = {"type": "point-on-line", "bodies": ["ground", "s"], "at": [1, 0, 0], "line": "x"}
    tables = {
        "model": {"gravity": [0, 0, 0]},
        "bodies": {"s": beam | ({"damping": {"ratio": ratio}} if ratio else {})},
        "joints": {"a": bearing, "b": ball},
        "motions": {"spin": {"joint": "a", "rate": part * critical}},
        "analysis": {"end": 0.5, "step": 1e-4},
        "output": {"every": 0.01},
    }
    assert bool(warning_of(tables, tmp_path)) == unstable


def test_flutter_of_a_column_under_a_force_that_follows_it(tmp_path: Path) -> None:
    """Beck's column: flutter above 20.05 EI/L^2; nothing moves, and its stiffness never becomes negative."""
    EI = 4 * EULER / np.pi**2

    def followed(load: float) -> dict[str, Any]:
        tables = column(-load * EI, analysis={"end": 0.2, "step": 1e-3})
        tables["forces"]["p"]["axes"] = "marker"
        return tables

    assert not warning_of(followed(19.8), tmp_path)
    assert "rests in an unstable equilibrium from t = 0 s" in warning_of(followed(20.5), tmp_path)


def test_a_narrow_beam_that_would_tip_sideways(tmp_path: Path) -> None:
    """Lateral buckling at 4.0126 sqrt(EI GJ)/L^2; the load bends it in the stiff plane meanwhile."""
    width, height = 0.002, 0.04
    J, I_weak = width**3 * height / 3, width**3 * height / 12
    critical = 4.0126 * np.sqrt(2.1e11 * I_weak * 2.1e11 / 2.6 * J)
    section = {"type": "general", "A": width * height, "Iy": width * height**3 / 12, "Iz": I_weak, "J": J}
    for part in (0.9, 1.2):
        tables = column(0, {"section": section, "damping": {"ratio": 0.02}}, analysis={"end": 1, "step": 2e-3})
        tables["forces"]["p"]["vector"] = [0, 0, f"{-part * critical}*step(t, 0, 0, 0.2, 1)"]
        text = warning_of(tables, tmp_path)
        assert ("beam 'b' bends in one plane only, in a motion in which that is unstable" in text) == (part > 1), text
