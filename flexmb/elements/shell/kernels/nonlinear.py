"""Second-order forces of shell cells, from their strain energy beyond the linear order.

Along amplitudes of shapes a, b the directors turn by th, to second order 1/2 th x (th x d), and the Green strains have
the second derivatives (i, j of r, s, z; G_i derivatives of the place)

    E2_ij(a, b) = 1/2 (u_a,i . u_b,j + u_b,i . u_a,j + G_i . u_ab,j + G_j . u_ab,i),
    u_ab = z sum N_i sym(th_a x (th_b x d)),

tied at the same points as the linear strains. With stresses S = C E1 the second derivatives of the internal force are

    F_ab . du = int [ C E2(a, b) : E1(du) + S_b : E2(a, du) + S_a : E2(b, du) ],

and likewise for the drilling rotation, whose tangents turn with th.
"""

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
    turn_into,
)
from flexmb.elements.shell.kernels.strains import (
    cross_into,
    dot,
    gather,
    local_strains,
    product_strains,
    slopes_into,
)
from flexmb.machine_code.jit import array_kernel, kernel
from flexmb.machine_code.signatures import f8, i4, i8, void


@kernel
def add_traction(S, A, P):
    """P (3, 3): P_j += S^ij A_i, the vectors that work on derivatives j"""
    for a in range(3):
        P[0, a] += S[0] * A[0, a] + S[2] * A[1, a] + S[3] * A[2, a]
        P[1, a] += S[2] * A[0, a] + S[1] * A[1, a] + S[4] * A[2, a]
        P[2, a] += S[3] * A[0, a] + S[4] * A[1, a]


@kernel
def respond(e, tie, T, factors, C, strain, room, S):
    """S (t, 5): forces that work on the strains at the tying points, for strains e (t, 5) there; strain (g, 5) is room

    The transpose of `local_strains` times the stresses C strain.
    """
    ties, points = tie.shape[2], strain.shape[0]
    local_strains(e, tie, T, factors, room, strain)
    S[:] = 0.0
    mean = np.zeros(5)
    for g in range(points):
        for c in range(5):
            stress = 0.0
            for j in range(5):
                stress += C[c, j] * strain[g, j]
            room[c] = factors[g] * stress
        for c in range(5):
            strain[g, c] = room[c]
            mean[c] += room[c]
    corrected = e.shape[0] > ties
    volume = factors.sum()
    for g in range(points):
        share = factors[g] / volume
        for c in range(5):
            back, direct = 0.0, 0.0
            for j in range(5):
                direct += T[g, j, c] * mean[j]
                back += T[g, j, c] * strain[g, j]
            if corrected:
                back -= share * direct
                S[ties + g, c] += share * direct
            for t in range(ties):
                for j in range(5):
                    S[t, j] += tie[g, c, t, j] * back


@kernel
def add_node_forces(P, D, N, dN, z, f):
    """f (2 k, 3) += forces and moments of the nodes from the vectors P that work on the derivatives"""
    k = N.size
    v, m = np.empty(3), np.empty(3)
    for i in range(k):
        for a in range(3):
            part = dN[i, 0] * P[0, a] + dN[i, 1] * P[1, a]
            f[i, a] += part
            v[a] = z * part + N[i] * P[2, a]
        cross_into(D[i], v, m)
        for a in range(3):
            f[k + i, a] += m[a]


@kernel
def add_turned(D, g, th, f):
    """f (2 k, 3) += moments of forces g (k, 3) on the directors that were turned by th (k, 3)"""
    k = D.shape[0]
    x, y = np.empty(3), np.empty(3)
    for i in range(k):
        cross_into(g[i], th[i], x)
        cross_into(D[i], x, y)
        for a in range(3):
            f[k + i, a] += 0.5 * y[a]
        cross_into(th[i], D[i], x)
        cross_into(x, g[i], y)
        for a in range(3):
            f[k + i, a] += 0.5 * y[a]


