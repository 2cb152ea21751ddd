"""flexmb's own renderer, which needs no graphics library.

Pictures are drawn at twice the size and averaged, which smooths the edges. Background and grid are drawn once; a frame
only changes the rectangle that contains its parts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from flexmb.arrays import Floats
from flexmb.view.camera import Camera, projected
from flexmb.view.colors import Theme
from flexmb.view.picture.drawing import (
    AMBIENT,
    DIFFUSE,
    EDGE_LIFT,
    EDGE_STRENGTH,
    GHOST_PUSH,
    LIGHT,
    SPECULAR,
    Drawing,
)
from flexmb.view.picture.items import Shape
from flexmb.view.picture.kernels import draw_lines, draw_triangles, halve
from flexmb.view.picture.layers import Layer
from flexmb.view.scene import Color

Image = NDArray[np.uint8]
"""(height, width, 3)"""
_OVER = 2


class Rasteriser:
    """Draws the frames of a drawing."""

    name = "flexmb"

    def __init__(self, drawing: Drawing):
        self.drawing = drawing
        width, height = drawing.look.size
        self._size = (_OVER * width, _OVER * height)
        self._image = np.empty((_OVER * height, _OVER * width, 3), np.uint8)
        self._depth = np.empty((_OVER * height, _OVER * width), np.float32)
        self._blank = np.empty_like(self._image)
        self._blank[:] = _bytes(drawing.theme.background)
        self._base = np.empty_like(self._image)
        self._has_base = False
        self._base_out = np.empty((height, width, 3), np.uint8)
        self._two_sided, self._one_sided = _light(left_out=False), _light(left_out=True)

    def frame(self, number: int) -> Image:
        """The picture of a frame, without text."""
        camera = self.drawing.camera(number)
        if not (self._has_base and self.drawing.is_still):
            self._draw_base(camera)
        shapes = [(layer, layer.at(number)) for layer in self.drawing.layers]
        screens = [self._screen(camera, shape.points) for _, shape in shapes]
        top, bottom, left, right = self._bounds(screens)
        rows, columns = slice(_OVER * top, _OVER * bottom), slice(_OVER * left, _OVER * right)
        self._image[rows, columns] = self._base[rows, columns]
        self._depth[rows, columns] = 0.0
        for (layer, shape), screen in zip(shapes, screens, strict=True):
            self._draw(layer, shape, screen, camera)
        out = self._base_out.copy()
        halve(self._image, top, bottom, left, right, out)
        return out

    def close(self) -> None:
        """Do nothing: no resources are held."""

    def _draw_base(self, camera: Camera) -> None:
        """Draw background and grid."""
        theme: Theme = self.drawing.theme
        np.copyto(self._image, self._blank)
        self._depth[:] = 0.0
        grid = self.drawing.grid
        if grid is not None:
            screen = self._screen(camera, grid.points)
            lines = np.arange(len(screen)).reshape(-1, 2)
            color = _bytes(theme.grid).astype(np.float32)
            draw_lines(screen, lines, grid.strength.astype(np.float32), color, 2, 0.0, self._depth, self._image)
        height, width = self._base_out.shape[:2]
        halve(self._image, 0, height, 0, width, self._base_out)
        np.copyto(self._base, self._image)
        self._has_base = True

    def _draw(self, layer: Layer, shape: Shape, screen: NDArray[np.float32], camera: Camera) -> None:
        assert shape.values is not None
        is_ghost = layer.opacity < 1.0
        axes = np.array([camera.right, camera.up, camera.back], np.float32)
        normals = np.einsum("ij,vj->vi", axes, shape.normals.astype(np.float32))
        light = self._one_sided if is_ghost or layer.is_closed else self._two_sided
        draw_triangles(
            screen, layer.triangles, normals, shape.values.astype(np.float32), layer.table.astype(np.float32), light,
            layer.opacity, GHOST_PUSH if is_ghost else 0.0, self._depth, self._image,
        )  # fmt: skip
        edges = layer.edges
        if len(edges):
            theme = self.drawing.theme
            color = _bytes(theme.ghost if is_ghost else theme.edge).astype(np.float32)
            strength = np.full(len(edges), EDGE_STRENGTH, np.float32)
            lift = -0.5 * GHOST_PUSH if is_ghost else EDGE_LIFT
            draw_lines(screen, edges, strength, color, 2, lift, self._depth, self._image)

    def _screen(self, camera: Camera, points: Floats) -> NDArray[np.float32]:
        """(v, 3) pixels of the large picture and 1 / distance; 0 behind the eye"""
        screen = projected(camera, points, self._size)
        nearest = 1e-3 * camera.distance
        screen[:, 2] = np.where(screen[:, 2] > nearest, 1.0 / np.maximum(screen[:, 2], nearest), 0.0)
        return screen.astype(np.float32)

    def _bounds(self, screens: list[NDArray[np.float32]]) -> tuple[int, int, int, int]:
        """Rows from top to bottom and columns from left to right that are drawn on, in the small picture"""
        height, width = self._base_out.shape[:2]
        every = np.concatenate([np.zeros((0, 3), np.float32), *screens])
        if not (every[:, 2] > 0.0).all():
            every = every[every[:, 2] > 0.0]
        if not len(every):
            return 0, 0, 0, 0
        left, right, top, bottom = (
            end / _OVER + room
            for axis in (0, 1)
            for end, room in ((every[:, axis].min(), -2.0), (every[:, axis].max(), 3.0))
        )
        top, bottom = (int(np.clip(value, 0, height)) for value in (top, bottom))
        left, right = (int(np.clip(value, 0, width)) for value in (left, right))
        return top, bottom, left, right


def _light(left_out: bool) -> NDArray[np.float32]:
    """The argument `light` of `draw_triangles`."""
    light = np.array(LIGHT) / np.linalg.norm(LIGHT)
    half = light + [0.0, 0.0, 1.0]
    half /= np.linalg.norm(half)
    return np.array([*light, *half, AMBIENT, DIFFUSE, SPECULAR, float(left_out)], np.float32)


def _bytes(color: Color) -> Image:
    return np.round(255.0 * np.asarray(color)).astype(np.uint8)
