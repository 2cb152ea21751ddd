"""Stiffness and mass of beam shapes by Gauss quadrature with the true, stepped properties and the lumps.

    K_kl = int EA u_k' u_l' + EIz v_k'' v_l'' + EIy w_k'' w_l'' + GJ t_k' t_l'  (+ shear k G A (v' - psi)(v' - psi))
    M_kl = int rho A (u u + v v + w w) + rho (Iy + Iz) t t  (+ rotary inertia rho I psi psi)  + lumps
Only shapes of the same component couple, except through lumps whose centre or principal axes are off the beam axis.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexmb.arrays import Floats
from flexmb.elements.beam_shapes import BeamShape, sampled
from flexmb.reduction.beam_data import Lump, SectionProperties, Span, section_properties


def gauss_stations(breaks: Floats, gauss: int) -> tuple[Floats, Floats]:
    """(n_seg, gauss) Gauss points [m] between the breaks, and their weights [m]."""
    point, weight = np.polynomial.legendre.leggauss(gauss)
    half = np.diff(breaks)[:, None] / 2.0
    return breaks[:-1, None] + half * (1.0 + point), half * weight


class BeamIntegrals:
    """The integrals over one beam, at fixed Gauss points."""

    def __init__(
        self,
        length: float,
        spans: Sequence[Span],
        breaks: Floats,
        gauss: int,
        lumps: Sequence[Lump] = (),
        shear: bool = False,
        rotary_inertia: bool = False,
    ):
        x, weight = gauss_stations(breaks, gauss)
        self.x = x.ravel()
        self.weight = weight.ravel()
        self.properties = section_properties(spans, length, self.x)
        self.lumps = tuple(lumps)
        self.shear = shear
        self.rotary_inertia = rotary_inertia

    def stiffness(self, shapes: Sequence[BeamShape]) -> Floats:
        """(n, n) [N/m], twist [N m]."""
        at, p = sampled(shapes, self.x), self.properties
        matrix = np.zeros((len(shapes), len(shapes)))
        for component, column, density in (("y", 3, p.EIz), ("z", 3, p.EIy), ("u", 1, p.EA), ("t", 1, p.GJ)):
            strain = at[:, :, column] * _is(shapes, component)[:, None]
            matrix += self._product(strain, strain, density)
        if self.shear:
            for component, density in (("y", p.GAy), ("z", p.GAz)):
                strain = (at[:, :, 1] - at[:, :, 2]) * _is(shapes, component)[:, None]
                matrix += self._product(strain, strain, density)
        return matrix

    def mass(self, shapes: Sequence[BeamShape], others: Sequence[BeamShape] | None = None) -> Floats:
        """(n, n) [kg], twist [kg m^2]; or (n, n_others) between two sets of shapes."""
        others = shapes if others is None else others
        at, at_others, p = sampled(shapes, self.x), sampled(others, self.x), self.properties
        matrix = np.zeros((len(shapes), len(others)))
        for component, density, rotary in _inertias(p):
            mine = at * _is(shapes, component)[:, None, None]
            theirs = at_others * _is(others, component)[:, None, None]
            matrix += self._product(mine[:, :, 0], theirs[:, :, 0], density)
            if self.rotary_inertia:
                matrix += self._product(mine[:, :, 2], theirs[:, :, 2], rotary)
        for lump in self.lumps:
            shift, turn = lump_motion(shapes, lump)
            shift_others, turn_others = lump_motion(others, lump)
            matrix += lump.mass * shift @ shift_others.T + turn @ lump.inertia @ turn_others.T
        return matrix

    def slope_products(self, shapes: Sequence[BeamShape]) -> Floats:
        """(n, n) int v_k' v_l' dx [m], the terms of the foreshortening."""
        slope = sampled(shapes, self.x)[:, :, 1]
        return self._product(slope, slope, np.ones_like(self.x))

    def _product(self, left: Floats, right: Floats, density: Floats) -> Floats:
        return (left * (density * self.weight)) @ right.T


def lump_motion(shapes: Sequence[BeamShape], lump: Lump) -> tuple[Floats, Floats]:
    """(n, 3) displacement of the lump's centre of mass and (n, 3) turn of its section, per unit of each coordinate."""
    at = sampled(shapes, np.array([lump.x]))[:, 0]
    is_y, is_z, is_u, is_t = (_is(shapes, component) for component in ("y", "z", "u", "t"))
    line = np.stack([is_u * at[:, 0], is_y * at[:, 0], is_z * at[:, 0]], axis=1)
    turn = np.stack([is_t * at[:, 0], -is_z * at[:, 2], is_y * at[:, 2]], axis=1)
    return line + np.cross(turn, lump.center), turn


def _is(shapes: Sequence[BeamShape], component: str) -> Floats:
    return np.array([float(shape.component == component) for shape in shapes])


def _inertias(p: SectionProperties) -> tuple[tuple[str, Floats, Floats], ...]:
    """component, inertia of its value, rotary inertia of its turn (per length)."""
    none = np.zeros_like(p.rhoA)
    return ("y", p.rhoA, p.rhoIz), ("z", p.rhoA, p.rhoIy), ("u", p.rhoA, none), ("t", p.rhoIy + p.rhoIz, none)
