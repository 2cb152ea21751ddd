"""Faults of forces: what they act on, keys that exclude each other, ends of stops and lengths of cables."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from flexmb.loads.table import LOAD_TYPES, LoadType
from flexmb.model.schema.beam_checks import on_beam, reject_bare_modal
from flexmb.model.schema.checks import Path, References, Table
from flexmb.model.schema.loads import Cable

if TYPE_CHECKING:
    from flexmb.model.schema.model_spec import ModelSpec


def reject_keys(references: References, table: Table, path: Path, keys: Mapping[str, str]) -> None:
    """Reject keys of a table, each for its reason."""
    for key, reason in keys.items():
        if key in table:
            references.add((*path, key), f"{references.owner((*path, key))}: '{key}' {reason}")


def check_force(references: References, name: str, table: Table) -> None:
    """Faults of a force: what it acts on and keys of other kinds."""
    path: Path = ("forces", name)
    kind = LOAD_TYPES.get(str(table.get("type")))
    if kind is None:
        return
    if kind.acts_on == "marker":
        if references.marker(table.get("marker"), (*path, "marker")) == "ground":
            references.add((*path, "marker"), f"force '{name}' acts on ground and has no effect")
        reject_bare_modal(references, table.get("marker"), (*path, "marker"), "a force")
    elif kind.acts_on == "beam":
        if references.named("bodies", table.get("body"), (*path, "body")):
            on_beam(references, table["body"], (*path, "body"), "a distributed force")
    elif kind.acts_on == "shape":
        if references.named("bodies", table.get("body"), (*path, "body")):
            _check_shape_body(references, name, str(table["body"]))
    elif kind.acts_on == "pair":
        if kind.is_spring and "length" not in table and ("stiffness" in table or "table" in table):
            references.add((*path, "length"), f"force '{name}' needs 'length' (the free length)")
    elif kind.acts_on == "coordinate":
        references.coordinate(table, path, kind.used)
    if kind.acts_on in ("pair", "axis", "frames", "path"):
        _check_ends(references, name, kind, table)
    if kind.is_stop:
        _check_stop(references, name, table)
    if kind.name == "bushing" and not table.keys() & {"stiffness", "damping", "curves"}:
        references.add(path, f"force '{name}' needs stiffness, damping or curves")
    if kind.is_spring:
        if "stiffness" in table and "table" in table:
            references.add((*path, "table"), f"force '{name}' has stiffness and table: give only one of them")
        if not table.keys() & {"stiffness", "damping", "table"}:
            references.add(path, f"force '{name}' needs stiffness, damping or table")
    if kind.name == "friction":
        if not table.keys() & {"viscous", "coulomb"}:
            references.add(path, f"force '{name}' needs viscous or coulomb")
        if "coulomb" in table and "transition" not in table:
            references.add((*path, "transition"), f"force '{name}' needs 'transition' with 'coulomb'")


def _check_shape_body(references: References, name: str, body: str) -> None:
    """Require a body from a mesh, the only ones with load shapes."""
    kind = references.kinds.get(body)
    if kind is not None and kind not in ("mesh", "meshed"):
        text = f"force '{name}' acts on a mesh, and body '{body}' is not from a mesh"
        from_mesh = [other for other, its in references.kinds.items() if its in ("mesh", "meshed")]
        hint = f"Bodies from meshes: {', '.join(from_mesh)}." if from_mesh else "Give a body with 'mesh' or 'file'."
        references.add(("forces", name, "body"), text, hint)


def _check_ends(references: References, name: str, kind: LoadType, table: Table) -> None:
    """Faults of the markers of a load between markers."""
    path: Path = ("forces", name)
    if kind.acts_on == "axis":
        places: list[tuple[Path, Any]] = [((*path, "marker"), table.get("marker"))]
        places.append(((*path, "relative_to"), table.get("relative_to", "ground")))
    else:
        given = table.get("markers")
        given = given if isinstance(given, (list, tuple)) else ()
        places = [((*path, "markers", i), end) for i, end in enumerate(given)]
    ends = [references.marker(end, place) for place, end in places]
    for place, end in places:
        reject_bare_modal(references, end, place, "a force")
    whole = places[0][0] if kind.acts_on == "axis" else (*path, "markers")
    if kind.acts_on == "path":
        if len(places) < 2 and isinstance(table.get("markers"), (list, tuple)):
            text = f"force '{name}': a cable needs at least two markers, found {len(places)}"
            references.add(whole, text, "Give its start and its end, and the eyes between them.")
        for (place, end), (_, following) in pairwise(places):
            if isinstance(end, str) and end == following:
                references.add(place, f"force '{name}': the cable runs from '{end[:60]}' to itself")
    stiff = ends and references.kinds.get(str(ends[0])) not in ("beam", "modal", "mesh")  # a tendon may span a beam
    if len(ends) >= 2 and ends[0] is not None and len(set(ends)) == 1 and stiff:
        references.add(whole, f"force '{name}' connects body '{ends[0]}' to itself")


def _check_stop(references: References, name: str, table: Table) -> None:
    """Faults of the keys of a stop."""
    path: Path = ("forces", name)
    if not table.keys() & {"lower", "upper"}:
        references.add(path, f"force '{name}' needs lower or upper, an end of its free range")
    if "damping" in table and "restitution" in table:
        references.add((*path, "restitution"), f"force '{name}' has damping and restitution: give only one of them")
    if "restitution" in table and "speed" not in table:
        hint = "Give the speed of the hit for which the restitution is meant."
        references.add((*path, "restitution"), f"force '{name}' needs 'speed' with 'restitution'", hint)
    if "restitution" not in table:
        reject_keys(references, table, path, dict.fromkeys(("speed", "formula"), "is only for 'restitution'"))


def check_force_values(references: References, spec: ModelSpec) -> None:
    """Faults that need the numbers: free ranges inside out, cables without length."""
    for name, force in spec.forces.items():
        lower, upper = getattr(force, "lower", None), getattr(force, "upper", None)
        if lower is not None and upper is not None and lower >= upper:
            text = f"force '{name}': the free range is inside out: lower = {lower:g}, upper = {upper:g}"
            references.add(("forces", name, "lower"), text, "Give lower below upper.")
        if isinstance(force, Cable) and force.length.constant is not None and force.length.constant <= 0.0:
            text = f"force '{name}': the length of a cable must be positive, found {force.length.constant:g} m"
            references.add(("forces", name, "length"), text)
