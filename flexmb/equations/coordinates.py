"""Stored coordinates and their rates: plain numbers and unit quaternions.

Plain coordinates: q_dot = v. A quaternion block p has three rates omega (components in the turned frame), or two for
the direction of a rod (components y and z): p_dot = 1/2 p (0, omega).
"""

from __future__ import annotations

import math

from flexmb.layout import flat_arrays as L
from flexmb.machine_code.jit import kernel, program
from flexmb.vectors import quaternion_product, rotation_vector_quaternion, store4


@kernel
def _quaternion(W, o):
    return (W[o], W[o + 1], W[o + 2], W[o + 3])


@kernel
def _plain(I, k):
    """Indices of plain coordinate k among the stored coordinates and the velocities."""
    record = I[L.SCALARS] + k * L.SCALAR
    return I[record + L.SC_Q], I[record + L.SC_V]


@kernel
def _sphere(I, k):
    """Indices of quaternion block k among the stored coordinates and the velocities, and its number of rates."""
    record = I[L.SPHERES] + k * L.SPHERE
    return I[record + L.SP_Q], I[record + L.SP_V], I[record + L.SP_N]


@kernel
def _rates(W, o, n):
    """Angular velocity of a block as a triple."""
    if n == 2:
        return (0.0, W[o], W[o + 1])
    return (W[o], W[o + 1], W[o + 2])


@program
def compose(I, F, W, arg):
    """Q = QN o DQ: plain coordinates add, quaternions turn by the rotation vector DQ."""
    for k in range(I[L.N_SCALARS]):
        q, v = _plain(I, k)
        W[I[L.Q] + q] = W[I[L.QN] + q] + W[I[L.DQ] + v]
    for k in range(I[L.N_SPHERES]):
        q, v, n = _sphere(I, k)
        x, y, z = _rates(W, I[L.DQ] + v, n)
        p = quaternion_product(_quaternion(W, I[L.QN] + q), rotation_vector_quaternion(x, y, z))
        norm = 1.0 / math.sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3])
        store4(W, I[L.Q] + q, (p[0] * norm, p[1] * norm, p[2] * norm, p[3] * norm))


@program
def rates(I, F, W, arg):
    """Q_DOT and Q_DDOT from Q, V, A."""
    for k in range(I[L.N_SCALARS]):
        q, v = _plain(I, k)
        W[I[L.Q_DOT] + q] = W[I[L.V] + v]
        W[I[L.Q_DDOT] + q] = W[I[L.A] + v]
    for k in range(I[L.N_SPHERES]):
        q, v, n = _sphere(I, k)
        p = _quaternion(W, I[L.Q] + q)
        x, y, z = _rates(W, I[L.V] + v, n)
        ax, ay, az = _rates(W, I[L.A] + v, n)
        first = quaternion_product(p, (0.0, 0.5 * x, 0.5 * y, 0.5 * z))
        second = quaternion_product(first, (0.0, 0.5 * x, 0.5 * y, 0.5 * z))
        turn = quaternion_product(p, (0.0, 0.5 * ax, 0.5 * ay, 0.5 * az))
        store4(W, I[L.Q_DOT] + q, first)
        store4(
            W,
            I[L.Q_DDOT] + q,
            (second[0] + turn[0], second[1] + turn[1], second[2] + turn[2], second[3] + turn[3]),
        )


@program
def velocities(I, F, W, arg):
    """V and A from Q, Q_DOT, Q_DDOT; the quaternions of Q are brought to unit length (not the derivatives)."""
    for k in range(I[L.N_SCALARS]):
        q, v = _plain(I, k)
        W[I[L.V] + v] = W[I[L.Q_DOT] + q]
        W[I[L.A] + v] = W[I[L.Q_DDOT] + q]
    for k in range(I[L.N_SPHERES]):
        q, v, n = _sphere(I, k)
        p = _quaternion(W, I[L.Q] + q)
        first = _quaternion(W, I[L.Q_DOT] + q)
        square = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]
        back = (p[0], -p[1], -p[2], -p[3])
        omega = quaternion_product(back, first)
        alpha = quaternion_product(back, _quaternion(W, I[L.Q_DDOT] + q))
        stretch = 2.0 * omega[0] / square
        rate = (2.0 * omega[1] / square, 2.0 * omega[2] / square, 2.0 * omega[3] / square)
        v_at = I[L.V] + v
        a_at = I[L.A] + v
        if n == 3:
            W[v_at] = rate[0]
            W[a_at] = 2.0 * alpha[1] / square - stretch * rate[0]
            v_at += 1
            a_at += 1
        W[v_at] = rate[1]
        W[v_at + 1] = rate[2]
        W[a_at] = 2.0 * alpha[2] / square - stretch * rate[1]
        W[a_at + 1] = 2.0 * alpha[3] / square - stretch * rate[2]
        norm = 1.0 / math.sqrt(square)
        store4(W, I[L.Q] + q, (p[0] * norm, p[1] * norm, p[2] * norm, p[3] * norm))
