"""Materials of a deck as those of elements: where the user gives none, solid and line cells get the deck's.

Input: a mesh with its deck (`mesh/deck.py`). Output: material by cell set, or why it cannot be used.
"""

from __future__ import annotations

from flexmb.elements.material import Material
from flexmb.errors import Fault, InputError
from flexmb.mesh.deck import BeamProperty, DeckMaterial, Isotropic, SolidProperty
from flexmb.mesh.mesh import Mesh


def deck_materials(mesh: Mesh) -> tuple[dict[str, Material], list[Fault]]:
    """Material of each cell set that has one in the deck, and the faults of those that cannot be used."""
    deck = mesh.deck
    materials: dict[str, Material] = {}
    faults: list[Fault] = []
    if deck is None:
        return materials, faults
    entries: list[SolidProperty | BeamProperty] = [*deck.solids, *deck.beams]
    for entry in entries:
        if entry.name in materials or entry.name not in mesh.cell_sets:
            continue
        found = deck.materials.get(entry.material)
        try:
            materials[entry.name] = _material(entry.material, found)
        except InputError as error:
            why = "; ".join(fault.text for fault in error.faults)
            text = f"the material '{entry.material[:60]}' of the file cannot be used: {why}"
            faults.append(Fault(text, (), f"Give --material {entry.name[:60]}=..."))
    return ({} if faults else materials), faults


def _material(name: str, found: DeckMaterial | None) -> Material:
    if found is None:
        raise InputError("it is not in the file" if name else "none is given")
    if not isinstance(found, Isotropic):
        raise InputError("it is anisotropic, and bodies are isotropic")
    return Material(found.E, found.G, found.density, name)
