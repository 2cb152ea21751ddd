"""The shell problem: a square steel plate of four-node cells, free, the same mesh for every code."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from flexmb.arrays import Floats, Integers

E, NU, DENSITY = 2e11, 0.3, 7870.0


@dataclass(frozen=True)
class Plate:
    """A square plate of count x count cells."""

    count: int
    side: float = 1.0
    thickness: float = 0.01

    @property
    def n_nodes(self) -> int:
        return (self.count + 1) ** 2

    def points(self) -> Floats:
        """(n, 3) [m]"""
        line = np.linspace(0.0, self.side, self.count + 1)
        x, y = np.meshgrid(line, line, indexing="ij")
        return np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], axis=1)

    def cells(self) -> Integers:
        """(c, 4) nodes of the cells"""
        step = self.count + 1
        first = (np.arange(self.count)[:, None] * step + np.arange(self.count)).reshape(-1, 1)
        return first + np.array([0, step, step + 1, 1])


PLATE = Plate(128)
"""99,846 unknowns"""
SMALL = Plate(16)
"""For quick runs"""
WARM_UP = Plate(2)


def write_plate(plate: Plate, folder: Path) -> Path:
    """The arrays, for codes that start from them."""
    path = folder / f"plate_{plate.count}.npz"
    np.savez(path, points=plate.points(), cells=plate.cells(), thickness=plate.thickness)
    return path


def write_deck(plate: Plate, modes: int, folder: Path) -> Path:
    """A deck of S4 elements that asks for the rigid motions and `modes` elastic modes."""
    path = folder / f"plate_{plate.count}.inp"
    with path.open("w") as out:
        out.write("*NODE\n")
        out.writelines(f"{i}, {x:.9g}, {y:.9g}, {z:.9g}\n" for i, (x, y, z) in enumerate(plate.points(), 1))
        out.write("*ELEMENT, TYPE=S4, ELSET=PLATE\n")
        out.writelines(f"{i}, {', '.join(map(str, nodes))}\n" for i, nodes in enumerate(plate.cells() + 1, 1))
        out.write(f"*MATERIAL, NAME=STEEL\n*ELASTIC\n{E:g}, {NU:g}\n*DENSITY\n{DENSITY:g}\n")
        out.write(f"*SHELL SECTION, ELSET=PLATE, MATERIAL=STEEL\n{plate.thickness:g}\n")
        out.write(f"*STEP\n*FREQUENCY\n{6 + modes}\n*END STEP\n")
    return path
