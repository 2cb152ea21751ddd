"""Compiled evaluation of constraint rows, from the flat arrays of `flexmb.natural.row_table`.

Enters: two arrays of a table (I: integers, F: numbers) and a state; leaves: values, gradient entries, velocity terms or
second derivatives of all rows, in place. A row is a sum of products of two or three vectors that are linear in x, each
with a weight that is one, or the cosine or minus the sine of a mixed angle, and of linear and scalar terms.
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
def factors_into(I: Any, F: Any, x: Any, is_rate: bool, out: Any) -> None:
    """(n_factors, 3) every factor at x, or its rate for the rates x."""
    start, component, column, value, origin = I[START], I[COMPONENT], I[COLUMN], I[VALUE], I[ORIGIN]
    for f in range(I[N_FACTORS]):
        for i in range(3):
            out[f, i] = 0.0 if is_rate else F[origin + 3 * f + i]
        for e in range(I[start + f], I[start + f + 1]):
            out[f, I[component + e]] += F[value + e] * x[I[column + e]]


@kernel
def cross_into(a: Any, b: Any, out: Any) -> None:
    """a x b."""
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]


@kernel
def conjugates_into(I: Any, F: Any, p: int, at: Any, out: Any) -> float:
    """Cofactors of the factors of product p (same places as in `at`), and its value."""
    first, count = I[I[FIRST] + p], I[I[FIRST] + p + 1] - I[I[FIRST] + p]
    if count == 3:
        for k in range(3):
            cross_into(at[first + (k + 1) % 3], at[first + (k + 2) % 3], out[first + k])
    else:
        form = I[FORM] + 9 * p
        for i in range(3):
            out[first, i] = out[first + 1, i] = 0.0
        for i in range(3):
            for j in range(3):
                out[first, i] += F[form + 3 * i + j] * at[first + 1, j]
                out[first + 1, j] += F[form + 3 * i + j] * at[first, i]
    a, b = at[first], out[first]
    return float(a[0] * b[0] + a[1] * b[1] + a[2] * b[2])


@kernel
def weight_of(I: Any, p: int, x: Any) -> tuple[float, float]:
    """Weight of product p and its derivative by its angle."""
    code = I[I[CODE] + p]
    if code == 0:
        return 1.0, 0.0
    psi = x[I[I[TURN] + p]]
    if code == SINE:
        return math.cos(psi), -math.sin(psi)
    return -math.sin(psi), -math.cos(psi)


@kernel
def scalar_term(I: Any, F: Any, s: int, x: Any, order: int) -> float:
    """Scalar term s, or its first or second derivative."""
    code, psi, factor = I[I[SCALAR_CODE] + s], x[I[I[SCALAR_COLUMN] + s]], F[I[SCALAR_FACTOR] + s]
    if code == 0:
        return factor * (psi if order == 0 else 1.0 if order == 1 else 0.0)
    if code == 1:
        return factor * (psi * psi if order == 0 else 2.0 * psi if order == 1 else 2.0)
    sine, cosine = math.sin(psi), math.cos(psi)
    if code == 2:
        return factor * (cosine if order == 0 else -sine if order == 1 else -cosine)
    return factor * (sine if order == 0 else cosine if order == 1 else -sine)


@array_kernel(void(i8[::1], f8[::1], f8[::1], f8[::1]))
def value_into(I: Any, F: Any, x: Any, out: Any) -> None:
    """(n_rows,) Phi without drives."""
    at, conjugate = np.empty((I[N_FACTORS], 3)), np.empty((I[N_FACTORS], 3))
    factors_into(I, F, x, False, at)
    for r in range(I[N_ROWS]):
        out[r] = -F[I[CONSTANT] + r]
    for k in range(I[N_LINEAR]):
        out[I[I[LINEAR_ROW] + k]] += F[I[LINEAR_VALUE] + k] * x[I[I[LINEAR_COLUMN] + k]]
    for p in range(I[N_PRODUCTS]):
        out[I[I[ROW] + p]] += weight_of(I, p, x)[0] * conjugates_into(I, F, p, at, conjugate)
    for s in range(I[N_SCALARS]):
        out[I[I[SCALAR_ROW] + s]] -= scalar_term(I, F, s, x, 0)


@array_kernel(void(i8[::1], f8[::1], f8[::1], f8[::1]))
def entries_into(I: Any, F: Any, x: Any, out: Any) -> None:
    """Entries of the gradient: linear ones, then of every product its factors and its angle, then scalar terms."""
    at, conjugate = np.empty((I[N_FACTORS], 3)), np.empty((I[N_FACTORS], 3))
    factors_into(I, F, x, False, at)
    place, start, values, component = I[N_LINEAR], I[START], I[VALUE], I[COMPONENT]
    for k in range(place):
        out[k] = F[I[LINEAR_VALUE] + k]
    for p in range(I[N_PRODUCTS]):
        value = conjugates_into(I, F, p, at, conjugate)
        weight, turned = weight_of(I, p, x)
        for f in range(I[I[FIRST] + p], I[I[FIRST] + p + 1]):
            for e in range(I[start + f], I[start + f + 1]):
                out[place] = weight * F[values + e] * conjugate[f, I[component + e]]
                place += 1
        if I[I[CODE] + p]:
            out[place] = turned * value
            place += 1
    for s in range(I[N_SCALARS]):
        out[place + s] = -scalar_term(I, F, s, x, 1)


@array_kernel(void(i8[::1], f8[::1], f8[::1], f8[::1], f8[::1]))
def gamma_into(I: Any, F: Any, x: Any, v: Any, out: Any) -> None:
    """(n_rows,) d(Phi_x)/dt v."""
    n = I[N_FACTORS]
    at, rate, conjugate, turning = np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 3))
    factors_into(I, F, x, False, at)
    factors_into(I, F, v, True, rate)
    for r in range(I[N_ROWS]):
        out[r] = 0.0
    for p in range(I[N_PRODUCTS]):
        first, last = I[I[FIRST] + p], I[I[FIRST] + p + 1]
        bend = 2.0 * conjugates_into(I, F, p, rate, turning)
        if last - first == 3:  # a . (b' x c') + b . (c' x a') + c . (a' x b')
            bend = 0.0
            for f in range(first, last):
                for i in range(3):
                    bend += 2.0 * at[f, i] * turning[f, i]
        if I[I[CODE] + p]:
            value = conjugates_into(I, F, p, at, conjugate)
            speed = 0.0
            for f in range(first, last):
                for i in range(3):
                    speed += conjugate[f, i] * rate[f, i]
            weight, turned = weight_of(I, p, x)
            psi_dot = v[I[I[TURN] + p]]
            bend = weight * bend + 2.0 * turned * psi_dot * speed - weight * psi_dot * psi_dot * value
        out[I[I[ROW] + p]] += bend
    for s in range(I[N_SCALARS]):
        s_dot = v[I[I[SCALAR_COLUMN] + s]]
        out[I[I[SCALAR_ROW] + s]] -= scalar_term(I, F, s, x, 2) * s_dot * s_dot


@array_kernel(void(i8[::1], f8[::1], f8[::1], f8[::1], f8[::1]))
def hessian_into(I: Any, F: Any, x: Any, multipliers: Any, out: Any) -> None:
    """Entries of d(Phi_x^T lambda)/dx: pairs of entries (each with its mirror image), angles, scalar terms."""
    at, conjugate = np.empty((I[N_FACTORS], 3)), np.empty((I[N_FACTORS], 3))
    factors_into(I, F, x, False, at)
    flat = at.reshape(-1)
    place = 2 * I[N_PAIRS]
    for k in range(I[N_PAIRS]):
        p, third = I[I[PAIR_PRODUCT] + k], I[I[PAIR_THIRD] + k]
        entry = multipliers[I[I[ROW] + p]] * F[I[PAIR_VALUE] + k] * (1.0 if third < 0 else flat[third])
        if I[I[CODE] + p]:
            entry *= weight_of(I, p, x)[0]
        out[2 * k] = out[2 * k + 1] = entry
    for p in range(I[N_PRODUCTS]):
        if I[I[CODE] + p] == 0:
            continue
        value, factor = conjugates_into(I, F, p, at, conjugate), multipliers[I[I[ROW] + p]]
        weight, turned = weight_of(I, p, x)
        for f in range(I[I[FIRST] + p], I[I[FIRST] + p + 1]):
            for e in range(I[I[START] + f], I[I[START] + f + 1]):
                entry = factor * turned * F[I[VALUE] + e] * conjugate[f, I[I[COMPONENT] + e]]
                out[place] = out[place + 1] = entry
                place += 2
        out[place] = -factor * weight * value
        place += 1
    for s in range(I[N_SCALARS]):
        out[place + s] = -scalar_term(I, F, s, x, 2) * multipliers[I[I[SCALAR_ROW] + s]]


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


@array_kernel(void(i8[::1], f8[::1], i8[::1], i8[:, ::1], i8[::1], f8[::1], f8[::1], f8[::1], f8, f8[::1]))
def unbalanced_into(
    I: Any, F: Any, inside: Any, places: Any, kept: Any, x: Any, multipliers: Any, upper: Any, scale: float, out: Any
) -> None:
    """Right side of a Newton step: -scale (upper + Phi_q^T lambda), then -Phi without drives, of the kept rows.

    inside: the entries of all rows that stand in Phi_q; places (2, n): their rows and columns.
    """
    value, entries = np.empty(I[N_ROWS]), np.empty(I[N_LINEAR] + I[N_ENTRIES] + I[N_PRODUCTS] + I[N_SCALARS])
    value_into(I, F, x, value)
    entries_into(I, F, x, entries)
    n = upper.size
    for i in range(n):
        out[i] = upper[i]
    for k in range(inside.size):
        out[places[1, k]] += entries[inside[k]] * multipliers[places[0, k]]
    for i in range(n):
        out[i] *= -scale
    for k in range(kept.size):
        out[n + k] = -value[kept[k]]


@array_kernel(f8(i8[::1], f8[::1], f8, f8, f8[::1], f8[::1], f8[::1], f8[::1]))
def move_into(
    moving: Any, step: Any, per_rate: float, per_position: float, x: Any, v: Any, a: Any, multipliers: Any
) -> float:
    """Add a Newton step (positions, then scaled multipliers) to a state; returns its largest change of position."""
    n, size = moving.size, 0.0
    for i in range(n):
        x[moving[i]] += step[i]
        v[i] += per_rate * step[i]
        a[i] += per_position * step[i]
        size = max(size, abs(step[i])) if step[i] == step[i] else np.inf
    for k in range(multipliers.size):
        multipliers[k] += per_position * step[n + k]
    return size


@array_kernel(f8(f8[::1]))
def largest(values: Any) -> float:
    """Largest absolute value; infinite where one is not a number, zero of none."""
    size = 0.0
    for k in range(values.size):
        size = max(size, abs(values[k])) if values[k] == values[k] else np.inf
    return size
