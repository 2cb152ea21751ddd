"""Static equilibrium: positions at which loads, springs, gravity and flexible bodies are in balance without motion.

In: a system and a workspace whose loops are closed. Out: q, lam with v = a = 0 and

    r(q) + G^T lam = 0,   Phi(q, t) = 0,

r the residual of the equations of motion at rest. Motions hold their coordinates at their values at the time of the
workspace; loads are evaluated at that time; dampers and friction have no effect at rest.

Newton's method on the null space N of G: y = -(N^T K N)^-1 N^T r with K = d(r + G^T lam)/dq. Away from the solution the
absolute eigenvalues of N^T K N are used and every eigenvector descends by itself, within limits that adapt, so that
maxima and saddles are left: a pendulum finds its lower position. A step is shortened until energy decreases along it
and the force at its end does not point back strongly (Nocedal & Wright, Numerical Optimization, sec. 3.1, 3.4; the
energy is that of gravity, springs and deformation, with the work of other loads by the trapezoidal rule). Follower
loads have no energy: then plain Newton steps are taken. Motions with neither force nor stiffness (the spin of a rod
between two balls) stay at their start and are reported.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Flags, Floats
from flexmb.bodies.exact_beam import ExactBeam
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.errors import ComputationError
from flexmb.layout import flat_arrays as L
from flexmb.solvers.assembly import gaps
from flexmb.solvers.field_limits import FieldLimits
from flexmb.solvers.residual_at_rest import Point, ResidualAtRest, is_symmetric, newton_step, softest_motion
from flexmb.system.system import System

RADIUS = 0.5  # rad, fractions of the length scale: longest step; doubled for lengths as long as it is reached
PUSH = 0.05  # the same: step off an unstable position
FAR = 1e6  # the same: a distance beyond which nothing holds the mechanism
MAX_ITERATIONS, MAX_HALVINGS = 300, 14
CLOSE, EXACT = 1e-7, 1e-15  # Newton steps: converged when they stop getting shorter, converged
NEAR = 1e-3  # the same: the balance is close
NEUTRAL = 1e-9  # stiffness as a fraction of the loads that counts as zero: thirty times the noise of the differences
DESCENT = 1e-4  # of the work that the force at the start of a step would do: the least that is done (Armijo)
FOLDED = 0.999  # slope of the centre line of an exact beam that no step passes: its field ends at 1
POINTS = 41  # points of the centre line at which its slope is checked


@dataclass(frozen=True)
class Equilibrium:
    """Accuracy and stability of an equilibrium."""

    iterations: int
    """Number of Newton steps."""
    residual: float
    """Largest unbalanced generalised force as a fraction of the largest load."""
    constraint_error: float
    """Largest |PHI| [m, rad]."""
    n_free: int
    """Degrees of freedom that the balance determines."""
    lowest: float
    """Smallest eigenvalue of N^T K N against N^T M N [1/s^2]: square of the lowest natural frequency; inf: none.
    Those of `neutral` motions, which are zero, do not count."""
    softest: tuple[str, ...]
    """Coordinates that move most in that mode."""
    is_stable: bool
    has_potential: bool
    """Whether the stiffness is symmetric; that of follower loads is not."""
    neutral: tuple[str, ...] = ()
    """Coordinates that move most in motions without resistance: the balance does not determine them."""


def equilibrium(system: System, W: Floats) -> Equilibrium:
    """Bring the state in W, whose loops are closed, to a stable equilibrium nearby; sets lam, and v = a = 0.

    Where the descent leads beyond the deformation field of a beam, the balance is first found with the bodies bent as
    at the start. Raises ComputationError when there is none, or when nothing resists a motion of the mechanism.
    """
    search = _Search(system, W)
    start = search.m.q.copy()
    try:
        return search.find()
    except _BeyondField:
        try:
            search.m.q[:] = start
            _Search(system, W, held=system.elastic).find()
            return _Search(system, W).find()
        except ComputationError:
            pass
        raise


class _BeyondField(ComputationError):
    """The search ended at the limit of the deformation field of a body."""


class _Search(ResidualAtRest):
    def __init__(self, system: System, W: Floats, held: Flags | None = None):
        super().__init__(system, W, held)
        self.is_length = np.array([kind == "length" for kind in system.coordinate_kinds], dtype=bool)
        self.limits = np.full(self.m.n_v, RADIUS)
        self.way, self.iterations = 0.0, 0
        self.fields = FieldLimits(system)
        exact = [body for body in self.fields.bodies if isinstance(body.field, ExactBeam)]
        self.slopes = [(self.fields.places[body.name], slopes_of(body)) for body in exact]
        self.unstable: Floats | None = None
        """Coordinates of the first unstable equilibrium found"""

    def find(self) -> Equilibrium:
        """Descend until nothing moves."""
        here, last = self.look(), np.inf
        while True:
            try:
                K = self.stiffness(here)
            except ComputationError:
                self.refuse_fields(here)
                raise
            gradient = here.ways.T @ here.force
            none = self.no_stiffness(here, K)
            newton = newton_step(K, gradient, none)
            size = float(np.max(np.abs(here.ways @ newton), initial=0.0)) if newton is not None else np.inf
            values, vectors = self.stiffnesses(K, size)
            is_valley = newton is not None and not np.any(values < -none)
            settled = size <= CLOSE and (size > 0.5 * last or size <= EXACT)
            if settled and is_valley:
                return self.outcome(here, K, values, vectors)
            if settled and self.unstable is None:
                self.unstable = here.q.copy()
            last = size if is_valley else np.inf
            step = newton if is_valley else self.descent(here, gradient, values, vectors, none)
            assert step is not None
            there = self.go(here, self.limited(here, step)) if self.iterations < MAX_ITERATIONS else None
            self.iterations += 1
            if there is None or self.way > FAR:
                return self.give_up(here, values, none)
            here = there

    def stiffnesses(self, K: Floats, size: float) -> tuple[Floats, Floats]:
        """Eigenvalues of the stiffness, lowest first, and their vectors.

        Follower loads have no energy to descend: then singular values are used, for plain Newton steps. Away from the
        balance (`size` of its step) the stiffness of rotated bodies is not symmetric either.
        """
        if not is_symmetric(K) and (size < NEAR or not self.m.I[L.N_SPHERES]):
            _, sigma, right = np.linalg.svd(K)
            return sigma[::-1], right[::-1].T
        values, vectors = np.linalg.eigh(0.5 * (K + K.T))
        return values, vectors

    def no_stiffness(self, here: Point, K: Floats) -> float:
        """Eigenvalue below which there is no stiffness [J]."""
        return NEUTRAL * here.load + 1e-15 * len(K) * float(np.linalg.norm(K, 2)) if len(K) else 0.0

    def descent(self, here: Point, gradient: Floats, values: Floats, vectors: Floats, none: float) -> Floats:
        """Step down in energy: every eigenvector by itself, within the limits."""
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

    def limited(self, here: Point, step: Floats) -> Floats:
        """The step, shortened to the limits of the coordinates; limits of lengths grow when they are reached."""
        excess = float(np.max(np.abs(here.ways @ step) / self.limits, initial=0.0))
        if excess < 0.9:
            return step
        self.limits[self.is_length] *= 2.0
        return step / max(excess, 1.0)

    def go(self, here: Point, step: Floats) -> Point | None:
        """Position after the step, or after a part of it that descends without overshooting; None: no such part."""
        m, way = self.m, here.ways @ step
        slope, size = float(here.force @ way), float(np.max(np.abs(way), initial=0.0))
        part = 1.0
        for _ in range(MAX_HALVINGS):
            there = self.after(here, part * way)
            back = float(there.force @ way) if there is not None else np.inf
            if there is not None:
                serves = back <= max(0.5 * abs(slope), NEUTRAL * here.load * size) or size <= CLOSE
                if serves and (part * size < NEAR or slope > 0.0 or self.goes_down(here, there, part * way)):
                    m.q[:], m.lam[:] = there.q, there.lam
                    m.run(L.AT_ACCEPT)
                    self.way += part * size
                    if self.basis is None or not self.basis.has_moved():
                        return there
                    self.choose_rows()
                    return self.look()
            self.limits[self.is_length] = np.maximum(0.5 * self.limits[self.is_length], RADIUS)
            part *= min(max(abs(slope) / (abs(slope) + max(back, 0.0)), 0.2), 0.6) if np.isfinite(back) else 0.2
        m.q[:] = here.q
        return None

    def goes_down(self, here: Point, there: Point, way: Floats) -> bool:
        """Whether energy decreases along a way, including the work of loads without potential (trapezoidal rule)."""
        work = 0.5 * (self.other_loads(here, way) + self.other_loads(there, way))
        noise = NEUTRAL * here.load + 1e-12 * abs(here.energy)
        return there.energy - here.energy + work <= DESCENT * float(here.force @ way) + noise

    def after(self, here: Point, way: Floats) -> Point | None:
        """The closed position after a way from here; None when there is none within the fields of the beams."""
        m = self.m
        m.q[:] = here.q
        m.move(m.scale * way)
        bearable = all(np.hypot(*(slopes @ m.W[place])).max() < FOLDED for place, slopes in self.slopes)
        if not bearable or not self.close():
            return None
        try:
            return self.look()
        except ComputationError:
            return None

    def outcome(self, here: Point, K: Floats, values: Floats, vectors: Floats) -> Equilibrium:
        """The equilibrium, which is also in W; raises ComputationError when nothing holds the mechanism."""
        m = self.m
        free = np.flatnonzero(np.abs(values) <= self.no_stiffness(here, K))
        neutral = self.names(np.max(np.abs(here.ways @ vectors[:, free]), axis=1)) if free.size else ()
        if free.size and free.size == len(values):
            raise ComputationError(
                f"The equilibrium is not determined: nothing resists the motion of {', '.join(neutral)}. "
                "Hold it by a spring, gravity or a motion, or remove this degree of freedom."
            )
        there = self.look()
        softest: tuple[str, ...] = ()
        lowest, is_stable, has_potential = np.inf, True, True
        if len(values):
            M = self.mass(there.ways)
            change = here.ways.T @ there.ways
            lowest, mode, is_stable, has_potential = softest_motion(change.T @ K @ change, M, free.size)
            softest = self.names(there.ways @ mode)
        largest = float(np.max(np.abs(there.ways.T @ there.force), initial=0.0))
        return Equilibrium(
            iterations=self.iterations,
            residual=largest / there.load if there.load > 0.0 else 0.0,
            constraint_error=m.constraint_error,
            n_free=len(values),
            lowest=lowest,
            softest=softest,
            is_stable=is_stable,
            has_potential=has_potential,
            neutral=neutral,
        )

    def give_up(self, here: Point, values: Floats, none: float) -> Equilibrium:
        """The unstable equilibrium when there is one; else raise ComputationError with the reason."""
        m = self.m
        self.refuse_fields(here)
        if self.unstable is not None:
            m.q[:] = self.unstable
            point = self.look()
            K = self.stiffness(point)
            return self.outcome(point, K, *self.stiffnesses(K, 0.0))
        moved = ", ".join(self.names(here.ways @ (here.ways.T @ here.force)))
        if self.way > FAR or np.all(np.abs(values) <= none):
            raise ComputationError(
                f"There is no equilibrium: nothing resists the loads that move {moved}. "
                "Add a spring, a stop or a motion, or remove the load."
            )
        m.jacobian()
        open_rows = "" if self.close() else f" ({gaps(m, m.phi_all[: m.n_all_pos_rows])})"
        raise ComputationError(
            f"No equilibrium was found in {self.iterations} steps; still moving: {moved}{open_rows}. "
            "Start nearer to it, or reduce the loads."
        )

    def refuse_fields(self, here: Point) -> None:
        """Raise when the search ended at the limit of the deformation field of a body."""
        self.m.q[:] = here.q
        beyond = self.fields.fault_of(self.m)
        if beyond:
            left = "" if self.unstable is None else " (one nearer to the start is unstable)"
            raise _BeyondField(
                f"No equilibrium was found within the range of the flexible bodies{left}: on the way {beyond}"
            )


def slopes_of(body: FlexibleBody) -> Floats:
    """(2, points, n_modes) slopes v', w' of a beam's centre line for unit elastic coordinates."""
    x = np.linspace(0.0, body.length, POINTS)
    slopes = np.zeros((2, POINTS, body.n_modes))
    for column, shape in enumerate(body.basis.shapes if body.basis is not None else ()):
        if shape.component in "yz":
            slopes["yz".index(shape.component), :, column] = shape.values(x)[:, 1]
    return slopes
