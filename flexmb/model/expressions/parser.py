"""Expressions and quantities in model files: a small, safe grammar (nothing is executed as Python).

    either   = both ("or" both)*
    both     = compared ("and" compared)*
    compared = "not" compared | sum [("<" | "<=" | ">" | ">=" | "==" | "!=") sum]
    sum      = product (("+" | "-") product)*
    product  = signed (("*" | "/") signed)*
    signed   = ("-" | "+") signed | power
    power    = atom ["^" signed]                       (to the right: 2^3^2 = 2^9; -2^2 = -4)
    atom     = number [unit] | "pi" | name | "$name" | function "(" either ("," either)* ")" | "(" either ")"
             | "interp(" string "," either ["," string ["," string]] ")"

Comparisons and logical operators are 1 where true and 0 elsewhere; a number is true above 0. A number may carry a unit
("10 mm", "5 N*m/rad"), parameters are inserted as numbers; the time t and sensors are the free variables. Dimensions
are checked as far as they are known. A named expression is inserted where its name is. `interp` is the monotone curve
through two columns of a table or CSV file: file, argument, name of the column of values, of that of the argument;
beyond the ends of the table it keeps their values. Depth and length are bounded. Parameters kept as symbols are
inserted as numbers that carry their formula (`SymbolicValue`), as do numbers computed from them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from flexmb.model.expressions.columns import DataTable
from flexmb.model.expressions.evaluation import COMPARISONS, FUNCTIONS, Measure, fold, measure
from flexmb.model.expressions.expression import Expression
from flexmb.model.expressions.nodes import Binary, Call, Name, Negative, Node, Number, SymbolicValue, Table, names_in
from flexmb.model.expressions.tokens import WORDS, TextError, Token, tokenize
from flexmb.model.units import UNITS, Amount, Dimension, Kind, convert, read_unit
from flexmb.suggestions import did_you_mean

MAX_NESTING = 50
"""Deepest nesting of brackets, signs and powers."""
MAX_DEPTH = 300
"""Deepest tree: nesting and the terms of a long sum together, so that walking it is safe."""
MAX_TERMS = 20_000
"""Most parts of an expression with the named ones that are inserted."""
SLACK = 1e-9
"""Part of the range of a table by which an argument may leave it through rounding."""
INTERP = "interp"
CONSTANTS = {"pi": math.pi}
RESERVED = frozenset(("t", *CONSTANTS, *FUNCTIONS, *WORDS))
"""Names that parameters and sensors must not have."""


class NamedExpression(NamedTuple):
    """An expression that others use by its name."""

    expression: Expression
    dimension: Dimension | None
    size: int
    """Number of its parts."""


@dataclass(frozen=True)
class Scope:
    """Named expressions and data that an expression may use."""

    expressions: dict[str, NamedExpression]
    table: Callable[[str], DataTable] | None = None
    """Finds a table by its name; raises TextError."""


NOTHING = Scope({})


class _Parser:
    """Parser of one text, from left to right."""

    def __init__(self, source: str, parameters: Mapping[str, Amount], variables: Collection[str], scope: Scope):
        self.source = source
        self.tokens = tokenize(source)
        self.at = 0
        self.level = 0
        self.after_unit = -1
        """Index of the name that would continue a unit: "x" in "5 N*x"."""
        self.parameters = parameters
        self.variables = variables
        self.scope = scope
        self.size = len(self.tokens)

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    def fault(self, message: str, token: Token | None = None, hint: str = "") -> TextError:
        return TextError(message, self.source, (token or self.token).at, hint)

    def expect(self, sign: str) -> None:
        if self.token.text != sign:
            found = f"found '{self.token.text}'" if self.token.text else "the text ends here"
            raise self.fault(f"expected '{sign}', {found}")
        self.at += 1

    def whole(self) -> Node:
        if not self.token.text:
            raise self.fault("the text is empty")
        node = self.either()
        if self.token.text:
            if self.token.kind in ("name", "number") or self.token.text == "(":
                raise self.fault(f"an operator is missing before '{self.token.text}'")
            raise self.fault(f"unexpected '{self.token.text}'")
        return node

    def either(self) -> Node:
        node: Node | None = None
        or_token = self.token
        while node is None or self.token.text == "or":
            if node is not None:
                or_token = self.token
                self.at += 1
            both = self.compared()
            while self.token.text == "and":
                token = self.token
                self.at += 1
                both = self.bounded(Call("and", (both, self.compared()), token.at), token)
            node = both if node is None else self.bounded(Call("or", (node, both), or_token.at), or_token)
        return node

    def compared(self) -> Node:
        negations = []
        while self.token.text == "not":
            negations.append(self.token)
            self.at += 1
        node, token = self.sum(), self.token
        if token.text in COMPARISONS:
            self.at += 1
            node = self.bounded(Call(token.text, (node, self.sum()), token.at), token)
            if self.token.text in COMPARISONS:
                raise self.fault("comparisons cannot be chained", hint="Write 'a < b and b < c'.")
        for token in reversed(negations):
            node = self.bounded(Call("not", (node,), token.at), token)
        return node

    def bounded(self, node: Node, token: Token) -> Node:
        if node.depth > MAX_DEPTH:
            raise self.fault(f"too many terms or nested too deeply (more than {MAX_DEPTH} levels)", token)
        return node

    def chain(self, signs: tuple[str, ...], operand: Literal["product", "signed"]) -> Node:
        node: Node = getattr(self, operand)()
        while self.token.text in signs:
            token = self.token
            self.at += 1
            sign = "*" if token.text == "·" else token.text
            node = self.bounded(Binary(sign, node, getattr(self, operand)(), token.at), token)  # type: ignore[arg-type]
        return node

    def sum(self) -> Node:
        return self.chain(("+", "-"), "product")

    def product(self) -> Node:
        return self.chain(("*", "/", "·"), "signed")

    def signed(self) -> Node:
        self.level += 1
        if self.level > MAX_NESTING:
            raise self.fault(f"nested too deeply (more than {MAX_NESTING} levels)")
        token = self.token
        node: Node
        if token.text in ("-", "+"):
            self.at += 1
            node = self.signed()
            node = Negative(node, token.at) if token.text == "-" else node
        else:
            node = self.power()
        self.level -= 1
        return node

    def power(self) -> Node:
        node = self.atom()
        token = self.token
        if token.text in ("^", "**"):
            self.at += 1
            return Binary("^", node, self.signed(), token.at)
        if token.text in ("²", "³"):
            self.at += 1
            return Binary("^", node, Number(2.0 if token.text == "²" else 3.0, at=token.at), token.at)
        return node

    def atom(self) -> Node:
        token = self.token
        if token.kind == "number":
            return self.number()
        if token.text == "(":
            self.at += 1
            node = self.either()
            self.expect(")")
            return node
        if token.kind == "name":
            self.at += 1
            return self.call(token) if self.token.text == "(" else self.name(token)
        raise self.fault("the text ends too early" if token.kind == "end" else f"unexpected '{token.text}'")

    def number(self) -> Node:
        token = self.token
        self.at += 1
        value = float(token.text)
        if not math.isfinite(value):
            raise self.fault(f"{token.text[:40]} is too large", token)
        following, after = self.token, self.tokens[min(self.at + 1, len(self.tokens) - 1)]
        is_inverse = following.text == "1" and after.text == "/"
        if not is_inverse and (following.kind != "name" or following.text[0] == "$"):
            return Number(value, at=token.at)
        if after.text == "(" and (following.text in FUNCTIONS or following.text == INTERP):
            raise self.fault(f"an operator is missing before '{following.text}'")
        is_time = following.text == "t" and "t" in self.variables
        if is_time or (following.text not in UNITS and self.is_known(following)):
            raise self.fault(f"an operator is missing: write {token.text}*{following.text}")
        unit, self.at = read_unit(self.tokens, self.at, self.source, self.is_unit)
        self.after_unit = self.at + 1
        return Number(value * unit.factor, unit.dimension, token.at)

    def is_known(self, token: Token) -> bool:
        name = token.text
        known = name in self.variables or name in self.parameters or name in CONSTANTS
        return known or name in self.scope.expressions

    def is_unit(self, token: Token) -> bool:
        return not self.is_known(token) and token.text not in FUNCTIONS

    def name(self, token: Token) -> Node:
        name = token.text.removeprefix("$")
        if token.text[0] != "$":
            if name in self.variables:
                return Name(name, token.at)
            if name in CONSTANTS:
                return Number(CONSTANTS[name], at=token.at)
            if name in self.scope.expressions:
                return self.inserted(token)
        if name in self.parameters:
            amount = self.parameters[name]
            return Number(amount.value, amount.dimension, token.at)
        if token.text[0] == "$":
            hint = did_you_mean(token.text, (f"${known}" for known in self.parameters), "Parameters")
            raise self.fault(f"unknown parameter '{token.text}'", token, hint)
        owner, dot, component = name.partition(".")
        if dot and owner in self.variables:
            is_vector = f"{owner}.x" in self.variables
            hint = "Its components are x, y and z." if is_vector else "It is a single number."
            raise self.fault(f"'{owner}' has no component '{component[:60]}'", token, hint)
        if name in FUNCTIONS:
            raise self.fault(f"'{name}' is a function: its arguments in brackets are missing", token)
        choices, what = itertools.chain(self.variables, CONSTANTS, self.parameters, self.scope.expressions), "name"
        if self.tokens[self.after_unit] is token:
            choices, what = itertools.chain(choices, UNITS), "unit or name"
        raise self.fault(f"unknown {what} '{name}'", token, did_you_mean(name, choices, "Known names"))

    def inserted(self, token: Token) -> Node:
        """The tree of a named expression."""
        expression, _, size = self.scope.expressions[token.text]
        missing = sorted(expression.names - set(self.variables))
        if missing:
            text = f"the expression '{token.text}' depends on the sensor '{missing[0]}'"
            raise self.fault(text, token, "Only t and parameters can be used here.")
        self.size += size
        if self.size > MAX_TERMS:
            raise self.fault(f"more than {MAX_TERMS} terms, with its named expressions", token)
        return expression.node

    def string(self) -> str:
        """A string without its quotes."""
        token = self.token
        if token.kind != "string":
            raise self.fault("expected a name in quotes", hint="Such as interp('torque.csv', speed).")
        self.at += 1
        return token.text[1:-1]

    def interp(self, token: Token) -> Node:
        """The curve through two columns of a table."""
        self.expect("(")
        name = self.string()
        self.expect(",")
        argument, columns = self.either(), list[str]()
        while self.token.text == "," and len(columns) < 2:
            self.at += 1
            columns.append(self.string())
        self.expect(")")
        if self.scope.table is None:
            raise self.fault("tables cannot be used here", token)
        y, x, *_ = *columns, None, None
        try:
            first, second = self.scope.table(name).pair(x, y)
        except TextError as error:
            raise self.fault(error.message, token, error.hint) from None
        points = tuple(zip(first.values, second.values, strict=True))
        slack = SLACK * (first.values[-1] - first.values[0])
        ends = (first.values[0] - slack, first.values[-1] + slack)
        for function, end in zip(("max", "min"), ends, strict=True):
            argument = Call(function, (argument, Number(end)), token.at)
        return Table(argument, points, "monotone", token.at, first.dimension, second.dimension)

    def call(self, token: Token) -> Node:
        if token.text == INTERP:
            return self.interp(token)
        if token.text not in FUNCTIONS:
            if self.is_known(token) or token.text[0] == "$":
                raise self.fault(f"'{token.text}' is not a function; an operator is missing after it", token)
            hint = did_you_mean(token.text, (*FUNCTIONS, INTERP), "Functions")
            raise self.fault(f"unknown function '{token.text}'", token, hint)
        self.at += 1
        arguments = [self.either()]
        while self.token.text == ",":
            self.at += 1
            arguments.append(self.either())
        self.expect(")")
        needed = FUNCTIONS[token.text][0]
        enough = len(arguments) >= 2 if token.text in ("min", "max") else len(arguments) == needed
        if not enough:
            more = " or more" if token.text in ("min", "max") else ""
            raise self.fault(f"{token.text} needs {needed}{more} arguments, found {len(arguments)}", token)
        if len(arguments) > MAX_NESTING:
            raise self.fault(f"{token.text} has more than {MAX_NESTING} arguments", token)
        return Call(token.text, tuple(arguments), token.at)


def _parse(
    source: str, parameters: Mapping[str, Amount], variables: Collection[str], scope: Scope = NOTHING
) -> tuple[Node, Measure, int]:
    """Tree, value and dimension, and number of parts of a text."""
    parser = _Parser(source, parameters, variables, scope)
    node = parser.whole()
    if node.depth > MAX_DEPTH:
        raise TextError(f"nested too deeply (more than {MAX_DEPTH} levels)", source, 0)
    try:
        found = measure(node)
    except TextError as error:
        raise TextError(error.message, source, error.position, error.hint) from None
    if found.value is not None and not math.isfinite(found.value):
        raise TextError("the value is not a finite number", source, 0)
    if isinstance(found.value, SymbolicValue) and found.value.node.depth > MAX_DEPTH:
        raise TextError(f"its symbolic formula is nested too deeply (more than {MAX_DEPTH} levels)", source, 0)
    return node, found, parser.size


def parse_amount(source: str, parameters: Mapping[str, Amount] | None = None) -> Amount:
    """Read a constant such as "300 mm" or "$l1/2 + 10 mm"; the dimension is kept."""
    _, found, _ = _parse(source, parameters or {}, ())
    assert found.value is not None
    return Amount(found.value, found.dimension)


def parse_quantity(source: str, kind: Kind, parameters: Mapping[str, Amount] | None = None) -> float:
    """Read a constant of the given kind, in SI."""
    return convert(parse_amount(source, parameters), kind, f"'{source.strip()[:60]}'")


def parse_expression(
    source: str,
    parameters: Mapping[str, Amount] | None = None,
    variables: Iterable[str] = ("t",),
    kind: Kind | None = None,
    scope: Scope = NOTHING,
) -> Expression:
    """Read an expression of `variables`; a known dimension must be that of `kind`."""
    node, found, _ = _parse(source, parameters or {}, tuple(variables), scope)
    if kind is not None and found.dimension is not None:
        factor = convert(Amount(1.0, found.dimension), kind, f"'{source.strip()[:60]}'")
        if factor != 1.0:
            node = Binary("*", Number(factor), node)
    return _folded(node, source)


def named_expression(
    source: str, parameters: Mapping[str, Amount], variables: Iterable[str], scope: Scope
) -> NamedExpression:
    """Read an expression of `variables` that others use by its name; its dimension is kept."""
    node, found, size = _parse(source, parameters, tuple(variables), scope)
    return NamedExpression(_folded(node, source), found.dimension, size)


def _folded(node: Node, source: str) -> Expression:
    try:
        node = fold(node)
    except TextError as error:
        raise TextError(error.message, source, error.position, error.hint) from None
    return Expression(node, source, names_in(node))
