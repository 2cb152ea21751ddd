"""Parameters that stay symbols: in model files, in the Python model, on the command line, in the one parser.

Covers: model.schema.parameters.
"""

from __future__ import annotations

import copy
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from flexmb import Model
from flexmb.cli import main
from flexmb.errors import InputError
from flexmb.model.expressions.evaluation import measure
from flexmb.model.expressions.expression import Expression, harmonic, linear
from flexmb.model.expressions.nodes import Name, SymbolicValue
from flexmb.model.expressions.parser import parse_amount, parse_expression, parse_quantity
from flexmb.model.model_file import ModelFileError, format_faults, parse_model
from flexmb.model.schema.symbolic_spec import trial_values
from flexmb.model.units import KINDS, Amount

PENDULUM = """
[model]
gravity = [0, "-$g", 0]

[parameters]
g = 9.81
l1 = "?"
half = "$l1/2"

[symbols]
m = "2 kg"

[bodies.rod]
mass = "$m"
rod = [[0, 0, 0], ["$l1", 0, 0]]
markers.middle = { at = ["$half", 0, 0] }

[joints.pivot]
type = "revolute"
bodies = ["ground", "rod"]
at = [0, 0, 0]
axis = "z"

[analysis]
end = 0.01
step = 1e-3
"""


def kept(**values: float) -> dict[str, Amount]:
    return {name: Amount(SymbolicValue(value, Name(name)), None) for name, value in values.items()}


@pytest.mark.parametrize(
    "text",
    [
        "$a + $b",
        "3 - $a",
        "-$a*2",
        "$a/$b - 1",
        "2/$a",
        "$a^2",
        "2^$a",
        "sqrt($a) + sin($b)",
        "$a/2 + 10 mm",
        "max($a, $b)",
    ],
)
def test_numbers_carry_their_formula(text: str) -> None:
    """The number is that of plain parameters; the formula at other values is the text read with those."""
    found = parse_amount(text, kept(a=0.7, b=0.4)).value
    assert isinstance(found, SymbolicValue)
    assert found == parse_amount(text, {"a": Amount(0.7, None), "b": Amount(0.4, None)}).value
    elsewhere = parse_amount(text, {"a": Amount(1.3, None), "b": Amount(2.1, None)}).value
    assert measure(found.node, {"a": 1.3, "b": 2.1}).value == pytest.approx(elsewhere, rel=1e-15)


