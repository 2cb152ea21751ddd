"""Centre and size of a scene, and its initial deflection scale."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from flexmb.view.extent import Extent
from flexmb.view.scene import Scene

SEEN = 0.04
"""Deflection that is easily seen, as a part of the size of the scene."""
LARGEST_SCALE = 1000.0


def framed(scene: Scene) -> Scene:
    """The scene with its centre, radius and deflection scale."""
    lowest, highest = np.full(3, np.inf), np.full(3, -np.inf)
    for path in Extent(scene, scene.parts, scale=1.0).paths():
        lowest, highest = np.minimum(lowest, path.min(axis=(0, 1))), np.maximum(highest, path.max(axis=(0, 1)))
    if not np.isfinite(lowest).all():
        return scene
    middle, radius = 0.5 * (lowest + highest), 0.5 * float(np.linalg.norm(highest - lowest)) or 1.0
    scale = round_scale(SEEN * 2.0 * radius, scene.largest_deflection)
    center = (float(middle[0]), float(middle[1]), float(middle[2]))
    return replace(scene, center=center, radius=radius, scale=scale)


def round_scale(wanted: float, largest: float) -> float:
    """The scale 1, 2, 5, 10, ... 1000 that brings the largest deflection near to, but not above, `wanted`."""
    if not largest > 0.0:
        return 1.0
    scale = np.clip(wanted / largest, 1.0, LARGEST_SCALE)
    decade = 10.0 ** np.floor(np.log10(scale) + 1e-9)
    return float(max(step * decade for step in (1.0, 2.0, 5.0) if step * decade <= scale * (1.0 + 1e-9)))
