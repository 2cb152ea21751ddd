"""Motion of a marker on a flexible body: displacement and rotation vector, quadratic in the elastic coordinates.

With q (n,) the elastic coordinates, in body axes (theory 5, the arrays that `equations/arms.py` evaluates):
    r = r0 + Phi q + 1/2 q G q,    theta = Theta q + 1/2 q Gamma q,    R = exp(~theta) R0.
Without G and Gamma (order 1) axial forces at the marker do not stiffen the body.
Numbers are SI; elastic coordinates are in m (torsion: rad).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from flexmb.arrays import Floats


@dataclass(frozen=True)
class MarkerShapes:
    """Shapes of one marker, body axes; n is the number of elastic coordinates."""

    Phi: Floats
    """(n, 3) displacement per unit coordinate"""
    Theta: Floats
    """(n, 3) rotation vector per unit coordinate [rad]"""
    G: Floats
    """(n, n, 3) second derivatives of the position, symmetric in the modes"""
    Gamma: Floats
    """(n, n, 3) second derivatives of the rotation vector, symmetric in the modes"""
    order: int = 2
    """2, or 1 when G and Gamma are not used"""

    @classmethod
    def linear(cls, Phi: Floats, Theta: Floats) -> MarkerShapes:
        """First-order shapes Phi, Theta : (n, 3) per unit coordinate [-, rad/m]; G and Gamma are zero."""
        n = len(Phi)
        return cls(np.asarray(Phi, float), np.asarray(Theta, float), np.zeros((n, n, 3)), np.zeros((n, n, 3)), 1)

    def beside(self, d: Floats) -> MarkerShapes:
        """Shapes of a point at r0 + d, d : (3,) [m], that is rigidly fixed to the marker: r + R d - d, second order."""
        swing = np.cross(self.Theta[:, None], np.cross(self.Theta, d)[None])
        G = self.G + np.cross(self.Gamma, d) + 0.5 * (swing + swing.transpose(1, 0, 2)) if self.order > 1 else self.G
        return replace(self, Phi=self.Phi + np.cross(self.Theta, d), G=G)

    def displacement(self, q: Floats) -> Floats:
        """(3,) r - r0 [m]"""
        return q @ self.Phi + 0.5 * np.einsum("k,l,kli->i", q, q, self.G) * (self.order > 1)

    def rotation_vector(self, q: Floats) -> Floats:
        """(3,) theta [rad]; the marker turns by exp(~theta)"""
        return q @ self.Theta + 0.5 * np.einsum("k,l,kli->i", q, q, self.Gamma) * (self.order > 1)

    def rotation(self, q: Floats) -> Floats:
        """(3, 3) exp(~theta)"""
        return exponential(self.rotation_vector(q))


def exponential(theta: Floats) -> Floats:
    """(..., 3, 3) rotation matrices exp(~theta) of the rotation vectors theta : (..., 3) [rad]"""
    angle = np.linalg.norm(theta, axis=-1)[..., None, None]
    cross = -np.cross(theta[..., None, :], np.eye(3))
    # sin(t)/t and (1 - cos t)/t^2, where np.sinc(s) is sin(pi s)/(pi s)
    first, second = np.sinc(angle / np.pi), 0.5 * np.sinc(0.5 * angle / np.pi) ** 2
    return np.eye(3) + first * cross + second * cross @ cross
