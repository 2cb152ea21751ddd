"""Curves of each family of shapes, their breaks, and the number of Gauss points that their products need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats
from flexmb.elements.beam_modes import beam_modes, rod_modes
from flexmb.elements.beam_shapes import BENDING, COMPONENTS, BeamShape, Curve, monomial_curves
from flexmb.reduction.beam_data import break_points, span_ends
from flexmb.reduction.beam_matrices import BeamIntegrals
from flexmb.reduction.beam_request import BeamRequest
from flexmb.reduction.element_curves import element_curves
from flexmb.reduction.interface_curves import interface_curves

_CONVERGED = 1e-7
"""Relative error of the products of waves at the stations of a run: every station costs time at each step, and this
changes a deflection of one per cent of the length by about 1e-8 of it. Mass and stiffness themselves are converged."""


@dataclass(frozen=True)
class Family:
    """Curves of each component, in the order of the elastic coordinates."""

    curves: dict[str, Sequence[Curve]]
    breaks: Floats
    """places between which every curve and the section are smooth [m]"""
    degree: dict[str, int] | None
    """polynomial degree between the breaks; None: not polynomials"""
    waves: float = 0.0
    """largest wave number [1/m] of curves that are not polynomials"""

    def shapes(self) -> list[BeamShape]:
        """Raw shapes, without a frame, labelled y1, y2, ..., z1, ..., u1, ..., t1, ..."""
        return [
            BeamShape(component, f"{component}{number}", curve)
            for component in COMPONENTS
            for number, curve in enumerate(self.curves[component], start=1)
        ]

    def fine_gauss(self) -> int:
        """Gauss points between two breaks that integrate all products to round-off."""
        if self.degree is not None:
            return polynomial_gauss(self.degree)
        return int(self.phase()) + 20

    def phase(self) -> float:
        """Phase of the product of two waves between the middle of the longest segment and its ends [rad]."""
        return self.waves * float(np.diff(self.breaks).max())


def family_of(request: BeamRequest) -> Family:
    """The requested curves."""
    length, counts = request.length, {name: count or 0 for name, count in request.counts.items()}
    steps = span_ends(request.spans, length)
    breaks = break_points(length, steps[:-1], [lump.x for lump in request.lumps])
    if request.family == "monomials":
        from_end = request.frame == "end"
        curves = {name: monomial_curves(name, count, length, from_end) for name, count in counts.items()}
        degree = {name: count + (name in BENDING) if count else 0 for name, count in counts.items()}
        return Family(dict(curves), breaks, degree)
    if request.family == "modes":
        modes = {
            name: beam_modes(request.end_supports, count, length)
            if name in BENDING
            else rod_modes(request.rod_end, count, length)
            for name, count in counts.items()
        }
        waves = max((curve.k for curves in modes.values() for curve in curves), default=0.0)
        return Family(dict(modes), breaks, None, waves)
    if request.family == "auto":
        nodes, joined = interface_curves(request)
        return Family(joined, nodes, None)  # with shear too: fewer stations than exact products of cubics need
    nodes, nodal = element_curves(request, breaks)
    degree = {name: (3 if name in BENDING else 2) if nodal[name] else 0 for name in COMPONENTS}
    return Family(nodal, nodes, degree)


def polynomial_gauss(degree: dict[str, int]) -> int:
    """Gauss points that integrate exactly the products of polynomials of these degrees in the equations.

    Bending of degree p: the foreshortening int v'^2 has degree 2 p - 1, and its square enters the inertia. Stretch and
    twist: their own products, and that of stretch with foreshortening. Rigid motion: x^2.
    """
    bending = max(degree["y"], degree["z"])
    foreshortening = 2 * bending - 1 if bending else 0
    highest = max(2 * foreshortening, 2 * bending, 2 * degree["u"], 2 * degree["t"], degree["u"] + foreshortening, 2)
    return highest // 2 + 1


def converged_gauss(shapes: Sequence[BeamShape], request: BeamRequest, family: Family) -> int:
    """Fewest Gauss points between two breaks for which stiffness, mass and int v' v' are converged."""

    def products(gauss: int) -> Floats:
        integrals = BeamIntegrals(
            request.length, request.spans, family.breaks, gauss, request.lumps, request.shear, request.rotary_inertia
        )
        found = [integrals.stiffness(shapes), integrals.mass(shapes), integrals.slope_products(shapes)]
        return np.array(found)

    finest = family.fine_gauss()
    exact = products(finest)
    size = np.sqrt(np.einsum("akk->ak", exact))
    allowed = _CONVERGED * size[:, :, None] * size[:, None, :]
    low, high = max(2, int(family.phase() / 2.0)), finest  # fewer than half a point per radian miss the wave
    while low < high:
        middle = (low + high) // 2
        if np.all(np.abs(products(middle) - exact) <= allowed):
            high = middle
        else:
            low = middle + 1
    return high
