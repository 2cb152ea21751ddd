"""Mass matrix of a flexible body as a sum over material points: positive semidefinite whatever the deflection."""

from __future__ import annotations

from flexmb.jit import kernel
from flexmb.layout.access import composite_of, n_modes_of
from flexmb.vectors import cross, dot, load3, rotate, scale


@kernel
def clear_mass(I, W, body):
    """Zero the (6 + n) x (6 + n) matrix of a body; its place and size."""
    size = 6 + n_modes_of(I, body)
    o = composite_of(I, body)
    for i in range(size * size):
        W[o + i] = 0.0
    return o, size


@kernel
def add_point(W, o, size, mass, r, psi):
    """Upper triangle += mass (1, -~r, psi)^T (1, -~r, psi) for a point at r with the columns psi at W[psi + 3 k]."""
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
    for k in range(size - 6):
        p = scale(mass, load3(W, psi + 3 * k))
        m = cross(r, p)
        column = o + 6 + k
        W[column] += p[0]
        W[column + size] += p[1]
        W[column + 2 * size] += p[2]
        W[column + 3 * size] += m[0]
        W[column + 4 * size] += m[1]
        W[column + 5 * size] += m[2]
        for j in range(k + 1):
            W[column + (6 + j) * size] += dot(p, load3(W, psi + 3 * j))


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
