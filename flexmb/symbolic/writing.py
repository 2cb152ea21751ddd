"""Expressions as readable text: the same order of terms and factors in plain text and LaTeX.

Enters: an engine expression and a `Style`. Leaves: text. Numbers come first, then parameters, coordinates, rates,
functions, sums; terms with most rates first; a sum begins with a positive term when it has one. The engine's own
order depends on memory and is never shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from flexmb.errors import InputError

SUM, PRODUCT, POWER, ATOM = range(4)
"""Binding strength of a text, for brackets"""

_FUNCTIONS = {"Abs": "abs", "Max": "max", "Min": "min", "ceiling": "ceil"}
_RELATIONS = {"LessThan": "<=", "StrictLessThan": "<", "Equality": "==", "Unequality": "!=", "Le": "<=", "Lt": "<"}


@dataclass(frozen=True)
class Written:
    """A piece of text with its sign kept apart."""

    text: str
    negative: bool = False
    tightness: int = ATOM
    rates: int = 0
    """Degree in the rates."""
    functions: int = 0
    key: str = ""
    """Sorting text, when it differs from the text: a product without its number."""

    @property
    def order(self) -> tuple[Any, ...]:
        """Key by which terms are sorted."""
        return (-self.rates, self.functions, natural(self.key or self.text), self.text)


@dataclass
class Style:
    """Differences between plain text and LaTeX."""

    names: Mapping[str, str] = field(default_factory=dict)
    """Displayed names of symbols; others are shown unchanged."""
    coordinates: frozenset[str] = frozenset()
    rates: frozenset[str] = frozenset()
    stacked: bool = False
    """Fractions have a line, above and below which a sum needs no brackets."""

    def rank(self, name: str) -> int:
        """2 for a rate, 1 for a coordinate, 0 for a parameter."""
        return 2 if name in self.rates else 1 if name in self.coordinates else 0

    def symbol(self, name: str) -> str:
        """Name of a symbol."""
        return self.names.get(name, name)

    def number(self, value: float) -> str:
        """A floating-point number."""
        return f"{value:.10g}"

    def fraction(self, p: int, q: int) -> str:
        """p/q of whole numbers."""
        return f"{p}/{q}"

    def power(self, base: str, exponent: str) -> str:
        """A base in brackets where it needs them, to an exponent."""
        return f"{base}^{exponent if exponent.isalnum() else f'({exponent})'}"

    def times(self, factors: Sequence[str]) -> str:
        """A product."""
        return "*".join(factors)

    def over(self, above: Sequence[str], below: Sequence[str]) -> str:
        """A quotient of two products."""
        bottom = self.times(below)
        return f"{self.times(above) or '1'}/{f'({bottom})' if len(below) > 1 else bottom}"

    def brackets(self, text: str) -> str:
        """A text in brackets."""
        return f"({text})"

    def function(self, name: str, arguments: Sequence[str]) -> str:
        """A function of its arguments."""
        return f"{name}({', '.join(arguments)})"

    def root(self, text: str) -> str:
        """A square root."""
        return f"sqrt({text})"

    def cases(self, branches: Sequence[tuple[str, str]]) -> str:
        """Values with the conditions under which they hold."""
        return "{" + "; ".join(f"{value} if {condition}" for value, condition in branches) + "}"

    def function_power(self, name: str, arguments: Sequence[str], exponent: str) -> str:
        """A function to an exponent."""
        return self.power(self.function(name, arguments), exponent)


def write(expression: Any, style: Style) -> str:
    """The text of an expression."""
    return join_terms(terms_of(expression, style))


def terms_of(expression: Any, style: Style) -> list[str]:
    """The terms of a sum with their signs, in order: 'a', '+ b', '- c'."""
    parts = expression.args if expression.is_Add else (expression,)
    return signed(sorted((_term(part, style) for part in parts), key=lambda term: term.order))


def signed(terms: Iterable[Written]) -> list[str]:
    """Terms with their signs; a positive one is put first when there is one."""
    ordered = list(terms)
    first = next((i for i, term in enumerate(ordered) if not term.negative), 0)
    ordered.insert(0, ordered.pop(first))
    found = [f"-{ordered[0].text}" if ordered[0].negative else ordered[0].text]
    return found + [f"{'-' if term.negative else '+'} {term.text}" for term in ordered[1:]]


def join_terms(terms: Sequence[str]) -> str:
    """Terms with their signs as one sum."""
    return " ".join(terms)


def natural(text: str) -> tuple[Any, ...]:
    """Sorting key: m2 before m10, m before R."""
    parts = [part for part in re.split(r"(\d+)", text) if part]
    return tuple((0, int(part), "", "") if part.isdigit() else (1, 0, part.lower(), part) for part in parts)


def _term(expression: Any, style: Style) -> Written:
    """One term of a sum."""
    if expression.is_Number:
        return _number(expression, style)
    if expression.is_Add:
        terms = [_term(part, style) for part in expression.args]
        text = join_terms(signed(sorted(terms, key=lambda term: term.order)))
        return Written(text, False, SUM, max(term.rates for term in terms), max(term.functions for term in terms))
    if expression.is_Mul:
        return _product(expression, style)
    if expression.is_Pow:
        if not expression.args[1].is_Number or float(expression.args[1]) < 0:
            return _product(expression, style)
        return _power(expression.args[0], expression.args[1], style)
    return _atom(expression, style)


def _number(number: Any, style: Style) -> Written:
    if number.is_Integer:
        return Written(str(abs(int(number))), int(number) < 0)
    if number.is_Rational:
        return Written(style.fraction(abs(int(number.p)), int(number.q)), int(number.p) < 0, PRODUCT)
    value = float(number)
    return Written(style.number(abs(value)), value < 0)


def _product(expression: Any, style: Style) -> Written:
    """Number in front, factors in order, factors with a negative exponent below the line."""
    above: list[tuple[tuple[Any, ...], Written]] = []
    below: list[tuple[tuple[Any, ...], Written]] = []
    number = Written("")
    for factor in expression.args if expression.is_Mul else (expression,):
        if factor.is_Number:
            number = _number(factor, style)
            continue
        target = above
        if factor.is_Pow and factor.args[1].is_Number and float(factor.args[1]) < 0:
            target, factor = below, 1 / factor
        piece = _power(factor.args[0], factor.args[1], style) if factor.is_Pow else _term(factor, style)
        target.append(((_rank(factor, piece, style), natural(piece.text)), piece))
    rates = sum(piece.rates for _, piece in above)
    functions = sum(piece.functions for _, piece in above)
    top, bottom = _factors(above, style, bool(below) and number.text in ("", "1")), _factors(below, style, True)
    key = style.times(top)
    if number.text and number.text != "1":
        top.insert(0, number.text)
    text = style.over(top, bottom) if bottom else style.times(top)
    return Written(text, number.negative, PRODUCT, rates, functions, key)


def _factors(pieces: list[tuple[tuple[Any, ...], Written]], style: Style, alone: bool) -> list[str]:
    """Texts of factors in order; a sum that stands alone above or below a line needs no brackets."""
    ordered = [piece for _, piece in sorted(pieces, key=lambda pair: pair[0])]
    if style.stacked and alone and len(ordered) == 1:
        return [ordered[0].text]
    return [style.brackets(piece.text) if piece.tightness <= PRODUCT else piece.text for piece in ordered]


def _rank(factor: Any, piece: Written, style: Style) -> float:
    """Parameters, coordinates, rates, functions; a sum after what it is made of."""
    base = factor.args[0] if factor.is_Pow else factor
    if base.is_Symbol:
        return style.rank(base.name)
    if not base.is_Add:
        return 3 if base.args else -1
    return 3.5 if piece.functions else 2.5 if piece.rates else 1.5


def _power(base: Any, exponent: Any, style: Style) -> Written:
    if exponent.is_Number and not exponent.is_Integer and exponent.is_Rational and int(exponent.q) == 2:
        inner = _term(base ** int(exponent.p), style)
        return Written(style.root(_with_sign(inner)), False, ATOM, inner.rates, inner.functions)
    shown = _with_sign(_term(exponent, style))
    if not base.is_Symbol and str(base) == "E":
        return Written(style.function("exp", [shown]), functions=1)
    if base.is_Symbol or not (base.is_Add or base.is_Mul or base.is_Pow or base.is_Number):
        piece = _term(base, style)
        times = int(exponent) if exponent.is_Integer else 1
        if not base.args or type(base).__name__ == "Piecewise":
            text = style.power(piece.text, shown)
        else:
            text = style.function_power(function_name(base), [write(x, style) for x in base.args], shown)
        return Written(text, False, POWER, piece.rates * times, piece.functions)
    piece = _term(base, style)
    text = style.power(style.brackets(_with_sign(piece)), shown)
    return Written(text, False, POWER, 2 * piece.rates, piece.functions)


def _with_sign(piece: Written) -> str:
    return f"-{piece.text}" if piece.negative else piece.text


def function_name(expression: Any) -> str:
    """Name of a function in text."""
    name = type(expression).__name__
    return _FUNCTIONS.get(name, name.lower())


def _atom(expression: Any, style: Style) -> Written:
    if expression.is_Symbol:
        return Written(style.symbol(expression.name), rates=int(expression.name in style.rates))
    name = type(expression).__name__
    if name == "Piecewise":
        pairs = list(zip(expression.args[::2], expression.args[1::2], strict=True))
        return Written(style.cases([(write(value, style), condition(test, style)) for value, test in pairs]))
    if not expression.args:
        return Written(style.symbol({"E": "e"}.get(str(expression), str(expression))))
    return Written(style.function(function_name(expression), [write(x, style) for x in expression.args]), functions=1)


def condition(test: Any, style: Style) -> str:
    """The text of a comparison."""
    name = type(test).__name__
    if name in _RELATIONS:
        left, right = (write(side, style) for side in test.args)
        return f"{left} {_RELATIONS[name]} {right}"
    if name in ("And", "Or"):
        return f" {name.lower()} ".join(condition(part, style) for part in test.args)
    if name.startswith("Boolean") or str(test) in ("True", "False"):
        return "otherwise" if str(test) == "True" else "never"
    raise InputError(f"a condition '{name}' has no written form")
