"""Unit quaternions in what is printed: a free body's mass matrix is its mass, not a polynomial of p0 .. p3."""

from __future__ import annotations

import random

from flexmb.symbolic.canonical import readable
from flexmb.symbolic.engine import Float, Integer, Symbol, as_expression
from flexmb.symbolic.quaternions import unit_quaternions
from flexmb.symbolic.sheet import sheet_of
from flexmb.symbolic.text import text_of
from tests.support.symbolic_identities import made, names
from tests.support.symbolic_models import FREE, TOP


def test_which_they_are() -> None:
    assert unit_quaternions(made(FREE)) == [tuple(names("nut_p0", "nut_p1", "nut_p2", "nut_p3"))]
    assert unit_quaternions(made(TOP)) == [tuple(names("ball_p0", "ball_p1", "ball_p2", "ball_p3"))]


def test_sum_of_squares_is_one() -> None:
    p0, p1, p2, p3, m = names("p0", "p1", "p2", "p3", "m")
    one, units = p0**2 + p1**2 + p2**2 + p3**2, [(p0, p1, p2, p3)]
    assert readable(m * one**3, quaternions=units) == m
    assert readable(p1 * (one - 1), quaternions=units) == Integer(0)
    assert readable(Float(0.3) * one, quaternions=units) == Float(0.3)
    assert readable(m * p0**2, quaternions=units) == m * p0**2  # the shorter form stays
    assert readable(one, quaternions=()) == one


def test_mass_matrix_of_a_free_body() -> None:
    text = text_of(sheet_of(made(FREE)))
    assert "M[1,1] = m\n" in text and "M[2,1]" not in text and "(all other entries are zero)" in text
    assert "m*nut_x'' = 0" in text


def test_readable_values_are_equal_on_unit_quaternions() -> None:
    """Every entry of a heavy top with an offset mass, at random unit quaternions."""
    equations = made(TOP.replace("at = [0, 1, 0]", "at = [0.1, 1, 0.2]"))
    units = unit_quaternions(equations)
    draw = random.Random(2)
    for entry in map(as_expression, [*equations.bias, *(x for row in equations.M for x in row)]):
        shown = readable(entry, equations.angles, equations.v, quaternions=units)
        at = {symbol: draw.uniform(-1, 1) for symbol in (*equations.q, *equations.v)}
        at |= {Symbol(name): draw.uniform(0.5, 2) for name in equations.mechanism.symbols}
        size = sum(at[p] ** 2 for p in units[0]) ** 0.5
        at |= {p: at[p] / size for p in units[0]}
        assert abs(float(shown.subs(at)) - float(entry.subs(at))) < 1e-12 * 40  # the largest values are about 40