@kernel
def drilling_motion(G, E, N, dN, u, th, H, t):
    """Derivatives along E_0, E_1 of the displacement into H (2, 3), rotation into t (3,)"""
    j00, j01 = dot(G[0], E[0]), dot(G[0], E[1])
    j10, j11 = dot(G[1], E[0]), dot(G[1], E[1])
    det = j00 * j11 - j01 * j10
    H[:] = 0.0
    t[:] = 0.0
    for i in range(N.size):
        d0 = (dN[i, 0] * j11 - dN[i, 1] * j01) / det
        d1 = (dN[i, 1] * j00 - dN[i, 0] * j10) / det
        for a in range(3):
            H[0, a] += d0 * u[i, a]
            H[1, a] += d1 * u[i, a]
            t[a] += N[i] * th[i, a]


@kernel
def add_turned_drilling(G, E, N, dN, H, t, factor, f):
    """f (2 k, 3) += factor times the derivative of the second-order drilling with (H, t) by the unknowns"""
    k = N.size
    j00, j01 = dot(G[0], E[0]), dot(G[0], E[1])
    j10, j11 = dot(G[1], E[0]), dot(G[1], E[1])
    det = j00 * j11 - j01 * j10
    x, y, p, q = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    cross_into(t, E[0], x)
    cross_into(t, E[1], y)
    cross_into(E[0], H[1], p)
    cross_into(E[1], H[0], q)
    for i in range(k):
        d0 = (dN[i, 0] * j11 - dN[i, 1] * j01) / det
        d1 = (dN[i, 1] * j00 - dN[i, 0] * j10) / det
        for a in range(3):
            f[i, a] += 0.5 * factor * (d1 * x[a] - d0 * y[a])
            f[k + i, a] += 0.5 * factor * N[i] * (p[a] - q[a])


@kernel
def add_drilling_forces(X, D, drill_N, drill_dN, drill_weights, direction, stiffness, u, th, pairs, f):
    """f (p, 2 k, 3) += forces of the drilling rotations"""
    k, modes = X.shape[0], u.shape[0]
    G, E, row = np.empty((3, 3)), np.empty((3, 3)), np.empty(6 * k)
    H, t, first = np.empty((modes, 2, 3)), np.empty((modes, 3)), np.empty(modes)
    x, y = np.empty(3), np.empty(3)
    for h in range(drill_weights.size):
        basis_into(X, D, drill_N[h], drill_dN[h], 0.0, G)
        axes_into(G, direction, E)
        factor = stiffness * drill_weights[h] * drilling_into(G, E, drill_N[h], drill_dN[h], row)
        for a in range(modes):
            drilling_motion(G, E, drill_N[h], drill_dN[h], u[a], th[a], H[a], t[a])
            first[a] = dot(t[a], E[2]) + 0.5 * (dot(E[0], H[a, 1]) - dot(E[1], H[a, 0]))
        for p in range(pairs.shape[0]):
            a, b = pairs[p]
            second = 0.0
            for i, j in ((a, b), (b, a)):
                cross_into(t[i], E[0], x)
                cross_into(t[i], E[1], y)
                second += 0.5 * (dot(x, H[j, 1]) - dot(y, H[j, 0]))
            for i in range(2 * k):
                for c in range(3):
                    f[p, i, c] += factor * second * row[3 * i + c]
            add_turned_drilling(G, E, drill_N[h], drill_dN[h], H[a], t[a], factor * first[b], f[p])
            add_turned_drilling(G, E, drill_N[h], drill_dN[h], H[b], t[b], factor * first[a], f[p])


