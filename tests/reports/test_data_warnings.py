"""Warnings about impossible data: inertias, materials, gravity. Published data give the first one."""

from __future__ import annotations

from typing import Any

import pytest

from flexmb.model.model_file import read_model
from flexmb.reports.data_warnings import data_warnings
from flexmb.system.placement import place
from flexmb.verification import MODELS
from flexmb.warning import WarningRecord
from tests.support.mechanisms import spec_of

STEEL = {"E": 210e9, "nu": 0.3, "density": 7850.0}


def found_in(data: dict[str, Any]) -> list[WarningRecord]:
    spec = spec_of(data)
    return list(data_warnings(spec, place(spec)))


def with_body(inertia: list[Any], **keys: Any) -> dict[str, Any]:
    joint = {"type": "free", "bodies": ["ground", "part"]}
    return {"bodies": {"part": {"mass": 2.0, "inertia": inertia, **keys}}, "joints": {"j": joint}}


def beam_of(**material: float) -> dict[str, Any]:
    beam = {
        "beam": [[0, 0, 0], [1, 0, 0]],
        "section": {"type": "circle", "diameter": 0.01},
        "material": {**STEEL, **material},
        "shapes": {"family": "modes", "bending": 5},
    }
    joint = {"type": "revolute", "bodies": ["ground", "bar"], "at": [0, 0, 0], "axis": "z"}
    return {"bodies": {"bar": beam}, "joints": {"j": joint}}


@pytest.mark.parametrize("inertia", [[1.0, 1.0, 2.5], [2.5, 1.0, 1.0], [1.0, 1.75, 1.75, 0.0, 0.0, 0.75]])
def test_an_inertia_of_no_body(inertia: list[float]) -> None:
    """Principal moments 1, 1 and 2.5 in different axes: 0.5 kg m^2 too many, also seen from a shifted centre."""
    for keys in ({}, {"center": [1.0, -2.0, 3.0]}):
        (warning,) = found_in(with_body(inertia, **keys))
        assert (warning.code, warning.place) == ("inertia-triangle", "bodies.part")
        assert warning.value == pytest.approx(0.5, rel=1e-9) and "25 %" in warning.text


@pytest.mark.parametrize(
    "inertia", [[1.0, 1.0, 2.0], [0.0, 1.0, 1.0], [0.0, 0.0, 0.0], [0.0, 0.0, 3.0], [1.0, 1.0, 1.9999999 + 2e-7]]
)
def test_plates_rods_points_and_plane_models_are_possible(inertia: list[float]) -> None:
    assert not found_in(with_body(inertia)) and not found_in(with_body(inertia, center=[0.3, 10.0, -0.2]))


def test_a_published_robot_has_one() -> None:
    """Link 3 of the PUMA 560 (Armstrong et al. 1986): 0.066 + 0.0125 < 0.086 kg m^2."""
    model = read_model(MODELS / "A11_puma560.toml")
    (warning,) = data_warnings(model.spec, place(model.spec))
    assert warning.place == "bodies.link_3" and warning.value == pytest.approx(0.0075)


@pytest.mark.parametrize(
    ("material", "code"),
    [
        ({"density": 7.85}, "material-density"),
        ({"density": 7.85e6}, "material-density"),
        ({"E": 210.0}, "material-stiffness"),
    ],
)
def test_materials_in_other_units(material: dict[str, float], code: str) -> None:
    (warning,) = found_in(beam_of(**material))
    assert warning.code == code and warning.place == "bodies.bar.material"
    assert warning.value == next(iter(material.values()))


def test_usual_and_dimensionless_materials_are_accepted() -> None:
    assert (
        not found_in(beam_of())
        and not found_in(beam_of(E=1.0, density=1.0))
        and not found_in(beam_of(E=1e6, density=950.0))
    )


@pytest.mark.parametrize(("size", "unit"), [(9810.0, "mm/s^2"), (386.4, "in/s^2")])
def test_gravity_in_other_units(size: float, unit: str) -> None:
    data = with_body([1.0, 1.0, 1.0])
    (warning,) = found_in({**data, "model": {"gravity": [0, -size, 0]}})
    assert warning.code == "gravity-unit" and unit in warning.text
    for usual in (9.81, 1.62, 1e-9, 0.0, 300.0):
        assert not found_in({**data, "model": {"gravity": [0, 0, -usual]}})
