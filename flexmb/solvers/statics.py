"""Static equilibrium: positions at which loads, springs, gravity and flexible bodies are in balance without motion.

Enters: a system and a workspace whose loops are closed. Leaves: q, lam with v = a = 0 and

    r(q) + G^T lam = 0,   Phi(q, t) = 0,

r the residual of the equations of motion at rest. Motions hold their coordinates where they are at the time of the
workspace; loads are taken at that time; dampers and friction do nothing at rest.

Newton's method on the null space N of G: y = -(N^T K N)^-1 N^T r with K = d(r + G^T lam)/dq by central differences at
constant lam, which holds the curvature of the constraints. Away from the solution the eigenvalues of N^T K N are taken
by their size, so that every step goes down in energy and leaves maxima and saddles: a pendulum finds its lower
position. The step is limited and shortened until the force along it does not point back strongly (Nocedal & Wright,
Numerical Optimization, sec. 3.4). Where loads follow the bodies there is no energy, and Newton's method goes alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from flexmb.equations import layout as at
from flexmb.errors import ComputationError
from flexmb.solvers.field_limits import FieldLimits
from flexmb.solvers.initial import RANK, close_loops, gaps, positive_mass
from flexmb.solvers.mechanics import Floats, Mechanics
from flexmb.system.system import System

DIFFERENCE = 3e-6  # of the magnitude of a coordinate, for central differences: cube root of round-off
RADIUS = 0.5  # rad, parts of the length scale: longest step; doubled for lengths as long as it serves
PUSH = 0.05  # the same: step off an unstable position
FAR = 1e6  # the same: a way beyond which nothing holds the mechanism
MAX_ITERATIONS, MAX_HALVINGS = 300, 14
CLOSE, EXACT = 1e-7, 1e-15  # Newton steps: converged when they stop getting shorter, converged
NEAR = 1e-3  # the same: the balance is close
NEUTRAL = 1e-9  # stiffness as a part of the loads that counts as none: some thirty times the noise of the differences
UNSYMMETRIC = 1e-6  # of the stiffness: the loads have no potential


@dataclass(frozen=True)
class Equilibrium:
    """How well a state is in balance, and whether it stays there."""

    iterations: int
    """Newton steps."""
    residual: float
    """Largest unbalanced generalised force as a part of the largest load."""
    constraint_error: float
    """Largest |PHI| [m, rad]."""
    n_free: int
    """Degrees of freedom that the balance decides."""
    lowest: float
    """Smallest eigenvalue of N^T K N against N^T M N [1/s^2]: square of the lowest natural frequency; inf: none."""
    softest: tuple[str, ...]
    """Coordinates that move most in that mode."""
    is_stable: bool
    has_potential: bool
    """Whether the stiffness is symmetric; follower loads have none."""


def equilibrium(system: System, W: Floats) -> Equilibrium:
    """Bring the state in W, whose loops are closed, to a stable equilibrium near by; sets lam, and v = a = 0.

    Raises ComputationError when there is none, or when a coordinate is free to move without resistance.
    """
    return _Search(system, W).find()


@dataclass(frozen=True)
class _Point:
    """A closed position; all in coordinates divided by their magnitude."""

    q: Floats
    lam: Floats
    ways: Floats
    """(n_v, n_free) null space of G"""
    force: Floats
    """(n_v,) r + G^T lam [J]"""
    load: float
    """Largest load [J]"""


class _Search:
    def __init__(self, system: System, W: Floats):
        self.system = system
        m = self.m = Mechanics(system, W)
        m.v[:], m.a[:] = 0.0, 0.0
        self.is_length = np.array([kind == "length" for kind in system.coordinate_kinds], dtype=bool)
        self.limits = np.full(m.n_v, RADIUS)
        self.way, self.iterations = 0.0, 0
        self.unstable: Floats | None = None
        """Coordinates of the first unstable equilibrium that was met"""

    def find(self) -> Equilibrium:
        """Go down until nothing moves."""
        here, last = self.look(), np.inf
        while True:
            K = self.stiffness(here)
            gradient = here.ways.T @ here.force
            newton = _newton(K, gradient)
            size = float(np.max(np.abs(here.ways @ newton), initial=0.0)) if newton is not None else np.inf
            values, vectors = self.stiffnesses(K, size)
            none = self.no_stiffness(here, values)
            is_stable = bool(np.all(values > none)) and newton is not None
            settled = size <= CLOSE and (size > 0.5 * last or size <= EXACT)
            if settled and (is_stable or not np.any(values < -none)):
                return self.outcome(here, K, values, vectors)
            if settled and self.unstable is None:
                self.unstable = here.q.copy()
            last = size if is_stable else np.inf
            descent = newton if is_stable else None
            if descent is None:
                descent = self.descent(here, gradient, values, vectors, none)
            there = self.go(here, self.limited(here, descent)) if self.iterations < MAX_ITERATIONS else None
            self.iterations += 1
            if there is None or self.way > FAR:
                return self.give_up(here, values, vectors, none)
            here = there

    def look(self) -> _Point:
        """Forces, multipliers and directions at the position in W."""
        m = self.m
        m.lam[:] = 0.0
        load = self._load()
        m.run(at.AT_RESIDUAL)
        force = m.scale * m.res
        load = max(load, float(np.max(np.abs(force), initial=0.0)))
        ways = np.eye(m.n_v)
        if m.n_rows:
            m.jacobian()
            G = m.G * m.scale
            left, sigma, right = np.linalg.svd(G)
            rank = int(np.sum(sigma > RANK * max(float(sigma[0]), 1e-300)))
            ways = right[rank:].T
            m.lam[:] = -left[:, :rank] @ ((right[:rank] @ force) / sigma[:rank])
            force = force + G.T @ m.lam
        if not np.all(np.isfinite(force)):
            raise ComputationError("The forces at rest are not finite.")
        return _Point(m.q.copy(), m.lam.copy(), ways, force, load)

    def _load(self) -> float:
        """Largest load on a body, its weight included, or on a coordinate [J]."""
        m, I = self.m, self.m.I
        m.run(at.AT_WRENCHES)
        largest = 0.0
        for b in range(1, int(I[at.N_BODIES]) + 1):
            wrench = int(I[int(I[at.BODIES]) + b * at.BODY + at.B_W]) + at.W_F
            force, moment = m.W[wrench : wrench + 3], m.W[wrench + 3 : wrench + 6]
            largest = max(largest, float(np.linalg.norm(force)) * self.system.length_scale)
            largest = max(largest, float(np.linalg.norm(moment)))
        effort = self.system.view(m.W, at.EFFORT, m.n_v)
        return max(largest, float(np.max(np.abs(effort) * m.scale, initial=0.0)))

    def stiffness(self, here: _Point) -> Floats:
        """(n_free, n_free) N^T K N [J] by central differences."""
        m = self.m
        columns = np.zeros((m.n_v, here.ways.shape[1]))
        m.lam[:] = here.lam
        for j, way in enumerate(here.ways.T):
            for sign in (1.0, -1.0):
                m.q[:] = here.q
                m.move(sign * DIFFERENCE * m.scale * way)
                m.run(at.AT_RESIDUAL)
                columns[:, j] += sign * m.scale * m.res / (2.0 * DIFFERENCE)
        m.q[:] = here.q
        K = here.ways.T @ columns
        if not np.all(np.isfinite(K)):
            raise ComputationError(f"The stiffness is not finite.{self._folded()}")
        return np.asarray(K)

    def stiffnesses(self, K: Floats, size: float) -> tuple[Floats, Floats]:
        """Eigenvalues of the stiffness, lowest first, and their vectors.

        Where loads follow the bodies no energy leads the way: singular values then, so that Newton's method goes on
        alone. Away from the balance (`size` of its step) the stiffness of turned bodies is not symmetric either.
        """
        if not _is_symmetric(K) and (size < NEAR or not self.m.I[at.N_SPHERES]):
            _, sigma, right = np.linalg.svd(K)
            return sigma[::-1], right[::-1].T
        values, vectors = np.linalg.eigh(0.5 * (K + K.T))
        return values, vectors

    def no_stiffness(self, here: _Point, values: Floats) -> float:
        """Eigenvalue below which there is no stiffness [J]."""
        largest = float(np.max(np.abs(values), initial=0.0))
        return NEUTRAL * here.load + 1e-15 * len(values) * largest

    def descent(self, here: _Point, gradient: Floats, values: Floats, vectors: Floats, none: float) -> Floats:
        """Step down in energy: every eigenvector by itself, at most as far as the limits allow."""
        along = vectors.T @ gradient
        farthest = 1.0 / np.max(np.abs(here.ways @ vectors) / self.limits[:, None], axis=0)
        sizes = np.minimum(np.abs(along) / np.maximum(np.abs(values), 1e-300), farthest)
        sizes[(np.abs(values) <= none) & (np.abs(along) <= none)] = 0.0
        if values[0] < -none:
            sizes[0] = max(sizes[0], min(PUSH, farthest[0]))
        first = np.sign(vectors[np.argmax(np.abs(vectors), axis=0), np.arange(len(values))])
        down = np.where(along != 0.0, -np.sign(along), first)  # at a maximum: a side that round-off does not choose
        if values[0] < -none and abs(along[0]) <= none:
            down[0] = first[0]
        return np.asarray(vectors @ (down * sizes))

    def limited(self, here: _Point, step: Floats) -> Floats:
        """The step, shortened to the limits of the coordinates; these grow for lengths when they are in the way."""
        excess = float(np.max(np.abs(here.ways @ step) / self.limits, initial=0.0))
        if excess < 0.9:
            return step
        self.limits[self.is_length] *= 2.0
        return step / max(excess, 1.0)

    def go(self, here: _Point, step: Floats) -> _Point | None:
        """Along the step, or a part of it, to where the force along it does not point back strongly; None: nowhere."""
        m, way = self.m, here.ways @ step
        slope, size = float(here.force @ way), float(np.max(np.abs(way), initial=0.0))
        part = 1.0
        for _ in range(MAX_HALVINGS):
            m.q[:] = here.q
            m.move(part * m.scale * way)
            back = np.inf
            if self.close():
                try:
                    there = self.look()
                    back = float(there.force @ way)
                except ComputationError:
                    pass
            if back <= max(0.5 * abs(slope), NEUTRAL * here.load * size) or (size <= CLOSE and np.isfinite(back)):
                m.run(at.AT_ACCEPT)
                self.way += part * size
                return there
            self.limits[self.is_length] = np.maximum(0.5 * self.limits[self.is_length], RADIUS)
            zero = abs(slope) / (abs(slope) + back) if np.isfinite(back) else 0.0
            part *= min(max(zero, 0.2), 0.6)
        m.q[:] = here.q
        return None

    def close(self) -> bool:
        """Close the loops, without bending the bodies if that can be done."""
        m, accepted = self.m, 1e-9 * self.m.row_scale
        q, elastic = m.q.copy(), self.system.elastic
        if close_loops(m, ~elastic, 25) <= accepted:
            return True
        if not elastic.any():
            return False
        m.q[:] = q
        return close_loops(m, np.ones(m.n_v, dtype=bool), 25) <= accepted

    def outcome(self, here: _Point, K: Floats, values: Floats, vectors: Floats) -> Equilibrium:
        """Refuse a mechanism that may move without resistance; else what was found, with W at the equilibrium."""
        m = self.m
        self.refuse_neutral(here, values, vectors, self.no_stiffness(here, values))
        there = self.look()
        softest: tuple[str, ...] = ()
        lowest, is_stable, has_potential = np.inf, True, True
        if len(values):
            m.equations()
            M, _ = positive_mass(m)
            M = there.ways.T @ (M * np.outer(m.scale, m.scale)) @ there.ways
            change = here.ways.T @ there.ways
            lowest, mode, is_stable, has_potential = _softest(change.T @ K @ change, M)
            softest = self.names(there.ways @ mode)
        largest = float(np.max(np.abs(there.ways.T @ there.force), initial=0.0))
        return Equilibrium(
            iterations=self.iterations,
            residual=largest / there.load if there.load > 0.0 else 0.0,
            constraint_error=float(np.max(np.abs(m.phi[: m.n_pos_rows]), initial=0.0)),
            n_free=len(values),
            lowest=lowest,
            softest=softest,
            is_stable=is_stable,
            has_potential=has_potential,
        )

    def refuse_neutral(self, here: _Point, values: Floats, vectors: Floats, none: float) -> None:
        """Raise when some motion meets no stiffness."""
        free = np.flatnonzero(np.abs(values) <= none)
        if free.size:
            share = np.max(np.abs(here.ways @ vectors[:, free]), axis=1)
            raise ComputationError(
                f"There is no equilibrium of its own: nothing resists the motion of {', '.join(self.names(share))}. "
                "Hold it by a spring, by gravity or by a motion, or remove this freedom."
            )

    def give_up(self, here: _Point, values: Floats, vectors: Floats, none: float) -> Equilibrium:
        """The unstable equilibrium when there is one, else the reason why there is none."""
        m = self.m
        if self.unstable is not None:
            m.q[:] = self.unstable
            point = self.look()
            K = self.stiffness(point)
            return self.outcome(point, K, *self.stiffnesses(K, 0.0))
        m.q[:] = here.q
        moved = self.names(here.ways @ (here.ways.T @ here.force))
        if self.way > FAR or np.all(np.abs(values) <= none):
            raise ComputationError(
                f"There is no equilibrium: the loads drive {', '.join(moved)} on and on, nothing holds it. "
                "Add a spring, a stop or a motion, or take the load away."
            )
        m.jacobian()
        open_rows = "" if self.close() else f" ({gaps(m, m.phi[: m.n_pos_rows])})"
        raise ComputationError(
            f"No equilibrium is found in {self.iterations} steps: {', '.join(moved)} does not settle{open_rows}. "
            f"Start nearer to it, or make the loads smaller.{self._folded()}"
        )

    def _folded(self) -> str:
        beyond = FieldLimits(self.system).fault_of(self.m)
        return f" There {beyond}" if beyond else ""

    def names(self, shares: Floats) -> tuple[str, ...]:
        """Coordinates with the largest shares, at most five."""
        sizes = np.abs(shares)
        order = [int(i) for i in np.argsort(-sizes, kind="stable") if sizes[i] > 0.3 * sizes.max(initial=0.0)]
        return tuple(f"'{name}'" for name in self.m.names(order[:5]))


def _newton(K: Floats, gradient: Floats) -> Floats | None:
    """Newton's step; None when the stiffness is singular and there is a force."""
    if not np.any(gradient):
        return np.zeros(len(gradient))
    try:
        return np.asarray(-np.linalg.solve(K, gradient))
    except np.linalg.LinAlgError:
        return None


def _is_symmetric(K: Floats) -> bool:
    return float(np.linalg.norm(K - K.T)) <= UNSYMMETRIC * float(np.linalg.norm(K))


def _softest(K: Floats, M: Floats) -> tuple[float, Floats, bool, bool]:
    """Smallest eigenvalue of K against M [1/s^2], its vector; whether motions stay small, whether K is symmetric."""
    L = np.linalg.cholesky(M)
    A = np.linalg.solve(L, np.linalg.solve(L, K).T).T
    values: NDArray[np.complex128]
    if _is_symmetric(A):
        real, vectors = np.linalg.eigh(0.5 * (A + A.T))
        return float(real[0]), np.linalg.solve(L.T, vectors[:, 0]), bool(real[0] > 0.0), True
    values, complex_vectors = np.linalg.eig(A)
    first = int(np.argmin(values.real))
    flutter = np.abs(values.imag) > UNSYMMETRIC * np.abs(values)
    is_stable = bool(values.real[first] > 0.0 and not flutter.any())
    return float(values.real[first]), np.linalg.solve(L.T, complex_vectors[:, first].real), is_stable, False
