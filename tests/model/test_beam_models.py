"""Flexible bodies in model files and in Python: the same objects, however they are written.

Covers: model.model_beams, model.schema.sections.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import flexmb as fx
from flexmb.elements.material import MATERIALS
from flexmb.errors import InputError
from flexmb.model.model import Model
from flexmb.model.model_file import parse_model
from flexmb.model.schema.beams import BeamBody
from flexmb.model.schema.modal import ModalBody
from flexmb.system.placement import place
from tests.support.beam_cases import GOOD, faults_of


def test_a_good_file() -> None:
    spec = parse_model(GOOD).spec
    rod = spec.bodies["rod"]
    assert isinstance(rod, BeamBody)
    assert rod.beam == ("A", "B") and rod.y_axis == (0.0, 0.0, 1.0)
    assert (rod.material, rod.section, rod.sections) == ("mine", "wire", None)
    assert (rod.shapes.family, rod.shapes.bending, rod.shapes.axial, rod.shapes.torsion) == ("monomials", (3, 2), 1, 1)
    assert rod.shapes.count == 7
    assert (rod.frame, rod.field, rod.order, rod.shear, rod.rotary_inertia) == ("start", "quadratic", 1, False, True)
    assert rod.damping is not None and rod.damping.choice == {"ratio": pytest.approx(0.01)}
    assert rod.elastic_position == pytest.approx((1e-3, 0, 0, 0, 0, 0, math.pi / 180))
    assert rod.elastic_velocity == pytest.approx((0, 0, 0, 0, 0, 0, math.pi / 30))
    assert [(lump.at, lump.mass, lump.center) for lump in rod.masses] == [
        ("B", 0.01, (0, 1e-3, 0)),
        (0.1, 1, (0, 0, 0)),
    ]
    assert rod.markers["mid"].along == 0.5 and rod.markers["top"].along is None
    assert spec.materials["mine"].density == pytest.approx(7870) and spec.materials["mine"].E == 2e11
    plate = spec.bodies["plate"]
    assert isinstance(plate, ModalBody)
    assert (plate.modal.mass, plate.modal.n_shapes, plate.modal.K) == (2.0, 1, ((100.0,),))
    assert plate.markers["corner"].Theta == ((0.1, 0.1, 0.0),)
    wind = spec.forces["wind"]
    assert wind.type == "distributed-force"
    assert (wind.body, wind.axes, wind.start, wind.to) == ("rod", "section", 0.1, None)
    assert wind.vector[0].constant == 1000.0 and wind.vector[1].names == {"t"}
    bow = spec.sensors["bow"]
    assert (bow.deflection, bow.component, bow.axes) == ("rod.mid", "z", "body")
    assert spec.analysis is not None and spec.analysis.elastic_start == "undeformed"


def test_a_beam_in_few_words() -> None:
    """What a user need not say, and the short forms."""
    text = (
        '[bodies.b]\nbeam = [[0, 0, 0], [0, 1, 0]]\nmaterial = "steel"\nsection = { type = "circle", radius = 0.01 }\n'
    )
    beam = parse_model(text).spec.bodies["b"]
    assert isinstance(beam, BeamBody)
    assert (beam.shapes.family, beam.shapes.bending, beam.shapes.axial, beam.shapes.torsion) == (
        "auto",
        (3, 3),
        0,
        0,
    )
    assert (beam.frame, beam.field, beam.order, beam.damping, beam.masses) == ("chord", "exact", None, None, ())
    short = parse_model(text + 'shapes = 2\ndamping = "adams"\n').spec.bodies["b"]
    assert isinstance(short, BeamBody)
    assert short.shapes.bending == (2, 2) and short.damping is not None and short.damping.choice == "adams"
    every = parse_model(text + 'shapes = { family = "elements", elements = 4, bending = "all", axial = "all" }\n')
    shapes = every.spec.bodies["b"].shapes  # type: ignore[union-attr]
    assert (shapes.bending, shapes.axial, shapes.count) == ((None, None), None, None)


def test_settings_reach_into_a_beam() -> None:
    zeros = "[0, 0, 0, 0, 0, 0, 0, 0]"
    changes = {"n": "4", "materials.mine.E": "100 GPa", "sections.wire.diameter": "8 mm"}
    rod_changes = {"elastic_position": zeros, "elastic_velocity": zeros, "order": "full"}
    changes |= {f"bodies.rod.{key}": value for key, value in rod_changes.items()}
    spec = parse_model(GOOD, settings=changes).spec
    rod = spec.bodies["rod"]
    assert isinstance(rod, BeamBody) and rod.shapes.bending == (4, 2) and rod.order == "full"
    assert spec.materials["mine"].E == 1e11 and spec.sections["wire"].diameter == 0.008  # type: ignore[union-attr]
    assert "no 'wier' in [sections]. Did you mean 'wire'?" in faults_of(GOOD, {"sections.wier.diameter": "1"})


def python_model() -> Model:
    model = Model("flexible")
    a, b = model.points(A=(0, 0, 0), B=(0.3, 0, 0))
    model.material("mine", E="200 GPa", nu=0.3, density=7870)
    model.section("wire", fx.circle(diameter="6 mm"))
    rod = model.beam("rod", along=(a, b), material="mine", section="wire", shapes=3, damping={"ratio": 0.01})
    parts = [
        {"to": "0.5 m", "section": fx.tube(0.02, 0.01), "material": fx.Material(7e10, 2.6e10, 2700.0)},
        {"section": fx.i_section(0.1, 0.05, 0.01, 0.005)},
    ]
    lump = {"at": b, "mass": 1}
    second = model.beam(
        "second",
        along=((0, 0, 0), (0.3, 0, 0)),
        material=MATERIALS["titanium"],
        section=fx.rectangle(1, 2),
        masses=[lump],
        shapes={"family": "elements", "elements": 6, "bending": {"y": 3}, "torsion": 1},
        frame="mean",
        shear=True,
        rotary_inertia=True,
        y_axis="y",
        elastic_velocity=np.zeros(4),
    )
    model.beam("third", along=(a, (0, 0, 1)), material="steel", sections=parts, field="quadratic", order="full",
               coordinates="absolute", velocity=(1, 0, 0), angular_velocity=(0, 1, 0))  # fmt: skip
    model.beam("fourth", along=(a, b), material="steel", section=fx.Section(1e-4, 1e-8, 2e-8))
    invariants = place(parse_model(GOOD).spec).bodies[3].field  # type: ignore[attr-defined]
    plate = model.modal("plate", invariants, K=np.array([[100.0]]), labels=["up"], at=b)
    corner = model.marker(plate, "corner", at=(1, 0, 0), Phi=[[0, 0, 1]], Theta=np.zeros((1, 3)), G=np.zeros((1, 1, 3)))
    mid = model.marker(rod, "mid", along=0.5)
    model.revolute("pin", model.ground, rod, at=a, axis="z")
    model.spherical("tie", "rod.end", corner)
    model.deflection("bow", mid, component="y", axes="body")
    model.distributed_force("wind", second, (0, "2 N/m * t", 0), axes="section", start=0.1, to="0.2 m")
    model.analysis(end=1, step=1e-3, elastic_start="quasi-static")
    return model


def test_python_model_equals_its_text() -> None:
    model = python_model()
    again = parse_model(model.to_toml())
    assert again.spec == model.spec
    assert again.to_toml() == model.to_toml()
    second, fourth, plate = (model.spec.bodies[name] for name in ("second", "fourth", "plate"))
    assert isinstance(second, BeamBody) and isinstance(fourth, BeamBody) and isinstance(plate, ModalBody)
    assert second.shapes.bending == (3, 0) and second.material.E == 114e9  # type: ignore[union-attr]
    assert fourth.section.type == "general" and fourth.section.Iz == 2e-8  # type: ignore[union-attr]
    assert plate.modal.labels == ("up",) and plate.modal.N2[0][0][2][2] == 0.5
    assert len(place(again.spec).bodies) == 6


def test_python_faults() -> None:
    model = Model()
    model.beam("b", along=("A", (1, 0, 0)), section=fx.circle(1, diameter=1), material="steel", shapes={"axial": "all"})
    with pytest.raises(InputError) as caught:
        model.check()
    text = str(caught.value)
    assert "no point 'A'" in text and "needs either" in text and 'axial = "all" belongs to family = "elements"' in text
