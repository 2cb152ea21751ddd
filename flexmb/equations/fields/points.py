"""Quadratic deformation field at mass points (theory 3.2): r = X + phi q + 1/2 q G q, untruncated.

The points are in blocks small enough for the fastest memory. A block in F: masses, X, phi of every mode, and G of every
pair of modes l <= k, which is symmetric; each of X, phi_k, G_kl is an array of the x, then y, then z of its points (a
"lane" is one of these numbers, zeros fill the last), so that the processor takes several points at a time. Nearly all
the work is one pass over G.
"""

from __future__ import annotations

from flexmb.equations.fields.elastic import elastic_force_into
from flexmb.equations.fields.gram import add_points, clear_mass, mirror
from flexmb.layout import flat_arrays as L
from flexmb.layout.access import (
    a_wb_b_at,
    alpha_wb_b_at,
    block_of,
    eta_ddot_of,
    eta_dot_of,
    eta_of,
    field_of,
    n_modes_of,
    omega_wb_b_at,
    wants_accelerations,
    wrench_of,
)
from flexmb.machine_code.jit import kernel, program
from flexmb.vectors import ZERO, add, add_to_pair, cross, scale, store_pair


@kernel
def _block_at(I, field, n, number):
    """Offset in F of a block of points of a body with n modes, the number of its points, and of the lanes."""
    width = I[field + L.FD_LOCAL]
    lanes = (3 * width + L.LANES - 1) // L.LANES * L.LANES
    return I[field + L.FD_F] + number * (width + lanes * (1 + n + n * (n + 1) // 2)), width, lanes


@kernel
def _add_scaled(F, W, out, factor, source, lanes):
    """W[out..] += factor F[source..]."""
    for i in range(lanes):
        W[out + i] += factor * F[source + i]


@kernel
def _add_four(F, W, out, x, at, source, lanes):
    """W[out..] += the sum of four arrays at F[source..], one behind the other, times W[x + at..]."""
    x0, x1, x2, x3 = W[x + at], W[x + at + 1], W[x + at + 2], W[x + at + 3]
    s1, s2, s3 = source + lanes, source + 2 * lanes, source + 3 * lanes
    for i in range(lanes):
        W[out + i] += (x0 * F[source + i] + x1 * F[s1 + i]) + (x2 * F[s2 + i] + x3 * F[s3 + i])


@kernel
def _columns_into(F, W, phi, lanes, n, eta, eta_dot, psi, bias):
    """W[psi + k lanes..] = phi_k + G_kl q_l, and with rates W[bias..] = G_kl q'_k q'_l; scratch behind the bias."""
    row = phi + n * lanes
    half = bias + lanes
    for i in range(n * lanes):
        W[psi + i] = F[phi + i]
    for i in range(lanes):
        W[bias + i] = 0.0
    for k in range(n):
        own = psi + k * lanes
        q, v = W[eta + k], W[eta_dot + k]
        for i in range(lanes):
            W[half + i] = 0.0
        whole = k // 4 * 4
        for l in range(0, whole, 4):
            _add_four(F, W, own, eta, l, row, lanes)
            _add_four(F, W, half, eta_dot, l, row, lanes)
            for j in range(4):
                _add_scaled(F, W, psi + (l + j) * lanes, q, row + j * lanes, lanes)
            row += 4 * lanes
        for l in range(whole, k):
            _add_scaled(F, W, own, W[eta + l], row, lanes)
            _add_scaled(F, W, half, W[eta_dot + l], row, lanes)
            _add_scaled(F, W, psi + l * lanes, q, row, lanes)
            row += lanes
        _add_scaled(F, W, own, q, row, lanes)
        for i in range(lanes):
            W[bias + i] += v * (2.0 * W[half + i] + v * F[row + i])
        row += lanes


@kernel
def _motion_into(I, F, W, body, block, width, lanes, psi, accelerate):
    """Columns of a block of points, and behind them their position, velocity, acceleration relative to the frame."""
    n = n_modes_of(I, body)
    eta = eta_of(I, body)
    eta_dot = eta_dot_of(I, body)
    eta_ddot = eta_ddot_of(I, body)
    X = block + width
    phi = X + lanes
    r = psi + n * lanes
    r_dot = r + lanes
    r_ddot = r_dot + lanes
    _columns_into(F, W, phi, lanes, n, eta, eta_dot, psi, r_ddot)
    for i in range(lanes):
        W[r + i] = F[X + i]
        W[r_dot + i] = 0.0
    for k in range(n):
        column = psi + k * lanes
        q, v, a = 0.5 * W[eta + k], W[eta_dot + k], W[eta_ddot + k] if accelerate else 0.0
        for i in range(lanes):
            W[r + i] += q * (F[phi + k * lanes + i] + W[column + i])
            W[r_dot + i] += v * W[column + i]
            W[r_ddot + i] += a * W[column + i]
    return r, r_dot, r_ddot


@kernel
def _lane3(W, at, width, p):
    """The vector of point p in an array of lanes."""
    return (W[at + p], W[at + width + p], W[at + 2 * width + p])


@kernel
def _on_modes_into(W, psi, f, lanes, n, out):
    """W[out + k] += the sum of column k times f; four partial sums, since the order of a sum may not be changed."""
    for k in range(n):
        s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
        column = psi + k * lanes
        for i in range(0, lanes, 4):  # lanes are a multiple of four
            s0 += W[column + i] * W[f + i]
            s1 += W[column + i + 1] * W[f + i + 1]
            s2 += W[column + i + 2] * W[f + i + 2]
            s3 += W[column + i + 3] * W[f + i + 3]
        W[out + k] += (s0 + s1) + (s2 + s3)


@program
def point_force(I, F, W, body):
    """Wrench on the frame and force on every mode of a body record; with the mode accelerations A if X_ACCELERATE.

    f_t += f, f_r += r x f, f_k += psi_k . f for f = m (a + al x r + w x (w x r + 2 r') + r'') of every point.
    """
    accelerate = wants_accelerations(I, W)
    field = field_of(I, body)
    frame = block_of(I, body)
    n = n_modes_of(I, body)
    psi = I[field + L.FD_W]
    omega = omega_wb_b_at(W, frame)
    a = a_wb_b_at(W, frame)
    alpha = alpha_wb_b_at(W, frame)
    wrench = wrench_of(I, body)
    elastic_force_into(I, F, W, body, field, wrench + 6)
    store_pair(W, wrench, ZERO, ZERO)
    for number in range(I[field + L.FD_SEGMENTS]):
        block, width, lanes = _block_at(I, field, n, number)
        at_r, at_r_dot, at_r_ddot = _motion_into(I, F, W, body, block, width, lanes, psi, accelerate)
        for p in range(width):
            r = _lane3(W, at_r, width, p)
            r_dot = _lane3(W, at_r_dot, width, p)
            r_ddot = _lane3(W, at_r_ddot, width, p)
            turn = add(cross(alpha, r), cross(omega, add(cross(omega, r), scale(2.0, r_dot))))
            f = scale(F[block + p], add(add(a, turn), r_ddot))
            W[at_r_ddot + p] = f[0]  # the acceleration has done its work
            W[at_r_ddot + width + p] = f[1]
            W[at_r_ddot + 2 * width + p] = f[2]
        force = ZERO
        moment = ZERO
        for p in range(width):  # sums in a loop of their own, so that the one above takes several points at a time
            f = _lane3(W, at_r_ddot, width, p)
            force = add(force, f)
            moment = add(moment, cross(_lane3(W, at_r, width, p), f))
        add_to_pair(W, wrench, force, moment)
        _on_modes_into(W, psi, at_r_ddot, lanes, n, wrench + 6)


@program
def point_mass(I, F, W, body):
    """Mass matrix of a body record."""
    field = field_of(I, body)
    n = n_modes_of(I, body)
    psi = I[field + L.FD_W]
    o, size = clear_mass(I, W, body)
    for number in range(I[field + L.FD_SEGMENTS]):
        block, width, lanes = _block_at(I, field, n, number)
        r, _, _ = _motion_into(I, F, W, body, block, width, lanes, psi, False)
        by_lane = r + 4 * lanes
        for k in range(n):
            for i in range(3 * width):
                W[by_lane + i * n + k] = W[psi + k * lanes + i]
        add_points(F, W, o, size, block, (r, r + width, r + 2 * width), by_lane, width)
    mirror(W, o, size)
