"""Units: every consistent text is read, every wrong kind is refused by name."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flexmb.model.expressions.parser import parse_quantity
from flexmb.model.expressions.tokens import TextError
from flexmb.model.units import KINDS, UNITS, Dimension, derivative, parse_unit


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("300 mm", "length", 0.3),
        ("300mm", "length", 0.3),
        ("1 in", "length", 0.0254),
        ("30 deg", "angle", math.pi / 6),
        ("90°", "angle", math.pi / 2),
        ("2 turns", "angle", 4 * math.pi),
        ("1500 rpm", "angular speed", 50 * math.pi),
        ("50 Hz", "angular speed", 100 * math.pi),
        ("3 1/s", "angular speed", 3.0),
        ("50 Hz", "frequency", 50.0),
        ("3000 rpm", "frequency", 50.0),
        ("50 1/s", "frequency", 50.0),
        ("2 rad/s", "frequency", 1 / math.pi),
        ("72 km/h", "speed", 20.0),
        ("2 kN/mm", "stiffness", 2e6),
        ("2 N*m/rad", "rotational stiffness", 2.0),
        ("2 N*m", "rotational stiffness", 2.0),
        ("2 N*m/deg", "rotational stiffness", 360 / math.pi),
        ("3 N*s/m", "damping", 3.0),
        ("3 N/(m/s)", "damping", 3.0),
        ("3 kg/s", "damping", 3.0),
        ("4 kg m^2", "inertia", 4.0),
        ("4 kg*m**2", "inertia", 4.0),
        ("4 kg·m²", "inertia", 4.0),
        ("4 N*m*s^2", "inertia", 4.0),
        ("7.85 g/cm^3", "density", 7850.0),
        ("7850 kg m^-3", "density", 7850.0),
        ("210 GPa", "stress", 210e9),
        ("210 kN/mm^2", "stress", 210e9),
        ("1e3 mm/s^2", "acceleration", 1.0),
        ("5 mm/turn", "lead", 5e-3),
        ("5 mm", "lead", 5e-3),
        ("2 N*m*s", "angular momentum", 2.0),
        ("2 %", "number", 0.02),
        ("12", "torque", 12.0),
        ("-3 um", "length", -3e-6),
        ("3 µm", "length", 3e-6),
        ("3 \u03bcm", "length", 3e-6),
    ],
)
def test_quantity_in_si(text: str, kind: str, value: float) -> None:
    assert parse_quantity(text, KINDS[kind]) == pytest.approx(value, rel=1e-14)


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("3 kg", "length", "'3 kg' is a mass, but a length is needed (units: m, mm"),
        ("3 mm", "mass", "is a length, but a mass is needed"),
        ("3 N/m", "rotational stiffness", "is a stiffness, but a rotational stiffness is needed"),
        ("3 N*m/rad", "stiffness", "is a rotational stiffness, but a stiffness is needed"),
        ("30 deg", "number", "is an angle, but a number is needed"),
        ("30 deg", "length", "is an angle, but a length is needed"),
        ("7850 kg", "density", "is a mass, but a density is needed"),
        ("3 kg^2*m", "mass", "a quantity in m*kg^2"),
        ("3 K^2", "temperature", "a quantity in K^2"),
        ("5 MPa", "temperature", "but a temperature is needed"),
    ],
)
def test_unit_of_the_wrong_kind(text: str, kind: str, message: str) -> None:
    with pytest.raises(TextError) as caught:
        parse_quantity(text, KINDS[kind])
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("5 GPaa", "unknown unit 'GPaa'. Did you mean 'GPa'?"),
        ("5 rmp", "unknown unit 'rmp'. Did you mean 'rpm'?"),
        ("5 m^", "the power of a unit must be a small whole number"),
        ("5 m^999999", "the power of a unit must be a small whole number"),
        ("5 m^1.5", "the power of a unit must be a small whole number"),
        ("5 MM", "Did you mean"),
        ("5 N*mmm", "unknown unit or name 'mmm'. Did you mean 'mm'?"),
        ("5 kg mmm", "unknown unit 'mmm'. Did you mean 'mm'?"),
        ("5 m ? s", "unexpected character '?'"),
    ],
)
def test_unreadable_unit(text: str, message: str) -> None:
    with pytest.raises(TextError) as caught:
        parse_quantity(text, KINDS["length"])
    assert message in str(caught.value)


def test_every_kind_reads_its_own_units() -> None:
    for kind in KINDS.values():
        if kind.name == "number":
            continue
        for text in (kind.unit, *kind.examples.split(", ")):
            assert parse_quantity(f"2 {text}", kind) != 0.0
        assert parse_quantity(f"2 {kind.unit}", kind) == pytest.approx(2.0)


def test_derivatives_of_kinds() -> None:
    assert derivative(KINDS["length"], 1).name == "speed"
    assert derivative(KINDS["angle"], 1).name == "angular speed"
    assert derivative(KINDS["angle"], 2).name == "angular acceleration"
    assert derivative(KINDS["length"], 3).unit == "m/s^3"


@given(st.sampled_from(sorted(UNITS)), st.sampled_from(sorted(UNITS)), st.integers(-4, 4))
def test_products_follow_the_dimension_vectors(first: str, second: str, power: int) -> None:
    product = parse_unit(f"{first}*{second}^{power}")
    a, b = UNITS[first], UNITS[second]
    assert product.dimension == a.dimension.times(b.dimension.power(power))
    assert product.factor == pytest.approx(a.factor * b.factor**power, rel=1e-12)
    assert parse_unit(f"{first}/{first}").dimension == Dimension()


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        parse_unit(text)
    except TextError:
        pass
