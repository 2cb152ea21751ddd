"""Load shapes of bodies from meshes in mechanisms: statics against beams, energy, coordinates, orders, linearisation.

Covers: equations.forces, system.records.loads, bodies.load_shape, bodies.mesh_loads, model.schema.amplitude_field.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from flexmb.analyses.inverse import inverse_model
from flexmb.analyses.modes import modes_of_model
from flexmb.analyses.run import run_model
from flexmb.bodies.body_file import write_body
from flexmb.errors import InputError
from flexmb.layout import flat_arrays as L
from flexmb.model.model import Model
from tests.support.flat import Flat
from tests.support.loaded_bars import ALPHA, AREA, END, HEIGHT, LENGTH, MIDDLE, E, I, bar, clamped_column, held, shape
from tests.support.mechanisms import spec_of


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """bar.h5 with its high shapes, soft.h5 and clamped.h5 with those below 3 kHz only."""
    folder = tmp_path_factory.mktemp("load_shapes")
    write_body(bar(), folder / "bar.h5")
    write_body(bar(keep_below=3000.0), folder / "soft.h5")
    write_body(bar(keep_below=3000.0, frame="clamped a"), folder / "clamped.h5")
    return folder


@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
def test_a_heated_bar_between_walls_presses_with_E_A_alpha_T(folder: Path, tmp_path: Path, coordinates: str) -> None:
    data = held(folder / "bar.h5", "fixed", {"h": shape("heat", "30 K")}, coordinates={"default": coordinates})
    with run_model(Model.from_tables(data), tmp_path / "out.h5") as result:
        force = result["joints/b/force"][-1]
        assert force == pytest.approx([-E * AREA * ALPHA * 30.0, 0.0, 0.0], abs=1e-5)
        assert result["forces/h/effort"][-1] == 30.0 and result.channels["forces/h/effort"].unit == "K"


def test_pressure_on_a_cantilever(folder: Path, tmp_path: Path) -> None:
    """w L^4/(8 E I) and w L^2/2 of a uniform load; 1 kPa bends it by 0.05 % of its length, and shear adds 0.06 %."""
    pressure = 1e3
    with run_model(
        Model.from_tables(held(folder / "bar.h5", None, {"p": shape("top", "1 kPa")})), tmp_path / "out.h5"
    ) as result:
        w = pressure * HEIGHT
        tip = result["sensors/tip"][-1][2] - END[2]
        assert -tip == pytest.approx(w * LENGTH**4 / (8.0 * E * I), rel=1e-3)
        assert result["joints/a/force"][-1][2] == pytest.approx(w * LENGTH, rel=1e-5)
        assert result["joints/a/moment"][-1][1] == pytest.approx(-w * LENGTH**2 / 2.0, rel=1e-5)


def test_a_gradient_bends_a_cantilever(folder: Path, tmp_path: Path) -> None:
    """alpha g L^2/2 for g = 100 K/m; the clamped faces cannot warp, and need not without contraction across."""
    with run_model(
        Model.from_tables(held(folder / "bar.h5", None, {"g": shape("bend", "0.1 K/mm")})), tmp_path / "out.h5"
    ) as result:
        tip = result["sensors/tip"][-1][2] - END[2]
        assert tip == pytest.approx(-ALPHA * 100.0 * LENGTH**2 / 2.0, rel=5e-3)  # z = 0 is the underside: heated, too


@pytest.mark.parametrize("frame", ["mean", "chord", "clamped a"])
def test_a_force_on_a_set_is_the_force_at_its_marker(frame: str) -> None:
    """The load shape of a force shared by the area of a rigid tie is that of the force at its marker, term by term."""
    body = bar("push=force:xmax:y", frame=frame, modes=3)
    load = body.load("push")
    marker = next(marker for marker in body.markers if marker.name == "b")
    f, shapes = np.array([0.0, 1.0, 0.0]), marker.shapes
    assert load.F0 == pytest.approx(f, abs=1e-14) and not load.F1.any()
    assert load.M0 == pytest.approx(np.cross(marker.p_b, f), abs=1e-14)
    assert load.M1 == pytest.approx(np.cross(shapes.Phi, f), abs=1e-10)
    assert load.Q0 == pytest.approx(shapes.Phi @ f, abs=1e-10)
    size = np.abs(shapes.G).max()
    assert load.Q1 == pytest.approx(shapes.G @ f, abs=1e-9 * size)
    assert load.M2 == pytest.approx(np.cross(shapes.G, f), abs=1e-9 * size)


@pytest.mark.parametrize("keys", [{}, {"order": 2}, {"order": 1}, {"field": "linear"}], ids=str)
def test_the_kernel_applies_all_terms(folder: Path, keys: dict[str, Any]) -> None:
    """On a body whose axes do not move, a load shape balances minus the same force at its marker in world axes, at any
    state, and does its work."""
    rng = np.random.default_rng(2)
    step = {"analysis": {"end": 1.0, "step": 1e-3}, "body": keys}
    against = {"type": "force", "marker": "bar.b", "vector": [0.0, -70.0, 0.0]}
    cases = [{}, {"s": shape("push", 70.0)}, {"s": shape("push", 70.0), "m": against}]
    flats = [Flat(spec_of(held(folder / "clamped.h5", None, forces, **step))) for forces in cases]
    n = flats[0].n
    q, v = 2e-3 * rng.normal(size=n), rng.normal(size=n)
    none, pushed, balanced = (flat.residual(q, v, np.zeros(n)) for flat in flats)
    assert np.abs(pushed - none).max() > 10.0
    assert balanced == pytest.approx(none, abs=1e-8 * np.abs(pushed).max())
    assert (none - pushed) @ v == pytest.approx(powers(flats[1])["s"], rel=1e-9)


def powers(flat: Flat) -> dict[str, float]:
    """Power of the loads at the present state [W]."""
    ints = flat.system.ints
    records = {name: ints[L.LOADS] + k * L.LOAD for k, name in enumerate(flat.system.forces)}
    return {name: float(flat.work[ints[record + L.L_W] + L.LW_POWER]) for name, record in records.items()}


def crank(file: Path, coordinates: str, tolerance: float = 1e-8, **body: Any) -> dict[str, Any]:
    """A slider-crank with the bar as connecting rod, a pressure on its side and heat over time, driven evenly."""
    return {
        "model": {"gravity": [0, 0, -9.81]},
        "points": {"O": [-0.1, *MIDDLE[1:]], "A": MIDDLE, "B": END},
        "bodies": {
            "crank": {"mass": 0.2, "rod": ["O", "A"]},
            "bar": {"file": str(file), "damping": {"ratio": 0.02}, **body},
            "slider": {"mass": 0.3, "inertia": [1e-4, 1e-4, 1e-4], "at": "B"},
        },
        "joints": {
            "bearing": {"type": "revolute", "bodies": ["ground", "crank"], "at": "O", "axis": "y"},
            "big": {"type": "spherical", "bodies": ["crank", "bar"], "at": "A", "tree": False},
            "guide": {"type": "prismatic", "bodies": ["ground", "slider"], "at": "B", "axis": "x"},
            "small": {"type": "universal", "bodies": ["slider", "bar"], "at": "B", "axes": ["y", "z"]},
        },
        "motions": {"drive": {"joint": "bearing", "rate": 50.0}},
        "forces": {
            "gas": {"type": "load-shape", "body": "bar", "shape": "top", "value": "30 kPa*sin(150*t)^2"},
            "push": {"type": "load-shape", "body": "bar", "shape": "push", "value": "2*sin(90*t)"},
        },
        "coordinates": {"default": coordinates},
        "analysis": {"end": 0.06, "tolerance": tolerance, "method": "rk45"},
        "output": {"every": 1e-3},
    }


@pytest.mark.long
@pytest.mark.parametrize("keys", [{}, {"order": 2}, {"order": 1}, {"field": "linear"}], ids=str)
def test_energy_closes_in_a_mechanism(folder: Path, tmp_path: Path, keys: dict[str, Any]) -> None:
    """Work of the loads in, kinetic and strain energy and damping out, and the same motion in both coordinates."""
    found = {}
    for coordinates in ("joint", "absolute"):
        data = crank(folder / "soft.h5", coordinates, **keys)
        with run_model(Model.from_tables(data), tmp_path / f"{coordinates}.h5") as result:
            assert result.summary["energy_balance"] < 1e-6
            found[coordinates] = {
                path: np.array(result[path])
                for path in ("bodies/bar/elastic_position", "energy/work/gas", "motions/drive/effort")
            }
            assert np.abs(found[coordinates]["energy/work/gas"]).max() > 1e-3
    for path, values in found["joint"].items():
        np.testing.assert_allclose(found["absolute"][path], values, rtol=0.0, atol=2e-5 * np.abs(values).max())


def test_equilibrium_is_the_end_of_a_damped_run(folder: Path, tmp_path: Path) -> None:
    forces = {"p": shape("top", "20 kPa"), "g": shape("bend", "2 K/mm*step(t, 0, 0, 0.02, 1)")}
    static = held(folder / "soft.h5", None, {**forces, "g": shape("bend", "2 K/mm")})
    keys = {"analysis": {"end": 0.6, "step": 1e-3}, "body": {"damping": {"mass": 6000.0, "stiffness": 1e-5}}}
    with (
        run_model(Model.from_tables(static), tmp_path / "static.h5") as rest,
        run_model(Model.from_tables(held(folder / "soft.h5", None, forces, **keys)), tmp_path / "run.h5") as run,
    ):
        at_rest, end = rest["sensors/tip"][-1] - END, run["sensors/tip"][-1] - END
        assert np.linalg.norm(at_rest) > 1e-3
        assert end == pytest.approx(at_rest, abs=1e-6 * np.linalg.norm(at_rest))


def test_inverse_dynamics_knows_the_load(folder: Path, tmp_path: Path) -> None:
    """The drive that holds a bar on a hinge against a pressure has its moment, w L^2/2 about the hinge."""
    data = held(folder / "soft.h5", None, {"p": shape("top", "1 kPa")}, analysis={"end": 0.2, "step": 1e-3})
    data["joints"]["a"] = {"type": "revolute", "bodies": ["ground", "bar"], "at": MIDDLE, "axis": "y"}
    data["motions"] = {"hold": {"joint": "a", "polynomial": [0.0]}}
    found = inverse_model(Model.from_tables(data), tmp_path / "inverse.h5", elastic="quasi-static")
    with found.result as result:
        assert np.array(result["motions/hold/effort"])[-1] == pytest.approx(-1e3 * HEIGHT * LENGTH**2 / 2.0, rel=1e-4)


@pytest.mark.parametrize("part", [0.3, -0.5])
def test_a_heated_clamped_bar_loses_stiffness_as_a_column(folder: Path, part: float) -> None:
    """Modes about the static state at a part of the temperature of buckling, E A alpha T = 4 pi^2 E I/L^2, against the
    column by polynomials, f^2/f0^2 = 1 - 0.97 part to first order. Shear makes a column buckle 0.5 % earlier."""
    T = part * 4.0 * np.pi**2 * I / (AREA * ALPHA * LENGTH**2)
    cold, hot = (
        modes_of_model(Model.from_tables(held(folder / "bar.h5", "fixed", {"h": shape("heat", value)})), about="static")
        for value in (0.0, T)
    )
    ratio = (hot.modes[0].frequency / cold.modes[0].frequency) ** 2
    assert ratio == pytest.approx(clamped_column(part), rel=5e-3)


def test_what_does_not_exist_is_refused(folder: Path) -> None:
    def faults(forces: dict[str, Any], **extra: Any) -> str:
        with pytest.raises(InputError) as caught:
            spec_of(held(folder / "bar.h5", None, forces, **extra))
        return str(caught.value)

    assert "no load shape 'tpo'" in faults({"f": shape("tpo", 1.0)})
    assert "Did you mean 'top'" in faults({"f": shape("tpo", 1.0)})
    assert "a temperature" in faults({"f": shape("top", "5 K")}) or "pressure" in faults({"f": shape("top", "5 K")})
    rigid = {"bodies": {"bar": {"file": str(folder / "bar.h5")}, "block": {"mass": 1.0}}}
    assert "is not from a mesh" in faults({"f": {**shape("top", 1.0), "body": "block"}}, **rigid)
