"""Turn the deck data of a reader into those of a mesh: renumbered nodes and cells, SI units.

The unit of length is known, those of mass and force are not. Decks use one of a few consistent systems for a unit of
length; the stiffest material and the densest one decide which, and a note reports it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from math import log10

import numpy as np

from flexmb.arrays import Flags, Floats, Integers
from flexmb.mesh.deck import (
    GROUND,
    Anisotropic,
    CellNumbers,
    Deck,
    DeckMaterial,
    Equation,
    Isotropic,
    Lamina,
    Matrix,
    PlaneAnisotropic,
    ScalarSpring,
    Spring,
    SurfaceTie,
    Tie,
    UnitSystem,
    Vector,
)
from flexmb.mesh.length_units import UNITS

_POUND_FORCE = 4.4482216152605
_SYSTEMS: dict[str, tuple[tuple[str, float, float], ...]] = {
    "m": (("kg, m, N", 1.0, 1.0), ("t, m, kN", 1e3, 1e3)),
    "mm": (
        ("t, mm, N", 1e3, 1.0),
        ("kg, mm, ms, kN", 1.0, 1e3),
        ("kg, mm, mN", 1.0, 1e-3),
        ("g, mm, ms, N", 1e-3, 1.0),
    ),
    "cm": (("kg, cm, cN", 1.0, 1e-2), ("100 kg, cm, N", 1e2, 1.0), ("g, cm, us, 1e7 N", 1e-3, 1e7)),
    "um": (("kg, um, uN", 1.0, 1e-6),),
    "inch": (
        ("lbf s^2/in, in, lbf", _POUND_FORCE / 0.0254, _POUND_FORCE),
        ("lb, in, lbf", 0.45359237, _POUND_FORCE),
    ),
    "ft": (("slug, ft, lbf", _POUND_FORCE / 0.3048, _POUND_FORCE), ("lb, ft, lbf", 0.45359237, _POUND_FORCE)),
}
"""Unit of length -> systems of units: name, unit of mass [kg], unit of force [N]; the first if no material decides"""
_USUAL_E = (1e9, 1.3e12)
"""[Pa] stiffest material of a structure"""
_USUAL_DENSITY = (5e2, 2.5e4)
"""[kg/m^3] densest material of a structure"""


def unit_system(deck: Deck, unit: str) -> tuple[UnitSystem, str]:
    """The system of units of a deck in this unit of length, and a note on what decided."""
    choices = _SYSTEMS["inch" if unit == "in" else unit]
    E, density = _largest(deck.materials.values())
    density *= deck.mass_factor
    length = UNITS[unit]
    if not deck.materials:
        name, mass, force = choices[0]
        return UnitSystem(name, length, mass, force), f"Units of the deck assumed: {name} (it has no materials)."
    errors = []
    for _, mass, force in choices:
        value, heavy = E * force / length**2, density * mass / length**3
        distance = abs(log10(value / 1e11)) + (abs(log10(heavy / 5e3)) if heavy else 0.0) if value > 0.0 else 0.0
        fits = _fits(value, heavy or _USUAL_DENSITY[0])
        errors.append((not fits, distance if fits else 0.0))
    name, mass, force = choices[errors.index(min(errors))]
    system = UnitSystem(name, length, mass, force)
    found = f"E = {E * force / length**2:.4g} Pa and {density * mass / length**3:.4g} kg/m^3"
    if min(errors)[0]:
        return system, f"Units of the deck assumed: {name}. Its materials have {found}, which is unusual: check --unit."
    return system, f"Units of the deck: {name}, by its materials ({found})."


def length_by_materials(deck: Deck) -> str | None:
    """The unit of length of a deck if its materials are metals or fibres in only one; None: they do not decide."""
    E, density = _largest(deck.materials.values())
    density *= deck.mass_factor
    found = [
        unit
        for unit, systems in _SYSTEMS.items()
        if any(_is_metal(E * force / UNITS[unit] ** 2, density * mass / UNITS[unit] ** 3) for _, mass, force in systems)
    ]
    return found[0] if len(found) == 1 else None


def _fits(E: float, density: float) -> bool:
    return _USUAL_E[0] <= E <= _USUAL_E[1] and _USUAL_DENSITY[0] <= density <= _USUAL_DENSITY[1]


def _is_metal(E: float, density: float) -> bool:
    """Whether the numbers are those of metals or fibres: light materials of one unit are heavy ones of another."""
    return 2e10 <= E <= _USUAL_E[1] and 1.2e3 <= density <= _USUAL_DENSITY[1]


def _largest(materials: Iterable[DeckMaterial]) -> tuple[float, float]:
    stiff, dense = 0.0, 0.0
    for material in materials:
        dense = max(dense, material.density)
        if isinstance(material, Isotropic):
            stiff = max(stiff, material.E)
        elif isinstance(material, Lamina):
            stiff = max(stiff, material.E1, material.E2)
        else:
            stiff = max(stiff, *(row[i] for i, row in enumerate(material.stiffness)))
    return stiff, dense


def place_deck(
    deck: Deck,
    points: Floats,
    point_ids: Integers | None,
    used: Flags,
    cells: Callable[[CellNumbers], CellNumbers],
    system: UnitSystem,
) -> Deck:
    """The deck of a mesh. points : (n, 3) of the file, used : which of them the mesh has, in this order;
    cells : new numbers of cells, of shells (True) or of solid and line cells."""
    needed = np.zeros(len(points), dtype=bool)
    _renumber(deck, lambda nodes: _marked(needed, nodes))
    extra = np.flatnonzero(needed & ~used)
    new = np.cumsum(used) - 1
    new[extra] = int(used.sum()) + np.arange(len(extra))
    known = needed | used
    held = (replace(entry, nodes=new[entry.nodes[known[entry.nodes]]]) for entry in deck.supports)
    frames = {name: new[nodes[known[nodes]]] for name, nodes in deck.node_frames.items()}
    placed = _renumber(deck, lambda nodes: new[nodes])
    ids = extra + 1 if point_ids is None else point_ids[extra]
    return scaled(
        replace(
            placed,
            shells=tuple(replace(entry, cells=cells(entry.cells)) for entry in deck.shells),
            beams=tuple(replace(entry, cells=cells(entry.cells)) for entry in deck.beams),
            solids=tuple(replace(entry, cells=cells(entry.cells)) for entry in deck.solids),
            supports=tuple(entry for entry in held if len(entry.nodes)),
            node_frames={name: nodes for name, nodes in frames.items() if len(nodes)},
            points=points[extra],
            point_ids=ids.astype(np.int64),
        ),
        system,
    )


def _marked(needed: Flags, nodes: Integers) -> Integers:
    needed[nodes] = True
    return nodes


def _renumber(deck: Deck, new: Callable[[Integers], Integers]) -> Deck:
    """The deck with other node numbers of masses, springs and ties: a support alone keeps no node."""

    def one(node: int) -> int:
        return GROUND if node == GROUND else int(new(np.array([node]))[0])

    def tie(entry: Tie) -> Tie:
        if isinstance(entry, Equation):
            return replace(entry, terms=tuple((one(node), component, a) for node, component, a in entry.terms))
        if isinstance(entry, SurfaceTie):
            return replace(entry, nodes=new(entry.nodes), faces=tuple(new(part) for part in entry.faces))
        return replace(entry, node=one(entry.node), nodes=new(entry.nodes))

    return replace(
        deck,
        masses=tuple(replace(entry, node=one(entry.node)) for entry in deck.masses),
        springs=tuple(replace(entry, nodes=(one(entry.nodes[0]), one(entry.nodes[1]))) for entry in deck.springs),
        ties=tuple(tie(entry) for entry in deck.ties),
    )


def scaled(deck: Deck, system: UnitSystem) -> Deck:
    """The deck in SI units."""
    L, force = system.length, system.force
    mass = system.mass * deck.mass_factor
    stress, density = force / L**2, mass / L**3
    return replace(
        deck,
        materials={name: _scaled_material(entry, stress, density) for name, entry in deck.materials.items()},
        frames={name: replace(entry, origin=_times(entry.origin, L)) for name, entry in deck.frames.items()},
        shells=tuple(
            replace(
                entry,
                thickness=L * entry.thickness,
                offset=L * entry.offset,
                layers=tuple(replace(layer, thickness=L * layer.thickness) for layer in entry.layers),
                corners=tuple(L * value for value in entry.corners),
                nsm=entry.nsm * mass / L**2,
            )
            for entry in deck.shells
        ),
        beams=tuple(
            replace(
                entry,
                A=entry.A * L**2,
                Iy=entry.Iy * L**4,
                Iz=entry.Iz * L**4,
                Iyz=entry.Iyz * L**4,
                J=entry.J * L**4,
                dimensions=tuple(L * value for value in entry.dimensions),
                nsm=entry.nsm * mass / L,
                offsets=(_times(entry.offsets[0], L), _times(entry.offsets[1], L)),
            )
            for entry in deck.beams
        ),
        masses=tuple(
            replace(
                entry,
                mass=entry.mass * mass,
                offset=_times(entry.offset, L),
                inertia=_matrix(entry.inertia, mass * L**2),
            )
            for entry in deck.masses
        ),
        springs=tuple(_scaled_spring(entry, L, force) for entry in deck.springs),
        ties=tuple(_scaled_tie(entry, L) for entry in deck.ties),
        supports=tuple(
            replace(entry, value=entry.value * (L if set(entry.components) <= set("123") else 1.0))
            for entry in deck.supports
        ),
        points=L * deck.points,
        mass_factor=1.0,
        units=system,
    )


def _scaled_material(entry: DeckMaterial, stress: float, density: float) -> DeckMaterial:
    if isinstance(entry, Isotropic):
        return Isotropic(entry.E * stress, entry.nu, entry.G * stress, entry.density * density)
    if isinstance(entry, Lamina):
        moduli = (entry.G12 * stress, entry.G1z * stress, entry.G2z * stress)
        return Lamina(entry.E1 * stress, entry.E2 * stress, entry.nu12, *moduli, entry.density * density)
    kind = PlaneAnisotropic if isinstance(entry, PlaneAnisotropic) else Anisotropic
    return kind(_matrix(entry.stiffness, stress), entry.density * density)


def _scaled_spring(entry: Spring | ScalarSpring, L: float, force: float) -> Spring | ScalarSpring:
    if isinstance(entry, ScalarSpring):
        turns = sum(component > 3 for component in entry.components)
        per_end = 2 if GROUND not in entry.nodes else 1
        power = 2.0 * turns / per_end - 1.0  # force/length, force, force times length
        return replace(entry, stiffness=entry.stiffness * force * L**power)
    values = tuple(k * (force / L if i < 3 else force * L) for i, k in enumerate(entry.stiffness))
    return replace(entry, stiffness=values, point=_times(entry.point, L))


def _scaled_tie(entry: Tie, L: float) -> Tie:
    if isinstance(entry, Equation):
        terms = ((node, component, a * (L if component > 3 else 1.0)) for node, component, a in entry.terms)
        return replace(entry, terms=tuple(terms))
    if isinstance(entry, SurfaceTie) and entry.tolerance is not None:
        return replace(entry, tolerance=L * entry.tolerance)
    return entry


def _times(x: Vector, factor: float) -> Vector:
    return (factor * x[0], factor * x[1], factor * x[2])


def _matrix(rows: Matrix, factor: float) -> Matrix:
    return tuple(tuple(factor * value for value in row) for row in rows)
