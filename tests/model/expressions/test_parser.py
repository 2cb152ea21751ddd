"""Expressions: grammar, faults with a place, and the compiled evaluator with exact derivatives.

Covers: equations.functions, model.expressions.evaluation, model.expressions.expression, model.expressions.nodes,
model.expressions.program, model.expressions.tables, model.expressions.tokens.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flexmb.equations.functions import evaluate, linear_table, program_records, stack_depth
from flexmb.model.expressions import expression as ex
from flexmb.model.expressions.expression import Expression
from flexmb.model.expressions.parser import parse_amount, parse_expression, parse_quantity
from flexmb.model.expressions.tables import linear_record
from flexmb.model.expressions.tokens import TextError
from flexmb.model.units import KINDS, Amount

LENGTH = KINDS["length"]


def compiled(expression: Expression, channels: dict[str, float] | None = None) -> Callable[[float], tuple[float, ...]]:
    """The compiled program as a function of t; all records stand at odd offsets, so that wrong bases would show."""
    channels = channels or {}
    names = list(channels)
    slots = {name: i for i, name in enumerate(names)}
    stack = len(names) + 2
    ints, floats = program_records(expression, ints_base=5, floats_base=3, stack_offset=stack, channel_slots=slots)
    I = np.array([-9] * 5 + ints, dtype=np.int64)
    F = np.array([math.nan] * 3 + floats)
    W = np.full(stack + stack_depth(expression) + 1, 77.0)
    W[: len(names)] = [channels[name] for name in names]

    def run(t: float) -> tuple[float, ...]:
        result = evaluate(I, F, W, 5, t)
        assert W[-1] == 77.0 and W[stack - 1] == 77.0, "the stack left its place"
        return tuple(float(x) for x in result)

    return run


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2*3", 7.0),
        ("(1 + 2)*3", 9.0),
        ("-2^2", -4.0),
        ("2^3^2", 512.0),
        ("2**-1", 0.5),
        ("8/4/2", 1.0),
        ("7 - 4 - 2", 1.0),
        ("--3", 3.0),
        ("2*pi", 2 * math.pi),
        (".5e1", 5.0),
        ("min(3, 1, 2) + max(1, 4)", 5.0),
        ("step(0.5, 0, 0, 1, 2)", 1.0),
        ("step(-1, 0, 5, 1, 2)", 5.0),
        ("step(3, 0, 5, 1, 2)", 2.0),
        ("if(1, 2, 3) + if(-1, 20, 30)", 32.0),
        ("1 < 2", 1.0),
        ("2 <= 1", 0.0),
        ("2 >= 2", 1.0),
        ("(3 > 4) + (3 != 4) + (3 == 3)", 2.0),
        ("1 + 1 == 2 and not 1 > 2", 1.0),
        ("0 or 1 and 0", 0.0),
        ("not 0 and 1 or 0", 1.0),
        ("not not 5", 1.0),
        ("-1 or -2", 0.0),
        ("if(1 mm < 1 cm, 2, 3)", 2.0),
        ("atan2(1, -1)", 0.75 * math.pi),
        ("sqrt(abs(-9))*sign(-2)", -3.0),
        ("sin(30 deg)", 0.5),
    ],
)
def test_value(text: str, value: float) -> None:
    assert parse_amount(text).value == pytest.approx(value, rel=1e-14)


PARAMETERS = {"l1": Amount(0.3, LENGTH.dimension), "n": Amount(4.0, None)}


@pytest.mark.parametrize(
    ("text", "value"),
    [("2*$l1", 0.6), ("$l1/2 + 10 mm", 0.16), ("l1 + 0.1", 0.4), ("$n", 4.0), ("$n*$l1", 1.2), ("sqrt($l1^2)", 0.3)],
)
def test_parameters_in_quantities(text: str, value: float) -> None:
    assert parse_quantity(text, LENGTH, PARAMETERS) == pytest.approx(value, rel=1e-14)


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("100*sni(t)", "unknown function 'sni'. Did you mean 'sin'?", 4),
        ("3*$l2", "unknown parameter '$l2'. Did you mean '$l1'?", 2),
        ("3*l11", "unknown name 'l11'. Did you mean 'l1'?", 2),
        ("3*t)", "unexpected ')'", 3),
        ("(3*t", "expected ')', the text ends here", 4),
        ("3 t", "write 3*t", 2),
        ("t t", "an operator is missing before 't'", 2),
        ("t(3)", "'t' is not a function", 0),
        ("sin", "its arguments in brackets are missing", 0),
        ("sin(1, 2)", "sin needs 1 arguments, found 2", 0),
        ("step(t, 0)", "step needs 5 arguments, found 2", 0),
        ("2 +", "the text ends too early", 3),
        ("", "the text is empty", 0),
        ("1/0", "division by zero", 1),
        ("log(-1)", "log(-1) is not a finite number", 0),
        ("(-2)^0.5", "is not a finite number", 4),
        ("1e999", "too large", 0),
        ("3 mm + 2 s", "a length and a time cannot be added", 5),
        ("sin(3 mm)", "sin of a length", 0),
        ("2^(3 mm)", "the exponent is a length", 1),
        ("__import__('os')", "unknown function '__import__'", 0),
        ("t.real", "'t' has no component 'real'", 0),
        ("t; t", "unexpected character ';'", 1),
    ],
)
def test_faults_show_their_place(text: str, message: str, column: int) -> None:
    with pytest.raises(TextError) as caught:
        parse_expression(text, PARAMETERS)
    assert message in str(caught.value)
    assert caught.value.position == column
    if text:
        first, excerpt, caret = str(caught.value).split("\n")
        assert excerpt == f"    {text}" and caret == " " * (4 + column) + "^"


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000,
        "-" * 5000 + "1",
        "2^" * 4000 + "1",
        "sin(" * 2000,
        "+".join(["t"] * 4000),
        "t" * 20000,
        "((1+" * 2000,
    ],
)
def test_hostile_depth_and_length(text: str) -> None:
    with pytest.raises(TextError):
        parse_expression(text)


@given(st.text(alphabet="0123456789.+-*/^(),$ tmsinkgpe", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        parse_expression(text, PARAMETERS)
    except TextError as error:
        assert 0 <= error.position <= len(text)


def test_dimension_of_an_expression() -> None:
    force = KINDS["force"]
    assert parse_expression("10 N*sin(20 rad/s * t)", kind=force)(0.1) == pytest.approx(10 * math.sin(2))
    with pytest.raises(TextError, match="is a torque, but a force is needed"):
        parse_expression("10 N*m*sin(t)", kind=force)
    half_turn = parse_expression("1 turn*t", kind=KINDS["angle"])
    assert half_turn(0.5) == pytest.approx(math.pi)
    # The value of an inverse function is an angle in radians, or the number that it is.
    assert parse_expression("10 N*atan(50*t)", kind=force)(0.02) == pytest.approx(10 * math.pi / 4)
    assert parse_expression("atan(t) + 90 deg", kind=KINDS["angle"])(1.0) == pytest.approx(0.75 * math.pi)


def test_names() -> None:
    expression = parse_expression("t*gap + $l1", PARAMETERS, ("t", "gap"))
    assert expression.names == {"t", "gap"} and expression.constant is None
    assert parse_expression("2*$l1", PARAMETERS).constant == pytest.approx(0.6)
    assert parse_expression("2*$l1", PARAMETERS).names == frozenset()


FUNCTIONS_OF_TIME = [
    "sin(3*t)", "cos(2*t + 1)", "tan(t/2)", "asin(t/3)", "acos(t/3)", "atan(5*t)", "atan2(sin(t), 2 + cos(3*t))",
    "sinh(t)", "cosh(2*t)", "tanh(t - 1)", "exp(-t)*t", "log(1 + t^2)", "sqrt(1 + t)", "abs(t - 2)*t",
    "sign(t - 2)*t^2",
    "min(t^2, 4*t - 3.5)", "max(sin(t), 0.3)", "step(t, 0.2, 1, 1.7, 5)", "step(sin(t), 0, t, 1.5 + t, t^2)",
    "if(t - 1.5, t^3, sin(t))", "(1 + t)^2.5", "(1 + t)^t", "2^t", "(2 + sin(t))^-3", "1/(1 + t^2)", "t/(2 - sin(t))",
    "(t - 3)^4", "(sin(t))^2", "-sin(t)*(t - 2) - cos(t)/3", "1 + 2*t - 3*t^2 + t^5/7", "3 - sin(t)",
    "(t^2 - 1)*(t + 2)",
]  # fmt: skip


@pytest.mark.parametrize("text", FUNCTIONS_OF_TIME)
def test_compiled_value_and_exact_derivatives(text: str) -> None:
    """Central differences of the Python value: error h^2 f'''/6 and h^2 f''''/12, plus rounding eps f/h, eps f/h^2."""
    expression = parse_expression(text)
    run = compiled(expression)
    for t in (0.31, 0.77, 1.23):
        value, first, second = run(t)
        h1, h2 = 1e-5, 3e-4
        scale = 1 + abs(value)
        assert value == pytest.approx(expression(t), rel=1e-13, abs=1e-13)
        assert first == pytest.approx((expression(t + h1) - expression(t - h1)) / (2 * h1), rel=1e-6, abs=1e-7 * scale)
        difference = (expression(t + h2) - 2 * value + expression(t - h2)) / h2**2
        assert second == pytest.approx(difference, rel=1e-4, abs=1e-5 * scale)


