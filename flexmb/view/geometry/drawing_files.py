"""Surfaces from files: STL (read here, text or binary), OBJ, PLY and OFF surfaces, and the surface of solid meshes.

Files store no unit: the model gives it, or it is guessed from the extent as for meshes. A surface from a file need not
be closed.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.errors import Fault, InputError
from flexmb.mesh.length_units import UNITS, length_unit
from flexmb.view.geometry.primitives import Solid

_SURFACES = (".obj", ".ply", ".off")
_FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def file_solid(path: str, unit: str | None = None) -> Solid:
    """The surface in a file, in metres; raises InputError."""
    try:
        ending = Path(path).suffix.lower()
        if ending == ".stl":
            return _in_metres(_merged(stl_corners(Path(path).read_bytes())), unit)
        if ending in _SURFACES:
            return _in_metres(_surface(Path(path)), unit)
        return _outside(path, unit)
    except OSError as error:
        raise InputError([Fault(f"'{path}' cannot be read ({error.strerror or error}).")]) from error


def stl_corners(content: bytes) -> Floats:
    """(t, 3, 3) corners of the triangles of an STL file, in its own unit."""
    count = int.from_bytes(content[80:84], "little") if len(content) >= 84 else 0
    if len(content) >= 84 and len(content) == 84 + 50 * count:
        corners = np.frombuffer(content, _FACET, count, 84)["corners"].astype(float)
    elif content[:200].lstrip()[:5].lower() == b"solid":
        text = content.decode("utf-8", "replace")
        rows = re.findall(r"^\s*vertex\s+(\S+)\s+(\S+)\s+(\S+)\s*$", text, re.MULTILINE | re.IGNORECASE)
        try:
            numbers = np.array(rows, dtype=float).reshape(-1, 3)
        except ValueError:
            raise InputError([Fault("the STL file has a vertex that is not three numbers.")]) from None
        if len(numbers) % 3:
            raise InputError([Fault(f"the STL file has {len(numbers)} vertices, not three per triangle.")])
        if not re.search(r"^\s*endsolid", text, re.MULTILINE | re.IGNORECASE):
            raise InputError([Fault("the STL file is truncated: it has no 'endsolid'.")])
        corners = numbers.reshape(-1, 3, 3)
    elif len(content) >= 84:
        text = f"the STL file is damaged: {count} triangles need {84 + 50 * count} bytes, it has {len(content)}."
        raise InputError([Fault(text)])
    else:
        raise InputError([Fault("this is not an STL file.")])
    if not len(corners):
        raise InputError([Fault("the STL file has no triangles.")])
    if not np.all(np.isfinite(corners)):
        raise InputError([Fault("the STL file has vertices that are not finite.")])
    return corners


def _merged(corners: Floats) -> Solid:
    """The triangles with shared points, without those of no area."""
    points, numbers = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    triangles = numbers.reshape(-1, 3).astype(np.int64)
    a, b, c = triangles.T
    return Solid(points, triangles[(a != b) & (b != c) & (c != a)])


def _surface(path: Path) -> Solid:
    """Triangles and quadrilaterals of a file of surfaces, in its own unit."""
    from flexmb.mesh.formats.through_meshio import read_through_meshio

    raw = read_through_meshio(path)
    pieces = [cells.nodes for cells in raw.cells if cells.kind == "tri3"]
    for cells in raw.cells:
        if cells.kind == "quad4":
            pieces += [cells.nodes[:, [0, 1, 2]], cells.nodes[:, [0, 2, 3]]]
    if not sum(len(piece) for piece in pieces):
        raise InputError([Fault("the file has no triangles.")])
    return _used(raw.points, np.concatenate(pieces))


def _outside(path: str, unit: str | None) -> Solid:
    from flexmb.mesh.read import read_mesh
    from flexmb.mesh.surface import outer_surface

    mesh = read_mesh(path, unit)
    triangles, _ = outer_surface(mesh)
    if not len(triangles):
        raise InputError([Fault("the mesh has no solid cells, so it has no surface.")])
    return _used(mesh.points, triangles)


def _used(points: Floats, triangles: Integers) -> Solid:
    """The solid without unused points."""
    numbers, places = np.unique(triangles, return_inverse=True)
    return Solid(points[numbers], places.reshape(-1, 3).astype(np.int64))


def _in_metres(solid: Solid, unit: str | None) -> Solid:
    word, _ = length_unit(unit, float(np.ptp(solid.points, axis=0).max()))
    return Solid(UNITS[word] * solid.points, solid.triangles)
