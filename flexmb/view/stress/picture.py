"""Picture of an envelope: the bodies coloured by their largest stress, with the numbers of their hot spots.

On the left von Mises stress, on the right principal stress with its sign; below both from the other side. A number is
written where nothing hides its hot spot.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from flexmb.arrays import Floats
from flexmb.output_files import drafted
from flexmb.results.stress_findings import StressFindings
from flexmb.view.camera import projected
from flexmb.view.colors import PARTS
from flexmb.view.framing import framed
from flexmb.view.picture.drawing import Drawing
from flexmb.view.picture.numbers import is_hidden, write_number
from flexmb.view.picture.overlay import Overlay
from flexmb.view.picture.renderers import renderer_for
from flexmb.view.scene import ENVELOPES, Look, Part, Scene

_SIZE = (900, 560)
_AWAY = 34.0
"""Distance of a number from its hot spot [pixels]"""
_DOT = 4.0


def write_envelope_picture(findings: StressFindings, path: Path) -> None:
    """Write a .png of the envelopes."""
    sheet = Image.new("RGB", (2 * _SIZE[0], 2 * _SIZE[1]))
    with drafted(path, ".png") as draft:
        for column, coloring in enumerate(ENVELOPES):
            scene = _scene(findings, coloring)
            other = replace(scene, title="", subtitle="from the other side")
            for row, (half, view) in enumerate(((scene, "iso"), (other, "behind"))):
                look = Look(size=_SIZE, color=coloring, view=view, symbols=False, scale=1.0)
                sheet.paste(_half(half, look, findings), (column * _SIZE[0], row * _SIZE[1]))
        sheet.save(draft, "PNG")


def _scene(findings: StressFindings, coloring: str) -> Scene:
    """The bodies at rest, coloured by a field."""
    alone, parts = len(findings.bodies) == 1, []
    for number, body in enumerate(findings.bodies):
        one = body.envelope
        values = one.von_mises if coloring == ENVELOPES[0] else one.principal
        points = one.points if alone else one.points @ one.R_wb.T + one.position
        parts.append(
            Part(
                name=one.body,
                kind="flexible",
                points=points,
                triangles=one.triangles,
                position=np.zeros((1, 3)),
                quaternion=np.array([[1.0, 0.0, 0.0, 0.0]]),
                color=PARTS[number % len(PARTS)],
                shapes=np.zeros((1, len(points), 3), np.float32),
                amplitudes=np.zeros((1, 1)),
                envelope=values.astype(np.float32),
            )
        )
    title = findings.name if not alone else f"{findings.bodies[0].envelope.body}, {findings.name}"
    subtitle = f"largest of t = {findings.start:.4g} to {findings.end:.4g} s"
    scene = Scene(title, subtitle, np.zeros(1), tuple(parts), chapters=((0.0, ""),), magnified=0.0)
    return framed(scene)


def _half(scene: Scene, look: Look, findings: StressFindings) -> Image.Image:
    drawing = Drawing(scene, look)
    drawn, _ = renderer_for(drawing, "flexmb")
    try:
        picture = Image.fromarray(Overlay(drawing).on(drawn.frame(0), 0))
    finally:
        drawn.close()
    draw, camera = ImageDraw.Draw(picture), drawing.camera(0)
    corners = np.concatenate([part.points[part.triangles] for part in scene.parts])
    middle = projected(camera, np.asarray(scene.center)[None], look.size)[0, :2]
    for body, part in zip(findings.bodies, scene.parts, strict=True):
        for number, spot in enumerate(body.spots, 1):
            place = part.points[spot.point]
            if not is_hidden(place, camera.eye, corners, scene.radius):
                _mark(draw, projected(camera, place[None], look.size)[0, :2], middle, str(number))
    return picture


def _mark(draw: ImageDraw.ImageDraw, at: Floats, middle: Floats, text: str) -> None:
    """A dot at a place of the picture and its number beside it, away from the middle."""
    outwards = at - middle
    outwards = np.array([0.0, -1.0]) if not np.linalg.norm(outwards) > 1.0 else outwards / np.linalg.norm(outwards)
    x, y = np.clip(at + _AWAY * outwards, 20.0, np.array(_SIZE) - 20.0).tolist()
    draw.line((*at.tolist(), x, y), fill="black", width=1)
    draw.ellipse((*(at - _DOT).tolist(), *(at + _DOT).tolist()), outline="black", width=2)
    write_number(draw, (x, y), text)
