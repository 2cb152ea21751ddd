"""Thicknesses of shell cells, given for all cells or by cell set, and their faults."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from flexmb.arrays import Integers
from flexmb.elements.number_checks import positive
from flexmb.errors import Fault
from flexmb.mesh.mesh import SURFACES, Mesh
from flexmb.suggestions import did_you_mean


def numbers_of(mesh: Mesh, names: list[str]) -> list[Integers]:
    """(cells,) number of the set that a cell is in, by block; "" is all cells in no other set; -1: none"""
    found = [np.full(len(block), names.index("") if "" in names else -1, dtype=np.int64) for block in mesh.cells]
    for number, name in enumerate(names):
        if name:
            for part, members in zip(found, mesh.cell_sets[name], strict=True):
                part[members] = number
    return found


def thickness_faults(mesh: Mesh, thickness: float | Mapping[str, float] | None) -> list[Fault]:
    """Shell cells without a thickness, a thickness without shell cells, unknown cell sets, numbers that are not one."""
    shells = sum(len(block) for block in mesh.cells if block.kind in SURFACES)
    if thickness is None:
        if mesh.deck is not None and mesh.deck.shells:
            return []  # cells without one are found with their sections
        hint = "Give one, e.g. '2 mm'. If the part is solid, save its volume too (in Gmsh: a physical group of it)."
        text = f"the mesh has {shells} shell cells, which need a thickness"
        return [Fault(text, ("thickness",), hint)] if shells else []
    if not shells:
        return [Fault("the mesh has no shell cells", ("thickness",), "Leave out the thickness.")]
    given = {"": thickness} if not isinstance(thickness, Mapping) else dict(thickness)
    faults = [fault for value in given.values() for fault in positive("thickness", value, "m")]
    for name in given:
        if name and name not in mesh.cell_sets:
            hint = did_you_mean(name, sorted(mesh.cell_sets), "Cell sets")
            faults.append(Fault(f"the mesh has no cell set '{name[:60]}'", ("thickness", name), hint))
    if not faults and not (mesh.deck is not None and mesh.deck.shells):
        numbers = numbers_of(mesh, list(given))
        blocks = [part for block, part in zip(mesh.cells, numbers, strict=True) if block.kind in SURFACES]
        without = sum(int(np.count_nonzero(part < 0)) for part in blocks)
        if without:
            hint = "Name their sets too, or give one thickness without a set, which applies to all other cells."
            faults.append(Fault(f"{without} shell cells have no thickness", ("thickness",), hint))
    return faults
