"""The mechanism in symbols is the numeric one: same parts, same order, same numbers at any values of the symbols.

Covers: symbolic.expressions, symbolic.numbers.
"""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from flexmb import Model
from flexmb.errors import InputError
from flexmb.model.expressions.expression import ramp, table
from flexmb.model.expressions.nodes import Name, SymbolicValue
from flexmb.model.expressions.parser import parse_amount, parse_expression
from flexmb.model.model_file import read_model
from flexmb.model.units import Amount
from flexmb.symbolic.engine import Float, Integer, Rational, Symbol, as_expression, sqrt
from flexmb.symbolic.expressions import expression_of, value_of
from flexmb.symbolic.mechanism import SymbolicMechanism, symbolic_mechanism
from flexmb.symbolic.numbers import decimal, exact, physical, recognised
from flexmb.system.mechanism import Mechanism
from flexmb.system.placement import place
from tests.support.places import EXAMPLES

TOLERANCE = 1e-13
"""Of entries of size 1: formulas and placement are a few additions and products apart, each right to 1e-16."""


def number(value: Any, values: dict[str, float]) -> float:
    found = as_expression(value).subs({Symbol(name): Float(x) for name, x in values.items()})
    return float(found.n(53, real=True))


def numbers(entries: Any, values: dict[str, float]) -> Any:
    if isinstance(entries, list):
        return np.array([numbers(entry, values) for entry in entries])
    return number(entries, values)


def compare(symbolic: SymbolicMechanism, numeric: Mechanism, values: dict[str, float]) -> None:
    """Every part of both, in order."""

    def close(found: Any, wanted: Any) -> None:
        np.testing.assert_allclose(numbers(found, values), wanted, rtol=TOLERANCE, atol=TOLERANCE)

    assert symbolic.body_index == numeric.body_index
    assert symbolic.marker_index == numeric.marker_index
    assert symbolic.joint_index == numeric.joint_index
    for body, placed in zip(symbolic.bodies, numeric.bodies, strict=True):
        assert body.name == placed.name
        close(body.mass, placed.mass)
        for key in ("first_moment", "inertia", "rotor", "R_wb", "p_wb"):
            close(getattr(body, key), getattr(placed, key))
    for marker, frame in zip(symbolic.markers, numeric.markers, strict=True):
        assert (marker.name, marker.body) == (frame.name, frame.body)
        close(marker.p_b, frame.p_b)
        close(marker.R_b, frame.R_b)
    for joint, twin in zip(symbolic.joints, numeric.joints, strict=True):
        assert (joint.name, joint.type, joint.first, joint.second) == (twin.name, twin.type, twin.first, twin.second)
        close(joint.parameters, twin.parameters)


def many_joints() -> Model:
    """A body on every joint, placed by points with symbols in skew but fixed directions."""
    model = Model("many", gravity=(0, "-$g", 0.5))
    model.symbols(g=9.81, M="2 kg", l="0.4 m", w="30 mm", k=3)
    model.parameters(a="?", b="?", c="$a + 10 mm")
    model.points(
        O=(0, 0, 0),
        A=("$a*3/5", "$a*4/5", 0),
        B=("$a*3/5 + $b*sqrt(3)/2", "$a*4/5 + $b/2", "$c"),
        C=("$a*3/5 + $b*sqrt(3)/2", "$a*4/5 + $b/2", "$c + $l"),
        D=("0.3 + $l*cos(0.3)", "$l*sin(0.3)", "-$w"),
        E=("0.3", 0, "-$w"),
    )
    tilted = {"axis": [1, 2, 2], "angle": "40 deg"}
    model.rigid("arm", mass="$M", rod=("O", "A"))
    model.rigid("post", mass="$M/3", rod=("B", "C"))
    model.rigid("skew", mass=1.5, rod=("E", "D"))
    model.rigid(
        "block",
        mass="$M + 1",
        inertia=["$M*$w^2", "2 kg*m^2", "$M*$w^2 + 1", 0.01, 0, 0.002],
        at="B",
        orientation=tilted,
        center=["$w", "-$a/7", 0.01],
        rotor=[0, "$k*2", 0],
    )
    model.rigid("wheel", mass=1, inertia=[[1, 0, 0], [0, "$M*$l^2", 0], [0, 0, 2]], at=(0, "$l", 0), center="A")
    model.marker("block", "tip", at="C", axis="x")
    model.marker("arm", "side", at=("$a/2", "$w", 0), orientation=tilted)
    model.marker("ground", "base", at=("$a", 0, 1), axis=(1, 1, 0))
    model.revolute("pivot", "ground", "arm", at="O", axis="z")
    model.screw("screw", "arm", "block", at="A", axis=(1, 2, 2), lead="$w*2")
    model.distance("bar", "ground", "block", at=("O", "A"))
    model.distance("rope", "arm", "post", at=("A", "C"), length="$b")
    model.distance("chain", "arm", "wheel", at=("O", "B"))
    model.distance("axial", "post", "ground", at=("C", "B"))
    model.universal("cross", "block", "skew", at="E", axes=("x", "z"))
    model.prismatic("slide", "ground", "post", at="B", axis=(0, 3, 4))
    model.rolling("roll", "ground", "wheel", at=(0, 0, 0), axis="z", normal="y", radius="$l")
    model.cylindrical("held", "arm.side", "ground.base")
    return model


