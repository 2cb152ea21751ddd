"""Which renderer draws: VTK where OpenGL and pyvista are there, else flexmb's own."""

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
        """Give back what it holds."""


def vtk_fault() -> str:
    """Why VTK cannot draw here; empty when it can."""
    if importlib.util.find_spec("pyvista") is None:
        return "pyvista is not installed"
    if offscreen() is None:
        return "there is no OpenGL here (neither EGL nor OSMesa)"
    return ""


def renderer_for(drawing: Drawing, choice: str = "auto", *, film: bool = False) -> tuple[Renderer, str]:
    """The renderer, and a sentence when it is not the one that is usual.

    Films are drawn by VTK where a graphics card helps it; without one our own renderer draws the same in half the time.
    """
    if choice not in CHOICES:
        raise InputError(f"There is no renderer '{choice}'. {did_you_mean(choice, CHOICES)}")
    if choice == "flexmb":
        return _own(drawing), ""
    fault = vtk_fault()
    if film and choice == "auto" and not fault and is_software():
        fault = "there is no graphics card, without which it is quicker than VTK"
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
