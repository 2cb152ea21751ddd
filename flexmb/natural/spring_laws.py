"""Laws of springs: force as a function of length or angle, linear or by a table, with damping, and stored energy.

Enters: one law for each spring. Leaves: forces and energies of all springs at once; f > 0 pulls the ends together,

    f = k (s - s_0) + preload + c s_dot               V = k/2 (s - s_0)^2 + preload (s - s_0)     [GJB eq. 4.102, 4.107]
    f = table(s) + c s_dot                            V = int table ds from the first length of the table

A table is interpolated linearly and continued with its first and last slope. [GJB eq. 4.110] has the limits 0 and
s - s_0 where s_0 and s are meant; [GJB eq. 4.126] likewise psi_0 and psi + 2 n pi; k(f) of eq. 4.123 is k(psi).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from flexmb.arrays import Floats
from flexmb.errors import Fault, InputError


@dataclass(frozen=True)
class LinearLaw:
    """f = stiffness (s - rest) + preload + damping s_dot; units N and m, or N m and rad."""

    stiffness: float
    rest: float
    damping: float = 0.0
    preload: float = 0.0


@dataclass(frozen=True, eq=False)
class TabledLaw:
    """f by straight lines through (lengths, forces), + damping s_dot."""

    lengths: ArrayLike
    forces: ArrayLike
    damping: float = 0.0

    def __post_init__(self) -> None:
        lengths, forces = np.asarray(self.lengths, dtype=float), np.asarray(self.forces, dtype=float)
        if lengths.ndim != 1 or lengths.shape != forces.shape or len(lengths) < 2 or not np.all(np.isfinite(forces)):
            raise InputError([Fault("the table of a spring needs at least two lengths, each with a finite force.")])
        if not np.all(np.diff(lengths) > 0.0):
            raise InputError([Fault("the lengths in the table of a spring must increase.")])

    def _piece(self, s: float) -> tuple[int, float, float]:
        """Number of the piece of s, its slope, and its force at s."""
        lengths, forces = np.asarray(self.lengths, dtype=float), np.asarray(self.forces, dtype=float)
        piece = int(np.clip(np.searchsorted(lengths, s, side="right") - 1, 0, len(lengths) - 2))
        slope = float((forces[piece + 1] - forces[piece]) / (lengths[piece + 1] - lengths[piece]))
        return piece, slope, float(forces[piece] + slope * (s - lengths[piece]))

    def force(self, s: float) -> float:
        """Table force at s."""
        return self._piece(s)[2]

    def slope(self, s: float) -> float:
        """Stiffness at s."""
        return self._piece(s)[1]

    def energy(self, s: float) -> float:
        """Integral of the table force from its first length to s: exact, trapezoids of straight pieces."""
        lengths, forces = np.asarray(self.lengths, dtype=float), np.asarray(self.forces, dtype=float)
        piece, _, at_end = self._piece(s)
        whole = 0.5 * (forces[1:] + forces[:-1]) * np.diff(lengths)
        return float(np.sum(whole[:piece]) + 0.5 * (forces[piece] + at_end) * (s - lengths[piece]))


class SpringLaws:
    """The laws of many springs."""

    def __init__(self, laws: Sequence[LinearLaw | TabledLaw]):
        plain = [law if isinstance(law, LinearLaw) else LinearLaw(0.0, 0.0, law.damping) for law in laws]
        self._stiffness = np.array([law.stiffness for law in plain], dtype=float)
        self._rest = np.array([law.rest for law in plain], dtype=float)
        self._preload = np.array([law.preload for law in plain], dtype=float)
        self._tables = [(number, law) for number, law in enumerate(laws) if isinstance(law, TabledLaw)]
        self.damping = np.array([law.damping for law in plain], dtype=float)
        """(n,) derivative of the force by the rate"""

    def force(self, s: Floats, s_dot: Floats) -> Floats:
        """(n,) forces at the lengths s and their rates."""
        force = self._stiffness * (s - self._rest) + self._preload + self.damping * s_dot
        for number, table in self._tables:
            force[number] += table.force(float(s[number]))
        return force

    def stiffness(self, s: Floats) -> Floats:
        """(n,) derivatives of the forces by the lengths."""
        stiffness = self._stiffness.copy()
        for number, table in self._tables:
            stiffness[number] += table.slope(float(s[number]))
        return stiffness

    def energy(self, s: Floats) -> float:
        """Stored energy of all springs [J]; dampers store none."""
        stretch = s - self._rest
        energy = float(np.sum((0.5 * self._stiffness * stretch + self._preload) * stretch))
        return energy + sum(table.energy(float(s[number])) for number, table in self._tables)
