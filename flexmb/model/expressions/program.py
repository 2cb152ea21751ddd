"""The postfix program of an expression, which the compiled evaluator runs (flexmb.equations.functions).

Program record in I, all indices absolute:
    [n_ops, stack_offset, float_offset, op, operand, op, operand, ...]
    n_ops > 0: that many pairs (op, operand) follow;
    n_ops = 0: a constant, F[float_offset];
    n_ops = -1: F[float_offset] + F[float_offset + 1] t.
The stack of jets (value, first, second time derivative) is in W from `stack_offset`, three floats per entry.
Operands: CONSTANT, SCALE, SHIFT, POWER_CONSTANT: index in F of the number; POLYNOMIAL: index in F of [n, c_0..c_{n-1}];
SMOOTH, LINEAR: index in F of the table record (see tables.py); CHANNEL: index in W; others: not used.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

from flexmb.model.expressions.expression import Expression
from flexmb.model.expressions.nodes import Binary, Call, Name, Negative, Node, Number, Table
from flexmb.model.expressions.tables import linear_record, smooth_record

HEADER = 3
"""Ints before the first operation."""
MAX_DEGREE = 40


class Op(IntEnum):
    """Operation codes."""

    CONSTANT = 0
    TIME = 1
    CHANNEL = 2
    POLYNOMIAL = 3
    ADD = 10
    SUBTRACT = 11
    MULTIPLY = 12
    DIVIDE = 13
    POWER = 14
    ATAN2 = 15
    MIN = 16
    MAX = 17
    LESS = 18
    AT_MOST = 19
    EQUAL = 20
    DIFFERENT = 21
    AND = 22
    OR = 23
    STEP = 24
    IF = 25
    NEGATE = 30
    SCALE = 31
    SHIFT = 32
    POWER_CONSTANT = 33
    SMOOTH = 34
    LINEAR = 35
    SIN = 40
    COS = 41
    TAN = 42
    ASIN = 43
    ACOS = 44
    ATAN = 45
    SINH = 46
    COSH = 47
    TANH = 48
    EXP = 49
    LOG = 50
    SQRT = 51
    ABS = 52
    SIGN = 53


_BINARY = {"+": Op.ADD, "-": Op.SUBTRACT, "*": Op.MULTIPLY, "/": Op.DIVIDE, "^": Op.POWER}
_TAKES = {Op.ADD: 2, Op.SUBTRACT: 2, Op.MULTIPLY: 2, Op.DIVIDE: 2, Op.POWER: 2, Op.ATAN2: 2, Op.MIN: 2, Op.MAX: 2}
_TAKES |= {Op.STEP: 5, Op.IF: 3}
_COMPARED = {"<": Op.LESS, "<=": Op.AT_MOST, "==": Op.EQUAL, "!=": Op.DIFFERENT, "and": Op.AND, "or": Op.OR}
_TAKES |= dict.fromkeys(_COMPARED.values(), 2)
_SWAPPED = {">": "<", ">=": "<="}


def polynomial_of_time(node: Node) -> list[float] | None:
    """Coefficients of `node` as a polynomial in t, or None.

    Only forms that keep their accuracy are used: products with a number or with a power of t, never (t - a)^n.
    """
    if isinstance(node, Number):
        return [node.value]
    if isinstance(node, Name):
        return [0.0, 1.0] if node.name == "t" else None
    if isinstance(node, Negative):
        inner = polynomial_of_time(node.argument)
        return None if inner is None else [-c for c in inner]
    if not isinstance(node, Binary):
        return None
    left, right = polynomial_of_time(node.left), polynomial_of_time(node.right)
    if left is None or right is None:
        return None
    if node.sign in "+-":
        sign = 1.0 if node.sign == "+" else -1.0
        size = max(len(left), len(right))
        padded = [[*c, *([0.0] * (size - len(c)))] for c in (left, right)]
        return [a + sign * b for a, b in zip(*padded, strict=True)]
    if node.sign == "*":
        if not (_is_monomial(left) or _is_monomial(right)) or len(left) + len(right) - 2 > MAX_DEGREE:
            return None
        product = [0.0] * (len(left) + len(right) - 1)
        for i, a in enumerate(left):
            for j, b in enumerate(right):
                product[i + j] += a * b
        return product
    if node.sign == "/":
        return [c / right[0] for c in left] if len(right) == 1 and right[0] != 0 else None
    return _power_of_time(left, right)


def _power_of_time(base: list[float], exponent: list[float]) -> list[float] | None:
    n = exponent[0]
    if len(exponent) > 1 or n != int(n) or n < 0 or not _is_monomial(base) or (len(base) - 1) * n > MAX_DEGREE:
        return None
    degree = int((len(base) - 1) * n)
    return [*([0.0] * degree), base[-1] ** int(n)]


def _is_monomial(coefficients: list[float]) -> bool:
    return all(c == 0.0 for c in coefficients[:-1])


class _Writer:
    """Collects operations and floats of one program, and its greatest stack depth."""

    def __init__(self, floats_base: int, channel_slots: Mapping[str, int] | None):
        self.ops: list[tuple[int, int]] = []
        self.floats: list[float] = []
        self.floats_base = floats_base
        self.channel_slots = channel_slots
        self.depth = 0
        self.deepest = 0

    def store(self, *numbers: float) -> int:
        at = self.floats_base + len(self.floats)
        self.floats.extend(numbers)
        return at

    def emit(self, op: Op, operand: int = 0) -> None:
        self.ops.append((int(op), operand))
        self.depth += 1 if op < Op.ADD else 1 - _TAKES.get(op, 1)
        self.deepest = max(self.deepest, self.depth)

    def write(self, node: Node) -> None:
        coefficients = polynomial_of_time(node)
        if coefficients is not None:
            self.polynomial(coefficients)
        elif isinstance(node, Name):
            slots = self.channel_slots
            self.emit(Op.CHANNEL, slots[node.name] if slots is not None else 0)
        elif isinstance(node, Negative):
            self.write(node.argument)
            self.emit(Op.NEGATE)
        elif isinstance(node, Binary):
            self.binary(node)
        elif isinstance(node, Table):
            self.write(node.argument)
            is_linear = node.form == "linear"
            record = linear_record(node.points) if is_linear else smooth_record(node.points, node.form)
            self.emit(Op.LINEAR if is_linear else Op.SMOOTH, self.store(*record))
        elif isinstance(node, Call):
            self.call(node)

    def polynomial(self, coefficients: list[float]) -> None:
        if len(coefficients) == 1:
            self.emit(Op.CONSTANT, self.store(coefficients[0]))
        elif coefficients == [0.0, 1.0]:
            self.emit(Op.TIME)
        else:
            self.emit(Op.POLYNOMIAL, self.store(float(len(coefficients)), *coefficients))

    def binary(self, node: Binary) -> None:
        left, right, sign = node.left, node.right, node.sign
        if isinstance(left, Number) and sign in "+*":
            left, right = right, left
        if isinstance(right, Number) and not (sign == "/" and right.value == 0):
            number = right.value
            self.write(left)
            if sign in "+-":
                self.emit(Op.SHIFT, self.store(number if sign == "+" else -number))
            elif sign in "*/":
                self.emit(Op.SCALE, self.store(number if sign == "*" else 1.0 / number))
            else:
                self.emit(Op.POWER_CONSTANT, self.store(number))
            return
        self.write(left)
        self.write(right)
        self.emit(_BINARY[sign])

    def call(self, node: Call) -> None:
        name, arguments = node.function, node.arguments
        if name in _SWAPPED:
            name, arguments = _SWAPPED[name], arguments[::-1]
        elif name == "not":  # true up to 0, as `if` takes it
            name, arguments = "<=", (*arguments, Number(0.0))
        if name in _COMPARED:
            for argument in arguments:
                self.write(argument)
            self.emit(_COMPARED[name])
            return
        op = Op[node.function.upper()]
        self.write(node.arguments[0])
        if op in (Op.MIN, Op.MAX):
            for argument in node.arguments[1:]:
                self.write(argument)
                self.emit(op)
            return
        for argument in node.arguments[1:]:
            self.write(argument)
        self.emit(op)


def program_records(
    expression: Expression,
    *,
    ints_base: int,
    floats_base: int,
    stack_offset: int,
    channel_slots: Mapping[str, int] | None = None,
) -> tuple[list[int], list[float]]:
    """Ints and floats of the program, to be appended at I[ints_base] and F[floats_base].

    `stack_offset` is where `stack_depth(expression)` floats of W are free for it; `channel_slots` gives for each sensor
    in the expression the index in W of its current value. The record holds no index into I, so it may
    be moved within I; `ints_base` is where evaluation starts.
    """
    coefficients = polynomial_of_time(expression.node)
    if coefficients is not None and len(coefficients) <= 2:
        return [len(coefficients) * -1 + 1, stack_offset, floats_base], coefficients
    writer = _Writer(floats_base, channel_slots or {})
    writer.write(expression.node)
    ints = [len(writer.ops), stack_offset, floats_base]
    for pair in writer.ops:
        ints.extend(pair)
    return ints, writer.floats


def stack_depth(expression: Expression) -> int:
    """Floats of W that the program of `expression` needs for its stack."""
    writer = _Writer(0, None)
    writer.write(expression.node)
    return 3 * writer.deepest
