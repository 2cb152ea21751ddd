"""A marker: a frame fixed on a body, where joints, forces and sensors attach."""

from __future__ import annotations

from dataclasses import dataclass

from flexmb.arrays import Floats
from flexmb.bodies.exact_beam import ExactShapes
from flexmb.bodies.marker_shapes import MarkerShapes


@dataclass(frozen=True)
class Marker:
    """A frame on a body, in body axes."""

    name: str
    """"body.marker", as references write it."""
    body: int
    """Number of the body in the mechanism; 0 is ground."""
    p_b: Floats
    """(3,) position [m]"""
    R_b: Floats
    """(3, 3) orientation: takes marker axes to body axes"""
    shapes: MarkerShapes | ExactShapes | None = None
    """Its motion with the elastic coordinates of its body; None on a rigid body"""
