"""The embedding form: constraint rows eliminated, as many dynamic equations as independent coordinates.

    v = T v_i + u,   T = [1; J],  J = -G_d^-1 G_i,     T^T M a = -T^T bias,     with Phi = 0 beside them

G_d: columns of the dependent rates. Rows of motions are not eliminated: their multipliers are the efforts of the
drives, which stay as generalised forces on the independent coordinates. Shi & McPhee eq. 27. Truncated scalars are
inverted by their series, so that the order holds for J too.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.arrays import Floats
from flexmb.errors import Fault, InputError
from flexmb.symbolic.engine import Scalar, as_expression, engine
from flexmb.symbolic.equations import Equations
from flexmb.symbolic.orders import Orders, add, is_zero, multiply, negative, total

MOST_ROWS = 6
SINGULAR = 1e-6


@dataclass(frozen=True)
class Embedded:
    """Dynamic equations M a + bias + D^T effort = 0 in the independent directions, with the constraints beside them."""

    equations: Equations
    independent: tuple[int, ...]
    dependent: tuple[int, ...]
    rows: tuple[int, ...]
    """Constraint rows that are eliminated"""
    motions: tuple[int, ...]
    """Rows of motions, whose multipliers stay"""
    J: list[list[Scalar]]
    """(dependent, independent): v_d = J v_i - G_d^-1 Phi_t"""
    M: list[list[Scalar]]
    """(independent, all rates): T^T M"""
    bias: list[Scalar]
    """T^T bias"""
    drives: list[list[Scalar]]
    """(independent, motions): T^T G_m^T"""


def embedded(equations: Equations) -> Embedded:
    """Eliminate the multipliers of the joints; raises InputError when there are too many rows to write out."""
    parts, n = equations.parts, equations.n_v
    rows = [k for k, row in enumerate(equations.rows) if not row.is_motion]
    motions = [k for k, row in enumerate(equations.rows) if row.is_motion]
    if len(rows) > MOST_ROWS:
        text = f"{len(rows)} constraint rows are too many for symbolic elimination (at most {MOST_ROWS})."
        raise InputError([Fault(text, (), "Use the augmented form, which keeps them (--form augmented).")])
    dependent = _dependent(equations, rows)
    rows = rows if len(dependent) == len(rows) else _independent_rows(equations, rows, dependent)
    independent = [k for k in range(n) if k not in dependent]
    inverse = inverted([[parts.G[r][k] for k in dependent] for r in rows])
    J = [
        [negative(_sum(multiply(inverse[i][r], parts.G[row][k]) for r, row in enumerate(rows))) for k in independent]
        for i in range(len(dependent))
    ]

    def pulled(c: int, values: list[Scalar]) -> Scalar:
        """T^T of a column of n values, entry c."""
        own = values[independent[c]]
        return add(own, _sum(multiply(J[i][c], values[k]) for i, k in enumerate(dependent)))

    count = range(len(independent))
    M = [[total(pulled(c, [parts.M[k][j] for k in range(n)])) for j in range(n)] for c in count]
    bias = [total(pulled(c, parts.bias)) for c in count]
    drives = [[total(pulled(c, parts.G[row])) for row in motions] for c in count]
    return Embedded(
        equations,
        tuple(independent),
        tuple(dependent),
        tuple(rows),
        tuple(motions),
        [[total(x) for x in row] for row in J],
        M,
        bias,
        drives,
    )


def _sum(values: Any) -> Scalar:
    found: Scalar = 0
    for value in values:
        found = add(found, value)
    return found


def inverted(A: list[list[Scalar]]) -> list[list[Scalar]]:
    """The inverse of a square matrix: by cofactors up to three rows, by elimination beyond."""
    n = len(A)
    if n == 0:
        return []
    if n <= 3:
        determinant = _sum(multiply(A[0][j], _cofactor(A, 0, j)) for j in range(n))
        reciprocal = _reciprocal(determinant)
        return [[multiply(reciprocal, _cofactor(A, j, i)) for j in range(n)] for i in range(n)]
    return _eliminated(A)


def _cofactor(A: list[list[Scalar]], i: int, j: int) -> Scalar:
    minor = [[x for c, x in enumerate(row) if c != j] for r, row in enumerate(A) if r != i]
    if not minor:
        return 1
    if len(minor) == 1:
        value = minor[0][0]
    else:
        value = add(multiply(minor[0][0], minor[1][1]), negative(multiply(minor[0][1], minor[1][0])))
    return negative(value) if (i + j) % 2 else value


def _reciprocal(value: Scalar) -> Scalar:
    return value.inverse() if isinstance(value, Orders) else 1 / as_expression(value)


def _eliminated(A: list[list[Scalar]]) -> list[list[Scalar]]:
    """Gauss-Jordan; pivots are entries that are not structurally zero."""
    n = len(A)
    work = [[*row, *(1 if i == j else 0 for j in range(n))] for i, row in enumerate(A)]
    for c in range(n):
        pivot = next((r for r in range(c, n) if not is_zero(_leading(work[r][c]))), None)
        if pivot is None:
            raise InputError("The constraint rows are singular in symbols. Change the tree, or use --form augmented.")
        work[c], work[pivot] = work[pivot], work[c]
        reciprocal = _reciprocal(work[c][c])
        work[c] = [multiply(reciprocal, x) for x in work[c]]
        for r in range(n):
            if r != c and not is_zero(work[r][c]):
                factor = negative(work[r][c])
                work[r] = [add(x, multiply(factor, y)) for x, y in zip(work[r], work[c], strict=True)]
    return [row[n:] for row in work]


def _leading(value: Scalar) -> Scalar:
    return value.parts[0] if isinstance(value, Orders) else value


def _dependent(equations: Equations, rows: list[int]) -> list[int]:
    """Rates that the rows determine: undriven rigid coordinates before driven ones, elastic ones last."""
    G = _numbers(equations, rows)
    driven = {k for row in equations.rows if row.is_motion for k in row.jet.columns}
    rank = {k: (c.is_elastic, k in driven, -k) for k, c in enumerate(equations.coordinates)}
    found: list[int] = []
    for k in sorted(rank, key=lambda k: rank[k]):
        if len(found) < len(rows) and _rank(G[:, [*found, k]]) > len(found):
            found.append(k)
    return sorted(found)


def _independent_rows(equations: Equations, rows: list[int], dependent: list[int]) -> list[int]:
    """Rows that do not repeat others."""
    G = _numbers(equations, rows)[:, dependent]
    found: list[int] = []
    for k in range(len(rows)):
        if _rank(G[[*found, k]]) > len(found):
            found.append(k)
    return [rows[k] for k in found]


def _rank(A: Floats) -> int:
    sigma = np.linalg.svd(A, compute_uv=False)
    return int(np.sum(sigma > SINGULAR * max(1e-300, float(sigma.max(initial=0.0)))))


def _numbers(equations: Equations, rows: list[int]) -> Floats:
    """G of the rows at a generic state: coordinates and symbols drawn at random, always the same."""
    draw = random.Random(1)
    values = {symbol: draw.uniform(0.3, 0.9) for symbol in equations.q}
    for place in equations.parts.places:
        for k in range(place.n_modes):
            values[equations.q[place.elastic_q + k]] *= 1e-3
    values |= {engine.Symbol(name): value for name, value in equations.mechanism.values.items()}
    values |= {symbol: 0.1 for symbol in equations.v} | {equations.t: 0.1}
    for name, definition in equations.definitions:
        values[name] = float(as_expression(definition).subs(values))
    G = [[float(as_expression(x).subs(values)) for x in equations.G[r]] for r in rows]
    return np.array(G, dtype=float).reshape(len(rows), equations.n_v)
