"""Materials of Abaqus and CalculiX: *MATERIAL with *ELASTIC and *DENSITY.

Strain components of Abaqus are in the order 11, 22, 33, 12, 13, 23; those of a deck are xx, yy, zz, xy, yz, zx. Values
of the first temperature are used.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from flexmb.mesh.deck import Anisotropic, DeckMaterial, Isotropic, Lamina
from flexmb.mesh.formats.abaqus_text import Block

_ORDER = [0, 1, 2, 3, 5, 4]
_VALUES = {"LAMINA": 6, "ENGINEERING CONSTANTS": 9, "ORTHOTROPIC": 9, "ANISOTROPIC": 21, "": 2}


class Materials:
    """Collects the materials of a file."""

    def __init__(self) -> None:
        self.found: dict[str, DeckMaterial] = {}
        """Name as written -> material, once its elasticity is known"""
        self.unusable: list[str] = []
        self._name = ""
        self.densities: dict[str, float] = {}

    def read(self, block: Block) -> None:
        """Take *MATERIAL, *ELASTIC or *DENSITY."""
        if block.word == "MATERIAL":
            self._name = block.name("NAME")
            return
        try:
            if block.word == "DENSITY":
                self.densities[self._name] = numbers(block.lines[:1], 1)[0]
            else:
                self.found[self._name] = elastic(block)
        except (ValueError, IndexError, np.linalg.LinAlgError):
            self.unusable.append(f"{block.title} of the material '{self._name[:40]}' cannot be read")

    def all(self) -> dict[str, DeckMaterial]:
        """Materials with their densities."""
        return {name: replace(material, density=self.densities.get(name, 0.0)) for name, material in self.found.items()}

    def name(self, word: str) -> str:
        """The name of a material as it was written; names are not case-sensitive."""
        return next((name for name in self.found if name.upper() == word.upper()), word)


def elastic(block: Block) -> DeckMaterial:
    """A material without density."""
    kind = block.name("TYPE").upper()
    kind = "" if kind in ("ISO", "ISOTROPIC") else kind
    kind = {"ORTHO": "ORTHOTROPIC", "ANISO": "ANISOTROPIC"}.get(kind, kind)
    if kind not in _VALUES:
        raise ValueError
    values = numbers(block.lines, _VALUES[kind])
    if not kind:
        E, nu = values
        if nu <= -1.0:
            raise ValueError
        return Isotropic(E, nu, E / (2.0 * (1.0 + nu)), 0.0)
    if kind == "LAMINA":
        E1, E2, nu12, G12, G13, G23 = values
        return Lamina(E1, E2, nu12, G12, G13, G23, 0.0)
    D = np.zeros((6, 6))
    if kind == "ANISOTROPIC":
        D[np.tril_indices(6)] = values
        D = D + np.tril(D, -1).T
    elif kind == "ORTHOTROPIC":
        D[:3, :3] = [
            [values[0], values[1], values[3]],
            [values[1], values[2], values[4]],
            [values[3], values[4], values[5]],
        ]
        D[[3, 4, 5], [3, 4, 5]] = values[6:9]
    else:
        E1, E2, E3, nu12, nu13, nu23 = values[:6]
        S = np.zeros((6, 6))
        S[:3, :3] = [
            [1.0 / E1, -nu12 / E1, -nu13 / E1],
            [-nu12 / E1, 1.0 / E2, -nu23 / E2],
            [-nu13 / E1, -nu23 / E2, 1.0 / E3],
        ]
        S[[3, 4, 5], [3, 4, 5]] = 1.0 / np.array(values[6:9])
        D[:] = np.linalg.inv(S)
    D = D[np.ix_(_ORDER, _ORDER)]
    if not np.isfinite(D).all():
        raise ValueError
    return Anisotropic(tuple(tuple(row) for row in D.tolist()), 0.0)


def numbers(lines: list[str], count: int, at_least: int | None = None) -> tuple[float, ...]:
    """The first numbers of some data lines; empty fields are zero, fewer than `at_least` (or all) are an error."""
    fields: list[str] = []
    for line in lines:
        fields += [field.strip() for field in line.rstrip(", ").split(",")]
        if len(fields) >= count:
            break
    if len(fields) < (count if at_least is None else at_least):
        raise ValueError
    fields += ["0"] * (count - len(fields))
    values = tuple(float(field.upper().replace("D", "E")) if field else 0.0 for field in fields[:count])
    if not all(abs(value) < 1e100 for value in values):
        raise ValueError
    return values
