"""Properties of every cell of a mesh: materials, thicknesses and sections by cell set, and the deck for all others.

Input: a mesh, and what the user gives. Output: `CellProperties` for the assembly of solids, shells and beams, or all
faults at once. What is given by cell set replaces what the deck says of these cells; without a set it replaces that of
all cells which no set names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from flexmb.arrays import Integers
from flexmb.elements.deck_beams import deck_beams
from flexmb.elements.deck_materials import cells_of, isotropic_material, unusable
from flexmb.elements.deck_shells import shell_sections
from flexmb.elements.line_beams import BeamData
from flexmb.elements.material import Material, material_text
from flexmb.elements.section import Section
from flexmb.elements.shell.assemble import CellSections
from flexmb.elements.shell.thickness import numbers_of, thickness_faults
from flexmb.errors import Fault, InputError
from flexmb.mesh.losses import Loss
from flexmb.mesh.mesh import LINES, SOLIDS, SURFACES, Mesh
from flexmb.suggestions import did_you_mean

Materials = Material | Mapping[str, Material] | None
Thickness = float | Mapping[str, float] | None


@dataclass(frozen=True)
class CellProperties:
    """Properties of the cells of a mesh."""

    mesh: Mesh
    """With the cell sets of `solids`"""
    solids: Mapping[str, Material]
    """Materials of solid cells, by cell set; "": all"""
    shells: CellSections | None
    beams: BeamData | None
    losses: tuple[Loss, ...]
    given: tuple[Material, ...] = ()
    """Materials that do not come from the deck"""

    @property
    def materials(self) -> list[Material]:
        """All isotropic materials of the body"""
        shells = () if self.shells is None else self.shells.sections
        layers = [layer.material for section in shells for layer in section.layers]
        beams = self.beams.materials if self.beams is not None else ()
        return list(dict.fromkeys(m for m in (*self.solids.values(), *layers, *beams) if isinstance(m, Material)))

    @property
    def notes(self) -> list[str]:
        """Sentences about what comes from the deck"""
        given = set(self.given)
        used = [material_text("", material) for material in self.materials if material not in given]
        deck, counts = self.mesh.deck, []
        if deck is None:
            return []
        for word, entries in (("shell cells", deck.shells), ("beams", deck.beams)):
            n = sum(len(rows) for entry in entries for rows in entry.cells.values())
            counts += [f"{n:,} {word}"] if n else []
        more = f", and {len(used) - 5} more" if len(used) > 5 else ""
        found = [f"Materials of the file are used: {'; '.join(used[:5])}{more}."] if used else []
        return found + ([f"The file gives the sections of {' and '.join(counts)}."] if counts else [])


def has_properties(mesh: Mesh) -> bool:
    """Whether the deck of a mesh says what its cells are made of."""
    deck = mesh.deck
    if deck is None:
        return False
    return any(any(entry.cells for entry in entries) for entries in (deck.solids, deck.shells, deck.beams))


def cell_properties(
    mesh: Mesh,
    materials: Materials = None,
    thickness: Thickness = None,
    section: Section | None = None,
    y_axis: ArrayLike | None = None,
) -> CellProperties:
    """Properties of all cells; raises all faults."""
    given = {"": materials} if isinstance(materials, Material) else dict(materials or {})
    thick = {} if thickness is None else dict(thickness) if isinstance(thickness, Mapping) else {"": thickness}
    faults = _unknown_sets(mesh, given) + thickness_faults(mesh, thickness)
    if faults:
        raise InputError(faults)
    kinds = {block.kind for block in mesh.cells if len(block)}
    losses: list[Loss] = []
    made, shells, beams = mesh, None, None
    solids: Mapping[str, Material] = given
    if kinds & SOLIDS.keys():
        made, solids, found = _solids(mesh, given)
        faults += found
    if kinds & SURFACES.keys():
        shells, found, lost = shell_sections(mesh, given, thick)
        faults += found
        losses += lost
    if kinds & LINES.keys():
        beams, found, lost = deck_beams(mesh, given, section, y_axis)
        faults += found
        losses += lost
    if faults:
        raise InputError(faults)
    losses += _replaced(mesh, given)
    return CellProperties(made, solids, shells, beams, tuple(losses), tuple(given.values()))


def _replaced(mesh: Mesh, given: Mapping[str, Material]) -> list[Loss]:
    """The loss of several materials of the deck that one material replaces"""
    deck, numbers = mesh.deck, numbers_of(mesh, list(given))
    if deck is None:
        return []
    over: dict[int, set[object]] = {}
    for entries in (deck.solids, deck.beams):
        for entry in entries:
            for block, rows in cells_of(entry.cells):
                for number in np.unique(numbers[block][rows]):
                    if number >= 0:
                        over.setdefault(int(number), set()).add(deck.materials.get(entry.material, entry.material))
    names = list(given)
    return [
        Loss(
            "materials",
            f"{len(found)} materials of the file are replaced by that of {names[number] or 'all cells'}: give each "
            "cell set its own by --material SET=..., or leave it out",
            len(found),
        )
        for number, found in over.items()
        if len(found) > 1
    ]


def _unknown_sets(mesh: Mesh, given: Mapping[str, Material]) -> list[Fault]:
    return [
        Fault(
            f"the mesh has no cell set {name!r}",
            ("materials", name),
            did_you_mean(name, sorted(mesh.cell_sets), "Cell sets")
            if mesh.cell_sets
            else "The mesh has no cell sets: give one material for all cells.",
        )
        for name in given
        if name and name not in mesh.cell_sets
    ]


def _solids(mesh: Mesh, given: Mapping[str, Material]) -> tuple[Mesh, Mapping[str, Material], list[Fault]]:
    """The mesh with a cell set for each material of the deck that is used, materials by set, and faults"""
    deck = mesh.deck
    if "" in given or deck is None or not deck.solids:
        return mesh, given, []
    numbers, faults = numbers_of(mesh, list(given)), []
    sets: dict[str, list[Integers]] = {}
    made: dict[str, Material] = {}
    for entry in deck.solids:
        left = {block: rows[numbers[block][rows] < 0] for block, rows in cells_of(entry.cells)}
        if not any(len(rows) for rows in left.values()):
            continue
        label = f"{entry.name} ({entry.material})"
        if label not in made:
            try:
                made[label] = isotropic_material(entry.material, deck.materials)
            except InputError as error:
                faults.append(unusable(entry.material, error, entry.name))
                continue
            sets[label] = [np.zeros(0, dtype=np.int64) for _ in mesh.cells]
        for block, rows in left.items():
            sets[label][block] = np.union1d(sets[label][block], rows)
    cells = {**mesh.cell_sets, **{label: tuple(parts) for label, parts in sets.items()}}
    return replace(mesh, cell_sets=cells), {**given, **made}, faults
