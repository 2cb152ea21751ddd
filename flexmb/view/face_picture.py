"""Picture of the faces of a part with their numbers: the part as it stands, and beside it turned over.

A number is drawn on its face where nothing hides it, in each half where the face is seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from colorsys import hls_to_rgb
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from flexmb.arrays import Floats
from flexmb.axes import AXES
from flexmb.mesh.geometry import Face
from flexmb.output_files import drafted
from flexmb.view.camera import camera_for, projected
from flexmb.view.framing import framed
from flexmb.view.picture.checks import check
from flexmb.view.picture.drawing import Drawing
from flexmb.view.picture.fonts import font
from flexmb.view.picture.numbers import is_hidden, write_number
from flexmb.view.picture.renderers import renderer_for
from flexmb.view.scene import Color, Look, Part, Scene, rotations

_SIZE = (900, 720)
_TRIED = 60
"""Triangles of a face that are tried for its number, those nearest to its centre first"""
_TRIAD = np.array([80.0, _SIZE[1] - 80.0])
"""Pixels of the corner where the axes are drawn"""
_GOLDEN = 0.618
"""Step of hue from face to face, as a part of the circle"""


def write_face_picture(faces: Sequence[Face], title: str, path: Path) -> None:
    """Write a .png of faces that have triangles."""
    look = Look(size=_SIZE, symbols=False)
    first = _scene(faces, title, f"{len(faces)} faces", np.array([1.0, 0.0, 0.0, 0.0]))
    right = camera_for(first, look).right  # half a turn about it shows what the first half hides
    halves = [first, _scene(faces, "", "turned over", np.array([0.0, *right]))]
    check(first, look, path, (".png",))
    with drafted(path, ".png") as draft:
        sheet = Image.new("RGB", (2 * _SIZE[0], _SIZE[1]))
        for k, scene in enumerate(halves):
            sheet.paste(_half(scene, look), (k * _SIZE[0], 0))
        sheet.save(draft, "PNG")


def _scene(faces: Sequence[Face], title: str, subtitle: str, quaternion: Floats) -> Scene:
    parts = tuple(
        Part(
            name=str(face.number),
            kind="rigid",
            points=face.points,
            triangles=face.triangles,
            position=np.zeros((1, 3)),
            quaternion=quaternion[None],
            color=_color(face, k),
        )
        for k, face in enumerate(faces)
        if len(face.triangles)
    )
    return framed(Scene(title, subtitle, np.zeros(1), parts))


def _color(face: Face, k: int) -> Color:
    """The colour of the file, or one that differs from those of the neighbours in the list."""
    if face.color:
        red, green, blue = (int(face.color[i : i + 2], 16) / 255.0 for i in (0, 2, 4))
        return red, green, blue
    return hls_to_rgb(_GOLDEN * k % 1.0, 0.68, 0.45)


def _half(scene: Scene, look: Look) -> Image.Image:
    drawing = Drawing(scene, look)
    drawn, _ = renderer_for(drawing, "flexmb")
    try:
        picture = Image.fromarray(drawn.frame(0))
    finally:
        drawn.close()
    draw = ImageDraw.Draw(picture)
    camera, words = drawing.camera(0), font(22, bold=True)
    draw.text((24, 18), scene.title, font=words, fill="black")
    draw.text((24, 48), scene.subtitle, font=font(15), fill="dimgray")
    axes = rotations(scene.parts[0].quaternion[0]).T @ np.array([camera.right, -camera.up]).T
    for axis, name in zip(axes, AXES, strict=True):
        x, y = _TRIAD + 42.0 * axis
        draw.line((*_TRIAD, x, y), fill="black", width=2)
        draw.text(tuple(_TRIAD + 56.0 * axis), name, font=font(15), anchor="mm", fill="black")
    for name, place in _visible(scene, camera.eye):
        x, y, _ = projected(camera, place[None], look.size)[0]
        write_number(draw, (float(x), float(y)), name)
    return picture


def _visible(scene: Scene, eye: Floats) -> Iterator[tuple[str, Floats]]:
    """Faces that are seen, and a point (3,) of each that nothing hides."""
    corners = [part.positions(0)[part.triangles] for part in scene.parts]
    every = np.concatenate(corners)
    for part, own in zip(scene.parts, corners, strict=True):
        normals = np.cross(own[:, 1] - own[:, 0], own[:, 2] - own[:, 0])
        areas, centers = np.linalg.norm(normals, axis=1), own.mean(axis=1)
        middle = areas @ centers / max(areas.sum(), 1e-300)
        facing = np.flatnonzero(np.einsum("ij,ij->i", normals, eye - centers) > 0.25 * areas * scene.radius)
        order = facing[np.argsort(np.linalg.norm(centers[facing] - middle, axis=1))]
        for k in order[:_TRIED]:
            if not is_hidden(centers[k], eye, every, scene.radius):
                yield part.name, centers[k]
                break
