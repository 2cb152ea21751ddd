"""Loop over solid cells for stress at nodes: computed inside the cells, extrapolated to their nodes, summed there."""

from __future__ import annotations

import numpy as np

from flexmb.elements.solid.kernels.element import CELLS, INVERTED, TABLES, gradients_into
from flexmb.elements.solid.kernels.nonlinear import displacement_gradients, gather, respond
from flexmb.machine_code.jit import array_kernel
from flexmb.machine_code.signatures import b1, f8, i8, void


@array_kernel(
    void(
        *CELLS,
        *TABLES,
        f8[:, :, ::1],
        f8[:, :, ::1],
        f8[:, ::1],
        i8[::1],
        i8[::1],
        f8[:, ::1],
        f8[:, :, ::1],
        i8[::1],
        b1[::1],
    )
)
def stress_chunks(
    chunks, chunk_size, nodes, points, lam, mu, derivatives, weights, inner, centre,
    stress_derivatives, stress_inner, extrapolation, material, owner, U, stress, count, inverted,
):  # fmt: skip
    """stress (n, m, 6) and count (n,) += contributions of the given chunks of cells at their nodes.

    A cell contributes to a node only if it has the material `owner` (n,) of the node.
    """
    k, modes = nodes.shape[1], U.shape[1]
    n = 3 * k
    size = n + 3 * inner.shape[1]
    X, J, first_J = np.empty((k, 3)), np.empty((3, 3)), np.empty((3, 3))
    G, volume = np.empty((weights.size, size)), np.empty(weights.size)
    n_points = stress_derivatives.shape[0]
    stress_G, ones, det = np.empty((n_points, size)), np.ones(n_points), np.empty(n_points)
    T, S, A = np.empty(size), np.empty((size, size)), np.empty((size - n, n))
    u, H, values = np.empty((size, modes)), np.empty((9, modes)), np.empty((6, modes))
    for chunk in chunks:
        for cell in range(chunk * chunk_size, min((chunk + 1) * chunk_size, nodes.shape[0])):
            for i in range(k):
                for a in range(3):
                    X[i, a] = points[nodes[cell, i], a]
            if gradients_into(X, stress_derivatives, ones, stress_inner, centre, J, first_J, stress_G, det) == INVERTED:
                inverted[cell] = True
                continue
            if size > n:
                gradients_into(X, derivatives, weights, inner, centre, J, first_J, G, volume)
                respond(G, volume, lam[cell], mu[cell], n, T, S, A)
            gather(nodes[cell], A, U, u)
            for s in range(n_points):
                displacement_gradients(stress_G, s, u, lam[cell], mu[cell], H, values)
                for i in range(k):
                    node = nodes[cell, i]
                    if owner[node] == material[cell]:
                        factor = extrapolation[i, s]
                        for m in range(modes):
                            for entry in range(6):
                                stress[node, m, entry] += factor * values[entry, m]
            for i in range(k):
                if owner[nodes[cell, i]] == material[cell]:
                    count[nodes[cell, i]] += 1
