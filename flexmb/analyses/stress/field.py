"""Stress of the points of a body from its coordinates: the one place that knows what they add up to.

    sigma(X, t) = sum over k of shapes_k(X) a_k(t)

with the elastic coordinates of the result as amplitudes, and the values of loads that stress the body directly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.results.result_file import Result
from flexmb.results.stress_amplitudes import stress_amplitudes

CHUNK = 4096
"""Rows that are read at once: their amplitudes stay in the cache of a processor"""


@dataclass(frozen=True)
class StressField:
    """Points of a body and their stress per unit of its amplitudes; s points, n amplitudes."""

    body: str
    points: Floats
    """(s, 3) body axes [m]"""
    triangles: Integers
    """(t, 3) numbers of points"""
    shapes: Floats
    """(s, n, 6) stress xx, yy, zz, xy, yz, zx per unit of amplitude [Pa/m]"""
    length: float
    """Size of the body [m]"""
    nodes: Integers | None = None
    """(s,) numbers in the mesh; None on a beam"""
    interfaces: tuple[tuple[str, Integers], ...] = ()
    """Names of ties and the nodes that they hold"""
    stressing: tuple[str, ...] = ()
    """Forces that stress it directly, by load shapes, whose values are the last amplitudes"""

    @property
    def sides(self) -> tuple[str, ...]:
        """ "bottom" or "top" of a shell, of every point.

        Points of shells come in pairs of one node, after those of solids, whose nodes increase.
        """
        if self.nodes is None:
            return ("",) * len(self.points)
        pairs = self.nodes[len(self.nodes) % 2 :].reshape(-1, 2)
        differ = np.flatnonzero(pairs[:, 0] != pairs[:, 1])
        of_shells = len(pairs) - (int(differ[-1]) + 1 if len(differ) else 0)
        return ("",) * (len(self.points) - 2 * of_shells) + ("bottom", "top") * of_shells

    def interface_of(self, point: int) -> str:
        """Names of the ties that hold the node of a point."""
        if self.nodes is None:
            return ""
        return ", ".join(name for name, nodes in self.interfaces if self.nodes[point] in nodes)

    def amplitudes(self, result: Result, first: int, last: int, rates: bool = False) -> Floats:
        """(r, n) amplitudes, or their rates, at rows `first` to `last` - 1 of a result"""

        def channel(path: str) -> Floats:
            return result.read(result.names.find(path), first, last)

        if rates:
            return np.asarray(channel(f"bodies/{self.body}/elastic_velocity"), dtype=float).reshape(last - first, -1)
        n_modes = self.shapes.shape[1] - len(self.stressing)
        return stress_amplitudes(channel, self.body, n_modes, self.stressing)

    def has_rates(self, result: Result) -> bool:
        """Whether the result has the rates of the amplitudes: of the values of loads it has none."""
        return not self.stressing and f"bodies/{self.body}/elastic_velocity" in result.channels

    def chunks(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Rows `first` to `last` - 1 in pieces."""
        for start in range(first, last, CHUNK):
            yield start, min(start + CHUNK, last)

    def stress(self, result: Result, point: int, first: int, last: int, rates: bool = False) -> Floats:
        """(r, 6) stress of a point, or its rate [Pa, Pa/s]"""
        pieces = [self.amplitudes(result, *piece, rates) @ self.shapes[point] for piece in self.chunks(first, last)]
        return np.concatenate(pieces)
