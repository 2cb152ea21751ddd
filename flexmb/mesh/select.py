"""Selection of nodes by a text: a set of the mesh, or a region.

    bore_a                                   a named set
    box(x0,y0,z0, x1,y1,z1)                  inside a box
    plane(x=0.3), plane(px,py,pz, nx,ny,nz)  on a plane
    cylinder(px,py,pz, ax,ay,az, radius)     on the surface of a cylinder; eighth number: length from the point
    sphere(px,py,pz, radius)                 on the surface of a sphere
    nearest(x,y,z), nearest(x,y,z, count)    the nodes nearest to a point

Numbers are metres unless a unit follows ("30 mm"); every region takes tolerance=...; "+" joins selections.
"""

from __future__ import annotations

import re

import numpy as np

from flexmb.arrays import Flags, Floats, Integers
from flexmb.axes import AXES
from flexmb.errors import Fault, InputError
from flexmb.mesh.length_units import UNITS
from flexmb.mesh.mesh import Mesh
from flexmb.suggestions import meant, nearest

FORMS = {
    "box": "box(x0,y0,z0, x1,y1,z1)",
    "plane": "plane(x=0.3) or plane(px,py,pz, nx,ny,nz)",
    "cylinder": "cylinder(px,py,pz, ax,ay,az, radius) or cylinder(px,py,pz, ax,ay,az, radius, length)",
    "sphere": "sphere(px,py,pz, radius)",
    "nearest": "nearest(x,y,z) or nearest(x,y,z, count)",
}
"""Region -> its syntax"""
_COUNTS = {"box": (6,), "plane": (6,), "cylinder": (7, 8), "sphere": (4,), "nearest": (3, 4)}
_RELATIVE_TOLERANCE = 1e-5
"""Part of the largest extent: above the rounding of coordinates written with 8 characters, far below a cell"""
_CALL = re.compile(r"([A-Za-z_]\w*)\s*\((.*)\)", re.DOTALL)
_NUMBER = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([A-Za-zµ\"]*)")


def select_nodes(mesh: Mesh, text: str) -> Integers:
    """Sorted numbers of the selected nodes; never empty."""
    text = text.strip()
    if text in mesh.node_sets:
        return _not_empty(mesh, text, mesh.node_sets[text])
    faults: list[Fault] = []
    parts: list[Integers] = []
    for term in _terms(text):
        try:
            parts.append(_term(mesh, term))
        except InputError as error:
            faults += error.faults
    if faults:
        raise InputError(faults)
    return np.unique(np.concatenate(parts))


def _terms(text: str) -> list[str]:
    """The text split at each "+" outside brackets."""
    terms, depth = [""], 0
    for sign in text:
        depth += (sign == "(") - (sign == ")")
        if sign == "+" and depth == 0:
            terms.append("")
        else:
            terms[-1] += sign
    return [term.strip() for term in terms]


def _term(mesh: Mesh, term: str) -> Integers:
    if term in mesh.node_sets:
        return _not_empty(mesh, term, mesh.node_sets[term])
    call = _CALL.fullmatch(term)
    if call is None:
        word = term.partition("(")[0].strip()
        if word in FORMS and term.count("(") > term.count(")"):
            raise InputError([Fault(f"'{term}': the bracket is not closed.", hint=f"Write {FORMS[word]}.")])
        raise InputError([_unknown_set(mesh, term)])
    word, inside = call.group(1), call.group(2)
    if word not in FORMS:
        near = nearest(word, FORMS)
        hint = f"Did you mean {FORMS[near[0]]}?" if near else f"Regions: {'; '.join(FORMS.values())}."
        raise InputError([Fault(f"there is no region '{word}' (in '{term}').", hint=hint)])
    values, named = _arguments(term, word, inside)
    tolerance = named.pop("tolerance", _RELATIVE_TOLERANCE * max(_extent(mesh), 1e-300))
    if tolerance < 0.0:
        raise InputError([Fault(f"'{term}': the tolerance {tolerance:g} m is negative.")])
    if word == "plane" and not values and len(named) == 1:
        axis, place = next(iter(named.items()))
        return _not_empty(mesh, term, np.abs(mesh.points[:, AXES.index(axis)] - place) <= tolerance)
    if named or len(values) not in _COUNTS[word]:
        raise InputError([Fault(f"'{term}' has {len(values)} numbers.", hint=f"Write {FORMS[word]}.")])
    return _not_empty(mesh, term, _place(mesh, term, word, np.array(values), tolerance))


def _place(mesh: Mesh, term: str, word: str, values: Floats, tolerance: float) -> Flags | Integers:
    """Mask of the nodes in a region, or their numbers."""
    offset = mesh.points - values[:3]
    if word == "box":
        low, high = np.minimum(values[:3], values[3:]) - tolerance, np.maximum(values[:3], values[3:]) + tolerance
        return np.asarray(np.all((mesh.points >= low) & (mesh.points <= high), axis=1))
    if word == "sphere":
        _positive(term, "radius", values[3])
        return np.asarray(np.abs(np.linalg.norm(offset, axis=1) - values[3]) <= tolerance)
    if word == "nearest":
        return _nearest(mesh, term, np.linalg.norm(offset, axis=1), values[3] if len(values) > 3 else 1.0)
    direction = values[3:6]
    if not np.linalg.norm(direction) > 0.0:
        raise InputError([Fault(f"'{term}': (0, 0, 0) is not a direction.", hint=f"Write {FORMS[word]}.")])
    direction = direction / np.linalg.norm(direction)
    along = offset @ direction
    if word == "plane":
        return np.asarray(np.abs(along) <= tolerance)
    _positive(term, "radius", values[6])
    chosen = np.abs(np.linalg.norm(offset - along[:, None] * direction, axis=1) - values[6]) <= tolerance
    if len(values) > 7:
        _positive(term, "length", values[7])
        chosen &= (along >= -tolerance) & (along <= values[7] + tolerance)
    return np.asarray(chosen)


def _nearest(mesh: Mesh, term: str, distance: Floats, count: float) -> Integers:
    if count != int(count) or not 1 <= count <= mesh.n_points:
        allowed = f"a whole number from 1 to {mesh.n_points}"
        raise InputError([Fault(f"'{term}': the number of nodes is {count:g}.", hint=f"Allowed: {allowed}.")])
    # A stable sort picks the lower number among equally near nodes.
    return np.argsort(distance, kind="stable")[: int(count)]


def _arguments(term: str, word: str, inside: str) -> tuple[list[float], dict[str, float]]:
    """Positional and named numbers [m]; reports everything that cannot be read at once."""
    values: list[float] = []
    named: dict[str, float] = {}
    faults: list[Fault] = []
    unknown: list[str] = []
    allowed = ("x", "y", "z", "tolerance") if word == "plane" else ("tolerance",)
    for i, part in enumerate(inside.split(",")):
        name, sign, number = part.rpartition("=")
        name, is_count = name.strip(), word == "nearest" and i == 3 and not sign
        found = _NUMBER.fullmatch(number.strip())
        if found is None:
            faults.append(Fault(f"'{term}': '{part.strip()}' is not a number.", hint=f"Write {FORMS[word]}."))
        elif found.group(2) and (is_count or found.group(2) not in UNITS):
            hint = "A count has no unit." if is_count else f"Units: {', '.join(UNITS)}."
            faults.append(Fault(f"'{term}': '{found.group(2)}' is not a unit of length here.", hint=hint))
        elif sign and name not in allowed:
            unknown.append(f"'{name}'")
        elif sign:
            named[name] = _length(found.group(1), found.group(2))
        else:
            values.append(_length(found.group(1), found.group(2)))
    if unknown:
        text = f"'{term}': {', '.join(unknown)} {'are' if len(unknown) > 1 else 'is'} not valid."
        faults.append(Fault(text, hint=f"Write {FORMS[word]}; names: {', '.join(allowed)}."))
    if faults:
        raise InputError(faults)
    return values, named


def _length(number: str, unit: str) -> float:
    return float(number) * (UNITS[unit] if unit else 1.0)


def _positive(term: str, name: str, value: float) -> None:
    if not value > 0.0:
        raise InputError([Fault(f"'{term}': the {name} {value:g} m must be greater than zero.")])


def _extent(mesh: Mesh) -> float:
    return float(np.max(np.ptp(mesh.points, axis=0))) if mesh.n_points else 0.0


def _not_empty(mesh: Mesh, text: str, chosen: Flags | Integers) -> Integers:
    numbers = np.asarray(np.flatnonzero(chosen) if chosen.dtype == bool else np.unique(chosen), dtype=np.int64)
    if len(numbers):
        return numbers
    if text in mesh.node_sets:
        raise InputError([Fault(f"the set '{text}' is empty.", hint=_listed(mesh))])
    low, high = mesh.points.min(axis=0), mesh.points.max(axis=0)
    spans = ", ".join(f"{axis} {a:.6g} .. {b:.6g}" for axis, a, b in zip(AXES, low, high, strict=True))
    hint = f"The mesh spans {spans} m; numbers without a unit are metres; add tolerance=... to widen the selection."
    raise InputError([Fault(f"'{text}' selects no node.", hint=hint)])


def _unknown_set(mesh: Mesh, name: str) -> Fault:
    same = [known for known in mesh.node_sets if known.lower() == name.lower()]
    near = same or nearest(name, mesh.node_sets, 3)
    where = f" in {mesh.source}" if mesh.source else ""
    text = f"there is no set '{name}'{where}." if name else "the name of a set or a region is missing."
    return Fault(text, hint=f"{meant(near)} {_listed(mesh)}".strip())


def _listed(mesh: Mesh, most: int = 20) -> str:
    names = [name for name, nodes in mesh.node_sets.items() if len(nodes)]
    if not names:
        return "The mesh has no sets: select by position, e.g. plane(x=0.3) or cylinder(px,py,pz, ax,ay,az, radius)."
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"Sets: {', '.join(names[:most])}{more}."
