"""Readable forms: equal to what they were made from, short, and as a person would write them.

Covers: symbolic.engine, symbolic.polynomial, symbolic.trigonometry, symbolic.waves, symbolic.writing.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from flexmb.symbolic.canonical import operations, readable
from flexmb.symbolic.engine import Float, Integer, Rational, Symbol, as_expression, cos, engine, sin
from flexmb.symbolic.names import LatexStyle, latex_name, latex_text
from flexmb.symbolic.waves import Budget
from flexmb.symbolic.writing import Style, write

m1, m2, l1, l2, g, R, L = map(Symbol, ("m1", "m2", "l1", "l2", "g", "R", "L"))
a, b, c = map(Symbol, ("a", "b", "c"))
u, v, w = map(Symbol, ("a_dot", "b_dot", "c_dot"))
ANGLES, RATES = [a, b, c], [u, v, w]
STYLE = Style({"a_dot": "a'", "b_dot": "b'", "c_dot": "c'"}, frozenset("abc"), frozenset(str(x) for x in RATES))
S12 = sin(a) * cos(b) + cos(a) * sin(b)
C12 = cos(a) * cos(b) - sin(a) * sin(b)


def shown(expression: Any) -> str:
    return write(readable(expression, ANGLES, RATES), STYLE)


def value(expression: Any, at: dict[Any, float]) -> float:
    return float(as_expression(expression).subs(at))


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (sin(a) ** 2 + cos(a) ** 2, "1"),
        (S12, "sin(a + b)"),
        (S12 * cos(c) + C12 * sin(c), "sin(a + b + c)"),
        (sin(a) * cos(b) - cos(a) * sin(b), "sin(a - b)"),
        (m1 * (1 - cos(a) ** 2), "m1*sin(a)^2"),
        (R**2 * (sin(a) * cos(b)) ** 2 + R**2 * (sin(a) * sin(b)) ** 2, "R^2*sin(a)^2"),
        # weight and centrifugal force stay apart; masses in brackets as in [RS eq. 108]
        ((m1 / 2 + m2) * g * l1 * sin(a) + m2 * g * l2 * S12 / 2, "g*l1*(1/2*m1 + m2)*sin(a) + 1/2*g*l2*m2*sin(a + b)"),
        # [SM eq. 42]
        (m2 * l1 * l2 / 2 * (v**2 + 2 * u * v) * sin(b), "1/2*l1*l2*m2*b'*(2*a' + b')*sin(b)"),
        (l1 * (u + v) ** 2 * C12, "l1*(a' + b')^2*cos(a + b)"),
        (l1 * (u - v + w) ** 2 * sin(a), "l1*(a' - b' + c')^2*sin(a)"),
        # the rotor's [SM 5.2]
        (m1 * R**2 * cos(a) * sin(a) / 4 - m1 * L**2 * cos(a) * sin(a), "m1*(1/4*R^2 - L^2)*cos(a)*sin(a)"),
        # an arm on a turntable: squares of the distance from its axis
        ((l1 * cos(a) + l2 * C12) ** 2, "l1^2*cos(a)^2 + l2^2*cos(a + b)^2 + 2*l1*l2*cos(a + b)*cos(a)"),
        # the slider-crank's J, corrected [SM eq. 37]
        (-(l1 * cos(a) - l2 * C12) / (-l2 * C12), "l1*cos(a)/(l2*cos(a + b)) - 1"),
        (-l1 * sin(a) + l2 * S12 - l2 * S12 * (l1 * cos(a) - l2 * C12) / (-l2 * C12), "l1*sin(b)/cos(a + b)"),
        (Float(0.7) * sin(a) ** 2 + Float(0.7) * cos(a) ** 2 - Float(0.7), "0"),
        (l1 * (Float(0.5) * u + Float(0.25) * v) * sin(a), "0.25*l1*(2*a' + b')*sin(a)"),
        (Integer(0), "0"),
    ],
)
def test_as_a_person_would_write_it(expression: Any, text: str) -> None:
    assert shown(expression) == text
    found = readable(expression, ANGLES, RATES)
    draw = random.Random(5)
    for _ in range(3):
        at = {symbol: draw.uniform(0.2, 1.2) for symbol in (m1, m2, l1, l2, g, R, L, *ANGLES, *RATES)}
        # values of order 1: a few roundings of double precision
        assert value(found, at) == pytest.approx(value(expression, at), abs=1e-13)


def random_expression(draw: random.Random) -> Any:
    """Sums of products of powers of sines, cosines, rates and parameters, not collected in any way."""
    factors = [f(x) for f in (sin, cos) for x in ANGLES] + RATES + [m1, l1, l2, sin(a + b), cos(a - 2 * c)]
    total = Integer(0)
    for _ in range(draw.randint(1, 6)):
        term = Rational(draw.randint(-6, 6), draw.randint(1, 4))
        for _ in range(draw.randint(1, 5)):
            term *= draw.choice(factors) ** draw.randint(1, 2)
        total += term * (1 + draw.choice(factors))
    return total


@pytest.mark.parametrize("seed", range(40))
def test_equal_and_not_longer(seed: int) -> None:
    draw = random.Random(seed)
    expression = random_expression(draw)
    found = readable(expression, ANGLES, RATES)
    at = {symbol: draw.uniform(-1.5, 1.5) for symbol in (m1, l1, l2, *ANGLES, *RATES)}
    size = sum(abs(value(term, at)) for term in engine.expand(expression).args or (expression,)) + 1
    # terms of size `size` cancel: rounding is relative to them
    assert value(found, at) == pytest.approx(value(expression, at), abs=1e-13 * size)
    assert operations(found) <= operations(engine.expand(expression)) + 1


def test_zero_is_found() -> None:
    """The Fourier form is canonical: whatever is identically zero becomes 0."""
    for seed in range(20):
        expression = random_expression(random.Random(seed))
        turned = expression.subs({sin(a): sin(a + b) * cos(b) - cos(a + b) * sin(b)})
        assert readable(turned - expression, ANGLES, RATES) == 0


def test_long_chains_stay_small() -> None:
    """A sum of ten angles by its addition theorems: 2^9 products when expanded, one wave when read as it stands."""
    angles = [Symbol(f"a{k}") for k in range(10)]
    c, s = cos(angles[0]), sin(angles[0])
    for angle in angles[1:]:
        c, s = c * cos(angle) - s * sin(angle), s * cos(angle) + c * sin(angle)
    assert readable(m1 * s, angles) == m1 * sin(sum(angles, Integer(0)))
    assert readable(c**2 + s**2, angles) == 1


def test_budget_of_many() -> None:
    expression = (S12 * m1 + C12 * m2) ** 3
    assert readable(expression, ANGLES, RATES, budget=Budget(3)) == expression
    assert readable(expression, ANGLES, RATES, budget=Budget()) != expression


def test_simplify_asks_sympy() -> None:
    assert readable(sin(a) ** 4 - cos(a) ** 4, [a], (), simplify=True) == -cos(2 * a)


def test_large_expressions_are_left_alone() -> None:
    large = engine.Add(*((a + k) ** 3 * sin(b * k + c) for k in range(1, 900)))
    assert readable(large, ANGLES) == large


def test_order_does_not_depend_on_the_engine() -> None:
    terms = [m1 * l1**2, m2 * l1 * l2 * cos(b), m2 * l2**2, Symbol("m10") * R]
    texts = set()
    for seed in range(6):
        random.Random(seed).shuffle(terms)
        texts.add(write(sum(terms, Integer(0)), STYLE))
    assert texts == {"l1^2*m1 + l2^2*m2 + m10*R + l1*l2*m2*cos(b)"}


@pytest.mark.parametrize(
    ("expression", "text", "latex"),
    [
        (m1 / (l1 + l2), "m1/(l1 + l2)", r"\frac{m_{1}}{l_{1} + l_{2}}"),
        (engine.sqrt(l1**2 + m1), "sqrt(l1^2 + m1)", r"\sqrt{l_{1}^{2} + m_{1}}"),
        (engine.exp(-a), "exp(-a)", r"\exp\left(-a\right)"),
        (engine.Max(a, b), "max(a, b)", r"\max\left(a, b\right)"),
        (Rational(-3, 4) * a**2, "-3/4*a^2", r"-\frac{3}{4} a^{2}"),
        (sin(a) ** 2, "sin(a)^2", r"\sin^{2} a"),
        (Float(2.5e-7) * a, "2.5e-07*a", r"2.5 \cdot 10^{-7} a"),
        ((a + b) ** 2 * m1, "m1*(a + b)^2", r"m_{1} \left(a + b\right)^{2}"),
        (
            engine.Piecewise((a, a < b), (Integer(0), True)),
            "{a if a < b; 0 if otherwise}",
            r"\begin{cases}a & a < b \\ 0 & \text{otherwise}\end{cases}",
        ),
        (engine.pi * a, "pi*a", r"\pi a"),
    ],
)
def test_text_and_latex(expression: Any, text: str, latex: str) -> None:
    assert write(expression, Style()) == text
    assert write(expression, LatexStyle(stacked=True)) == latex


@pytest.mark.parametrize(
    ("name", "dots", "latex"),
    [
        ("theta1", 1, r"\dot{\theta}_{1}"),
        ("theta", 2, r"\ddot{\theta}"),
        ("l11", 0, "l_{11}"),
        ("crank_pin", 0, r"\mathrm{crank}_{\mathrm{pin}}"),
        ("rod_y1", 1, r"\dot{\mathrm{rod}}_{y1}"),
        ("lambda_3", 0, r"\lambda_{3}"),
        ("m_rod", 0, r"m_{\mathrm{rod}}"),
        ("_", 0, "x"),
    ],
)
def test_names_in_latex(name: str, dots: int, latex: str) -> None:
    assert latex_name(name, dots) == latex


def test_text_of_the_model_is_harmless_in_latex() -> None:
    assert latex_text("50% \\input{x} a_b & $#^~\n中") == (
        r"50\% \textbackslash{}input\{x\} a\_b \& \$\#\textasciicircum{}\textasciitilde{} ?"
    )
