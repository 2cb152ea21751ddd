"""Approximation of a time-dependent field by a few fixed shapes with amplitudes, chosen for a run.

The field is evaluated at all points for some instants (snapshots), whose principal directions are the shapes, and at
some points for all instants, which gives the amplitudes by least squares. If the error at the points exceeds the
tolerance, the worst instants become snapshots too. So modes with little motion cost nothing, and second-order terms,
rotations of the chord and exact beams need no special treatment.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.view.scene import Single

Evaluate = Callable[[Integers, Integers], Floats]
"""(rows, points) -> (r, p, width)"""

_FIRST = 60
"""Initial number of snapshots."""
_MORE = 20
"""Snapshots added where the error is too large."""
_ROUNDS = 6
_PROBES = 500
"""Points evaluated at all instants."""
_BLOCK = 64
"""Instants evaluated together."""
_COLUMNS = 2**17


@dataclass(frozen=True)
class Shapes:
    """A field as a sum of a_k(t) S_k(X)."""

    shapes: Single
    """(m, s, width), the largest length in each is 1"""
    amplitudes: Floats
    """(f, m)"""
    error: float
    """Largest deviation at the evaluated points"""


def fitted_shapes(evaluate: Evaluate, n_rows: int, n_points: int, tolerance: float) -> Shapes:
    """Shapes and amplitudes that give the field at all rows to `tolerance` (in units of the field)."""
    everywhere = np.arange(n_points)
    probes = _spread(n_points, _PROBES)
    seen = np.concatenate([evaluate(rows, probes) for rows in _blocks(np.arange(n_rows))])
    chosen = _spread(n_rows, _FIRST)
    largest = np.linalg.norm(seen, axis=2).max(axis=1)
    chosen = np.union1d(chosen, [int(np.argmax(largest))])
    snapshots = np.concatenate([evaluate(rows, everywhere) for rows in _blocks(chosen)]).astype(np.float32)
    for _ in range(_ROUNDS):
        shapes = _principal(snapshots, tolerance)
        amplitudes, errors = _amplitudes(shapes, seen, probes)
        missed = np.flatnonzero(errors > tolerance)
        missed = np.setdiff1d(missed[np.argsort(-errors[missed], kind="stable")][: 4 * _MORE : 4], chosen)
        if not len(missed):
            break
        more = np.concatenate([evaluate(rows, everywhere) for rows in _blocks(missed)]).astype(np.float32)
        snapshots, chosen = np.concatenate([snapshots, more]), np.concatenate([chosen, missed])
    return Shapes(shapes, amplitudes, float(errors.max(initial=0.0)))


def _spread(count: int, most: int) -> Integers:
    """At most `most` numbers, evenly from 0 to count - 1."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(np.int64))


def _blocks(rows: Integers) -> list[Integers]:
    return [rows[first : first + _BLOCK] for first in range(0, len(rows), _BLOCK)]


def _principal(snapshots: Single, tolerance: float) -> Single:
    """(m, s, width) the significant principal directions of the snapshots, by the eigenvectors of their products."""
    count, n_points, width = snapshots.shape
    flat = snapshots.reshape(count, -1)
    products = sum(part @ part.T for part in (flat[:, k : k + _COLUMNS].astype(float) for k in _starts(flat)))
    squares, vectors = np.linalg.eigh(products)
    squares, vectors = squares[::-1], vectors[:, ::-1]
    kept = []
    for square, vector in zip(squares, vectors.T, strict=True):
        if square <= 1e-13 * max(squares[0], 0.0) or square <= 0.0:
            break
        shape = (vector.astype(np.float32) @ flat).reshape(n_points, width)
        largest = float(np.linalg.norm(shape, axis=1).max())
        # its amplitude at snapshot i is vector_i times the largest length: far below the tolerance it is noise
        if np.abs(vector).max() * largest < 0.2 * tolerance:
            continue
        kept.append(shape / np.float32(largest))
    return np.array(kept, np.float32).reshape(len(kept), n_points, width)


def _starts(flat: Single) -> range:
    """Starts of the pieces whose products are summed in double precision: all at once would take much memory."""
    return range(0, flat.shape[1], _COLUMNS)


def _amplitudes(shapes: Single, seen: Floats, probes: Integers) -> tuple[Floats, Floats]:
    """(f, m) by least squares at the probes, and the largest deviation at every row."""
    flat = seen.reshape(len(seen), -1)
    basis = shapes[:, probes].reshape(len(shapes), flat.shape[1]).astype(float)
    amplitudes = flat @ np.linalg.pinv(basis) if len(basis) else np.zeros((len(seen), 0))
    missing = (flat - amplitudes @ basis).reshape(seen.shape)
    return amplitudes, np.linalg.norm(missing, axis=2).max(axis=1, initial=0.0)
