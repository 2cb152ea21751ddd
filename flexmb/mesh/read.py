"""Reading mesh files of all formats.

Gmsh, Abaqus or CalculiX, Nastran and Ansys files, universal files, results of CalculiX and Medit meshes of second order
are read here, because meshio does not know them or loses their sets; all others go through meshio. The content decides
if an extension is used by several formats. Repairs, omissions and guesses are in the notes of the mesh; a mesh that
cannot be used is rejected with all faults at once, each with the name of the file.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from flexmb.errors import Fault, InputError
from flexmb.mesh.build import build_mesh
from flexmb.mesh.deck import USED
from flexmb.mesh.length_units import length_unit
from flexmb.mesh.mesh import Mesh
from flexmb.mesh.raw import RawMesh
from flexmb.suggestions import nearest

_HEAD = 20_000
"""Bytes that are read to detect the format"""


def read_mesh(path: str | Path, unit: str | None = None, *, uses: frozenset[str] = USED, shells: bool = False) -> Mesh:
    """Read a mesh, in metres. `unit`: of the file, m, mm, cm, um, inch, in, ft; None: guessed, with a note.

    `uses`: kinds of deck data that are used (`mesh/deck.py`); the others are losses. `shells`: surface cells beside
    solids are shells; without solid and line cells they always are.
    """
    path = Path(path)
    if unit is not None:
        length_unit(unit, 0.0)
    try:
        return build_mesh(_understood(path), unit, path.stem, str(path), uses=uses, shells=shells)
    except InputError as error:
        raise InputError([replace(fault, path=(str(path), *fault.path)) for fault in error.faults]) from error
    except OSError as error:
        raise InputError([Fault(f"the file cannot be read ({error.strerror or error}).", (str(path),))]) from error


def _understood(path: Path) -> RawMesh:
    """The raw mesh of a file; unexpected exceptions of a reader mean that the file is damaged."""
    try:
        return _read(path)
    except MemoryError as error:
        raise InputError(
            [Fault("the file does not fit into memory, or is damaged.", hint="Write it again.")]
        ) from error
    except (ValueError, LookupError, ArithmeticError, TypeError, RecursionError) as error:
        raise InputError([Fault("the file is damaged: a part of it is invalid.", hint="Write it again.")]) from error


def _read(path: Path) -> RawMesh:
    if not path.exists():
        raise InputError([Fault("there is no such file.", hint=_beside(path))])
    if not path.is_file():
        raise InputError([Fault("this is not a file.")])
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if not head.strip():
        raise InputError([Fault("the file is empty.")])
    form = _format(path, head)
    if form == "gmsh":
        from flexmb.mesh.formats.gmsh import read_gmsh

        return read_gmsh(path)
    if form == "abaqus":
        from flexmb.mesh.formats.abaqus import read_abaqus

        return _with_end_noted(read_abaqus(path), path)
    if form == "nastran":
        from flexmb.mesh.formats.nastran import read_nastran

        return _with_end_noted(read_nastran(path), path)
    return _read_others(path)


def _read_others(path: Path) -> RawMesh:
    """Formats that are known by their extension."""
    ending = path.suffix.lower()
    if ending == ".cdb":
        from flexmb.mesh.formats.ansys import read_ansys

        return read_ansys(path)
    if ending in (".unv", ".uff"):
        from flexmb.mesh.formats.universal_file import read_universal_file

        return read_universal_file(path)
    if ending == ".frd":
        from flexmb.mesh.formats.calculix_results import read_calculix_results

        return read_calculix_results(path)
    if ending == ".mesh":
        from flexmb.mesh.formats.medit import is_second_order, read_medit

        if is_second_order(path):
            return read_medit(path)
    from flexmb.mesh.formats.through_meshio import read_through_meshio

    return read_through_meshio(path)


def _with_end_noted(raw: RawMesh, path: Path) -> RawMesh:
    """Note an unfinished last line: these formats have no end mark that would reveal a truncated file."""
    with path.open("rb") as file:
        file.seek(-1, 2)
        if file.read(1) not in b"\r\n":
            raw.notes.append("The last line of the file is not finished: it may be truncated.")
    return raw


def _format(path: Path, head: bytes) -> str:
    """One of gmsh, abaqus, nastran, or empty: meshio decides by extension."""
    if re.match(rb"\s*\$MeshFormat", head):
        return "gmsh"
    ending = path.suffix.lower()
    if ending in (".bdf", ".nas", ".fem", ".blk"):
        return "nastran"
    if ending in (".inp", ".dat", ".txt", ".msh", ".pch"):
        if re.search(rb"^\s*\*[A-Za-z]", head, re.MULTILINE) and not re.search(rb"^GRID\*?\s", head, re.MULTILINE):
            return "abaqus"
        if re.search(rb"^\s*(?:GRID[*, ]|BEGIN\s+BULK|CEND|SOL\s+\d|CTETRA|CHEXA)", head, re.MULTILINE | re.IGNORECASE):
            return "nastran"
    if ending == ".msh":
        hint = "Write it with Gmsh, or give it the extension of its format."
        raise InputError([Fault("this is not a Gmsh mesh: it does not begin with $MeshFormat.", hint=hint)])
    return ""


def _beside(path: Path) -> str:
    """Suggestion of a similar file name in the folder."""
    if not path.parent.is_dir():
        return f"The folder {path.parent} does not exist either."
    near = nearest(path.name, [entry.name for entry in path.parent.iterdir()])
    return f"Did you mean {path.parent / near[0]}?" if near else ""
