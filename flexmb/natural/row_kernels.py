"""Compiled evaluation of constraint rows, from the flat arrays of `flexmb.natural.row_table`.

Enters: two arrays of a table (I: integers from `t` on, F: numbers from `f` on) and a state; leaves: values, gradient
entries, velocity terms or second derivatives of all rows, in place. A row is a sum of products of two or three vectors
that are linear in x, each with a weight that is one, or the cosine or minus the sine of a mixed angle, and of linear
and scalar terms. Kernels take numbers by array and offset, so that the programs of `flexmb.natural.programs` and
Python share them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from flexmb.machine_code.jit import array_kernel, kernel
from flexmb.machine_code.signatures import f8, i8, void

# Where the parts of a table start: counts first, then offsets into I, then offsets into F.
N_LINEAR, N_PRODUCTS, N_FACTORS, N_ENTRIES, N_PAIRS, N_SCALARS, N_ROWS = range(7)
(
    LINEAR_ROW, LINEAR_COLUMN, ROW, FIRST, TURN, CODE, START, COMPONENT, COLUMN,
    PAIR_PRODUCT, PAIR_THIRD, SCALAR_ROW, SCALAR_COLUMN, SCALAR_CODE,
) = range(7, 21)  # fmt: skip
CONSTANT, LINEAR_VALUE, FORM, ORIGIN, VALUE, PAIR_VALUE, SCALAR_FACTOR = range(21, 28)
HEADER = 28
SINE, COSINE = 1, 2
"""Codes of weights: cos psi (of the sine S) and -sin psi (of the cosine C), in S cos psi - C sin psi."""


@kernel
def factors_into(I: Any, t: int, F: Any, f: int, X: Any, x: int, is_rate: int, out: Any, to: int) -> None:
    """(n_factors, 3) every factor at the coordinates at x, or its rate for the rates there."""
    start, component, column = t + I[t + START], t + I[t + COMPONENT], t + I[t + COLUMN]
    value, origin = f + I[t + VALUE], f + I[t + ORIGIN]
    for k in range(I[t + N_FACTORS]):
        place = to + 3 * k
        for i in range(3):
            out[place + i] = 0.0 if is_rate == 1 else F[origin + 3 * k + i]
        for e in range(I[start + k], I[start + k + 1]):
            out[place + I[component + e]] += F[value + e] * X[x + I[column + e]]


@kernel
def cross_into(A: Any, a: int, b: int, out: Any, to: int) -> None:
    """a x b of the vectors at A[a..] and A[b..]."""
    out[to] = A[a + 1] * A[b + 2] - A[a + 2] * A[b + 1]
    out[to + 1] = A[a + 2] * A[b] - A[a] * A[b + 2]
    out[to + 2] = A[a] * A[b + 1] - A[a + 1] * A[b]


@kernel
def conjugates_into(I: Any, t: int, F: Any, f: int, p: int, A: Any, at: int, out: Any, to: int) -> float:
    """Cofactors of the factors of product p (same places as the factors at A[at..]), and its value."""
    first = I[t + I[t + FIRST] + p]
    count = I[t + I[t + FIRST] + p + 1] - first
    a, c = at + 3 * first, to + 3 * first
    if count == 3:
        cross_into(A, a + 3, a + 6, out, c)
        cross_into(A, a + 6, a, out, c + 3)
        cross_into(A, a, a + 3, out, c + 6)
    else:
        form = f + I[t + FORM] + 9 * p
        for i in range(6):
            out[c + i] = 0.0
        for i in range(3):
            for j in range(3):
                out[c + i] += F[form + 3 * i + j] * A[a + 3 + j]
                out[c + 3 + j] += F[form + 3 * i + j] * A[a + i]
    return float(A[a] * out[c] + A[a + 1] * out[c + 1] + A[a + 2] * out[c + 2])


@kernel
def weight_of(I: Any, t: int, p: int, X: Any, x: int) -> tuple[float, float]:
    """Weight of product p and its derivative by its angle."""
    code = I[t + I[t + CODE] + p]
    if code == 0:
        return 1.0, 0.0
    psi = X[x + I[t + I[t + TURN] + p]]
    if code == SINE:
        return math.cos(psi), -math.sin(psi)
    return -math.sin(psi), -math.cos(psi)


@kernel
def scalar_term(I: Any, t: int, F: Any, f: int, s: int, X: Any, x: int, order: int) -> float:
    """Scalar term s, or its first or second derivative."""
    code, psi = I[t + I[t + SCALAR_CODE] + s], X[x + I[t + I[t + SCALAR_COLUMN] + s]]
    factor = F[f + I[t + SCALAR_FACTOR] + s]
    if code == 0:
        return factor * (psi if order == 0 else 1.0 if order == 1 else 0.0)
    if code == 1:
        return factor * (psi * psi if order == 0 else 2.0 * psi if order == 1 else 2.0)
    sine, cosine = math.sin(psi), math.cos(psi)
    if code == 2:
        return factor * (cosine if order == 0 else -sine if order == 1 else -cosine)
    return factor * (sine if order == 0 else cosine if order == 1 else -sine)


@kernel
def values_of(
    I: Any, t: int, F: Any, f: int, X: Any, x: int, A: Any, at: int, C: Any, conjugate: int, out: Any, to: int
) -> None:
    """(n_rows,) Phi without drives, from the factors at A[at..]; leaves their cofactors at C[conjugate..]."""
    for r in range(I[t + N_ROWS]):
        out[to + r] = -F[f + I[t + CONSTANT] + r]
    for k in range(I[t + N_LINEAR]):
        value = F[f + I[t + LINEAR_VALUE] + k] * X[x + I[t + I[t + LINEAR_COLUMN] + k]]
        out[to + I[t + I[t + LINEAR_ROW] + k]] += value
    for p in range(I[t + N_PRODUCTS]):
        value = conjugates_into(I, t, F, f, p, A, at, C, conjugate)
        out[to + I[t + I[t + ROW] + p]] += weight_of(I, t, p, X, x)[0] * value
    for s in range(I[t + N_SCALARS]):
        out[to + I[t + I[t + SCALAR_ROW] + s]] -= scalar_term(I, t, F, f, s, X, x, 0)


@kernel
def gamma_of(
    I: Any, t: int, F: Any, f: int, X: Any, x: int, V: Any, v: int, A: Any, at: int, rate: int, scratch: int,
    out: Any, to: int,
) -> None:  # fmt: skip
    """(n_rows,) d(Phi_x)/dt v, from the factors at A[at..] and their rates at A[rate..]; scratch: (n_factors, 3)."""
    for r in range(I[t + N_ROWS]):
        out[to + r] = 0.0
    for p in range(I[t + N_PRODUCTS]):
        first, last = I[t + I[t + FIRST] + p], I[t + I[t + FIRST] + p + 1]
        bend = 2.0 * conjugates_into(I, t, F, f, p, A, rate, A, scratch)
        if last - first == 3:  # a . (b' x c') + b . (c' x a') + c . (a' x b')
            bend = 0.0
            for i in range(3 * first, 3 * last):
                bend += 2.0 * A[at + i] * A[scratch + i]
        if I[t + I[t + CODE] + p]:
            value = conjugates_into(I, t, F, f, p, A, at, A, scratch)
            speed = 0.0
            for i in range(3 * first, 3 * last):
                speed += A[scratch + i] * A[rate + i]
            weight, turned = weight_of(I, t, p, X, x)
            psi_dot = V[v + I[t + I[t + TURN] + p]]
            bend = weight * bend + 2.0 * turned * psi_dot * speed - weight * psi_dot * psi_dot * value
        out[to + I[t + I[t + ROW] + p]] += bend
    for s in range(I[t + N_SCALARS]):
        s_dot = V[v + I[t + I[t + SCALAR_COLUMN] + s]]
        out[to + I[t + I[t + SCALAR_ROW] + s]] -= scalar_term(I, t, F, f, s, X, x, 2) * s_dot * s_dot


@array_kernel(void(i8[::1], f8[::1], f8[::1], f8[::1]))
def value_into(I: Any, F: Any, x: Any, out: Any) -> None:
    """(n_rows,) Phi without drives."""
    n = 3 * I[N_FACTORS]
    at, conjugate = np.empty(n), np.empty(n)
    factors_into(I, 0, F, 0, x, 0, 0, at, 0)
    values_of(I, 0, F, 0, x, 0, at, 0, conjugate, 0, out, 0)


@array_kernel(void(i8[::1], f8[::1], f8[::1], f8[::1]))
def entries_into(I: Any, F: Any, x: Any, out: Any) -> None:
    """Entries of the gradient: linear ones, then of every product its factors and its angle, then scalar terms."""
    n = 3 * I[N_FACTORS]
    at, conjugate = np.empty(n), np.empty(n)
    factors_into(I, 0, F, 0, x, 0, 0, at, 0)
    place, start, values, component = I[N_LINEAR], I[START], I[VALUE], I[COMPONENT]
    for k in range(place):
        out[k] = F[I[LINEAR_VALUE] + k]
    for p in range(I[N_PRODUCTS]):
        value = conjugates_into(I, 0, F, 0, p, at, 0, conjugate, 0)
        weight, turned = weight_of(I, 0, p, x, 0)
        for k in range(I[I[FIRST] + p], I[I[FIRST] + p + 1]):
            for e in range(I[start + k], I[start + k + 1]):
                out[place] = weight * F[values + e] * conjugate[3 * k + I[component + e]]
                place += 1
        if I[I[CODE] + p]:
            out[place] = turned * value
            place += 1
    for s in range(I[N_SCALARS]):
        out[place + s] = -scalar_term(I, 0, F, 0, s, x, 0, 1)


@array_kernel(void(i8[::1], f8[::1], f8[::1], f8[::1], f8[::1]))
def gamma_into(I: Any, F: Any, x: Any, v: Any, out: Any) -> None:
    """(n_rows,) d(Phi_x)/dt v."""
    n = 3 * I[N_FACTORS]
    factors = np.empty(3 * n)
    factors_into(I, 0, F, 0, x, 0, 0, factors, 0)
    factors_into(I, 0, F, 0, v, 0, 1, factors, n)
    gamma_of(I, 0, F, 0, x, 0, v, 0, factors, 0, n, 2 * n, out, 0)


@array_kernel(void(i8[::1], f8[::1], f8[::1], f8[::1], f8[::1]))
def hessian_into(I: Any, F: Any, x: Any, multipliers: Any, out: Any) -> None:
    """Entries of d(Phi_x^T lambda)/dx: pairs of entries (each with its mirror image), angles, scalar terms."""
    n = 3 * I[N_FACTORS]
    at, conjugate = np.empty(n), np.empty(n)
    factors_into(I, 0, F, 0, x, 0, 0, at, 0)
    place = 2 * I[N_PAIRS]
    for k in range(I[N_PAIRS]):
        p, third = I[I[PAIR_PRODUCT] + k], I[I[PAIR_THIRD] + k]
        entry = multipliers[I[I[ROW] + p]] * F[I[PAIR_VALUE] + k] * (1.0 if third < 0 else at[third])
        if I[I[CODE] + p]:
            entry *= weight_of(I, 0, p, x, 0)[0]
        out[2 * k] = out[2 * k + 1] = entry
    for p in range(I[N_PRODUCTS]):
        if I[I[CODE] + p] == 0:
            continue
        value, factor = conjugates_into(I, 0, F, 0, p, at, 0, conjugate, 0), multipliers[I[I[ROW] + p]]
        weight, turned = weight_of(I, 0, p, x, 0)
        for k in range(I[I[FIRST] + p], I[I[FIRST] + p + 1]):
            for e in range(I[I[START] + k], I[I[START] + k + 1]):
                entry = factor * turned * F[I[VALUE] + e] * conjugate[3 * k + I[I[COMPONENT] + e]]
                out[place] = out[place + 1] = entry
                place += 2
        out[place] = -factor * weight * value
        place += 1
    for s in range(I[N_SCALARS]):
        out[place + s] = -scalar_term(I, 0, F, 0, s, x, 0, 2) * multipliers[I[I[SCALAR_ROW] + s]]


@array_kernel(void(i8[:, ::1], f8[::1], f8[::1], f8[::1]))
def times_into(places: Any, entries: Any, v: Any, out: Any) -> None:
    """The sparse matrix with these entries times v; places (2, n): rows and columns."""
    out[:] = 0.0
    for k in range(entries.size):
        out[places[0, k]] += entries[k] * v[places[1, k]]


@array_kernel(void(i8[::1], f8[::1], f8[::1]))
def add_at(slots: Any, entries: Any, out: Any) -> None:
    """Add every entry at its place in the flat array."""
    for k in range(slots.size):
        out[slots[k]] += entries[k]


@array_kernel(f8(f8[::1]))
def largest(values: Any) -> float:
    """Largest absolute value; infinite where one is not a number, zero of none."""
    size = 0.0
    for k in range(values.size):
        size = max(size, abs(values[k])) if values[k] == values[k] else np.inf
    return size
