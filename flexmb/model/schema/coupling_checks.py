"""Faults of couplings that are seen before the model is placed: joints, coordinates, factors, keys of other forms."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from flexmb.model.schema.checks import Path, References, Table, one_of
from flexmb.model.schema.couplings import SIZES
from flexmb.model.schema.fields import joint_type_of

TURNING, SLIDING = ("revolute", "cylindrical"), ("prismatic", "cylindrical")
_TURNS = "a revolute or cylindrical"


def check_coupling(references: References, name: str, table: Table) -> None:
    """Faults of one coupling."""
    path: Path = ("couplings", name)
    kind = table.get("type")
    if "backlash" in table:
        text = f"coupling '{name}': backlash is not available; teeth mesh without play"
        references.add((*path, "backlash"), text, "Remove it, or couple the two joints by a force instead.")
    if kind == "coupling":
        _check_linear(references, name, table)
        return
    if kind in ("gear", "rack", "belt", "chain", "screw"):
        _check_pair(references, name, table)
    elif kind == "differential":
        joints = [table.get("carrier"), *_listed(table.get("sides"))]
        _check_turning(references, joints, path, ["carrier", ("sides", 0), ("sides", 1)])
    elif kind == "planetary":
        _check_planetary(references, name, table)
    if kind in ("gear", "belt", "chain"):
        one_of(references, table, SIZES, path, "a ratio")
    for key in ("teeth", "radii"):
        for i, number in enumerate(_listed(table.get(key))):
            if isinstance(number, (int, float)) and number <= 0:
                references.add((*path, key, i), f"coupling '{name}': {key} must be greater than 0, found {number}")


def _listed(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, (list, tuple)) else ()


def _check_linear(references: References, name: str, table: Table) -> None:
    path: Path = ("couplings", name)
    joints, coefficients = _listed(table.get("joints")), _listed(table.get("coefficients"))
    found = []
    for i, text in enumerate(joints):
        if isinstance(text, str):
            joint, _, coordinate = text.partition(".")
            own: dict[str, Any] = {"joint": joint, **({"coordinate": coordinate} if coordinate else {})}
            before = len(references.faults)
            found.append(references.coordinate(own, ("couplings", name, "joints"), "coupled"))
            for k, fault in enumerate(references.faults[before:], start=before):
                references.faults[k] = replace(fault, path=(*path, "joints", i))
    if len(joints) < 2 and "joints" in table:
        text = f"coupling '{name}' couples {len(joints)} joint coordinate{'s' if len(joints) != 1 else ''}"
        references.add((*path, "joints"), f"{text}; it needs at least two", "Use a motion to hold one coordinate.")
    repeated = {place for place in found if place is not None and found.count(place) > 1}
    for place in sorted(repeated):
        references.add((*path, "joints"), f"coupling '{name}' lists the coordinate '{place}' twice")
    if joints and coefficients and len(joints) != len(coefficients):
        text = f"coupling '{name}' has {len(joints)} joints and {len(coefficients)} coefficients"
        references.add((*path, "coefficients"), text, "Give one coefficient for each joint.")
    for i, factor in enumerate(coefficients):
        if isinstance(factor, (int, float)) and factor == 0:
            text = f"coupling '{name}': a coefficient of zero couples nothing"
            references.add((*path, "coefficients", i), text, "Remove this joint, or give its factor.")


def _check_pair(references: References, name: str, table: Table) -> None:
    path: Path = ("couplings", name)
    joints, kind = _listed(table.get("joints")), table["type"]
    if len(joints) == 2 and joints[0] == joints[1]:
        references.add((*path, "joints"), f"coupling '{name}' couples joint '{joints[0]}' to itself")
    turning = joints if kind in ("gear", "belt", "chain") else joints[:1]
    rigid = ("fixed",) if kind == "gear" else ()
    _check_turning(references, turning, path, [("joints", i) for i in range(len(turning))], rigid)
    if kind in ("rack", "screw"):
        for joint in joints[1:]:
            _check_joint(references, joint, (*path, "joints", 1), SLIDING, "a prismatic or cylindrical", "slides")
    if "carrier" in table and kind in ("gear", "belt", "chain"):
        _check_turning(references, [table["carrier"]], path, ["carrier"])
    for i, marker in enumerate(_listed(table.get("markers")) if kind == "gear" else ()):
        references.marker(marker, (*path, "markers", i))
    if kind == "screw" and table.get("lead") == 0:
        references.add((*path, "lead"), f"coupling '{name}': a lead of zero couples nothing")


def _check_planetary(references: References, name: str, table: Table) -> None:
    path: Path = ("couplings", name)
    planets = _listed(table.get("planets"))
    keys = [key for key in ("sun", "carrier", "ring") if key in table]
    joints = [*(table[key] for key in keys), *planets]
    _check_turning(references, joints, path, [*keys, *(("planets", i) for i in range(len(planets)))])
    for joint in {joint for joint in joints if isinstance(joint, str) and joints.count(joint) > 1}:
        references.add(path, f"coupling '{name}' lists joint '{joint}' twice")
    form = one_of(references, table, ("ratio", "teeth"), path, "ratio or teeth")
    teeth = _listed(table.get("teeth"))
    if planets and (form == "ratio" or len(teeth) == 2):
        key = "ratio" if form == "ratio" else "teeth"
        text = f"coupling '{name}' with planets needs teeth = [sun, planet, ring]"
        references.add((*path, key), text)
    numbers = all(isinstance(z, (int, float)) and z > 0 for z in teeth)
    if len(teeth) == 3 and numbers and abs(teeth[2] - teeth[0] - 2 * teeth[1]) > 1e-9 * teeth[2]:
        text = f"coupling '{name}': a ring of {teeth[2]:g} teeth does not fit a sun of {teeth[0]:g} and planets of "
        hint = f"sun + 2 planet = {teeth[0] + 2 * teeth[1]:g} teeth."
        references.add((*path, "teeth"), f"{text}{teeth[1]:g}", hint)


def _check_turning(
    references: References, joints: Any, path: Path, places: list[Any], also: tuple[str, ...] = ()
) -> None:
    for joint, place in zip(joints, places, strict=False):
        at = (*path, *(place if isinstance(place, tuple) else (place,)))
        _check_joint(references, joint, at, (*TURNING, *also), _TURNS, "turns")


def _check_joint(
    references: References, joint: Any, path: Path, types: tuple[str, ...], allowed: str, does: str
) -> None:
    """Require a joint of one of these types."""
    if not references.named("joints", joint, path):
        return
    joint_type = joint_type_of(references.joints, joint)
    if joint_type is not None and joint_type.name not in types:
        text = f"{references.owner(path)}: joint '{joint}' is {joint_type.name}; what {does} here needs {allowed} joint"
        references.add(path, text)
