"""Loop over solid cells for the energy of the difference between recovered and computed stress."""

from __future__ import annotations

import numpy as np

from flexmb.elements.solid.kernels.element import CELLS, INVERTED, TABLES, gradients_into
from flexmb.elements.solid.kernels.nonlinear import displacement_gradients, gather, respond
from flexmb.machine_code.jit import array_kernel, kernel
from flexmb.machine_code.signatures import f8, i8, void


@array_kernel(
    void(
        *CELLS,
        *TABLES,
        f8[:, ::1],
        f8[:, ::1],
        f8[::1],
        i8[::1],
        i8,
        f8[:, :, ::1],
        f8[:, ::1],
        f8[:, ::1],
        f8[:, ::1],
    )
)
def error_chunks(
    chunks, chunk_size, nodes, points, lam, mu, derivatives, weights, inner, centre,
    shapes, inner_shapes, density, material, chosen, recovered, U, errors, moving,
):  # fmt: skip
    """Integrals over the cells of one material, for every column of U (3 n, m):

    errors (cells, m) += (s* - s) : C^-1 (s* - s), moving (chunks, m) += density (|v + w|^2 - |v|^2). s is the stress of
    U, s* that of recovered (n, m, 6) between the nodes by shapes (g, k); v the displacement by the nodes, w by inner
    functions.
    """
    k, modes = nodes.shape[1], U.shape[1]
    n = 3 * k
    size = n + 3 * inner.shape[1]
    X, J, first_J = np.empty((k, 3)), np.empty((3, 3)), np.empty((3, 3))
    G, volume = np.empty((weights.size, size)), np.empty(weights.size)
    T, S, A = np.empty(size), np.empty((size, size)), np.empty((size - n, n))
    u, H, values = np.empty((size, modes)), np.empty((9, modes)), np.empty((6, modes))
    smooth, nodal = np.empty((modes, 6)), np.empty((k, modes, 6))
    for chunk in chunks:
        for cell in range(chunk * chunk_size, min((chunk + 1) * chunk_size, nodes.shape[0])):
            if material[cell] != chosen:
                continue
            for i in range(k):
                for a in range(3):
                    X[i, a] = points[nodes[cell, i], a]
                for m in range(modes):
                    for entry in range(6):
                        nodal[i, m, entry] = recovered[nodes[cell, i], m, entry]
            if gradients_into(X, derivatives, weights, inner, centre, J, first_J, G, volume) == INVERTED:
                continue
            if size > n:
                respond(G, volume, lam[cell], mu[cell], n, T, S, A)
            gather(nodes[cell], A, U, u)
            spread = lam[cell] / (3.0 * lam[cell] + 2.0 * mu[cell])
            for g in range(weights.size):
                displacement_gradients(G, g, u, lam[cell], mu[cell], H, values)
                smooth[:] = 0.0
                for i in range(k):
                    factor = shapes[g, i]
                    for m in range(modes):
                        for entry in range(6):
                            smooth[m, entry] += factor * nodal[i, m, entry]
                scale = volume[g] / (2.0 * mu[cell])
                for m in range(modes):
                    for entry in range(6):
                        smooth[m, entry] -= values[entry, m]
                    errors[cell, m] += scale * stress_square(smooth[m], spread)
                    if size > n:
                        moved = inner_motion(shapes[g], inner_shapes[g], u, m)
                        moving[chunk, m] += density[cell] * volume[g] * moved


@kernel
def stress_square(s, spread):
    """s : s - spread tr(s)^2 of the stress xx, yy, zz, xy, yz, zx: 2 mu s : C^-1 s"""
    trace = s[0] + s[1] + s[2]
    straight = s[0] * s[0] + s[1] * s[1] + s[2] * s[2]
    sheared = s[3] * s[3] + s[4] * s[4] + s[5] * s[5]
    return straight + 2.0 * sheared - spread * trace * trace


@kernel
def inner_motion(shapes, inner_shapes, u, m):
    """|v + w|^2 - |v|^2 of column m, v by the nodes and w by the inner functions"""
    k = shapes.size
    total = 0.0
    for a in range(3):
        v = w = 0.0
        for i in range(k):
            v += shapes[i] * u[3 * i + a, m]
        for i in range(inner_shapes.size):
            w += inner_shapes[i] * u[3 * (k + i) + a, m]
        total += (2.0 * v + w) * w
    return total
