"""Meshes of a glTF file: points split at sharp edges, normals that bend with the shapes, morph targets and colours.

The normal of a point is the sum of those of its triangles, weighted by area. To first order a shape S changes it by

    dN = sum of (b - a) x (S_c - S_a) + (S_b - S_a) x (c - a)  over the triangles (a, b, c) at the point,

so that N + sum of weight_k dN_k, which the viewer normalises, is the normal of the bent surface.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from flexmb.arrays import Floats
from flexmb.axes import AXES
from flexmb.errors import InputError
from flexmb.view.colors import ramp, stops_for
from flexmb.view.gltf.container import INDEX_DATA, VERTEX_DATA, GlbFile, Table
from flexmb.view.scene import Color, Look, Part, Scene, Single

_SHORT_INDEX_POINTS = 65535
"""Most points whose numbers fit into 16 bits; the last number is reserved."""

_BLOCK = 16
"""Frames evaluated together"""


@dataclass(frozen=True)
class Morphs:
    """The visible shapes of a part."""

    names: list[str]
    targets: list[Floats]
    """(s, 3) each [m], for a weight of 1"""
    weights: Single
    """(f, k)"""


def morphs_of(part: Part, scale: float, least: float) -> Morphs:
    """Shapes that move some point by more than `least` [m], scaled so that the weights stay within -1 and 1."""
    if not part.n_shapes:
        return Morphs([], [], np.zeros((len(part.position), 0), np.float32))
    factors = np.where(np.arange(part.n_shapes) < part.carried, 1.0, scale)
    peaks = np.abs(part.amplitudes).max(axis=0)
    shown = np.flatnonzero(peaks * factors > least)
    names = [f"carried {k + 1}" if k < part.carried else f"shape {k + 1 - part.carried}" for k in shown]
    targets = [part.shapes[k] * (peaks[k] * factors[k]) for k in shown]
    return Morphs(names, targets, (part.amplitudes[:, shown] / peaks[shown]).astype(np.float32))


def add_mesh(file: GlbFile, part: Part, morphs: Morphs, colors: NDArray[np.uint16] | None, opacity: float) -> int:
    """The number of the mesh of a part; colors: (s, 4) of its points, None: the colour of the part."""
    from flexmb.view.picture.surfaces import surface_of

    surface = surface_of(part.points, part.triangles)
    source, triangles = surface.source, surface.triangles
    if not len(source):
        raise InputError(f"'{part.name}' has no surface and cannot be drawn.")
    points = part.points[source]

    def summed(first: Floats, second: Floats) -> Floats:
        """(v, 3) sum of (b - a) x (c - a) over the triangles at a point, b - a of the first and c - a of the second"""
        a, b, c = triangles.T
        return surface.incidence @ np.cross(first[b] - first[a], second[c] - second[a])

    normals = summed(points, points)
    sizes = np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    index_type = np.uint16 if len(source) <= _SHORT_INDEX_POINTS else np.uint32
    primitive: Table = {
        "attributes": {
            "POSITION": file.add_array(points.astype(np.float32), VERTEX_DATA, bounds=True),
            "NORMAL": file.add_array(_unit(normals / sizes), VERTEX_DATA),
        },
        "indices": file.add_array(triangles.astype(index_type).ravel(), INDEX_DATA),
        "material": _material(file, part.color if colors is None else (1.0, 1.0, 1.0), opacity),
    }
    if colors is not None:
        primitive["attributes"]["COLOR_0"] = file.add_array(colors[source], VERTEX_DATA, normalized=True)
    mesh: Table = {"name": part.name, "primitives": [primitive]}
    for shape in morphs.targets:
        moved = shape[source]
        target = {"POSITION": file.add_array(moved.astype(np.float32), VERTEX_DATA, bounds=True)}
        if part.kind == "flexible":
            change = (summed(points, moved) + summed(moved, points)) / sizes
            target["NORMAL"] = file.add_array(change.astype(np.float32), VERTEX_DATA)
        primitive.setdefault("targets", []).append(target)
    if morphs.targets:
        mesh |= {"weights": morphs.weights[0].tolist(), "extras": {"targetNames": morphs.names}}
    return file.add("meshes", mesh)


def _unit(normals: Floats) -> Single:
    """Normals of length 1, also where triangles without area leave none."""
    safe = np.where(np.linalg.norm(normals, axis=1, keepdims=True) > 0.5, normals, [0.0, 0.0, 1.0])
    return safe.astype(np.float32)


def _material(file: GlbFile, color: Color, opacity: float) -> int:
    """The number of the material of this colour; equal ones are shared."""
    rgba = [*_linear(np.array(color)).round(6).tolist(), opacity]
    surface = {"baseColorFactor": rgba, "metallicFactor": 0.1, "roughnessFactor": 0.55}
    material: Table = {"pbrMetallicRoughness": surface, "doubleSided": True}
    if opacity < 1.0:
        material["alphaMode"] = "BLEND"
    existing = file.tables.setdefault("materials", [])
    return existing.index(material) if material in existing else file.add("materials", material)


def _linear(color: Floats) -> Floats:
    """Screen colours (sRGB) as intensities, which is what glTF holds."""
    return np.where(color <= 0.04045, color / 12.92, ((color + 0.055) / 1.055) ** 2.4)


def color_text(scene: Scene, look: Look) -> str:
    """Meaning of the colours of the file."""
    if not _is_colored(scene, look):
        return "parts"
    if look.color == "stress":
        return f"largest von Mises stress of every point, 0 to {scene.largest_stress / 1e6:.4g} MPa"
    largest = f"{scene.largest_deflection * 1e3:.4g} mm"
    if look.color == "displacement":
        return f"largest |u| of every point, 0 to {largest}"
    return f"largest u{look.color} of every point, -{largest} to {largest}"


def _is_colored(scene: Scene, look: Look) -> bool:
    if look.color == "stress":
        return scene.has_stress and scene.largest_stress > 0.0
    return look.color in ("displacement", "x", "y", "z") and scene.largest_deflection > 0.0


def vertex_colors(scene: Scene, part: Part, look: Look) -> NDArray[np.uint16] | None:
    """(s, 4) linear red, green, blue, alpha of the largest value over all frames; None: the colour of the part."""
    if part.kind != "flexible" or not _is_colored(scene, look):
        return None
    if look.color == "stress":
        highest = np.zeros(len(part.points), np.float32)
        for frame in range(len(part.position)):
            stress = part.von_mises(frame)
            if stress is None:
                return None
            highest = np.maximum(highest, stress)
        level = highest / scene.largest_stress
    else:
        level = _extreme_deflection(part, look.color) / scene.largest_deflection
        if look.color != "displacement":
            level = 0.5 * (level + 1.0)
    colors = ramp(stops_for(look.color))[np.clip(np.rint(255.0 * level), 0, 255).astype(int)]
    linear = _linear(colors / 255.0)
    return np.rint(65535.0 * np.column_stack([linear, np.ones(len(linear))])).astype(np.uint16)


def _extreme_deflection(part: Part, coloring: str) -> Single:
    """(s,) the largest |u|, or the value of a component where it is farthest from zero, over all frames [m]"""
    extreme = np.zeros(len(part.points), np.float32)
    shapes = part.shapes[part.carried :].reshape(part.n_shapes - part.carried, -1)
    for first in range(0, len(part.position), _BLOCK):  # by blocks, so that the shapes are read less often
        weights = part.amplitudes[first : first + _BLOCK, part.carried :].astype(np.float32)
        u = (weights @ shapes).reshape(len(weights), -1, 3)
        value = np.linalg.norm(u, axis=2) if coloring == "displacement" else u[:, :, AXES.index(coloring)]
        farthest = np.take_along_axis(value, np.abs(value).argmax(axis=0)[None], axis=0)[0]
        extreme = np.where(np.abs(farthest) > np.abs(extreme), farthest, extreme)
    return extreme
