"""Material of every solid cell, and its Lame constants.

lam = G (E - 2 G) / (3 G - E) and mu = G. One material is given for all cells, or one per cell set; then every solid
cell must be in exactly one of these sets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.elements.material import Material
from flexmb.errors import Fault, InputError
from flexmb.mesh.mesh import SOLIDS, Mesh
from flexmb.suggestions import did_you_mean


@dataclass(frozen=True)
class Elasticity:
    """Materials of the solid cells of a mesh."""

    materials: tuple[Material, ...]
    material_of: tuple[Integers, ...]
    """(cells,) number of the material for every block of cells; -1 in blocks that are not solid"""
    incompatible: bool
    """Whether hex8 have incompatible modes"""

    def lame(self, block: int) -> tuple[Floats, Floats]:
        """Lame constants lam, mu [Pa] of the cells of a block"""
        pairs = np.array([lame_constants(material) for material in self.materials])
        lam, mu = pairs[self.material_of[block]].T
        return np.ascontiguousarray(lam), np.ascontiguousarray(mu)

    def density(self, block: int) -> Floats:
        """(cells,) [kg/m^3]"""
        return np.array([material.density for material in self.materials])[self.material_of[block]]


def lame_constants(material: Material) -> tuple[float, float]:
    """lam and mu [Pa] of an isotropic material"""
    E, G = material.E, material.G
    return G * (E - 2.0 * G) / (3.0 * G - E), G


def assign(mesh: Mesh, materials: Material | Mapping[str, Material], incompatible: bool) -> Elasticity:
    """Assign a material to every solid cell, or raise all faults of the assignment."""
    if isinstance(materials, Material):
        chosen: dict[str, Material] = {"": materials}
    else:
        chosen = dict(materials)
    faults = [fault for name, material in chosen.items() for fault in _compressible(name, material)]
    count = [np.zeros(len(block), dtype=np.int64) for block in mesh.cells]
    number = [np.full(len(block), -1, dtype=np.int64) for block in mesh.cells]
    for which, name in enumerate(chosen):
        if name and name not in mesh.cell_sets:
            faults.append(_unknown_set(name, mesh))
            continue
        members = mesh.cell_sets[name] if name else [np.arange(len(block)) for block in mesh.cells]
        for block, cells in enumerate(members):
            count[block][cells] += 1
            number[block][cells] = which
    solid = [block.kind in SOLIDS for block in mesh.cells]
    if not faults:
        faults = _not_once(mesh, list(chosen), [c for c, is_solid in zip(count, solid, strict=True) if is_solid])
    if faults:
        raise InputError(faults)
    blank = [
        numbers if is_solid else np.full_like(numbers, -1) for numbers, is_solid in zip(number, solid, strict=True)
    ]
    return Elasticity(tuple(chosen.values()), tuple(blank), incompatible)


def _compressible(name: str, material: Material) -> list[Fault]:
    """A fault if lam is infinite or nearly so: displacements alone then do not describe the material."""
    if 3.0 * material.G - material.E > 1e-6 * material.E:
        return []
    nu = material.E / (2.0 * material.G) - 1.0
    words = material.name or name
    label = f"material {words!r}" if words else "the material"
    text = f"{label} has Poisson's ratio {nu:.6g} (E = {material.E:.6g} Pa, G = {material.G:.6g} Pa)"
    return [Fault(f"{text}; solid elements need less than 0.5", ("materials", name) if name else ("material",))]


def _unknown_set(name: str, mesh: Mesh) -> Fault:
    hint = did_you_mean(name, sorted(mesh.cell_sets), "Cell sets")
    if not mesh.cell_sets:
        hint = "The mesh has no cell sets: give one material for all cells."
    return Fault(f"the mesh has no cell set {name!r}", ("materials", name), hint)


def _not_once(mesh: Mesh, names: list[str], counts: list[Integers]) -> list[Fault]:
    """Faults of cells that have no material, or several."""
    total = sum(len(count) for count in counts)
    without = sum(int(np.count_nonzero(count == 0)) for count in counts)
    several = sum(int(np.count_nonzero(count > 1)) for count in counts)
    faults = []
    if without:
        others = [name for name in sorted(mesh.cell_sets) if name not in names][:20]
        rest = f"Cell sets without one: {', '.join(others)}." if others else "Give one material for all cells."
        text = f"{without} of {total} solid cells have no material (sets with one: {', '.join(names) or 'none'})"
        faults.append(Fault(text, ("materials",), rest))
    if several:
        text = f"{several} of {total} solid cells are in more than one of the sets {', '.join(names)}"
        faults.append(Fault(text, ("materials",), "Name sets that do not overlap: each cell takes one material."))
    return faults
