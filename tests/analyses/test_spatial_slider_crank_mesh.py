"""The spatial slider-crank with the rod as a mesh: from the mesh files by the command line to the motion.

The reference is the nonlinear Euler-Bernoulli rod of the other tests. It has neither shear nor rotary inertia, which
after two turns are 2 % of the peak; `flexmb verify` compares with a beam that has both.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import flexmb as fx
from flexmb.cli import main
from flexmb.verification import DATA
from tests.support.places import ROOT

REFERENCE = np.loadtxt(DATA / "jonker_reference.csv", delimiter=",").T
PEAK = 1e3 * np.abs(REFERENCE[1:3]).max()
"""[mm]"""
BEAM = (ROOT / "examples" / "04_spatial_slider_crank.toml").read_text()
STEEL = "E=200 GPa nu=0.3 density=7870"


def reduce_rod(folder: Path, kind: str, *options: str) -> None:
    mesh = ROOT / "meshes" / f"round_rod_{kind}.msh"
    words = ["reduce", str(mesh), "--unit", "m", "--material", STEEL, "--interface", "start", "--interface", "end"]
    words += ["--marker", "middle", "--modes", "6", "--no-compare", *options, "-o", str(folder / "rod.h5")]
    assert main(words) == 0


def meshed_model(folder: Path) -> Path:
    """The example with the body file in the place of its beam."""
    first, last = BEAM.index("[bodies.rod]"), BEAM.index("[bodies.slider]")
    text = BEAM[:first] + '[bodies.rod]\nfile = "rod.h5"\nat = "A"\n\n' + BEAM[last:]
    text = text.replace('deflection = "rod.middle"', 'deflection = "rod.middle"\nchord = ["rod.start", "rod.end"]')
    path = folder / "meshed.toml"
    path.write_text(text)
    return path


def deflection(path: Path, settings: dict[str, str] | None = None) -> tuple[np.ndarray, np.ndarray, Any]:
    """Times [s], deflection of the middle (2, rows) [mm], result"""
    result = fx.run_model(fx.read_model(path, settings or {}), path.with_suffix(".h5"))
    return np.array(result.time), 1e3 * np.stack([result["rod_mid_y"], result["rod_mid_z"]]), result


def distance(times: np.ndarray, values: np.ndarray, at: np.ndarray, expected: np.ndarray) -> float:
    """Largest difference [mm] of a deflection from the expected one (2, rows)."""
    return float(np.abs(CubicSpline(times, values, axis=1)(at) - expected).max())


@pytest.mark.parametrize(("kind", "options"), [("hex20", ()), ("tet10", ("--frame", "chord", "--tie", "rbe3"))])
def test_the_meshed_rod_moves_as_the_beam(tmp_path: Path, kind: str, options: tuple[str, ...]) -> None:
    reduce_rod(tmp_path, kind, *options)
    times, values, result = deflection(meshed_model(tmp_path))
    assert distance(times, values, REFERENCE[0], 1e3 * REFERENCE[1:3]) < 0.03 * PEAK
    assert result.summary["energy_balance"] < 1e-4


def test_the_linear_field_does_not_stiffen(tmp_path: Path) -> None:
    """The same body with its second-order terms left out: off by a fifth, as linear codes are."""
    reduce_rod(tmp_path, "hex20")
    times, values, _ = deflection(meshed_model(tmp_path), {"bodies.rod.field": "linear"})
    assert distance(times, values, REFERENCE[0], 1e3 * REFERENCE[1:3]) > 0.13 * PEAK
