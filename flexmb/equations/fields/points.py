"""Quadratic deformation field at mass points (theory 3.2): r = X + phi q + 1/2 q G q, untruncated.

The points are in blocks. A block in F: masses, X, phi of every mode, and G of every pair of modes l <= k, which is
symmetric; each of X, phi_k, G_kl is a row with the x, then y, then z of its points (a "lane" is one of these numbers,
zeros fill the last), so that the processor takes several points at a time. The motion of the points is three sums of
these rows, with the factors 1, q_k, q_k q_l and their rates, and the forces on the modes follow from the products of
the rows with the forces on the points: nearly all the work is these two passes over G, of which a block stays in the
faster memory from the first to the second.
"""

from __future__ import annotations

from flexmb.equations.fields.elastic import elastic_force_into
from flexmb.equations.fields.gram import clear_mass, mirror
from flexmb.equations.fields.row_products import add_rows, products_with
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
from flexmb.machine_code.lanes import LANES
from flexmb.vectors import ZERO, add, add_to_pair, cross, scale, store_pair


@kernel
def _rows_of(n):
    """Rows of a block of points of a body with n modes: X, phi of every mode, G of every pair."""
    return 1 + n + n * (n + 1) // 2


@kernel
def _block_at(I, field, n, number):
    """Offset in F of a block of points of a body with n modes, the number of its points, and of the lanes."""
    width = I[field + L.FD_LOCAL]
    lanes = (3 * width + LANES - 1) // LANES * LANES
    return I[field + L.FD_F] + number * (width + lanes * _rows_of(n)), width, lanes


@kernel
def _factors_into(I, W, body, n, accelerate, out):
    """Factors of the rows in r, r' and r'' = psi_k q''_k + G_kl q'_k q'_l, each for all rows, to W[out..].

    X has 1, 0, 0; phi_k has q_k, q'_k, q''_k; of G_kl = G_lk half the sum q_k q_l + q_l q_k and its derivatives.
    """
    eta, eta_dot, eta_ddot = eta_of(I, body), eta_dot_of(I, body), eta_ddot_of(I, body)
    rows = _rows_of(n)
    W[out] = 1.0
    W[out + rows] = 0.0
    W[out + 2 * rows] = 0.0
    place = out + 1 + n
    for k in range(n):
        q, v, a = W[eta + k], W[eta_dot + k], W[eta_ddot + k] if accelerate else 0.0
        W[out + 1 + k] = q
        W[out + rows + 1 + k] = v
        W[out + 2 * rows + 1 + k] = a
        for l in range(k + 1):
            q_l, v_l, a_l = W[eta + l], W[eta_dot + l], W[eta_ddot + l] if accelerate else 0.0
            share = 1.0 if l < k else 0.5
            W[place] = share * q * q_l
            W[place + rows] = share * (q * v_l + v * q_l)
            W[place + 2 * rows] = share * (q * a_l + a * q_l + 2.0 * v * v_l)
            place += 1


@kernel
def _lane3(W, at, width, p):
    """The vector of point p in an array of lanes."""
    return (W[at + p], W[at + width + p], W[at + 2 * width + p])


@kernel
def _store_lane3(W, at, width, p, x):
    W[at + p], W[at + width + p], W[at + 2 * width + p] = x


@kernel
def _add_to_modes(I, W, body, n, products, out):
    """W[out + k] += psi_k . f = phi_k . f + q_l G_kl . f, from the products of the rows phi_k, G_kl with f."""
    eta = eta_of(I, body)
    place = products + n
    for k in range(n):
        total = W[products + k]
        for l in range(k):
            total += W[eta + l] * W[place + l]
            W[out + l] += W[eta + k] * W[place + l]
        W[out + k] += total + W[eta + k] * W[place + k]
        place += k + 1


@program
def point_force(I, F, W, body):
    """Wrench on the frame and force on every mode of a body record; with the mode accelerations A if X_ACCELERATE.

    f_t += f, f_r += r x f, f_k += psi_k . f for f = m (a + al x r + w x (w x r + 2 r') + r'') of every point.
    """
    field = field_of(I, body)
    frame = block_of(I, body)
    n = n_modes_of(I, body)
    rows = _rows_of(n)
    factors = I[field + L.FD_W]
    products = factors + 3 * rows
    at_r = products + rows
    omega = omega_wb_b_at(W, frame)
    a = a_wb_b_at(W, frame)
    alpha = alpha_wb_b_at(W, frame)
    wrench = wrench_of(I, body)
    elastic_force_into(I, F, W, body, field, wrench + 6)
    store_pair(W, wrench, ZERO, ZERO)
    _factors_into(I, W, body, n, wants_accelerations(I, W), factors)
    for j in range(rows):
        W[products + j] = 0.0
    for number in range(I[field + L.FD_SEGMENTS]):
        block, width, lanes = _block_at(I, field, n, number)
        at_r_dot = at_r + lanes
        at_r_ddot = at_r_dot + lanes
        for i in range(3 * lanes):
            W[at_r + i] = 0.0
        add_rows(F, W, block + width, rows, lanes, factors, at_r)
        for p in range(width):
            r = _lane3(W, at_r, width, p)
            r_dot = _lane3(W, at_r_dot, width, p)
            r_ddot = _lane3(W, at_r_ddot, width, p)
            turn = add(cross(alpha, r), cross(omega, add(cross(omega, r), scale(2.0, r_dot))))
            # the acceleration has done its work
            _store_lane3(W, at_r_ddot, width, p, scale(F[block + p], add(add(a, turn), r_ddot)))
        force = ZERO
        moment = ZERO
        for p in range(width):  # sums in a loop of their own, so that the one above takes several points at a time
            f = _lane3(W, at_r_ddot, width, p)
            force = add(force, f)
            moment = add(moment, cross(_lane3(W, at_r, width, p), f))
        add_to_pair(W, wrench, force, moment)
        products_with(F, block + width + lanes, rows - 1, lanes, W, at_r_ddot, products)
    _add_to_modes(I, W, body, n, products, wrench + 6)


