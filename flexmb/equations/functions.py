"""Prescribed functions of time and of sensors: the compiled evaluator of postfix programs.

`evaluate(I, F, W, start, t)` runs the program whose record begins at I[start] and returns its value and its first and
second derivative with respect to time. Every entry of the stack is a second-order jet (x, dx/dt, d2x/dt2);
derivatives of all functions are exact (forward mode):
    f(x):   f,  f' x1,  f'' x1^2 + f' x2
    a b:    a b,  a1 b + a b1,  a2 b + 2 a1 b1 + a b2.
Sensors are read as values with zero derivatives. The record is described in flexmb.model.expressions.program, tables
in flexmb.model.expressions.tables. I, F, W may be bare pointers: they are only indexed. Outside its domain a function
gives nan. Comparisons and logical operations are 1 or 0 with zero derivatives, also where they jump.
"""

from __future__ import annotations

import math

from flexmb.loads.tables import linear_table, piece
from flexmb.machine_code.jit import kernel
from flexmb.model.expressions.program import HEADER as _HEADER
from flexmb.model.expressions.program import Op, program_records, stack_depth

__all__ = ["evaluate", "linear_table", "program_records", "smooth_table", "stack_depth"]

CONSTANT, TIME, CHANNEL, POLYNOMIAL = int(Op.CONSTANT), int(Op.TIME), int(Op.CHANNEL), int(Op.POLYNOMIAL)
ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER = int(Op.ADD), int(Op.SUBTRACT), int(Op.MULTIPLY), int(Op.DIVIDE), int(Op.POWER)
ATAN2, MIN, MAX, STEP, IF = int(Op.ATAN2), int(Op.MIN), int(Op.MAX), int(Op.STEP), int(Op.IF)
LESS, AT_MOST, EQUAL, DIFFERENT, AND = (int(op) for op in (Op.LESS, Op.AT_MOST, Op.EQUAL, Op.DIFFERENT, Op.AND))
NEGATE, SCALE, SHIFT, POWER_CONSTANT = int(Op.NEGATE), int(Op.SCALE), int(Op.SHIFT), int(Op.POWER_CONSTANT)
SMOOTH, LINEAR = int(Op.SMOOTH), int(Op.LINEAR)
SIN, COS, TAN, ASIN, ACOS, ATAN = (int(op) for op in (Op.SIN, Op.COS, Op.TAN, Op.ASIN, Op.ACOS, Op.ATAN))
SINH, COSH, TANH, EXP, LOG, SQRT = (int(op) for op in (Op.SINH, Op.COSH, Op.TANH, Op.EXP, Op.LOG, Op.SQRT))
ABS, SIGN = int(Op.ABS), int(Op.SIGN)
HEADER = int(_HEADER)
LARGEST_EXPONENT = 709.0


@kernel
def smooth_table(F, at, x):
    """Value, first and second derivative of the curve at x."""
    i = piece(F, at, x)
    s = x - F[at + 1 + i]
    c = at + 1 + int(F[at]) + 6 * i
    value = F[c + 5]
    first = 0.0
    second = 0.0
    for k in range(4, -1, -1):
        second = second * s + 2.0 * first
        first = first * s + value
        value = value * s + F[c + k]
    return value, first, second


@kernel
def _polynomial(F, at, t):
    n = int(F[at])
    value = 0.0
    first = 0.0
    second = 0.0
    for k in range(n, 0, -1):
        second = second * t + 2.0 * first
        first = first * t + value
        value = value * t + F[at + k]
    return value, first, second


@kernel
def _power(x, n):
    """x^n as a number; inf or nan instead of an exception."""
    if x == 0.0 and n < 0.0:
        return math.inf
    if x < 0.0 and n != math.floor(n):
        return math.nan
    if x != 0.0 and n * math.log(abs(x)) > LARGEST_EXPONENT:
        return math.inf
    return math.pow(x, n)


@kernel
def _power_constant(x, n):
    """x^n and its two derivatives with respect to x."""
    if n == 2.0:
        return x * x, 2.0 * x, 2.0
    first = 0.0
    second = 0.0
    if n != 0.0:
        first = n * _power(x, n - 1.0)
        if n != 1.0:
            second = n * (n - 1.0) * _power(x, n - 2.0)
    return _power(x, n), first, second


@kernel
def _exp(x):
    return math.inf if x > LARGEST_EXPONENT else math.exp(x)


