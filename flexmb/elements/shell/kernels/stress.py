"""Loop over shell cells for the stress at both faces: inside the cells, extended to their nodes, summed there."""

from __future__ import annotations

import numpy as np

from flexmb.elements.shell.kernels.cell import CELLS, POINTS, TIES, axes_into, basis_into, components_into, turn_into
from flexmb.elements.shell.kernels.strains import gather, local_strains, product_strains, slopes_into
from flexmb.machine_code.jit import array_kernel
from flexmb.machine_code.signatures import f8, i4, i8, void


@array_kernel(
    void(
        *CELLS,
        f8[:, ::1],
        f8[:, :, :, ::1],
        *POINTS,
        *TIES,
        f8[:, ::1],
        i4[::1],
        i8[:, :, ::1],
        f8[:, ::1],
        f8[:, :, ::1],
        i8[::1],
    )
)
def face_stress_chunks(
    chunks, chunk_size, nodes, points, directors, directions, section, heights, laws,
    weights, N, dN, tied_N, tied_dN, tie, to_nodes, rotation, places, U, stress, count,
):  # fmt: skip
    """stress (places, m, 6) and count (places,) += stresses xx, yy, zz, xy, yz, zx at the nodes of both faces.

    heights (sections, 2) of the faces and laws (sections, 2, 5, 5) there; places (cells, k, 2) of the faces' nodes. A
    face is free of transverse shear. Values at the points of integration are extended to the nodes by `to_nodes`.
    """
    k, modes, n_ties, n_points = nodes.shape[1], U.shape[1], tied_N.shape[0], N.shape[0]
    X, G, E, A = np.empty((k, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    u, th, w = np.empty((modes, k, 3)), np.empty((modes, k, 3)), np.empty((modes, k, 3))
    Gt, H, e, local = np.empty((n_ties, 3, 3)), np.empty((3, 3)), np.empty((n_ties, 5)), np.empty(3)
    axes, T, found = np.empty((n_points, 2, 3)), np.empty((n_points, 5, 5)), np.empty((n_points, 6))
    factors, room, strain = np.empty(n_points), np.empty(5), np.empty((n_points, 5))
    for chunk in chunks:
        for cell in range(chunk * chunk_size, min((chunk + 1) * chunk_size, nodes.shape[0])):
            D, which = directors[cell], section[cell]
            for i in range(k):
                for a in range(3):
                    X[i, a] = points[nodes[cell, i], a]
            gather(cell, nodes, rotation, directors, U, u, th, w)
            for face in range(2):
                z, C = heights[which, face], laws[which, face]
                for g in range(n_points):
                    basis_into(X, D, N[g], dN[g], z, G)
                    volume = axes_into(G, directions[cell], E)
                    components_into(G, E, volume, A)
                    turn_into(A, T[g])
                    for a in range(2):
                        for c in range(3):
                            axes[g, a, c] = E[a, c]
                    factors[g] = weights[g] * volume
                for t in range(n_ties):
                    basis_into(X, D, tied_N[t], tied_dN[t], z, Gt[t])
                for m in range(modes):
                    for t in range(n_ties):
                        slopes_into(u[m], w[m], tied_N[t], tied_dN[t], z, H)
                        product_strains(Gt[t], H, e[t])
                    local_strains(e, tie, T, factors, room, strain)
                    for g in range(n_points):
                        for c in range(3):
                            local[c] = C[c, 0] * strain[g, 0] + C[c, 1] * strain[g, 1] + C[c, 2] * strain[g, 2]
                        for a in range(6):
                            p, q = (a, a) if a < 3 else (a - 3, (a - 2) % 3)
                            e1p, e1q, e2p, e2q = axes[g, 0, p], axes[g, 0, q], axes[g, 1, p], axes[g, 1, q]
                            found[g, a] = local[0] * e1p * e1q + local[1] * e2p * e2q
                            found[g, a] += local[2] * (e1p * e2q + e2p * e1q)
                    for i in range(k):
                        for a in range(6):
                            total = 0.0
                            for g in range(n_points):
                                total += to_nodes[i, g] * found[g, a]
                            stress[places[cell, i, face], m, a] += total
                for i in range(k):
                    count[places[cell, i, face]] += 1
