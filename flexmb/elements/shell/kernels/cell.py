"""One shell cell: its geometry, its strains by its unknowns, and the axes of its material.

Places are x = sum N_i (X_i + z d_i), displacements u = sum N_i (u_i + z th_i x d_i), z [m] along the directors d_i.
Derivatives by r, s, z are numbered 0, 1, 2. Strains are rr, ss, rs (twice), rz, sz (twice). Unknowns of a cell: the
displacements of its k nodes, then their rotation vectors.
"""

from __future__ import annotations

import numpy as np

from flexmb.machine_code.jit import kernel
from flexmb.machine_code.signatures import f8, i4, i8

CELLS = (i8[::1], i8, i4[:, ::1], f8[:, ::1], f8[:, :, ::1], f8[:, ::1], i8[::1])
"""Types of the first arguments of all loops: chunks, their size, nodes, points, directors, directions, sections"""
SECTIONS = (f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[:, :, :, ::1], f8[:, ::1])
"""Heights, weights, densities, laws and drilling of the sections"""
POINTS = (f8[::1], f8[:, ::1], f8[:, :, ::1])
"""Weights, shape functions and derivatives at the points of integration"""
TIES = (f8[:, ::1], f8[:, :, ::1], f8[:, :, :, ::1])
"""Shape functions and derivatives at the tying points, and the table of ties"""
DRILLING = (f8[:, ::1], f8[:, :, ::1], f8[::1])
"""Shape functions, derivatives and weights where the drilling rotation is tied"""


@kernel
def basis_into(X, D, N, dN, z, G):
    """G (3, 3): rows are the derivatives of x by r, s, z"""
    for a in range(3):
        G[0, a] = 0.0
        G[1, a] = 0.0
        G[2, a] = 0.0
    for i in range(N.size):
        for a in range(3):
            place = X[i, a] + z * D[i, a]
            G[0, a] += dN[i, 0] * place
            G[1, a] += dN[i, 1] * place
            G[2, a] += N[i] * D[i, a]


@kernel
def strain_rows(G, D, N, dN, z, B):
    """B (5, 6 k): strains at a point by the unknowns of the cell"""
    k = N.size
    for i in range(k):
        r, s, n = dN[i, 0], dN[i, 1], N[i]
        for a in range(3):
            B[0, 3 * i + a] = r * G[0, a]
            B[1, 3 * i + a] = s * G[1, a]
            B[2, 3 * i + a] = s * G[0, a] + r * G[1, a]
            B[3, 3 * i + a] = r * G[2, a]
            B[4, 3 * i + a] = s * G[2, a]
        for c in range(5):
            # work of a vector v on th x d is th . (d x v)
            if c == 0:
                v0, v1, v2 = z * r * G[0, 0], z * r * G[0, 1], z * r * G[0, 2]
            elif c == 1:
                v0, v1, v2 = z * s * G[1, 0], z * s * G[1, 1], z * s * G[1, 2]
            elif c == 2:
                v0 = z * (s * G[0, 0] + r * G[1, 0])
                v1 = z * (s * G[0, 1] + r * G[1, 1])
                v2 = z * (s * G[0, 2] + r * G[1, 2])
            elif c == 3:
                v0, v1, v2 = n * G[0, 0] + z * r * G[2, 0], n * G[0, 1] + z * r * G[2, 1], n * G[0, 2] + z * r * G[2, 2]
            else:
                v0, v1, v2 = n * G[1, 0] + z * s * G[2, 0], n * G[1, 1] + z * s * G[2, 1], n * G[1, 2] + z * s * G[2, 2]
            column = 3 * (k + i)
            B[c, column] = D[i, 1] * v2 - D[i, 2] * v1
            B[c, column + 1] = D[i, 2] * v0 - D[i, 0] * v2
            B[c, column + 2] = D[i, 0] * v1 - D[i, 1] * v0


