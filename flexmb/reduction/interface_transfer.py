"""Transfer between the interfaces of a free body over a band of frequencies, with a bound of its error.

The elastic part of H(f) = E (K - s M)^-1 E^T, motions of all interfaces (6 each) per unit wrench on them, without the
rigid motions, which every reduced body has exactly. Damping enters by a complex s (`damping.harmonic`). Motions and
wrenches are scaled, H_ij / sqrt(C_ii C_jj) with the static compliance C, so that forces and moments, soft and stiff
directions count alike.
H is computed in a large basis: all free modes up to REACH times the band and Krylov blocks of the factor at hand,
K^-1 E^T, K^-1 M K^-1 E^T, ... [1]. The basis holds every mode up to the frequency F, so that its residual
r = E^T - (K - s M) U y moves only modes above F, and the error of H, r^T (K - s M)^-1 r, is at most
    |r^T K^-1 r| / min |1 - s / x|,  x >= (2 pi F)^2,
which is a small matrix at any frequency once K^-1 M U is known. No factorisation of K - s M is needed.
[1] R. W. Freund, Acta Numerica 12 (2003) 267-319; symmetric H: the error is quadratic in the residual.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from flexmb.arrays import Floats
from flexmb.errors import ComputationError
from flexmb.reduction.damping import Damping, harmonic
from flexmb.reduction.eigenmodes import lowest_modes, orthonormal
from flexmb.reduction.free_body import FreeBody

Progress = Callable[[str, float], None] | None

REACH = 1.5
"""Free modes are known up to this part of the band: the bound is at most 1.8 times the residual."""
_DEPENDENT = 1e-7
"""Share of its length that a vector of a block must keep beside the basis: less adds 1e-14 to H."""
_SAME = 1e-6
"""Relative distance of frequencies that count as equal"""


class InterfaceTransfer:
    """Transfer of the full model in a basis that `extend` enlarges; k interface components, n vectors."""

    def __init__(self, body: FreeBody, top: float, damping: Damping, progress: Progress = None):
        """top : end of the band [Hz]"""
        self.body, self.damping = body, damping
        self.limit = REACH * top
        """[Hz] all free modes up to it are known"""
        found = lowest_modes(
            body.model.mass_times, body.solve, body.n, below=self.limit, known=body.R, progress=progress
        )
        self.frequencies, self.modes = found.frequencies, found.vectors
        self.compliance = body.interface_motion(body.attachment_modes)
        self.scale = 1.0 / np.sqrt(np.diag(self.compliance))
        """(k,) of the motions and wrenches"""
        self._mode_squares = found.omega_squared
        self._mode_masses = body.model.mass_times(self.modes)
        self._blocks = self._block_masses = np.zeros((body.n, 0))
        self._flexibility = self._stiffness = np.zeros((0, 0))
        self._next = body.attachment_modes
        self._turn = np.zeros((0, 0))
        self._describe(np.zeros(0))

    @property
    def is_complete(self) -> bool:
        """Whether the basis holds everything that the interfaces can excite."""
        return not self._next.shape[1]

    def extend(self) -> None:
        """Add the next Krylov block."""
        X = self._next / np.maximum(np.linalg.norm(self._next, axis=0), 1e-300)
        # A vector that loses half of its length when the basis is removed again was round-off.
        for shortest, floor in ((_DEPENDENT, 0.0), (0.5, 0.5)):
            for basis, masses in ((self.modes, self._mode_masses), (self._blocks, self._block_masses)):
                X = X - basis @ (masses.T @ X)
            X = self.body.without_rigid(X)
            X, MX, _ = orthonormal(X, self.body.model.mass_times(X), shortest, floor)
        self._next = X
        if not X.shape[1]:
            return
        self._next = self.body.solve(MX)
        self._blocks, self._block_masses = np.hstack([self._blocks, X]), np.hstack([self._block_masses, MX])
        self._flexibility = _bordered(self._flexibility, self._block_masses.T @ self._next)
        self._stiffness = _bordered(self._stiffness, self._blocks.T @ np.asarray(self.body.model.K @ X))
        squares, self._turn = np.linalg.eigh(self._stiffness)
        if squares[0] < (1.0 - _SAME) * (2.0 * np.pi * self.limit) ** 2:
            raise ComputationError(
                f"loads on the interfaces excite a mode at {np.sqrt(max(squares[0], 0.0)) / (2.0 * np.pi):.5g} Hz or "
                "below that the search for modes did not find. Use --modes instead of a band, and report this mesh."
            )
        self._describe(squares)

    def _describe(self, block_squares: Floats) -> None:
        """The basis in coordinates that are orthogonal with respect to mass and stiffness, modes first."""
        body, scale = self.body, self.scale[:, None]
        self.omega_squared = np.concatenate([self._mode_squares, block_squares])
        """(n,) [rad^2/s^2]"""
        self.motion = scale * np.hstack(
            [body.interface_motion(self.modes), body.interface_motion(self._blocks) @ self._turn]
        )
        """(k, n) scaled motions of the interfaces"""
        relieved = body.attachment_modes.T
        A = scale * np.hstack([relieved @ self._mode_masses, relieved @ self._block_masses @ self._turn])
        n, m = len(self.omega_squared), len(self._mode_squares)
        Z = np.diag(np.concatenate([1.0 / self._mode_squares, np.zeros(n - m)]))
        Z[m:, m:] = self._turn.T @ self._flexibility @ self._turn
        C = self.scale[:, None] * 0.5 * (self.compliance + self.compliance.T) * self.scale
        one = np.eye(n)
        self._products = np.block(
            [[C, self.motion, A], [self.motion.T, np.diag(self.omega_squared), one], [A.T, one, Z]]
        )
        """Products V^T K V of V = [K^-1 E^T, U, K^-1 M U]"""

    def vectors(self, coordinates: Floats) -> Floats:
        """(3 b, m) displacements of coordinates (n, m) of the basis"""
        count = len(self.frequencies)
        return self.modes @ coordinates[:count] + self._blocks @ (self._turn @ coordinates[count:])

    def response(self, hertz: Floats) -> Floats:
        """(f, k, k) complex, scaled transfer of this basis"""
        return transfer(self.omega_squared, self.motion, hertz, self.damping)

    def bound(self, hertz: Floats) -> Floats:
        """(f,) bound of the spectral norm of the error of `response`"""
        factors, shifts = harmonic(self.damping, 2.0 * np.pi * hertz)
        k = len(self.motion)
        bounds = np.empty(len(hertz))
        for number, (factor, s) in enumerate(zip(factors, shifts, strict=True)):
            y = self.motion.T / (self.omega_squared - s)[:, None]
            c = np.vstack([np.eye(k), -y, s * y])
            energy = c.conj().T @ self._products @ c
            bounds[number] = (
                abs(factor) * np.linalg.norm(energy, 2) / _least_distance(s, (2.0 * np.pi * self.limit) ** 2)
            )
        return bounds


def transfer(omega_squared: Floats, motion: Floats, hertz: Floats, damping: Damping) -> Floats:
    """(f, k, k) complex transfer of modes with unit mass; motion : (k, n) of the interfaces per mode"""
    factors, shifts = harmonic(damping, 2.0 * np.pi * hertz)
    amplitudes = factors[:, None] / (omega_squared - shifts[:, None])
    return np.asarray((motion * amplitudes[:, None, :]) @ motion.T)


def _bordered(matrix: Floats, columns: Floats) -> Floats:
    """The symmetric matrix with further columns, and rows equal to them"""
    old = len(matrix)
    larger = np.empty((len(columns), len(columns)))
    larger[:old, :old], larger[:, old:], larger[old:, :old] = matrix, columns, columns[:old].T
    larger[old:, old:] = 0.5 * (columns[old:] + columns[old:].T)
    return larger


def _least_distance(s: complex, least: float) -> float:
    """Smallest |1 - s / x| of all x >= least"""
    size = abs(s) ** 2
    if s.real > 0.0 and s.real * least >= size:
        return abs(1.0 - s / least)
    return abs(s.imag) / abs(s) if s.real > 0.0 else 1.0
