"""flexmb mesh info: contents and quality of a mesh file."""

from __future__ import annotations

from pathlib import Path


def mesh_info(file: Path, /, *, unit: str | None = None) -> int:
    """Print the mesh report: points, cells, sets, volume, inertia, quality, guessed unit, and whether it is sound.

    Parameters
    ----------
    file
        Mesh file: Gmsh, Abaqus/CalculiX .inp, Nastran .bdf, VTK, MED or another format that meshio reads.
    unit
        Unit of length of the file: m, mm, cm, um, inch, in, ft. Default: guessed from the size; the report shows it.
    """
    from flexmb.mesh.checks import check_mesh
    from flexmb.mesh.read import read_mesh
    from flexmb.mesh.report_text import mesh_report_text

    mesh = read_mesh(file, unit)
    report = check_mesh(mesh)
    print(mesh_report_text(mesh, report))
    return 2 if report.faults else 0
