"""Inertia of a flexible body by mass points that move as rho = X + phi_k q_k + 1/2 G_kl q_k q_l; nothing is truncated.

The masses are quadrature weights times density, or those of the nodes of a mesh. All blocks of the mass matrix are sums
of products of the points' own velocities, so the matrix is never indefinite, whatever q (theory 3.2). The same numbers
as invariants with N4, cheaper for few points.
Numbers are SI; elastic coordinates are in m (torsion: rad).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.bodies.invariants import Array, InertiaField, Invariants, Order


@dataclass(frozen=True)
class PointField(InertiaField):
    """p mass points with n elastic coordinates, body axes."""

    mass: Array
    """(p,) [kg]"""
    X: Array
    """(p, 3) undeformed positions [m]"""
    phi: Array
    """(p, n, 3) displacements per unit coordinate"""
    G: Array
    """(p, n, n, 3) second derivatives of the positions"""

    @property
    def n_modes(self) -> int:
        return self.phi.shape[1]

    @property
    def total_mass(self) -> float:
        return float(self.mass.sum())

    def positions(self, q: Array) -> Array:
        """(p, 3) rho [m]"""
        return self.X + np.einsum("k,pki->pi", q, self.phi) + 0.5 * np.einsum("k,l,pkli->pi", q, q, self.G)

    def psi(self, q: Array) -> Array:
        """(p, n, 3) d rho/d q_k"""
        return self.phi + np.einsum("l,pkli->pki", q, self.G)

    def bias(self, q_dot: Array) -> Array:
        """(p, 3) gam = G_kl q'_k q'_l [m/s^2]"""
        return np.einsum("k,l,pkli->pi", q_dot, q_dot, self.G)

    def S(self, q: Array) -> Array:
        return self.mass @ self.positions(q)

    def P(self, q: Array) -> Array:
        rho = self.positions(q)
        return np.einsum("p,pi,pj->ij", self.mass, rho, rho)

    def S_psi(self, q: Array) -> Array:
        return np.einsum("p,pki->ki", self.mass, self.psi(q))

    def B(self, q: Array) -> Array:
        return np.einsum("p,pi,pkj->kij", self.mass, self.positions(q), self.psi(q))

    def C(self, q: Array) -> Array:
        psi = self.psi(q)
        return np.einsum("p,pki,plj->klij", self.mass, psi, psi, optimize=True)

    def S_second(self) -> Array:
        return np.einsum("p,pkli->kli", self.mass, self.G)

    def B_second(self, q: Array) -> Array:
        return np.einsum("p,pi,pklj->klij", self.mass, self.positions(q), self.G, optimize=True)

    def psi_bias(self, q: Array, q_dot: Array) -> Array:
        return np.einsum("p,pki,pi->k", self.mass, self.psi(q), self.bias(q_dot))

    def mass_forces(self, q: Array, q_dot: Array, q_ddot: Array, motion: Array) -> Array:
        """(p, 3) m_p a_p [N], the inertial acceleration of every point times its mass, body axes

        motion : (3, 3) rows a (inertial acceleration of the origin, less gravity), alpha, omega of the body frame
        """
        a, alpha, omega = motion
        rho, psi = self.positions(q), self.psi(q)
        rate = np.einsum("k,pki->pi", q_dot, psi)
        relative = np.einsum("k,pki->pi", q_ddot, psi) + self.bias(q_dot)
        swing = np.cross(alpha, rho) + np.cross(omega, np.cross(omega, rho) + 2.0 * rate)
        return self.mass[:, None] * (a + swing + relative)

    def invariants(self, order: Order = "full") -> Invariants:
        """The same body by its integrals, truncated to `order`."""
        m, X, phi, G = self.mass, self.X, self.phi, self.G
        full = Invariants(
            mass=self.total_mass,
            S0=m @ X,
            P0=np.einsum("p,pi,pj->ij", m, X, X),
            S1=np.einsum("p,pki->ki", m, phi),
            N1=np.einsum("p,pi,pkj->kij", m, X, phi),
            N2=np.einsum("p,pki,plj->klij", m, phi, phi, optimize=True),
            S2=np.einsum("p,pkli->kli", m, G),
            X=np.einsum("p,pi,pklj->klij", m, X, G, optimize=True),
            N3=np.einsum("p,pki,plmj->klmij", m, phi, G, optimize=True) if order in (2, "full") else None,
            N4=np.einsum("p,pkli,pmnj->klmnij", m, G, G, optimize=True) if order == "full" else None,
        )
        return full.truncated(order)
