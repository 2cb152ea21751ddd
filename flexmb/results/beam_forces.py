"""Forces and moments inside a beam, along it and over time, as `analyses.section_forces` finds them."""

from __future__ import annotations

from dataclasses import dataclass

from flexmb.arrays import Floats
from flexmb.errors import InputError

COMPONENTS = ("N", "Qy", "Qz", "T", "My", "Mz")


@dataclass(frozen=True)
class SectionForces:
    """Force and moment that the part of a beam beyond x exerts on the part before it, axes of the deformed section."""

    body: str
    time: Floats
    """(r,) [s]"""
    x: Floats
    """(n,) distance from end A along the undeformed beam [m]; listed twice where forces jump"""
    force: Floats
    """(r, n, 3) N, Qy, Qz [N]"""
    moment: Floats
    """(r, n, 3) T, My, Mz [N m]"""
    closure: float
    """Largest imbalance of the whole beam (loads, reactions and inertia), as a fraction of the largest force or moment:
    difference from the sum over the other part of the beam"""

    def component(self, name: str) -> Floats:
        """(r, n) N, Qy, Qz [N], T, My or Mz [N m]."""
        if name not in COMPONENTS:
            raise InputError(f"There is no section force '{name}' (section forces: {', '.join(COMPONENTS)}).")
        number = COMPONENTS.index(name)
        return (self.force if number < 3 else self.moment)[:, :, number % 3]
