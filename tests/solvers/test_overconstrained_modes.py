"""Modes and statics of overconstrained mechanisms, in joint, absolute and mixed coordinates.

Independent solutions: the equation of one degree of freedom of a linkage in closed form, and the same mechanism with
joints that leave no redundant row (spherical and cylindrical instead of revolute).
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

from flexmb.analyses.modes import modes_of_model
from flexmb.analyses.run import run_model
from flexmb.layout import flat_arrays as L
from flexmb.model.model import Model
from flexmb.results.modal_result import ModalResult
from flexmb.solvers.mechanics import Mechanics
from flexmb.verification.overconstrained import (
    SARRUS,
    START,
    bennett_energies,
    bennett_tables,
    sarrus_energies,
    sarrus_tables,
)

STIFFNESS, DAMPING = 50.0, 0.5
COORDINATES = ("joint", "absolute", "mixed")


def sprung(tables: dict[str, Any], joint: str) -> dict[str, Any]:
    """The tables at rest, with a spring and a damper on a joint."""
    tables = deepcopy(tables)
    for keys in tables["joints"].values():
        keys.pop("velocity", None)
    spring = {"type": "joint-spring", "joint": joint, "stiffness": STIFFNESS, "damping": DAMPING}
    return tables | {"forces": {"spring": spring}}


def four_bar(beam: bool) -> dict[str, Any]:
    pairs = (("ground", "crank"), ("crank", "coupler"), ("coupler", "rocker"), ("ground", "rocker"))
    joints = {
        name: {"type": "revolute", "bodies": list(pair), "at": name.upper(), "axis": "z"}
        for name, pair in zip("oabc", pairs, strict=True)
    }
    coupler: dict[str, Any] = {"mass": 1, "rod": ["A", "B"]}
    if beam:
        coupler = {
            "beam": ["A", "B"],
            "material": {"E": 2e11, "nu": 0.3, "density": 7800.0},
            "section": {"type": "rectangle", "y": 0.006, "z": 0.01},
            "y_axis": [0, 1, 0],
            "shapes": {"bending": {"y": 3, "z": 0}},
        }
    return {
        "model": {"gravity": [0, -9.81, 0]},
        "points": {"O": [0, 0, 0], "A": [0, 0.3, 0], "B": [0.6, 0.5, 0], "C": [0.6, 0, 0]},
        "bodies": {
            "crank": {"mass": 1, "rod": ["O", "A"]},
            "coupler": coupler,
            "rocker": {"mass": 1, "rod": ["C", "B"]},
        },
        "joints": joints,
    }


def loosened(tables: dict[str, Any], spherical: str, cylindrical: str) -> dict[str, Any]:
    """The same motion without redundant rows."""
    tables = deepcopy(tables)
    tables["joints"][spherical]["type"] = "spherical"
    del tables["joints"][spherical]["axis"]
    tables["joints"][cylindrical]["type"] = "cylindrical"
    return tables


def modal(tables: dict[str, Any], coordinates: str, **options: Any) -> ModalResult:
    choice: dict[str, Any] = {"default": coordinates}
    if coordinates == "mixed":
        choice = {"default": "joint", "absolute": [list(tables["bodies"])[1]]}
    return modes_of_model(Model.from_tables(tables | {"coordinates": choice}), **options)


def eigenvalues(found: ModalResult) -> np.ndarray:
    return np.array(sorted((mode.eigenvalue for mode in found.modes), key=abs))


def slopes(function: Callable[[float], float], s: float, h: float = 1e-2) -> tuple[float, float]:
    """First and second derivative, by differences of sixth order."""
    steps = np.arange(-3, 4)
    values = np.array([function(s + k * h) for k in steps])
    first = np.array([-1.0, 9.0, -45.0, 0.0, 45.0, -9.0, 1.0]) / 60.0
    second = np.array([2.0, -27.0, 270.0, -490.0, 270.0, -27.0, 2.0]) / 180.0
    return float(first @ values / h), float(second @ values / h**2)


LINKAGES: dict[str, Any] = {
    "bennett": (bennett_tables, "j1", lambda: bennett_energies(bennett_tables()), START),
    "sarrus": (sarrus_tables, "a1", lambda: sarrus_energies, SARRUS["angle"]),
}


@pytest.mark.parametrize("name", LINKAGES)
@pytest.mark.parametrize("coordinates", COORDINATES)
def test_linkage_in_static_equilibrium(name: str, coordinates: str) -> None:
    """Place and eigenvalue of J s^2 + c s + V'' + k = 0 by the closed form of the linkage."""
    make, joint, form, start = LINKAGES[name]
    tables, energies = sprung(make(), joint), form()
    angle = brentq(
        lambda s: slopes(lambda x: energies(x)[1], s)[0] + STIFFNESS * (s - start), start - 1.0, start + 1.0, xtol=1e-14
    )
    J, stiffness = energies(angle)[0], slopes(lambda x: energies(x)[1], angle)[1] + STIFFNESS
    found = modal(tables, coordinates, about="static")
    mechanics = Mechanics(found.system, found.linear.work.copy())
    mechanics.run(L.AT_OUTPUT)
    moved = abs(mechanics.out[found.system.channel(f"joints/{joint}/position").start])
    assert moved == pytest.approx(abs(angle - start), abs=1e-9) and moved > 1e-3
    (mode,) = found.modes
    exact = max(np.roots([J, DAMPING, stiffness]), key=lambda root: root.imag)
    assert abs(mode.eigenvalue - exact) < 1e-8 * abs(exact) and not found.warnings


@pytest.mark.parametrize("coordinates", COORDINATES)
def test_modes_about_a_row_far_from_the_start(coordinates: str, tmp_path: Path) -> None:
    """The combinations of rows are those of that position: at 0.6 s the ones of the start are stale."""
    tables, values = sprung(bennett_tables(), "j1"), []
    tables["joints"]["j1"]["velocity"] = 6.0
    tables |= {"analysis": {"end": 0.6, "method": "rk45", "tolerance": 1e-11}, "output": {"every": 0.3}}
    choice: dict[str, Any] = {"default": coordinates}
    if coordinates == "mixed":
        choice = {"default": "joint", "absolute": ["l2"]}
    for kept in (tables, loosened(tables, "j2", "j3")):
        model = Model.from_tables(kept | {"coordinates": choice})
        run_model(model, tmp_path / "run.h5").close()
        values.append(eigenvalues(modes_of_model(model, result=tmp_path / "run.h5")))
    np.testing.assert_allclose(values[0], values[1], rtol=1e-8, atol=0)


@pytest.mark.parametrize("beam", [False, True], ids=["rigid", "beam"])
@pytest.mark.parametrize("coordinates", COORDINATES)
def test_four_bar_of_spatial_revolutes(coordinates: str, beam: bool) -> None:
    """Modes about the equilibrium are those of the loop without redundant rows."""
    tables = sprung(four_bar(beam), "o")
    wanted = eigenvalues(modal(loosened(tables, "b", "c"), "joint", about="static"))
    found = modal(tables, coordinates, about="static")
    assert found.system.n_redundant == 3 and len(wanted) == (4 if beam else 1)
    np.testing.assert_allclose(eigenvalues(found), wanted, rtol=1e-8, atol=0)
