"""Envelope of the stress of a body: the largest of every point over all rows of a part of a run, and their rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from flexmb.analyses.stress.field import StressField
from flexmb.analyses.stress.kernels import BLOCK, envelope_rows
from flexmb.arrays import Floats, Integers
from flexmb.bodies.orientation import rotations
from flexmb.elements.solid.parallel import over_range
from flexmb.errors import ComputationError
from flexmb.results.result_file import Result
from flexmb.results.stress_findings import Envelope


class Extremes(NamedTuple):
    """Extreme stresses of points and their rows: von Mises, largest and smallest principal stress."""

    values: Floats
    """(s, 3) [Pa]"""
    rows: Integers
    """(s, 3)"""

    @classmethod
    def before(cls, n_points: int) -> Extremes:
        """Before the first row."""
        return cls(np.tile([-np.inf, -np.inf, np.inf], (n_points, 1)), np.zeros((n_points, 3), dtype=np.int64))

    def take(self, shapes: Floats, amplitudes: Floats, first: int) -> None:
        """Take rows into account: shapes (s, n, 6), amplitudes (r, n), of which the first is row `first`."""
        n_rows, n = amplitudes.shape
        blocks = np.zeros((-(-n_rows // BLOCK), BLOCK, n))
        blocks.reshape(-1, n)[:n_rows] = amplitudes
        packed = np.ascontiguousarray(blocks.transpose(0, 2, 1))
        over_range(envelope_rows, len(shapes), shapes, packed, n_rows, first, self.values, self.rows)


def envelope_of(
    field: StressField, result: Result, first: int, last: int, progress: Callable[[float], None] | None = None
) -> Envelope:
    """The envelope of rows `first` to `last` - 1; `progress` is called with the fraction done."""
    found = Extremes.before(len(field.points))
    for start, end in field.chunks(first, last):
        found.take(field.shapes, field.amplitudes(result, start, end), start)
        if progress is not None:
            progress((end - first) / (last - first))
    if not np.isfinite(found.values).all():
        text = f"the stress of body '{field.body}' is not finite: its stress shapes or elastic coordinates are damaged"
        raise ComputationError(text)
    position, quaternion = (
        result.read(result.names.find(f"bodies/{field.body}/{name}"), first, first + 1)
        for name in ("position", "quaternion")
    )
    values, times = found.values.T, result.time[found.rows.T]
    return Envelope(
        body=field.body,
        position=position[0],
        R_wb=rotations(quaternion)[0],
        points=field.points,
        triangles=field.triangles,
        nodes=field.nodes,
        sides=field.sides,
        von_mises=values[0],
        von_mises_time=times[0],
        tension=values[1],
        tension_time=times[1],
        compression=values[2],
        compression_time=times[2],
    )
