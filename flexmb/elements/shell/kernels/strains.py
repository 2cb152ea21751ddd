"""Strains of shell cells along given displacements, at the tying points and in the axes of the material."""

from __future__ import annotations

from flexmb.machine_code.jit import kernel


@kernel
def cross_into(a, b, c):
    """c = a x b"""
    c[0] = a[1] * b[2] - a[2] * b[1]
    c[1] = a[2] * b[0] - a[0] * b[2]
    c[2] = a[0] * b[1] - a[1] * b[0]


@kernel
def dot(a, b):
    """a . b"""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def slopes_into(u, w, N, dN, z, H):
    """H (3, 3): derivatives by r, s, z of the displacement with nodal u (k, 3) and motion w (k, 3) of the directors"""
    H[:] = 0.0
    for i in range(N.size):
        for a in range(3):
            value = u[i, a] + z * w[i, a]
            H[0, a] += dN[i, 0] * value
            H[1, a] += dN[i, 1] * value
            H[2, a] += N[i] * w[i, a]


@kernel
def product_strains(A, B, e):
    """e (5,) = strains of the products A_i . B_j, symmetric: shear twice"""
    e[0] = dot(A[0], B[0])
    e[1] = dot(A[1], B[1])
    e[2] = dot(A[0], B[1]) + dot(A[1], B[0])
    e[3] = dot(A[0], B[2]) + dot(A[2], B[0])
    e[4] = dot(A[1], B[2]) + dot(A[2], B[1])


@kernel
def local_strains(e, tie, T, factors, room, out):
    """out (g, 5): assumed strains in the axes of the material from those at the tying points e (t, 5): `local_rows`"""
    ties = tie.shape[2]
    for g in range(out.shape[0]):
        for c in range(5):
            total = 0.0
            for t in range(ties):
                for j in range(5):
                    total += tie[g, c, t, j] * e[t, j]
            room[c] = total
        for c in range(5):
            out[g, c] = 0.0
            for j in range(5):
                out[g, c] += T[g, c, j] * room[j]
    if e.shape[0] == ties:
        return
    volume = factors.sum()
    room[:] = 0.0
    for g in range(out.shape[0]):
        for c in range(5):
            total = -out[g, c]
            for j in range(5):
                total += T[g, c, j] * e[ties + g, j]
            room[c] += factors[g] / volume * total
    for g in range(out.shape[0]):
        for c in range(5):
            out[g, c] += room[c]


@kernel
def gather(cell, nodes, rotation, directors, U, u, th, w):
    """u, th, w (m, k, 3): displacements, rotations, and motion th x d of the directors, of all columns of U"""
    for a in range(U.shape[1]):
        for i in range(nodes.shape[1]):
            for c in range(3):
                u[a, i, c] = U[3 * nodes[cell, i] + c, a]
                th[a, i, c] = U[3 * rotation[nodes[cell, i]] + c, a]
            cross_into(th[a, i], directors[cell, i], w[a, i])
