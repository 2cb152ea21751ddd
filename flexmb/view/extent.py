"""Space that the parts of a scene cover in a run, from a few of their points at many frames.

For a rigid part only the outermost points matter; for a flexible part also some points all over it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.view.scene import Part, Scene, rotations

_FEWEST_FRAMES = 24
_PLACES = 300_000
"""Approximate number of points times frames"""
_DIRECTIONS = 60
_SPREAD = 100
"""Sample points of a flexible part, beside the outermost ones"""


class Extent:
    """Paths of sample points of the parts."""

    def __init__(self, scene: Scene, parts: Iterable[Part], scale: float):
        self.scale = scale
        self._points = [(part, _sample_points(part)) for part in parts if len(part.points)]
        n_points = sum(len(points) for _, points in self._points)
        n_frames = len(scene.time)
        most = max(_FEWEST_FRAMES, _PLACES // max(n_points, 1))
        self.frames: Integers = np.unique(np.linspace(0, n_frames - 1, min(most, n_frames)).round().astype(np.int64))

    def paths(self) -> Iterator[Floats]:
        """(frames, n, 3) of every part, world [m]"""
        for part, points in self._points:
            local = part.points[points]
            if part.n_shapes:
                weights = part.amplitudes[self.frames].astype(np.float32)
                weights[:, part.carried :] *= np.float32(self.scale)
                shapes = part.shapes[:, points].reshape(part.n_shapes, -1)
                local = local + (weights @ shapes).reshape(len(self.frames), -1, 3)
            R = rotations(part.quaternion[self.frames])
            yield local @ R.transpose(0, 2, 1) + part.position[self.frames, None]


def _sample_points(part: Part) -> Integers:
    points = (part.points @ _directions().T).argmax(axis=0)
    if part.n_shapes:
        points = np.concatenate([points, np.linspace(0, len(part.points) - 1, _SPREAD).astype(np.int64)])
    return np.unique(points)


def _directions() -> Floats:
    """(n, 3) evenly over a sphere, along a spiral"""
    z = 1.0 - (2.0 * np.arange(_DIRECTIONS) + 1.0) / _DIRECTIONS
    angle = np.pi * (3.0 - np.sqrt(5.0)) * np.arange(_DIRECTIONS)
    across = np.sqrt(1.0 - z * z)
    return np.stack([across * np.cos(angle), across * np.sin(angle), z], axis=1)
