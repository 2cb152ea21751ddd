"""Items of a drawing: flexible parts, rigid parts, ghosts, arrows.

An item keeps its triangles; `Item.at(frame)` gives the points, normals and values of a frame. Values run from 0 to 1
along the ramp of the colouring.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from flexmb.arrays import Floats, Integers
from flexmb.view.picture.arrows import ArrowShape
from flexmb.view.picture.surfaces import Surface
from flexmb.view.picture.values import Values
from flexmb.view.scene import Arrow, Color, Part, rotations


@dataclass(frozen=True)
class Shape:
    """An item at a frame."""

    points: Floats
    """(v, 3) world [m]"""
    normals: Floats
    """(v, 3)"""
    values: Floats | None = None
    """(v,) from 0 to 1 along the ramp; None: the colour of the item"""


@dataclass(frozen=True, kw_only=True)
class Item:
    """A surface that is drawn."""

    name: str
    surface: Surface
    color: Color
    opacity: float = 1.0
    has_values: bool = False

    def at(self, frame: int) -> Shape:
        """Points [m], normals and values of a frame."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class BendingItem(Item):
    """A part with shapes, or its ghost."""

    part: Part
    scale: float
    values: Values

    def at(self, frame: int) -> Shape:
        points = self.part.positions(frame, self.scale)[self.surface.source]
        values = self.values.of(self.part, frame) if self.has_values else None
        return Shape(points, self.surface.normals(points), None if values is None else values[self.surface.source])


@dataclass(frozen=True, kw_only=True)
class RigidItem(Item):
    """A rigid part: its points and normals are only rotated and moved."""

    part: Part

    def at(self, frame: int) -> Shape:
        R = self._rotations[frame].T
        return Shape(self._points @ R + self.part.position[frame], self._normals @ R)

    @cached_property
    def _points(self) -> Floats:
        return self.part.points[self.surface.source]

    @cached_property
    def _normals(self) -> Floats:
        return self.surface.normals(self._points)

    @cached_property
    def _rotations(self) -> Floats:
        """(f, 3, 3)"""
        return rotations(self.part.quaternion)


@dataclass(frozen=True, kw_only=True)
class ArrowItem(Item):
    """A force or moment: its length is in proportion to its size."""

    arrow: Arrow
    shape: ArrowShape
    scale: float
    largest: float
    """Size of the longest arrow with the same unit"""

    def foot(self, frame: int | Integers) -> Floats:
        """(3,) where it begins at a frame, (f, 3) at several, world [m]"""
        return self.arrow.position[frame] + (self.scale - 1.0) * self.arrow.deflection[frame]

    def tip(self, frame: int | Integers) -> Floats:
        """(3,) where it ends at a frame, (f, 3) at several, world [m]"""
        return self.foot(frame) + self.shape.longest / self.largest * self.arrow.vector[frame]

    def at(self, frame: int) -> Shape:
        points = self.shape.points(self.foot(frame), self.tip(frame))[self.surface.source]
        return Shape(points, self.surface.normals(points))