def test_formula_survives_a_change_of_unit_and_copies() -> None:
    found = parse_quantity("$n*rpm/1 rpm*60 rpm", KINDS["frequency"], {**kept(n=2.0), "rpm": Amount(1.0, None)})
    assert isinstance(found, SymbolicValue)
    assert found == pytest.approx(measure(found.node, {"n": 2.0}).value)
    for twin in (copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert isinstance(twin, SymbolicValue) and twin == found and twin.node == found.node


def test_arrays_take_the_plain_number() -> None:
    value = SymbolicValue(2.0, Name("a"))
    assert (value * np.ones(2)).dtype == np.float64
    assert np.asarray([value, 1.0]).tolist() == [2.0, 1.0]


@pytest.mark.parametrize(
    "expression",
    [
        parse_expression("$a*sin($b*t)", kept(a=0.7, b=0.4)),
        linear(SymbolicValue(0.0, Name("a")), SymbolicValue(0.4, Name("b"))),
        harmonic(SymbolicValue(0.7, Name("a")), SymbolicValue(0.4, Name("b"))),
    ],
)
def test_functions_of_time_keep_symbols(expression: Expression) -> None:
    """They are functions of t alone, and their numbers carry the symbols, also where the value is zero."""
    assert expression.names == {"t"}
    assert set("ab") == {name for name in "ab" if f"Name(name='{name}'" in _nodes(expression)}


def _nodes(expression: Expression) -> str:
    """The tree as text, with the formulas of its numbers."""
    found, waiting = [], [expression.node]
    while waiting:
        node = waiting.pop()
        found.append(repr(node))
        value = getattr(node, "value", None)
        if isinstance(value, SymbolicValue):
            waiting.append(value.node)
        for key in ("argument", "left", "right"):
            if hasattr(node, key):
                waiting.append(getattr(node, key))
        waiting += getattr(node, "arguments", ())
    return " ".join(found)


def test_numbers_need_values_of_all_symbols() -> None:
    text = PENDULUM.replace('"2 kg"', '"?"')
    with pytest.raises(ModelFileError) as error:
        parse_model(text)
    assert len(error.value.faults) == 1
    shown = format_faults(error.value)
    assert "the symbols 'l1', 'm' have no value. Give them a value with --set l1=... or in the file." in shown
    line = text.split("\n").index('l1 = "?"') + 1
    assert shown.startswith(f"model:{line}:")


def test_values_by_settings() -> None:
    """A symbol with a value is a parameter like any other."""
    model = parse_model(PENDULUM, settings={"l1": "0.5 m", "m": "3"})
    plain = parse_model(PENDULUM.replace("[symbols]\n", "").replace('"?"', "0.5").replace("2 kg", "3 kg"))
    assert model.spec.bodies == plain.spec.bodies
    assert type(getattr(model.spec.bodies["rod"], "mass")) is float  # noqa: B009
    assert (model.spec.parameters["half"], model.spec.symbols) == (0.25, {"m": 3.0})
    with pytest.raises(ModelFileError, match="no parameter 'l2'.*l1"):
        parse_model(PENDULUM, settings={"l2": "1"})


def test_symbolic_reading() -> None:
    """Symbols carry formulas, other parameters are numbers; keep asks for more."""
    model = parse_model(PENDULUM, keep=())
    read = model.symbolic_spec()
    assert read.symbols == {"l1": None, "m": 2.0}
    body: Any = read.spec.bodies["rod"]
    plain: Any = read.numeric.bodies["rod"]
    assert isinstance(body.mass, SymbolicValue) and body.mass.node == Name("m")
    assert isinstance(body.markers["middle"].at[0], SymbolicValue)
    assert not isinstance(read.spec.model.gravity[1], SymbolicValue)
    assert type(plain.mass) is float
    everything = model.symbolic_spec("all")
    assert everything.symbols == {"g": 9.81, "l1": None, "half": None, "m": 2.0}
    half: Any = everything.spec.bodies["rod"].markers["middle"].at[0]
    assert half.node == Name("half")
    with pytest.raises(InputError, match="have no value|has no value"):
        model.check()


def test_models_without_symbols_are_read_once_and_plainly() -> None:
    model = parse_model(PENDULUM.replace('"?"', "0.5").replace("[symbols]", ""))
    read = model.symbolic_spec()
    assert read.spec is read.numeric and read.symbols == {}


def test_python_model() -> None:
    model = Model("pendulum")
    model.parameters(l1="?")
    model.symbols(m="2 kg")
    rod = model.rigid("rod", mass="$m", rod=((0, 0, 0), ("$l1", 0, 0)))
    model.revolute("pivot", model.ground, rod, at=(0, 0, 0), axis="z")
    assert model.symbolic_spec().symbols == {"l1": None, "m": 2.0}
    assert parse_model(model.to_toml(), keep=()).symbolic_spec().symbols == {"l1": None, "m": 2.0}
    with pytest.raises(InputError, match="the symbol 'l1' has no value"):
        model.check()
    model.symbols(k="?")
    assert "k" in model.symbolic_spec().symbols


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('m = "2 kg"', 'm = "2 kg"\nl1 = 1'), r"'l1' is in both \[parameters\] and \[symbols\]"),
        (("[symbols]", '[symbols]\nd = "? m"'), 'A symbol without a value is "\\?" alone'),
        (("[symbols]", "[symbols]\nsin = 1"), "reserved for the expression grammar"),
        (("[analysis]", '[sensors.m]\njoint = "pivot"\n[analysis]'), "sensor name 'm' is already used"),
        (('mass = "$m"', 'mass = "$m*1 s"'), "a mass is needed"),
        (('mass = "$m"', 'mass = "-$l1"'), r"must not be negative.*tried at l1 = 0\.\d+"),
    ],
)
def test_faults_of_symbols(change: tuple[str, str], message: str) -> None:
    with pytest.raises(ModelFileError, match=message):
        parse_model(PENDULUM.replace(*change), keep=())


def test_unknown_names_to_keep() -> None:
    with pytest.raises(ModelFileError, match="cannot keep 'l9': no such parameter.*l1"):
        parse_model(PENDULUM, keep=("l9", "g"))


@pytest.mark.parametrize(
    "change",
    [
        ('axis = "z"', 'axis = ["$tilt", 0, 1]'),
        ('at = ["$half", 0, 0] }', 'orientation = { axis = "z", angle = "$tilt" } }'),
    ],
)
def test_directions_have_no_formula(change: tuple[str, str]) -> None:
    """A direction that depends on a symbol is refused: it would be taken for a constant."""
    text = PENDULUM.replace("[symbols]", "[symbols]\ntilt = 0.2").replace(*change)
    with pytest.raises(ModelFileError, match="depends on the symbol 'tilt'.*a value in .parameters."):
        parse_model(text, keep=())
    assert parse_model(text, settings={"l1": "1"}).spec


def test_a_length_may_scale_a_direction() -> None:
    text = PENDULUM.replace('axis = "z"', 'axis = [0, 0, "$l1"]')
    assert parse_model(text, keep=()).symbolic_spec().spec.joints["pivot"].axis == (0.0, 0.0, 1.0)


def test_trial_values_are_general() -> None:
    values = list(trial_values([str(k) for k in range(20)]).values())
    assert 0.6 <= min(values) and max(values) < 1.0
    assert min(abs(a - b) for i, a in enumerate(values) for b in values[:i]) > 1e-3
    assert not any(math.isclose(a, 2 * b) for a in values for b in values)


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run refuses what has no value in one message; with a value the model is like any other."""
    file = tmp_path / "pendulum.toml"
    file.write_text(PENDULUM)
    assert main(["run", str(file)]) == 2
    shown = capsys.readouterr()
    assert "the symbol 'l1' has no value. Give it a value with --set l1=... or in the file." in shown.out + shown.err
    assert main(["check", str(file), "--set", "l1=0.5"]) == 0