@kernel
def axes_into(G, direction, E):
    """E (3, 3): rows are unit vectors along the surface (the first nearest to `direction`) and normal to it.

    Returns the volume G_0 . (G_1 x G_2) of the basis.
    """
    n0 = G[0, 1] * G[1, 2] - G[0, 2] * G[1, 1]
    n1 = G[0, 2] * G[1, 0] - G[0, 0] * G[1, 2]
    n2 = G[0, 0] * G[1, 1] - G[0, 1] * G[1, 0]
    volume = n0 * G[2, 0] + n1 * G[2, 1] + n2 * G[2, 2]
    size = np.sqrt(n0 * n0 + n1 * n1 + n2 * n2)
    if size <= 0.0:
        return 0.0
    E[2, 0], E[2, 1], E[2, 2] = n0 / size, n1 / size, n2 / size
    part = direction[0] * E[2, 0] + direction[1] * E[2, 1] + direction[2] * E[2, 2]
    square = 0.0
    for a in range(3):
        E[0, a] = direction[a] - part * E[2, a]
        square += E[0, a] * E[0, a]
    if square <= 1e-12:
        square = 0.0
        for a in range(3):
            E[0, a] = G[0, a]
            square += E[0, a] * E[0, a]
    size = np.sqrt(square)
    for a in range(3):
        E[0, a] /= size
    E[1, 0] = E[2, 1] * E[0, 2] - E[2, 2] * E[0, 1]
    E[1, 1] = E[2, 2] * E[0, 0] - E[2, 0] * E[0, 2]
    E[1, 2] = E[2, 0] * E[0, 1] - E[2, 1] * E[0, 0]
    return volume


@kernel
def components_into(G, E, volume, A):
    """A (3, 3): A[a, i] = E_a . G^i with the vectors G^i reciprocal to G_i"""
    for i in range(3):
        p, q = (i + 1) % 3, (i + 2) % 3
        c0 = (G[p, 1] * G[q, 2] - G[p, 2] * G[q, 1]) / volume
        c1 = (G[p, 2] * G[q, 0] - G[p, 0] * G[q, 2]) / volume
        c2 = (G[p, 0] * G[q, 1] - G[p, 1] * G[q, 0]) / volume
        for a in range(3):
            A[a, i] = E[a, 0] * c0 + E[a, 1] * c1 + E[a, 2] * c2


@kernel
def turn_into(A, T):
    """T (5, 5): strains 11, 22, 12, 13, 23 (shear twice) in axes E by those along r, s, z; no strain zz"""
    for row in range(5):
        if row == 0:
            a, b = 0, 0
        elif row == 1:
            a, b = 1, 1
        elif row == 2:
            a, b = 0, 1
        elif row == 3:
            a, b = 0, 2
        else:
            a, b = 1, 2
        twice = 1.0 if a == b else 2.0
        T[row, 0] = twice * A[a, 0] * A[b, 0]
        T[row, 1] = twice * A[a, 1] * A[b, 1]
        T[row, 2] = 0.5 * twice * (A[a, 0] * A[b, 1] + A[a, 1] * A[b, 0])
        T[row, 3] = 0.5 * twice * (A[a, 0] * A[b, 2] + A[a, 2] * A[b, 0])
        T[row, 4] = 0.5 * twice * (A[a, 1] * A[b, 2] + A[a, 2] * A[b, 1])


@kernel
def drilling_into(G, E, N, dN, row):
    """Rotation about the normal less that of the surface, th . n - 1/2 n . curl u, by the unknowns; returns the area

    G at z = 0; derivatives along E_0 and E_1 are those by r and s, turned.
    """
    k = N.size
    # [r; s] by lengths along E_0, E_1: inverse of J[a, b] = G_a . E_b
    j00 = G[0, 0] * E[0, 0] + G[0, 1] * E[0, 1] + G[0, 2] * E[0, 2]
    j01 = G[0, 0] * E[1, 0] + G[0, 1] * E[1, 1] + G[0, 2] * E[1, 2]
    j10 = G[1, 0] * E[0, 0] + G[1, 1] * E[0, 1] + G[1, 2] * E[0, 2]
    j11 = G[1, 0] * E[1, 0] + G[1, 1] * E[1, 1] + G[1, 2] * E[1, 2]
    det = j00 * j11 - j01 * j10
    for i in range(k):
        d0 = (dN[i, 0] * j11 - dN[i, 1] * j01) / det
        d1 = (dN[i, 1] * j00 - dN[i, 0] * j10) / det
        for a in range(3):
            row[3 * i + a] = 0.5 * (d1 * E[0, a] - d0 * E[1, a])
            row[3 * (k + i) + a] = N[i] * E[2, a]
    return det
