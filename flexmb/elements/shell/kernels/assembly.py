"""Stiffness and mass of shell cells, summed into the blocks of their nodes."""

from __future__ import annotations

import numpy as np

from flexmb.elements.shell.kernels.cell import (
    CELLS,
    DRILLING,
    POINTS,
    SECTIONS,
    TIES,
    axes_into,
    basis_into,
    components_into,
    drilling_into,
    strain_rows,
    turn_into,
)
from flexmb.elements.solid.kernels.pattern import find
from flexmb.machine_code.jit import array_kernel, kernel
from flexmb.machine_code.signatures import b1, f8, i4, i8, void


@kernel
def local_rows(Bt, tie, T, factors, room, BL):
    """BL (g, 5, n): assumed strains in the axes of the material at all points, from those at the tying points Bt

    (t, 5, n). tie (g, 5, ties, 5). If Bt has the strains at the points themselves after those at the ties, the means
    over the cell are made equal to theirs.
    """
    ties, n = tie.shape[2], BL.shape[2]
    for g in range(BL.shape[0]):
        for c in range(5):
            for j in range(n):
                room[c, j] = 0.0
            for t in range(ties):
                for e in range(5):
                    value = tie[g, c, t, e]
                    if value != 0.0:
                        for j in range(n):
                            room[c, j] += value * Bt[t, e, j]
        for c in range(5):
            for j in range(n):
                total = 0.0
                for e in range(5):
                    total += T[g, c, e] * room[e, j]
                BL[g, c, j] = total
    if Bt.shape[0] == ties:
        return
    volume = factors.sum()
    room[:] = 0.0
    for g in range(BL.shape[0]):
        for c in range(5):
            for j in range(n):
                total = -BL[g, c, j]
                for e in range(5):
                    total += T[g, c, e] * Bt[ties + g, e, j]
                room[c, j] += factors[g] / volume * total
    for g in range(BL.shape[0]):
        for c in range(5):
            for j in range(n):
                BL[g, c, j] += room[c, j]


@kernel
def add_product(B, C, factor, CB, K):
    """Upper half of K (n, n) += factor B^T C B; CB (5, n) is room"""
    n = B.shape[1]
    for c in range(5):
        for j in range(n):
            CB[c, j] = factor * (
                C[c, 0] * B[0, j] + C[c, 1] * B[1, j] + C[c, 2] * B[2, j] + C[c, 3] * B[3, j] + C[c, 4] * B[4, j]
            )
    for i in range(n):
        b0, b1_, b2, b3, b4 = B[0, i], B[1, i], B[2, i], B[3, i], B[4, i]
        for j in range(i, n):
            K[i, j] += b0 * CB[0, j] + b1_ * CB[1, j] + b2 * CB[2, j] + b3 * CB[3, j] + b4 * CB[4, j]


@kernel
def add_drilling(X, D, drill_N, drill_dN, drill_weights, direction, stiffness, spread, G, E, row, mean, K):
    """Upper half of K += drilling stiffness: `stiffness` [N/m] times area, and times `spread` [m^2] for differences

    of the rotation at the nodes from the mean of the cell, which a few points do not see.
    """
    n = row.size
    k = n // 6
    area = 0.0
    for h in range(drill_weights.size):
        basis_into(X, D, drill_N[h], drill_dN[h], 0.0, G)
        axes_into(G, direction, E)
        factor = drill_weights[h] * drilling_into(G, E, drill_N[h], drill_dN[h], row)
        area += factor
        for i in range(n):
            for j in range(i, n):
                K[i, j] += stiffness * factor * row[i] * row[j]
    for i in range(k):
        for j in range(n):
            mean[j] = 0.0
        for m in range(k):
            for a in range(3):
                mean[3 * (k + m) + a] = ((1.0 if m == i else 0.0) - 1.0 / k) * E[2, a]
        for p in range(3 * k, n):
            for q in range(p, n):
                K[p, q] += spread * stiffness / k * mean[p] * mean[q]


@kernel
def add_mass(N, D, m0, m1, m2, M):
    """Upper half of the mass M (6 k, 6 k) += that of a point with mass m0 and its moments m1, m2 over z"""
    k = N.size
    for i in range(k):
        for j in range(k):
            w = N[i] * N[j]
            if j >= i:
                for a in range(3):
                    M[3 * i + a, 3 * j + a] += m0 * w
                # th_i . (d_i x (th_j x d_j)): (d_i . d_j) 1 - d_j d_i^T
                dot = D[i, 0] * D[j, 0] + D[i, 1] * D[j, 1] + D[i, 2] * D[j, 2]
                for a in range(3):
                    for b in range(3):
                        value = (dot if a == b else 0.0) - D[j, a] * D[i, b]
                        M[3 * (k + i) + a, 3 * (k + j) + b] += m2 * w * value
            # u_i . (th_j x d_j)
            first = m1 * w
            M[3 * i, 3 * (k + j) + 1] += first * D[j, 2]
            M[3 * i, 3 * (k + j) + 2] -= first * D[j, 1]
            M[3 * i + 1, 3 * (k + j) + 2] += first * D[j, 0]
            M[3 * i + 1, 3 * (k + j)] -= first * D[j, 2]
            M[3 * i + 2, 3 * (k + j)] += first * D[j, 1]
            M[3 * i + 2, 3 * (k + j) + 1] -= first * D[j, 0]


