"""One picture of a scene."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from flexmb.errors import Fault, InputError
from flexmb.output_files import drafted
from flexmb.view.picture.checks import check
from flexmb.view.picture.drawing import Drawing
from flexmb.view.picture.overlay import Overlay
from flexmb.view.picture.renderers import renderer_for
from flexmb.view.picture.shots import scene_at
from flexmb.view.scene import Look, Scene

_LIKELY = 24
"""Frames that are examined closely"""


def write_picture(
    scene: Scene, path: str | Path, look: Look | None = None, time: float | None = None, *, renderer: str = "auto"
) -> str:
    """Write a .png at a time [s], by default that of the largest deflection; returns a note, usually empty.

    renderer : "vtk" (pyvista without a window), "flexmb" (own, needs no graphics library), "auto"
    """
    look, path = look or Look(), Path(path)
    check(scene, look, path, (".png",))
    if time is None:
        time = float(scene.time[most_bent(scene)])
    slack = 1e-9 * max(abs(float(scene.time[0])), abs(float(scene.time[-1])))
    if not scene.time[0] - slack <= time <= scene.time[-1] + slack:
        found = f"{time:.6g} s is outside the run, which goes from {scene.time[0]:.6g} s to {scene.time[-1]:.6g} s."
        raise InputError([Fault(found, ("time",))])
    drawing = Drawing(scene_at(scene, np.array([time])), look, whole=scene)
    with drafted(path, ".png") as draft:
        drawn, note = renderer_for(drawing, renderer)
        try:
            image = Overlay(drawing).on(drawn.frame(0), 0)
        finally:
            drawn.close()
        Image.fromarray(image).save(draft, "PNG", optimize=False, compress_level=6)
    return note


def most_bent(scene: Scene) -> int:
    """The first frame with the largest deflection, among those with the largest mean deflection."""
    squares = np.zeros(len(scene.time))
    bending = [part for part in scene.flexible if part.n_shapes > part.carried]
    for part in bending:
        flat = part.shapes[part.carried :].reshape(part.n_shapes - part.carried, -1).astype(float)
        amplitudes = part.amplitudes[:, part.carried :]
        mean = np.einsum("fi,ij,fj->f", amplitudes, flat @ flat.T, amplitudes) / max(len(part.points), 1)
        squares = np.maximum(squares, mean)
    if not squares.any():
        return 0
    likely = np.sort(np.argsort(squares)[::-1][:_LIKELY])
    sizes = [max(float((part.deflection(k) ** 2).sum(axis=1).max()) for part in bending) for k in likely]
    return int(likely[int(np.argmax(np.array(sizes) >= (1.0 - 1e-5) * max(sizes)))])