@array_kernel(void(*CELLS, *SECTIONS, *POINTS, *TIES, *DRILLING, i4[::1], f8[:, ::1], i8[:, ::1], f8[:, ::1]))
def second_order_chunks(
    chunks, chunk_size, nodes, points, directors, directions, section,
    heights, thick_weights, densities, laws, drilling,
    weights, N, dN, tied_N, tied_dN, tie, drill_N, drill_dN, drill_weights, rotation, U, pairs, forces,
):  # fmt: skip
    """forces (3 b, p) += second derivatives of the internal force along the pairs (p, 2) of columns of U (3 b, m)"""
    k, modes, n_ties, n_points = nodes.shape[1], U.shape[1], tied_N.shape[0], weights.size
    X, E, A = np.empty((k, 3)), np.empty((3, 3)), np.empty((3, 3))
    T, factors, room = np.empty((n_points, 5, 5)), np.empty(n_points), np.empty(5)
    Gt, Gg = np.empty((n_ties, 3, 3)), np.empty((3, 3))
    u, th, w = np.empty((modes, k, 3)), np.empty((modes, k, 3)), np.empty((modes, k, 3))
    H, S = np.empty((modes, n_ties, 3, 3)), np.empty((modes, n_ties, 5))
    e, strain, S2 = np.empty((n_ties, 5)), np.empty((n_points, 5)), np.empty((n_ties, 5))
    extra, second, P, turned = np.empty(5), np.empty((3, 3)), np.empty((3, 3)), np.empty((modes, k, 3))
    q, nothing, x, y = np.empty((k, 3)), np.zeros((k, 3)), np.empty(3), np.empty(3)
    f = np.empty((pairs.shape[0], 2 * k, 3))
    for chunk in chunks:
        for cell in range(chunk * chunk_size, min((chunk + 1) * chunk_size, nodes.shape[0])):
            D, which = directors[cell], section[cell]
            for i in range(k):
                for a in range(3):
                    X[i, a] = points[nodes[cell, i], a]
            gather(cell, nodes, rotation, directors, U, u, th, w)
            f[:] = 0.0
            turned[:] = 0.0
            for m in range(heights.shape[1]):
                z = heights[which, m]
                for g in range(n_points):
                    basis_into(X, D, N[g], dN[g], z, Gg)
                    volume = axes_into(Gg, directions[cell], E)
                    components_into(Gg, E, volume, A)
                    turn_into(A, T[g])
                    factors[g] = weights[g] * thick_weights[which, m] * volume
                if thick_weights[which, m] == 0.0:
                    break
                for t in range(n_ties):
                    basis_into(X, D, tied_N[t], tied_dN[t], z, Gt[t])
                for a in range(modes):
                    for t in range(n_ties):
                        slopes_into(u[a], w[a], tied_N[t], tied_dN[t], z, H[a, t])
                        product_strains(Gt[t], H[a, t], e[t])
                    respond(e, tie, T, factors, laws[which, m], strain, room, S[a])
                    for t in range(n_ties):
                        P[:] = 0.0
                        add_traction(S[a, t], Gt[t], P)
                        for i in range(k):
                            for c in range(3):
                                part = tied_dN[t, i, 0] * P[0, c] + tied_dN[t, i, 1] * P[1, c]
                                turned[a, i, c] += z * part + tied_N[t, i] * P[2, c]
                for p in range(pairs.shape[0]):
                    a, b = pairs[p]
                    for i in range(k):
                        cross_into(th[a, i], w[b, i], x)
                        cross_into(th[b, i], w[a, i], y)
                        for c in range(3):
                            q[i, c] = 0.5 * (x[c] + y[c])
                    for t in range(n_ties):
                        slopes_into(nothing, q, tied_N[t], tied_dN[t], z, second)
                        product_strains(Gt[t], second, e[t])
                        product_strains(H[a, t], H[b, t], extra)
                        for c in range(5):
                            e[t, c] += extra[c]
                    respond(e, tie, T, factors, laws[which, m], strain, room, S2)
                    for t in range(n_ties):
                        P[:] = 0.0
                        add_traction(S2[t], Gt[t], P)
                        add_traction(S[b, t], H[a, t], P)
                        add_traction(S[a, t], H[b, t], P)
                        add_node_forces(P, D, tied_N[t], tied_dN[t], z, f[p])
            for p in range(pairs.shape[0]):
                a, b = pairs[p]
                add_turned(D, turned[b], th[a], f[p])
                add_turned(D, turned[a], th[b], f[p])
            add_drilling_forces(
                X, D, drill_N, drill_dN, drill_weights, directions[cell], drilling[which, 0], u, th, pairs, f
            )
            for p in range(pairs.shape[0]):
                for i in range(k):
                    for c in range(3):
                        forces[3 * nodes[cell, i] + c, p] += f[p, i, c]
                        forces[3 * rotation[nodes[cell, i]] + c, p] += f[p, k + i, c]
