"""Where a scene is looked at from: the same places for pages, pictures and windows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.view.scene import Look, Scene, Vector

VIEWS: dict[str, tuple[float, float]] = {
    "iso": (-55.0, 22.0),
    "front": (-90.0, 0.0),
    "back": (90.0, 0.0),
    "left": (180.0, 0.0),
    "right": (0.0, 0.0),
    "top": (-90.0, 89.9),
    "bottom": (-90.0, -89.9),
}
"""Azimuth and elevation [deg] of the eye: azimuth 0 looks from +x, -90 from -y (with z upwards)."""
FIELD_OF_VIEW = 32.0
"""Vertical angle of the picture [deg]"""
DISTANCE = 3.4
"""Of the eye from the middle, in radii of the scene"""


@dataclass(frozen=True)
class Camera:
    """A perspective view, world axes."""

    eye: Vector
    target: Vector
    right: Vector
    up: Vector
    back: Vector
    """(3,) unit vectors: to the right, upwards in the picture, and from the target to the eye"""
    distance: float
    """[m]"""


def world_axes(up: tuple[float, float, float]) -> Vector:
    """(3, 3) rows: the axes that azimuth and elevation are measured in; the third one is `up`."""
    z = np.asarray(up, dtype=float) / np.linalg.norm(up)
    x = np.eye(3)[0] if abs(z[0]) < 0.9 else np.eye(3)[1]
    x = x - (x @ z) * z
    x /= np.linalg.norm(x)
    return np.array([x, np.cross(z, x), z])


def camera_for(scene: Scene, look: Look) -> Camera:
    """The view that a look asks for; all of the scene is in it."""
    azimuth, elevation = np.radians(VIEWS[look.view])
    axes = world_axes(scene.up)
    back = np.array([np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)])
    right = np.array([-np.sin(azimuth), np.cos(azimuth), 0.0])
    back, right = back @ axes, right @ axes
    target = np.asarray(scene.center, dtype=float)
    wide = look.size[0] / look.size[1]
    distance = DISTANCE * scene.radius * max(1.0, 1.0 / wide)
    return Camera(target + distance * back, target, right, np.cross(back, right), back, distance)
