"""Choice of renderer: VTK if OpenGL and pyvista are available, else flexmb's own."""

from __future__ import annotations

import importlib.util
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from flexmb.errors import InputError
from flexmb.suggestions import did_you_mean
from flexmb.view.picture.drawing import Drawing
from flexmb.view.picture.gl_probe import is_software, offscreen

Choice = Literal["auto", "vtk", "flexmb"]
CHOICES: tuple[Choice, ...] = ("auto", "vtk", "flexmb")


class Renderer(Protocol):
    """Draws frames."""

    def frame(self, number: int) -> NDArray[np.uint8]:
        """(height, width, 3) without text"""

    def close(self) -> None:
        """Release its resources."""


def vtk_fault() -> str:
    """Reason why VTK cannot draw; empty if it can."""
    if importlib.util.find_spec("pyvista") is None:
        return "pyvista is not installed"
    if offscreen() is None:
        return "OpenGL is not available (neither EGL nor OSMesa)"
    return ""


def renderer_for(drawing: Drawing, choice: str = "auto", *, movie: bool = False) -> tuple[Renderer, str]:
    """The renderer, and a note if it is not the usual one.

    Movies are drawn by VTK if there is a graphics card; without one flexmb's own renderer takes half the time.
    """
    if choice not in CHOICES:
        raise InputError(f"There is no renderer '{choice}'. {did_you_mean(choice, CHOICES)}")
    if choice == "flexmb":
        return _own(drawing), ""
    fault = vtk_fault()
    if movie and choice == "auto" and not fault and is_software():
        fault = "without a graphics card it is faster than VTK"
    if not fault:
        try:
            from flexmb.view.picture.pyvista_renderer import PyvistaRenderer

            return PyvistaRenderer(drawing), ""
        except ImportError as error:  # a library of VTK is missing
            fault = f"pyvista cannot be loaded ({error})"
    if choice == "vtk":
        raise InputError(f"VTK cannot draw: {fault}. Use the renderer 'flexmb' instead.")
    return _own(drawing), f"Drawn by flexmb's own renderer: {fault}."


def _own(drawing: Drawing) -> Renderer:
    from flexmb.view.picture.rasteriser import Rasteriser

    return Rasteriser(drawing)
