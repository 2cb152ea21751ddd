"""Operations on one solid cell for every loop: gradients, strain energy matrix, condensation of inner functions.

A cell has k nodes and i inner functions (three in hex8 with incompatible modes, none in other cells), which are treated
as i further nodes that no other cell shares. X is (k, 3) with the places of its nodes, G (g, 3 (k + i)) the gradients
at the points of quadrature, those of node n in columns 3 n .. 3 n + 2.
"""

from __future__ import annotations

from flexmb.machine_code.jit import kernel
from flexmb.machine_code.signatures import f8, i4, i8

CELLS = (i8[::1], i8, i4[:, ::1], f8[:, ::1], f8[::1], f8[::1])
"""Types of the first arguments of every loop over cells: chunks, chunk_size, nodes, points, lam, mu"""
TABLES = (f8[:, :, ::1], f8[::1], f8[:, :, ::1], f8[:, ::1])
"""Types of the tables of the stiffness: derivatives, weights, inner, centre"""
AFFINE, CURVED, INVERTED = 1, 0, -1


@kernel
def jacobian_into(X, derivatives, J):
    """J[a, b] = dX_a / d r_b; returns its determinant"""
    j00 = j01 = j02 = j10 = j11 = j12 = j20 = j21 = j22 = 0.0
    for n in range(derivatives.shape[0]):
        x, y, z = X[n, 0], X[n, 1], X[n, 2]
        r, s, t = derivatives[n, 0], derivatives[n, 1], derivatives[n, 2]
        j00 += x * r
        j01 += x * s
        j02 += x * t
        j10 += y * r
        j11 += y * s
        j12 += y * t
        j20 += z * r
        j21 += z * s
        j22 += z * t
    J[0, 0], J[0, 1], J[0, 2] = j00, j01, j02
    J[1, 0], J[1, 1], J[1, 2] = j10, j11, j12
    J[2, 0], J[2, 1], J[2, 2] = j20, j21, j22
    return j00 * (j11 * j22 - j12 * j21) + j01 * (j12 * j20 - j10 * j22) + j02 * (j10 * j21 - j11 * j20)


@kernel
def push_into(J, factor, derivatives, G, g, first):
    """Gradients of functions with the given reference derivatives: G = factor J^-T dr, from column 3 `first` on.

    `factor` is 1/det J for shape functions.
    """
    c00 = factor * (J[1, 1] * J[2, 2] - J[1, 2] * J[2, 1])
    c01 = factor * (J[0, 2] * J[2, 1] - J[0, 1] * J[2, 2])
    c02 = factor * (J[0, 1] * J[1, 2] - J[0, 2] * J[1, 1])
    c10 = factor * (J[1, 2] * J[2, 0] - J[1, 0] * J[2, 2])
    c11 = factor * (J[0, 0] * J[2, 2] - J[0, 2] * J[2, 0])
    c12 = factor * (J[0, 2] * J[1, 0] - J[0, 0] * J[1, 2])
    c20 = factor * (J[1, 0] * J[2, 1] - J[1, 1] * J[2, 0])
    c21 = factor * (J[0, 1] * J[2, 0] - J[0, 0] * J[2, 1])
    c22 = factor * (J[0, 0] * J[1, 1] - J[0, 1] * J[1, 0])
    for n in range(derivatives.shape[0]):
        r, s, t = derivatives[n, 0], derivatives[n, 1], derivatives[n, 2]
        column = 3 * (first + n)
        G[g, column] = r * c00 + s * c10 + t * c20
        G[g, column + 1] = r * c01 + s * c11 + t * c21
        G[g, column + 2] = r * c02 + s * c12 + t * c22