def test_equal_to_the_numeric_placement() -> None:
    """At random values of all symbols, those without a value included."""
    model = many_joints()
    symbolic = symbolic_mechanism(model)
    assert symbolic.symbols == {"g": 9.81, "M": 2.0, "l": 0.4, "w": 0.03, "k": 3.0, "a": None, "b": None}
    compare(symbolic, symbolic.placed, symbolic.values)
    random = np.random.default_rng(7)
    for _ in range(3):
        values = {name: float(random.uniform(0.1, 2.0)) for name in symbolic.symbols}
        tables = {**model._tables, "symbols": {}, "parameters": {**values, "c": "$a + 10 mm"}}
        other = Model.from_tables(tables)
        compare(symbolic, place(other.spec), values)
        gravity = [0.0, -values["g"], 0.5]
        np.testing.assert_allclose(numbers(symbolic.gravity, values), gravity, rtol=TOLERANCE)


def test_all_parameters_kept() -> None:
    """A parameter that depends on others becomes a symbol of its own."""
    model = many_joints()
    symbolic = symbolic_mechanism(model, "all")
    assert set(symbolic.symbols) == {"g", "M", "l", "w", "k", "a", "b", "c"}
    assert symbolic.symbols["c"] is None
    compare(symbolic, symbolic.placed, symbolic.values)


@pytest.mark.parametrize("keep", [(), "all"])
@pytest.mark.parametrize("name", ["01_double_pendulum", "02_planar_slider_crank", "03_pendulating_rotor"])
def test_examples(name: str, keep: Any) -> None:
    symbolic = symbolic_mechanism(read_model(EXAMPLES / f"{name}.toml"), keep)
    compare(symbolic, symbolic.placed, symbolic.values)


def test_formulas_of_the_double_pendulum() -> None:
    """As a person would write them: m L^2/3, no square roots."""
    model = read_model(EXAMPLES / "01_double_pendulum.toml")
    symbolic = symbolic_mechanism(model, ("l1",))
    upper, l1 = symbolic.bodies[1], Symbol("l1")
    assert upper.first_moment == [l1 / 2, 0, 0]
    assert upper.inertia[2][2] == l1**2 / 3
    assert symbolic.markers[symbolic.marker_index["upper.elbow"]].p_b == [l1, 0, 0]
    lower = symbolic.bodies[2]
    assert lower.p_wb == [0, -l1, 0]
    assert lower.mass == Float(0.7) and type(lower.first_moment[1]) is int


def test_zeros_are_structural() -> None:
    """Every zero is the Python integer, every other entry an expression of the engine or a number."""
    symbolic = symbolic_mechanism(many_joints())
    for body in symbolic.bodies:
        entries = [body.mass, *body.first_moment, *sum(body.inertia, []), *body.rotor, *sum(body.R_wb, []), *body.p_wb]
        for entry in entries:
            assert (type(entry) is int and entry == 0) or as_expression(entry) != 0


