"""All other formats, read by meshio, with guards: meshio prints, exits, and drops cells that it does not know.

Named sets come as point sets and cell sets (Exodus and others), as families with groups (MED), or as arrays of whole
numbers with few values (VTK, XDMF, Medit, ...): the array "part" with values 1 and 2 makes part_1 and part_2, an array
of zeros and ones makes the set "part" itself.
"""

from __future__ import annotations

import contextlib
import io
import re
import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from flexmb.arrays import Integers
from flexmb.errors import Fault, InputError
from flexmb.mesh.raw import RawCells, RawMesh, note_file
from flexmb.output_files import temporary_folder
from flexmb.suggestions import clipped

KINDS = {
    "vertex": "vertex",
    "line": "line2",
    "line3": "line3",
    "triangle": "tri3",
    "triangle6": "tri6",
    "quad": "quad4",
    "quad8": "quad8",
    "quad9": "quad9",
    "tetra": "tet4",
    "tetra10": "tet10",
    "hexahedron": "hex8",
    "hexahedron20": "hex20",
    "hexahedron27": "hex27",
    "wedge": "wedge6",
    "wedge15": "wedge15",
    "wedge18": "wedge18",
    "pyramid": "pyramid5",
    "pyramid13": "pyramid13",
}
"""Cell type in meshio -> in flexmb; others keep their meshio name"""
_KNOWN = ".msh, .inp, .bdf, .dat, .nas, .cdb, .unv, .frd, .vtk, .vtu, .med, .xdmf, .e"
_MOST_VALUES = 100
"""Most distinct values of an array that defines sets"""
_NOT_SETS = ("gmsh:geometrical", "gmsh:dim_tags", "GlobalNodeId", "GlobalElementId", "ids", "ObjectId")


def read_through_meshio(path: Path) -> RawMesh:
    """Points, cells and sets of any file that meshio reads, in the units of the file."""
    mesh = _read(path)
    points = np.asarray(mesh.points, dtype=np.float64)
    if points.size == 0 or points.ndim != 2 or points.shape[1] not in (2, 3):
        raise InputError([Fault("the file contains no points in 3D.")])
    raw = RawMesh(points[:, :3])
    for block in mesh.cells:
        nodes = np.asarray(block.data)
        if nodes.dtype == object or nodes.ndim != 2:
            nodes = np.zeros((len(block.data), 0), dtype=np.int64)
        elif nodes.size and (nodes.min() < 0 or nodes.max() >= len(points)):
            text = f"{block.type} cells use point {int(nodes.max())}, the file has {len(points)} (counted from 0)."
            raise InputError([Fault(text)])
        kind = KINDS.get(block.type, block.type)
        word = "point elements" if kind == "vertex" else ""
        raw.cells.append(RawCells(kind, nodes.astype(np.int64), element=word))
    _named_sets(mesh, raw)
    _families(mesh, raw)
    _arrays(mesh, raw)
    return raw


def _read(path: Path) -> Any:
    import meshio

    _complete(meshio)
    if not any("".join(path.suffixes[i:]).lower() in meshio.extension_to_filetypes for i in range(len(path.suffixes))):
        hint = f"Supported: {_KNOWN} and the other formats of meshio."
        raise InputError([Fault(f"the extension '{path.suffix}' is not one of a supported format.", hint=hint)])
    _check_references(path)
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            mesh = _read_whole(meshio, path)
    except MemoryError:
        raise
    except (Exception, SystemExit) as error:
        hint = f"Check that it is complete and has the extension of its format ({_KNOWN}, or another of meshio)."
        reason = str(error) if isinstance(error, meshio.ReadError) and str(error) else _last_message(printed.getvalue())
        because = f" ({reason[:200].strip(' .')})" if reason else ": a part of it is invalid"
        raise InputError([Fault(f"it cannot be read{because}.", hint=hint)]) from error
    if "cannot handle" in printed.getvalue():
        found = re.search(r"\(type .*?\)", printed.getvalue())
        text = f"the file contains cells that cannot be read{f' {found[0][:60]}' if found else ''}."
        raise InputError([Fault(text, hint="Write it with cells of first or second order.")])
    return mesh


def _check_references(path: Path) -> None:
    """Reject an XDMF file whose numbers are in another folder, or behind a link: it would read any file of the user."""
    if path.suffix.lower() not in (".xdmf", ".xmf"):
        return
    try:
        items = list(ElementTree.parse(path).iter("DataItem"))
    except ElementTree.ParseError:
        return  # meshio says what is wrong
    for item in items:
        if item.get("Format") == "XML":
            continue
        name = (item.text or "").strip().partition(":")[0]
        if Path(name).name != name or "\\" in name or (path.parent / name).is_symlink():
            text = f"its numbers are in the file {clipped(name)}, which is not in the folder of the mesh."
            raise InputError([Fault(text, hint="Put both files into one folder.")])
        note_file(path.parent / name)


