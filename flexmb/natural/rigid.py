"""The constraints that keep a body rigid: lengths and angles of its chosen directions, and the rest linear.

Enters: a body. Leaves: rows d_i . d_j = constant for its independent directions (distances of points, unit lengths of
vectors, angles as dot products), and for every further basic point or vector the rows x_k = C x of its fixed place,
which are linear [GJB eq. 4.50]. Numbers of rows: 6, 3, 1, 0 for three, two, one, no direction, planar 1; `dimension`
for every further point or vector: what is left are the 6 (bar 5, point 3, planar 3) freedoms of the body.
"""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Floats
from flexmb.natural.body import NaturalBody
from flexmb.natural.constraints import ConstraintBuilder
from flexmb.natural.layout import Combination, Layout, direction_of, point_of


def basic_of(body: NaturalBody, slot: int, layout: Layout) -> Combination:
    """The basic point or vector in a slot of the body (points first)."""
    n_points = len(body.points)
    if slot < n_points:
        return layout.point(body.points[slot].number)
    return layout.vector(body.vectors[slot - n_points].number)


def frame_directions(body: NaturalBody, layout: Layout) -> list[Combination]:
    """The independent directions of the body: differences to its origin, vectors."""
    origin = basic_of(body, body.frame.origin, layout)
    basics = [basic_of(body, slot, layout) for slot in body.frame.directions]
    is_point = [slot < len(body.points) for slot in body.frame.directions]
    return [basic - origin if point else basic for basic, point in zip(basics, is_point, strict=True)]


def rigid_constraints(body: NaturalBody, layout: Layout, builder: ConstraintBuilder) -> list[int]:
    """Add the rows that keep the body rigid to the builder; returns their numbers."""
    frame = body.frame
    arms = frame.differences @ body.places
    directions = frame_directions(body, layout)
    rows = [
        builder.dot(directions[i], directions[j], float(arms[i] @ arms[j]), name=f"{body.name}: rigid")
        for i in range(len(directions))
        for j in range(i, len(directions))
    ]
    for slot in range(body.n_basic):
        if slot == frame.origin or slot in frame.directions:
            continue
        of = point_of if slot < len(body.points) else direction_of
        place = in_span(body, slot)
        rows += builder.equal(basic_of(body, slot, layout), of(body, place, layout), name=f"{body.name}: rigid")
    return rows


def in_span(body: NaturalBody, slot: int) -> Floats:
    """The place of a further basic in the space of the chosen directions: exactly there, without round-off across."""
    frame = body.frame
    place = body.places[slot]
    if frame.kind in ("full", "planar"):
        return place
    start = body.places[frame.origin] if slot < len(body.points) else np.zeros(body.dimension)
    if not frame.directions:
        return start
    arms = frame.differences @ body.places
    return start + arms.T @ np.linalg.lstsq(arms.T, place - start, rcond=None)[0]
