"""Small vectors and matrices as tuples, for compiled kernels.

A 3-vector is a tuple of three floats, a 3x3 matrix a tuple of nine in row order, a quaternion a tuple (w, x, y, z).
Tuples live in registers: no allocation, no bounds, and far shorter compile times than array expressions.
"""

from __future__ import annotations

import math

from flexmb.machine_code.jit import kernel

ZERO = (0.0, 0.0, 0.0)
IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@kernel
def load3(W, o):
    return (W[o], W[o + 1], W[o + 2])


@kernel
def load9(W, o):
    return (W[o], W[o + 1], W[o + 2], W[o + 3], W[o + 4], W[o + 5], W[o + 6], W[o + 7], W[o + 8])


@kernel
def store3(W, o, a):
    W[o] = a[0]
    W[o + 1] = a[1]
    W[o + 2] = a[2]


@kernel
def add_to3(W, o, a):
    W[o] += a[0]
    W[o + 1] += a[1]
    W[o + 2] += a[2]


@kernel
def load_pair(W, o):
    """Two vectors, one behind the other: (velocity, angular velocity) or (force, moment)."""
    return (W[o], W[o + 1], W[o + 2]), (W[o + 3], W[o + 4], W[o + 5])


@kernel
def store_pair(W, o, a, b):
    store3(W, o, a)
    store3(W, o + 3, b)


@kernel
def add_to_pair(W, o, a, b):
    add_to3(W, o, a)
    add_to3(W, o + 3, b)


@kernel
def store9(W, o, a):
    # Tuples are never indexed by a variable: that would compile to a switch.
    W[o] = a[0]
    W[o + 1] = a[1]
    W[o + 2] = a[2]
    W[o + 3] = a[3]
    W[o + 4] = a[4]
    W[o + 5] = a[5]
    W[o + 6] = a[6]
    W[o + 7] = a[7]
    W[o + 8] = a[8]


@kernel
def store4(W, o, a):
    W[o] = a[0]
    W[o + 1] = a[1]
    W[o + 2] = a[2]
    W[o + 3] = a[3]


@kernel
def add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@kernel
def sub(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@kernel
def scale(s, a):
    return (s * a[0], s * a[1], s * a[2])


@kernel
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@kernel
def rotate(R, x):
    """R x."""
    return (
        R[0] * x[0] + R[1] * x[1] + R[2] * x[2],
        R[3] * x[0] + R[4] * x[1] + R[5] * x[2],
        R[6] * x[0] + R[7] * x[1] + R[8] * x[2],
    )


@kernel
def rotate_back(R, x):
    """R^T x."""
    return (
        R[0] * x[0] + R[3] * x[1] + R[6] * x[2],
        R[1] * x[0] + R[4] * x[1] + R[7] * x[2],
        R[2] * x[0] + R[5] * x[1] + R[8] * x[2],
    )


@kernel
def multiply(A, B):
    """A B."""
    return (
        A[0] * B[0] + A[1] * B[3] + A[2] * B[6],
        A[0] * B[1] + A[1] * B[4] + A[2] * B[7],
        A[0] * B[2] + A[1] * B[5] + A[2] * B[8],
        A[3] * B[0] + A[4] * B[3] + A[5] * B[6],
        A[3] * B[1] + A[4] * B[4] + A[5] * B[7],
        A[3] * B[2] + A[4] * B[5] + A[5] * B[8],
        A[6] * B[0] + A[7] * B[3] + A[8] * B[6],
        A[6] * B[1] + A[7] * B[4] + A[8] * B[7],
        A[6] * B[2] + A[7] * B[5] + A[8] * B[8],
    )


@kernel
def transpose(A):
    return (A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8])


@kernel
def column(R, k):
    """Column k of R: axis k of the frame whose orientation R is."""
    if k == 0:
        return (R[0], R[3], R[6])
    if k == 1:
        return (R[1], R[4], R[7])
    return (R[2], R[5], R[8])


@kernel
def rotation_z(angle):
    c = math.cos(angle)
    s = math.sin(angle)
    return (c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0)


@kernel
def rotation_about(axis, angle):
    """Rotation by `angle` about the unit vector `axis` (Rodrigues)."""
    c = math.cos(angle)
    s = math.sin(angle)
    x, y, z = axis
    d = 1.0 - c
    return (
        c + d * x * x,
        d * x * y - s * z,
        d * x * z + s * y,
        d * x * y + s * z,
        c + d * y * y,
        d * y * z - s * x,
        d * x * z - s * y,
        d * y * z + s * x,
        c + d * z * z,
    )


@kernel
def quaternion_matrix(w, x, y, z):
    """Rotation matrix of a unit quaternion."""
    return (
        1.0 - 2.0 * (y * y + z * z),
        2.0 * (x * y - w * z),
        2.0 * (x * z + w * y),
        2.0 * (x * y + w * z),
        1.0 - 2.0 * (x * x + z * z),
        2.0 * (y * z - w * x),
        2.0 * (x * z - w * y),
        2.0 * (y * z + w * x),
        1.0 - 2.0 * (x * x + y * y),
    )


@kernel
def matrix_quaternion(R):
    """Unit quaternion of a rotation matrix, by its largest component (no singularity)."""
    trace = R[0] + R[4] + R[8]
    if trace > 0.0:
        s = math.sqrt(trace + 1.0) * 2.0
        return (0.25 * s, (R[7] - R[5]) / s, (R[2] - R[6]) / s, (R[3] - R[1]) / s)
    if R[0] >= R[4] and R[0] >= R[8]:
        s = math.sqrt(1.0 + R[0] - R[4] - R[8]) * 2.0
        return ((R[7] - R[5]) / s, 0.25 * s, (R[1] + R[3]) / s, (R[2] + R[6]) / s)
    if R[4] >= R[8]:
        s = math.sqrt(1.0 + R[4] - R[0] - R[8]) * 2.0
        return ((R[2] - R[6]) / s, (R[1] + R[3]) / s, 0.25 * s, (R[5] + R[7]) / s)
    s = math.sqrt(1.0 + R[8] - R[0] - R[4]) * 2.0
    return ((R[3] - R[1]) / s, (R[2] + R[6]) / s, (R[5] + R[7]) / s, 0.25 * s)


@kernel
def quaternion_product(a, b):
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@kernel
def rotation_vector_quaternion(x, y, z):
    """Unit quaternion of the rotation vector (x, y, z) [rad]."""
    square = x * x + y * y + z * z
    if square < 1e-8:
        s = 0.5 - square / 48.0
        c = 1.0 - square / 8.0 + square * square / 384.0
    else:
        angle = math.sqrt(square)
        s = math.sin(0.5 * angle) / angle
        c = math.cos(0.5 * angle)
    return (c, s * x, s * y, s * z)
