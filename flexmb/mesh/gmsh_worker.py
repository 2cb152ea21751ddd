"""Geometry to mesh by gmsh, in a process of its own: `python -m flexmb.mesh.gmsh_worker`.

Standard input is a request in JSON, the last line of standard output the answer. gmsh is compiled code with signal
handlers of its own: whatever happens here cannot hurt the process that asked. Lengths in gmsh are millimetres for STEP
and IGES, whatever unit the file is in, and those of the file for BREP (which has no unit) and STL.
"""

from __future__ import annotations

import json
import math
import re
import sys
from typing import Any

import numpy as np

_SHARP = math.radians(40.0)
"""Angle between triangles of an STL file that separates two faces"""
_STEP_KINDS = {
    "PLANE": "Plane",
    "CYLINDRICAL_SURFACE": "Cylinder",
    "CONICAL_SURFACE": "Cone",
    "SPHERICAL_SURFACE": "Sphere",
    "TOROIDAL_SURFACE": "Torus",
}
"""Surfaces of a STEP file that gmsh calls by one name"""
_SEWN = 1e-6
"""Distance of edges of an IGES file that are one edge, relative to the size of the part"""
_AROUND = 12
"""Cells around a full circle, at least"""


def main() -> None:
    """Answer the request on standard input."""
    import gmsh

    request = json.load(sys.stdin)
    gmsh.initialize(["flexmb", "-nopopup"], readConfigFiles=False, interruptible=False)
    try:
        gmsh.option.setNumber("General.Verbosity", 1)
        answer = _answer(gmsh, request)
    except Exception as error:
        answer = {"error": str(error).strip().splitlines()[-1] if str(error).strip() else type(error).__name__}
    finally:
        gmsh.finalize()
    print("\n" + json.dumps(answer))


def _answer(gmsh: Any, request: dict[str, Any]) -> dict[str, Any]:
    _open(gmsh, request["path"])
    faces = [_face(gmsh, tag) for _, tag in gmsh.model.getEntities(2)]
    _name_faces(faces, request.get("names", []))
    volumes = [tag for _, tag in gmsh.model.getEntities(3)]
    answer = {"faces": faces, "volumes": [_volume(gmsh, tag) for tag in volumes], "size": _extent(gmsh)}
    if request["do"] == "surface":
        _set_size(gmsh, request["size"], 1)
        gmsh.model.mesh.generate(2)
        for face in faces:
            face["points"], face["triangles"] = _triangles(gmsh, face["number"])
    elif request["do"] == "mesh":
        _set_size(gmsh, request["size"], request["order"])
        _name_groups(gmsh, answer)
        gmsh.model.mesh.generate(3)
        gmsh.option.setNumber("Mesh.MshFileVersion", 4.1)
        gmsh.option.setNumber("Mesh.Binary", 1)
        gmsh.write(request["output"])
    return answer


def _name_faces(faces: list[dict[str, Any]], names: list[list[str]]) -> None:
    """Names of a STEP file that gmsh drops: in the same order, if number and kind of all faces agree."""
    kinds = [_STEP_KINDS.get(kind, "") for _, kind in names]
    if kinds != [face["kind"] if face["kind"] in _STEP_KINDS.values() else "" for face in faces]:
        return
    for face, (name, _) in zip(faces, names, strict=True):
        face["name"] = face["name"] or re.sub(r"[^\w-]+", "_", name.strip())


def _open(gmsh: Any, path: str) -> None:
    """Read the geometry; a surface of triangles becomes faces and the volume that they enclose."""
    ending = path.lower().rpartition(".")[2]
    if ending != "stl":
        if ending in ("step", "stp"):  # gmsh refuses it for IGES, which it reads in millimetres anyway
            gmsh.option.setString("Geometry.OCCTargetUnit", "MM")
        gmsh.option.setNumber("Geometry.OCCImportLabels", 1)
        gmsh.model.occ.importShapes(path)
        gmsh.model.occ.synchronize()
        if ending in ("iges", "igs") and not gmsh.model.getEntities(3):
            _sew(gmsh)
        return
    gmsh.merge(path)
    gmsh.model.mesh.classifySurfaces(_SHARP, True, True, math.pi)
    gmsh.model.mesh.createGeometry()
    loop = gmsh.model.geo.addSurfaceLoop([tag for _, tag in gmsh.model.getEntities(2)])
    gmsh.model.geo.addVolume([loop])
    gmsh.model.geo.synchronize()


