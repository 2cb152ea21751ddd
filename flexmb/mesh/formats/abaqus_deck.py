"""The deck of an Abaqus or CalculiX file, put together from the blocks of all scopes.

Sections, masses, springs and ties of a part count once for each of its instances, turned as the instance is. A keyword
that cannot be used, or that refers to something that is missing, is reported with its line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from flexmb.arrays import Integers
from flexmb.mesh.deck import BeamProperty, Deck, Frame, ShellProperty, SolidProperty
from flexmb.mesh.formats import abaqus_connections, abaqus_sections
from flexmb.mesh.formats.abaqus_connections import ConnectionReader, Names
from flexmb.mesh.formats.abaqus_frames import Orientation, read_orientation, read_transform
from flexmb.mesh.formats.abaqus_materials import Materials
from flexmb.mesh.formats.abaqus_sections import SectionReader, Unusable
from flexmb.mesh.formats.abaqus_sets import Resolver, SetEntry
from flexmb.mesh.formats.abaqus_text import Block
from flexmb.mesh.raw import RawMesh

WORDS = {*abaqus_sections.WORDS, *abaqus_connections.WORDS, "ORIENTATION", "TRANSFORM"}
"""Keywords that a scope keeps for the deck"""
_DAMAGED = (ValueError, IndexError, OverflowError, ZeroDivisionError, FloatingPointError)


class DeckBuilder:
    """Builds the deck of a file."""

    def __init__(self, mesh: RawMesh, scopes: Sequence[Any], materials: Materials, resolver: Resolver) -> None:
        self.mesh, self.scopes, self.materials, self.resolver = mesh, scopes, materials, resolver
        self.unusable: list[tuple[str, str]] = [("*MATERIAL", text) for text in materials.unusable]
        """Keyword with its star or element type, and why it cannot be used"""
        self.frames: dict[str, Frame] = {}
        self.properties: list[SolidProperty | ShellProperty | BeamProperty] = []
        self.connections = ConnectionReader()
        self.node_frames: dict[str, Integers] = {}

    def build(self) -> Deck:
        """The deck, in the units of the file."""
        for number, scope in enumerate(self.scopes):
            orientations = dict(self._orientations(scope))
            if number and not orientations and self.scopes[0].deck:
                orientations = dict(self._orientations(self.scopes[0]))
            names = self._names(number, scope, orientations)
            reader = SectionReader(self.materials, orientations, self._frame_name)
            for block in scope.deck:
                self._take(block, number, scope, names, reader)
        found = self.connections
        return Deck(
            self.materials.all(),
            self.frames,
            tuple(entry for entry in self.properties if isinstance(entry, ShellProperty)),
            tuple(entry for entry in self.properties if isinstance(entry, BeamProperty)),
            tuple(entry for entry in self.properties if isinstance(entry, SolidProperty)),
            tuple(found.masses),
            tuple(found.springs),
            tuple(found.ties),
            tuple(found.supports),
            self.node_frames,
        )

    def _take(self, block: Block, number: int, scope: Any, names: Names, reader: SectionReader) -> None:
        before = len(self.resolver.faults)
        try:
            if block.word in abaqus_sections.WORDS:
                word = block.name("ELSET")
                elements = self.resolver.member(False, number, word)
                prefix = f"{scope.name}." if number and len(self.scopes) > 2 else ""
                cells = self.resolver.by_block(elements)
                self.properties += reader.read(block, prefix + word, cells, self.mesh.cells, scope.turn)
            elif block.word == "TRANSFORM":
                name = f"transform_{len(self.node_frames) + 1}"
                self.frames[name] = read_transform(block, scope.turn, scope.shift)
                self.node_frames[name] = names.nodes(block.name("NSET"))
            elif block.word != "ORIENTATION":
                self.connections.read(block, names)
        except Unusable as reason:
            self._report(block, str(reason))
        except _DAMAGED:
            self._report(block, "a value is missing or not a number")
        del self.resolver.faults[before:]  # a deck that refers to what is missing is no reason against the mesh

    def _report(self, block: Block, reason: str) -> None:
        word = {"KINEMATIC": "COUPLING", "DISTRIBUTING": "COUPLING"}.get(block.word, block.word)
        key = {"MASS": "MASS", "ROTARY INERTIA": "ROTARYI", "SPRING": "SPRING"}.get(word, f"*{word}")
        self.unusable.append((key, f"{block.title}: {reason}"))

    def _orientations(self, scope: Any) -> Iterator[tuple[str, Orientation]]:
        for block in scope.deck:
            if block.word == "ORIENTATION":
                try:
                    yield block.name("NAME").upper(), read_orientation(block, scope.turn, scope.shift)
                except _DAMAGED:
                    self._report(block, "it is not given by coordinates of points that span a system")

    def _frame_name(self, orientation: Orientation, of_shells: bool) -> str:
        """Enter the system of an orientation; instances of one part may need several of one name."""
        try:
            frame = orientation.of_shells if of_shells else orientation.turned
        except ValueError:
            raise Unusable("its cylindrical orientation is turned") from None
        name, count = orientation.name, 1
        while self.frames.get(name, frame) != frame:
            count += 1
            name = f"{orientation.name}:{count}"
        self.frames[name] = frame
        return name

    def _names(self, number: int, scope: Any, orientations: dict[str, Orientation]) -> Names:
        resolver = self.resolver

        def nodes(word: str) -> Integers:
            word = word.strip().strip('"')
            if not word:
                raise Unusable("a node or node set is missing")
            before = len(resolver.faults)
            entry = SetEntry(np.array([int(word)], dtype=np.int64)) if word.isdigit() else SetEntry(names=[word])
            found = resolver.entry(True, number, "", entry, quiet=True)
            if len(resolver.faults) > before or not len(found):
                del resolver.faults[before:]
                raise Unusable(f"there is no node or node set '{word[:40]}'")
            return found

        def faces(word: str) -> list[Integers]:
            inner, _, last = word.rpartition(".")
            for at in (number, *(i for i, other in enumerate(self.scopes) if i != number)):
                other = self.scopes[at]
                for name, surface in other.surfaces.items():
                    inside = inner and other.name.upper() == inner.upper() and name.upper() == last.upper()
                    if (at == number and name.upper() == word.upper()) or inside:
                        return resolver.surface_faces(at, name, surface)
            return [nodes(word)[:, None]]

        def point_elements(word: str) -> list[tuple[str, Integers]]:
            found = []
            for kind, numbers in scope.point_elements(word):
                places, known = resolver.node_numbers[number].find(numbers)
                if not known.all():
                    raise Unusable(f"node {numbers[~known][0]} is not in the file")
                found.append((kind, places + resolver.offsets[number]))
            if not found:
                raise Unusable(f"there are no such elements in the set '{word[:40]}'")
            return found

        return Names(self.mesh.points, nodes, faces, point_elements, orientations, scope.turn)
