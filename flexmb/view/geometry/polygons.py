"""Triangles that fill a polygon with holes, without new points, so that the cap of a prism fits its sides.

Each hole is first joined to the outer edge by the shortest connection of two corners that see each other, used in both
directions; the resulting loop loses one corner ("ear") after the other (Meisters, Amer. Math. Monthly 82, 1975).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexmb.arrays import Floats, Integers

_ROUND_OFF = 1e-12


def triangulated(loops: Sequence[Floats]) -> Integers:
    """(t, 3) counter-clockwise triangles; numbers count through the corners (k, 2) of all loops in their order.

    loops: the outer edge counter-clockwise, then holes clockwise.
    """
    corners = np.concatenate(loops)
    starts = np.cumsum([0, *(len(loop) for loop in loops)])
    numbers = [list(range(first, last)) for first, last in zip(starts[:-1], starts[1:], strict=True)]
    if len(loops) == 1 and _is_convex(corners):
        return _zigzag(len(corners))
    outer, holes = numbers[0], numbers[1:]
    while holes:
        outer, holes = _with_nearest_hole(corners, outer, holes)
    return _without_ears(corners, outer)


def _is_convex(corners: Floats) -> bool:
    edges = np.roll(corners, -1, axis=0) - corners
    return bool(np.all(_cross(edges, np.roll(edges, -1, axis=0)) > 0.0))


def _zigzag(count: int) -> Integers:
    """Triangles of a convex polygon in a strip, which are less thin than a fan from one corner."""
    low, high = 0, count - 1
    triangles = []
    while high - low > 1:
        triangles.append([low, low + 1, high])
        low += 1
        if high - low > 1:
            triangles.append([low, high - 1, high])
            high -= 1
    return np.array(triangles, dtype=np.int64)


def _with_nearest_hole(corners: Floats, outer: list[int], holes: list[list[int]]) -> tuple[list[int], list[list[int]]]:
    """The outer loop with one more hole tied to it, and the holes that remain."""
    edges = np.array([(a, b) for loop in (outer, *holes) for a, b in zip(loop, loop[1:] + loop[:1], strict=True)])
    pairs = [(i, k, j) for i in range(len(outer)) for k, hole in enumerate(holes) for j in range(len(hole))]
    lengths = [float(np.sum((corners[outer[i]] - corners[holes[k][j]]) ** 2)) for i, k, j in pairs]
    for choice in np.argsort(lengths, kind="stable"):
        i, k, j = pairs[choice]
        hole = holes[k]
        if _looks_inside(corners, outer, i, hole[j]) and not _is_crossed(corners, outer[i], hole[j], edges):
            tied = outer[: i + 1] + hole[j:] + hole[: j + 1] + outer[i:]
            return tied, holes[:k] + holes[k + 1 :]
    raise ValueError("a hole of the polygon does not lie inside its outer edge")


def _looks_inside(corners: Floats, loop: list[int], position: int, target: int) -> bool:
    """Whether a point is seen within the angle of this corner; a corner with ties occurs several times in the loop."""
    here = corners[loop[position]]
    backward = corners[loop[position - 1]] - here
    forward = corners[loop[(position + 1) % len(loop)]] - here
    sight = corners[target] - here
    left_of_forward, right_of_backward = _cross(forward, sight) > 0.0, _cross(sight, backward) > 0.0
    if _cross(forward, backward) > 0.0:
        return bool(left_of_forward and right_of_backward)
    return bool(left_of_forward or right_of_backward)


def _is_crossed(corners: Floats, first: int, second: int, edges: Integers) -> bool:
    """Whether one of the edges crosses the straight line between two corners; edges that end there do not count."""
    a, b = corners[first], corners[second]
    apart = ~np.isin(edges, (first, second)).any(axis=1)
    c, d = corners[edges[apart, 0]], corners[edges[apart, 1]]
    size = _ROUND_OFF * float(np.ptp(corners, axis=0).max()) ** 2
    sides_of_edge = _cross(b - a, c - a) * _cross(b - a, d - a)
    sides_of_line = _cross(d - c, a - c) * _cross(d - c, b - c)
    return bool(np.any((sides_of_edge < size**2) & (sides_of_line < size**2)))


def _without_ears(corners: Floats, loop: list[int]) -> Integers:
    """Triangles of a loop that may touch itself along ties."""
    loop = list(loop)
    triangles = []
    position = 0
    misses = 0
    while len(loop) > 3:
        before, here, after = (loop[(position + k) % len(loop)] for k in (-1, 0, 1))
        # After a whole round without an ear only round-off prevents it: cut the corner anyway.
        if misses > len(loop) or _is_ear(corners, before, here, after, loop):
            triangles.append([before, here, after])
            del loop[position % len(loop)]
            position += 1  # every second corner first: fatter triangles
            misses = 0
        else:
            position += 1
            misses += 1
        position %= len(loop)
    return np.array([*triangles, loop], dtype=np.int64)


def _is_ear(corners: Floats, before: int, here: int, after: int, loop: list[int]) -> bool:
    a, b, c = corners[before], corners[here], corners[after]
    twice = float(_cross(b - a, c - b))
    if twice <= _ROUND_OFF * float(np.ptp(corners, axis=0).max()) ** 2:
        return False
    others = corners[[number for number in loop if number not in (before, here, after)]]
    left = [_cross(end - start, others - start) >= 0.0 for start, end in ((a, b), (b, c), (c, a))]
    return not bool(np.any(left[0] & left[1] & left[2]))


def _cross(a: Floats, b: Floats) -> Floats:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])
