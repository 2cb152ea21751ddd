"""Requests for masses at markers and for held sets of a part, and their faults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flexmb.elements.number_checks import is_number
from flexmb.errors import Fault
from flexmb.suggestions import did_you_mean


@dataclass(frozen=True)
class MassRequest:
    """A rigid mass at a marker."""

    marker: str
    mass: float
    """[kg]"""
    inertia: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """[kg m^2] xx, yy, zz about its centre, in body axes"""
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """[m] from the marker to its centre"""


@dataclass(frozen=True)
class HoldRequest:
    """Nodes whose components are held in a frame that moves with the body."""

    select: str
    components: str = ""
    """Digits 1 to 6; empty: those of a support of this name in the deck, or all"""

    @property
    def words(self) -> str:
        """The request as it is typed"""
        letters = "".join("x y z rx ry rz".split()[int(c) - 1] for c in self.components)
        return f"{self.select}:{letters}" if letters else self.select


def mass_faults(masses: Sequence[MassRequest], names: Sequence[str]) -> list[Fault]:
    """Masses at markers that do not exist, or with impossible numbers; names : of the markers"""
    faults: list[Fault] = []
    for i, mass in enumerate(masses):
        place = ("masses", mass.marker)
        if mass.marker not in names:
            hint = did_you_mean(mass.marker, names, "Interfaces and markers") if names else "Add --marker NAME=SET."
            faults.append(Fault(f"there is no interface or marker '{mass.marker[:60]}'", place, hint))
        if mass.marker in [other.marker for other in masses[:i]]:
            faults.append(Fault(f"the mass of '{mass.marker[:60]}' is given twice", place))
        if not is_number(mass.mass) or mass.mass <= 0.0:
            faults.append(Fault(f"expected a mass above zero [kg], found {mass.mass!r}", place))
        J = sorted(mass.inertia)
        if not all(is_number(value) and value >= 0.0 for value in J) or J[0] + J[1] < (1.0 - 1e-9) * J[2]:
            text = f"the inertia {', '.join(f'{value:g}' for value in mass.inertia)} is of no body"
            faults.append(Fault(text, place, "No moment may be negative, or larger than the sum of the others."))
    return faults
