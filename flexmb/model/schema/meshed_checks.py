"""Faults of bodies from meshes, and their reduction when the model has none.

A part is opened while the raw tables are checked, so that its faults are reported together with all others; a mesh is
reduced only after that. Joints that are placed by points must meet a marker, which is known from the mesh alone.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from flexmb.errors import ComputationError, Fault, InputError
from flexmb.model.schema.beam_checks import check_material, check_section_name
from flexmb.model.schema.checks import Path, References, Table, tables_of
from flexmb.model.schema.mesh_bodies import BodyFile, MeshBody, load_body
from flexmb.model.schema.mesh_checks import check_mesh, check_mesh_values
from flexmb.model.schema.meshed_bodies import MeshedBody
from flexmb.model.schema.sections import Material, NamedSection
from flexmb.model.schema.table import ValidationError, ValidationInfo, reader_of

if TYPE_CHECKING:
    from flexmb.model.schema.model_spec import ModelSpec


def check_meshed(references: References, name: str, table: Table) -> None:
    """Places, keys and files of one body from a mesh."""
    path: Path = ("bodies", name)
    check_mesh(references, name, table)
    check_section_name(references, table.get("section"), (*path, "section"))
    check_material(references, table.get("material"), (*path, "material"))
    materials = table.get("materials")
    for cell_set, material in materials.items() if isinstance(materials, dict) else ():
        check_material(references, material, (*path, "materials", cell_set))
    info = ValidationInfo(references.context)
    try:
        body = MeshedBody.read(dict(table), info)
        named = [
            {key: reader(one, info) for key, one in tables_of(references.tables, section).items()}
            for section, reader in (("materials", Material.read), ("sections", reader_of(NamedSection)))
        ]
    except ValidationError:
        return  # reported with all other keys
    _open(references, name, body, *named)


def _open(references: References, name: str, body: MeshedBody, materials: Any, sections: Any) -> None:
    from flexmb.bodies.part_cache import open_part

    faults: list[Fault] = []
    part = body.part(materials, sections, faults)
    opened = open_part(part, lambda file: load_body("", str(file)), faults, references.context.progress)
    references.faults += [_placed(name, body, fault) for fault in faults]
    if opened is not None and not faults:
        references.parts[name] = opened


def _placed(name: str, body: MeshedBody, fault: Fault) -> Fault:
    """A fault of the part at the key that it belongs to."""
    path = tuple(part for part in fault.path if str(part) != str(body.mesh))
    if not path or str(path[0]) not in MeshedBody.fields():
        no_interface = not fault.path and "interface" in fault.text
        path = ("interfaces",) if no_interface else ("mesh",)
    text = fault.text if fault.text.endswith(".") else f"{fault.text}."
    return Fault(f"body '{name}': {text}", ("bodies", name, *path), fault.hint)


def with_reduced_meshes(spec: ModelSpec, references: References) -> ModelSpec:
    """The model with bodies from the cache in place of meshes; those that it does not have are reduced."""
    bodies = dict(spec.bodies)
    faults: list[Fault] = []
    for name, opened in references.parts.items():
        body = bodies[name]
        assert isinstance(body, MeshedBody)
        try:
            bodies[name] = body.reduced(name, opened, references.context.progress)
        except InputError as error:
            faults += [_placed(name, body, fault) for fault in error.faults]
        except ComputationError as error:
            raise ComputationError(f"body '{name}': {error}") from error
    if not faults:
        spec = spec.model_copy(update={"bodies": bodies})
        check_mesh_values(references, spec)
        faults = references.faults
    if faults:
        raise InputError(list(dict.fromkeys(faults)))
    return spec


def seen_from_outside(spec: ModelSpec, references: References) -> ModelSpec:
    """The model with the markers of meshes that are not reduced yet, as far as joints look for them."""
    import numpy as np

    from flexmb.bodies.attachments import with_held
    from flexmb.bodies.reduce_mesh import marker_places

    bodies = dict(spec.bodies)
    for name, opened in references.parts.items():
        body = bodies[name]
        seen: Any = opened.body
        if not isinstance(body, MeshedBody):
            continue
        if opened.mesh is not None:
            request = opened.part.request
            places = marker_places(with_held(opened.mesh, request), [*request.interfaces, *request.markers])
            markers = [SimpleNamespace(name=marker, p_b=place) for marker, place in places.items()]
            seen = SimpleNamespace(markers=markers, length=float(np.ptp(opened.mesh.points, axis=0).max()))
        file = BodyFile(str(body.mesh), seen, str(body.mesh))
        bodies[name] = MeshBody.model_construct(file=file, at=body.at, orientation=body.orientation)
    return spec.model_copy(update={"bodies": bodies})
