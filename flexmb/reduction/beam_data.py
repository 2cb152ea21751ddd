"""Data of a beam along its length: spans of constant section, lumped masses, and properties per length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from flexmb.arrays import Floats
from flexmb.elements.material import Material
from flexmb.elements.number_checks import is_number, not_negative
from flexmb.elements.section import Section
from flexmb.errors import Fault, InputError

SAME_PLACE = 1e-9
"""Places closer than this part of the length are the same place."""


@dataclass(frozen=True)
class Span:
    """A piece of constant section and material, from the end of the previous one (or end A) up to `to`."""

    to: float | None
    """distance from end A [m]; None: end B"""
    section: Section
    material: Material


@dataclass(frozen=True)
class Lump:
    """A rigid mass fixed on the section at x."""

    x: float
    """distance of its section from end A [m]"""
    mass: float
    """[kg]"""
    center: Floats = field(default_factory=lambda: np.zeros(3))
    """(3,) centre of mass, from the centre-line point at x, section axes [m]"""
    inertia: Floats = field(default_factory=lambda: np.zeros((3, 3)))
    """(3, 3) about its own centre of mass, section axes [kg m^2]"""

    def __post_init__(self) -> None:
        faults = not_negative("mass", self.mass, "kg")
        if not is_number(self.x):
            faults.append(Fault(f"x must be a number [m], found {self.x!r}", ("x",)))
        for name, shape in (("center", (3,)), ("inertia", (3, 3))):
            array = np.array(getattr(self, name), dtype=float)
            if array.shape != shape or not np.all(np.isfinite(array)):
                faults.append(Fault(f"{name} must be {shape} finite numbers, found {array.shape}", (name,)))
            elif name == "inertia":
                faults += _inertia_faults(array)
            object.__setattr__(self, name, array)
        if faults:
            raise InputError(faults)


def _inertia_faults(inertia: Floats) -> list[Fault]:
    size = float(np.abs(inertia).max())
    if np.abs(inertia - inertia.T).max() > 1e-9 * size:
        return [Fault("inertia is not symmetric", ("inertia",))]
    principal = np.linalg.eigvalsh(inertia)
    if principal[0] < -1e-9 * size:
        return [Fault(f"inertia has a negative principal moment, {principal[0]:.4g}", ("inertia",))]
    return []


@dataclass(frozen=True)
class SectionProperties:
    """Stiffness and inertia per length at some places; every array has the dimensions of the array of places."""

    EA: Floats
    """[N]"""
    EIy: Floats
    """[N m^2], bending in the x-z plane"""
    EIz: Floats
    """[N m^2], bending in the x-y plane"""
    GJ: Floats
    """[N m^2]; 0 where the torsion constant is not known"""
    GAy: Floats
    """shear stiffness k G A for forces along y [N]; 0 where the coefficient is not known"""
    GAz: Floats
    """for forces along z [N]"""
    rhoA: Floats
    """[kg/m]"""
    rhoIy: Floats
    """[kg m]"""
    rhoIz: Floats
    """[kg m]"""


def span_ends(spans: Sequence[Span], length: float) -> Floats:
    """(n_spans,) end of each span, from end A [m]."""
    return np.array([length if span.to is None else span.to for span in spans])


def section_properties(spans: Sequence[Span], length: float, x: ArrayLike) -> SectionProperties:
    """Properties at x [m] (array of any dimensions), piecewise constant; at a step those of the span that begins."""
    number = np.searchsorted(span_ends(spans, length)[:-1], np.asarray(x, dtype=float), side="right")
    rows = np.array([_row(span) for span in spans])
    return SectionProperties(*(rows[:, column][number] for column in range(rows.shape[1])))


def _row(span: Span) -> list[float]:
    s, m = span.section, span.material
    return [
        m.E * s.A,
        m.E * s.Iy,
        m.E * s.Iz,
        m.G * (s.J or 0.0),
        m.G * s.A * (s.shear_y or 0.0),
        m.G * s.A * (s.shear_z or 0.0),
        m.density * s.A,
        m.density * s.Iy,
        m.density * s.Iz,
    ]


def break_points(length: float, *places: ArrayLike) -> Floats:
    """0, every place of the lists [m] and the length, sorted; places within round-off of each other are one."""
    points = np.sort(np.concatenate([np.ravel(np.asarray(place, dtype=float)) for place in places] + [[0.0, length]]))
    kept = [0.0]
    for point in points[1:]:
        if point - kept[-1] > SAME_PLACE * length:
            kept.append(float(point))
    kept[-1] = length
    return np.array(kept)
