"""Markers far from their body.

Covers: reports.marker_warnings.
"""

from __future__ import annotations

from typing import Any

import pytest

import flexmb as fx
from flexmb.model.model_file import read_model
from flexmb.reports.marker_warnings import marker_warnings
from flexmb.system.placement import place
from tests.support.places import ROOT

MODELS = sorted([*(ROOT / "examples").glob("*.toml"), *(ROOT / "flexmb" / "verification" / "models").glob("*.toml")])


def found(model: fx.Model) -> list[Any]:
    return list(marker_warnings(model.spec, place(model.spec)))


def box(at: tuple[float, float, float], **keys: Any) -> fx.Model:
    """A cube of edge 0.6 m (m a^2 / 6 = 0.06 kg m^2), 5 m from the world origin."""
    model = fx.Model("box")
    model.rigid("cube", mass=1, inertia=(0.06, 0.06, 0.06), at=(5, 0, 0), **keys)
    model.marker("cube", "eye", at=at)
    model.analysis(end=1, step=0.1)
    return model


def test_world_coordinates_in_place_of_those_of_the_body_are_noticed() -> None:
    (warning,) = found(box((5.3, 0, 0)))
    assert warning.code == "marker-outside" and warning.place == "bodies.cube.markers.eye"
    assert warning.value == pytest.approx(5.3 - 0.3) and "1.039 m large" in warning.text
    assert not found(box((0.3, 0, 0)))
    assert not found(box((0.3 + 1.03, 0, 0))) and found(box((0.3 + 1.05, 0, 0)))


def test_joints_belong_to_the_body_and_drawn_bodies_are_not_judged() -> None:
    model = box((5.3, 0, 0))
    model.revolute("far", model.ground, "cube", at=(10, 0, 0), axis="z")
    assert not found(model)
    assert not found(box((5.3, 0, 0), geometry={"sphere": 0.1}))


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_no_model_of_ours_gives_one(path: Any) -> None:
    model = read_model(path)
    assert not found(model)
