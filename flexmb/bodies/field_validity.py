"""Estimated error of a deformation field at a deflection, by the slopes of the body in its frame and the order kept.

Beam, v' and w' the slopes of its centre line in the body frame, s^2 = v'^2 + w'^2, kappa^2 = v''^2 + w''^2, and
c = v' v'' + w' w'':
    strain energy  1/2 EI (kappa^2 + c^2/(1 - s^2))   quadratic and linear fields keep the first term. The second grows
                   with the fourth power of the deflection: its part of the force is twice its part of the energy.
    foreshortening 1/2 s^2 + 1/8 s^4 + ...            a quadratic field keeps the first term, a linear one none.
The larger part is the estimate. The exact field keeps all; it ends at s = 1, where the line is at a right angle to x.
Other bodies: half the square of the largest turn theta of a marker, the part that a second-order displacement leaves
out of sin(theta) and cos(theta) to within a third.
Numbers are SI; elastic coordinates are in m (torsion: rad).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats
from flexmb.bodies.deflection import Place
from flexmb.bodies.exact_beam import ExactBeam
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.bodies.marker_shapes import MarkerShapes
from flexmb.elements.beam_shapes import sampled

POINTS = 41
"""Points on the centre line, evenly from end to end."""
_ROWS = 2**13
"""Instants evaluated together."""


@dataclass(frozen=True)
class FieldError:
    """The largest error of a field over some instants."""

    size: float = 0.0
    """Estimated relative error of deflections and forces; 0 for an exact field"""
    slope: float = 0.0
    """Largest slope of a centre line in its frame, or largest turn of a marker [rad]"""
    row: int = 0
    """Number of the instant of the largest error (exact field: of the largest slope)"""
    place: str = ""
    """Place of the largest slope then, as text"""


def largest_field_error(body: FlexibleBody, q: Floats, markers: Mapping[str, Place] | None = None) -> FieldError:
    """The largest error over the elastic coordinates q : (rows, n); `markers` are those of a body without axis."""
    best = FieldError()
    for first in range(0, len(q), _ROWS):
        part = q[first : first + _ROWS]
        sizes, slopes, names = _beam_errors(body, part) if body.basis is not None else _turns(part, markers or {})
        if not slopes.size:
            continue
        row = int(np.argmax(sizes if np.any(sizes) else slopes.max(axis=1)))
        if (sizes[row], slopes[row].max()) > (best.size, best.slope):
            place = int(np.argmax(slopes[row]))
            best = FieldError(float(sizes[row]), float(slopes[row, place]), first + row, names[place])
    return best


def _beam_errors(body: FlexibleBody, q: Floats) -> tuple[Floats, Floats, list[str]]:
    """(rows,) errors, (rows, points) slopes, and names of the points."""
    basis = body.basis
    assert basis is not None
    x = np.linspace(0.0, body.length, POINTS)
    at = sampled(basis.shapes, x)
    of = {plane: [k for k, shape in enumerate(basis.shapes) if shape.component == plane] for plane in "yz"}
    v1, w1 = (q[:, of[plane]] @ at[of[plane], :, 1] for plane in "yz")
    v2, w2 = (q[:, of[plane]] @ at[of[plane], :, 3] for plane in "yz")
    slopes = np.hypot(v1, w1)
    names = [f"x = {place:.4g} m" for place in x]
    if isinstance(body.field, ExactBeam):
        return np.zeros(len(q)), slopes, names
    section = basis.section_at(np.minimum(x, np.nextafter(body.length, 0.0)))
    weight = np.full(POINTS, body.length / (POINTS - 1))
    weight[[0, -1]] *= 0.5
    left = 1.0 - np.minimum(slopes, 0.99) ** 2
    kept = (section.EIz * v2**2 + section.EIy * w2**2) @ weight
    stiffness = np.maximum(section.EIz, section.EIy)
    lost = (stiffness * (v1 * v2 + w1 * w2) ** 2 / left) @ weight
    energy = 2.0 * np.divide(lost, kept, out=np.zeros_like(lost), where=kept > 0.0)
    shortened = (slopes**2 / 2.0 if body.order == 0 else slopes**4 / 8.0) @ weight / body.length
    return np.maximum(energy, shortened), slopes, names


def _turns(q: Floats, markers: Mapping[str, Place]) -> tuple[Floats, Floats, list[str]]:
    """The same of a body by the turns of its markers."""
    shapes = {name: shape for name, shape in markers.items() if isinstance(shape, MarkerShapes)}
    if not shapes:
        return np.zeros(len(q)), np.zeros((len(q), 0)), []
    turns = np.stack([np.linalg.norm(q @ shape.Theta, axis=1) for shape in shapes.values()], axis=1)
    return 0.5 * turns.max(axis=1) ** 2, turns, [f"marker {name}" for name in shapes]
