"""Mass matrix of a flexible body as a sum over material points: positive semidefinite whatever the deflection."""

from __future__ import annotations

from flexmb.layout.access import composite_of, n_modes_of
from flexmb.machine_code.jit import kernel
from flexmb.vectors import dot, load3, rotate


@kernel
def clear_mass(I, W, body):
    """Zero the (6 + n) x (6 + n) matrix of a body; its place and size."""
    size = 6 + n_modes_of(I, body)
    o = composite_of(I, body)
    for i in range(size * size):
        W[o + i] = 0.0
    return o, size


@kernel
def _add_frame(W, o, size, mass, r):
    """Upper triangle of the first 6 x 6 block += mass (1, -~r)^T (1, -~r)."""
    x, y, z = r
    for i in range(3):
        W[o + i * size + i] += mass
    W[o + 4] += mass * z
    W[o + 5] -= mass * y
    W[o + size + 3] -= mass * z
    W[o + size + 5] += mass * x
    W[o + 2 * size + 3] += mass * y
    W[o + 2 * size + 4] -= mass * x
    W[o + 3 * size + 3] += mass * (y * y + z * z)
    W[o + 4 * size + 4] += mass * (x * x + z * z)
    W[o + 5 * size + 5] += mass * (x * x + y * y)
    W[o + 3 * size + 4] -= mass * x * y
    W[o + 3 * size + 5] -= mass * x * z
    W[o + 4 * size + 5] -= mass * y * z


@kernel
def _add_products(W, o, size, m0, m1, u0, u1):
    """Entries of the modes += m0 u0^T u0 + m1 u1^T u1, for two rows u0, u1 of W over the modes."""
    n = size - 6
    for k in range(n):
        a0, a1 = m0 * W[u0 + k], m1 * W[u1 + k]
        row = o + (6 + k) * size + 6
        for j in range(k, n):
            W[row + j] += a0 * W[u0 + j] + a1 * W[u1 + j]


@kernel
def add_points(F, W, o, size, mass, places, psi, count):
    """Upper triangle += mass (1, -~r, psi)^T (1, -~r, psi) for `count` points.

    Masses at F[mass + p]; places of the arrays of x, y and z in W; columns by modes: component c of point p at
    W[psi + (c count + p) n + k], so that the sums run along the rows of the matrix.
    """
    n = size - 6
    at_x, at_y, at_z = places
    for p in range(count):
        m = F[mass + p]
        x, y, z = W[at_x + p], W[at_y + p], W[at_z + p]
        _add_frame(W, o, size, m, (x, y, z))
        u, v, w = psi + p * n, psi + (count + p) * n, psi + (2 * count + p) * n
        first = o + 6
        for k in range(n):
            px, py, pz = m * W[u + k], m * W[v + k], m * W[w + k]
            W[first + k] += px
            W[first + size + k] += py
            W[first + 2 * size + k] += pz
            W[first + 3 * size + k] += y * pz - z * py
            W[first + 4 * size + k] += z * px - x * pz
            W[first + 5 * size + k] += x * py - y * px
    lanes = 3 * count
    for i in range(0, lanes - 1, 2):
        _add_products(W, o, size, F[mass + i % count], F[mass + (i + 1) % count], psi + i * n, psi + (i + 1) * n)
    if lanes % 2 == 1:
        _add_products(W, o, size, F[mass + count - 1], 0.0, psi + (lanes - 1) * n, psi + (lanes - 1) * n)


@kernel
def add_section(W, o, size, J, om):
    """Upper triangle += (0, 1, om)^T J (0, 1, om) for a section of inertia J with the turns om at W[om + 3 k]."""
    W[o + 3 * size + 3] += J[0]
    W[o + 3 * size + 4] += J[1]
    W[o + 3 * size + 5] += J[2]
    W[o + 4 * size + 4] += J[4]
    W[o + 4 * size + 5] += J[5]
    W[o + 5 * size + 5] += J[8]
    for k in range(size - 6):
        m = rotate(J, load3(W, om + 3 * k))
        column = o + 6 + k
        W[column + 3 * size] += m[0]
        W[column + 4 * size] += m[1]
        W[column + 5 * size] += m[2]
        for j in range(k + 1):
            W[column + (6 + j) * size] += dot(m, load3(W, om + 3 * j))


@kernel
def mirror(W, o, size):
    """Lower triangle from the upper one."""
    for i in range(size):
        for j in range(i):
            W[o + i * size + j] = W[o + j * size + i]
