"""Loads on a mesh and pre-stress in words, as the command line and the model file spell them.

gas = pressure:piston_top          a pressure on faces, per Pa
heat = temperature:all             a temperature of cells above that of their stress-free state, per K
bend = temperature:all:y           the same, growing with y of the mesh from its origin, per K/m
push = force:bore_a:x              a force on nodes, shared by area, per N
bolt = force:head:-z; force:nut:z  parts that act together
gas = 5 MPa                        pre-stress by a load
gas = 5 MPa held pin               the same, the body held by an interface
heat = 50 K held a+b               by two
spin = 300 rad/s about hub:z       pre-stress by rotation about an axis through an interface, which holds the body
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from flexmb.axes import AXES, named_direction
from flexmb.errors import Fault
from flexmb.suggestions import did_you_mean

KINDS = ("pressure", "temperature", "force")
UNITS = {"pressure": "Pa", "temperature": "K", "temperature gradient": "K/m", "force": "N"}
"""Quantity of a load shape -> unit of its value"""
ALL = "all"
"""Word for all solid cells"""
_FORM = "Write NAME=pressure:SET, NAME=temperature:CELLS (or :all) or NAME=force:SET:x."
_NAME = re.compile(r"[^\W\d][\w-]*")
_RESERVED = "spin"


@dataclass(frozen=True)
class LoadPart:
    """A load of value 1 on a part of a mesh."""

    kind: str
    """One of KINDS"""
    select: str
    """Faces or nodes, as for an interface; cells: the name of a cell set, or ALL"""
    direction: tuple[float, float, float] | None = None
    """Direction of a force: unit vector in the axes of the mesh"""
    along: str = ""
    """Axis of the mesh along which a temperature grows by 1 K/m; empty: it is the same everywhere"""

    @property
    def what(self) -> str:
        """Quantity of its value: a key of UNITS."""
        return "temperature gradient" if self.along else self.kind


@dataclass(frozen=True)
class LoadRequest:
    """A load shape: its name, and parts that act together."""

    name: str
    parts: tuple[LoadPart, ...]
    text: str = ""
    """As it was written"""

    @property
    def what(self) -> str:
        """Quantity of its value: a key of UNITS."""
        return self.parts[0].what

    @property
    def unit(self) -> str:
        """Unit of its value."""
        return UNITS[self.what]


@dataclass(frozen=True)
class PrestressRequest:
    """A state of stress about which the body is linearised."""

    load: str
    """Name of a load shape; empty: spin"""
    value: float
    """In the unit of the load shape; of a spin [rad/s]"""
    held: tuple[str, ...] = ()
    """Interfaces that hold the body; none: the load is balanced. A spin is about the first"""
    axis: tuple[float, float, float] | None = None
    """Axis of a spin: unit vector in the axes of the mesh"""
    text: str = ""
    """As it was written"""


def read_load(word: str, place: tuple[str | int, ...], faults: list[Fault]) -> LoadRequest | None:
    """A load shape from "NAME=KIND:SELECT..."; None if it is wrong."""
    name, equals, text = word.partition("=")
    name = name.strip()
    if not equals or not text.strip():
        faults.append(Fault(f"'{word[:60]}' is not a load.", place, _FORM))
        return None
    wrong: list[Fault] = []
    if not _NAME.fullmatch(name):
        wrong.append(Fault(f"'{name[:60]}' cannot be the name of a load (use letters, digits, _ and -).", place))
    elif name == _RESERVED:
        wrong.append(Fault("the name 'spin' is reserved for pre-stress by rotation.", place, "Use another name."))
    parts = [_part(piece.strip(), place, wrong) for piece in text.split(";")]
    made = tuple(part for part in parts if part is not None)
    whats = list(dict.fromkeys(part.what for part in made))
    if len(whats) > 1:
        text = f"a load has one value, and its parts are a {' and a '.join(whats)}."
        wrong.append(Fault(text, place, "Make a load of each."))
    faults += wrong
    return None if wrong else LoadRequest(name, made, text.strip())


def _part(text: str, place: tuple[str | int, ...], faults: list[Fault]) -> LoadPart | None:
    kind, _, rest = text.partition(":")
    kind, rest = kind.strip().lower(), rest.strip()
    if kind not in KINDS:
        faults.append(
            Fault(f"'{kind[:60]}' is not a kind of load.", place, f"{did_you_mean(kind, KINDS, 'Kinds')} {_FORM}")
        )
        return None
    select, direction = _split_last(rest)
    if kind == "pressure":
        select, direction = rest, ""
    if not select:
        faults.append(Fault(f"'{text[:60]}': the set is missing.", place, _FORM))
        return None
    if kind == "force":
        along = named_direction(direction) if direction else None
        if along is None:
            found = f"'{direction[:20]}' is not a direction" if direction else "the direction is missing"
            hint = f"Write force:{select[:40]}:x (or y, z, -x, ..)."
            faults.append(Fault(f"'{text[:60]}': {found}.", place, hint))
            return None
        return LoadPart(kind, select, direction=along)
    if direction and direction not in AXES:
        hint = f"Write temperature:{select[:40]} or temperature:{select[:40]}:y (growing along x, y or z)."
        faults.append(Fault(f"'{text[:60]}': '{direction[:20]}' is not x, y or z.", place, hint))
        return None
    return LoadPart(kind, select, along=direction)


def _split_last(text: str) -> tuple[str, str]:
    """Text before and behind its last ":"; a region such as plane(x=0.3) has none."""
    head, colon, tail = text.rpartition(":")
    return (head.strip(), tail.strip()) if colon else (text, "")


def load_name_faults(loads: tuple[LoadRequest, ...], place: tuple[str, ...]) -> list[Fault]:
    """Names that are given twice."""
    names = [load.name for load in loads]
    twice = sorted({name for name in names if names.count(name) > 1})
    return [Fault(f"the load '{name}' is given twice", (*place, name)) for name in twice]
