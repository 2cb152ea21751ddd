"""Beams without given shapes: what is chosen for them, and statics and frequencies against closed forms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmb as fx
from flexmb.model.model import Model
from flexmb.model.schema import read_spec
from flexmb.reduction.beam_matrices import BeamIntegrals
from flexmb.system.placement import place
from tests.support.beam_mechanisms import BEAM, EI, RHO_A, chain, four_bar

FIXED = {"type": "fixed", "bodies": ["ground", "b"], "at": [0, 0, 0]}
ROLLER = {"type": "point-on-line", "bodies": ["ground", "b"], "at": [1, 0, 0], "line": "x"}
HINGE = {"type": "universal", "bodies": ["ground", "b"], "at": [0, 0, 0], "axes": ["y", "z"]}
OTHER_WALL = {**FIXED, "at": [1, 0, 0]}


def beam(joints: dict[str, Any], keys: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    body = {**BEAM, "beam": [[0, 0, 0], [1, 0, 0]], "markers": {"mid": {"along": 0.5}}, **(keys or {})}
    return {"model": {"gravity": [0, 0, 0]}, "bodies": {"b": body, **more.pop("bodies", {})}, "joints": joints, **more}


def labels(tables: dict[str, Any], name: str = "b") -> str:
    mechanism = place(read_spec(tables))
    counted = mechanism.bodies[mechanism.body_index[name]].labels  # type: ignore[attr-defined]
    return " ".join(f"{sum(label[0] == c for label in counted)}{c}" for c in "yzut")


def test_what_is_chosen() -> None:
    assert labels(beam({"wall": FIXED})) == "5y 5z 0u 0t"  # two constraint shapes and three modes per plane
    assert labels(beam({"wall": FIXED, "other": OTHER_WALL})) == "5y 5z 1u 1t", "stretch: else it could not bend"
    assert labels(beam({"hinge": HINGE, "roller": ROLLER})) == "5y 5z 0u 0t"
    pushed = {"push": {"type": "force", "marker": "b.mid", "vector": [0, 0, 1]}}
    assert labels(beam({"wall": FIXED}, forces=pushed)) == "7y 7z 0u 0t", "two more for the marker in the middle"
    nothing = {"push": {"type": "force", "marker": "b.mid", "vector": [0, 0, 0]}}
    assert labels(beam({"wall": FIXED}, forces=nothing)) == "5y 5z 0u 0t"
    tip = {"tip": {"mass": 1, "inertia": [1, 1, 1], "at": [1, 0, 0]}}
    held = {"wall": FIXED, "hold": {"type": "fixed", "bodies": ["b", "tip"], "at": [1, 0, 0]}}
    assert labels(beam(held, bodies=tip)) == "5y 5z 0u 1t", "a torque passes along it"
    unknown = {"material": {"E": 2e11, "density": 7800}}
    assert labels(beam(held, unknown, bodies=tip)) == "5y 5z 0u 0t", "without G there is no twist"
    assert (
        labels(beam({"wall": FIXED}, {"shapes": {"family": "auto", "bending": {"z": 2}, "axial": 2}})) == "0y 4z 2u 0t"
    )
    assert labels(beam({"wall": FIXED}, {"shapes": 4})) == "4y 4z 0u 0t", "given shapes keep their meaning"


def test_a_clamped_chain_stretches_and_a_four_bar_does_not() -> None:
    mechanism = place(chain(4, None))
    assert [body.labels[-2:] for body in mechanism.bodies[1:]] == [("u1", "t1")] * 4  # type: ignore[attr-defined]
    mechanism = place(four_bar(None))
    assert mechanism.bodies[2].labels[-1] == "t1" and "u1" not in mechanism.bodies[2].labels  # type: ignore


STATICS = {
    "cantilever, force at the tip": ({"wall": FIXED}, "end", "end", 1 / 3),
    "cantilever, force in the middle": ({"wall": FIXED}, "mid", "end", 5 / 48),
    "clamped twice, force in the middle": ({"wall": FIXED, "other": OTHER_WALL}, "mid", "mid", 1 / 192),
    "supported twice, force in the middle": ({"hinge": HINGE, "roller": ROLLER}, "mid", "mid", 1 / 48),
}


@pytest.mark.parametrize("frame", ["chord", "start", "mean"])
@pytest.mark.parametrize("case", STATICS)
def test_statics_are_exact(case: str, frame: str, tmp_path: Path) -> None:
    """P L^3/EI times the textbook's number; the deflection is small, so that the error is that of differences."""
    joints, loaded, measured, number = STATICS[case]
    push = {"push": {"type": "force", "marker": f"b.{loaded}", "vector": [0, 0, -1e-3]}}
    sensor = {"s": {"marker": f"b.{measured}", "component": "z"}}
    tables = beam(joints, {"frame": frame}, forces=push, sensors=sensor, analysis={"type": "static"})
    with fx.run_model(Model.from_tables(tables), tmp_path / "r.h5") as result:
        assert result["sensors/s"][0] == pytest.approx(-1e-3 * number / EI, rel=1e-8)
        assert "WARNING" not in result.report


FREQUENCIES = {
    "clamped-free": ({"wall": FIXED}, [1.87510407, 4.69409113, 7.85475744]),
    "clamped-clamped": ({"wall": FIXED, "other": OTHER_WALL}, [4.73004074, 7.85320462, 10.99560784]),
    "pinned-pinned": ({"hinge": HINGE, "roller": ROLLER}, [np.pi, 2 * np.pi, 3 * np.pi]),
    "clamped-pinned": ({"wall": FIXED, "roller": ROLLER}, [3.92660231, 7.06858275, 10.21017612]),
}


