"""flexmb mesh info: what is in a mesh file."""

from __future__ import annotations

from pathlib import Path


def mesh_info(file: Path, /, *, unit: str | None = None) -> int:
    """What is in this mesh: points, cells, sets, volume, inertia, quality, unit guess; whether it is sound.

    Parameters
    ----------
    file
        Mesh file: Gmsh, Abaqus/CalculiX .inp, Nastran .bdf, VTK, MED or another format that meshio reads.
    unit
        Unit of length of the file: m, mm, cm, um, inch, in, ft. Default: guessed from the size, and said.
    """
    from flexmb.mesh.checks import check_mesh
    from flexmb.mesh.read import read_mesh
    from flexmb.mesh.report_text import mesh_report_text

    mesh = read_mesh(file, unit)
    report = check_mesh(mesh)
    print(mesh_report_text(mesh, report))
    return 2 if report.faults else 0
