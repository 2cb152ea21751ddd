"""Faults of flexible bodies from files: field and order that the file does not have, joints away from any marker,
deflections without a chord."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from flexmb.model.schema.amplitude_field import unit_fault
from flexmb.model.schema.beam_checks import check_damping, count_faults, marker_hint, on_beam, reject_bare_modal
from flexmb.model.schema.beams import BeamBody
from flexmb.model.schema.bodies import Body
from flexmb.model.schema.checks import Path, References, Table
from flexmb.model.schema.mesh_bodies import MeshBody
from flexmb.suggestions import clipped, did_you_mean

if TYPE_CHECKING:
    from flexmb.model.schema.joints import Joint
    from flexmb.model.schema.model_spec import ModelSpec

_SHOWN = 12


def check_mesh(references: References, name: str, table: Table) -> None:
    """Places and keys of one body from a file."""
    path: Path = ("bodies", name)
    references.place(table.get("at"), (*path, "at"))
    if "order" in table and table.get("field") == "linear":
        text = f"body '{name}': 'order' belongs to field = \"quadratic\"; the field is \"linear\""
        references.add((*path, "order"), text, "Remove 'order' or change the field.")
    check_damping(references, name, table.get("damping"))


def check_deflection(references: References, name: str, table: Table) -> None:
    """A deflection needs a flexible body and, unless that is a beam, two markers of it that span the chord."""
    path: Path = ("sensors", name)
    references.marker(table["deflection"], (*path, "deflection"))
    body = str(table["deflection"]).partition(".")[0]
    if references.kinds.get(body) not in ("modal", "mesh"):
        if not on_beam(references, body, (*path, "deflection"), "a deflection"):
            return
        if "chord" not in table and table["deflection"] in (f"{body}.start", f"{body}.end"):
            text = f"sensor '{name}': the deflection of an end of a beam from its own chord is always zero"
            hint = f"Measure marker = {table['deflection']!r} relative to another marker, or give 'chord'."
            references.add((*path, "deflection"), text, hint)
    elif "chord" not in table:
        text = f"sensor '{name}': a deflection of body '{body}' needs 'chord': two of its markers"
        references.add((*path, "chord"), text, marker_hint(references, body))
    reject_bare_modal(references, table["deflection"], (*path, "deflection"), "a deflection")
    ends = table.get("chord")
    for i, end in enumerate(ends if isinstance(ends, (list, tuple)) else ()):
        owner = references.marker(end, (*path, "chord", i))
        if owner is not None and owner != body:
            text = f"sensor '{name}': the chord must be on body '{body}', found {clipped(end)}"
            references.add((*path, "chord", i), text, marker_hint(references, body))
        reject_bare_modal(references, end, (*path, "chord", i), "the chord")


def _mesh_faults(body: MeshBody) -> Iterator[tuple[Path, str]]:
    """(key, what is wrong) of a body whose file has been read."""
    reduced = body.file.body
    if not reduced.n_modes:
        source = body.file.mesh or body.file.text
        key = "modes" if body.file.mesh else "file"
        yield (key,), f"'{source}' has no elastic coordinates: use a rigid body, or reduce with modes"
    has = {1: reduced.order != 0, 2: reduced.invariants.N3 is not None, "full": reduced.points is not None}
    held = [order for order, is_there in has.items() if is_there]
    if body.field == "quadratic" and not held:
        text = f"'{body.file.text}' has a linear field: reduce again with 'flexmb reduce --field quadratic'"
        yield ("field",), text
    elif body.order is not None and body.order not in held:
        what = f"has the orders {', '.join(map(str, held))}" if held else "has a linear field"
        text = f"'{body.file.text}' {what}: reduce again with 'flexmb reduce --order {body.order}'"
        yield ("order",), text
    yield from count_faults(body, reduced.n_modes)
    ratios = None if body.damping is None else body.damping.ratios
    if ratios is not None and len(ratios) != reduced.n_modes:
        yield ("damping", "ratios"), f"expected {reduced.n_modes} ratios, one per mode, found {len(ratios)}"


def _check_joint_places(references: References, spec: ModelSpec) -> None:
    """A joint that is placed by a point meets a body from a file at one of its markers."""
    for name, joint in spec.joints.items():
        for number, body_name in enumerate(joint.bodies or ()):
            body = spec.bodies.get(body_name)
            if not isinstance(body, MeshBody):
                continue
            where = _joint_place(spec, joint, number)
            if where is None or not spec.has_places(where, body.at):
                continue
            text, hint = _place_fault(spec, body_name, body, spec.place(where))
            if text:
                path: Path = ("joints", name, "at") if joint.at is not None else ("joints", name, "bodies", number)
                references.add(path, f"joint '{name}': {text}", hint)


def _joint_place(spec: ModelSpec, joint: Joint, number: int) -> Any:
    """Point or world position at which a joint meets its first (0) or second (1) body; None when it is unknown."""
    if joint.kind.at == "pair":
        return joint.at[number] if isinstance(joint.at, tuple) and len(joint.at) == 2 else None
    if joint.at is not None and not (number and joint.kind.at == "first"):
        return joint.at
    assert joint.bodies is not None
    second = spec.bodies.get(joint.bodies[1])
    if second is None:
        return (0.0, 0.0, 0.0) if joint.bodies[1] == "ground" else None
    ends = second.beam if isinstance(second, BeamBody) else second.rod if isinstance(second, Body) else None
    return ends[0] if ends else second.at  # type: ignore[union-attr]


def _place_fault(spec: ModelSpec, name: str, body: MeshBody, place: Any) -> tuple[str, str]:
    """Text and hint when no marker of the body is at a world position; else two empty strings."""
    import numpy as np

    from flexmb.bodies.flexible_body import NEAR, nearest_marker

    reduced, R_wb, p_wb = body.file.body, np.array(body.orientation), np.array(spec.place(body.at))
    marker, distance = nearest_marker(reduced, R_wb.T @ (np.array(place) - p_wb))
    if distance <= NEAR * reduced.length:
        return "", ""
    text = f"body '{name}' has no marker at {_shown(place)}"
    if marker is None:
        remedy = "give 'interfaces'" if body.file.mesh else "reduce again with --interface NAME"
        return text, f"'{body.file.text}' has no markers: {remedy}."
    places = [f"{name}.{one.name} at {_shown(p_wb + R_wb @ one.p_b)}" for one in reduced.markers[:_SHOWN]]
    more = ", ..." if len(reduced.markers) > _SHOWN else ""
    near = f"; the nearest is {distance:.3g} m away" if len(reduced.markers) > 1 else f", {distance:.3g} m away"
    return text, f"Markers: {', '.join(places)}{more}{near}. Name a marker in 'markers', or move the body with 'at'."


def _shown(place: Any) -> str:
    return f"({', '.join(f'{round(value, 9) + 0.0:g}' for value in map(float, place))})"


def _check_load_shapes(references: References, spec: ModelSpec) -> None:
    """Load shapes that a body does not have, and values in another unit."""
    for name, force in spec.forces.items():
        if force.type != "load-shape" or force.body not in spec.bodies:
            continue
        body = spec.bodies[force.body]
        shapes = body.file.body.loads if isinstance(body, MeshBody) else getattr(body, "loads", ())
        units = {shape.name: shape.unit for shape in shapes}
        if force.shape not in units:
            text = f"force '{name}': body '{force.body}' has no load shape '{force.shape[:60]}'"
            is_file = isinstance(body, MeshBody) and not body.file.mesh
            remedy = "reduce again with --load NAME=KIND:SET" if is_file else "add it to the key 'loads' of the body"
            hint = did_you_mean(force.shape, units, "Load shapes") if units else f"It has none: {remedy}."
            references.add(("forces", name, "shape"), text, hint)
        elif reason := unit_fault(force.value, units[force.shape], references.context):
            references.add(("forces", name, "value"), f"force '{name}': {reason}")


def check_mesh_values(references: References, spec: ModelSpec) -> None:
    """Faults that need the contents of the files."""
    for name, body in spec.bodies.items():
        if isinstance(body, MeshBody):
            for path, text in _mesh_faults(body):
                references.add(("bodies", name, *path), f"body '{name}': {text}")
    _check_load_shapes(references, spec)
    if references.parts:
        from flexmb.model.schema.meshed_checks import seen_from_outside

        spec = seen_from_outside(spec, references)
    _check_joint_places(references, spec)
