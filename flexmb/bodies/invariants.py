"""Inertia of a flexible body whose points move as rho = X + phi_k q_k + 1/2 G_kl q_k q_l, by integrals over its mass.

The integrals (invariants) are constant; mass matrix and velocity forces are polynomials in q with them as coefficients.
    M y' + h = f,   y = [v; w; q'],   y' = [a; alpha; q''],   rows t, r, f (translation, rotation, modes)
v, w: velocity of the origin and angular velocity of the body frame, a: inertial acceleration of the origin, all in body
axes (gravity enters as a - g). h holds no elastic forces. It all follows from the virtual work -int delta r_P . a_P dm
(theory 3 and 3.1). Arrays may be complex, so that complex steps differentiate everything here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Order = Literal[0, 1, 2, "full"]


class InertiaField(ABC):
    """Integrals that a source of flexible inertia provides at the elastic coordinates q (n,); the rest follows.

    rho: position of a material point in the body frame [m], psi_k = d rho/d q_k, gam = (d psi_k/d q_l) q'_k q'_l;
    int: over the mass.
    """

    @property
    @abstractmethod
    def n_modes(self) -> int:
        """Number n of elastic coordinates."""

    @property
    @abstractmethod
    def total_mass(self) -> float:
        """[kg]"""

    @abstractmethod
    def S(self, q: Array) -> Array:
        """(3,) int rho [kg m]"""

    @abstractmethod
    def P(self, q: Array) -> Array:
        """(3, 3) int rho rho^T [kg m^2]"""

    @abstractmethod
    def S_psi(self, q: Array) -> Array:
        """(n, 3) int psi_k"""

    @abstractmethod
    def B(self, q: Array) -> Array:
        """(n, 3, 3) int rho psi_k^T"""

    @abstractmethod
    def C(self, q: Array) -> Array:
        """(n, n, 3, 3) int psi_k psi_l^T"""

    @abstractmethod
    def S_second(self) -> Array:
        """(n, n, 3) int d psi_k/d q_l"""

    @abstractmethod
    def B_second(self, q: Array) -> Array:
        """(n, n, 3, 3) int rho (d psi_k/d q_l)^T"""

    @abstractmethod
    def psi_bias(self, q: Array, q_dot: Array) -> Array:
        """(n,) int psi_k . gam"""

    def inertia(self, q: Array) -> Array:
        """(3, 3) moment of inertia about the body origin [kg m^2]"""
        return _inertia(self.P(q))

    def mass_matrix(self, q: Array) -> Array:
        """(6 + n, 6 + n) symmetric, SI; positive definite only as far as theory 3.3 says when the field is truncated"""
        n = self.n_modes
        S, S_psi, M_wf = self.S(q), self.S_psi(q), axial(self.B(q))
        M = np.zeros((6 + n, 6 + n), dtype=S.dtype)
        M[:3, :3] = self.total_mass * np.eye(3)
        M[3:6, :3] = skew(S)
        M[:3, 3:6] = -M[3:6, :3]
        M[3:6, 3:6] = self.inertia(q)
        M[6:, :3], M[:3, 6:] = S_psi, S_psi.T
        M[6:, 3:6], M[3:6, 6:] = M_wf, M_wf.T
        M[6:, 6:] = np.trace(self.C(q), axis1=2, axis2=3)
        return M

    def velocity_forces(self, q: Array, q_dot: Array, omega: Array) -> Array:
        """(6 + n,) h: centrifugal, gyroscopic and Coriolis terms [N, N m, generalised]; theory 3

        q_dot : (n,) elastic rates; omega : (3,) angular velocity of the frame, body axes [rad/s]
        """
        S, B, C = self.S(q), self.B(q), self.C(q)
        Bq = np.einsum("k,kij->ij", q_dot, B)
        gamma = np.einsum("k,l,kli->i", q_dot, q_dot, self.S_second())
        rho_gamma = np.einsum("k,l,klij->ij", q_dot, q_dot, self.B_second(q))
        h_t = np.cross(omega, np.cross(omega, S) + 2.0 * q_dot @ self.S_psi(q)) + gamma
        h_r = np.cross(omega, self.inertia(q) @ omega) + 2.0 * (np.trace(Bq) * omega - Bq.T @ omega) + axial(rho_gamma)
        h_f = np.einsum("i,kij,j->k", omega, B, omega) - np.trace(B, axis1=1, axis2=2) * (omega @ omega)
        h_f = h_f + 2.0 * np.einsum("i,l,lki->k", omega, q_dot, axial(C)) + self.psi_bias(q, q_dot)
        return np.concatenate([h_t, h_r, h_f])

    def kinetic_energy(self, q: Array, y: Array) -> Any:
        """1/2 y^T M y [J]; y : (6 + n,) velocity of the origin, angular velocity (body axes), elastic rates"""
        return 0.5 * y @ self.mass_matrix(q) @ y


@dataclass(frozen=True)
class Invariants(InertiaField):
    """The integrals of a quadratic field; n elastic coordinates, int over the mass.

    Without N4 the equations are those of the kinetic energy to third order in (q, q'), without N3 to second order, and
    with S2 = X = 0 as well those of a linear field, which has no geometric stiffening.
    """

    mass: float
    """[kg]"""
    S0: Array
    """(3,) int X [kg m]"""
    P0: Array
    """(3, 3) int X X^T [kg m^2]"""
    S1: Array
    """(n, 3) int phi_k"""
    N1: Array
    """(n, 3, 3) int X phi_k^T"""
    N2: Array
    """(n, n, 3, 3) int phi_k phi_l^T"""
    S2: Array
    """(n, n, 3) int G_kl"""
    X: Array
    """(n, n, 3, 3) int X G_kl^T"""
    N3: Array | None = None
    """(n, n, n, 3, 3) int phi_k G_lm^T"""
    N4: Array | None = None
    """(n, n, n, n, 3, 3) int G_kl G_mn^T"""

    @property
    def n_modes(self) -> int:
        return len(self.S1)

    @property
    def total_mass(self) -> float:
        return self.mass

    @property
    def order(self) -> Order:
        """The order for which `truncated` leaves these invariants unchanged."""
        if self.N4 is not None:
            return "full"
        if self.N3 is not None:
            return 2
        return 1 if np.any(self.S2) or np.any(self.X) else 0

    def truncated(self, order: Order) -> Invariants:
        """Invariants of the kinetic energy to order 2 in (q, q') (order 1), 3 (order 2), all (full), or of the linear
        field (order 0)."""
        missing = (order == 2 and self.N3 is None) or (order == "full" and (self.N3 is None or self.N4 is None))
        if missing:
            raise ValueError(f"order {order!r} needs N3 (and N4 for 'full'), which these invariants do not hold")
        if order == "full":
            return self
        if order == 2:
            return replace(self, N4=None)
        if order == 1:
            return replace(self, N3=None, N4=None)
        return replace(self, S2=np.zeros_like(self.S2), X=np.zeros_like(self.X), N3=None, N4=None)

    def S(self, q: Array) -> Array:
        return self.S0 + q @ self.S1 + 0.5 * np.einsum("k,l,kli->i", q, q, self.S2)

    def S_psi(self, q: Array) -> Array:
        return self.S1 + np.einsum("l,kli->ki", q, self.S2)

    def P(self, q: Array) -> Array:
        linear = np.einsum("k,kij->ij", q, self.N1)
        stretch = np.einsum("k,l,klij->ij", q, q, self.X)
        P = self.P0 + linear + linear.T + np.einsum("k,l,klij->ij", q, q, self.N2) + 0.5 * (stretch + stretch.T)
        if self.N3 is not None:
            cubic = np.einsum("k,l,m,klmij->ij", q, q, q, self.N3, optimize=True)
            P = P + 0.5 * (cubic + cubic.T)
        if self.N4 is not None:
            P = P + 0.25 * np.einsum("k,l,m,n,klmnij->ij", q, q, q, q, self.N4, optimize=True)
        return P

    def B(self, q: Array) -> Array:
        B = self.N1 + np.einsum("l,lkij->kij", q, self.N2) + np.einsum("l,klij->kij", q, self.X)
        if self.N3 is not None:
            N3q = np.einsum("m,klmij->klij", q, self.N3)
            B = B + 0.5 * np.einsum("l,klij->kji", q, N3q) + np.einsum("l,lkij->kij", q, N3q)
        if self.N4 is not None:
            B = B + 0.5 * np.einsum("l,m,n,lmknij->kij", q, q, q, self.N4, optimize=True)
        return B

    def C(self, q: Array) -> Array:
        C = self.N2
        if self.N3 is not None:
            N3q = np.einsum("m,klmij->klij", q, self.N3)
            C = C + N3q + N3q.transpose(1, 0, 3, 2)
        if self.N4 is not None:
            C = C + np.einsum("m,n,kmlnij->klij", q, q, self.N4, optimize=True)
        return C

    def S_second(self) -> Array:
        return self.S2

    def B_second(self, q: Array) -> Array:
        second = self.X
        if self.N3 is not None:
            second = second + np.einsum("k,klmij->lmij", q, self.N3)
        if self.N4 is not None:
            second = second + 0.5 * np.einsum("n,o,nolmij->lmij", q, q, self.N4, optimize=True)
        return second

    def psi_bias(self, q: Array, q_dot: Array) -> Array:
        bias = np.zeros(self.n_modes)
        if self.N3 is not None:
            bias = bias + np.einsum("l,m,klmii->k", q_dot, q_dot, self.N3)
        if self.N4 is not None:
            bias = bias + np.einsum("l,m,n,knlmii->k", q_dot, q_dot, q, self.N4, optimize=True)
        return bias


def axial(B: Array) -> Array:
    """(..., 3) of (..., 3, 3): a x b when B = a b^T"""
    return np.stack(
        [B[..., 1, 2] - B[..., 2, 1], B[..., 2, 0] - B[..., 0, 2], B[..., 0, 1] - B[..., 1, 0]],
        axis=-1,
    )


def skew(a: Array) -> Array:
    """(3, 3) ~a: ~a b = a x b"""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def _inertia(P: Array) -> Array:
    return np.trace(P) * np.eye(3) - P