@settings(max_examples=60, deadline=None)
@given(
    st.recursive(
        st.sampled_from(["t", "gap", "1.5", "pi"]),
        lambda inner: st.one_of(
            st.tuples(inner, st.sampled_from("+-*"), inner).map(lambda p: f"({p[0]} {p[1]} {p[2]})"),
            st.tuples(st.sampled_from(["sin", "cos", "atan", "tanh"]), inner).map(lambda p: f"{p[0]}({p[1]})"),
            inner.map(lambda x: f"(1 + ({x})^2)"),
        ),
        max_leaves=12,
    ),
    st.floats(-1, 1),
)
def test_compiled_equals_python(text: str, t: float) -> None:
    expression = parse_expression(text, variables=("t", "gap"))
    value = compiled(expression, {"unused": 5.0, "gap": 0.7})(t)[0]
    assert value == pytest.approx(expression(t, gap=0.7), rel=1e-9, abs=1e-9)


def test_sensors_are_values_without_derivatives() -> None:
    expression = parse_expression("t*gap^2", variables=("t", "gap"))
    assert compiled(expression, {"other": 1.0, "gap": 3.0})(2.0) == (18.0, 9.0, 0.0)


def test_fast_forms() -> None:
    assert program_records(ex.constant(4), ints_base=0, floats_base=9, stack_offset=0)[0] == [0, 0, 9]
    assert program_records(ex.linear(3, 1), ints_base=0, floats_base=9, stack_offset=0)[0] == [-1, 0, 9]
    assert compiled(ex.constant(4))(9.0) == (4.0, 0.0, 0.0)
    assert compiled(ex.linear(3, 1))(2.0) == (7.0, 3.0, 0.0)
    assert compiled(parse_expression("2*pi*3*t + 1"))(0.0) == pytest.approx((1.0, 6 * math.pi, 0.0))