@kernel
def _add_pairs(F, W, own, psi, x, q, eta, lanes):
    """W[own..] += W[eta + j] x_j and W[psi + j lanes..] += q x_j for four rows x_j at F[x..]."""
    q0, q1, q2, q3 = W[eta], W[eta + 1], W[eta + 2], W[eta + 3]
    x1, x2, x3 = x + lanes, x + 2 * lanes, x + 3 * lanes
    p1, p2, p3 = psi + lanes, psi + 2 * lanes, psi + 3 * lanes
    for i in range(lanes):
        g0, g1, g2, g3 = F[x + i], F[x1 + i], F[x2 + i], F[x3 + i]
        W[own + i] += (q0 * g0 + q1 * g1) + (q2 * g2 + q3 * g3)
        W[psi + i] += q * g0
        W[p1 + i] += q * g1
        W[p2 + i] += q * g2
        W[p3 + i] += q * g3


@kernel
def _columns_into(F, W, phi, lanes, n, eta, psi):
    """W[psi + k lanes..] = phi_k + G_kl q_l."""
    row = phi + n * lanes
    for i in range(n * lanes):
        W[psi + i] = F[phi + i]
    for k in range(n):
        own = psi + k * lanes
        q = W[eta + k]
        whole = k // 4 * 4
        for l in range(0, whole, 4):
            _add_pairs(F, W, own, psi + l * lanes, row, q, eta + l, lanes)
            row += 4 * lanes
        for l in range(whole, k):
            other = psi + l * lanes
            for i in range(lanes):
                W[own + i] += W[eta + l] * F[row + i]
                W[other + i] += q * F[row + i]
            row += lanes
        for i in range(lanes):
            W[own + i] += q * F[row + i]
        row += lanes


@kernel
def _rigid_into(F, W, X, phi, psi, lanes, width, n, eta, out):
    """Six rows of lanes to W[out..]: displacements of the points by unit motions of the frame, 1 and -~r.

    The position of the points is found in the last row: r = X + q_k (phi_k + psi_k) / 2.
    """
    at_r = out + 5 * lanes
    for i in range(5 * lanes):
        W[out + i] = 0.0
    for i in range(lanes):
        W[at_r + i] = F[X + i]
    for k in range(n):
        q = 0.5 * W[eta + k]
        for i in range(lanes):
            W[at_r + i] += q * (F[phi + k * lanes + i] + W[psi + k * lanes + i])
    for p in range(width):
        x, y, z = _lane3(W, at_r, width, p)
        W[out + p] = 1.0
        W[out + lanes + width + p] = 1.0
        W[out + 2 * lanes + 2 * width + p] = 1.0
        _store_lane3(W, out + 3 * lanes, width, p, (0.0, -z, y))
        _store_lane3(W, out + 4 * lanes, width, p, (z, 0.0, -x))
        _store_lane3(W, at_r, width, p, (-y, x, 0.0))


@program
def point_mass(I, F, W, body):
    """Mass matrix of a body record: the sum of m u_i . u_j over the points, u = (1, -~r, psi)."""
    field = field_of(I, body)
    n = n_modes_of(I, body)
    eta = eta_of(I, body)
    u = I[field + L.FD_W]
    o, size = clear_mass(I, W, body)
    for number in range(I[field + L.FD_SEGMENTS]):
        block, width, lanes = _block_at(I, field, n, number)
        X = block + width
        psi = u + 6 * lanes
        _columns_into(F, W, X + lanes, lanes, n, eta, psi)
        _rigid_into(F, W, X, X + lanes, psi, lanes, width, n, eta, u)
        momentum = u + size * lanes
        for i in range(3 * width, lanes):
            W[momentum + i] = 0.0
        for j in range(size):
            row = u + j * lanes
            for p in range(width):
                m = F[block + p]
                W[momentum + p] = m * W[row + p]
                W[momentum + width + p] = m * W[row + width + p]
                W[momentum + 2 * width + p] = m * W[row + 2 * width + p]
            products_with(W, row, size - j, lanes, W, momentum, o + j * size + j)
    mirror(W, o, size)
