"""The deck of a Nastran file, put together: properties with their cells and what element cards say, and connections.

Elements of one property that differ in direction, offset or thickness become several properties of the same name, so
that a property of the deck has one direction. Vectors of bars are in the system of motion of their first node (G), in
the basic one (B), or, for offsets, in that of the bar (O).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from math import radians
from typing import Any

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.mesh.deck import ALONG_CELL, ZERO, BeamProperty, Deck, Isotropic, ShellProperty, SolidProperty, Vector
from flexmb.mesh.formats.nastran_cards import Cards, Fields
from flexmb.mesh.formats.nastran_connections import Connections
from flexmb.mesh.formats.nastran_frames import Systems
from flexmb.mesh.formats.nastran_properties import Properties
from flexmb.mesh.mesh import LINES, SOLIDS, SURFACES
from flexmb.mesh.raw import Numbering, RawMesh

_SHELL_FIELDS = {
    "CQUAD4": (7, 8, 10, (11, 12, 13, 14)),
    "CQUADR": (7, 8, 10, (11, 12, 13, 14)),
    "CTRIA3": (6, 7, 10, (11, 12, 13)),
    "CTRIAR": (6, 7, 10, (11, 12, 13)),
    "CQUAD8": (15, 16, 17, (11, 12, 13, 14)),
    "CTRIA6": (9, 10, 14, (11, 12, 13)),
}
"""Card -> fields of the material angle, the offset, the flag of the thicknesses, the thicknesses at the corners"""


class DeckCards:
    """Collects cards and builds the deck."""

    def __init__(self) -> None:
        self.properties = Properties()
        self.connections = Connections()
        self.mass_factor = 1.0
        self.node_system: dict[int, int] = {}
        self.default_system = 0
        self.details: dict[int, Fields] = {}
        """Element -> its card, if a shell or bar says more than its nodes"""
        self.blocks: list[tuple[int, str, Integers]] = []
        """Number of the block, cell type, (n, 2) elements and their properties"""
        self.damaged: list[tuple[str, str]] = []
        """Name of a card that cannot be read, and its place"""

    def read(self, card: list[str], cards: Cards) -> None:
        """Take a card; one that cannot be read is a loss, and no reason against the mesh."""
        fields = Fields(card, cards.place())
        try:
            if card[0] == "PARAM" and fields.text(1) == "WTMASS":
                self.mass_factor = fields.real(2)
            elif not self.connections.read(fields):
                self.properties.read(fields)
        except (ValueError, IndexError, OverflowError, ZeroDivisionError):
            self.damaged.append((card[0], f"{fields.title}: a field is missing or not a number"))

    def grid(self, card: list[str]) -> None:
        """Take the system of motion and the held components of a GRID card."""
        fields = Fields(card)
        number = fields.whole(1)
        if fields.text(6):
            self.node_system[number] = fields.whole(6)
        if fields.text(7):
            self.connections.held.setdefault(fields.text(7), []).append(number)

    def grid_defaults(self, card: list[str]) -> None:
        """Take the defaults of GRDSET."""
        self.default_system = Fields(card).whole(6, 0)

    def element(self, kind: str, card: list[str], cards: Cards) -> None:
        """Keep the card of a shell or bar that says more than its nodes."""
        plain = 5 if kind in LINES else max(_SHELL_FIELDS[card[0]][0], 4) if card[0] in _SHELL_FIELDS else 99
        if card[0] == "CQUAD8" or any(card[plain:]):
            self.details[int(card[1])] = Fields(card, cards.place())

    def block(self, number: int, kind: str, table: Integers) -> None:
        """Take a block of cells: (n, 2) elements and their properties."""
        self.blocks.append((number, kind, table))

    def build(self, mesh: RawMesh, numbering: Numbering, systems: Systems) -> Deck:
        """The deck, in the units of the file."""
        if self.default_system:
            self.node_system = dict.fromkeys(systems.grids, self.default_system) | self.node_system
        self.connections.resolve(numbering, mesh.points, systems, self.node_system)
        needed = {number for number in (*systems.cards, *self.node_system.values()) if number > 0}
        for number in needed:
            systems.frame(number)
        motion: dict[str, list[int]] = defaultdict(list)
        for node, number in self.node_system.items():
            if number > 0 and number not in systems.faults:
                motion[f"cord_{number}"].append(node)
        self.damaged += [("CORD", fault.text.rstrip(".")) for i, fault in systems.faults.items() if i in needed]
        elements = _Elements(self, mesh, numbering, systems)
        found = self.connections
        return Deck(
            self.properties.materials,
            {f"cord_{number}": systems.frame(number) for number in systems.cards if number not in systems.faults},
            tuple(elements.shells()),
            tuple(elements.beams()),
            tuple(elements.solids()),
            tuple(found.masses),
            tuple(found.springs),
            tuple(found.ties),
            tuple(found.supports),
            {name: numbering.find(np.array(nodes))[0] for name, nodes in motion.items()},
            mass_factor=self.mass_factor,
        )

    def left(self) -> dict[str, list[str]]:
        """Card -> entries that the deck does not hold, with their line and the reason."""
        found: dict[str, list[str]] = defaultdict(list)
        for name, reason in (*self.connections.unusable, *self.damaged, *self.properties.unread):
            found[name].append(reason)
        return found


class _Elements:
    """Properties with their cells."""

    def __init__(self, deck: DeckCards, mesh: RawMesh, numbering: Numbering, systems: Systems) -> None:
        self.deck, self.mesh, self.numbering, self.systems = deck, mesh, numbering, systems

    def solids(self) -> Iterator[SolidProperty]:
        """Properties of solid cells."""
        for number, entry in self.deck.properties.solids.items():
            cells = {
                block: rows
                for block, kind, table in self.deck.blocks
                if kind in SOLIDS and len(rows := np.flatnonzero(table[:, 1] == number))
            }
            if cells:
                yield replace(entry, cells=cells)

    def shells(self) -> Iterator[ShellProperty]:
        """Properties of shells, one for each direction, offset and thickness."""
        known: dict[tuple[object, ...], ShellProperty] = {}
        groups: dict[_Key, dict[int, list[int]]] = {}
        for block, kind, table in self.deck.blocks:
            if kind in SOLIDS or kind in LINES:
                continue
            for row, (element, number) in enumerate(table.tolist()):
                entry = self.deck.properties.shells.get(number)
                if entry is None:
                    continue
                fields = self.deck.details.get(element)
                same = (number, kind, *fields.card[3 + SURFACES[kind] :]) if fields is not None else (number,)
                if same not in known:
                    known[same] = self._shell(entry, fields)
                groups.setdefault(_Key(known[same]), {}).setdefault(block, []).append(row)
        for key, cells in groups.items():
            yield replace(key.entry, cells={block: np.array(rows) for block, rows in cells.items()})

    def _damaged(self, fields: Fields) -> None:
        self.deck.damaged.append((fields.card[0], f"{fields.title}: a field is missing or not a number"))

    def _shell(self, entry: ShellProperty, fields: Fields | None) -> ShellProperty:
        directed = bool(entry.layers) or not self._is_isotropic(entry.material)
        if fields is None:
            return replace(entry, frame=ALONG_CELL) if directed else entry
        try:
            return self._shell_of_card(entry, fields, directed)
        except ValueError:
            self._damaged(fields)
            return entry

    def _shell_of_card(self, entry: ShellProperty, fields: Fields, directed: bool) -> ShellProperty:
        at, offset, flag, corners = _SHELL_FIELDS[fields.card[0]]
        values: dict[str, object] = {"offset": entry.offset + fields.real(offset, 0.0)}
        if directed and fields.text(at) and "." not in fields.text(at):
            system = fields.whole(at)
            values["frame"] = f"cord_{system}" if system else ""
        elif directed:
            values |= {"frame": ALONG_CELL, "angle": radians(fields.real(at, 0.0))}
        thickness = [fields.real(i, -1.0) for i in corners]
        if any(value > 0.0 for value in thickness) and not entry.layers:
            scale = entry.thickness if fields.text(flag) == "1" else 1.0
            given = tuple(scale * value if value >= 0.0 else entry.thickness for value in thickness)
            if len(set(given)) == 1:
                values["thickness"] = given[0]
            else:
                values |= {"corners": given, "thickness": sum(given) / len(given)}
        return replace(entry, **values)  # type: ignore[arg-type]

    def _is_isotropic(self, material: str) -> bool:
        return isinstance(self.deck.properties.materials.get(material), Isotropic | None)

    def beams(self) -> Iterator[BeamProperty]:
        """Properties of bars, one for each direction, offset and release."""
        groups: dict[_Key, dict[int, list[int]]] = {}
        for block, kind, table in self.deck.blocks:
            if kind not in LINES:
                continue
            for row, (element, number) in enumerate(table.tolist()):
                entry = self.deck.properties.beams.get(number)
                if entry is not None:
                    nodes = self.mesh.cells[block].nodes[row]
                    key = _Key(self._beam(entry, element, nodes))
                    groups.setdefault(key, {}).setdefault(block, []).append(row)
        for key, cells in groups.items():
            yield replace(key.entry, cells={block: np.array(rows) for block, rows in cells.items()})

    def _beam(self, entry: BeamProperty, element: int, nodes: Integers) -> BeamProperty:
        fields = self.deck.details.get(element)
        if fields is None or fields.card[0] not in ("CBAR", "CBEAM"):
            return entry
        try:
            return self._beam_of_card(entry, fields, nodes)
        except ValueError:
            self._damaged(fields)
            return entry

    def _beam_of_card(self, entry: BeamProperty, fields: Fields, nodes: Integers) -> BeamProperty:
        letters = fields.text(8) if fields.text(8).isalpha() and len(fields.text(8)) == 3 else "GGG"
        x = self.mesh.points[nodes[:2]]
        axes = [self._motion_axes(fields.whole(3 + end), x[end]) for end in (0, 1)]
        direction: Vector | None = None
        if fields.text(5) and not fields.text(6) and not fields.text(7) and "." not in fields.text(5):
            place, known = self.numbering.find(np.array([fields.whole(5)]))
            direction = _vector(self.mesh.points[place[0]] - x[0]) if known[0] else None
        elif any(fields.text(i) for i in (5, 6, 7)):
            v = np.array(fields.reals(5, 7))
            direction = _vector(v if letters[0] == "B" else v @ axes[0])
        offsets = []
        for end in (0, 1):
            w = np.array(fields.reals(11 + 3 * end, 13 + 3 * end))
            if letters[1 + end] == "O" and w.any() and direction is not None:
                offsets.append(_vector(w @ _bar_axes(x[1] - x[0], np.array(direction))))
            else:
                offsets.append(_vector(w if letters[1 + end] == "B" else w @ axes[end]) if w.any() else ZERO)
        releases = (fields.text(9), fields.text(10))
        return replace(entry, direction=direction, offsets=(offsets[0], offsets[1]), releases=releases)

    def _motion_axes(self, node: int, x: Floats) -> Floats:
        return self.systems.frame(self.deck.node_system.get(node, 0)).axes_at(x)


class _Key:
    """A property without cells, as a key."""

    def __init__(self, entry: Any) -> None:
        self.entry = entry
        self._values = tuple(value for name, value in vars(entry).items() if name != "cells")

    def __hash__(self) -> int:
        return hash(self._values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self._values == other._values


def _bar_axes(x: Floats, v: Floats) -> Floats:
    """(3, 3) axes of a bar: x along it, y in the plane of x and v."""
    x = x / max(float(np.linalg.norm(x)), 1e-300)
    z = np.cross(x, v)
    z = z / max(float(np.linalg.norm(z)), 1e-300)
    return np.stack([x, np.cross(z, x), z])


def _vector(x: Floats) -> Vector:
    return (float(x[0]), float(x[1]), float(x[2]))
