"""Mass matrices of bodies in natural coordinates, and kinetic energy.

Enters: bodies with mass, centre of mass and inertia in any body axes. Leaves: M = int rho C^T C dV, constant in the
slots of each body (basic points and vectors, and w for the kind "cross"): with the weights c = G [1; arm] of the
affine frame and the moments of mass P,

    M = (G P G^T) x 1_3                                                [GJB eq. 4.58-4.61, 4.67, 4.86]
    M = (G P G^T + H P H^T) x 1_2 + (G P H^T - H P G^T) x TURN         planar, H the turned weights [GJB eq. 4.45-4.48]

so that four points, three points and a vector, ... need no transformation of eq. 4.61 (the matrix of eq. 4.69 prints
1/L_jk where 1/L_ik and 1/L_jl are meant; eq. 4.61 is reached by substituting into 4.59, not 4.49). For the kind "cross"

    M(x) = V^T M_y V,      velocity force on the right side: -V^T M_y V_dot x_dot                 [GJB eq. 4.78]

(printed after eq. 4.78 without the minus and the dot; eq. 4.83 lacks its minus, and the last factor of eq. 4.66 is an
acceleration).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse

from flexmb.arrays import Floats
from flexmb.errors import Fault, InputError
from flexmb.natural.body import NaturalBody
from flexmb.natural.extension import Extension
from flexmb.natural.frame import TURN
from flexmb.natural.layout import Layout


def slot_mass_matrix(body: NaturalBody) -> Floats:
    """(dimension n_slots, dimension n_slots) constant mass matrix of a body in its slots."""
    moments = body.moments
    plain, turned = body.frame.weights, body.frame.turned
    kernel = plain @ moments @ plain.T
    if body.dimension == 3:
        return np.kron(kernel, np.eye(3)).astype(np.float64)
    mixed = plain @ moments @ turned.T
    plane = np.kron(kernel + turned @ moments @ turned.T, np.eye(2)) + np.kron(mixed - mixed.T, TURN)
    return plane.astype(np.float64)


def alone(body: NaturalBody) -> tuple[NaturalBody, Layout]:
    """The body with its points and vectors numbered in order, and the layout of it as the only body."""
    points = tuple(type(point)(number, point.local) for number, point in enumerate(body.points))
    vectors = tuple(type(vector)(number, vector.local) for number, vector in enumerate(body.vectors))
    single = NaturalBody(body.name, body.mass, body.center, body.inertia, points, vectors)
    return single, Layout.of([single], len(points), len(vectors), dimension=body.dimension)


def mass_matrix(body: NaturalBody, x: Floats | None = None) -> Floats:
    """(dimension n_basic, dimension n_basic) mass matrix of a body alone, columns: its points, then its vectors.

    `x` (dimension n_basic,) is needed only for the kind "cross", whose mass matrix changes with the position."""
    constant = slot_mass_matrix(body)
    if body.frame.kind != "cross":
        return constant
    if x is None:
        text = "its mass matrix changes with the position: give the coordinates of its points and vectors."
        raise InputError([Fault(text, ("bodies", body.name))])
    single, layout = alone(body)
    turning = Extension([single], layout).jacobian(x).toarray()
    return turning.T @ constant @ turning


def extended_mass_matrix(bodies: Sequence[NaturalBody], layout: Layout) -> scipy.sparse.csc_array:
    """(n_extended, n_extended) constant mass matrix of all bodies in y; M(x) = V^T M_y V."""
    rows, columns, values = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
    for body in bodies:
        matrix = slot_mass_matrix(body)
        slots = layout.slots(body)
        row, column = np.nonzero(matrix)
        rows.append(slots[row])
        columns.append(slots[column])
        values.append(matrix[row, column])
    shape = (layout.n_extended, layout.n_extended)
    entries = (np.concatenate(rows), np.concatenate(columns))
    return scipy.sparse.csc_array((np.concatenate(values), entries), shape=shape)


def kinetic_energy(extended_mass: scipy.sparse.csc_array, y_dot: Floats) -> float:
    """y_dot^T M_y y_dot / 2 [J] [GJB eq. 4.88, 4.89]."""
    return 0.5 * float(y_dot @ (extended_mass @ y_dot))
