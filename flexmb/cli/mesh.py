"""flexmb mesh info, make, faces: a mesh file, a mesh of solid geometry, the faces of solid geometry."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter


def mesh_info(file: Path, /, *, unit: str | None = None, json: bool = False, strict: bool = False) -> int:
    """Print the mesh report: points, cells, sets, volume, inertia, quality, guessed unit, and whether it is sound.

    Parameters
    ----------
    file
        Mesh file: Gmsh, Abaqus/CalculiX .inp, Nastran .bdf, Ansys .cdb, .unv, .frd, VTK, MED or another of meshio.
    unit
        Unit of length of the file: m, mm, cm, um, inch, in, ft. Default: guessed from the size; the report shows it.
    json
        Print one JSON document instead of the report: counts, volume, quality, faults, warnings.
    strict
        Exit with code 1 when there are warnings.
    """
    from flexmb.cli.json_output import exit_code, mesh_document, print_document
    from flexmb.mesh.checks import check_mesh
    from flexmb.mesh.read import read_mesh
    from flexmb.mesh.report_text import mesh_report_text

    mesh = read_mesh(file, unit)
    report = check_mesh(mesh)
    if json:
        print_document("mesh info", mesh_document(mesh, report))
    else:
        print(mesh_report_text(mesh, report))
    return 2 if report.faults else exit_code(report.warnings, strict)


def mesh_make(
    part: Path,
    /,
    *,
    size: str,
    order: int = 2,
    unit: str | None = None,
    output: Annotated[Path | None, Parameter(name=("--output", "-o"))] = None,
) -> int:
    """Mesh solid geometry with tetrahedra, by gmsh (pip install 'flexmb[cad]'); faces and volumes become sets.

    flexmb mesh make part.step --size 3mm

    Parameters
    ----------
    part
        Geometry: STEP, IGES, BREP, or STL (closed surface).
    size
        Largest edge of a cell, e.g. 3mm; curved faces get smaller ones, at least 12 around a circle.
    order
        Order of the cells: 2 (tet10, default) or 1 (tet4, too stiff in bending).
    unit
        Unit of length of an STL file: m, mm, cm, in, ft, um. The other formats have their own.
    output
        Mesh (.msh, in mm; of an STL file in its unit); default: the name of the part, in the current folder.
    """
    from flexmb.mesh.checks import check_mesh
    from flexmb.mesh.geometry import make_mesh
    from flexmb.mesh.read import read_mesh
    from flexmb.mesh.report_text import mesh_report_text

    target = output or Path(f"{part.stem}.msh")
    make_mesh(part, target, _length(size), order=order, unit=unit)
    mesh = read_mesh(target, unit or "mm")
    report = check_mesh(mesh)
    print(mesh_report_text(mesh, report))
    print(f'\n{target}: give --unit {unit or "mm"} (in a model file: unit = "{unit or "mm"}") where you use it.')
    return 2 if report.faults else 0


def mesh_faces(part: Path, /, *, unit: str | None = None, picture: Path | None = None) -> int:
    """List the faces of solid geometry with their numbers, and draw them, so that interfaces can be picked.

    Parameters
    ----------
    part
        Geometry: STEP, IGES, BREP, or STL (faces meet at angles above 40 degrees).
    unit
        Unit of length of an STL file.
    picture
        Picture (.png) of the faces with their numbers, from two sides.
    """
    from flexmb.errors import InputError
    from flexmb.mesh.geometry import read_geometry
    from flexmb.output_files import replacing_fault, suffix_fault

    if picture is not None and (fault := suffix_fault(picture, (".png",)) or replacing_fault(picture, ".png")):
        raise InputError(fault)
    geometry = read_geometry(part, unit, triangles=picture is not None)
    print("set        surface        area [mm^2]    centre x, y, z [mm]               name, colour")
    for face in geometry.faces:
        x, y, z = (round(1e3 * value, 4) + 0.0 for value in face.center)
        named = ", ".join(word for word in (face.name, f"color_{face.color}" if face.color else "") if word)
        area = f"{1e6 * face.area:.6g}" if face.area else ""
        print(f"{f'face_{face.number}':10} {face.kind[:14]:14} {area:>11} {x:11g} {y:10g} {z:10g}    {named}".rstrip())
    if picture is not None:
        from flexmb.view.face_picture import write_face_picture

        write_face_picture(geometry.faces, part.stem, picture)
        print(f"\n{picture}")
    return 0


def _length(text: str) -> float:
    """A length with its unit [m]."""
    from flexmb.errors import Fault, InputError
    from flexmb.model.expressions.parser import parse_quantity
    from flexmb.model.expressions.tokens import TextError
    from flexmb.model.units import KINDS

    try:
        if text.strip().replace(".", "").isdigit():
            raise InputError([Fault("give a unit, such as 3mm.", (f"--size {text}",))])
        return float(parse_quantity(text, KINDS["length"]))
    except TextError as error:
        raise InputError([Fault(error.message, (f"--size {text}",), error.hint)]) from None
