"""Waves along a prismatic bar in three-dimensional elasticity, which share nothing with flexmb:

    u = (U(y, z) cos kx, V(y, z) sin kx, W(y, z) sin kx)
is exact along the bar, and U, V, W are polynomials (Ritz); it is the answer of three-dimensional elasticity for a bar
whose ends lie in planes of mirror symmetry or antisymmetry of the wave.
"""

from __future__ import annotations

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray
from scipy.linalg import eigh

from flexmb.elements.material import Material

Vector = NDArray[np.float64]

FAMILIES = {"flexure": ((1, 0), (0, 0), (1, 1)), "torsion": ((1, 1), (0, 1), (1, 0)), "axial": ((0, 0), (1, 0), (0, 1))}
"""Whether U, V, W are odd in y and in z"""


def wave_frequency(family: str, wave_number: float, side: float, material: Material, degree: int = 9) -> float:
    """Lowest frequency [Hz] of a wave in a square bar, the polynomials up to `degree` in y and in z."""
    lam = material.G * (material.E - 2.0 * material.G) / (3.0 * material.G - material.E)
    x, w = legendre.leggauss(degree + 2)
    value = np.array([legendre.legval(x, row) for row in np.eye(degree + 1)])
    slope = np.array([legendre.legval(x, legendre.legder(row)) for row in np.eye(degree + 1)]) * 2.0 / side
    area = np.outer(w, w).ravel() * side**2 / 4.0

    def functions(odd_in_y: int, odd_in_z: int) -> list[Vector]:
        """One component's functions at the points of the section, and their derivatives along y and z"""
        pairs = ((value, value), (slope, value), (value, slope))
        return [np.einsum("ig,jh->ijgh", y[odd_in_y::2], z[odd_in_z::2]).reshape(-1, len(area)) for y, z in pairs]

    (U, U_y, U_z), (V, V_y, V_z), (W, W_y, W_z) = (functions(*odd) for odd in FAMILIES[family])
    k = wave_number

    def column(*terms: Vector | None) -> Vector:
        """One strain per unit amplitude of all functions; None where a component has no part in it."""
        return np.concatenate([np.zeros_like(own) if t is None else t for t, own in zip(terms, (U, V, W), strict=True)])

    # Strains go with sin kx or with cos kx, whose mean squares are equal.
    normal = [column(-k * U, None, None), column(None, V_y, None), column(None, None, W_z)]
    shear = [column(U_y, k * V, None), column(None, V_z, W_y), column(U_z, None, k * W)]
    K = lam * _product(normal[0] + normal[1] + normal[2], area) + 2.0 * material.G * sum(
        _product(e, area) for e in normal
    )
    K = K + material.G * sum(_product(e, area) for e in shear)
    M = material.density * sum(
        _product(column(*own), area) for own in ((U, None, None), (None, V, None), (None, None, W))
    )
    return float(np.sqrt(eigh(K, M, eigvals_only=True)[0]) / (2.0 * np.pi))


def _product(rows: Vector, area: Vector) -> Vector:
    """Integral over the section of all products of the rows"""
    return (rows * area) @ rows.T
