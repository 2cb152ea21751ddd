"""A part: a mesh file, what it is made of and how it is reduced; from there to a reduced body.

`flexmb reduce` and a body of a model file with the key `mesh` are the same part, with the same faults and numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmb.elements.material import Material, material_text
from flexmb.elements.section import Section
from flexmb.errors import Fault, InputError
from flexmb.mesh.deck import USED
from flexmb.mesh.mesh import LINES, Mesh
from flexmb.mesh.select import select_nodes
from flexmb.reduction.request import ReductionRequest, material_faults, section_faults, with_rest

if TYPE_CHECKING:
    from flexmb.bodies.reduced_body import ReducedBody

Progress = Callable[[str, float], None] | None
_READING_SECONDS = 1e-7
"""[s] for every byte of a mesh file: Nastran 1.2e-7, Abaqus 0.5e-7, Gmsh 0.3e-7 were measured, and checks come after"""


@dataclass(frozen=True)
class Part:
    """A mesh file and the request for its reduction."""

    mesh: Path
    request: ReductionRequest
    """With an empty field: as is usual for the mesh"""
    materials: Mapping[str, Material] = field(default_factory=dict)
    """By cell set; "": of all other cells"""
    unit: str | None = None
    """Unit of length of the mesh; None: guessed"""
    section: Section | None = None
    """Cross-section of line cells"""
    y_axis: tuple[float, float, float] | None = None
    thickness: Mapping[str, float] | None = None
    """[m] of shell cells by cell set; "": of all others"""
    straighten: bool = False
    """Whether folded second-order cells get straight edges"""

    def read_mesh(self, faults: list[Fault], progress: Progress = None) -> Mesh | None:
        """The mesh, with the warnings of its checks among its losses; None if it cannot be read."""
        has_matrices = self.request.stiffness is not None
        options = {"shells": bool(self.thickness), "straighten": self.straighten}
        return read_part_mesh(self.mesh, self.unit, has_matrices, faults, progress, **options)

    def with_usual_field(self, mesh: Mesh | None) -> Part:
        """The part with the usual field of its mesh, unless one is given; mesh : None if it could not be read"""
        if self.request.field:
            return self
        return replace(self, request=replace(self.request, field=usual_field(mesh, self.request.stiffness is not None)))

    def mesh_faults(self, mesh: Mesh) -> list[Fault]:
        """Faults of the request against the mesh."""
        from flexmb.bodies.attachments import attachment_faults, with_held
        from flexmb.elements.cell_properties import cell_properties, has_properties

        faults = attachment_faults(mesh, self.request)
        if not faults:
            mesh = with_held(mesh, self.request)
        faults += self.request.mesh_faults(mesh, select_nodes)
        if self.request.stiffness is None:
            found = material_faults(mesh, self.materials, others=has_properties(mesh))
            if not self.materials and not has_properties(mesh):
                hint = "Give one, e.g. steel: the file does not say what its cells are made of."
                found.append(Fault("no material is given", ("material",), hint))
            found += section_faults(mesh, self.section)
            if not found:
                try:
                    cell_properties(mesh, self.materials or None, self.thickness, self.section, self.y_axis)
                except InputError as error:
                    found = list(error.faults)
            faults += found
        if self.request.loads:
            from flexmb.bodies.mesh_loads import load_faults

            is_elastic = self.request.stiffness is None
            faults += load_faults(mesh, self.request.loads, self.materials if is_elastic else None)
        return faults

    def reduced(self, mesh: Mesh, *, progress: Progress = None, command: str = "") -> ReducedBody:
        """The body from solids and shells, from beams along line cells, or from imported matrices."""
        from flexmb.bodies.compile_ahead import compile_ahead
        from flexmb.bodies.reduce_mesh import reduce_assembled, reduce_mesh

        compile_ahead()
        names: dict[str, Any] = {"name": self.mesh.stem, "progress": progress}
        names["provenance"] = self._provenance(mesh, command)
        request = self.request
        if request.stiffness is not None:
            from flexmb.elements.matrix_files import read_matrices, self_test

            model = read_matrices(
                request.stiffness, request.mass, request.dofs, mesh, unit=mesh.unit, check=True, progress=progress
            )
            warnings = [finding.text for finding in self_test(model) if finding.level == "care"]
            return reduce_assembled(model, mesh, request, warnings=warnings, **names)
        mesh, assigned = with_rest(mesh, self.materials)
        given: dict[str, Any] = {"thickness": self.thickness, "section": self.section, "y_axis": self.y_axis}
        return reduce_mesh(mesh, assigned or None, request, **given, **names)

    def _provenance(self, mesh: Mesh, command: str) -> dict[str, str]:
        from flexmb import __version__

        return {
            "mesh file": f"{self.mesh} (in {mesh.unit})",
            "sha256 of the mesh": file_hash(self.mesh),
            "material": "; ".join(material_text(name, material) for name, material in self.materials.items()),
            "command": command,
            "flexmb": __version__,
        }


def read_part_mesh(
    path: Path,
    unit: str | None,
    has_matrices: bool,
    faults: list[Fault],
    progress: Progress = None,
    *,
    shells: bool = False,
    straighten: bool = False,
) -> Mesh | None:
    """The mesh, with the warnings of its checks among its losses; None if it cannot be read."""
    from flexmb.mesh.checks import reject_bad
    from flexmb.mesh.length_units import LARGEST_COORDINATE, length_unit
    from flexmb.mesh.losses import Loss
    from flexmb.mesh.read import read_mesh
    from flexmb.mesh.straighten import straightened

    if progress is not None:
        progress(_reading_text(path), float("nan"))
    try:
        length_unit(unit, 0.0)
    except InputError as error:
        faults += error.faults
        unit = None  # the sets can be checked in any unit
    mesh = None
    try:
        uses = frozenset({"materials"}) if has_matrices else USED
        mesh = read_mesh(path, unit, uses=uses, shells=shells)
        if straighten and np.all(np.abs(mesh.points) < LARGEST_COORDINATE):
            mesh = straightened(mesh)
        if not has_matrices:  # imported matrices use only the nodes
            warnings = [warning for warning in reject_bad(mesh).warnings if warning.code != "empty-sets"]
            levels = {"layered-cells": "note"}
            losses = [Loss("mesh", found.text.rstrip("."), level=levels.get(found.code, "care")) for found in warnings]
            mesh = replace(mesh, losses=(*mesh.losses, *losses))
    except InputError as error:
        faults += error.faults
    return mesh


def _reading_text(path: Path) -> str:
    """The stage for reading: it cannot report how far it is, so that its expected time is given if it is long."""
    expected = _READING_SECONDS * (path.stat().st_size if path.is_file() else 0)
    return "reading the mesh" if expected < 1.0 else f"reading the mesh (about {expected:.0f} s)"


def usual_field(mesh: Mesh | None, has_matrices: bool) -> str:
    """Deformation field that is used unless one is given; mesh : None if it could not be read"""
    has_beams = mesh is not None and any(block.kind in LINES for block in mesh.cells)
    return "linear" if has_beams or has_matrices else "quadratic"


def file_hash(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal digits."""
    digest = sha256()
    with path.open("rb") as file:
        while piece := file.read(2**20):
            digest.update(piece)
    return digest.hexdigest()