@kernel
def gradients_into(X, derivatives, weights, inner, centre, J, first_J, G, volume):
    """Gradients G and volumes (g,) of the points; returns AFFINE, CURVED or INVERTED.

    Inner functions are mapped by the Jacobian of the centre and scaled by det J_0 / det J, so that constant stress
    does no work on them (Taylor, Beresford and Wilson 1976): the patch test holds for cells of any shape.
    """
    k = derivatives.shape[1]
    state = AFFINE
    for g in range(derivatives.shape[0]):
        det = jacobian_into(X, derivatives[g], J)
        if not det > 0.0:
            return INVERTED
        push_into(J, 1.0 / det, derivatives[g], G, g, 0)
        volume[g] = weights[g] * det
        size = 0.0
        change = 0.0
        for a in range(3):
            for b in range(3):
                if g == 0:
                    first_J[a, b] = J[a, b]
                size = max(size, abs(first_J[a, b]))
                change = max(change, abs(J[a, b] - first_J[a, b]))
        if change > 1e-12 * size:
            state = CURVED
    if inner.shape[1] > 0:
        if not jacobian_into(X, centre, J) > 0.0:
            return INVERTED
        for g in range(derivatives.shape[0]):
            # J^-T det J_0 / det J of the centre's J: cofactors times weight / volume
            push_into(J, weights[g] / volume[g], inner[g], G, g, k)
    return state


@kernel
def products_into(G, volume, T, S):
    """Upper half of S = integral of G^T G, blocks of 3 on the diagonal complete"""
    columns = G.shape[1]
    for r in range(columns):
        for c in range(3 * (r // 3), columns):
            S[r, c] = 0.0
    for g in range(G.shape[0]):
        root = volume[g] ** 0.5
        for c in range(columns):
            T[c] = root * G[g, c]
        for r in range(columns):
            factor = T[r]
            for c in range(3 * (r // 3), columns):
                S[r, c] += factor * T[c]


@kernel
def stiffness_from_products(lam, mu, S):
    """Turn S into the upper half of the stiffness: K_ij = lam S_ij + mu S_ij^T + mu tr(S_ij) 1"""
    for i in range(0, S.shape[0], 3):
        for j in range(i, S.shape[0], 3):
            s00, s01, s02 = S[i, j], S[i, j + 1], S[i, j + 2]
            s10, s11, s12 = S[i + 1, j], S[i + 1, j + 1], S[i + 1, j + 2]
            s20, s21, s22 = S[i + 2, j], S[i + 2, j + 1], S[i + 2, j + 2]
            trace = mu * (s00 + s11 + s22)
            S[i, j] = (lam + mu) * s00 + trace
            S[i, j + 1] = lam * s01 + mu * s10
            S[i, j + 2] = lam * s02 + mu * s20
            S[i + 1, j] = lam * s10 + mu * s01
            S[i + 1, j + 1] = (lam + mu) * s11 + trace
            S[i + 1, j + 2] = lam * s12 + mu * s21
            S[i + 2, j] = lam * s20 + mu * s02
            S[i + 2, j + 1] = lam * s21 + mu * s12
            S[i + 2, j + 2] = (lam + mu) * s22 + trace


@kernel
def condense(S, n, Y):
    """Eliminate the unknowns from n on in the upper half of the stiffness S: S_uu - Y^T Y, Y = L^-1 S_au, L L^T = S_aa.

    L is left in the lower half of S_aa.
    """
    size = S.shape[0]
    for a in range(n, size):
        for b in range(n, a + 1):
            value = S[b, a]
            for c in range(n, b):
                value -= S[a, c] * S[b, c]
            S[a, b] = value**0.5 if a == b else value / S[b, b]
    for a in range(n, size):
        for column in range(n):
            value = S[column, a]
            for c in range(n, a):
                value -= S[a, c] * Y[c - n, column]
            Y[a - n, column] = value / S[a, a]
    for a in range(size - n):
        for r in range(n):
            factor = Y[a, r]
            for c in range(3 * (r // 3), n):
                S[r, c] -= factor * Y[a, c]


@kernel
def inner_response(S, n, Y):
    """Turn Y of `condense` into A = -L^-T Y: the inner unknowns are A u"""
    for a in range(S.shape[0] - 1, n - 1, -1):
        for column in range(n):
            value = -Y[a - n, column]
            for c in range(a + 1, S.shape[0]):
                value -= S[c, a] * Y[c - n, column]
            Y[a - n, column] = value / S[a, a]