@kernel
def _trigonometric(op, x):
    """f, f', f'' of the circular functions and their inverses."""
    if op == SIN:
        s = math.sin(x)
        return s, math.cos(x), -s
    if op == COS:
        c = math.cos(x)
        return c, -math.sin(x), -c
    if op == TAN:
        f = math.tan(x)
        d = 1.0 + f * f
        return f, d, 2.0 * f * d
    if op == ATAN:
        d = 1.0 / (1.0 + x * x)
        return math.atan(x), d, -2.0 * x * d * d
    if not abs(x) <= 1.0:
        return math.nan, math.nan, math.nan
    room = 1.0 - x * x
    d = math.inf if room == 0.0 else 1.0 / math.sqrt(room)
    dd = math.inf if room == 0.0 else x * d / room
    if op == ASIN:
        return math.asin(x), d, dd
    return math.acos(x), -d, -dd


@kernel
def _other(op, x):
    """f, f', f'' of the remaining functions of one argument."""
    if op == EXP:
        f = _exp(x)
        return f, f, f
    if op == LOG:
        if x > 0.0:
            return math.log(x), 1.0 / x, -1.0 / (x * x)
        return math.nan, math.nan, math.nan
    if op == SQRT:
        if x > 0.0:
            f = math.sqrt(x)
            return f, 0.5 / f, -0.25 / (f * x)
        if x == 0.0:
            return 0.0, math.inf, -math.inf
        return math.nan, math.nan, math.nan
    if op == ABS:
        if x < 0.0:
            return -x, -1.0, 0.0
        return x, 1.0 if x > 0.0 else 0.0, 0.0
    if op == SIGN:
        if x > 0.0:
            return 1.0, 0.0, 0.0
        return -1.0 if x < 0.0 else 0.0, 0.0, 0.0
    if op == TANH:
        f = math.tanh(x)
        d = 1.0 - f * f
        return f, d, -2.0 * f * d
    if abs(x) > LARGEST_EXPONENT:
        large = math.inf
        small = large if x > 0.0 else -large
        return (small, large, small) if op == SINH else (large, small, large)
    s = math.sinh(x)
    c = math.cosh(x)
    return (s, c, s) if op == SINH else (c, s, c)


@kernel
def _quotient(a, a1, a2, b, b1, b2):
    q = a / b
    q1 = (a1 - q * b1) / b
    return q, q1, (a2 - 2.0 * q1 * b1 - q * b2) / b


@kernel
def _step_into(W, at):
    """step(x, x0, y0, x1, y1) of the five jets at W[at], result at W[at]: y0 + (y1 - y0) (10 s^3 - 15 s^4 + 6 s^5)."""
    a, a1, a2 = W[at] - W[at + 3], W[at + 1] - W[at + 4], W[at + 2] - W[at + 5]
    b, b1, b2 = W[at + 9] - W[at + 3], W[at + 10] - W[at + 4], W[at + 11] - W[at + 5]
    p, p1, p2 = 0.0, 0.0, 0.0
    if b == 0.0:
        p = 1.0 if a >= 0.0 else 0.0
    else:
        s, s1, s2 = _quotient(a, a1, a2, b, b1, b2)
        if s >= 1.0:
            p = 1.0
        elif s > 0.0:
            p = s * s * s * (10.0 + s * (-15.0 + 6.0 * s))
            slope = 30.0 * s * s * (1.0 - s) * (1.0 - s)
            p1 = slope * s1
            p2 = 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) * s1 * s1 + slope * s2
    h, h1, h2 = W[at + 12] - W[at + 6], W[at + 13] - W[at + 7], W[at + 14] - W[at + 8]
    W[at] = W[at + 6] + h * p
    W[at + 1] = W[at + 7] + h1 * p + h * p1
    W[at + 2] = W[at + 8] + h2 * p + 2.0 * h1 * p1 + h * p2


@kernel
def _general_power(a, a1, a2, b, b1, b2):
    """a^b = exp(b log a) for a varying exponent."""
    if a == 0.0 and b > 0.0:
        return 0.0, 0.0, 0.0
    if not a > 0.0:
        return math.nan, math.nan, math.nan
    r1 = a1 / a
    r2 = a2 / a - r1 * r1
    log_a = math.log(a)
    e1 = b1 * log_a + b * r1
    e2 = b2 * log_a + 2.0 * b1 * r1 + b * r2
    f = _exp(b * log_a)
    return f, f * e1, f * (e1 * e1 + e2)


