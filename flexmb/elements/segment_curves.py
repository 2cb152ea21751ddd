"""Piecewise polynomials along a beam: Hermite cubics (stretch, twist: linear functions) between nodes, and bubbles.

A bubble vanishes at both ends of its segment, in bending with its slope. Its curvature (in stretch and twist its slope)
is a Legendre polynomial: bubbles of a uniform segment have no stiffness in common with each other and with the
functions of the nodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

from flexmb.arrays import Floats


@dataclass(frozen=True)
class SegmentCurve:
    """A polynomial in each segment, as a Legendre series in t = -1 ... 1."""

    nodes: Floats
    """(n_seg + 1,) [m]"""
    series: Floats
    """(n_seg, degree + 1)"""
    bends: bool

    def values(self, x: Floats) -> Floats:
        """(m, 4) value, slope, turn, curvature at x (m,) [m]; at a node those of the segment that begins."""
        number, rate, polynomials = _polynomials(
            self.nodes.tobytes(), np.asarray(x, dtype=float).tobytes(), self._count
        )
        value, slope, curvature = (
            (polynomials[:, : derived.shape[1]] * derived[number]).sum(axis=1) * rate**order
            for order, derived in enumerate(self._derivatives)
        )
        zero = np.zeros_like(value)
        return np.stack([value, slope, slope if self.bends else zero, curvature if self.bends else zero], axis=1)

    @property
    def _count(self) -> int:
        return int(self.series.shape[1])

    @cached_property
    def _derivatives(self) -> list[Floats]:
        return [np.asarray(legendre.legder(self.series, order, axis=1)) for order in range(3)]


@lru_cache(64)
def _polynomials(nodes: bytes, x: bytes, count: int) -> tuple[NDArray[np.int64], Floats, Floats]:
    """Segment, d t/dx and Legendre polynomials (m, count) at the places x: all curves of a beam ask for the same."""
    ends, places = np.frombuffer(nodes), np.frombuffer(x)
    number = np.clip(np.searchsorted(ends, places, side="right") - 1, 0, len(ends) - 2)
    rate = 2.0 / np.diff(ends)[number]
    return number, rate, np.asarray(legendre.legvander(rate * (places - ends[number]) - 1.0, count - 1))


def segment_functions(nodes: Floats, n_bubbles: int, bends: bool) -> tuple[Floats, list[int]]:
    """(n, n_seg, degree + 1) series of all functions, and the node of each (-1: a bubble).

    A node has its value, in bending followed by its turn.
    """
    n_seg, order = len(nodes) - 1, 2 if bends else 1
    degree = 2 * order - 1 + n_bubbles
    functions: list[Floats] = []
    owners: list[int] = []
    for node in range(n_seg + 1):
        for part in range(order):
            series = np.zeros((n_seg, degree + 1))
            for segment, end in ((node - 1, 1), (node, 0)):
                if 0 <= segment < n_seg:
                    half = 0.5 * (nodes[segment + 1] - nodes[segment])
                    series[segment, : 2 * order] = _at_end(end, part, half, order)
            functions.append(series)
            owners.append(node)
    for segment in range(n_seg):
        for number in range(n_bubbles):
            series = np.zeros((n_seg, degree + 1))
            bubble = legendre.legint([0.0] * (number + order) + [1.0], order, lbnd=-1.0)
            series[segment, : len(bubble)] = bubble
            functions.append(series)
            owners.append(-1)
    return np.array(functions), owners


def _at_end(end: int, part: int, half: float, order: int) -> Floats:
    """Series of the function with unit value (part 0) or unit turn (part 1) at the start or end of a segment."""
    if order == 1:
        return np.array([0.5, 0.5 if end else -0.5])
    sign = 1.0 if end else -1.0
    powers = [0.5, 0.75 * sign, 0.0, -0.25 * sign] if part == 0 else [-0.25 * sign, -0.25, 0.25 * sign, 0.25]
    factor = 1.0 if part == 0 else half
    return np.array([factor * coefficient for coefficient in legendre.poly2leg(powers)], dtype=np.float64)
