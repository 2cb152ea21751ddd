"""Modes of a linearised mechanism: complex eigenvalues of A, and participation of the bodies in each mode.

In: a `Linearisation`. Out: one `Mode` for every real eigenvalue and for every pair of complex ones, slowest first:

    A x = s x,   frequency |Im s|/(2 pi) [Hz],   damping ratio -Re s/|s|.

An eigenvalue is zero, a free motion, when it is no larger than its error. With the left eigenvector z an error E of A
moves s by |z^H E x|/|z^H x| (Golub & Van Loan, Matrix Computations, 7.2.2), entry by entry |z|^T |E| |x|/|z^H x| at
most. E has the error of every entry of A, known from its differences, and its round-off; the eigenvalue solver adds the
residual, |z^H (A x - s x)|/|z^H x|. So a slow pendulum beside stiff parts has a frequency; a body that nothing holds, a
double root, has none.

The participation of a body is its share of the kinetic energy of the mode, T(Re) + T(Im). The share of deformation is
the energy of all bodies by their elastic rates alone, frames at rest, over the sum of that and the energy by the motion
of their frames alone; it depends on the position of the frames, not on the coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eig
from scipy.linalg.lapack import dgebal

from flexmb.arrays import Complexes, Floats
from flexmb.layout import flat_arrays as L
from flexmb.machine_code.jit import call
from flexmb.solvers.linearise import Linearisation
from flexmb.solvers.mechanics import Mechanics
from flexmb.system.system import System

GROWING = 1e-6  # damping ratio below minus this: the motion grows
SURE = 10.0  # times its estimated error: an eigenvalue above this is not zero
SLOW = 1e-6  # of the largest eigenvalue: one above this is not zero, for the estimate adds up all errors by their size
ROUNDING = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Mode:
    """A mode of a mechanism."""

    eigenvalue: complex
    """s [1/s]; of a pair the one with Im s > 0."""
    shape: Complexes
    """(n_v,) increments of all coordinates, the largest (lengths by the length scale) of size 1 and real."""
    bodies: dict[str, float]
    """Share of every body in the kinetic energy."""
    elastic: float
    """Share of deformation in the kinetic energy, 0 to 1."""
    coordinate: str
    """Coordinate that moves most."""
    is_free: bool
    """Whether nothing resists the motion: the eigenvalue is zero within its error."""
    error: float = 0.0
    """Estimated error of the eigenvalue [1/s]."""

    @property
    def frequency(self) -> float:
        """Frequency of the damped oscillation [Hz]."""
        return abs(self.eigenvalue.imag) / (2.0 * np.pi)

    @property
    def damping_ratio(self) -> float:
        """-Re s/|s|; 0 for a free motion."""
        size = abs(self.eigenvalue)
        return -self.eigenvalue.real / size if size > 0.0 else 0.0

    @property
    def grows(self) -> bool:
        """Whether the motion grows with time."""
        return self.eigenvalue.real > max(GROWING * abs(self.eigenvalue), self.error)


def modes(system: System, linear: Linearisation) -> list[Mode]:
    """Modes of the mechanism with its motions held to their laws, by |s|."""
    n_y = linear.n_y
    if not n_y:
        return []
    sizes = system.scales[[*linear.free_q, *linear.free_v]]
    scaling = sizes / sizes[:, None]
    values, vectors, errors = eigenvalues(linear.A_free * scaling, linear.noise * scaling)
    vectors = vectors * sizes[:, None]
    found, largest = [], int(np.argmax(np.abs(values)))
    slow = SLOW * abs(values[largest]) if abs(values[largest]) > SURE * errors[largest] else np.inf
    for k in np.argsort(np.abs(values), kind="stable"):
        value, error = complex(values[k]), float(errors[k])
        is_free = abs(value) <= min(SURE * error, slow)
        if value.imag < 0.0 and not is_free:
            continue
        found.append(_mode(system, linear, 0.0j if is_free else value, vectors[:, k], is_free, error))
    return found


def eigenvalues(A: Floats, noise: Floats) -> tuple[Complexes, Complexes, Floats]:
    """Eigenvalues (n,), eigenvectors as columns (n, n), and the estimated error of every eigenvalue (n,).

    A : (n, n) [1/s]; noise : (n, n) errors of its entries
    """
    balanced, _, _, scale, _ = dgebal(A, scale=1, permute=0)
    values, left, right = eig(balanced, left=True, right=True)
    residual = balanced @ right - right * values
    noise = noise * scale / scale[:, None] + len(A) * ROUNDING * np.abs(balanced)
    error = np.abs(np.einsum("ik,ik->k", left.conj(), residual))
    error += np.einsum("ik,ij,jk->k", np.abs(left), noise, np.abs(right), optimize=True)
    overlap = np.abs(np.einsum("ik,ik->k", left.conj(), right))
    sizes = np.linalg.norm(left, axis=0) * np.linalg.norm(right, axis=0)
    vectors = right * scale[:, None]
    return values, vectors / np.linalg.norm(vectors, axis=0), error / np.maximum(overlap, ROUNDING * sizes)


def _mode(
    system: System, linear: Linearisation, value: complex, vector: Complexes, is_free: bool, error: float
) -> Mode:
    shape = linear.shape_q @ vector[: linear.n_y]
    speeds = linear.shape_v @ vector[linear.n_y :]
    amount = np.abs(shape) / system.scales
    largest = int(np.argmax(amount))
    if amount[largest] > 0.0:
        shape = shape * (system.scales[largest] / shape[largest])
    if is_free or not np.any(np.abs(speeds) > 1e-6 * np.abs(shape)):
        speeds = shape
    energies = _energies(system, linear.work, speeds)
    total, soft, stiff = np.sum(list(energies.values()), axis=0)
    return Mode(
        value,
        shape,
        {name: float(energy[0] / total) if total > 0.0 else 0.0 for name, energy in energies.items()},
        float(soft / (soft + stiff)) if soft + stiff > 0.0 else 0.0,
        system.coordinates[largest],
        is_free,
        error,
    )


def _energies(system: System, work: Floats, speeds: Complexes) -> dict[str, Floats]:
    """Kinetic energy of every body: total, of its deformation alone, of its frame alone; real plus imaginary part.

    Velocities prescribed by the base or a motion are left out: the results for v and -v are subtracted.
    """
    m = Mechanics(system, work.copy())
    energies: dict[str, Floats] = {}
    for v in (speeds.real, speeds.imag):
        there, back = (_frame_velocities(m, sign * v) for sign in (1.0, -1.0))
        for flat, branch in enumerate(system.topology.branches, start=1):
            name = system.mechanism.bodies[branch.body].name
            e = int(m.I[L.BODIES]) + flat * L.BODY
            first, n = int(m.I[e + L.B_V] + m.I[e + L.B_NJ]), int(m.I[e + L.B_NF])
            frame, elastic = 0.5 * (there[flat] - back[flat]), v[first : first + n]
            M, y = _body_mass(m, e), np.concatenate([frame, elastic])
            parts = y @ M @ y, elastic @ M[6:, 6:] @ elastic, frame @ M[:6, :6] @ frame
            energies[name] = energies.get(name, np.zeros(3)) + 0.5 * np.array(parts)
    return energies


def _frame_velocities(mechanics: Mechanics, v: Floats) -> dict[int, Floats]:
    """Velocity and angular velocity of the frame of every body, body axes."""
    m = mechanics
    m.v[:] = v
    m.run(L.AT_WRENCHES)
    found = {}
    for flat in range(1, int(m.I[L.N_BODIES]) + 1):
        block = int(m.I[int(m.I[L.BODIES]) + flat * L.BODY + L.B_W])
        found[flat] = np.concatenate([m.W[block + L.W_VEL :][:3], m.W[block + L.W_OMEGA :][:3]])
    return found


def _body_mass(mechanics: Mechanics, e: int) -> Floats:
    """(6 + n, 6 + n) mass matrix of body record e for velocity and angular velocity of its frame and elastic rates."""
    I, F, W = mechanics.I, mechanics.system.floats, mechanics.W
    if I[e + L.B_FIELD] > 0:
        call(int(I[L.AT_FIELD_ENERGY]), I, F, W, e)
        size, o = 6 + int(I[e + L.B_NF]), int(I[e + L.B_COMPOSITE])
        return W[o : o + size * size].reshape(size, size).copy()
    f = int(I[e + L.B_INERTIA])
    x, y, z = F[f + L.F_S : f + L.F_S + 3]
    S = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.block([[F[f] * np.eye(3), -S], [S, F[f + L.F_J : f + L.F_J + 9].reshape(3, 3)]])
