"""Arms in symbols: place and orientation of a marker in its body, and how both change with the elastic coordinates.

    r = r_0 + phi_k q_k + 1/2 G_kl q_k q_l,   theta = Theta_k q_k + 1/2 Gamma_kl q_k q_l,   R = exp(~theta) R_0
    psi_k = dr/dq_k,   omega_k = J(theta) dtheta/dq_k,   bias: second time derivatives at constant rates   (theory 5)

exp and J are power series in theta.theta, long enough for the rotations of deflected sections (1e-15 up to
0.7 rad), so that nothing is singular at rest; truncated scalars keep of them what their order allows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from flexmb.symbolic.engine import Integer, Matrix, Rational, Scalar, Vector
from flexmb.symbolic.orders import add as plus
from flexmb.symbolic.orders import multiply
from flexmb.symbolic.tape import Tape
from flexmb.symbolic.vectors import add, apply, cross, dot, identity, is_null, product, scale, skew, sum_of, times, zero

N_TERMS = 7
Sparse = dict[tuple[int, ...], Scalar]
"""Entries that are not zero, by their places."""


@dataclass(frozen=True)
class SymbolicShapes:
    """Motion of a marker with the modes of its body; keys are modes k, l and the component i, missing ones are zero."""

    phi: Sparse = field(default_factory=dict)
    """(k, i) displacement"""
    theta: Sparse = field(default_factory=dict)
    """(k, i) rotation vector"""
    G: Sparse = field(default_factory=dict)
    """(k, l, i) second derivatives of the displacement; both orders of k and l are given"""
    Gamma: Sparse = field(default_factory=dict)
    """(k, l, i) second derivatives of the rotation vector"""


@dataclass(frozen=True)
class Arm:
    """A marker relative to its body, body components."""

    r: Vector
    R: Matrix
    psi: list[Vector]
    omega: list[Vector]
    r_dot: Vector
    w: Vector
    bias_r: Vector
    bias_w: Vector


def rigid_arm(p_b: Vector, R_b: Matrix, n_modes: int) -> Arm:
    """A marker that no deformation moves."""
    none = [zero() for _ in range(n_modes)]
    return Arm(p_b, R_b, none, none, zero(), zero(), zero(), zero())


def flexible_arm(
    p_b: Vector, R_b: Matrix, shapes: SymbolicShapes, q: Sequence[Scalar], v: Sequence[Scalar], tape: Tape
) -> Arm:
    """A marker on a deformed body; q, v : elastic coordinates and their rates."""
    n = len(q)
    shift, psi, r_dot, bias_r = _quadratic(shapes.phi, shapes.G, q, v)
    theta, slopes, theta_dot, bias_theta = _quadratic(shapes.theta, shapes.Gamma, q, v)
    r, psi, r_dot, bias_r = tape.vector(add(p_b, shift)), tape.vectors(psi), tape.vector(r_dot), tape.vector(bias_r)
    theta, slopes, theta_dot = tape.vector(theta), tape.vectors(slopes), tape.vector(theta_dot)
    if all(is_null(slope) for slope in slopes):
        return Arm(r, R_b, psi, [zero() for _ in range(n)], r_dot, zero(), bias_r, zero())
    square = tape.scalar(dot(theta, theta))
    half_rate = dot(theta, theta_dot)  # half of the rate of theta.theta
    a, b, c = (tape.scalar(_series(shift, square)) for shift in (1, 2, 3))
    b_dot, c_dot = (multiply(multiply(2, half_rate), _series_slope(shift, square)) for shift in (2, 3))
    S = skew(theta)
    S2 = tape.matrix(product(S, S))
    R = tape.matrix(sum_of(sum_of(identity(), times(a, S)), times(b, S2)))
    J = tape.matrix(sum_of(sum_of(identity(), times(b, S)), times(c, S2)))
    first = cross(theta, theta_dot)
    bias_w = add(
        apply(J, bias_theta),
        scale(b_dot, first),
        scale(c_dot, cross(theta, first)),
        scale(c, cross(theta_dot, first)),
    )
    omega = tape.vectors([apply(J, slope) for slope in slopes])
    w = tape.vector(apply(J, theta_dot))
    return Arm(r, tape.matrix(product(R, R_b)), psi, omega, r_dot, w, bias_r, tape.vector(bias_w))


def _quadratic(
    linear: Sparse,
    second: Sparse,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
) -> tuple[Vector, list[Vector], Vector, Vector]:
    """Value, derivatives by q_k, rate and bias of linear_k q_k + 1/2 second_kl q_k q_l."""
    value, rate, bias = zero(), zero(), zero()
    slopes = [zero() for _ in q]
    half = Integer(1) / 2
    for (k, i), factor in linear.items():
        value[i] = plus(value[i], multiply(factor, q[k]))
        slopes[k][i] = plus(slopes[k][i], factor)
    bends, swings = ([zero() for _ in q] for _ in range(2))
    for (k, l, i), factor in second.items():
        bends[k][i] = plus(bends[k][i], multiply(factor, q[l]))
        swings[k][i] = plus(swings[k][i], multiply(factor, v[l]))
    for k, (bend, swing) in enumerate(zip(bends, swings, strict=True)):
        value = add(value, scale(multiply(half, q[k]), bend))
        bias = add(bias, scale(v[k], swing))
        slopes[k] = add(slopes[k], bend)
        rate = add(rate, scale(v[k], slopes[k]))
    return value, slopes, rate, bias


def _factorial(n: int) -> int:
    return 1 if n < 2 else n * _factorial(n - 1)


def _series(shift: int, square: Scalar) -> Scalar:
    """sum over m of (-s)^m / (2 m + shift)!, by Horner's rule; shift 1: sin x / x with x^2 = s."""
    return _horner([Rational((-1) ** m, _factorial(2 * m + shift)) for m in range(N_TERMS)], square)


def _series_slope(shift: int, square: Scalar) -> Scalar:
    """The derivative of `_series` by s."""
    return _horner([m * Rational((-1) ** m, _factorial(2 * m + shift)) for m in range(1, N_TERMS)], square)


def _horner(coefficients: list[Scalar], x: Scalar) -> Scalar:
    found: Scalar = 0
    for coefficient in reversed(coefficients):
        found = plus(coefficient, multiply(x, found))
    return found
