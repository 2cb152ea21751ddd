"""Solid geometry (STEP, IGES, BREP, STL) to a mesh or a list of its faces, by gmsh in a process of its own.

gmsh is optional (extra `cad`): it takes 90 MB, and who has a mesh already does not need it. Faces of a STEP file have
the names of its ADVANCED_FACEs, which gmsh drops: they are read here, and used only if number and kinds of all faces
agree.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from flexmb.errors import ComputationError, Fault, InputError
from flexmb.input_files import file_fault
from flexmb.mesh.length_units import UNITS
from flexmb.output_files import draft_of, write_errors

FORMATS = (".step", ".stp", ".iges", ".igs", ".brep", ".stl")
MOST_CELLS = 2_000_000
"""Most cells that a mesh may be estimated to have: a reduction of more needs a larger machine"""
_CELLS_PER_CUBE = 8.5
"""Tetrahedra per cube of their edge: one over the volume of a regular one, sqrt(2)/12"""
_MILLIMETRE = 1e-3
_WORKER = ("-m", "flexmb.mesh.gmsh_worker")
_LARGEST_NAMED = 200_000_000
"""Largest STEP file whose names are read [bytes]"""
_STEP_FACE = re.compile(r"#(\d+)\s*=\s*ADVANCED_FACE\s*\(\s*'([^']*)'\s*,\s*\([^)]*\)\s*,\s*#(\d+)")


@dataclass(frozen=True)
class Face:
    """A face of a part."""

    number: int
    kind: str
    """Plane, Cylinder, Torus, ..."""
    name: str
    """In the file; empty: it has none"""
    color: str
    """rrggbb; empty: it has none"""
    area: float
    """[m^2]; zero: not known"""
    center: tuple[float, float, float]
    """[m]"""
    points: Any = None
    """(n, 3) [m] of a coarse triangulation, if it is requested"""
    triangles: Any = None
    """(m, 3) places in `points`"""


@dataclass(frozen=True)
class Geometry:
    """Faces and volumes of a file."""

    faces: tuple[Face, ...]
    volumes: tuple[tuple[int, str, float], ...]
    """Number, name, volume [m^3]"""
    size: float
    """Largest extent [m]"""


def read_geometry(path: Path, unit: str | None = None, *, triangles: bool = False) -> Geometry:
    """Faces and volumes; unit : of an STL file; triangles : also a coarse triangulation of every face"""
    length = _checked(path, unit)
    words = {"path": str(path.absolute()), "names": _step_names(path)}
    answer = _asked({"do": "list", **words})
    if triangles:
        answer = _asked({"do": "surface", **words, "size": answer["size"] / 20.0})
    return _geometry(answer, length)


def make_mesh(path: Path, target: Path, size: float, *, order: int = 2, unit: str | None = None) -> Geometry:
    """Write a mesh of tetrahedra of this size [m] in Gmsh format, in mm (STL: in its unit), with faces as sets."""
    length = _checked(path, unit)
    if order not in (1, 2):
        raise InputError([Fault(f"the order of cells is 1 or 2, found {order}.", ("--order",))])
    if target.suffix.lower() != ".msh":
        raise InputError([Fault(f"the name of the mesh must end in .msh, found '{target.name}'.", ("--output",))])
    words = {"path": str(path.absolute()), "names": _step_names(path)}
    geometry = _geometry(_asked({"do": "list", **words}), length)
    _check_size(geometry, size)
    with write_errors(target), draft_of(target, ".msh") as draft:
        _asked({"do": "mesh", **words, "size": size / length, "order": order, "output": str(draft)})
    return geometry


def _check_size(geometry: Geometry, size: float) -> None:
    if not geometry.volumes:
        raise InputError("the file has no volume, only surfaces: export the part as a solid.")
    if not 0.0 < size < geometry.size:
        text = f"the size of cells must be above 0 and below that of the part, {1e3 * geometry.size:.4g} mm."
        raise InputError([Fault(text, ("--size",))])
    cells = _CELLS_PER_CUBE * sum(volume for _, _, volume in geometry.volumes) / size**3
    if cells > MOST_CELLS:
        least = size * (cells / MOST_CELLS) ** (1.0 / 3.0)
        text = f"cells of {1e3 * size:.3g} mm would be about {cells:,.0f}, and at most {MOST_CELLS:,} are made."
        raise InputError([Fault(text, ("--size",), f"Use {1e3 * least:.2g} mm or more.")])


def _checked(path: Path, unit: str | None) -> float:
    """Length of the unit in which gmsh sees the file [m]; raises InputError for anything that cannot be meshed."""
    if fault := file_fault(path, "geometry file"):
        raise InputError(fault)
    if path.suffix.lower() not in FORMATS:
        raise InputError(f"'{path}' is not a geometry: its name must end in {', '.join(FORMATS)}.")
    is_stl = path.suffix.lower() == ".stl"
    if is_stl and unit is None:
        raise InputError([Fault("an STL file has no unit.", ("--unit",), "Give --unit mm, or another one.")])
    if not is_stl and unit is not None:
        raise InputError([Fault("the unit of this format is in the file.", ("--unit",), "Leave it out.")])
    if unit is not None and unit not in UNITS:
        raise InputError([Fault(f"'{unit}' is not a unit of length.", ("--unit",), f"Units: {', '.join(UNITS)}.")])
    if find_spec("gmsh") is None:
        raise InputError(
            "gmsh is not installed, which makes meshes of geometry. Install it: pip install 'flexmb[cad]'."
        )
    return _MILLIMETRE if unit is None else UNITS[unit]


def _step_names(path: Path) -> list[tuple[str, str]]:
    """(name, kind of surface) of the faces of the only shell of a STEP file, in its order; nothing for others."""
    if path.suffix.lower() not in (".step", ".stp") or path.stat().st_size > _LARGEST_NAMED:
        return []
    text = path.read_text(encoding="latin-1")
    shells = re.findall(r"CLOSED_SHELL\s*\(\s*'[^']*'\s*,\s*\(([^)]*)\)", text)
    faces = {m[1]: (m[2], m[3]) for m in _STEP_FACE.finditer(text)}
    numbers = shells[0].replace("#", " ").replace(",", " ").split() if len(shells) == 1 else []
    kinds = {m[1]: m[2] for m in re.finditer(r"#(\d+)\s*=\s*([A-Z_]+)", text)}
    return [(faces[n][0], kinds.get(faces[n][1], "")) for n in numbers] if all(n in faces for n in numbers) else []


def _asked(request: dict[str, Any]) -> Any:
    """The answer of gmsh; raises ComputationError if it fails or crashes."""
    done = subprocess.run(
        [sys.executable, *_WORKER], input=json.dumps(request), capture_output=True, text=True, check=False
    )
    try:
        answer = json.loads(done.stdout.strip().rpartition("\n")[2])
    except ValueError:
        last = (done.stderr.strip().splitlines() or [f"it ended with code {done.returncode}"])[-1]
        raise ComputationError(f"gmsh failed on '{Path(request['path']).name}': {last[:300]}.") from None
    if "error" in answer:
        reason = answer["error"][:300].rstrip(".")
        raise ComputationError(f"gmsh cannot use '{Path(request['path']).name}': {reason}.")
    return answer


def _geometry(answer: Any, length: float) -> Geometry:
    import numpy as np

    faces = []
    for face in answer["faces"]:
        points = np.array(face["points"]) * length if "points" in face else None
        triangles = np.array(face["triangles"], dtype=np.int64).reshape(-1, 3) if "points" in face else None
        x, y, z = (length * value for value in face["center"])
        text = (face["number"], face["kind"], face["name"], face["color"])
        faces.append(Face(*text, face["area"] * length**2, (x, y, z), points, triangles))
    volumes = tuple((each["number"], each["name"], each["volume"] * length**3) for each in answer["volumes"])
    return Geometry(tuple(faces), volumes, answer["size"] * length)
