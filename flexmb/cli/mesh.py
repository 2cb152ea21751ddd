"""flexmb mesh info: contents and quality of a mesh file."""

from __future__ import annotations

from pathlib import Path


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
