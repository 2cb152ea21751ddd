"""Shell sections: thickness, offset and layers, and what the elements need of them at points over the thickness."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats
from flexmb.elements.material import Material
from flexmb.elements.number_checks import is_number, positive
from flexmb.errors import Fault, InputError

_SHEAR = 5.0 / 6.0
"""Shear correction of a homogeneous section (Reissner 1945)"""
_DRILLING = 0.1
"""Stiffness that ties the drilling rotation to the displacements, as a part of the membrane's in shear. A larger one
makes thin, warped triangles stiffer (twisted beam of 48 x 8 cells: 0.6 % at 1)."""
_DRILLING_SPREAD = 1e-3
"""Stiffness against differences of the drilling rotation inside a cell, times the square of thickness over size of the
cell, as a part of that against its mean: small beside bending, however thin the shell."""

_GAUSS = np.array([-1.0, 1.0]) / np.sqrt(3.0)


@dataclass(frozen=True)
class Orthotropic:
    """A material with a grain in the plane of the shell, such as a ply of fibres."""

    E1: float
    """[Pa] along the grain"""
    E2: float
    """[Pa] across it"""
    nu12: float
    """Contraction along 2 under a stress along 1"""
    G12: float
    """[Pa]"""
    G13: float
    G23: float
    density: float
    """[kg/m^3]"""
    name: str = ""

    def __post_init__(self) -> None:
        faults = [f for key in ("E1", "E2", "G12", "G13", "G23") for f in positive(key, getattr(self, key), "Pa")]
        faults += positive("density", self.density, "kg/m^3")
        if not faults and not (is_number(self.nu12) and self.nu12**2 < self.E1 / self.E2):
            limit = np.sqrt(self.E1 / self.E2)
            faults.append(Fault(f"nu12 must be between -{limit:g} and {limit:g}, found {self.nu12!r}", ("nu12",)))
        if faults:
            raise InputError(faults)


@dataclass(frozen=True)
class PlaneMaterial:
    """A material given by its law in the plane of the shell, such as a section that another program has smeared."""

    stiffness: tuple[tuple[float, ...], ...]
    """(3, 3) stress 11, 22, 12 by strain (shear twice) [Pa]"""
    G13: float
    """[Pa]"""
    G23: float
    density: float
    """[kg/m^3] zero: none"""
    name: str = ""

    def __post_init__(self) -> None:
        faults = [fault for key in ("G13", "G23") for fault in positive(key, getattr(self, key), "Pa")]
        law = np.array(self.stiffness, dtype=float)
        if law.shape != (3, 3) or not np.isfinite(law).all() or np.linalg.eigvalsh(0.5 * (law + law.T))[0] <= 0.0:
            faults.append(Fault("the stiffness in the plane must be three rows of three, positive definite"))
        if not (is_number(self.density) and self.density >= 0.0):
            faults.append(Fault(f"density must not be negative, found {self.density!r}", ("density",)))
        if faults:
            raise InputError(faults)


ShellMaterial = Material | Orthotropic | PlaneMaterial


@dataclass(frozen=True)
class Layer:
    """One layer of a laminate."""

    material: ShellMaterial
    thickness: float
    """[m]"""
    angle: float = 0.0
    """[rad] of the grain from the direction of the section, about the normal"""

    def __post_init__(self) -> None:
        faults = positive("thickness", self.thickness, "m")
        if not is_number(self.angle):
            faults.append(Fault(f"angle must be a number, found {self.angle!r}", ("angle",)))
        if faults:
            raise InputError(faults)


@dataclass(frozen=True)
class ShellSection:
    """Layers from the bottom to the top face; the nodes are `offset` below the middle."""

    layers: tuple[Layer, ...]
    offset: float = 0.0
    """[m] of the middle surface from the nodes, along the normal"""
    mass: float = 0.0
    """[kg/m^2] in the middle surface, beside that of the layers"""
    bending: Layer | None = None
    """Material and angle that bend, of one layer, instead of those of the layer; its thickness is not used"""
    bending_ratio: float = 1.0
    """Bending stiffness of one layer as a part of that of the full thickness"""
    shear_ratio: float | None = None
    """Shear correction; None: by equilibrium"""

    @classmethod
    def plain(cls, material: Material, thickness: float, offset: float = 0.0) -> ShellSection:
        """One isotropic layer."""
        return cls((Layer(material, thickness),), offset)

    @property
    def thickness(self) -> float:
        """[m]"""
        return sum(layer.thickness for layer in self.layers)

    @property
    def area_density(self) -> float:
        """[kg/m^2]"""
        return self.mass + sum(layer.material.density * layer.thickness for layer in self.layers)

    @property
    def faces(self) -> Floats:
        """(layers + 1,) heights of the faces of the layers above the nodes [m]"""
        edges = np.cumsum([0.0, *(layer.thickness for layer in self.layers)])
        return np.asarray(edges - 0.5 * edges[-1] + self.offset)


@dataclass(frozen=True)
class SectionPoints:
    """Points over the thickness of a section: two per layer, exact for strains linear in the height.

    One more is in the middle where a section has mass there, or a bending stiffness of its own.
    """

    heights: Floats
    """(m,) above the nodes [m]"""
    weights: Floats
    """(m,) [m]"""
    densities: Floats
    """(m,) [kg/m^3]"""
    laws: Floats
    """(m, 5, 5) stress 11, 22, 12, 13, 23 by strain (shear twice) [Pa]"""
    drilling: Floats
    """(2,) stiffness against the drilling rotation [N/m], and the part against its differences times area [m^2]"""


def section_points(section: ShellSection) -> SectionPoints:
    """Points over the thickness of a section, with their laws."""
    faces = section.faces
    laws = [layer_law(layer) for layer in section.layers]
    factors = shear_factors(section)
    for law in laws:
        law[3:, 3:] *= np.sqrt(np.outer(factors, factors))
    middle, half = 0.5 * (faces[1:] + faces[:-1]), 0.5 * np.diff(faces)
    shear = sum(law[2, 2] * layer.thickness for law, layer in zip(laws, section.layers, strict=True))
    drilling = np.array([_DRILLING * shear, _DRILLING_SPREAD * section.thickness**2])
    heights, weights = (middle[:, None] + half[:, None] * _GAUSS).ravel(), np.repeat(half, 2)
    densities = np.repeat([layer.material.density for layer in section.layers], 2)
    own_bending = len(laws) == 1 and (section.bending is not None or section.bending_ratio != 1.0)
    if not own_bending and not section.mass:
        return SectionPoints(heights, weights, densities, np.repeat(np.array(laws), 2, axis=0), drilling)
    rest = np.zeros((5, 5))  # of the membrane, which the points that bend do not have
    if own_bending:
        bends = section.bending_ratio * layer_law(section.bending or section.layers[0])[:3, :3]
        rest[:3, :3] = laws[0][:3, :3] - bends
        laws[0][:3, :3] = bends
    return SectionPoints(
        np.append(heights, section.offset),
        np.append(weights, section.thickness),
        np.append(densities, section.mass / section.thickness),
        np.concatenate([np.repeat(np.array(laws), 2, axis=0), rest[None]]),
        drilling,
    )


def layer_law(layer: Layer) -> Floats:
    """(5, 5) plane stress and transverse shear in the direction of the section, without shear correction"""
    plane, G13, G23 = _own_law(layer.material)
    cos, sin = np.cos(layer.angle), np.sin(layer.angle)
    # strains in the axes of the layer by those of the section
    turn = np.array(
        [[cos**2, sin**2, cos * sin], [sin**2, cos**2, -cos * sin], [-2 * cos * sin, 2 * cos * sin, cos**2 - sin**2]]
    )
    across = np.array([[cos, sin], [-sin, cos]])
    law = np.zeros((5, 5))
    law[:3, :3] = turn.T @ plane @ turn
    law[3:, 3:] = across.T @ np.diag([G13, G23]) @ across
    return law


def _own_law(m: ShellMaterial) -> tuple[Floats, float, float]:
    """(3, 3) plane stress in the axes of the material, and its moduli of transverse shear"""
    if isinstance(m, PlaneMaterial):
        return np.array(m.stiffness), m.G13, m.G23
    if isinstance(m, Material):
        E1 = E2 = m.E
        nu12, G12, G13, G23 = m.E / (2.0 * m.G) - 1.0, m.G, m.G, m.G
    else:
        E1, E2, nu12, G12, G13, G23 = m.E1, m.E2, m.nu12, m.G12, m.G13, m.G23
    c = 1.0 / (1.0 - nu12**2 * E2 / E1)
    return np.array([[c * E1, c * nu12 * E2, 0.0], [c * nu12 * E2, c * E2, 0.0], [0.0, 0.0, G12]]), G13, G23


def shear_factors(section: ShellSection) -> Floats:
    """(2,) shear correction in directions 1 and 2: energy of the stress that equilibrium gives (Whitney 1973).

    Cylindrical bending in each direction: with the moment changing by Q, the layers' axial stresses leave the shear
    stress tau(z) = -int E1 (z - z0) dz Q / D, and k = Q^2 / (int G dz . int tau^2 / G dz). 5/6 if homogeneous.
    """
    if section.shear_ratio is not None:
        return np.full(2, section.shear_ratio)
    if len(section.layers) == 1:
        return np.full(2, _SHEAR)
    faces, laws = section.faces, [layer_law(layer) for layer in section.layers]
    factors = np.empty(2)
    for axis in range(2):
        E = np.array([law[axis, axis] for law in laws])
        G = np.array([law[3 + axis, 3 + axis] for law in laws])
        h = np.diff(faces)
        middle = 0.5 * (faces[1:] + faces[:-1])
        z0 = (E * h * middle).sum() / (E * h).sum()
        D = (E * (h**3 / 12.0 + h * (middle - z0) ** 2)).sum()
        flow, energy = 0.0, 0.0
        x, w = np.polynomial.legendre.leggauss(5)
        for e, g, low, high in zip(E, G, faces[:-1] - z0, faces[1:] - z0, strict=True):
            z = 0.5 * (low + high) + 0.5 * (high - low) * x
            tau = -(flow + 0.5 * e * (z**2 - low**2)) / D
            energy += 0.5 * (high - low) * float(w @ tau**2) / g
            flow += 0.5 * e * (high**2 - low**2)
        factors[axis] = 1.0 / ((G * h).sum() * energy)
    return factors