def _sew(gmsh: Any) -> None:
    """Join the faces of an IGES file, which mostly has no solids, along their edges to the volume they enclose."""
    faces = len(gmsh.model.getEntities(2))
    gmsh.model.occ.healShapes(tolerance=_SEWN * _extent(gmsh), sewFaces=True, makeSolids=True)
    gmsh.model.occ.synchronize()
    if lost := faces - len(gmsh.model.getEntities(2)):
        raise ValueError(f"{lost} of its {faces} faces do not belong to a closed surface; export the part as STEP")


def _set_size(gmsh: Any, size: float, order: int) -> None:
    gmsh.option.setNumber("Mesh.MeshSizeMax", size)
    gmsh.option.setNumber("Mesh.MeshSizeMin", size / 10.0)
    gmsh.option.setNumber("Mesh.MeshSizeFromCurvature", _AROUND)
    gmsh.option.setNumber("Mesh.ElementOrder", order)
    gmsh.option.setNumber("Mesh.HighOrderOptimize", 1 if order > 1 else 0)


def _face(gmsh: Any, tag: int) -> dict[str, Any]:
    *color, opacity = gmsh.model.getColor(2, tag)
    found = {"number": tag, "kind": gmsh.model.getType(2, tag), "name": _own_name(gmsh, 2, tag)}
    box = gmsh.model.getBoundingBox(2, tag)
    middle = [(a + b) / 2.0 for a, b in zip(box[:3], box[3:], strict=True)]
    try:
        found |= {"area": gmsh.model.occ.getMass(2, tag), "center": list(gmsh.model.occ.getCenterOfMass(2, tag))}
    except Exception:  # a face of triangles
        found |= {"area": 0.0, "center": middle}
    return {**found, "color": "".join(f"{part:02x}" for part in color) if opacity else ""}


def _volume(gmsh: Any, tag: int) -> dict[str, Any]:
    try:
        volume = gmsh.model.occ.getMass(3, tag)
    except Exception:  # of the triangles around it
        numbers, points, _ = gmsh.model.mesh.getNodes()
        order = np.argsort(numbers)
        triangles = order[np.searchsorted(numbers[order], gmsh.model.mesh.getElementsByType(2)[1])]
        a, b, c = points.reshape(-1, 3)[triangles].reshape(-1, 3, 3).swapaxes(0, 1)
        volume = abs(float(np.einsum("ij,ij->", a, np.cross(b, c)))) / 6.0
    return {"number": tag, "name": _own_name(gmsh, 3, tag), "volume": volume}


def _own_name(gmsh: Any, dimension: int, tag: int) -> str:
    """The last part of the label in a STEP file as a name of a set: "Shapes/bracket/left bore" is left_bore."""
    name = str(gmsh.model.getEntityName(dimension, tag)).rpartition("/")[2].strip()
    return "" if name.startswith("Open CASCADE") else re.sub(r"[^\w-]+", "_", name)


def _extent(gmsh: Any) -> float:
    box = gmsh.model.getBoundingBox(-1, -1)
    return max(b - a for a, b in zip(box[:3], box[3:], strict=True))


def _name_groups(gmsh: Any, answer: dict[str, Any]) -> None:
    """Sets: every volume and face by its number, those with a name or colour by that too."""
    for dimension, key, word in ((3, "volumes", "volume"), (2, "faces", "face")):
        groups: dict[str, list[int]] = {}
        for entry in answer[key]:
            named = [
                f"{word}_{entry['number']}",
                entry["name"],
                f"color_{entry['color']}" if entry.get("color") else "",
            ]
            for name in dict.fromkeys(name for name in named if name):
                groups.setdefault(name, []).append(entry["number"])
        for name, tags in groups.items():
            gmsh.model.addPhysicalGroup(dimension, tags, name=name)


def _triangles(gmsh: Any, face: int) -> tuple[list[Any], list[Any]]:
    """Points (n, 3) of a face and triangles by their places in the list."""
    numbers, points, _ = gmsh.model.mesh.getNodes(2, face, includeBoundary=True)
    triangles = gmsh.model.mesh.getElementsByType(2, face)[1]
    order = np.argsort(numbers)
    places = order[np.searchsorted(numbers[order], triangles)]
    return points.reshape(-1, 3).tolist(), places.reshape(-1, 3).tolist()


if __name__ == "__main__":
    main()
