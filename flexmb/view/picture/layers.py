"""Layers: items of the same look drawn together, so that hundreds of parts cost little more than a few."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from flexmb.view.picture.items import Item, Shape

Colors = NDArray[np.uint8]
"""(n, 3)"""


class Layer:
    """One mesh of several items, with the position of each point in a table of colours."""

    def __init__(self, items: Sequence[Item], ramp: Colors):
        self.items = tuple(items)
        first = self.items[0]
        self.opacity, self.is_closed, self.has_values = first.opacity, first.surface.is_closed, first.has_values
        counts = [len(item.surface.source) for item in items]
        starts = np.cumsum([0, *counts[:-1]])
        self.triangles = np.concatenate([n + item.surface.triangles for n, item in zip(starts, items, strict=True)])
        self.edges = np.concatenate([n + item.surface.edges for n, item in zip(starts, items, strict=True)])
        colors = list(dict.fromkeys(item.color for item in items))
        self.table: Colors = ramp if self.has_values else np.round(255.0 * np.array(colors)).astype(np.uint8)
        """(n, 3) colours: the ramp of values, or one entry per colour"""
        own = np.array([colors.index(item.color) for item in items]) / max(len(colors) - 1, 1)
        self._own_places = np.repeat(own, counts)

    def at(self, frame: int) -> Shape:
        """All items at a frame; values run from 0 to 1 along the table."""
        shapes = [item.at(frame) for item in self.items]
        points = np.concatenate([shape.points for shape in shapes])
        normals = np.concatenate([shape.normals for shape in shapes])
        if not self.has_values:
            return Shape(points, normals, self._own_places)
        return Shape(points, normals, np.concatenate([s.values for s in shapes if s.values is not None]))

    @property
    def point_colors(self) -> Colors:
        """(v, 3) of a layer without values"""
        return self.table[np.round(self._own_places * (len(self.table) - 1)).astype(int)]


def layers_of(items: Iterable[Item], ramp: Colors) -> tuple[Layer, ...]:
    """Items grouped by opacity and type, in order of first occurrence."""
    groups: dict[tuple[float, bool, bool], list[Item]] = {}
    for item in items:
        if len(item.surface.triangles):
            groups.setdefault((item.opacity, item.surface.is_closed, item.has_values), []).append(item)
    return tuple(Layer(group, ramp) for group in groups.values())
