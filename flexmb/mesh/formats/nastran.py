"""Nastran bulk data: GRID, solid, shell and bar elements, coordinate systems, sets by property and by SET1, SPC, RBE.

Elements of property 7 become the set pid_7, SET1 3 becomes set_3, the nodes held by SPC or SPC1 3 become spc_3, those
tied by the rigid element 12 rbe_12. Names of properties are taken from comments of HyperMesh or Femap. What the deck
says beside cells and sets is put together by `nastran_deck.py`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from flexmb.arrays import Integers
from flexmb.errors import Fault, InputError
from flexmb.mesh.formats.nastran_cards import Cards, Fields, real
from flexmb.mesh.formats.nastran_connections import averaged_nodes, listed_numbers
from flexmb.mesh.formats.nastran_deck import DeckCards
from flexmb.mesh.formats.nastran_frames import FrameCard, Systems
from flexmb.mesh.formats.nastran_losses import LostCards
from flexmb.mesh.mesh import LINES, SOLIDS, SURFACES
from flexmb.mesh.raw import Numbering, RawMesh, cells_by_point_ids, listed

_WEDGE15 = [*range(9), 12, 13, 14, 9, 10, 11]
_HEX20 = [*range(12), 16, 17, 18, 19, 12, 13, 14, 15]
_ELEMENTS: dict[str, dict[int, tuple[str, list[int] | None]]] = {
    "CTETRA": {4: ("tet4", None), 10: ("tet10", None)},
    "CPENTA": {6: ("wedge6", None), 15: ("wedge15", _WEDGE15)},
    "CHEXA": {8: ("hex8", None), 20: ("hex20", _HEX20)},
    "CPYRAM": {5: ("pyramid5", None), 13: ("pyramid13", None)},
    "CPYRA": {5: ("pyramid5", None), 13: ("pyramid13", None)},
    "CTRIA3": {3: ("tri3", None)},
    "CTRIAR": {3: ("tri3", None)},
    "CTRIA6": {6: ("tri6", None)},
    "CQUAD4": {4: ("quad4", None)},
    "CQUADR": {4: ("quad4", None)},
    "CQUAD8": {8: ("quad8", None)},
    "CQUAD": {9: ("quad9", None)},
    "CQUAD9": {8: ("quad8", None)},  # Gmsh's own, on faces of a CHEXA with 27 nodes, of which 20 are read
    "CBAR": {2: ("line2", None)},
    "CBEAM": {2: ("line2", None)},
    "CROD": {2: ("line2", None)},
    "CTUBE": {2: ("line2", None)},
    "CBEAM3": {3: ("line3", None)},
}
"""Card -> number of nodes -> cell type, and index of each node of the VTK order on the card where the orders differ"""


@dataclass
class _Found:
    grids: dict[int, tuple[int, tuple[float, float, float]]] = field(default_factory=dict)
    """Number -> coordinate system, coordinates"""
    frames: dict[int, FrameCard] = field(default_factory=dict)
    elements: dict[tuple[str, str], list[list[int]]] = field(default_factory=lambda: defaultdict(list))
    """Cell type, card -> rows [id, property (0: none), nodes ...]"""
    sets: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    """Name -> node numbers"""
    lost: LostCards = field(default_factory=LostCards)
    deck: DeckCards = field(default_factory=DeckCards)
    faults: list[Fault] = field(default_factory=list)
    default_frame: int = 0


def read_nastran(path: Path) -> RawMesh:
    """Points, cells and properties of Nastran bulk data, in the units of the file."""
    found, cards = _Found(), Cards(path)
    for card in cards:
        try:
            _read_card(card, cards, found)
        except (ValueError, IndexError):
            text = f"{cards.place()}: the card '{', '.join(card)[:90]}' cannot be read."
            found.faults.append(Fault(text, hint="Check that the file is complete."))
            if len(found.faults) >= 20:
                break
    if not found.grids and not found.faults:
        found.faults.append(Fault("the file contains no GRID cards.", hint="Check that it is Nastran bulk data."))
    if found.faults:
        raise InputError(found.faults)
    try:
        mesh = _assemble(found, cards)
    except OverflowError:
        text = "a GRID or element card has a number that is too large."
        raise InputError([Fault(text, hint="Check that the file is complete.")]) from None
    mesh.notes += cards.notes
    return mesh


def _read_card(card: list[str], cards: Cards, found: _Found) -> None:
    name = card[0]
    if name == "GRID":
        values = [*card[1:6], "", "", "", ""][:5]
        frame = int(values[1]) if values[1] else -1
        found.grids[int(values[0])] = (frame, (real(values[2]), real(values[3]), real(values[4])))
        if len(card) > 6 and (card[6] or len(card) > 7):
            found.deck.grid(card)
    elif name == "GRDSET":
        found.default_frame = int(card[2]) if len(card) > 2 and card[2] else 0
        found.deck.grid_defaults(card)
    elif name in _ELEMENTS:
        _element(card, cards, found)
    elif name.startswith("CORD") and name[4:] in ("1R", "1C", "1S", "2R", "2C", "2S"):
        _frame(card, found)
    elif name.startswith("CORD"):
        hint = "Write nodes in the basic system, or with CORD2R, CORD2C, CORD2S."
        text = f"{cards.place()}: the coordinate system {name} {card[1] if len(card) > 1 else ''} is not supported."
        found.faults.append(Fault(text, hint=hint))
    else:
        _deck_card(card, cards, found)


def _deck_card(card: list[str], cards: Cards, found: _Found) -> None:
    name = card[0]
    if name in ("SET1", "SPC1", "SPC", "RBE2", "RBE3"):
        _set(card, found)
    if name.startswith("RBE") and name != "RBE1":
        found.lost.ties.setdefault(name, []).append(f"rbe_{int(card[1])}")
    elif name != "SET1":
        found.lost.read(card)
    found.deck.read(card, cards)


def _element(card: list[str], cards: Cards, found: _Found) -> None:
    name, number = card[0], int(card[1])
    kinds = _ELEMENTS[name]
    most = max(kinds)
    fields = card[3 : 3 + most]
    while fields and not fields[-1]:
        fields.pop()
    if name == "CQUAD8" or name == "CTRIA6":
        corners = 4 if name == "CQUAD8" else 3
        fields = fields if all(fields) and len(fields) == most else fields[:corners]
        kinds = kinds | {corners: ("quad4" if corners == 4 else "tri3", None)}
    if len(fields) not in kinds or not all(fields):
        given = sum(1 for text in fields if text)
        allowed = " or ".join(str(count) for count in kinds)
        hint = f"Allowed: {allowed}. Elements with middle nodes on only some edges are not supported."
        found.faults.append(Fault(f"{cards.place()}: {name} {number} has {given} nodes.", hint=hint))
        return
    kind, order = kinds[len(fields)]
    nodes = [int(text) for text in fields]
    nodes = nodes if order is None else [nodes[i] for i in order]
    found.elements[kind, name].append([number, int(card[2]) if card[2] else 0, *nodes])
    if kind in SURFACES or kind in LINES:
        found.deck.element(kind, card, cards)
    if name in ("CBAR", "CBEAM"):
        found.lost.bar(card)


def _frame(card: list[str], found: _Found) -> None:
    form = card[0][-1]
    if card[0][4] == "1":  # one or two systems by three nodes each
        for i in range(1, len(card), 4):
            if card[i]:
                nodes = tuple(int(text) for text in card[i + 1 : i + 4])
                if len(nodes) < 3:
                    raise ValueError
                found.frames[int(card[i])] = FrameCard(form, 0, np.zeros((3, 3)), nodes)
        return
    values = [real(text) for text in card[3:12]]
    if len(values) < 9:
        raise ValueError
    reference = int(card[2]) if card[2] else 0
    found.frames[int(card[1])] = FrameCard(form, reference, np.array(values).reshape(3, 3))


def _set(card: list[str], found: _Found) -> None:
    name = card[0]
    if name == "SET1":
        found.sets[f"set_{int(card[1])}"] += listed_numbers(card[2:])
    elif name == "SPC1":
        found.sets[f"spc_{int(card[1])}"] += listed_numbers(card[3:])
    elif name == "SPC":
        found.sets[f"spc_{int(card[1])}"] += [int(card[i]) for i in (2, 5) if len(card) > i and card[i]]
    elif name == "RBE2":
        nodes = [text for text in card[4:] if "." not in text]
        found.sets[f"rbe_{int(card[1])}"] += listed_numbers(nodes)
    else:
        found.sets[f"rbe_{int(card[1])}"] += averaged_nodes(Fields(card))[0]


def _assemble(found: _Found, cards: Cards) -> RawMesh:
    ids = np.array(list(found.grids), dtype=np.int64)
    frames = np.array([frame for frame, _ in found.grids.values()], dtype=np.int64)
    frames = np.where(frames < 0, found.default_frame, frames)
    systems = Systems(found.frames, found.grids, found.default_frame)
    points = systems.to_basic(np.array([x for _, x in found.grids.values()]), frames)
    found.faults += systems.faults.values()
    numbering = Numbering(ids)
    mesh = RawMesh(points, ids)
    names = _property_names(cards.comments)
    used: set[int] = set()
    for (kind, card), rows in found.elements.items():
        table = np.array(rows, dtype=np.int64)
        numbers = [int(number) for number in np.unique(table[:, 1])]
        word_of = {number: found.lost.element(card, table.shape[1] - 2, number) for number in numbers}
        for word in dict.fromkeys(word_of.values()):
            chosen = np.isin(table[:, 1], [number for number in numbers if word_of[number] == word])
            _add_block(mesh, kind, word, table[chosen], numbering, names, found)
        used |= set(numbers) if kind in (*SOLIDS, *LINES) else set()
    for name, numbers in found.sets.items():
        wanted = np.array(numbers, dtype=np.int64)
        places, known = numbering.find(wanted)
        if not known.all():
            mesh.notes.append(f"Set '{name}': nodes that are not in the file were left out: {listed(wanted[~known])}.")
        mesh.node_sets[name] = np.unique(places[known])
    if found.faults:
        raise InputError(found.faults)
    mesh.deck = found.deck.build(mesh, numbering, systems)
    mesh.losses += found.lost.losses(used, found.deck)
    return mesh


def _add_block(
    mesh: RawMesh,
    kind: str,
    word: str,
    table: Integers,
    numbering: Numbering,
    names: dict[int, str],
    found: _Found,
) -> None:
    """Add elements of one type, and the sets of their properties."""
    block = len(mesh.cells)
    cells = cells_by_point_ids(kind, table[:, 0], table[:, 2:], numbering, found.faults, "element")
    properties = np.unique(table[table[:, 1] > 0, 1])
    has_section = any(int(number) in (*found.lost.shells, *found.lost.sections) for number in properties)
    mesh.cells.append(replace(cells, element=word, has_section=has_section))
    found.deck.block(block, kind, table[:, :2])
    for number in properties:
        members = np.flatnonzero(table[:, 1] == number)
        mesh.cell_sets.setdefault(f"pid_{number}", {})[block] = members
        if int(number) in names:
            mesh.cell_sets.setdefault(names[int(number)], {})[block] = members


def _property_names(comments: list[str]) -> dict[int, str]:
    """Names of properties in the comments of HyperMesh and Femap, if they are unique."""
    forms = (
        r"HMNAME\s+(?:PROP|COMP)\s+(\d+)\s*\"([^\"]+)\"",
        r"Femap\s+(?:with\s+\S+\s+)?Property\s+(\d+)\s*:\s*(\S.*)",
    )
    names: dict[int, str] = {}
    for comment in comments:
        for form in forms:
            match = re.match(form, comment)
            if match:
                names.setdefault(int(match.group(1)), match.group(2).strip())
    return {number: name for number, name in names.items() if list(names.values()).count(name) == 1}
