"""The bodies of a scene as one grid of triangles with fields, frame by frame: the source of field files.

Points are in world axes; the deflection can be exaggerated as in pictures. The fields are `displacement`, the
deflection u from the chord between the joints in world axes [m], never exaggerated, and `von_mises` [Pa] if the scene
has stress data; not a number where a body has none.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from flexmb.arrays import Integers
from flexmb.errors import InputError
from flexmb.view.scene import Part, Scene, Single, rotations

Number = NDArray[np.int32]


class SurfaceGrid:
    """All bodies of a scene in one grid; s points, t triangles. Symbols of joints are left out."""

    def __init__(self, scene: Scene, scale: float = 1.0):
        parts = [part for part in scene.parts if part.kind != "symbol" and len(part.triangles)]
        if not parts:
            raise InputError("There is nothing to write: the result has no body with a surface.")
        if not (np.isfinite(scale) and scale >= 0.0):
            raise InputError(f"The deflection scale is {scale}; it must be 0 or more.")
        self.scene, self.scale, self.parts = scene, scale, parts
        self.names = [part.name for part in parts]
        starts = np.cumsum([0, *(len(part.points) for part in parts)])
        self.n_points = int(starts[-1])
        moved = [part.triangles + start for part, start in zip(parts, starts[:-1], strict=True)]
        self.triangles: Integers = np.concatenate(moved)
        """(t, 3)"""
        self.body_of_point: Number = _repeated([len(part.points) for part in parts])
        self.body_of_triangle: Number = _repeated([len(part.triangles) for part in parts])
        """Indices into `names`"""

    @property
    def field_widths(self) -> dict[str, int]:
        """Components of every field."""
        return {"displacement": 3} | ({"von_mises": 1} if self.scene.has_stress else {})

    def points(self, frame: int) -> Single:
        """(s, 3) [m]"""
        return np.concatenate([part.positions(frame, self.scale) for part in self.parts]).astype(np.float32)

    def fields(self, frame: int) -> Iterator[tuple[str, Single]]:
        """Name and values (s, 3) or (s,) of every field."""
        yield "displacement", np.concatenate([_displacement(part, frame) for part in self.parts])
        if self.scene.has_stress:
            yield "von_mises", np.concatenate([_stress(part, frame) for part in self.parts])


def _repeated(counts: list[int]) -> Number:
    return np.repeat(np.arange(len(counts), dtype=np.int32), counts)


def _displacement(part: Part, frame: int) -> Single:
    if not part.n_shapes:
        return np.zeros((len(part.points), 3), np.float32)
    return (part.deflection(frame) @ rotations(part.quaternion[frame]).T).astype(np.float32)


def _stress(part: Part, frame: int) -> Single:
    known = part.von_mises(frame)
    return np.full(len(part.points), np.nan, np.float32) if known is None else known