@pytest.mark.parametrize("case", FREQUENCIES)
def test_first_three_frequencies(case: str) -> None:
    joints, roots = FREQUENCIES[case]
    found = fx.modes_of_model(Model.from_tables(beam(joints)))
    rates = np.unique(np.round(np.abs(np.linalg.eigvals(found.linear.A).imag), 6))
    wanted = np.array(roots) ** 2 * np.sqrt(EI / RHO_A)
    nearest = [rates[np.argmin(np.abs(rates - want))] for want in wanted]
    assert nearest == pytest.approx(wanted, rel=5e-3)
    assert nearest[0] == pytest.approx(wanted[0], rel=1e-4)


def test_steps_lumps_and_shear() -> None:
    """A stepped cantilever: 1/3 EI sum of the parts by Castigliano; with shear P L/GA more."""
    thick = {"type": "circle", "radius": 0.01}
    keys = {
        "sections": [{"to": 0.4, "section": thick}, {"section": BEAM["section"]}],
        "masses": [{"at": 0.7, "mass": 1}],
    }
    wanted = (1 - 0.6**3) / (3 * 16 * EI) + 0.6**3 / (3 * EI)
    for shear in (False, True):
        body = {key: value for key, value in BEAM.items() if key != "section"} | keys | {"shear": shear}
        tables = beam({"wall": FIXED})
        tables["bodies"]["b"] = {**body, "beam": [[0, 0, 0], [1, 0, 0]], "frame": "start"}
        placed = place(read_spec(tables)).bodies[1]
        work = np.array([shape.values([1.0])[0, 0] * (shape.component == "z") for shape in placed.basis.shapes])  # type: ignore
        found = work @ np.linalg.solve(placed.stiffness, work)  # type: ignore[attr-defined]
        G, k = 2e11 / 2.6, 6 * 1.3 / (7 + 6 * 0.3)  # shear coefficient of a circle [Cowper 1966]
        extra = shear * (0.4 / (4 * np.pi * 0.005**2) + 0.6 / (np.pi * 0.005**2)) / (k * G)
        assert found == pytest.approx(wanted + extra, rel=1e-3 if shear else 1e-9)
        assert (found > wanted * (1 + 1e-6)) == shear


def test_twist_by_eccentric_loads_and_lumps_and_of_narrow_sections() -> None:
    side = {"markers": {"m": {"at": [1, 0.2, 0]}}}
    pushed = {"push": {"type": "force", "marker": "b.m", "vector": [0, 0, 1]}}
    assert labels(beam({"wall": FIXED}, side, forces=pushed)).endswith("1t")
    on_axis = {"push": {**pushed["push"], "marker": "b.end"}}
    assert labels(beam({"wall": FIXED}, side, forces=on_axis)).endswith("0t")
    for lump, twists in (({"center": [0, 0.1, 0]}, "1t"), ({"inertia": [1e-3, 0, 0]}, "1t"), ({}, "0t")):
        assert labels(beam({"wall": FIXED}, {"masses": [{"at": 1.0, "mass": 1, **lump}]})).endswith(twists)
    strip = {"section": {"type": "rectangle", "y": 0.002, "z": 0.04}}
    assert labels(beam({"wall": FIXED}, strip)).endswith("2t")
    ball = {"ball": {"type": "spherical", "bodies": ["ground", "b"], "at": [0, 0, 0]}}
    assert labels(beam(ball, strip)).endswith("0t"), "nothing twists it"


def test_a_force_beside_the_axis_twists_the_beam(tmp_path: Path) -> None:
    """P L^3/3 EI + P a^2 L/GJ at the marker where the force acts."""
    GJ = 2e11 / 2.6 * np.pi * 0.005**4 / 2
    push = {"push": {"type": "force", "marker": "b.m", "vector": [0, 0, -1e-3]}}
    sensor = {"s": {"marker": "b.m", "component": "z"}}
    side = {"markers": {"m": {"at": [1, 0.2, 0]}}}
    tables = beam({"wall": FIXED}, side, forces=push, sensors=sensor, analysis={"type": "static"})
    with fx.run_model(Model.from_tables(tables), tmp_path / "r.h5") as result:
        assert result["sensors/s"][0] == pytest.approx(-1e-3 * (1 / (3 * EI) + 0.04 / GJ), rel=1e-8)


def test_twist_frequency_of_a_narrow_section() -> None:
    """pi/2 sqrt(GJ/rho I_p)/L of a cantilever; by a linear twist alone 10 % higher."""
    section = {"type": "general", "A": 2e-4, "Iy": 4e-9, "Iz": 4e-9, "J": 1e-11}
    found = fx.modes_of_model(Model.from_tables(beam({"wall": FIXED}, {"section": section})))
    rates = np.abs(np.linalg.eigvals(found.linear.A).imag)
    wanted = np.pi / 2 * np.sqrt(2e11 / 2.6 * 1e-11 / (7800 * 8e-9))
    assert rates[np.argmin(np.abs(rates - wanted))] == pytest.approx(wanted, rel=6e-3)


def test_stations_of_a_beam_with_shear() -> None:
    """Every station costs time at each step: four between two nodes integrate mass, stiffness and foreshortening."""
    tables = beam({"wall": FIXED}, {"shear": True, "rotary_inertia": True})
    basis = place(read_spec(tables)).bodies[1].basis  # type: ignore[attr-defined]
    assert basis.stations()[0].shape == (6, 4)
    fine = BeamIntegrals(1.0, basis.spans, basis.breaks, 12, (), True, True)
    used = BeamIntegrals(1.0, basis.spans, basis.breaks, basis.gauss, (), True, True)
    for product in ("stiffness", "mass", "slope_products"):
        exact = getattr(fine, product)(basis.shapes)
        assert getattr(used, product)(basis.shapes) == pytest.approx(exact, abs=1e-12 * np.abs(exact).max())