@kernel
def _is_true(op, a, b):
    """Comparison or logical operation of two numbers; a number is true above 0."""
    if op == LESS:
        return a < b
    if op == AT_MOST:
        return a <= b
    if op == EQUAL:
        return a == b
    if op == DIFFERENT:
        return a != b
    if op == AND:
        return a > 0.0 and b > 0.0
    return a > 0.0 or b > 0.0


@kernel
def _two_into(op, W, at):
    """Operation on the jets at W[at] and W[at + 3], result at W[at]."""
    a, a1, a2 = W[at], W[at + 1], W[at + 2]
    b, b1, b2 = W[at + 3], W[at + 4], W[at + 5]
    if op >= LESS:
        W[at] = 1.0 if _is_true(op, a, b) else 0.0
        W[at + 1] = 0.0
        W[at + 2] = 0.0
        return
    if op == ADD:
        a, a1, a2 = a + b, a1 + b1, a2 + b2
    elif op == SUBTRACT:
        a, a1, a2 = a - b, a1 - b1, a2 - b2
    elif op == MULTIPLY:
        a, a1, a2 = a * b, a1 * b + a * b1, a2 * b + 2.0 * a1 * b1 + a * b2
    elif op == DIVIDE:
        a, a1, a2 = _quotient(a, a1, a2, b, b1, b2)
    elif op == POWER:
        a, a1, a2 = _general_power(a, a1, a2, b, b1, b2)
    elif op == ATAN2:
        r = a * a + b * b
        d = (b * a1 - a * b1) / r
        dd = (b * a2 - a * b2 - 2.0 * d * (a * a1 + b * b1)) / r
        a, a1, a2 = math.atan2(a, b), d, dd
    elif (op == MIN and b < a) or (op == MAX and b > a):
        a, a1, a2 = b, b1, b2
    W[at] = a
    W[at + 1] = a1
    W[at + 2] = a2


@kernel
def _one_into(op, operand, F, W, at):
    """Function of the jet at W[at], result in its place."""
    x, x1, x2 = W[at], W[at + 1], W[at + 2]
    if op == SHIFT:
        W[at] = x + F[operand]
        return
    if op == SCALE or op == NEGATE:
        factor = F[operand] if op == SCALE else -1.0
        W[at] = factor * x
        W[at + 1] = factor * x1
        W[at + 2] = factor * x2
        return
    if op == POWER_CONSTANT:
        f, d, dd = _power_constant(x, F[operand])
    elif op == SMOOTH:
        f, d, dd = smooth_table(F, operand, x)
    elif op == LINEAR:
        f, d, _ = linear_table(F, operand, x)
        dd = 0.0
    elif op <= ATAN:
        f, d, dd = _trigonometric(op, x)
    else:
        f, d, dd = _other(op, x)
    W[at] = f
    # A constant stays constant even where the derivative is infinite.
    W[at + 1] = d * x1 if x1 != 0.0 else 0.0
    W[at + 2] = (dd * x1 * x1 if x1 != 0.0 else 0.0) + (d * x2 if x2 != 0.0 else 0.0)


@kernel
def _run(I, F, W, start, t):
    """Run a program with operations; the result is the only jet left on the stack."""
    top = I[start + 1] - 3
    for k in range(I[start]):
        op = I[start + HEADER + 2 * k]
        operand = I[start + HEADER + 2 * k + 1]
        if op >= NEGATE:
            _one_into(op, operand, F, W, top)
        elif op >= STEP:
            if op == STEP:
                top -= 12
                _step_into(W, top)
            else:
                top -= 6
                chosen = top + 3 if W[top] > 0.0 else top + 6
                for i in range(3):
                    W[top + i] = W[chosen + i]
        elif op >= ADD:
            top -= 3
            _two_into(op, W, top)
        else:
            top += 3
            value, first, second = t, 1.0, 0.0
            if op == POLYNOMIAL:
                value, first, second = _polynomial(F, operand, t)
            elif op != TIME:
                first = 0.0
                value = F[operand] if op == CONSTANT else W[operand]
            W[top] = value
            W[top + 1] = first
            W[top + 2] = second
    return W[top], W[top + 1], W[top + 2]


@kernel
def evaluate(I, F, W, start, t):
    """Value, first and second time derivative at time t [s] of the program that begins at I[start]."""
    n_ops = I[start]
    if n_ops == 0:
        return F[I[start + 2]], 0.0, 0.0
    if n_ops == -1:
        rate = F[I[start + 2] + 1]
        return F[I[start + 2]] + rate * t, rate, 0.0
    return _run(I, F, W, start, t)
