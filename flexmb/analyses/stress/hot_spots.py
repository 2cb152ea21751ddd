"""Hot spots: local maxima on a surface that are a stated distance apart.

A point is a local maximum if no neighbour along an edge has more (of equal ones the first). Taken from the largest
down, each hides those that are nearer to it than the distance. So both faces of a thin shell are one place.
"""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Floats, Integers

LEAST = 0.1
"""Values below this part of the largest are no hot spots."""


def hot_spots(
    points: Floats, triangles: Integers, values: Floats, count: int, apart: float, hidden: Floats | None = None
) -> list[int]:
    """At most `count` numbers of points, the largest of `values` first.

    apart : least distance between them [m]; hidden : (h, 3) points that hide those nearer than `apart` to them
    """
    is_largest = np.ones(len(points), dtype=bool)
    for a, b in ((0, 1), (1, 2), (2, 0)):
        first, second = np.sort(triangles[:, [a, b]], axis=1).T
        less = values[first] < values[second]
        is_largest[np.where(less, first, second)] = False
    is_largest &= values > LEAST * values.max(initial=0.0)
    left = np.flatnonzero(is_largest)
    left = left[np.argsort(-values[left], kind="stable")]
    for place in hidden if hidden is not None else ():
        left = _beyond(points, left, place, apart)
    found: list[int] = []
    while len(left) and len(found) < count:
        found.append(int(left[0]))
        left = _beyond(points, left[1:], points[left[0]], apart)
    return found


def _beyond(points: Floats, chosen: Integers, place: Floats, distance: float) -> Integers:
    return chosen[np.linalg.norm(points[chosen] - place, axis=1) >= distance]
