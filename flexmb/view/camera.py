"""Camera of a scene, the same for pages, pictures and windows.

`camera_for` uses only the bounding sphere of a scene; `fitted_camera` fills the picture with the parts that move.
A camera that follows a body keeps its place in the axes of that body: `following` gives it at a frame.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.view.extent import Extent
from flexmb.view.scene import Look, Part, Scene, rotations

VIEWS: dict[str, tuple[float, float]] = {
    "iso": (-55.0, 22.0),
    "front": (-90.0, 0.0),
    "back": (90.0, 0.0),
    "left": (180.0, 0.0),
    "right": (0.0, 0.0),
    "top": (-90.0, 89.9),
    "bottom": (-90.0, -89.9),
    "behind": (125.0, -22.0),
}
"""Azimuth and elevation [deg] of the eye: azimuth 0 looks from +x, -90 from -y (with z upwards).
Their order is that of the keys of a page; "behind" is the other side of "iso"."""
FIELD_OF_VIEW = 32.0
"""Vertical angle of the picture [deg]"""
DISTANCE = 3.4
"""Distance of the eye from the centre, in radii of the scene"""
MARGINS = (0.07, 0.16, 0.13, 0.15)
"""Margins of a fitted picture for text, as parts of width and height: left, right, top, bottom"""


@dataclass(frozen=True)
class Camera:
    """A perspective view, world axes."""

    eye: Floats
    target: Floats
    right: Floats
    up: Floats
    back: Floats
    """(3,) unit vectors: to the right, upwards in the picture, and from the target to the eye"""
    distance: float
    """[m]"""


def world_axes(up: tuple[float, float, float]) -> Floats:
    """(3, 3) rows: the axes that azimuth and elevation are measured in; the third one is `up`."""
    z = np.asarray(up, dtype=float) / np.linalg.norm(up)
    x = np.eye(3)[0] if abs(z[0]) < 0.9 else np.eye(3)[1]
    x = x - (x @ z) * z
    x /= np.linalg.norm(x)
    return np.array([x, np.cross(z, x), z])


def camera_for(scene: Scene, look: Look) -> Camera:
    """The camera of a look, with the whole scene in view."""
    azimuth, elevation = np.radians(VIEWS[look.view])
    axes = world_axes(scene.up)
    back = np.array([np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)])
    right = np.array([-np.sin(azimuth), np.cos(azimuth), 0.0])
    back, right = back @ axes, right @ axes
    target = np.asarray(scene.center, dtype=float)
    wide = look.size[0] / look.size[1]
    distance = DISTANCE * scene.radius * max(1.0, 1.0 / wide)
    return Camera(target + distance * back, target, right, np.cross(back, right), back, distance)


def fitted_camera(scene: Scene, look: Look, more: Callable[[Integers], Floats] | None = None) -> Camera:
    """The camera of a look, as near as all frames allow; with `follow`, at the first frame.

    `more` gives further points (f, n, 3) of frames that must be in view, world [m].
    """
    camera = camera_for(scene, look)
    cloud = _cloud(scene, look, more)
    if not len(cloud):
        return camera
    x, y, z = np.array([camera.right, camera.up, camera.back]) @ (cloud - camera.target).T
    tall = np.tan(np.radians(FIELD_OF_VIEW) / 2.0)
    wide = tall * look.size[0] / look.size[1]
    left, right, top, bottom = (1.0 - 2.0 * margin for margin in MARGINS)
    needed_x, middle_x = _fit(x, z, wide * left, wide * right)
    needed_y, middle_y = _fit(y, z, tall * bottom, tall * top)
    # Closer than this the eye would be among the parts.
    distance = max(needed_x, needed_y, float(z.max()) + 0.2 * scene.radius, 1e-9)
    target = camera.target + middle_x(distance) * camera.right + middle_y(distance) * camera.up
    return Camera(target + distance * camera.back, target, camera.right, camera.up, camera.back, distance)


def following(camera: Camera, part: Part, frame: int, first: Part | None = None) -> Camera:
    """A camera of the first frame, moved along with a body; `first`: the part that has this frame."""
    first = first or part
    R, p = rotations(part.quaternion[frame]), part.position[frame]
    R_0, p_0 = rotations(first.quaternion[0]), first.position[0]
    turn = R @ R_0.T
    eye, target = (p + turn @ (place - p_0) for place in (camera.eye, camera.target))
    return Camera(eye, target, turn @ camera.right, turn @ camera.up, turn @ camera.back, camera.distance)


def projected(camera: Camera, points: Floats, size: tuple[int, int]) -> Floats:
    """(s, 3) pixels from the left and from the top, and the distance along the view [m] (negative behind the eye)"""
    x, y, depth = np.array([camera.right, camera.up, -camera.back]) @ (points - camera.eye).T
    focal = 0.5 * size[1] / np.tan(np.radians(FIELD_OF_VIEW) / 2.0)
    safe = np.where(depth > 0.0, depth, np.inf)
    return np.stack([0.5 * size[0] + focal * x / safe, 0.5 * size[1] - focal * y / safe, depth], axis=1)


def _fit(x: Floats, z: Floats, below: float, above: float) -> tuple[float, Callable[[float], float]]:
    """The least distance from which all x are in view, and the centre of the picture for a larger one.

    A point is in view if -below (d - z) <= x - middle <= above (d - z).
    """
    highest, lowest = float((x + above * z).max()), float((x - below * z).min())
    return (highest - lowest) / (above + below), lambda d: 0.5 * (highest - above * d + lowest + below * d)


def _cloud(scene: Scene, look: Look, more: Callable[[Integers], Floats] | None) -> Floats:
    """(n, 3) points that must be in view, relative to the followed body at its place of the first frame."""
    parts = [part for part in scene.parts if part.kind != "symbol" or look.symbols]
    extent = Extent(scene, parts, look.scale_of(scene))
    paths = [*extent.paths(), *([] if more is None else [more(extent.frames)])]
    if look.follow:
        followed = scene.part(look.follow)
        turn = rotations(followed.quaternion[extent.frames]) @ rotations(followed.quaternion[0]).T
        start = followed.position[extent.frames, None]
        paths = [(path - start) @ turn + followed.position[0] for path in paths]
    return np.concatenate([np.zeros((0, 3)), *(path.reshape(-1, 3) for path in paths)])
