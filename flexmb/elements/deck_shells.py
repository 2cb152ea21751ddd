"""Sections of shell cells: what the user gives for cell sets, and what the deck says of all other cells.

Input: a mesh with its deck (`mesh/deck.py`), materials and thicknesses by cell set. Output: the section and the
direction of every shell cell, faults, and losses. A thickness that is given makes one layer; a material
that is given replaces all layers of the deck, whose thickness, offset and mass remain.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.elements.deck_materials import cells_of, lacks_shear, shell_material, unusable
from flexmb.elements.material import Material
from flexmb.elements.shell.assemble import CellSections
from flexmb.elements.shell.section import Layer, ShellMaterial, ShellSection
from flexmb.elements.shell.thickness import numbers_of
from flexmb.errors import Fault, InputError
from flexmb.mesh.deck import ALONG_CELL, Deck, Frame, Isotropic, ShellProperty
from flexmb.mesh.losses import Loss
from flexmb.mesh.mesh import SURFACES, Mesh

_NORMAL = 1e-3
"""Sine of the angle to the normal of a cell below which the x axis of a system has no direction along the surface"""


@dataclass
class _Sections:
    deck: Deck
    thickness: Sequence[float]
    materials: Sequence[Material]
    made: list[ShellSection] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    def number(self, key: tuple[int, int, int], count: int) -> int:
        """Number of the section of a property, a thickness and a material (-1: not given), of `count` cells"""
        try:
            self.made.append(self._section(*key))
        except InputError as error:
            self.faults += [Fault(f"{count} shell cells: {f.text}", f.path, f.hint) for f in error.faults]
        return len(self.made) - 1

    def _section(self, which: int, given: int, made_of: int) -> ShellSection:
        entry = self.deck.shells[which] if which >= 0 else None
        thickness = self.thickness[given] if given >= 0 else entry.thickness if entry is not None else 0.0
        if entry is None or (given < 0 and not thickness > 0.0):
            if entry is None and given >= 0 and made_of >= 0:
                return ShellSection.plain(self.materials[made_of], thickness)
            what, option = ("material", "material") if given >= 0 else ("thickness", "thickness")
            text = f"they have no {what}, neither in the file nor by a set"
            raise InputError([Fault(text, (option,), f"Give one: --{option} SET=..., or leave them out of the file.")])
        if made_of >= 0:
            return replace(ShellSection.plain(self.materials[made_of], thickness, entry.offset), mass=entry.nsm)
        if given < 0:
            return deck_section(entry, self.deck)
        if entry.layers or not isinstance(self.deck.materials.get(entry.material), Isotropic):
            text = f"their thickness is given, and '{entry.name[:60]}' of the file is a laminate or not isotropic"
            raise InputError([Fault(text, ("thickness",), f"Give --material {entry.name[:60]}=... too.")])
        return replace(deck_section(replace(entry, thickness=thickness, corners=()), self.deck), shear_ratio=None)


def shell_sections(
    mesh: Mesh, materials: Mapping[str, Material], thickness: Mapping[str, float]
) -> tuple[CellSections, list[Fault], list[Loss]]:
    """The section of every shell cell, all faults, and what is computed in another way than the deck says."""
    deck = mesh.deck or Deck()
    thick, solid = numbers_of(mesh, list(thickness)), numbers_of(mesh, list(materials))
    made = _Sections(deck, list(thickness.values()), list(materials.values()))
    property_of = {i: np.full(len(b), -1, dtype=np.int64) for i, b in enumerate(mesh.cells) if b.kind in SURFACES}
    for which, entry in enumerate(deck.shells):
        for block, rows in cells_of(entry.cells):
            if block in property_of:
                property_of[block][rows] = which
    blocks = list(property_of)
    keys = [np.stack([property_of[i], thick[i], solid[i]], axis=1) for i in blocks]
    all_keys = np.concatenate([np.zeros((0, 3), dtype=np.int64), *keys])
    distinct, inverse, counts = np.unique(all_keys, axis=0, return_inverse=True, return_counts=True)
    triples = [(int(a), int(b), int(c)) for a, b, c in distinct]
    number = np.array([made.number(key, int(n)) for key, n in zip(triples, counts, strict=True)], dtype=np.int64)
    of_cell = number[inverse.ravel()] if len(number) else np.zeros(0, dtype=np.int64)
    parts = np.split(of_cell, np.cumsum([len(key) for key in keys])[:-1]) if keys else []
    directions = {i: _directions(mesh, i, property_of[i], deck) for i in blocks}
    found = CellSections(tuple(made.made), dict(zip(blocks, parts, strict=True)), directions)
    return found, made.faults, list(_losses(deck, all_keys))


def deck_section(entry: ShellProperty, deck: Deck) -> ShellSection:
    """The section of a property of the deck."""
    smeared = entry.nsm / entry.thickness  # where the material has no density
    names = [layer.material for layer in entry.layers] or [entry.material]
    made = {name: _material(name, entry, deck, smeared) for name in dict.fromkeys(names)}
    used = all(deck.materials[name].density == 0.0 for name in made) and entry.nsm > 0.0
    mass = 0.0 if used else entry.nsm
    if entry.layers:
        layers = tuple(Layer(made[one.material], one.thickness, one.angle + entry.angle) for one in entry.layers)
        return ShellSection(layers, entry.offset, mass)
    layer = Layer(made[entry.material], entry.thickness, entry.angle)
    bending = None
    if entry.bending:
        bending = replace(layer, material=_material(entry.bending, entry, deck, smeared))
    return ShellSection((layer,), entry.offset, mass, bending, entry.bending_ratio, entry.shear_ratio)


def _material(name: str, entry: ShellProperty, deck: Deck, density: float) -> ShellMaterial:
    try:
        return shell_material(name, deck.materials, density)
    except InputError as error:
        raise InputError([unusable(name, error, entry.name)]) from error


def _directions(mesh: Mesh, block: int, property_of: Integers, deck: Deck) -> Floats:
    """(cells, 3) direction of the materials; NaN: any"""
    cells = mesh.cells[block].nodes
    found = np.full((len(cells), 3), np.nan)
    for which in np.unique(property_of[property_of >= 0]):
        entry = deck.shells[which]
        rows = np.flatnonzero(property_of == which)
        directed = entry.layers or entry.angle or not isinstance(deck.materials.get(entry.material), Isotropic | None)
        if not directed:
            continue
        x = mesh.points[cells[rows]]
        if entry.frame == ALONG_CELL:
            found[rows] = x[:, 1] - x[:, 0]
            continue
        frame = deck.frames.get(entry.frame) or Frame("R", (0.0, 0.0, 0.0), ((1.0, 0, 0), (0, 1.0, 0), (0, 0, 1.0)))
        axes = np.array([frame.axes_at(centre) for centre in x.mean(axis=1)])
        across = np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0])
        size = np.linalg.norm(np.cross(axes[:, 0], across), axis=1)
        normal = size < _NORMAL * np.linalg.norm(across, axis=1)
        found[rows] = np.where(normal[:, None], axes[:, 2], axes[:, 0])
    return found


def _losses(deck: Deck, keys: Integers) -> Iterator[Loss]:
    """Losses of properties computed otherwise; keys : (cells, 3) property (-1: none), thickness, material"""
    of_deck = keys[(keys[:, 0] >= 0) & (keys[:, 1] < 0) & (keys[:, 2] < 0)][:, 0]
    counts = np.bincount(of_deck, minlength=len(deck.shells))
    entries = [(entry, int(count)) for entry, count in zip(deck.shells, counts, strict=False) if count]
    varying = sum(count for entry, count in entries if entry.corners)
    if varying:
        text = f"the thickness of {varying:,} shell cells varies inside them: each has its mean"
        yield Loss("sections", text, varying)
    flat = sum(count for entry, count in entries if entry.bending == "")
    if flat:
        yield Loss("formulation", f"{flat:,} membranes without bending are computed as shells", flat)
    soft = 0
    for entry, count in entries:
        names = [entry.material, *(layer.material for layer in entry.layers)]
        soft += count * any(lacks_shear(name, deck.materials) for name in names)
    if soft:
        text = f"the moduli of transverse shear of {soft:,} shell cells are not given: that in the plane is used"
        yield Loss("materials", text, soft, "note")
    yield from _replaced(deck, keys)


def _replaced(deck: Deck, keys: Integers) -> Iterator[Loss]:
    """Properties of the deck that are replaced by what is given"""
    for column, what in ((1, "thickness"), (2, "material")):
        over = keys[(keys[:, 0] >= 0) & (keys[:, column] >= 0)]
        layered = sum(bool(deck.shells[which].layers) for which in over[:, 0])
        if len(over):
            text = f"the {what} of {len(over):,} shell cells of the file is replaced by the one that is given"
            text += f"; {layered:,} of them are laminates there" if layered else ""
            yield Loss("sections", text, len(over), "care" if layered else "note")
