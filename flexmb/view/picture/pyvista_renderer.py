"""Pictures by VTK through pyvista, without a window.

On software OpenGL several samples per pixel, several lights and the sorting of translucent surfaces each cost several
times the picture itself: there is one light, translucent surfaces are drawn last in their order, and edges are smoothed
by drawing at twice the size. The points of the meshes are changed in place from frame to frame.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from flexmb.arrays import Floats, Integers
from flexmb.view.camera import FIELD_OF_VIEW, Camera
from flexmb.view.colors import Theme
from flexmb.view.picture.drawing import (
    AMBIENT,
    DIFFUSE,
    EDGE_LIFT,
    EDGE_STRENGTH,
    GHOST_PUSH,
    LIGHT,
    SHININESS,
    SPECULAR,
    Drawing,
)
from flexmb.view.picture.gl_probe import offscreen
from flexmb.view.picture.items import Shape
from flexmb.view.picture.layers import Layer

OVER = 2
"""Oversampling: drawn pixels per pixel of the picture, in each direction"""
WINDOW_VARIABLE = "VTK_DEFAULT_OPENGL_WINDOW"
"""Environment variable of VTK for its window class"""


class PyvistaRenderer:
    """Draws the frames of a drawing."""

    def __init__(self, drawing: Drawing):
        self.drawing = drawing
        size = (OVER * drawing.look.size[0], OVER * drawing.look.size[1])
        self.plotter = new_plotter(size, offscreen() or "", off_screen=True)
        self.meshes = DrawnMeshes(self.plotter, drawing, line_width=OVER)

    def frame(self, number: int) -> NDArray[np.uint8]:
        """The picture of a frame, without text."""
        camera = self.drawing.camera(number)
        self.meshes.move(number, camera.eye)
        place_camera(self.plotter, camera)
        self.plotter.render_window.Render()
        return _pixels(self.plotter.render_window)

    def close(self) -> None:
        """Release the window and its memory."""
        self.plotter.close()


class DrawnMeshes:
    """The layers of a drawing in a plotter, with light, background and grid."""

    def __init__(self, plotter: Any, drawing: Drawing, line_width: int = 1):
        import pyvista

        self.plotter, self.drawing, self._line_width = plotter, drawing, line_width
        plotter.set_background(drawing.theme.background)
        light = pyvista.Light(position=LIGHT, focal_point=(0, 0, 0), light_type="camera light", color="white")
        light.positional = False
        plotter.add_light(light)
        self.surfaces: list[Any] = []
        """Meshes of the layers"""
        self._lines: list[tuple[Any, Integers]] = []
        """Their sharp edges, and the points of these"""
        self._add_grid()
        for layer in drawing.layers:
            self._add(layer)

    def move(self, frame: int, eye: Floats) -> None:
        """Move everything to a frame, seen from `eye`."""
        for layer, mesh, (lines, used) in zip(self.drawing.layers, self.surfaces, self._lines, strict=True):
            shape = layer.at(frame)
            is_ghost = layer.opacity < 1.0
            values = shape.values if layer.has_values else None
            points = _nearer(shape.points, eye, -GHOST_PUSH) if is_ghost else shape.points
            _move(mesh, Shape(points, shape.normals, values))
            if len(used):
                _move_points(lines, _nearer(shape.points[used], eye, -0.5 * GHOST_PUSH if is_ghost else EDGE_LIFT))

    def _add_grid(self) -> None:
        grid = self.drawing.grid
        if grid is None:
            return
        import pyvista

        theme: Theme = self.drawing.theme
        lines = _cells(np.arange(len(grid.points)).reshape(-1, 2))
        mesh = pyvista.PolyData(grid.points.astype(np.float32), lines=lines)
        strength = grid.strength[:, None]
        mixed = strength * np.array(theme.grid) + (1.0 - strength) * np.array(theme.background)
        mesh.cell_data["color"] = np.round(255.0 * mixed).astype(np.uint8)
        self.plotter.add_mesh(
            mesh, scalars="color", rgb=True, lighting=False, line_width=self._line_width, show_scalar_bar=False
        )

    def _add(self, layer: Layer) -> None:
        import pyvista

        shape = layer.at(0)
        mesh: Any = pyvista.PolyData(shape.points.astype(np.float32), _cells(layer.triangles))
        mesh.point_data.active_normals = shape.normals.astype(np.float32)
        look: dict[str, Any]
        if layer.has_values:
            mesh.point_data["value"] = np.asarray(shape.values, np.float32)
            look = {"scalars": "value", "cmap": self._table(), "clim": (0.0, 1.0), "interpolate_before_map": True}
        elif len(layer.table) > 1:
            mesh.point_data["color"] = layer.point_colors
            look = {"scalars": "color", "rgb": True}
        else:
            look = {"color": layer.table[0] / 255.0}
        actor = self.plotter.add_mesh(
            mesh, **look, opacity=layer.opacity, ambient=AMBIENT, diffuse=DIFFUSE, specular=SPECULAR,
            specular_power=SHININESS, smooth_shading=False, show_scalar_bar=False, copy_mesh=False,
            culling="back" if layer.opacity < 1.0 or layer.is_closed else False,
        )  # fmt: skip
        actor.prop.interpolation = "Phong"
        actor.prop.specular_color = "white"
        self.surfaces.append(mesh)
        self._add_edges(layer, shape)

    def _add_edges(self, layer: Layer, shape: Shape) -> None:
        import pyvista

        used, ends = np.unique(layer.edges, return_inverse=True)
        mesh = pyvista.PolyData()
        self._lines.append((mesh, used))
        if not len(used):
            return
        mesh.points = shape.points[used].astype(np.float32)
        mesh.lines = _cells(ends.reshape(-1, 2))
        color = self.drawing.theme.ghost if layer.opacity < 1.0 else self.drawing.theme.edge
        self.plotter.add_mesh(
            mesh, color=color, opacity=EDGE_STRENGTH, line_width=self._line_width, lighting=False, copy_mesh=False
        )

    def _table(self) -> Any:
        import pyvista

        table = pyvista.LookupTable()
        colors = self.drawing.values.table
        table.values = np.concatenate([colors, np.full((len(colors), 1), 255, np.uint8)], axis=1)
        table.scalar_range = (0.0, 1.0)
        return table


def new_plotter(size: tuple[int, int], window: str, off_screen: bool) -> Any:
    """A plotter whose window is of this VTK class (empty: the usual one)."""
    import pyvista

    if off_screen:
        # Mesa warns on the terminal if it cannot cache its shaders; for one picture a cache is not needed.
        os.environ.setdefault("MESA_SHADER_CACHE_DISABLE", "true")
    before = os.environ.get(WINDOW_VARIABLE)
    if window and before is None:
        os.environ[WINDOW_VARIABLE] = window
    try:
        plotter: Any = pyvista.Plotter(off_screen=off_screen, window_size=list(size), lighting="none")
    finally:
        if before is None:
            os.environ.pop(WINDOW_VARIABLE, None)
    plotter.render_window.SetMultiSamples(0)
    plotter.renderer.SetUseOIT(False)
    return plotter


def place_camera(plotter: Any, camera: Camera) -> None:
    """Set the camera of the plotter."""
    view = plotter.camera
    view.position, view.focal_point, view.up = camera.eye, camera.target, camera.up
    view.view_angle = FIELD_OF_VIEW
    plotter.renderer.ResetCameraClippingRange()


def _move(mesh: Any, shape: Shape) -> None:
    """Change the numbers of a mesh in place."""
    mesh.point_data.active_normals[:] = shape.normals
    mesh.GetPointData().GetNormals().Modified()
    if shape.values is not None:
        mesh.point_data["value"][:] = shape.values
        mesh.GetPointData().GetScalars().Modified()
    _move_points(mesh, shape.points)


def _move_points(mesh: Any, points: Floats) -> None:
    mesh.points[:] = points
    mesh.GetPoints().Modified()
    mesh.Modified()


def _nearer(points: Floats, eye: Floats, part: float) -> Floats:
    """The points moved by a part of their distance towards the eye: same place in the picture, in front of others."""
    return points + part * (eye - points)


def _cells(numbers: Integers) -> Integers:
    """Point numbers in VTK format: every cell begins with its count."""
    return np.insert(numbers, 0, numbers.shape[1], axis=1).ravel()


def _pixels(window: Any) -> NDArray[np.uint8]:
    """(height, width, 3) pixels of the window, first row on top, shrunk by `OVER`"""
    from vtkmodules.vtkCommonCore import vtkUnsignedCharArray

    width, height = window.GetSize()
    flat: Any = vtkUnsignedCharArray()
    # With a fourth byte Pillow works in place; as an opacity it would cost much more.
    window.GetRGBACharPixelData(0, 0, width - 1, height - 1, 0, flat, 0)
    image = Image.frombuffer("RGBX", (width, height), np.frombuffer(flat, np.uint8), "raw", "RGBX", 0, 1)
    return np.asarray(image.reduce(OVER).convert("RGB").transpose(Image.Transpose.FLIP_TOP_BOTTOM))
