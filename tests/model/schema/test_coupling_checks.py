"""Faults of couplings: each bad input gives one clear message, from the model file and from the placed model.

Covers: model.schema.couplings.
"""

from __future__ import annotations

from typing import Any

import pytest

import flexmb as fx
from flexmb.errors import InputError
from tests.support.geared_models import gear_pair, planetary, rack, wheel


def model_with(**coupling: Any) -> fx.Model:
    """Three wheels and a slide, and one coupling `link`."""
    model = fx.Model("couplings")
    for k, name in enumerate(("a", "b", "c")):
        wheel(model, name, 0.1, (0.1 * k, 0, 0), "x" if name == "c" else "z")
    model.rigid("d", mass=1.0, inertia=(1, 1, 1), at=(0, 0.3, 0))
    model.prismatic("slide", model.ground, "d", at=(0, 0.3, 0), axis="x")
    model.rigid("e", mass=1.0, inertia=(1, 1, 1), at=(0, 0, 1))
    model.spherical("ball", model.ground, "e", at=(0, 0, 1))
    tables = dict(model.identity)
    tables["couplings"] = {"link": coupling}
    tables["analysis"] = {"end": 0.1, "step": 0.01}
    return fx.Model.from_tables(tables)


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "one joint": (
        dict(type="coupling", joints=["a"], coefficients=[1]),
        "couples 1 joint coordinate; it needs at least two",
    ),
    "zero factor": (
        dict(type="coupling", joints=["a", "b"], coefficients=[1, 0]),
        "a coefficient of zero couples nothing",
    ),
    "counts": (dict(type="coupling", joints=["a", "b"], coefficients=[1]), "has 2 joints and 1 coefficients"),
    "twice": (
        dict(type="coupling", joints=["a", "a.angle"], coefficients=[1, 2]),
        "lists the coordinate 'a.angle' twice",
    ),
    "rates": (
        dict(type="coupling", joints=["a", "ball"], coefficients=[1, 2]),
        "turns freely in space and has no coordinate",
    ),
    "name": (dict(type="coupling", joints=["a", "q"], coefficients=[1, 2]), "no joint 'q'"),
    "coordinate": (dict(type="coupling", joints=["a.slide", "b"], coefficients=[1, 2]), "has no coordinate 'slide'"),
    "zero ratio": (dict(type="gear", joints=["a", "b"], ratio=0), "must be greater than 0, found 0"),
    "no ratio": (dict(type="gear", joints=["a", "b"]), "needs a ratio"),
    "two ratios": (dict(type="gear", joints=["a", "b"], ratio=2, teeth=[1, 2]), "give only one of them"),
    "no teeth": (dict(type="gear", joints=["a", "b"], teeth=[0, 20]), "teeth must be greater than 0, found 0"),
    "backlash": (dict(type="gear", joints=["a", "b"], ratio=2, backlash=0.1), "backlash is not available"),
    "itself": (dict(type="gear", joints=["a", "a"], ratio=2), "couples joint 'a' to itself"),
    "slide as wheel": (dict(type="gear", joints=["a", "slide"], ratio=2), "joint 'slide' is prismatic"),
    "wheel as rack": (dict(type="rack", joints=["a", "b"]), "what slides here needs a prismatic or cylindrical joint"),
    "axes": (dict(type="gear", joints=["a", "c"], ratio=2), r"are not parallel \(90 deg\)"),
    "distance": (dict(type="gear", joints=["a", "b"], radii=[0.05, 0.06]), "0.1 m apart, .* mesh at 0.11 m"),
    "ring": (dict(type="gear", joints=["a", "b"], teeth=[40, 20], internal=True), "is not larger than its pinion"),
    "equal ring": (dict(type="gear", joints=["a", "b"], teeth=[20, 20], internal=True), "as large as its pinion"),
    "marker": (dict(type="gear", joints=["a", "b"], ratio=2, markers=["b", "a"]), "marker 'b' is not on the wheel 'a'"),
    "belt too short": (dict(type="belt", joints=["a", "b"], radii=[0.08, 0.09]), "too near for pulleys"),
    "skew screw": (dict(type="screw", joints=["a", "slide"], lead=0.01), "not along the axis of the screw, but 90 deg"),
    "no lead": (dict(type="screw", joints=["c", "slide"], lead=0), "a lead of zero couples nothing"),
    "rack along axis": (dict(type="rack", joints=["c", "slide"]), "does not slide at a right angle"),
    "not coaxial": (
        dict(type="differential", carrier="a", sides=["b", "c"]),
        "the axis of joint 'b' is not that of its carrier",
    ),
    "train": (
        dict(type="planetary", sun="a", carrier="b", planets=["c"], teeth=[24, 19, 60]),
        "a ring of 60 teeth does not fit",
    ),
    "train without teeth": (dict(type="planetary", sun="a", carrier="b", planets=["c"], ratio=2), "needs teeth = "),
    "type": (dict(type="gears", joints=["a", "b"]), "Did you mean 'gear'"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_has_one_clear_message(name: str) -> None:
    coupling, text = BAD[name]
    with pytest.raises(InputError, match=text) as caught:
        fx.check_model(model_with(**coupling))
    assert all(str(fault.path[0]) == "couplings" for fault in caught.value.faults)


def test_wheels_on_one_axis_and_unknown_supports() -> None:
    model = fx.Model("no mesh")
    wheel(model, "a", 0.1, (0, 0, 0))
    wheel(model, "b", 0.1, (0, 0, 0.2))
    model.rigid("arm", mass=1.0, inertia=(1, 1, 1))
    model.prismatic("rail", model.ground, "arm", at=(0, 0, 0), axis="x")
    model.rigid("c", mass=1.0, inertia=(1, 1, 1), at=(0.2, 0, 0))
    model.revolute("c", "arm", "c", at=(0.2, 0, 0), axis="z")
    model.gear("coaxial", "a", "b", ratio=2)
    model.gear("apart", "a", "c", ratio=2)
    with pytest.raises(InputError) as caught:
        fx.check_model(model)
    texts = [str(fault) for fault in caught.value.faults]
    assert len(texts) == 2 and "same axis" in texts[0] and "connects the supports 'ground' and 'arm'" in texts[1]


def test_couplings_that_lock_are_rejected() -> None:
    model = gear_pair()
    model.coupling("other", ["first", "second"], [1, 1])
    for coordinates in ("joint", "absolute"):
        model.coordinates(default=coordinates)
        with pytest.raises(
            InputError, match="'teeth', 'other' lock the mechanism: the joints leave 2 degrees of freedom"
        ):
            fx.check_model(model)
    again = gear_pair()
    again.coupling("other", ["first", "second"], [1, 3])
    assert "1 in teeth, other" in fx.check_model(again)


def test_a_start_that_contradicts_a_coupling() -> None:
    model = gear_pair().with_values({"joints.first.position": 1.0, "joints.second.position": 1.0})
    with pytest.raises(fx.ComputationError, match="coupling 'teeth' stays open by 0.16 m"):
        fx.run(model)


def test_natural_and_absolute_names_and_graph() -> None:
    """Degrees of freedom and redundant rows by name."""
    text = fx.check_model(planetary())
    assert "degrees of freedom        1" in text and "2 in train" in text and "1 coupling" in text
    assert "1 coupling" in fx.check_model(rack("absolute"))