@kernel
def scatter_blocks(blocks, indptr, indices, cell, whole):
    """Add a cell's matrix, given by its upper half, in 3 x 3 blocks to both halves of the whole."""
    for i in range(blocks.size):
        ni, r = blocks[i], 3 * i
        cell[r + 1, r] = cell[r, r + 1]
        cell[r + 2, r] = cell[r, r + 2]
        cell[r + 2, r + 1] = cell[r + 1, r + 2]
        for j in range(i, blocks.size):
            nj = blocks[j]
            p = find(indices, indptr[ni], indptr[ni + 1], nj)
            for a in range(3):
                for b in range(3):
                    whole[p, a, b] += cell[r + a, 3 * j + b]
            if j > i:
                p = find(indices, indptr[nj], indptr[nj + 1], ni)
                for a in range(3):
                    for b in range(3):
                        whole[p, b, a] += cell[r + a, 3 * j + b]


@array_kernel(
    void(*CELLS, *SECTIONS, *POINTS, *TIES, *DRILLING, i4[::1], i8[::1], i4[::1], f8[:, :, ::1], f8[:, :, ::1], b1[::1])
)
def assemble_chunks(
    chunks, chunk_size, nodes, points, directors, directions, section,
    heights, thick_weights, densities, laws, drilling,
    weights, N, dN, tied_N, tied_dN, tie, drill_N, drill_dN, drill_weights, rotation, indptr, indices, K, M, folded,
):  # fmt: skip
    """Add the given chunks of cells to K and M (blocks, 3, 3).

    directors (cells, k, 3), directions (cells, 3), section (cells,) number of the section; of every section: heights
    and weights of its points over the thickness, density and law (5, 5) there, and drilling (2,) stiffness [N/m] and
    spread [m^2]. rotation (n,) block of a node's rotation. `folded` marks cells whose volume is not positive.
    """
    k = nodes.shape[1]
    n = 6 * k
    X, G, E, A = np.empty((k, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    T, factors = np.empty((weights.size, 5, 5)), np.empty(weights.size)
    BL, room = np.empty((weights.size, 5, n)), np.empty((5, n))
    Bt, row, mean = np.empty((tied_N.shape[0], 5, n)), np.empty(n), np.empty(n)
    cell_K, cell_M, blocks = np.empty((n, n)), np.empty((n, n)), np.empty(2 * k, np.int32)
    for chunk in chunks:
        for cell in range(chunk * chunk_size, min((chunk + 1) * chunk_size, nodes.shape[0])):
            D, which = directors[cell], section[cell]
            for i in range(k):
                blocks[i] = nodes[cell, i]
                blocks[k + i] = rotation[nodes[cell, i]]
                for a in range(3):
                    X[i, a] = points[nodes[cell, i], a]
            cell_K[:] = 0.0
            cell_M[:] = 0.0
            for m in range(heights.shape[1]):
                z = heights[which, m]
                for t in range(tied_N.shape[0]):
                    basis_into(X, D, tied_N[t], tied_dN[t], z, G)
                    strain_rows(G, D, tied_N[t], tied_dN[t], z, Bt[t])
                for g in range(weights.size):
                    basis_into(X, D, N[g], dN[g], z, G)
                    volume = axes_into(G, directions[cell], E)
                    if volume <= 0.0:
                        folded[cell] = True
                        break
                    components_into(G, E, volume, A)
                    turn_into(A, T[g])
                    factors[g] = weights[g] * thick_weights[which, m] * volume
                    mass = factors[g] * densities[which, m]
                    add_mass(N[g], D, mass, mass * z, mass * z * z, cell_M)
                if folded[cell] or thick_weights[which, m] == 0.0:
                    break
                local_rows(Bt, tie, T, factors, room, BL)
                for g in range(weights.size):
                    add_product(BL[g], laws[which, m], factors[g], room, cell_K)
            if folded[cell]:
                continue
            add_drilling(
                X, D, drill_N, drill_dN, drill_weights, directions[cell], drilling[which, 0], drilling[which, 1],
                G, E, row, mean, cell_K,
            )  # fmt: skip
            scatter_blocks(blocks, indptr, indices, cell_K, K)
            scatter_blocks(blocks, indptr, indices, cell_M, M)


@array_kernel(void(*CELLS, *SECTIONS, *POINTS, f8[:, :, :, ::1]))
def moment_chunks(
    chunks, chunk_size, nodes, points, directors, directions, section,
    heights, thick_weights, densities, laws, drilling, weights, N, dN, moments,
):  # fmt: skip
    """moments (cells, 3, k, k): products of the shape functions times density, and times its moments z, z^2"""
    k = nodes.shape[1]
    X, G, E = np.empty((k, 3)), np.empty((3, 3)), np.empty((3, 3))
    for chunk in chunks:
        for cell in range(chunk * chunk_size, min((chunk + 1) * chunk_size, nodes.shape[0])):
            which = section[cell]
            for i in range(k):
                for a in range(3):
                    X[i, a] = points[nodes[cell, i], a]
            for m in range(heights.shape[1]):
                z = heights[which, m]
                for g in range(weights.size):
                    basis_into(X, directors[cell], N[g], dN[g], z, G)
                    volume = axes_into(G, directions[cell], E)
                    mass = weights[g] * thick_weights[which, m] * volume * densities[which, m]
                    for i in range(k):
                        for j in range(k):
                            value = mass * N[g, i] * N[g, j]
                            moments[cell, 0, i, j] += value
                            moments[cell, 1, i, j] += z * value
                            moments[cell, 2, i, j] += z * z * value
