"""Faults between parts of a model: references to names, keys that belong together, joints that need other keys.

The checks work on the raw tables, so that they also run when single fields are wrong: all faults are reported at once.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from flexmb.errors import Fault
from flexmb.model.schema.bodies import FOLLOWS_FROM_ROD
from flexmb.model.schema.body_kinds import BodyKind, body_kind
from flexmb.model.schema.fields import Context, joint_type_of
from flexmb.model.schema.joints import ALL_JOINT_KEYS, LIMIT_KEYS, PLACED_BY, joint_keys, limit_stop
from flexmb.model.schema.mesh_bodies import file_markers
from flexmb.model.schema.meshed_bodies import tie_names
from flexmb.suggestions import clipped, did_you_mean, meant, nearest

if TYPE_CHECKING:
    from flexmb.bodies.part_cache import OpenPart
    from flexmb.model.schema.model_spec import ModelSpec

Path = tuple[str | int, ...]
Table = Mapping[str, Any]

ALWAYS: dict[str, tuple[str, ...]] = {
    "rigid": ("origin",),
    "beam": ("origin", "start", "end"),
    "modal": ("origin",),
    "mesh": ("origin",),
    "meshed": ("origin",),
}
"""Markers that every body of a kind has."""


def tables_of(tables: Table, section: str, any_value: bool = False) -> dict[str, Any]:
    """Named tables of a section; entries that are no tables are left out (unless `any_value`)."""
    found = tables.get(section)
    if not isinstance(found, Mapping):
        return {}
    return {str(name): value for name, value in found.items() if any_value or isinstance(value, dict)}


class References:
    """Looks up names and collects the faults."""

    def __init__(self, tables: Table, context: Context):
        self.tables, self.context = tables, context
        self.parts: dict[str, OpenPart] = {}
        """Bodies from meshes, with what was found in their files."""
        self.faults: list[Fault] = []
        self.names = {
            section: dict.fromkeys(tables_of(tables, section, any_value=True))
            for section in ("points", "bodies", "joints", "motions", "forces", "sensors")
        }
        self.joints = tables_of(tables, "joints")
        ground = tables_of(tables, "markers", any_value=True)
        self.markers: dict[str, list[str]] = {"ground": ["origin", *ground]}
        self.kinds: dict[str, BodyKind | None] = {}
        self.unread: set[str] = set()
        """Bodies whose markers are unknown because their file cannot be read."""
        for body, table in tables_of(tables, "bodies", any_value=True).items():
            own = table.get("markers") if isinstance(table, dict) else None
            self.kinds[body] = body_kind(table)
            always = ALWAYS[self.kinds[body] or "rigid"]
            self.markers[body] = [*always, *(own if isinstance(own, dict) else ())]
            if self.kinds[body] in ("mesh", "meshed"):
                is_file = self.kinds[body] == "mesh"
                found = file_markers(context.folder, table["file"]) if is_file else tie_names(table)
                self.markers[body] = [*always, *(found or ())]
                self.unread |= {body} if found is None else set()
                self.kinds[body] = "mesh"

    def add(self, path: Path, text: str, hint: str = "") -> None:
        """Add a fault."""
        self.faults.append(Fault(text, path, hint))

    def owner(self, path: Path) -> str:
        """Name of the object at the beginning of a path: "joint 'pin'"."""
        single = {"bodies": "body"}.get(str(path[0]), str(path[0]).removesuffix("s"))
        return f"{single} '{path[1]}'" if len(path) > 2 else str(path[0])

    def named(self, section: str, name: Any, path: Path) -> bool:
        """Whether `name` is in `section`; ground counts as a body."""
        if not isinstance(name, str):
            return False
        known = self.names[section]
        if name in known or (section == "bodies" and name == "ground"):
            return True
        single = {"bodies": "body"}.get(section, section[:-1])
        choices = itertools.chain(known, ["ground"]) if section == "bodies" else known
        hint = did_you_mean(name, choices, section.capitalize())
        self.add(path, f"{self.owner(path)}: no {single} '{name[:60]}'", hint)
        return False

    def place(self, where: Any, path: Path) -> None:
        """Check that the point named by a place exists."""
        if isinstance(where, str):
            self.named("points", where, path)

    def marker(self, reference: Any, path: Path) -> str | None:
        """Body of a marker reference; None when there is no such marker."""
        if not isinstance(reference, str):
            return None
        body, dot, marker = reference.partition(".")
        if body not in self.markers:
            hint = did_you_mean(body, self.markers, "Bodies")
            if not dot and any(body in names for names in self.markers.values()):
                owner = next(name for name, names in self.markers.items() if body in names)
                hint = f"Did you mean '{owner}.{body}'?"
            self.add(path, f"{self.owner(path)}: no body '{body[:60]}' for the marker '{reference[:60]}'", hint)
            return None
        if dot and marker not in self.markers[body] and body not in self.unread:
            known = list(dict.fromkeys(self.markers[body]))
            text = f"{self.owner(path)}: no marker '{marker[:60]}' on body '{body}' (markers: {', '.join(known[:12])})"
            self.add(path, text, meant(nearest(marker, known)))
            return None
        return body

    def coordinate(self, table: Table, path: Path, use: str, rates: bool = False) -> str | None:
        """Coordinate "joint.name" of a table; `rates`: angular rates are allowed too."""
        name = table.get("joint")
        if not self.named("joints", name, (*path, "joint")):
            return None
        joint_type = joint_type_of(self.joints, name)
        if joint_type is None:
            return None
        given = table.get("coordinate")
        allowed = joint_type.coordinates if rates else joint_type.drivable
        what = f"{self.owner((*path, 'joint'))}: joint '{name}' ({joint_type.name})"
        if not allowed:
            reason = "turns freely in space and has no coordinate" if joint_type.n_v else "has no coordinate"
            self.add((*path, "joint"), f"{what} {reason} that can be {use}")
            return None
        if given is None:
            if len(allowed) == 1:
                return f"{name}.{allowed[0]}"
            self.add(path, f"{what} has several coordinates", f"Give coordinate = {' or '.join(allowed)}.")
            return None
        if not isinstance(given, str):
            return None
        if given not in allowed:
            if given in joint_type.coordinates:
                text = f"{what}: '{given}' is an angular rate, not a position; it cannot be {use}"
                self.add((*path, "coordinate"), text, f"Coordinates: {', '.join(allowed)}.")
            else:
                hint = did_you_mean(given, allowed, "Coordinates")
                self.add((*path, "coordinate"), f"{what} has no coordinate '{given[:60]}'", hint)
            return None
        return f"{name}.{given}"


def one_of(references: References, table: Table, keys: Iterable[str], path: Path, what: str) -> str | None:
    """The one key of `keys` that is given; a fault when there is none or more."""
    given = [key for key in keys if key in table]
    if len(given) == 1:
        return given[0]
    owner = references.owner((*path, ""))
    if not given:
        references.add(path, f"{owner} needs {what}", f"One of: {', '.join(keys)}.")
    else:
        references.add((*path, given[1]), f"{owner} has {' and '.join(given)}: give only one of them")
    return None


def check_joint(references: References, name: str, table: Table) -> None:
    """Bodies, markers and keys of one joint."""
    from flexmb.model.schema import beam_checks

    path: Path = ("joints", name)
    placed_by = one_of(references, table, PLACED_BY, path, "bodies or markers")
    ends: list[str | None] = [None]
    if placed_by:
        given = table[placed_by]
        if isinstance(given, (list, tuple)) and len(given) == 2:
            if placed_by == "bodies":
                beam_checks.reject_modal_at(references, name, given)
                ends = [
                    end if references.named("bodies", end, (*path, "bodies", i)) else None
                    for i, end in enumerate(given)
                ]
            else:
                ends = [references.marker(end, (*path, "markers", i)) for i, end in enumerate(given)]
                for i, end in enumerate(given):
                    beam_checks.reject_bare_modal(references, end, (*path, "markers", i), "a joint")
    if ends[0] is not None and ends[0] == ends[-1]:
        references.add((*path, placed_by or ""), f"joint '{name}' connects body '{ends[0]}' to itself")
    at = table.get("at")
    for i, where in enumerate(at if isinstance(at, (list, tuple)) and len(at) == 2 else [at]):
        references.place(where, (*path, "at") if where is at else (*path, "at", i))
    _check_joint_keys(references, name, table, placed_by)


def _check_joint_keys(references: References, name: str, table: Table, placed_by: str | None) -> None:
    joint_type = joint_type_of(references.joints, name)
    if joint_type is None or placed_by is None:
        return
    path: Path = ("joints", name)
    needed, allowed = joint_keys(joint_type, placed_by)
    kind = f"joint '{name}' ({joint_type.name})"
    for key in sorted(needed - table.keys()):
        references.add((*path, key), f"{kind} needs '{key}'")
    for key in table:
        if key in ALL_JOINT_KEYS and key not in allowed and key not in PLACED_BY:
            if placed_by == "markers" and key in ("at", *joint_type.directions):
                text = f"{kind}: '{key}' follows from the markers and cannot be given too"
            else:
                text = f"{kind}: a {joint_type.name} joint has no '{key}'"
            references.add((*path, key), text)
    _check_limits(references, name, table)
    at = table.get("at")
    is_pair = isinstance(at, (list, tuple)) and len(at) == 2
    if at is not None and "at" in allowed and is_pair != (joint_type.at == "pair"):
        wanted = "two points, one on each body" if joint_type.at == "pair" else "one point"
        references.add((*path, "at"), f"{kind}: at must be {wanted}, found {clipped(at)}")
    if table.get("tree") is True and not joint_type.branch:
        references.add((*path, "tree"), f"{kind} is only a constraint and cannot be in the tree")


def check_body(references: References, name: str, table: Table) -> None:
    """Names in one body, and keys that exclude each other."""
    from flexmb.model.schema import beam_checks, mesh_checks, meshed_checks

    if "mesh" in table and references.kinds[name] == "mesh":
        meshed_checks.check_meshed(references, name, table)
        return
    of_kind = {"beam": beam_checks.check_beam, "modal": beam_checks.check_modal, "mesh": mesh_checks.check_mesh}
    check = of_kind.get(str(references.kinds[name]))
    if check is not None:
        check(references, name, table)
        return
    path: Path = ("bodies", name)
    for key in ("at", "center"):
        references.place(table.get(key), (*path, key))
    rod = table.get("rod")
    for i, where in enumerate(rod if isinstance(rod, (list, tuple)) else ()):
        references.place(where, (*path, "rod", i))
    if rod is not None:
        for key in FOLLOWS_FROM_ROD:
            if key in table:
                references.add((*path, key), f"body '{name}': '{key}' follows from 'rod' and cannot be given too")
    elif "inertia" not in table:
        references.add((*path, "inertia"), f"body '{name}' needs 'inertia' (or 'rod')")
    check_markers(references, table.get("markers"), (*path, "markers"))


def check_markers(references: References, markers: Any, path: Path) -> None:
    """Faults of the markers of a body or of ground."""
    for name, table in markers.items() if isinstance(markers, Mapping) else ():
        if isinstance(table, dict):
            references.place(table.get("at"), (*path, name, "at"))
            if "axis" in table and "orientation" in table:
                text = f"marker '{name}' has axis and orientation: give only one of them"
                references.add((*path, name, "axis"), text)
            if "along" in table and "at" in table:
                text = f"marker '{name}' has at and along: give only one of them"
                references.add((*path, name, "along"), text)


def _check_limits(references: References, name: str, table: Table) -> None:
    """Faults of the limits of a joint, which stand for a stop of their own."""
    path: Path = ("joints", name)
    if "limits" not in table:
        for key in sorted(LIMIT_KEYS & table.keys()):
            references.add((*path, key), f"joint '{name}': '{key}' is only for 'limits'")
        return
    if "limit_stiffness" not in table:
        hint = "Give the stiffness of the stop, or describe it under [forces] as a joint-stop."
        references.add((*path, "limits"), f"joint '{name}' needs 'limit_stiffness' with 'limits'", hint)
    elif tables_of(references.tables, "forces").get(f"{name}_limits") not in (None, limit_stop(name, table)):
        text = f"joint '{name}': the stop of its limits is called '{name}_limits', a name that a force has already"
        references.add((*path, "limits"), text, "Rename the force.")


def check_references(tables: Table, spec: ModelSpec | None, context: Context) -> References:
    """Every fault between parts of the model. `spec` is None when single fields are wrong."""
    from flexmb.model.schema import force_checks
    from flexmb.model.schema import load_checks as loads
    from flexmb.model.schema.coupling_checks import check_coupling

    references = References(tables, context)
    check_markers(references, tables.get("markers"), ("markers",))
    each: dict[str, Callable[[References, str, Table], None]] = {
        "bodies": check_body,
        "joints": check_joint,
        "couplings": check_coupling,
        "motions": loads.check_motion,
        "forces": force_checks.check_force,
        "sensors": loads.check_sensor,
    }
    for section, check in each.items():
        for name, table in tables_of(tables, section).items():
            check(references, name, table)
    loads.check_double_drives(references)
    loads.check_coordinates(references)
    loads.check_analysis(references)
    if spec is not None:
        loads.check_values(references, spec)
    return references
