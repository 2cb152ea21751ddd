"""Loops over solid cells for the second-order forces and the geometric stiffness of a St. Venant-Kirchhoff body.

Displacements of inner functions (incompatible modes) follow those of the nodes by the linear relation A u; forces on
them are transferred to the nodes by A^T, which is exact to the order computed here because the energy is stationary in
them.
"""

from __future__ import annotations

import numpy as np

from flexmb.elements.solid.kernels.assembly import scatter
from flexmb.elements.solid.kernels.element import (
    CELLS,
    TABLES,
    condense,
    gradients_into,
    inner_response,
    products_into,
    stiffness_from_products,
)
from flexmb.machine_code.jit import array_kernel, kernel
from flexmb.machine_code.signatures import f8, i4, i8, void


@kernel
def respond(G, volume, lam, mu, n, T, S, A):
    """A (3 i, n): the displacements of the inner functions are A u"""
    products_into(G, volume, T, S)
    stiffness_from_products(lam, mu, S)
    condense(S, n, A)
    inner_response(S, n, A)


@kernel
def gather(row_nodes, A, U, u):
    """Displacements u (3 (k + i), m) of a cell's nodes and inner functions from those of all nodes, U (3 n, m)"""
    n = 3 * row_nodes.size
    for r in range(n):
        row = 3 * row_nodes[r // 3] + r % 3
        for m in range(U.shape[1]):
            u[r, m] = U[row, m]
    for r in range(n, u.shape[0]):
        for m in range(U.shape[1]):
            u[r, m] = 0.0
        for c in range(n):
            for m in range(U.shape[1]):
                u[r, m] += A[r - n, c] * u[c, m]


@kernel
def displacement_gradients(G, g, u, lam, mu, H, stress):
    """H (9, m) with H[3 a + b] = du_a/dX_b and stress (6, m) xx yy zz xy yz zx at a point, of every displacement"""
    modes = u.shape[1]
    for entry in range(9):
        for m in range(modes):
            H[entry, m] = 0.0
    for r in range(u.shape[0]):
        a = r % 3
        first = r - a
        for b in range(3):
            slope, entry = G[g, first + b], 3 * a + b
            for m in range(modes):
                H[entry, m] += slope * u[r, m]
    for m in range(modes):
        trace = lam * (H[0, m] + H[4, m] + H[8, m])
        stress[0, m] = trace + 2.0 * mu * H[0, m]
        stress[1, m] = trace + 2.0 * mu * H[4, m]
        stress[2, m] = trace + 2.0 * mu * H[8, m]
        stress[3, m] = mu * (H[1, m] + H[3, m])
        stress[4, m] = mu * (H[5, m] + H[7, m])
        stress[5, m] = mu * (H[2, m] + H[6, m])


@kernel
def second_order_stress(H, stress, pairs, lam, mu, P):
    """P (9, p) = C e_kl + H_k stress_l + H_l stress_k, e_kl = (H_k^T H_l + H_l^T H_k)/2, of every pair k, l"""
    for p in range(pairs.shape[0]):
        k, l = pairs[p, 0], pairs[p, 1]
        h00, h01, h02, h10, h11, h12, h20, h21, h22 = (
            H[0, k], H[1, k], H[2, k], H[3, k], H[4, k], H[5, k], H[6, k], H[7, k], H[8, k]
        )  # fmt: skip
        g00, g01, g02, g10, g11, g12, g20, g21, g22 = (
            H[0, l], H[1, l], H[2, l], H[3, l], H[4, l], H[5, l], H[6, l], H[7, l], H[8, l]
        )  # fmt: skip
        exx = h00 * g00 + h10 * g10 + h20 * g20
        eyy = h01 * g01 + h11 * g11 + h21 * g21
        ezz = h02 * g02 + h12 * g12 + h22 * g22
        cxy = mu * (h00 * g01 + h10 * g11 + h20 * g21 + h01 * g00 + h11 * g10 + h21 * g20)
        cyz = mu * (h01 * g02 + h11 * g12 + h21 * g22 + h02 * g01 + h12 * g11 + h22 * g21)
        czx = mu * (h02 * g00 + h12 * g10 + h22 * g20 + h00 * g02 + h10 * g12 + h20 * g22)
        trace = lam * (exx + eyy + ezz)
        sxx, syy, szz = stress[0, k], stress[1, k], stress[2, k]
        sxy, syz, szx = stress[3, k], stress[4, k], stress[5, k]
        txx, tyy, tzz = stress[0, l], stress[1, l], stress[2, l]
        txy, tyz, tzx = stress[3, l], stress[4, l], stress[5, l]
        P[0, p] = trace + 2.0 * mu * exx + h00 * txx + h01 * txy + h02 * tzx + g00 * sxx + g01 * sxy + g02 * szx
        P[1, p] = cxy + h00 * txy + h01 * tyy + h02 * tyz + g00 * sxy + g01 * syy + g02 * syz
        P[2, p] = czx + h00 * tzx + h01 * tyz + h02 * tzz + g00 * szx + g01 * syz + g02 * szz
        P[3, p] = cxy + h10 * txx + h11 * txy + h12 * tzx + g10 * sxx + g11 * sxy + g12 * szx
        P[4, p] = trace + 2.0 * mu * eyy + h10 * txy + h11 * tyy + h12 * tyz + g10 * sxy + g11 * syy + g12 * syz
        P[5, p] = cyz + h10 * tzx + h11 * tyz + h12 * tzz + g10 * szx + g11 * syz + g12 * szz
        P[6, p] = czx + h20 * txx + h21 * txy + h22 * tzx + g20 * sxx + g21 * sxy + g22 * szx
        P[7, p] = cyz + h20 * txy + h21 * tyy + h22 * tyz + g20 * sxy + g21 * syy + g22 * syz
        P[8, p] = trace + 2.0 * mu * ezz + h20 * tzx + h21 * tyz + h22 * tzz + g20 * szx + g21 * syz + g22 * szz


@kernel
def add_forces(G, g, volume, P, f):
    """f (3 (k + i), p) += volume P grad N"""
    for r in range(f.shape[0]):
        a = r % 3
        first = r - a
        x, y, z = volume * G[g, first], volume * G[g, first + 1], volume * G[g, first + 2]
        for p in range(f.shape[1]):
            f[r, p] += x * P[3 * a, p] + y * P[3 * a + 1, p] + z * P[3 * a + 2, p]


@array_kernel(
    void(
        *CELLS,
        *TABLES,
        f8[:, ::1],
        i8[:, ::1],
        f8[:, ::1],
    )
)
def second_order_chunks(
    chunks, chunk_size, nodes, points, lam, mu, derivatives, weights, inner, centre, U, pairs, F
):  # fmt: skip
    """F (3 n, p) += second-order forces of the given chunks of cells"""
    k, modes, n_pairs = nodes.shape[1], U.shape[1], pairs.shape[0]
    n = 3 * k
    size = n + 3 * inner.shape[1]
    X, J, first_J = np.empty((k, 3)), np.empty((3, 3)), np.empty((3, 3))
    G, volume = np.empty((weights.size, size)), np.empty(weights.size)
    T, S, A = np.empty(size), np.empty((size, size)), np.empty((size - n, n))
    u, H, stress = np.empty((size, modes)), np.empty((9, modes)), np.empty((6, modes))
    P, f = np.empty((9, n_pairs)), np.empty((size, n_pairs))
    for chunk in chunks:
        for cell in range(chunk * chunk_size, min((chunk + 1) * chunk_size, nodes.shape[0])):
            for i in range(k):
                for a in range(3):
                    X[i, a] = points[nodes[cell, i], a]
            gradients_into(X, derivatives, weights, inner, centre, J, first_J, G, volume)
            if size > n:
                respond(G, volume, lam[cell], mu[cell], n, T, S, A)
            gather(nodes[cell], A, U, u)
            for r in range(size):
                for p in range(n_pairs):
                    f[r, p] = 0.0
            for g in range(weights.size):
                displacement_gradients(G, g, u, lam[cell], mu[cell], H, stress)
                second_order_stress(H, stress, pairs, lam[cell], mu[cell], P)
                add_forces(G, g, volume[g], P, f)
            for r in range(n):
                row = 3 * nodes[cell, r // 3] + r % 3
                for i in range(size - n):
                    for p in range(n_pairs):
                        f[r, p] += A[i, r] * f[n + i, p]
                for p in range(n_pairs):
                    F[row, p] += f[r, p]


@kernel
def stress_products(G, g, volume, stress, N):
    """Upper half of N_ij += volume grad N_i . stress grad N_j"""
    sxx, syy, szz, sxy, syz, szx = stress[0, 0], stress[1, 0], stress[2, 0], stress[3, 0], stress[4, 0], stress[5, 0]
    for i in range(N.shape[0]):
        x, y, z = volume * G[g, 3 * i], volume * G[g, 3 * i + 1], volume * G[g, 3 * i + 2]
        tx, ty, tz = x * sxx + y * sxy + z * szx, x * sxy + y * syy + z * syz, x * szx + y * syz + z * szz
        for j in range(i, N.shape[0]):
            N[i, j] += tx * G[g, 3 * j] + ty * G[g, 3 * j + 1] + tz * G[g, 3 * j + 2]


@kernel
def geometric_from_products(N, A, n, S):
    """Upper half of the cell's geometric stiffness S[:n, :n] from N: the same in every direction, plus the part of
    inner functions: W^T (N x 1) W with W = [1; A]."""
    inner = N.shape[0] - n // 3
    for r in range(n):
        for c in range(3 * (r // 3), n):
            S[r, c] = N[r // 3, c // 3] if r % 3 == c % 3 else 0.0
    for r in range(n):
        for c in range(3 * (r // 3), n):
            for i in range(inner):
                S[r, c] += N[r // 3, n // 3 + i] * A[3 * i + r % 3, c] + N[c // 3, n // 3 + i] * A[3 * i + c % 3, r]
                for j in range(inner):
                    value = N[n // 3 + min(i, j), n // 3 + max(i, j)]
                    for a in range(3):
                        S[r, c] += A[3 * i + a, r] * value * A[3 * j + a, c]


@array_kernel(
    void(
        *CELLS,
        *TABLES,
        f8[:, ::1],
        i8[::1],
        i4[::1],
        f8[:, :, ::1],
    )
)
def geometric_chunks(
    chunks, chunk_size, nodes, points, lam, mu, derivatives, weights, inner, centre, U, indptr, indices, K
):  # fmt: skip
    """K (blocks, 3, 3) += geometric stiffness of the given chunks of cells; U (3 n, 1)"""
    k = nodes.shape[1]
    n = 3 * k
    size = n + 3 * inner.shape[1]
    X, J, first_J = np.empty((k, 3)), np.empty((3, 3)), np.empty((3, 3))
    G, volume = np.empty((weights.size, size)), np.empty(weights.size)
    T, S, A = np.empty(size), np.empty((size, size)), np.empty((size - n, n))
    u, H, stress, N = np.empty((size, 1)), np.empty((9, 1)), np.empty((6, 1)), np.empty((size // 3, size // 3))
    for chunk in chunks:
        for cell in range(chunk * chunk_size, min((chunk + 1) * chunk_size, nodes.shape[0])):
            for i in range(k):
                for a in range(3):
                    X[i, a] = points[nodes[cell, i], a]
            gradients_into(X, derivatives, weights, inner, centre, J, first_J, G, volume)
            if size > n:
                respond(G, volume, lam[cell], mu[cell], n, T, S, A)
            gather(nodes[cell], A, U, u)
            for i in range(size // 3):
                for j in range(i, size // 3):
                    N[i, j] = 0.0
            for g in range(weights.size):
                displacement_gradients(G, g, u, lam[cell], mu[cell], H, stress)
                stress_products(G, g, volume[g], stress, N)
            geometric_from_products(N, A, n, S)
            scatter(nodes[cell], indptr, indices, K, volume, S, N, 0.0, False)
