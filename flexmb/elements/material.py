"""Elastic materials: Young's modulus, shear modulus, density, thermal expansion."""

from __future__ import annotations

from dataclasses import dataclass

from flexmb.elements.number_checks import is_number, positive
from flexmb.errors import Fault, InputError

_USUAL_E = (1e5, 2e12)
"""[Pa] from soft rubber to diamond"""
_USUAL_DENSITY = (10.0, 25000.0)
"""[kg/m^3] from foam to osmium"""
_USUAL_EXPANSION = 5e-4
"""[1/K] rubber has 2e-4"""


@dataclass(frozen=True)
class Material:
    """A linear elastic material."""

    E: float
    """Young's modulus [Pa]"""
    G: float
    """shear modulus [Pa]"""
    density: float
    """[kg/m^3]"""
    name: str = ""
    expansion: float | None = None
    """thermal expansion [1/K]; None: not known"""

    def __post_init__(self) -> None:
        faults = positive("E", self.E, "Pa") + positive("G", self.G, "Pa")
        faults += positive("density", self.density, "kg/m^3")
        if self.expansion is not None and not is_number(self.expansion):
            faults.append(Fault(f"expansion must be a number [1/K], found {self.expansion!r}", ("expansion",)))
        if faults:
            raise InputError(faults)

    def warnings(self) -> list[str]:
        """Warnings about numbers that are unusual for a solid, such as from a forgotten unit."""
        found = []
        if not _USUAL_E[0] <= self.E <= _USUAL_E[1]:
            found.append(
                f"E = {self.E:g} Pa is unusual for a solid ({_USUAL_E[0]:g} to {_USUAL_E[1]:g}): check the unit"
            )
        if not _USUAL_DENSITY[0] <= self.density <= _USUAL_DENSITY[1]:
            limits = f"{_USUAL_DENSITY[0]:g} to {_USUAL_DENSITY[1]:g}"
            found.append(f"density = {self.density:g} kg/m^3 is unusual for a solid ({limits}): check the unit")
        if self.expansion is not None and abs(self.expansion) > _USUAL_EXPANSION:
            limit = f"-{_USUAL_EXPANSION:g} to {_USUAL_EXPANSION:g}"
            found.append(f"expansion = {self.expansion:g} 1/K is unusual for a solid ({limit}): check the unit")
        return found

    @classmethod
    def isotropic(cls, E: float, nu: float, density: float, name: str = "", expansion: float | None = None) -> Material:
        """Material from Young's modulus [Pa], Poisson's ratio and density [kg/m^3]: G = E/(2 (1 + nu))."""
        faults = positive("E", E, "Pa") + positive("density", density, "kg/m^3")
        if not is_number(nu) or not -1.0 < nu <= 0.5:
            faults.append(Fault(f"nu must be above -1 and at most 0.5, found {nu!r}", ("nu",)))
        if faults:
            raise InputError(faults)
        return cls(E, E / (2.0 * (1.0 + nu)), density, name, expansion)


def material_text(cell_set: str, material: Material) -> str:
    """A material for reading: "web: steel, E = 210 GPa, nu = 0.3, density 7850 kg/m^3"."""
    nu = material.E / (2.0 * material.G) - 1.0
    numbers = f"E = {material.E / 1e9:.6g} GPa, nu = {nu:.4g}, density {material.density:.6g} kg/m^3"
    return (f"{cell_set}: " if cell_set else "") + (f"{material.name}, " if material.name else "") + numbers


MATERIALS = {
    name: Material.isotropic(E, nu, density, name, expansion)
    for name, E, nu, density, expansion in (
        ("steel", 210e9, 0.30, 7850.0, 12.0e-6),
        ("stainless-steel", 193e9, 0.29, 8000.0, 16.0e-6),
        ("cast-iron", 110e9, 0.26, 7200.0, 10.5e-6),
        ("aluminium", 70e9, 0.33, 2700.0, 23.5e-6),
        ("titanium", 114e9, 0.34, 4430.0, 8.6e-6),
        ("magnesium", 45e9, 0.35, 1770.0, 26.0e-6),
        ("copper", 120e9, 0.34, 8940.0, 16.5e-6),
        ("brass", 100e9, 0.34, 8500.0, 19.0e-6),
    )
}
"""Handbook values at room temperature; give E, nu, density and expansion yourself if they matter."""
