"""Materials of a deck as those of elements: isotropic ones of solid and line cells, any of shells.

Input: materials of a deck (`mesh/deck.py`). Output: materials of elements, or an `InputError` with what is wrong.
Solids and beams are isotropic; in a shell a material is reduced to plane stress.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from flexmb.elements.material import Material
from flexmb.elements.shell.section import Orthotropic, PlaneMaterial, ShellMaterial
from flexmb.errors import Fault, InputError
from flexmb.mesh.deck import Anisotropic, CellNumbers, DeckMaterial, Isotropic, Lamina, PlaneAnisotropic

_IN_PLANE, _ACROSS = [0, 1, 3], [5, 4]
"""Components xx, yy, xy and zx, yz of `Anisotropic`"""


def isotropic_material(name: str, materials: Mapping[str, DeckMaterial], density: float = 0.0) -> Material:
    """Material of solids and beams; density : where the deck gives none [kg/m^3]"""
    found = _found(name, materials)
    if not isinstance(found, Isotropic):
        raise InputError("it is anisotropic, and solids and beams are isotropic")
    return Material(found.E, found.G, found.density or density, name)


def shell_material(name: str, materials: Mapping[str, DeckMaterial], density: float = 0.0) -> ShellMaterial:
    """Material of a layer of shells; density : where the deck gives none [kg/m^3]"""
    found = _found(name, materials)
    density = found.density or density
    if isinstance(found, Isotropic):
        return Material(found.E, found.G, density, name)
    if isinstance(found, Lamina):
        across = (found.G1z or found.G12, found.G2z or found.G12)
        return Orthotropic(found.E1, found.E2, found.nu12, found.G12, *across, density, name)
    if isinstance(found, PlaneAnisotropic):
        return PlaneMaterial(found.stiffness, found.stiffness[2][2], found.stiffness[2][2], density, name)
    return _without_normal_stress(found, density, name)


def lacks_shear(name: str, materials: Mapping[str, DeckMaterial]) -> bool:
    """Whether a material has no moduli of transverse shear, which shells need"""
    found = materials.get(name)
    return isinstance(found, PlaneAnisotropic) or (isinstance(found, Lamina) and not (found.G1z and found.G2z))


def unusable(name: str, error: InputError, cell_set: str) -> Fault:
    """The fault of a material that cannot be used."""
    why = "; ".join(fault.text for fault in error.faults)
    text = f"the material '{name[:60]}' of the file cannot be used: {why}"
    return Fault(text, ("materials", cell_set[:60]), f"Give --material {cell_set[:60]}=...")


def cells_of(cells: CellNumbers) -> Iterator[tuple[int, np.ndarray]]:
    """Blocks and numbers of the cells of a property."""
    yield from ((block, np.asarray(rows, dtype=np.int64)) for block, rows in cells.items())


def _found(name: str, materials: Mapping[str, DeckMaterial]) -> DeckMaterial:
    if name not in materials:
        raise InputError("it is not in the file" if name else "none is given")
    return materials[name]


def _without_normal_stress(found: Anisotropic, density: float, name: str) -> PlaneMaterial:
    """Plane stress of a material given in space: its compliance in the plane, inverted"""
    try:
        compliance = np.linalg.inv(np.array(found.stiffness))
    except np.linalg.LinAlgError:
        raise InputError("its stiffness cannot be inverted") from None
    plane = np.linalg.inv(compliance[np.ix_(_IN_PLANE, _IN_PLANE)])
    G13, G23 = 1.0 / np.diag(compliance)[_ACROSS]
    return PlaneMaterial(tuple(tuple(row) for row in plane.tolist()), float(G13), float(G23), density, name)
