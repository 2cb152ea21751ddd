"""Beams of line cells: the section that the user gives, or what the deck says of each of them.

Input: a mesh with its deck (`mesh/deck.py`), materials by cell set, perhaps a section and the direction of its y axis.
Output: the beams with section, axes, offsets and mass, faults, and losses. The axis of a beam runs through the centroid
and the shear centre of its section, at the offset from its nodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from flexmb.arrays import Floats, Integers
from flexmb.elements.deck_materials import cells_of, isotropic_material, unusable
from flexmb.elements.deck_sections import deck_section
from flexmb.elements.line_beams import BeamData, beam_axes
from flexmb.elements.line_sets import LineCells, directions_of, line_cells
from flexmb.elements.material import Material
from flexmb.elements.section import Section, circle
from flexmb.elements.shell.thickness import numbers_of
from flexmb.errors import Fault, InputError
from flexmb.mesh.deck import BeamProperty, Deck
from flexmb.mesh.losses import Loss
from flexmb.mesh.mesh import Mesh

_OPEN = ("t", "l", "channel")
"""Shapes whose shear centre is not their centroid"""


@dataclass(frozen=True)
class _Made:
    """Material and section of beams of one property."""

    material: Material
    section: Section
    angle: float = 0.0
    line_mass: float = 0.0
    is_truss: bool = False


def deck_beams(
    mesh: Mesh, materials: Mapping[str, Material], section: Section | None, y_axis: ArrayLike | None
) -> tuple[BeamData | None, list[Fault], list[Loss]]:
    """The beams of the line cells, all faults, and what is computed in another way than the deck says."""
    lines, faults = line_cells(mesh)
    if faults:
        return None, faults, []
    deck = mesh.deck or Deck()
    entry_of = _property_of(lines, deck)
    given = [part[lines.cell[lines.block == i]] for i, part in enumerate(numbers_of(mesh, list(materials)))]
    made_of = np.empty(len(lines.ends), dtype=np.int64)
    for i, part in enumerate(given):
        made_of[lines.block == i] = part
    keys, inverse, counts = np.unique(
        np.stack([entry_of, made_of], axis=1), axis=0, return_inverse=True, return_counts=True
    )
    parts: list[_Made] = []
    for (which, number), count in zip(keys.tolist(), counts.tolist(), strict=True):
        entry = deck.beams[which] if which >= 0 else None
        own = list(materials.values())[number] if number >= 0 else None
        try:
            parts.append(_made(entry, own, section, deck))
        except InputError as error:
            faults += [Fault(f"{count} beams: {f.text}", f.path, f.hint) for f in error.faults]
    wanted, found = directions_of(mesh, lines, y_axis)
    faults += found
    if faults:
        return None, faults, []
    return *_placed(mesh, lines, deck, entry_of, [parts[i] for i in inverse.ravel()], wanted), list(
        _losses(deck, entry_of, section)
    )


def _property_of(lines: LineCells, deck: Deck) -> Integers:
    """(e,) number of the property of every beam; -1: none"""
    found = np.full(len(lines.ends), -1, dtype=np.int64)
    for which, entry in enumerate(deck.beams):
        for block, rows in cells_of(entry.cells):
            found[(lines.block == block) & np.isin(lines.cell, rows)] = which
    return found


def _made(entry: BeamProperty | None, material: Material | None, section: Section | None, deck: Deck) -> _Made:
    if entry is None:
        for what, value in (("section", section), ("material", material)):
            if value is None:
                text = f"they have no {what}, neither in the file nor by an option"
                raise InputError([Fault(text, (what,), f"Give --{what}.")])
        assert material is not None and section is not None
        return _Made(material, section)
    area = section.A if section is not None else _usable(entry)[0].A if entry.shape else entry.A
    if material is None:
        try:
            material = isotropic_material(entry.material, deck.materials, entry.nsm / area if area else 0.0)
        except InputError as error:
            raise InputError([unusable(entry.material, error, entry.name)]) from error
        smeared = deck.materials[entry.material].density == 0.0
    else:
        smeared = False
    line_mass = 0.0 if smeared else entry.nsm
    if section is not None:
        return _Made(material, section, 0.0, line_mass)
    if entry.is_truss or (not entry.shape and entry.A > 0.0 and entry.Iy == entry.Iz == 0.0):
        return _Made(material, circle(float(np.sqrt(area / np.pi))), 0.0, line_mass, True)
    own, angle = _section(entry, material)
    return _Made(material, own, angle, line_mass)


def _usable(entry: BeamProperty, poisson: float = 0.0) -> tuple[Section, float]:
    """The section in its principal axes and their angle, or why it cannot be used"""
    try:
        return deck_section(entry, poisson)
    except InputError as error:
        why = "; ".join(fault.text for fault in error.faults)
        text = f"the section '{entry.name[:60]}' of the file cannot be used: {why}"
        raise InputError([Fault(text, ("section",), "Give --section for all beams.")]) from error


def _section(entry: BeamProperty, material: Material) -> tuple[Section, float]:
    """The section in its principal axes; without a torsion constant that of Saint-Venant, A^4/(40 Ip)."""
    section, angle = _usable(entry, material.E / (2.0 * material.G) - 1.0)
    if section.J is None:
        J = section.A**4 / (40.0 * section.Ip)
        section = Section(section.A, section.Iy, section.Iz, J, section.shear_y, section.shear_z, section.outline)
    return section, angle


def _placed(
    mesh: Mesh, lines: LineCells, deck: Deck, entry_of: Integers, made: list[_Made], wanted: Floats
) -> tuple[BeamData | None, list[Fault]]:
    """The beams with their axes and offsets"""
    offsets = np.zeros((len(lines.ends), 2, 3))
    free = np.isnan(wanted[:, 0])
    for which in np.unique(entry_of[entry_of >= 0]):
        entry, members = deck.beams[which], entry_of == which
        offsets[members] = np.array(entry.offsets)
        if entry.direction is not None:
            wanted[members & free] = entry.direction
    ends = mesh.points[lines.ends] + offsets
    size = float(np.ptp(mesh.points, axis=0).max())
    short = np.flatnonzero(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1) <= 1e-12 * size)
    if short.size:
        text = f"{short.size} line cells have no length, the first is {lines.name(int(short[0]))}"
        return None, [Fault(text, ("mesh",))]
    trusses = np.array([part.is_truss for part in made])
    wanted[trusses] = np.nan
    try:
        axes = beam_axes(ends, lines, [part.section for part in made], wanted)
    except InputError as error:
        return None, list(error.faults)
    angle = np.array([part.angle for part in made])
    c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
    axes = np.stack([axes[:, 0], c * axes[:, 1] + s * axes[:, 2], c * axes[:, 2] - s * axes[:, 1]], axis=1)
    line_mass = np.array([part.line_mass for part in made])
    data = BeamData(
        lines.ends,
        axes,
        tuple(part.material for part in made),
        tuple(part.section for part in made),
        offsets=offsets if offsets.any() else None,
        line_mass=line_mass if line_mass.any() else None,
        trusses=trusses if trusses.any() else None,
    )
    return data, []


def _losses(deck: Deck, entry_of: Integers, section: Section | None) -> Iterator[Loss]:
    counts = np.bincount(entry_of[entry_of >= 0], minlength=len(deck.beams))
    entries = [(entry, int(count)) for entry, count in zip(deck.beams, counts, strict=False) if count]

    def total(found: list[bool]) -> int:
        return sum(count for (_, count), yes in zip(entries, found, strict=True) if yes)

    if released := total([any(entry.releases) for entry, _ in entries]):
        text = f"the released ends of {released:,} beams are not used: they are rigidly connected here"
        yield Loss("offsets", text, released)
    if section is not None:
        if entries:
            several = len({_numbers(entry) for entry, _ in entries}) > 1
            count = total([True] * len(entries))
            text = f"the sections of {count:,} beams of the file are replaced by the one of --section"
            yield Loss("sections", text, count, "care" if several else "note")
        return
    lacking = total([not (e.is_truss or e.shape or e.J) and e.Iy > 0.0 for e, _ in entries])
    if lacking:
        text = f"the torsion constant of {lacking:,} beams is not given: A^4/(40 Ip) of a solid section is used"
        yield Loss("sections", text, lacking)
    if aside := total([entry.shape in _OPEN for entry, _ in entries]):
        text = f"the shear centre of the open sections of {aside:,} beams is taken to be their centroid"
        yield Loss("offsets", text, aside, "note")
    if turning := total([entry.is_truss and entry.J > 0.0 for entry, _ in entries]):
        yield Loss("sections", f"the torsional stiffness of {turning:,} trusses is left out", turning, "note")


def _numbers(entry: BeamProperty) -> tuple[object, ...]:
    return (entry.A, entry.Iy, entry.Iz, entry.Iyz, entry.J, entry.shape, entry.dimensions)
