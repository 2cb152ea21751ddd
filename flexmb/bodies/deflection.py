"""Largest deflection of a flexible body, from its elastic coordinates at many instants.

Beam: distance of the points of its centre line from their undeformed places on the straight line between its ends (the
chord). Other body: displacement of its markers, and of some nodes of its surface if they are known, relative to the
body frame. Also the steepest slope of an exact beam: at 1 it has folded, s = sqrt(1 - v'^2 - w'^2) ends there
(theory 2.2).
Numbers are SI; elastic coordinates are in m (torsion: rad).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats
from flexmb.bodies.exact_beam import ExactBeam, ExactShapes
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.bodies.marker_shapes import MarkerShapes
from flexmb.bodies.reduced_body import Surface

Place = MarkerShapes | ExactShapes

POINTS = 21
"""Points on the centre line, evenly from end to end."""
_ROWS = 2**13
"""Instants evaluated together."""


@dataclass(frozen=True)
class Deflection:
    """The largest deflection of a body."""

    size: float = 0.0
    """[m]; NaN when a beam has folded"""
    row: int = 0
    """Number of the instant"""
    place: str = ""
    """Place on the body, as text"""


def largest_deflection(body: FlexibleBody, q: Floats, markers: Mapping[str, Place] | None = None) -> Deflection:
    """The largest deflection over the elastic coordinates q : (rows, n); `markers` are those of a body without axis."""
    best = Deflection()
    for first in range(0, len(q), _ROWS):
        part = q[first : first + _ROWS]
        if body.basis is not None:
            names, sizes = _from_chord(body, part)
        else:
            names, sizes = _at_markers(part, markers or {})
            if body.reduced is not None and body.reduced.surface is not None:
                at_nodes = _at_nodes(part, body.reduced.surface)
                names, sizes = names + at_nodes[0], np.concatenate([sizes, at_nodes[1]], axis=1)
        if not sizes.size:
            continue
        row, place = np.unravel_index(int(np.argmax(sizes)), sizes.shape)  # NaN counts as largest
        if not sizes[row, place] <= best.size:
            best = Deflection(float(sizes[row, place]), first + int(row), names[place])
    return best


def steepest_slope(body: FlexibleBody, q: Floats) -> float:
    """Largest slope of the centre line of a beam in its frame, |(v', w')|, at one instant q : (n,)."""
    if body.basis is None:
        return 0.0
    x = np.linspace(0.0, body.length, 2 * POINTS - 1)
    slopes = {component: np.zeros(len(x)) for component in "yzut"}
    for shape, value in zip(body.basis.shapes, q, strict=True):
        slopes[shape.component] += value * shape.values(x)[:, 1]
    return float(np.hypot(slopes["y"], slopes["z"]).max())


def centre_line(body: FlexibleBody, q: Floats, x: Floats) -> Floats:
    """(rows, m, 3) position of the points x : (m,) [m] of a beam's axis in the body frame, for q : (rows, n)."""
    if isinstance(body.field, ExactBeam):
        moved = _exact_displacements(body.field, x, q)
    else:
        moved = _displacements([body.shapes_at(np.array([place, 0.0, 0.0])) for place in x], q)
    return np.stack([x, 0.0 * x, 0.0 * x], axis=-1) + moved


def _from_chord(body: FlexibleBody, q: Floats) -> tuple[list[str], Floats]:
    part = np.linspace(0.0, 1.0, POINTS)
    x = part * body.length
    line = centre_line(body, q, x)
    chord = line[:, :1] * (1.0 - part)[:, None] + line[:, -1:] * part[:, None]
    return [f"x = {place:.4g} m" for place in x], np.linalg.norm(line - chord, axis=2)


def _at_markers(q: Floats, markers: Mapping[str, Place]) -> tuple[list[str], Floats]:
    shapes = {name: shape for name, shape in markers.items() if isinstance(shape, MarkerShapes)}
    if not shapes:
        return [], np.zeros((len(q), 0))
    return [f"marker {name}" for name in shapes], np.linalg.norm(_displacements(list(shapes.values()), q), axis=2)


def _at_nodes(q: Floats, surface: Surface) -> tuple[list[str], Floats]:
    """Nodes of a surface, by first derivatives: second ones change the size of a displacement by little."""
    moved = np.einsum("rk,ski->rsi", q, surface.Phi, optimize=True)
    names = [f"({', '.join(f'{round(x, 9) + 0.0:.4g}' for x in point)}) m" for point in surface.points.tolist()]
    return names, np.linalg.norm(moved, axis=2)


def _exact_displacements(field: ExactBeam, x: Floats, q: Floats) -> Floats:
    """(rows, m, 3) of the points x : (m,) [m] on the axis of an exact beam [m]; NaN when it has folded"""
    ends = np.cumsum(field.counts)
    y, z, u = slice(0, ends[0]), slice(ends[0], ends[1]), slice(ends[1], ends[2])
    b, c = q[:, y] @ field.values[:, y, 1].T, q[:, z] @ field.values[:, z, 1].T
    weights, shapes = field.line(x)
    values = shapes[:, :, 0]
    with np.errstate(invalid="ignore"):
        along = q[:, u] @ values[:, u].T + (np.sqrt(1.0 - b**2 - c**2) - 1.0) @ weights.T
    return np.stack([along, q[:, y] @ values[:, y].T, q[:, z] @ values[:, z].T], axis=-1)


def _displacements(places: Sequence[Place], q: Floats) -> Floats:
    """(rows, m, 3) of points that are linear or quadratic in q [m]"""
    moved = []
    for shape in places:
        assert isinstance(shape, MarkerShapes)
        bent = 0.5 * np.einsum("rk,kli,rl->ri", q, shape.G, q, optimize=True) if shape.order > 1 else 0.0
        moved.append(q @ shape.Phi + bent)
    return np.stack(moved, axis=1)
