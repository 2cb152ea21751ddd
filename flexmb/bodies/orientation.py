"""Orientations at many instants: unit quaternions, w first, and rotation matrices (NumPy; kernels have their own)."""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Floats


def rotations(quaternion: Floats) -> Floats:
    """(..., 3, 3) matrices of unit quaternions (..., 4), w first."""
    w, x, y, z = np.moveaxis(np.asarray(quaternion, dtype=float), -1, 0)
    rows = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def quaternions(R: Floats) -> Floats:
    """(f, 4) of rotation matrices (f, 3, 3), w first, neighbours with the same sign."""
    R = np.asarray(R, dtype=float)
    trace = R[:, 0, 0] + R[:, 1, 1] + R[:, 2, 2]
    # Four times the squares of w, x, y, z; the largest one divides (Shepperd).
    squares = np.stack([1.0 + trace, *(1.0 + 2.0 * R[:, i, i] - trace for i in range(3))], axis=-1)
    products = np.empty((len(R), 4, 4))
    products[:, range(4), range(4)] = squares
    for i, (j, k) in enumerate(((2, 1), (0, 2), (1, 0))):
        products[:, 0, i + 1] = products[:, i + 1, 0] = R[:, j, k] - R[:, k, j]
    for i, j in ((0, 1), (0, 2), (1, 2)):
        products[:, i + 1, j + 1] = products[:, j + 1, i + 1] = R[:, i, j] + R[:, j, i]
    best = np.argmax(squares, axis=1)
    q = products[np.arange(len(R)), best]
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    return continuous(q)


def continuous(q: Floats) -> Floats:
    """(f, 4) the same rotations with the signs that make neighbours agree."""
    signs = np.where(np.sum(q[1:] * q[:-1], axis=1) < 0.0, -1.0, 1.0)
    return q * np.concatenate([[1.0], np.cumprod(signs)])[:, None]