def test_functions_from_data() -> None:
    assert compiled(ex.polynomial((1, 2, 3, 4)))(2.0) == pytest.approx((49.0, 62.0, 54.0))
    w = 2 * math.pi * 5
    value, first, second = compiled(ex.harmonic(2.0, 5.0, 0.3, 1.0))(0.11)
    s, c = math.sin(w * 0.11 + 0.3), math.cos(w * 0.11 + 0.3)
    assert (value, first, second) == pytest.approx((1 + 2 * s, 2 * w * c, -2 * w * w * s))
    run = compiled(ex.ramp(3.0, 2.0, start=1.0))
    assert run(0.0) == (1.0, 0.0, 0.0) and run(1.0)[0] == pytest.approx(2.0) and run(2.5) == (3.0, 0.0, 0.0)


def test_spline_reproduces_a_cubic_and_is_c2() -> None:
    times = np.array([0.0, 0.3, 0.5, 1.1, 1.4, 2.0])
    run = compiled(ex.table([(t, t**3 - 2 * t) for t in times], "spline"))
    for t in (-0.1, 0.0, 0.2, 0.5, 1.3, 2.0, 2.2):
        assert run(t) == pytest.approx((t**3 - 2 * t, 3 * t**2 - 2, 6 * t), abs=1e-12)
    run = compiled(ex.table([(t, math.sin(3 * t)) for t in times], "spline"))
    for t in times[1:-1]:
        assert run(t - 1e-9) == pytest.approx(run(t + 1e-9), abs=1e-6)


