"""Which renderer draws: VTK where OpenGL and pyvista are there, else flexmb's own."""

from __future__ import annotations

import importlib.util
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from flexmb.errors import InputError
from flexmb.suggestions import did_you_mean
from flexmb.view.picture.drawing import Drawing
from flexmb.view.picture.gl_probe import offscreen

Choice = Literal["auto", "vtk", "flexmb"]
CHOICES: tuple[Choice, ...] = ("auto", "vtk", "flexmb")


class Renderer(Protocol):
    """Draws frames."""

    def frame(self, number: int) -> NDArray[np.uint8]:
        """(height, width, 3) without text"""

    def close(self) -> None:
        """Give back what it holds."""


def vtk_fault() -> str:
    """Why VTK cannot draw here; empty when it can."""
    if importlib.util.find_spec("pyvista") is None:
        return "pyvista is not installed"
    if offscreen() is None:
        return "there is no OpenGL here (neither EGL nor OSMesa)"
    return ""


def renderer_for(drawing: Drawing, choice: str = "auto") -> tuple[Renderer, str]:
    """The renderer, and a sentence when it is not the one that is usual."""
    if choice not in CHOICES:
        raise InputError(f"There is no renderer '{choice}'. {did_you_mean(choice, CHOICES)}")
    if choice == "flexmb":
        return _own(drawing), ""
    fault = vtk_fault()
    if not fault:
        try:
            from flexmb.view.picture.pyvista_renderer import PyvistaRenderer

            return PyvistaRenderer(drawing), ""
        except ImportError as error:  # a library of VTK is missing
            fault = f"pyvista cannot be loaded ({error})"
    if choice == "vtk":
        raise InputError(f"VTK cannot draw: {fault}. Use the renderer 'flexmb' instead, which needs none of it.")
    return _own(drawing), f"Drawn by flexmb's own renderer: {fault}."


def _own(drawing: Drawing) -> Renderer:
    from flexmb.view.picture.rasteriser import Rasteriser

    return Rasteriser(drawing)
