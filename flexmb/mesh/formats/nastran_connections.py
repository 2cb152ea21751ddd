"""Masses, springs, ties and supports of Nastran: CONM1, CONM2, CELAS, CBUSH, RBE2, RBE3, RBAR, MPC, SPC.

Cards are kept until all nodes and systems are known; then each becomes data of the deck with positions in the list of
points. One that refers to something that is missing is reported with its line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.mesh.deck import (
    GROUND,
    AveragedTie,
    Equation,
    Matrix,
    PointMass,
    RigidTie,
    ScalarSpring,
    Spring,
    Support,
    Tie,
    Vector,
)
from flexmb.mesh.formats.nastran_cards import Fields
from flexmb.mesh.formats.nastran_frames import Systems, in_basic
from flexmb.mesh.raw import Numbering

KINDS = {
    **dict.fromkeys(("CONM1", "CONM2"), "masses"),
    **dict.fromkeys(("CELAS1", "CELAS2", "CBUSH"), "springs"),
    **dict.fromkeys(("RBE2", "RBE3", "RBAR", "MPC"), "ties"),
    **dict.fromkeys(("SPC", "SPC1"), "supports"),
}
"""Card -> kind of deck data"""
_MOST_LISTED = 20_000_000


class Unusable(Exception):
    """Reason why a card cannot be used."""


@dataclass
class Connections:
    """Collects the cards, and what they become."""

    cards: list[Fields] = field(default_factory=list)
    stiffness: dict[int, Fields] = field(default_factory=dict)
    """PELAS and PBUSH by their number"""
    held: dict[str, list[int]] = field(default_factory=dict)
    """Components -> nodes that GRID cards hold"""
    masses: list[PointMass] = field(default_factory=list)
    springs: list[Spring | ScalarSpring] = field(default_factory=list)
    ties: list[Tie] = field(default_factory=list)
    supports: list[Support] = field(default_factory=list)
    unusable: list[tuple[str, str]] = field(default_factory=list)
    """Name of a card, and why it cannot be used"""

    def read(self, fields: Fields) -> bool:
        """Take a card; False if it is none of these."""
        if fields.card[0] in KINDS:
            self.cards.append(fields)
        elif fields.card[0] in ("PELAS", "PBUSH"):
            self.stiffness[fields.whole(1)] = fields
            if fields.card[0] == "PELAS" and fields.text(5):
                self.stiffness[fields.whole(5)] = Fields(["PELAS", *fields.card[5:]], fields.place)
        else:
            return False
        return True

    def resolve(self, numbering: Numbering, points: Floats, systems: Systems, node_system: dict[int, int]) -> None:
        """Turn the cards into data; points are basic, node_system : node -> system of its motions."""
        places = _Places(numbering, points, systems, node_system, self.stiffness)
        for fields in self.cards:
            try:
                self._take(_READERS[fields.card[0]](fields, places))
            except Unusable as reason:
                self.unusable.append((fields.card[0], f"{fields.title}: {reason}"))
            except (ValueError, IndexError, OverflowError):
                self.unusable.append((fields.card[0], f"{fields.title}: a field is missing or not a number"))
        for components, nodes in self.held.items():
            self.supports.append(Support("spc_grid", places.known(nodes), components))
        self.supports = _merged(self.supports)

    def _take(self, found: Iterable[object]) -> None:
        for entry in found:
            if isinstance(entry, PointMass):
                self.masses.append(entry)
            elif isinstance(entry, (Spring, ScalarSpring)):
                self.springs.append(entry)
            elif isinstance(entry, Support):
                self.supports.append(entry)
            else:
                assert isinstance(entry, (RigidTie, AveragedTie, Equation))
                self.ties.append(entry)


@dataclass
class _Places:
    """Nodes and directions by the numbers of the file."""

    numbering: Numbering
    points: Floats
    systems: Systems
    node_system: dict[int, int]
    stiffness: dict[int, Fields]

    def node(self, number: int) -> int:
        place, known = self.numbering.find(np.array([number]))
        if not known[0]:
            raise Unusable(f"node {number} is not in the file")
        return int(place[0])

    def nodes(self, numbers: list[int]) -> Integers:
        places, known = self.numbering.find(np.array(numbers, dtype=np.int64))
        if not len(numbers) or not known.all():
            missing = np.array(numbers)[~known]
            raise Unusable(f"node {missing[0]} is not in the file" if len(missing) else "it has no nodes")
        return places

    def known(self, numbers: list[int]) -> Integers:
        places, known = self.numbering.find(np.array(numbers, dtype=np.int64))
        return np.unique(places[known])

    def axes(self, system: int, at: Floats) -> Floats:
        """(3, 3) axes of a system at a point; an unknown system is no reason to guess."""
        frame = self.systems.frame(system)
        if system in self.systems.faults:
            raise Unusable(self.systems.faults[system].text.rstrip("."))
        return frame.axes_at(at)

    def motion_axes(self, number: int) -> Floats:
        """(3, 3) axes of the motions of a node."""
        return self.axes(self.node_system.get(number, 0), self.points[self.node(number)])


def _point_mass(fields: Fields, places: _Places) -> list[object]:
    number, system = fields.whole(2), fields.whole(3, 0)
    node = places.node(number)
    x = places.points[node]
    if fields.card[0] == "CONM1":
        return [_mass_matrix(fields, node, places.axes(system, x))]
    offset = np.array(fields.reals(5, 7))
    I11, I21, I22, I31, I32, I33 = fields.reals(9, 14)
    J = np.array([[I11, -I21, -I31], [-I21, I22, -I32], [-I31, -I32, I33]])
    if system == -1:  # basic coordinates of the centre
        offset = offset - x
    elif system:
        axes = places.axes(system, x)
        offset, J = offset @ axes, axes.T @ J @ axes
    return [PointMass(node, fields.real(4, 0.0), _vector(offset), _matrix(J))]


def _mass_matrix(fields: Fields, node: int, axes: Floats) -> PointMass:
    """CONM1 of a rigid mass whose centre is at the node; others cannot be used."""
    values = iter(fields.reals(4, 24))
    M = np.zeros((6, 6))
    for i in range(6):
        for j in range(i + 1):
            M[i, j] = M[j, i] = next(values)
    if not np.array_equal(M[:3, :3], M[0, 0] * np.eye(3)) or M[3:, :3].any():
        raise Unusable("its matrix is not that of a rigid mass at the node")
    return PointMass(node, float(M[0, 0]), inertia=_matrix(axes.T @ M[3:, 3:] @ axes))


def _scalar_spring(fields: Fields, places: _Places) -> list[object]:
    if fields.card[0] == "CELAS2":
        k = fields.real(2)
    else:
        number = fields.whole(2, fields.whole(1))
        if number not in places.stiffness:
            raise Unusable(f"there is no PELAS {number}")
        k = places.stiffness[number].real(2)
    ends = [(fields.whole(i, 0), fields.whole(i + 1, 0)) for i in (3, 5)]
    grounded = [(places.node(node), component) for node, component in ends if node]
    if not grounded or any(not 1 <= component <= 6 for _, component in grounded):
        raise Unusable("it needs a node and a component from 1 to 6")
    (a, ca), (b, cb) = grounded if len(grounded) == 2 else (grounded[0], (GROUND, 0))
    return [ScalarSpring((a, b), (ca, cb), k)]


def _bush(fields: Fields, places: _Places) -> list[object]:
    number, first, second = fields.whole(2, fields.whole(1)), fields.whole(3), fields.whole(4, 0)
    if number not in places.stiffness:
        raise Unusable(f"there is no PBUSH {number}")
    a, b = places.node(first), places.node(second) if second else GROUND
    xa = places.points[a]
    xb = places.points[b] if b != GROUND else xa
    if fields.text(8):
        axes = places.axes(fields.whole(8), xa)
    elif fields.text(5) or np.linalg.norm(xb - xa) > 0.0:
        axes = _along(xb - xa, _direction(fields, places, first, xa))
    else:
        axes = np.eye(3)
    point = xa + fields.real(9, 0.5) * (xb - xa)
    if fields.whole(10, -1) >= 0:
        point = in_basic(np.array([fields.reals(11, 13)]), places.systems.frame(fields.whole(10)))[0]
    return [Spring((a, b), _bush_stiffness(places.stiffness[number]), _matrix(axes), _vector(point))]


def _bush_stiffness(fields: Fields) -> tuple[float, ...]:
    for i in range(2, len(fields.card), 8):
        if fields.text(i) == "K":
            if "RIGID" in [fields.text(j) for j in range(i + 1, i + 7)]:
                raise Unusable(f"PBUSH {fields.text(1)} has rigid directions")
            return fields.reals(i + 1, i + 6)
    return (0.0,) * 6


def _direction(fields: Fields, places: _Places, first: int, xa: Floats) -> Floats | None:
    """The orientation vector of CBUSH: a node, or components in the system of the first node."""
    if not fields.text(5):
        return None
    if not fields.text(6) and not fields.text(7) and "." not in fields.text(5):
        return np.asarray(places.points[places.node(fields.whole(5))] - xa)
    return np.asarray(np.array(fields.reals(5, 7)) @ places.motion_axes(first))


def _along(x: Floats, v: Floats | None) -> Floats:
    """(3, 3) axes with x along a line and y in the plane of x and v; v alone is x if the line has no length."""
    length = np.linalg.norm(x)
    if not length > 0.0:
        x, v = (v if v is not None else np.array([1.0, 0.0, 0.0])), None
        length = np.linalg.norm(x)
    if not length > 0.0:
        raise Unusable("it has no direction")
    x = x / length
    if v is None:
        v = np.eye(3)[int(np.argmin(np.abs(x)))]
    z = np.cross(x, v)
    if not np.linalg.norm(z) > 1e-9 * np.linalg.norm(v):
        raise Unusable("its orientation is along its axis")
    z = z / np.linalg.norm(z)
    return np.stack([x, np.cross(z, x), z])


def _rigid(fields: Fields, places: _Places) -> list[object]:
    number = fields.whole(1)
    if fields.card[0] == "RBAR":
        a, b = fields.whole(2), fields.whole(3)
        if fields.text(4) != "123456":
            a, b = b, a
            if fields.text(4) or fields.text(5) != "123456":
                raise Unusable("both of its ends are independent")
        held = fields.text(7 if a == fields.whole(2) else 6) or "123456"
        return [RigidTie(f"rbe_{number}", places.node(a), places.nodes([b]), _components(held))]
    dependent = listed_numbers([text for text in fields.card[4:] if "." not in text])
    tied = RigidTie(f"rbe_{number}", places.node(fields.whole(2)), places.nodes(dependent), _components(fields.text(3)))
    return [tied]


def _averaged(fields: Fields, places: _Places) -> list[object]:
    nodes, weights, components = averaged_nodes(fields)
    if len(set(components)) > 1:
        raise Unusable("its nodes have different components")
    tied = AveragedTie(
        f"rbe_{fields.whole(1)}",
        places.node(fields.whole(3)),
        _components(fields.text(4)),
        places.nodes(nodes),
        np.array(weights),
        _components(components[0]),
    )
    return [tied]


def averaged_nodes(fields: Fields) -> tuple[list[int], list[float], list[str]]:
    """Nodes of RBE3 with weights and components: groups of weight (a real number), components, nodes."""
    nodes: list[int] = []
    weights: list[float] = []
    components: list[str] = []
    weight, current, is_component = 1.0, "123", False
    for i in range(5, len(fields.card)):
        text = fields.text(i)
        if text in ("UM", "ALPHA"):
            break
        if "." in text:
            weight, is_component = fields.real(i), True
        elif is_component:
            current, is_component = text, False
        elif text:
            nodes.append(fields.whole(i))
            weights.append(weight)
            components.append(current)
    return nodes, weights, components


def _equation(fields: Fields, places: _Places) -> list[object]:
    terms = []
    for i in (start + k for start in range(2, len(fields.card), 8) for k in (0, 3)):
        if fields.text(i):
            component = fields.whole(i + 1, 0)
            if not 1 <= component <= 6:
                raise Unusable("a component is not from 1 to 6")
            terms.append((places.node(fields.whole(i)), component, fields.real(i + 2, 0.0)))
    if not terms or terms[0][2] == 0.0:
        raise Unusable("its first coefficient is missing")
    return [Equation(f"mpc_{fields.whole(1)}", tuple(terms))]


def _support(fields: Fields, places: _Places) -> list[object]:
    name = f"spc_{fields.whole(1)}"
    if fields.card[0] == "SPC1":
        return [Support(name, places.known(listed_numbers(fields.card[3:])), _components(fields.text(2)))]
    found: list[object] = []
    for i in (2, 5):
        if fields.text(i):
            held = places.known([fields.whole(i)])
            found.append(Support(name, held, _components(fields.text(i + 1)), fields.real(i + 2, 0.0)))
    return found


def _merged(supports: list[Support]) -> list[Support]:
    """Supports of one name, components and value as one."""
    found: dict[tuple[str, str, float], list[Integers]] = {}
    for entry in supports:
        found.setdefault((entry.name, entry.components, entry.value), []).append(entry.nodes)
    return [
        Support(name, np.unique(np.concatenate(nodes)), components, value)
        for (name, components, value), nodes in found.items()
    ]


_READERS: dict[str, Callable[[Fields, _Places], list[object]]] = {
    **dict.fromkeys(("CONM1", "CONM2"), _point_mass),
    **dict.fromkeys(("CELAS1", "CELAS2"), _scalar_spring),
    "CBUSH": _bush,
    **dict.fromkeys(("RBE2", "RBAR"), _rigid),
    "RBE3": _averaged,
    "MPC": _equation,
    **dict.fromkeys(("SPC", "SPC1"), _support),
}


def _components(text: str) -> str:
    digits = "".join(sorted(set(text)))
    if not digits or not set(digits) <= set("0123456"):
        raise Unusable(f"'{text[:20]}' are not components")
    return digits.replace("0", "")


def listed_numbers(fields: list[str]) -> list[int]:
    """Numbers with THRU between the first and the last of a range."""
    words = [text.upper() for text in fields if text and text.upper() != "SKIN"]
    numbers: list[int] = []
    i = 0
    while i < len(words):
        if i + 2 < len(words) and words[i + 1] == "THRU":
            step = int(words[i + 4]) if i + 4 < len(words) and words[i + 3] == "BY" else 1
            if int(words[i + 2]) - int(words[i]) > _MOST_LISTED:
                raise ValueError
            numbers += range(int(words[i]), int(words[i + 2]) + 1, step)
            i += 5 if i + 4 < len(words) and words[i + 3] == "BY" else 3
        elif words[i] == "ALPHA":
            break
        else:
            numbers.append(int(words[i]))
            i += 1
    return numbers


def _vector(x: Floats) -> Vector:
    return (float(x[0]), float(x[1]), float(x[2]))


def _matrix(rows: Floats) -> Matrix:
    return tuple(tuple(float(value) for value in row) for row in rows)