def _last_message(printed: str) -> str:
    """The last message that meshio printed before it failed, without its own titles."""
    text = " ".join(printed.split()).partition("Error: Couldn't read")[0]
    return re.split(r"(?:Error|Warning): *", text)[-1].strip()


def _read_whole(meshio: Any, path: Path) -> Any:
    """Read a copy with a line end after the last numbers of a binary .vtk file: meshio needs it, Gmsh writes none."""
    with path.open("rb") as file:
        head = file.read(1000).split(b"\n")
    if path.suffix.lower() != ".vtk" or len(head) < 3 or head[2].strip().upper() != b"BINARY":
        return meshio.read(path)
    with temporary_folder() as folder:
        copy = folder / "mesh.vtk"
        shutil.copyfile(path, copy)
        with copy.open("ab") as file:
            file.write(b"\n")
        return meshio.vtk.read(copy)


def _complete(meshio: Any) -> None:
    """Add cell types that its tables lack: files with a 15-node wedge or 13-node pyramid fail without the first."""
    dimensions = getattr(meshio._mesh, "topological_dimension", None)
    if isinstance(dimensions, dict):
        dimensions.update({"wedge15": 3, "pyramid13": 3})
    med = getattr(getattr(meshio.med, "_med", None), "med_to_meshio_type", None)
    if isinstance(med, dict):
        for word, kind in {"H27": "hexahedron27", "P18": "wedge18", "QU9": "quad9"}.items():
            med.setdefault(word, kind)


def _named_sets(mesh: Any, raw: RawMesh) -> None:
    for name, nodes in (mesh.point_sets or {}).items():
        members = np.asarray(nodes).reshape(-1)
        if members.dtype.kind in "iu":
            raw.node_sets[str(name)] = np.unique(members.astype(np.int64))
    for name, blocks in (mesh.cell_sets or {}).items():
        if name.startswith("gmsh:"):
            continue
        chosen = {i: np.asarray(cells, dtype=np.int64) for i, cells in enumerate(blocks) if cells is not None}
        raw.cell_sets[str(name)] = {i: cells for i, cells in chosen.items() if len(cells)}


def _families(mesh: Any, raw: RawMesh) -> None:
    """MED: a family number on every node and cell, and the groups of every family."""
    point_groups, cell_groups = getattr(mesh, "point_tags", {}), getattr(mesh, "cell_tags", {})
    numbers = mesh.point_data.get("point_tags")
    for family, names in point_groups.items():
        for name in names if numbers is not None else []:
            members = np.flatnonzero(np.asarray(numbers) == family)
            raw.node_sets[name] = np.union1d(raw.node_sets.get(name, np.zeros(0, dtype=np.int64)), members)
    for i, values in enumerate(mesh.cell_data.get("cell_tags", [])):
        for family, names in cell_groups.items():
            members = np.flatnonzero(np.asarray(values) == family)
            for name in names if len(members) else []:
                before = raw.cell_sets.setdefault(name, {}).get(i, np.zeros(0, dtype=np.int64))
                raw.cell_sets[name][i] = np.union1d(before, members)


def _arrays(mesh: Any, raw: RawMesh) -> None:
    is_med = hasattr(mesh, "cell_tags")
    for name, values in mesh.point_data.items():
        if name in _NOT_SETS or (is_med and name == "point_tags"):
            continue
        for key, members in _sets_of_array(name, [np.asarray(values)]).items():
            raw.node_sets.setdefault(key, members[0])
    for name, blocks in mesh.cell_data.items():
        if name in _NOT_SETS or (is_med and name == "cell_tags"):
            continue
        for key, members in _sets_of_array(name, [np.asarray(values) for values in blocks]).items():
            raw.cell_sets.setdefault(key, members)


def _sets_of_array(name: str, parts: list[NDArray[Any]]) -> dict[str, dict[int, Integers]]:
    """Sets of one array given in parts; none unless it holds few distinct whole numbers."""
    if not parts or any(part.size != len(part) or part.dtype.kind not in "iub" for part in parts):
        return {}
    flat = [part.reshape(-1).astype(np.int64) for part in parts]
    values = np.unique(np.concatenate(flat))
    if len(values) > _MOST_VALUES or (len(values) > 2 and len(values) == sum(len(part) for part in flat)):
        return {}
    is_mask = set(values.tolist()) <= {0, 1}
    sets = {}
    for value in values[values == 1] if is_mask else values[values != 0]:
        members = {i: np.flatnonzero(part == value) for i, part in enumerate(flat)}
        sets[name if is_mask else f"{name}_{value}"] = {i: found for i, found in members.items() if len(found)}
    return sets
