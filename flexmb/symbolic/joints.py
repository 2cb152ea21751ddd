"""The joints of the table in symbols: pose, motion subspace and bias between their two frames (theory 6).

    R(q), t(q): orientation and place of the second frame in the first;  relative motion  w = S_w v,  v_t = S_v v
    (first frame);  bias: their derivatives in the first frame at constant v.

Rotations without angles are unit quaternions (w first) with the angular velocity in the second frame as rates. A joint
that carries its first body is reversed: the same joint seen from its second frame.
"""

from __future__ import annotations

from dataclasses import dataclass

from flexmb.joints.joint_type import JointType
from flexmb.symbolic.engine import Integer, Matrix, Scalar, Vector, cos, sin
from flexmb.symbolic.orders import add as plus
from flexmb.symbolic.orders import multiply, negative, subtract
from flexmb.symbolic.vectors import (
    add,
    apply_transposed,
    column,
    cross,
    identity,
    minus,
    scale,
    sub,
    transpose,
    turn,
    zero,
)


@dataclass(frozen=True)
class JointMotion:
    """Relative motion of the two frames of a joint, in axes of the one that it is seen from."""

    R: Matrix
    t: Vector
    S_w: list[Vector]
    S_v: list[Vector]
    bias_w: Vector
    bias_v: Vector
    turns: list[Vector]
    """S_w in axes of the frame that moves: R^T S_w, where R^T R has been left out"""
    bias_turn: Vector
    """bias_w in these axes"""


def joint_motion(kind: JointType, parameters: list[Scalar], q: list[Scalar], v: list[Scalar]) -> JointMotion:
    """The joint seen from its first frame; q, v : its stored coordinates and rates."""
    if kind.name in _POSES:
        return _POSES[kind.name](parameters, q, v)
    R, t = identity(), zero()
    S_w, S_v = [zero() for _ in range(kind.n_v)], [zero() for _ in range(kind.n_v)]
    slides = kind.motions_of("slide")
    for k, motion in enumerate(slides):
        t[motion.axis], S_v[k][motion.axis] = q[k], 1
    k = len(slides)
    for motion in kind.motions[k:]:  # at most one: the others have their own pose
        if motion.type == "ball":
            R = quaternion_matrix(q[k : k + 4])
            S_w[k:] = [column(R, i) for i in range(3)]
            turns = [*(zero() for _ in slides), *identity()]
            return JointMotion(R, t, S_w, S_v, zero(), zero(), turns, zero())
        R, S_w[k][motion.axis] = turn(motion.axis, cos(q[k]), sin(q[k])), 1
        if motion.type == "screw":
            t[motion.axis], S_v[k][motion.axis] = multiply(parameters[0], q[k]), parameters[0]
    # a rotation about an axis leaves that axis as it is
    return JointMotion(R, t, S_w, S_v, zero(), zero(), S_w, zero())


def _universal(parameters: list[Scalar], q: list[Scalar], v: list[Scalar]) -> JointMotion:
    """About x of the first frame, then about y of the second."""
    c1, s1, c2, s2 = cos(q[0]), sin(q[0]), cos(q[1]), sin(q[1])
    second: Vector = [0, c1, s1]
    R = [[c2, 0, s2], [multiply(s1, s2), c1, -s1 * c2], [-c1 * s2, s1, c1 * c2]]
    both = multiply(v[0], v[1])
    bias, bias_turn = scale(both, cross([1, 0, 0], second)), scale(both, [-s2, 0, c2])
    turns: list[Vector] = [[c2, 0, s2], [0, 1, 0]]
    return JointMotion(R, zero(), [[1, 0, 0], second], [zero(), zero()], bias, zero(), turns, bias_turn)


def _distance(parameters: list[Scalar], q: list[Scalar], v: list[Scalar]) -> JointMotion:
    """A rod along x of its own frame, turned about the rod's y and z; the second frame turns freely at its end."""
    (length,), rod, R = parameters, quaternion_matrix(q[:4]), quaternion_matrix(q[4:])
    x, y, z = (column(rod, k) for k in range(3))
    S_v = [scale(negative(length), z), scale(length, y), zero(), zero(), zero()]
    spin = plus(multiply(v[0], v[0]), multiply(v[1], v[1]))
    S_w = [zero(), zero(), *(column(R, k) for k in range(3))]
    bias_v = scale(negative(multiply(length, spin)), x)
    return JointMotion(R, scale(length, x), S_w, S_v, zero(), bias_v, [zero(), zero(), *identity()], zero())


_POSES = {"universal": _universal, "distance": _distance}
"""Poses of joints that are more than slides followed by one turn, screw or ball."""


def reverse(motion: JointMotion, v: list[Scalar]) -> JointMotion:
    """The joint seen from its second frame: how the first one moves.

    t' = -R^T t,  S_w' = -R^T S_w,  S_v' = R^T (S_w x t - S_v);  bias by one more derivative.
    """
    R, t = motion.R, motion.t
    w, v_t = zero(), zero()
    for rate, S_w, S_v in zip(v, motion.S_w, motion.S_v, strict=True):
        w, v_t = add(w, scale(rate, S_w)), add(v_t, scale(rate, S_v))
    bias = sub(cross(motion.bias_w, t), motion.bias_v)
    bias = add(bias, scale(2, cross(w, v_t)), minus(cross(w, cross(w, t))))
    return JointMotion(
        transpose(R),
        minus(apply_transposed(R, t)),
        [minus(turn) for turn in motion.turns],
        [apply_transposed(R, sub(cross(S_w, t), S_v)) for S_w, S_v in zip(motion.S_w, motion.S_v, strict=True)],
        minus(motion.bias_turn),
        apply_transposed(R, bias),
        [minus(S_w) for S_w in motion.S_w],
        minus(motion.bias_w),
    )


def quaternion_matrix(p: list[Scalar]) -> Matrix:
    """Rotation matrix of a unit quaternion, w first."""
    w, x, y, z = p
    two = Integer(2)
    return [
        [1 - two * (y * y + z * z), two * (x * y - w * z), two * (x * z + w * y)],
        [two * (x * y + w * z), 1 - two * (x * x + z * z), two * (y * z - w * x)],
        [two * (x * z - w * y), two * (y * z + w * x), 1 - two * (x * x + y * y)],
    ]


def stored_rates(kind: JointType, q: list[Scalar], v: list[Scalar]) -> list[Scalar]:
    """Time derivatives of the stored coordinates: p' = 1/2 p o (0, w) for quaternions, the rates themselves else."""
    rates: list[Scalar] = [0] * kind.n_q
    blocks = kind.quaternions
    plain_q = [k for k in range(kind.n_q) if not any(first <= k < first + 4 for first, _, _ in blocks)]
    plain_v = [k for k in range(kind.n_v) if not any(first <= k < first + n for _, first, n in blocks)]
    for i, j in zip(plain_q, plain_v, strict=True):
        rates[i] = v[j]
    for first, start, n in blocks:
        x, y, z = [0] * (3 - n) + list(v[start : start + n])
        p0, p1, p2, p3 = q[first : first + 4]
        half = Integer(1) / 2
        rates[first] = multiply(half, negative(plus(plus(multiply(p1, x), multiply(p2, y)), multiply(p3, z))))
        rates[first + 1] = multiply(half, subtract(plus(multiply(p0, x), multiply(p2, z)), multiply(p3, y)))
        rates[first + 2] = multiply(half, subtract(plus(multiply(p0, y), multiply(p3, x)), multiply(p1, z)))
        rates[first + 3] = multiply(half, subtract(plus(multiply(p0, z), multiply(p1, y)), multiply(p2, x)))
    return rates
