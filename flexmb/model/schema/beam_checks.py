"""Faults between parts of flexible bodies: sections and materials by name, shapes and field, lumps, loads on beams."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from flexmb.model.schema.beams import BeamBody, FlexibleTable
from flexmb.model.schema.bodies import Strict
from flexmb.model.schema.checks import Path, References, Table, check_markers, tables_of
from flexmb.model.schema.loads import DistributedForce
from flexmb.model.schema.modal import ModalBody
from flexmb.model.schema.sections import GeneralSection, Material
from flexmb.suggestions import clipped, did_you_mean

if TYPE_CHECKING:
    from flexmb.model.schema.model_spec import ModelSpec

_OFF_AXIS = 1e-6
"""Distance of a point from the beam axis that is round-off, relative to the length."""


def check_beam(references: References, name: str, table: Table) -> None:
    """Names and keys of one beam that belong together."""
    path: Path = ("bodies", name)
    ends = table.get("beam")
    for i, where in enumerate(ends if isinstance(ends, (list, tuple)) else ()):
        references.place(where, (*path, "beam", i))
    _check_sections(references, name, table)
    check_material(references, table.get("material"), (*path, "material"))
    shapes = table.get("shapes")
    _check_shapes(references, name, shapes if isinstance(shapes, Mapping) else {})
    if "order" in table and table.get("field", "exact") != "quadratic":
        text = f"body '{name}': 'order' belongs to field = \"quadratic\""
        field = f'the field is "{clipped(table["field"])[1:-1]}"' if "field" in table else 'the field is "exact"'
        references.add((*path, "order"), f"{text}; {field}", "Remove 'order' or change the field.")
    family = shapes.get("family", "monomials") if isinstance(shapes, Mapping) else "monomials"
    if table.get("shear") is True and shapes is not None and family not in ("elements", "auto"):
        text = f"body '{name}': shear deformation needs shapes from beam elements"
        references.add(
            (*path, "shear"), text, 'Give shapes = { family = "elements", elements = 10 }, or leave out shapes.'
        )
    check_damping(references, name, table.get("damping"))
    check_markers(references, table.get("markers"), (*path, "markers"))


def _check_sections(references: References, name: str, table: Table) -> None:
    path: Path = ("bodies", name)
    if "section" in table and "sections" in table:
        text = f"body '{name}' has section and sections: give only one of them"
        references.add((*path, "sections"), text)
    elif "section" not in table and "sections" not in table and "beam" in table:
        hint = 'For example section = { type = "circle", radius = "3 mm" }.'
        references.add((*path, "section"), f"body '{name}' needs 'section' (or 'sections', a list from A to B)", hint)
    check_section_name(references, table.get("section"), (*path, "section"))
    steps = table.get("sections")
    steps = steps if isinstance(steps, (list, tuple)) else ()
    if "sections" in table and isinstance(table["sections"], (list, tuple)) and not steps:
        references.add((*path, "sections"), f"body '{name}': sections is empty")
    for i, step in enumerate(steps):
        if not isinstance(step, Mapping):
            continue
        place = (*path, "sections", i)
        check_section_name(references, step.get("section"), (*place, "section"))
        check_material(references, step.get("material"), (*place, "material"))
        if i < len(steps) - 1 and "to" not in step:
            text = f"body '{name}': part {i + 1} of the sections needs 'to' (distance of its end from A)"
            references.add((*place, "to"), text)


def check_section_name(references: References, section: Any, path: Path) -> None:
    """A section by name."""
    known = list(tables_of(references.tables, "sections", any_value=True))
    if isinstance(section, str) and section not in known:
        hint = did_you_mean(section, known, "Sections")
        hint = hint if known else 'Write { type = "circle", radius = .. }, or add [sections.NAME].'
        references.add(path, f"{references.owner(path)}: no section '{section[:60]}'", hint)


def check_material(references: References, material: Any, path: Path) -> None:
    """A material by name."""
    if not isinstance(material, str):
        return
    from flexmb.elements.material import MATERIALS

    known = [*tables_of(references.tables, "materials", any_value=True), *MATERIALS]
    if material not in known:
        hint = did_you_mean(material, known, "Materials")
        references.add(path, f"{references.owner(path)}: no material '{material[:60]}'", hint)


def _check_shapes(references: References, name: str, shapes: Table) -> None:
    path: Path = ("bodies", name, "shapes")
    family = shapes.get("family", "monomials")
    if "supports" in shapes and family in ("monomials", "auto"):
        text = f"body '{name}': {'monomials' if family == 'monomials' else 'automatic shapes'} have no supports"
        references.add((*path, "supports"), text, 'Remove it, or use family = "modes" or "elements".')
    if family in ("monomials", "modes", "auto"):
        if "elements" in shapes:
            text = f"body '{name}': 'elements' belongs to family = \"elements\", not to \"{family}\""
            references.add((*path, "elements"), text)
        bending = shapes.get("bending")
        counts = {"bending": list(bending.values()) if isinstance(bending, Mapping) else [bending]}
        counts |= {key: [shapes.get(key)] for key in ("axial", "torsion")}
        for key, given in counts.items():
            if "all" in given:
                text = f'body \'{name}\': {key} = "all" belongs to family = "elements"; give a number'
                references.add((*path, key), text)


def check_damping(references: References, name: str, damping: Any) -> None:
    """Forms of damping that exclude each other."""
    if not isinstance(damping, Mapping):
        return
    path: Path = ("bodies", name, "damping")
    forms = [key for key in ("ratio", "ratios", "rule") if key in damping]
    forms += ["mass and stiffness"] if "mass" in damping or "stiffness" in damping else []
    if len(forms) > 1:
        text = f"body '{name}': damping has {' and '.join(forms)}: give only one of these forms"
        references.add(path, text)
    elif not forms:
        hint = "Give one of: ratio, ratios, mass and stiffness, rule."
        references.add(path, f"body '{name}': damping is empty", hint)


def check_modal(references: References, name: str, table: Table) -> None:
    """Places of one modal body."""
    path: Path = ("bodies", name)
    references.place(table.get("at"), (*path, "at"))
    check_markers(references, table.get("markers"), (*path, "markers"))


def on_beam(references: References, body: Any, path: Path, what: str) -> bool:
    """Whether `body` is a beam; adds a fault when it is something else."""
    kind = references.kinds.get(body) if isinstance(body, str) else None
    if body == "ground" or kind in _KIND_WORDS:
        found = "ground" if body == "ground" else f"body '{body}', which is {_KIND_WORDS[str(kind)]}"
        beams = [name for name, other in references.kinds.items() if other == "beam"]
        hint = f"Beams: {', '.join(beams[:12])}." if beams else "A beam is a body with 'beam' instead of 'mass'."
        references.add(path, f"{references.owner(path)}: {what} needs a beam, found {found}", hint)
        return False
    return kind == "beam"


_KIND_WORDS = {"rigid": "rigid", "modal": "given by its matrices", "mesh": "from a body file"}


def reject_bare_modal(references: References, reference: Any, path: Path, what: str) -> None:
    """Require a marker other than the origin on a body given by matrices or a file: its origin carries no shapes."""
    if not isinstance(reference, str):
        return
    body, _, marker = reference.partition(".")
    kind = references.kinds.get(body)
    if kind in ("modal", "mesh") and marker in ("", "origin"):
        owner, shapes = ("modal body", " with shapes") if kind == "modal" else ("body", " of its file")
        text = f"{references.owner(path)}: {what} of the {owner} '{body}' must name a marker{shapes}"
        references.add(path, text, marker_hint(references, body))


def reject_modal_at(references: References, name: str, bodies: Any) -> None:
    """Reject a joint placed by a point on a modal body, whose shapes are known only at its markers."""
    for i, body in enumerate(bodies if isinstance(bodies, (list, tuple)) else ()):
        if isinstance(body, str) and references.kinds.get(body) == "modal":
            text = f"joint '{name}': the shapes of the modal body '{body}' are known only at its markers"
            hint = f"Connect markers: markers = [.., '{body}.MARKER']. {marker_hint(references, body)}"
            references.add(("joints", name, "bodies", i), text, hint)


def marker_hint(references: References, body: str) -> str:
    """Hint with the markers of a body, or on how to add one."""
    own = [marker for marker in references.markers.get(body, ()) if marker != "origin"]
    if own:
        return f"Markers: {', '.join(f'{body}.{marker}' for marker in own[:12])}."
    if references.kinds.get(body) == "mesh":
        is_mesh = "mesh" in tables_of(references.tables, "bodies")[body]
        remedy = "Give 'interfaces'." if is_mesh else "Its file has no markers: reduce again with --interface NAME."
        return "" if body in references.unread else remedy
    return f"Add [bodies.{body}.markers.NAME] with Phi and Theta."


def check_flexible_values(references: References, spec: ModelSpec) -> None:
    """Faults that need the numbers of the flexible bodies."""
    for name, body in spec.bodies.items():
        if isinstance(body, BeamBody):
            for path, text in _beam_faults(spec, body):
                references.add(("bodies", name, *path), f"body '{name}': {text}")
        elif isinstance(body, ModalBody):
            for key, text in body.modal.faults():
                references.add(("bodies", name, "modal", key), f"body '{name}': {text}")
            _check_count(references, name, body, body.modal.n_shapes)
    for name, force in spec.forces.items():
        if not isinstance(force, DistributedForce):
            continue
        beam = spec.bodies.get(force.body)
        if not isinstance(beam, BeamBody) or not spec.has_places(*beam.beam):
            continue
        length = spec.beam_length(beam)
        end = length if force.to is None else force.to
        if end > length * (1.0 + 1e-9):
            text = f"force '{name}': to = {end:g} m is beyond the end of beam '{force.body}' ({length:g} m long)"
            references.add(("forces", name, "to"), text)
        elif force.start >= end:
            text = f"force '{name}': from ({force.start:g} m) must be less than to ({end:g} m)"
            references.add(("forces", name, "from"), text)
    if spec.analysis is not None and spec.analysis.elastic_start == "quasi-static":
        flexible = {name: body for name, body in spec.bodies.items() if isinstance(body, FlexibleTable)}
        for name in (name for name, body in flexible.items() if body.elastic_position is not None):
            text = f"body '{name}': elastic_start = \"quasi-static\" computes the elastic coordinates"
            references.add(("bodies", name, "elastic_position"), f"{text}; they cannot be given too")


def _beam_faults(spec: ModelSpec, body: BeamBody) -> Iterator[tuple[Path, str]]:
    yield from _needed_constants(spec, body)
    shapes = body.shapes
    if shapes.count == 0:
        yield ("shapes",), "a beam without shapes is rigid. Give shapes, or use a rigid body with mass and rod"
    yield from count_faults(body, shapes.count)
    if body.damping is not None and body.damping.ratios is not None and shapes.count is not None:
        if len(body.damping.ratios) != shapes.count:
            text = f"expected {shapes.count} ratios, one per mode, found {len(body.damping.ratios)}"
            yield ("damping", "ratios"), text
    if spec.has_places(*body.beam):
        yield from _geometry_faults(spec, body)


def _geometry_faults(spec: ModelSpec, body: BeamBody) -> Iterator[tuple[Path, str]]:
    length = spec.beam_length(body)
    if length == 0.0:
        yield ("beam",), "the beam has zero length"
        return
    along = spec.beam_axis(body)
    if body.y_axis is not None and abs(sum(a * b for a, b in zip(along, body.y_axis, strict=True))) > 1.0 - 1e-9:
        yield ("y_axis",), "y_axis is parallel to the beam; it must point across it"
    before = 0.0
    steps = body.sections or ()
    for i, step in enumerate(steps):
        if step.to is None:
            continue
        if step.to <= before:
            yield ("sections", i, "to"), f"the section ends must increase: to = {step.to:g} m after {before:g} m"
        last = i == len(steps) - 1
        if step.to > length * (1.0 + 1e-9) or (last and step.to < length * (1.0 - 1e-9)):
            reason = "the last section must end there" if last else "sections cannot extend beyond it"
            yield ("sections", i, "to"), f"to = {step.to:g} m, but the beam is {length:g} m long: {reason}"
        elif not last and step.to >= length * (1.0 - 1e-9):
            yield ("sections", i, "to"), f"to = {step.to:g} m is the end of the beam: the next section is empty"
        before = step.to
    yield from _lump_faults(spec, body, length)


def _lump_faults(spec: ModelSpec, body: BeamBody, length: float) -> Iterator[tuple[Path, str]]:
    for i, lump in enumerate(body.masses):
        x, off = spec.station(body, lump.at)
        if not -1e-9 * length <= x <= length * (1.0 + 1e-9):
            yield ("masses", i, "at"), f"the mass is {x:g} m from A, but the beam is {length:g} m long"
        elif off > _OFF_AXIS * length:
            text = f"point '{lump.at}' is {off:g} m off the beam axis. Give the distance from A and 'center'"
            yield ("masses", i, "at"), text


def _needed_constants(spec: ModelSpec, body: BeamBody) -> Iterator[tuple[Path, str]]:
    """Constants of materials and sections that torsion and shear need."""
    twists, shears = body.shapes.twists, body.shear
    if not twists and not shears:
        return
    use = "torsion shapes need" if twists else "shear needs"
    materials: list[tuple[Path, Any]] = [(("material",), body.material)]
    sections: list[tuple[Path, Any]] = [(("section",), body.section)]
    for i, step in enumerate(body.sections or ()):
        materials.append((("sections", i, "material"), step.material))
        sections.append((("sections", i, "section"), step.section))
    for path, named in materials:
        material: Strict | None = spec.materials.get(named) if isinstance(named, str) else named
        if isinstance(material, Material) and material.shear_modulus is None:
            yield path, f"{use} the material's 'nu' or 'G'"
    for path, named in sections:
        section = spec.sections.get(named) if isinstance(named, str) else named
        if not isinstance(section, GeneralSection):
            continue
        if twists and section.J is None:
            yield path, "torsion shapes need the torsion constant 'J' of a general section"
        if shears and (section.shear_y is None or section.shear_z is None):
            yield path, "shear needs the shear coefficients 'shear_y' and 'shear_z' of a general section"


def count_faults(body: FlexibleTable, n: int | None) -> Iterator[tuple[Path, str]]:
    """Wrong number of initial elastic coordinates; n is the number of shapes, None when unknown."""
    for key in ("elastic_position", "elastic_velocity"):
        given = getattr(body, key)
        if given is not None and n is not None and len(given) != n:
            yield (key,), f"expected {n} number{'s' if n != 1 else ''}, one per shape, found {len(given)}"


def _check_count(references: References, name: str, body: ModalBody, n: int) -> None:
    for path, text in count_faults(body, n):
        references.add(("bodies", name, *path), f"body '{name}': {text}")
