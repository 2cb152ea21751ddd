"""Loop over shell cells for the strains of their sections: membrane, bending and shear at the points of integration."""

from __future__ import annotations

import numpy as np

from flexmb.elements.shell.kernels.cell import CELLS, POINTS, TIES, axes_into, basis_into, components_into, turn_into
from flexmb.elements.shell.kernels.strains import gather, local_strains, product_strains, slopes_into
from flexmb.machine_code.jit import array_kernel
from flexmb.machine_code.signatures import f8, i4, void


@array_kernel(void(*CELLS, f8[:, ::1], *POINTS, *TIES, i4[::1], f8[:, ::1], f8[:, ::1], f8[:, :, :, ::1]))
def section_strain_chunks(
    chunks, chunk_size, nodes, points, directors, directions, section, faces,
    weights, N, dN, tied_N, tied_dN, tie, rotation, U, areas, out,
):  # fmt: skip
    """out (cells, g, m, 8): strains 11, 22, 12 (twice) at the nodes' surface, their slopes over the thickness, and

    transverse shear 13, 23 in the axes of the material, for every column of U; areas (cells, g) of the points. faces
    (sections, 2) are the heights of both faces, between which strains are linear.
    """
    k, modes, n_ties, n_points = nodes.shape[1], U.shape[1], tied_N.shape[0], N.shape[0]
    X, G, E, A = np.empty((k, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    u, th, w = np.empty((modes, k, 3)), np.empty((modes, k, 3)), np.empty((modes, k, 3))
    Gt, H, e = np.empty((n_ties, 3, 3)), np.empty((3, 3)), np.empty((n_ties, 5))
    T, factors, room = np.empty((n_points, 5, 5)), np.empty(n_points), np.empty(5)
    strain = np.empty((n_points, 5))
    for chunk in chunks:
        for cell in range(chunk * chunk_size, min((chunk + 1) * chunk_size, nodes.shape[0])):
            D, which = directors[cell], section[cell]
            for i in range(k):
                for a in range(3):
                    X[i, a] = points[nodes[cell, i], a]
            gather(cell, nodes, rotation, directors, U, u, th, w)
            for g in range(n_points):
                basis_into(X, D, N[g], dN[g], 0.0, G)
                areas[cell, g] = weights[g] * axes_into(G, directions[cell], E)
            low, high = faces[which, 0], faces[which, 1]
            for face in range(2):
                z = high if face == 1 else low
                # a strain at height z is the one at the nodes plus z times the slope
                value = high / (high - low) if face == 0 else -low / (high - low)
                slope = (1.0 if face == 1 else -1.0) / (high - low)
                for g in range(n_points):
                    basis_into(X, D, N[g], dN[g], z, G)
                    volume = axes_into(G, directions[cell], E)
                    components_into(G, E, volume, A)
                    turn_into(A, T[g])
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
                            out[cell, g, m, c] += value * strain[g, c]
                            out[cell, g, m, 3 + c] += slope * strain[g, c]
                        out[cell, g, m, 6] += 0.5 * strain[g, 3]
                        out[cell, g, m, 7] += 0.5 * strain[g, 4]