def test_spline_with_few_points() -> None:
    assert compiled(ex.table([(0, 1), (2, 5)]))(1.0) == pytest.approx((3.0, 2.0, 0.0))
    assert compiled(ex.table([(0, 0), (1, 1), (2, 4)]))(1.5) == pytest.approx((2.25, 3.0, 2.0))
    for points, message in (
        ([(0, 1)], "at least 2 points"),
        ([(0, 1), (0, 2)], "must increase: row 2 has 0 after 0"),
        ([(0, 1), (1, math.nan)], "row 2 of the table must hold finite numbers"),
    ):
        with pytest.raises(ValueError, match=message):
            ex.table(points)


def test_linear_table_and_its_integral() -> None:
    points = [(-2.0, -5.0), (-0.5, 0.0), (1.0, 1.0), (3.0, 9.0)]
    F = np.array([0.0, *linear_record(points)])
    for x in (-3.0, -2.0, -1.0, 0.0, 0.5, 1.0, 2.0, 4.0):
        value, slope, area = linear_table(F, 1, x)
        grid = np.linspace(0, x, 2001)
        values = [linear_table(F, 1, s)[0] for s in grid]
        assert area == pytest.approx(np.trapezoid(values, grid), abs=1e-5)
        if -2 <= x <= 3:
            assert value == pytest.approx(np.interp(x, [p[0] for p in points], [p[1] for p in points]))
        assert linear_table(F, 1, x + 1e-7)[0] - value == pytest.approx(1e-7 * slope, rel=1e-6, abs=1e-15)
    run = compiled(ex.table(points, "linear"))
    assert run(2.0) == pytest.approx((5.0, 4.0, 0.0)) and run(5.0)[0] == pytest.approx(17.0)
    assert abs(linear_table(F, 1, 0.0)[2]) < 1e-15


CONDITIONS = [
    "if(t < 1.5, t^2, 3*t)", "if(t <= 1.5, 1, 2)", "if(1.5 > t, 1, 2)", "if(t >= 1.5, 1, 2)", "t == 1.5", "t != 1.5",
    "if(t > 1 and t < 2, 5, 0)", "if(t < 1 or t > 2, 5, 0)", "if(not t > 1, 5, 0)", "t*(t < 1.5 or not (t < 2 s))",
]  # fmt: skip


@pytest.mark.parametrize("text", CONDITIONS)
def test_conditions_compiled_and_in_the_tree_agree(text: str) -> None:
    """Also exactly where they change; Python with the same words is the independent reading."""
    expression = parse_expression(text)
    python = text.replace("if(", "pick(").replace("^", "**").replace("2 s", "2")
    for t in (0.0, 0.999, 1.0, 1.5, 1.500001, 2.0, 2.5):
        want = float(eval(python, {"t": t, "pick": lambda c, a, b: a if c > 0 else b}))
        assert expression(t) == compiled(expression)(t)[0] == pytest.approx(want, abs=1e-15)


def test_derivatives_of_conditions_are_those_of_the_chosen_branch() -> None:
    run = compiled(parse_expression("if(t < 1.5, t^2, 3*t) + (t > 1)*t"))
    assert run(0.5) == pytest.approx((0.25, 1.0, 2.0)) and run(1.2) == pytest.approx((2.64, 3.4, 2.0))
    assert run(1.5) == pytest.approx((6.0, 4.0, 0.0)), "the jump itself has no derivative"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0 < t < 1", "comparisons cannot be chained"),
        ("if(t = 1, 2, 3)", "Write '==' instead"),
        ("if(t > 1 && t < 2, 2, 3)", "Write 'and' instead"),
        ("if(t ≤ 1, 2, 3)", "Write '<=' instead"),
        ("if(!t, 2, 3)", "Write 'not' instead"),
        ("t <", "the text ends too early"),
        ("if(1 m < 1 s, 2, 3)", "cannot be added or compared"),
        ("not", "the text ends too early"),
    ],
)
def test_faults_of_conditions(text: str, message: str) -> None:
    with pytest.raises(TextError, match=message):
        parse_expression(text)


@pytest.mark.parametrize("text", ["log(x)", "sqrt(x)", "asin(x)", "x^0.5", "x^t"])
def test_outside_the_domain_is_nan(text: str) -> None:
    assert math.isnan(compiled(parse_expression(text.replace("x", "(t - 5)")))(1.0)[0])


def test_a_constant_stays_constant_at_a_singular_slope() -> None:
    expression = parse_expression("sqrt(gap)", variables=("t", "gap"))
    assert compiled(expression, {"gap": 0.0})(1.0) == (0.0, 0.0, 0.0)