@pytest.mark.parametrize(
    ("point", "axis", "message"),
    [
        (("$l", "$h", 0), "z", r"the orientation of body 'rod' depends on the symbols 'l', 'h'"),
        (
            ("$l", 0.3, 0),
            "z",
            r"the orientation of body 'rod' depends on the symbol 'l', but has no formula.*a value in .parameters.",
        ),
        (("$l", 0, 0), ("$h", 0, 1), r"joints.pivot.axis: .*depends on the symbol 'h'"),
    ],
)
def test_frames_that_turn_are_refused(point: Any, axis: Any, message: str) -> None:
    model = Model("turning")
    model.symbols(l=1, h=0.5)
    model.rigid("rod", mass=1, rod=((0, 0, 0), point))
    model.revolute("pivot", "ground", "rod", at=(0, 0, 0), axis=axis)
    with pytest.raises(InputError, match=message) as error:
        symbolic_mechanism(model)
    assert len(error.value.faults) == 1
    assert place(model.spec).bodies[1].name == "rod"


def test_marker_and_joint_frames_may_turn_with_their_body_only() -> None:
    """A rod that keeps its direction keeps the frames on it, whatever its length."""
    model = Model("straight")
    model.symbols(l=1)
    model.rigid("rod", mass=1, rod=((0, 0, 0), ("$l", "$l", 0)))
    model.revolute("pivot", "ground", "rod", at=("$l", "$l", 0), axis="z")
    symbolic = symbolic_mechanism(model)
    assert symbolic.markers[symbolic.marker_index["rod.pivot"]].p_b == [sqrt(2) * Symbol("l"), 0, 0]


def loaded_beam() -> Model:
    model = Model("beam")
    model.symbols(l=0.8, q=3)
    model.parameters(n=3, start="0.1 m")
    model.points(A=(0, 0, 0), B=("$l", 0, 0))
    steel = {"E": 2e11, "nu": 0.3, "density": 7800}
    model.beam(
        "beam",
        along=("A", "B"),
        material=steel,
        section={"type": "circle", "diameter": 0.01},
        shapes="$n",
        field="quadratic",
    )
    model.marker("beam", "middle", along=0.5)
    model.revolute("pivot", "ground", "beam", at="B", axis="z")
    load = {"type": "distributed-force", "body": "beam", "vector": [0, "$q", 0], "from": "$start", "to": "$l/2"}
    return Model.from_tables({**model._tables, "forces": {"load": load}})


