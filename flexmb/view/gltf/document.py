"""A scene as a glTF 2.0 file (.glb) for Blender, slides and web pages.

Every part is a node with a mesh. Its pose is the animated translation and rotation of the node; its shapes are morph
targets, so that

    x = translation + R(rotation) (X + sum of weight_k target_k),   weight_k = a_k / p_k,   target_k = scale p_k S_k

with p_k the largest |a_k| and scale = 1 for carried shapes. Weights stay within -1 and 1, which every editor accepts.
A root node turns the upward direction of the scene to the y axis of glTF. A vertex has one colour for all times: that
of its largest value. Times are divided by the playback speed. [Khronos glTF 2.0, 3.7.2.2 morph targets, 3.11
animations]
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flexmb import __version__
from flexmb.arrays import Floats, Integers
from flexmb.errors import Fault, InputError
from flexmb.output_files import drafted
from flexmb.view.camera import FIELD_OF_VIEW, fitted_camera, world_axes
from flexmb.view.gltf.arrows import arrow_parts
from flexmb.view.gltf.container import GlbFile, Table
from flexmb.view.gltf.mesh import add_mesh, color_text, morphs_of, vertex_colors
from flexmb.view.scene import Look, Part, Scene, playing_speed, quaternions, rotations

_STILL = 1e-9
"""Motion below this part of the radius of the scene is ignored."""
_GHOST = 0.25
"""Opacity of undeformed parts"""


def write_glb(scene: Scene, path: str | os.PathLike[str], look: Look | None = None) -> None:
    """Write a scene as a .glb file; `look` sets scale, colouring, view, speed, the followed body and what is hidden."""
    look = look or Look()
    try:
        data = glb_bytes(scene, look)
    except ValueError as error:  # json of numbers that are not finite
        raise InputError("The scene has positions or sizes that are not finite and cannot be drawn.") from error
    with drafted(path, ".glb") as draft:
        draft.write_bytes(data)


def glb_bytes(scene: Scene, look: Look) -> bytes:
    """The bytes of a .glb file."""
    _check(scene, look)
    scale = look.scale_of(scene)
    parts = [part for part in scene.parts if len(part.triangles) and (look.symbols or part.kind != "symbol")]
    if look.arrows:
        parts += arrow_parts(scene, scale)
    drawn = replace(scene, parts=tuple(parts))
    if look.follow:
        drawn = _followed(drawn, look.follow)
    file = GlbFile()
    nodes = [_PartNode(file, scene, part, look) for part in drawn.parts]
    if look.ghost:
        nodes += [_PartNode(file, scene, _ghost(part), look, ghost=True) for part in drawn.flexible]
    children = [node.number for node in nodes] + [_camera_node(file, drawn, look)]
    root: Table = {"name": scene.title or "scene", "rotation": _y_up(scene), "children": children}
    top = file.add("nodes", root)
    speed = playing_speed(scene, look)
    _add_animations(file, scene, nodes, speed)
    extras = _extras(scene, look, scale, speed)
    file.add("scenes", {"name": scene.title or "scene", "nodes": [top], "extras": extras})
    asset = {"version": "2.0", "generator": f"flexmb {__version__}"}
    return file.bytes(asset=asset, scene=0)


def _check(scene: Scene, look: Look) -> None:
    from flexmb.view.picture.checks import check

    check(scene, look)
    faults = []
    for part in scene.parts:
        arrays = (part.points, part.shapes, part.amplitudes, part.position, part.quaternion)
        if not all(np.isfinite(array).all() for array in arrays):
            faults.append(Fault(f"'{part.name}' has positions that are not finite and cannot be drawn."))
    if faults:
        raise InputError(faults)


class _PartNode:
    """The node of a part, and its animated channels."""

    def __init__(self, file: GlbFile, scene: Scene, part: Part, look: Look, ghost: bool = False):
        self.file, self.part = file, part
        least = _STILL * scene.radius
        morphs = morphs_of(part, look.scale_of(scene), least)
        self.weights = morphs.weights
        colors = None if ghost else vertex_colors(scene, part, look)
        mesh = add_mesh(file, part, morphs, colors, _GHOST if ghost else 1.0)
        self.moves = bool(np.ptp(part.position, axis=0).max() > least)
        self.turns = bool(np.ptp(part.quaternion, axis=0).max() > _STILL)
        node: Table = {"name": part.name, "mesh": mesh, "extras": {"kind": "undeformed" if ghost else part.kind}}
        node |= {"translation": part.position[0].tolist(), "rotation": _xyzw(part.quaternion[0]).tolist()}
        self.number = file.add("nodes", node)

    def add_channels(self, animation: Table, time: int, frames: Integers) -> None:
        """Append the motion at these frames to an animation; `time` is the accessor of their times."""
        tracks: list[tuple[str, NDArray[Any]]] = []
        if self.moves:
            tracks.append(("translation", self.part.position[frames]))
        if self.turns:
            tracks.append(("rotation", _xyzw(self.part.quaternion[frames])))
        if self.weights.size:
            tracks.append(("weights", self.weights[frames].ravel()))
        for path, values in tracks:
            output = self.file.add_array(values.astype(np.float32))
            animation["samplers"].append({"input": time, "output": output, "interpolation": "LINEAR"})
            channel = {"sampler": len(animation["samplers"]) - 1, "target": {"node": self.number, "path": path}}
            animation["channels"].append(channel)


def _add_animations(file: GlbFile, scene: Scene, nodes: list[_PartNode], speed: float) -> None:
    """One animation, or one for every chapter; each starts at time 0."""
    starts = [start for start, _ in scene.chapters] or [float(scene.time[0])]
    titles = [title for _, title in scene.chapters] or [scene.title or "motion"]
    slack = 1e-9 * float(scene.time[-1] - scene.time[0])
    edges = [*np.searchsorted(scene.time, np.array(starts) - slack).tolist(), len(scene.time)]
    if not any(node.moves or node.turns or node.weights.size for node in nodes):
        return
    for title, first, last in zip(titles, edges[:-1], edges[1:], strict=True):
        time = ((scene.time[first:last] - scene.time[first]) / speed).astype(np.float32)
        # glTF needs increasing times; rows of the same instant, as at an event, are one in single precision.
        rising = np.flatnonzero(np.diff(time, prepend=-1.0) > 0.0)
        if len(rising) < 2:
            continue
        animation: Table = {"name": title, "channels": [], "samplers": []}
        clock = file.add_array(time[rising], bounds=True)
        for node in nodes:
            node.add_channels(animation, clock, first + rising)
        file.add("animations", animation)


def _extras(scene: Scene, look: Look, scale: float, speed: float) -> Table:
    """Metadata about the numbers of the file."""
    return {
        "subtitle": scene.subtitle,
        "length unit": "m",
        "time unit": "s",
        "deflection scale": scale,
        "simulated seconds per second": speed,
        "simulated time at the start": float(scene.time[0]),
        "largest deflection at scale 1": scene.largest_deflection,
        "color": color_text(scene, look),
        "follows": look.follow or "ground",
        "notes": list(scene.notes),
    }


def _ghost(part: Part) -> Part:
    """The undeformed part: only carried shapes move its points."""
    n = part.carried
    return replace(part, name=f"{part.name} undeformed", shapes=part.shapes[:n], amplitudes=part.amplitudes[:, :n])


def _followed(scene: Scene, body: str) -> Scene:
    """The motion relative to a followed body, which stays where it was at the first frame."""
    leader = scene.part(body)
    R_leader = rotations(leader.quaternion)
    back = R_leader[0] @ np.swapaxes(R_leader, 1, 2)
    offset = leader.position[0] - np.einsum("fij,fj->fi", back, leader.position)
    parts = tuple(
        replace(
            part,
            position=np.einsum("fij,fj->fi", back, part.position) + offset,
            quaternion=quaternions(back @ rotations(part.quaternion)),
        )
        for part in scene.parts
    )
    return replace(scene, parts=parts)


def _camera_node(file: GlbFile, scene: Scene, look: Look) -> int:
    camera = fitted_camera(scene, replace(look, follow=""))
    perspective = {
        "yfov": float(np.radians(FIELD_OF_VIEW)),
        "aspectRatio": look.size[0] / look.size[1],
        "znear": 0.01 * camera.distance,
        "zfar": 100.0 * camera.distance,
    }
    number = file.add("cameras", {"type": "perspective", "perspective": perspective})
    axes = np.stack([camera.right, camera.up, camera.back], axis=1)
    rotation = _xyzw(quaternions(axes[None])[0]).tolist()
    place = {"translation": camera.eye.tolist(), "rotation": rotation}
    return file.add("nodes", {"name": f"view {look.view}", "camera": number, **place})


def _y_up(scene: Scene) -> list[float]:
    """Rotation from the axes of the scene to those of glTF: up is y, and the front of the scene looks along z."""
    x, y, z = world_axes(scene.up)
    return _xyzw(quaternions(np.array([[x, z, -y]]))[0]).tolist()


def _xyzw(quaternion: Floats) -> Floats:
    """(..., 4) with w last, as glTF has it"""
    return np.roll(quaternion, -1, axis=-1)
