"""Stiffness and mass of solid cells, summed into the rows of their nodes.

K_ij = integral of lam g_i g_j^T + mu g_j g_i^T + mu (g_i . g_j) 1 with g the gradients of the shape functions: only
S_ij = integral of g_i g_j^T is integrated, and the material enters afterwards. M_ij = density times the integral of
N_i N_j. Cells come in chunks; chunks that run at the same time share no node.
"""

from __future__ import annotations

import numpy as np

from flexmb.elements.solid.kernels.element import (
    AFFINE,
    CELLS,
    INVERTED,
    TABLES,
    condense,
    gradients_into,
    jacobian_into,
    products_into,
    stiffness_from_products,
)
from flexmb.elements.solid.kernels.pattern import find
from flexmb.machine_code.jit import array_kernel, kernel
from flexmb.machine_code.signatures import b1, f8, i4, i8, void

CONSISTENT, ROW_SUM, SCALED_DIAGONAL = 0, 1, 2


@kernel
def mass_into(X, derivatives, table, affine_table, affine_det, J, M):
    """Upper half of the mass of a cell of density 1; `affine_det` above zero: det J is constant"""
    k = M.shape[0]
    if affine_det > 0.0:
        for i in range(k):
            for j in range(i, k):
                M[i, j] = affine_det * affine_table[i, j]
        return
    for i in range(k):
        for j in range(i, k):
            M[i, j] = 0.0
    for h in range(table.shape[0]):
        det = jacobian_into(X, derivatives[h], J)
        for i in range(k):
            for j in range(i, k):
                M[i, j] += det * table[h, i, j]


@kernel
def lump(M, scheme, lumped):
    """Mass of each node from the upper half of the cell's mass M.

    ROW_SUM adds the rows; SCALED_DIAGONAL shares the mass as the diagonal does (Hinton, Rock and Zienkiewicz 1976),
    which is positive where row sums of quadratic cells are not.
    """
    k = M.shape[0]
    total = 0.0
    diagonal = 0.0
    for i in range(k):
        lumped[i] = 0.0
    for i in range(k):
        diagonal += M[i, i]
        total += M[i, i]
        lumped[i] += M[i, i]
        for j in range(i + 1, k):
            total += 2.0 * M[i, j]
            lumped[i] += M[i, j]
            lumped[j] += M[i, j]
    if scheme == SCALED_DIAGONAL:
        for i in range(k):
            lumped[i] = M[i, i] * total / diagonal


@kernel
def scatter(row_nodes, indptr, indices, K, M, cell_K, cell_M, density, consistent):
    """Add a cell's stiffness and mass, given by upper halves, to both halves of the whole."""
    k = row_nodes.size
    for i in range(k):
        ni = row_nodes[i]
        r = 3 * i
        # Only entries above the diagonal are used, so that the sum is exactly symmetric.
        cell_K[r + 1, r] = cell_K[r, r + 1]
        cell_K[r + 2, r] = cell_K[r, r + 2]
        cell_K[r + 2, r + 1] = cell_K[r + 1, r + 2]
        for j in range(i, k):
            nj = row_nodes[j]
            p = find(indices, indptr[ni], indptr[ni + 1], nj)
            for a in range(3):
                for b in range(3):
                    K[p, a, b] += cell_K[r + a, 3 * j + b]
            if consistent:
                M[p] += density * cell_M[i, j]
            if j > i:
                p = find(indices, indptr[nj], indptr[nj + 1], ni)
                for a in range(3):
                    for b in range(3):
                        K[p, b, a] += cell_K[r + a, 3 * j + b]
                if consistent:
                    M[p] += density * cell_M[i, j]


@array_kernel(
    void(
        *CELLS,
        f8[::1],
        *TABLES,
        f8[:, :, ::1],
        f8[:, :, ::1],
        f8[:, ::1],
        i8,
        i8[::1],
        i4[::1],
        f8[:, :, ::1],
        f8[::1],
        b1[::1],
    )
)
def assemble_chunks(
    chunks, chunk_size, nodes, points, lam, mu, density, derivatives, weights, inner, centre,
    mass_derivatives, mass_table, affine_table, scheme, indptr, indices, K, M, inverted,
):  # fmt: skip
    """Add the given chunks of cells to K (blocks, 3, 3) and to M: (blocks,) or, lumped, (nodes,).

    `inverted` (cells,) marks the cells whose determinant is not positive.
    """
    k = nodes.shape[1]
    size = 3 * (k + inner.shape[1])
    X, J, first_J = np.empty((k, 3)), np.empty((3, 3)), np.empty((3, 3))
    G, volume = np.empty((weights.size, size)), np.empty(weights.size)
    T, S, Y = np.empty(size), np.empty((size, size)), np.empty((size - 3 * k, 3 * k))
    cell_M, lumped = np.empty((k, k)), np.empty(k)
    for chunk in chunks:
        for cell in range(chunk * chunk_size, min((chunk + 1) * chunk_size, nodes.shape[0])):
            for i in range(k):
                for a in range(3):
                    X[i, a] = points[nodes[cell, i], a]
            state = gradients_into(X, derivatives, weights, inner, centre, J, first_J, G, volume)
            if state == INVERTED:
                inverted[cell] = True
                continue
            products_into(G, volume, T, S)
            stiffness_from_products(lam[cell], mu[cell], S)
            if size > 3 * k:
                condense(S, 3 * k, Y)
            affine_det = volume[0] / weights[0] if state == AFFINE else 0.0
            mass_into(X, mass_derivatives, mass_table, affine_table, affine_det, J, cell_M)
            scatter(nodes[cell], indptr, indices, K, M, S, cell_M, density[cell], scheme == CONSISTENT)
            if scheme != CONSISTENT:
                lump(cell_M, scheme, lumped)
                for i in range(k):
                    M[nodes[cell, i]] += density[cell] * lumped[i]