def test_places_on_a_beam(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ends, markers and points of a distributed force scale with the length, which is a symbol."""
    monkeypatch.setattr("flexmb.symbolic.fields.symbolic_field", lambda *given: SimpleNamespace(in_symbols=True))
    monkeypatch.setattr("flexmb.symbolic.fields.marker_shapes", lambda *given: given[2].name)
    model = loaded_beam()
    symbolic = symbolic_mechanism(model, "all")
    assert set(symbolic.symbols) == {"l", "q", "start"}
    for values in (symbolic.values, {"l": 1.7, "q": 2.0, "start": 0.3}):
        tables = {**model._tables, "symbols": {}, "parameters": {**values, "n": 3}}
        numeric = place(Model.from_tables(tables).spec)
        for marker, frame in zip(symbolic.markers, numeric.markers, strict=True):
            assert marker.shapes is None if marker.body == 0 else marker.shapes == frame.name
            np.testing.assert_allclose(numbers(marker.p_b, values), frame.p_b, rtol=0, atol=TOLERANCE)
        for (point, length), (twin, wanted) in zip(
            symbolic.distributed["load"], numeric.distributed["load"], strict=True
        ):
            assert point == twin
            assert number(length, values) == pytest.approx(wanted, rel=TOLERANCE)


def test_numbers_of_a_flexible_body_must_not_depend_on_symbols(monkeypatch: pytest.MonkeyPatch) -> None:
    """A field without formulas is refused where a symbol changes it, never taken as a constant."""
    monkeypatch.setattr("flexmb.symbolic.fields.symbolic_field", lambda *given: None)
    with pytest.raises(InputError, match="body 'beam', which is known only by numbers, depends on the symbol 'l'"):
        symbolic_mechanism(loaded_beam())


@pytest.mark.parametrize(
    ("x", "wanted"),
    [
        (0.0, 0),
        (6.1e-17, 0),
        (1.0, Integer(1)),
        (-0.6000000000000001, Rational(-3, 5)),
        (math.sqrt(0.5), sqrt(2) / 2),
        (-math.cos(math.pi / 6), -sqrt(3) / 2),
        (3 / math.sqrt(14), 3 / sqrt(14)),
        (math.cos(0.3), Float(math.cos(0.3))),
    ],
)
def test_exact_directions(x: float, wanted: Any) -> None:
    assert exact(x) == wanted
    assert type(exact(x)) is type(wanted) or wanted != 0


def test_physical_numbers() -> None:
    assert physical(decimal(0.3) - decimal(0.1)) == Float(0.2)
    assert type(physical(decimal(0.1 + 0.2) - decimal(0.3))) is int
    assert physical(decimal(210e9)) == Integer(210_000_000_000)
    assert float(physical(decimal(math.e))) == math.e
    assert recognised(math.pi / 2) == as_expression(Rational(1, 2)) * recognised(math.pi)
    assert recognised(1.25e-14) == decimal(1.25e-14)
    l1 = Symbol("l1")
    assert str(physical(l1 / 12 + decimal(0.037))) == "0.037 + (1/12)*l1"


KEPT = {name: Amount(SymbolicValue(x, Name(name)), None) for name, x in (("a", 0.7), ("b", 1.3))}


@pytest.mark.parametrize(
    "text",
    [
        "$a*cos(0.3)",
        "$a*cos(30 deg)",
        "sqrt(2*$a)",
        "pi*$a^2/4 - $b",
        "$a/2 + 10 mm",
        "-$a^0.5",
        "2^$a",
        "atan2($a, $b)",
    ]
    + ["exp(-$a)*log($b)", "tan($a) + sinh($b)/cosh($a) + tanh($b)", "asin($a) + acos($a) + atan($b)", "abs(-$a)"]
    + ["max($a, $b, 0.1) + min($a, 2)", "sign(-$a)", "$a*1e-15"],
)
def test_values(text: str) -> None:
    amount = parse_amount(text, KEPT).value
    assert number(value_of(amount), {"a": 0.7, "b": 1.3}) == pytest.approx(float(amount), rel=1e-14)


@pytest.mark.parametrize("text", ["$a*sin(100*t) + 0.2*t", "cos(3000 rpm*t)", "$a*t^2/2", "exp(-t/0.2)", "3", "t*s1"])
def test_functions_of_time(text: str) -> None:
    expression = parse_expression(text, KEPT, ("t", "s1"))
    found = expression_of(expression, {"t": Symbol("t"), "s1": Symbol("q") ** 2})
    values = {"a": 0.7, "b": 1.3, "t": 0.37, "q": 1.5}
    assert number(found, values) == pytest.approx(expression(0.37, s1=2.25), rel=1e-13)


def test_functions_without_formula() -> None:
    time = {"t": Symbol("t")}
    for expression, name in (
        (ramp(1.0, 2.0), "'step'"),
        (table([(0, 0), (1, 1), (2, 0)]), "table"),
        (parse_expression("if(t - 1, 2, 3)"), "'if'"),
        (parse_expression("t*(t < 1)"), "'<'"),
        (parse_expression("not t"), "'not'"),
        (parse_expression("t*s1", {}, ("t", "s1")), "'s1'"),
    ):
        with pytest.raises(InputError, match=name):
            expression_of(expression, time, path=("motions", "drive"))
    with pytest.raises(InputError, match="motions.drive: 'abs' has no symbolic derivative.*Allowed: sin"):
        expression_of(parse_expression("abs(t)"), time, differentiable=True, path=("motions", "drive"))
    with pytest.raises(InputError, match="'step'.*has no formula"):
        value_of(parse_amount("step($a, 0, 0, 1, 1)", KEPT).value)
