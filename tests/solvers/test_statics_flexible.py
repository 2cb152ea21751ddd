"""Static equilibrium of flexible bodies: the elastica, buckling, follower loads, a meshed bar under its weight."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ellipeinc, ellipk, ellipkinc

import flexmb as fx
from flexmb.verification.solid_meshes import box_mesh
from tests.support.one_body import G
from tests.support.runs import Run
from tests.support.static_models import column

STATIC: dict[str, Any] = {"type": "static"}


def elastica(load: float) -> tuple[float, float]:
    """w/L and u/L of a cantilever under P L^2/EI = load by elliptic integrals (Bisshopp and Drucker 1945): k is found
    from K(k) - F(phi, k) = sqrt(load) with sin(phi) = 1/(k sqrt 2), and sin of the end's slope is 2 k^2 - 1."""

    def start(m: float) -> float:
        return float(np.arcsin(1.0 / np.sqrt(2.0 * m)))

    m = brentq(lambda m: ellipk(m) - ellipkinc(start(m), m) - np.sqrt(load), 0.5 + 1e-12, 1.0 - 1e-9, xtol=1e-15)
    across = 1.0 - 2.0 / np.sqrt(load) * (ellipeinc(np.pi / 2, m) - ellipeinc(start(m), m))
    return float(across), float(1.0 - np.sqrt(2.0 * (2.0 * m - 1.0) / load))


@pytest.mark.parametrize(("load", "table"), [(1.0, (0.30172, 0.05643)), (2.0, (0.49346, 0.16064))])
@pytest.mark.parametrize("frame", ["start", "chord"])
def test_a_cantilever_bends_as_the_elastica(load: float, table: tuple[float, float], frame: str) -> None:
    """Table: Mattiasson, Int. J. Numer. Meth. Eng. 17 (1981). Six cubic shapes leave 1.4e-7 at the larger load."""
    wanted = elastica(load)
    assert wanted == pytest.approx(table, abs=5e-6)
    run = Run(column([0, load, 0], frame=frame), **STATIC)
    x, y, _ = run["sensors/end"][0]
    assert (y, 1.0 - x) == pytest.approx(wanted, abs=1e-6)
    assert np.linalg.norm(run["joints/wall/moment"][0]) == pytest.approx(load * x, rel=1e-9)


def test_a_column_buckles_beyond_the_load_of_euler() -> None:
    """Straight and stable below pi^2/4; above, the straight column is left for the bent one of the elastica: the slope
    of its end has K(sin(slope/2)) = sqrt(P L^2/EI)."""
    critical = np.pi**2 / 4.0
    run = Run(column([-0.99 * critical, 0, 0]), **STATIC)
    assert run["sensors/end"][0] == pytest.approx([1, 0, 0], abs=1e-12)
    assert run.summary.equilibrium.is_stable  # type: ignore[attr-defined]
    load = 1.05 * critical
    run = Run(column([-load, 0, 0]), **STATIC)
    m = brentq(lambda m: ellipk(m) - np.sqrt(load), 0.0, 0.9, xtol=1e-15)
    across = 2.0 * np.sqrt(m) / np.sqrt(load)
    # The elastica by six shapes: found 2e-7 off.
    assert abs(run["sensors/end"][0][1]) == pytest.approx(across, abs=2e-6)
    assert run.summary.equilibrium.is_stable  # type: ignore[attr-defined]


def test_a_follower_load_has_no_potential_and_flutters() -> None:
    """Beck's column: flutter beyond P L^2/EI = 20.05, while the straight position has no other one near by."""
    data = column([-15.0, 0, 0])
    data["forces"]["load"]["axes"] = "marker"
    for load, is_stable in ((15.0, True), (19.9, True), (20.2, False)):
        data["forces"]["load"]["vector"] = [-load, 0, 0]
        found = Run(data, **STATIC).summary.equilibrium  # type: ignore[attr-defined]
        assert not found.has_potential
        assert found.is_stable is is_stable


def test_a_meshed_bar_sags_as_a_beam(tmp_path: Path) -> None:
    """Beam theory: the end sinks by w L^4/8EI. The rigid end faces keep the section from changing, over about a width
    of the length each: 1.5 %."""
    length, width, height = 0.5, 0.012, 0.006
    steel = fx.MATERIALS["steel"]
    ends = (fx.TieRequest("root", "xmin"), fx.TieRequest("tip", "xmax"))
    request = fx.ReductionRequest(interfaces=ends, modes=4, compare=False)
    mesh = box_mesh("hex20", (24, 1, 1), (length, width, height))
    fx.write_body(fx.reduce_mesh(mesh, steel, request), tmp_path / "bar.h5")
    data = {
        "model": {"name": "bar", "gravity": [0, 0, -G]},
        "bodies": {"bar": {"file": str(tmp_path / "bar.h5")}},
        "joints": {"clamp": {"type": "fixed", "bodies": ["ground", "bar"], "at": [0, width / 2, height / 2]}},
        "sensors": {"tip": {"marker": "bar.tip", "component": "z"}},
        "analysis": STATIC,
    }
    result = fx.run_model(fx.Model.from_tables(data), tmp_path / "sag.h5")
    stiffness = steel.E * width * height**3 / 12.0
    sag = height / 2 - float(result["tip"][-1])
    assert sag == pytest.approx(steel.density * width * height * G * length**4 / (8.0 * stiffness), rel=0.015)
