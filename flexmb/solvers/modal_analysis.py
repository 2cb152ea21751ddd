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

from flexmb.arrays import Complexes, Flags, Floats
from flexmb.layout import flat_arrays as L
from flexmb.machine_code.jit import call
from flexmb.solvers.directional_differences import Differences
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
    largest = int(np.argmax(np.abs(values)))
    slow = SLOW * abs(values[largest]) if abs(values[largest]) > SURE * errors[largest] else np.inf
    is_free = np.abs(values) <= np.minimum(SURE * errors, slow)
    order = [k for k in np.argsort(np.abs(values), kind="stable") if values[k].imag >= 0.0 or is_free[k]]
    return _modes(
        system, linear, np.where(is_free, 0.0, values)[order], vectors[:, order], is_free[order], errors[order]
    )


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


def _modes(
    system: System, linear: Linearisation, values: Complexes, vectors: Complexes, is_free: Flags, errors: Floats
) -> list[Mode]:
    """Modes of eigenvalues (k,) with their eigenvectors (n_y + n_w, k)."""
    shapes = linear.shape_q @ vectors[: linear.n_y]
    speeds = linear.shape_v @ vectors[linear.n_y :]
    amounts = np.abs(shapes) / system.scales[:, None]
    largest, every = np.argmax(amounts, axis=0), np.arange(len(values))
    moves = amounts[largest, every] > 0.0
    shapes[:, moves] *= (system.scales[largest] / shapes[largest, every])[moves]
    still = is_free | ~np.any(np.abs(speeds) > 1e-6 * np.abs(shapes), axis=0)
    energies = _energies(system, linear.work, np.where(still, shapes, speeds))
    names = list(dict.fromkeys(system.mechanism.bodies[branch.body].name for branch in system.topology.branches))
    total, soft, stiff = np.sum(energies, axis=1)
    shares = np.divide(energies[0], total, out=np.zeros_like(energies[0]), where=total > 0.0)
    deformed = np.divide(soft, soft + stiff, out=np.zeros_like(soft), where=soft + stiff > 0.0)
    return [
        Mode(
            complex(values[k]),
            shapes[:, k].copy(),
            dict(zip(names, shares[:, k].tolist(), strict=True)),
            float(deformed[k]),
            system.coordinates[int(largest[k])],
            bool(is_free[k]),
            float(errors[k]),
        )
        for k in every
    ]


def _energies(system: System, work: Floats, speeds: Complexes) -> Floats:
    """(3, n_bodies, k) kinetic energy of the bodies with velocities (n_v, k), real plus imaginary part.

    Total, of the deformation alone, of the frame alone. Velocities prescribed by the base or a motion are left out:
    they are the same in both sides of a difference.
    """
    m, count = Mechanics(system, work.copy()), speeds.shape[1]
    v = np.hstack([speeds.real, speeds.imag])
    bodies = [int(m.I[L.BODIES]) + flat * L.BODY for flat in range(1, int(m.I[L.N_BODIES]) + 1)]
    blocks = [(int(m.I[e + L.B_W]) + slot, 3) for e in bodies for slot in (L.W_VEL, L.W_OMEGA)]
    frames = Differences(m).along(L.AT_KINEMATICS, blocks, np.ones(2 * count), dv=v, both=False)
    frames = frames.reshape(len(bodies), 6, 2 * count)
    m.run(L.AT_WRENCHES)
    masses = [_body_mass(m, e) for e in bodies]
    found = np.zeros((3, len(bodies), 2 * count))
    found[0] = found[2] = 0.5 * np.sum(frames * (np.array([M[:6, :6] for M in masses]) @ frames), axis=1)
    for k, (e, M) in enumerate(zip(bodies, masses, strict=True)):
        if len(M) > 6:
            first = int(m.I[e + L.B_V] + m.I[e + L.B_NJ])
            elastic = v[first : first + len(M) - 6]
            found[1, k] = 0.5 * np.sum(elastic * (M[6:, 6:] @ elastic), axis=0)
            found[0, k] += found[1, k] + np.sum(frames[k] * (M[:6, 6:] @ elastic), axis=0)
    names = [system.mechanism.bodies[branch.body].name for branch in system.topology.branches]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    summed = np.zeros((3, len(numbers), count))
    for k, name in enumerate(names):  # a body may have several frames
        summed[:, numbers[name]] += found[:, k, :count] + found[:, k, count:]
    return summed


def _body_mass(mechanics: Mechanics, e: int) -> Floats:
    """(6 + n, 6 + n) mass matrix of body record e for velocity and angular velocity of its frame and elastic rates."""
    I, F, W = mechanics.I, mechanics.system.floats, mechanics.W
    if I[e + L.B_FIELD] > 0:
        call(int(I[L.AT_FIELD_ENERGY]), I, F, W, e)
        size, o = 6 + int(I[e + L.B_NF]), int(I[e + L.B_COMPOSITE])
        return W[o : o + size * size].reshape(size, size).copy()
    f = int(I[e + L.B_INERTIA])
    x, y, z = F[f + L.F_S : f + L.F_S + 3]
    M = np.zeros((6, 6))
    M[0, 0] = M[1, 1] = M[2, 2] = F[f]
    M[3:, :3] = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]
    M[:3, 3:] = -M[3:, :3]
    M[3:, 3:] = F[f + L.F_J : f + L.F_J + 9].reshape(3, 3)
    return M
