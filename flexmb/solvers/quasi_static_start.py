"""Quasi-static start: flexible bodies are bent as the loads and the motion require, so that they do not ring.

The elastic coordinates e are those for which the equations of motion give no elastic accelerations,

    M a + G^T lam = -BIAS,   G a = -GAM,   a_e = 0,

with the loops closed and the velocities consistent for every trial e; Newton's method with a Jacobian by differences.
Their rates are the time derivative of this solution along the motion: it is solved again a short time later, twice, and
all is repeated, because the rates act back on the shape (Coriolis forces, damping). The inertia of e'' itself is left
out: a bending of the order (speed of the motion / natural frequency)^2 of e still rings.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Flags, Floats, Integers
from flexmb.errors import ComputationError
from flexmb.layout import flat_arrays as L
from flexmb.solvers.assembly import (
    assemble_velocities,
    close_loops,
    close_velocities,
    positive_mass,
    solve_accelerations,
)
from flexmb.solvers.mechanics import Mechanics, MotionState

DIFFERENCE = 1e-6  # of the magnitude of an elastic coordinate: it is perturbed by this for the Jacobian
SMALL, STALLED = 1e-13, 1e-8  # corrections as a fraction of that magnitude: converged, acceptable when it stalls
DIGITS = 1e-11  # corrections of e as a fraction of e: converged
DEPENDENT = 1e-8  # singular values below this fraction of the largest count as zero
MAX_STEPS, MAX_ROUNDS = 30, 25
SMALLEST_PART = 1e-2  # smallest fraction of a Newton step, and of the load when it is raised step by step
SHORT = 1e-3  # rad, fractions of the length: motion of the mechanism between the states that the rates are taken from


@dataclass(frozen=True)
class _Moment:
    """A state of the motion for which a shape is searched; loops and velocities are nearly consistent."""

    t: float
    q: Floats
    v: Floats
    held_q: Flags
    """Positions that stay"""
    is_start: bool = True
    """Whether velocities that the user gave stay"""


def settle(mechanics: Mechanics, v_user: Floats, span: float) -> None:
    """Replace the assembled state in W by the quasi-static one; sets accelerations and multipliers too.

    Raises ComputationError when there is none, or none is found.

    v_user : (n_v,) velocities given by the user, as for `assemble_velocities`.
    span : a time in which loads change little [s]; the rates are taken from states not farther apart.
    """
    _Settling(mechanics, v_user).find(span)


class _Settling:
    """The search for elastic coordinates and rates of one system.

    The coordinates move along the columns of `ways`: all of them, less the directions in which the rigid mechanism
    cannot follow (a beam between two walls cannot stretch). These and the inverse of the derivatives are kept from one
    step to the next as long as they converge.
    """

    def __init__(self, mechanics: Mechanics, v_user: Floats):
        m = self.m = mechanics
        self.elastic = m.system.elastic
        self.places, self.scale = stored_places(m)[self.elastic], m.scale[self.elastic]
        self.start = _Moment(m.t, m.q.copy(), v_user.copy(), m.system.fixed_q)
        n = len(self.places)
        self.ways: Floats = np.zeros((n, 0))
        self.inverse: Floats = np.zeros((0, 0))
        self.rates, self.second = np.zeros(n), np.zeros(n)
        """e' and e''"""

    def find(self, span: float) -> None:
        """Shape and rates, each from the other until both agree."""
        m, last = self.m, np.inf
        for _ in range(MAX_ROUNDS):
            e0 = self.shape_at(self.start, 0.0)
            delta = self._short_time(span)
            here = m.state()
            e1, e2 = (self.shape_at(self._later(here, ahead), ahead) for ahead in (delta, 2.0 * delta))
            rates, self.second = (4.0 * e1 - 3.0 * e0 - e2) / (2.0 * delta), (e0 - 2.0 * e1 + e2) / delta**2
            noise = 1e2 * SMALL / delta
            if self._size(rates) <= noise:  # what the tolerance of the shapes leaves: they rest
                rates, self.second = np.zeros_like(rates), np.zeros_like(rates)
            change = rates - self.rates
            size = self._size(change)
            if size <= 1e-6 * self._size(rates) + noise:
                self.rates = rates
                self.shape_at(self.start, 0.0)
                return
            self.rates = rates
            if size > 2.0 * last:
                break
            last = size
        raise ComputationError(
            f"No quasi-static start was found: the rate of {self._worst(change)} does not converge. The motion is too "
            'fast for the natural frequencies of the flexible bodies. Use elastic_start = "undeformed".'
        )

    def shape_at(self, moment: _Moment, ahead: float) -> Floats:
        """Elastic coordinates without acceleration at a moment, `ahead` of the start; W holds the state.

        When Newton's method does not get there at once, it follows the shapes whose accelerations are parts of those
        that the first one has, from all of them down to none.
        """
        rates = self.rates + ahead * self.second
        d = np.zeros(len(self.places))
        first = self._accelerations(moment, d, rates)
        left, part = 1.0, 1.0
        while left > 0.0:
            goal = max(0.0, left - part)
            found = self._newton(moment, d, rates, goal * first)
            if found is None:
                part *= 0.5
                if part < SMALLEST_PART:
                    break
            else:
                d, left = found, goal
                part *= 1.5
        else:
            return self.m.q[self.places].copy()
        raise ComputationError(
            f"No quasi-static start was found: {self._worst(first)} does not converge"
            f"{f' beyond {100.0 * (1.0 - left):.3g} % of the load' if left < 1.0 else ''}. The loads may be too large "
            'for the body, or nothing holds it. Use elastic_start = "undeformed".'
        )

    def _newton(self, moment: _Moment, d: Floats, rates: Floats, wanted: Floats) -> Floats | None:
        """Newton's method from d to the wanted accelerations, None when it fails; W holds the state."""
        error, is_fresh = self._accelerations(moment, d, rates) - wanted, False
        for _ in range(MAX_STEPS):
            if not self.inverse.size:
                try:
                    self._prepare(moment, d, rates, error + wanted)
                except (ComputationError, np.linalg.LinAlgError):
                    return None
                is_fresh = True
            step = self._step(error)
            found = self._damped(moment, d, rates, step, wanted)
            if found is None:
                self.inverse = np.zeros((0, 0))
                if is_fresh:
                    return None
                error = self._accelerations(moment, d, rates) - wanted
                continue
            d, error = found
            size, left = self._size(step), self._size(self._step(error))
            # slow steps by derivatives of another place are not stalled: new ones bring the other digits
            is_stalled = is_fresh and 0.3 * size < left <= STALLED
            if left <= SMALL + DIGITS * self._size(self.m.q[self.places]) or is_stalled:
                return d
            if left > 0.1 * size:
                self.inverse = np.zeros((0, 0))
            is_fresh = False
        return None

    def _short_time(self, span: float) -> float:
        """A small part of the time in which the motion changes [s]."""
        m, rigid = self.m, ~self.elastic
        speed = float(np.max(np.abs(m.v / m.scale)[rigid], initial=0.0))
        speed = max(speed, float(np.sqrt(np.max(np.abs(m.a / m.scale)[rigid], initial=0.0))))
        return min(SHORT / speed if speed > 0.0 else np.inf, span)

    def _later(self, here: MotionState, ahead: float) -> _Moment:
        """The state a short time after `here`, as the motion leads there."""
        m = self.m
        m.t, m.q[:] = here.t, here.q
        m.move(ahead * here.v + 0.5 * ahead**2 * here.a)
        return _Moment(here.t + ahead, m.q.copy(), here.v + ahead * here.a, np.zeros(m.n_v, bool), is_start=False)

    def _prepare(self, moment: _Moment, d: Floats, rates: Floats, here: Floats) -> None:
        """Ways of the state in W, and the inverse of the derivatives of the accelerations along them."""
        ways = self._find_ways(moment)
        moved = [self._accelerations(moment, d + DIFFERENCE * way, rates) - here for way in ways.T]
        derivatives = ways.T @ np.reshape(moved, (-1, len(d))).T / DIFFERENCE
        self.ways, self.inverse = ways, np.asarray(np.linalg.inv(derivatives), dtype=np.float64)

    def _find_ways(self, moment: _Moment) -> Floats:
        """(n, k) directions of the elastic coordinates, of their size, in which the loops can stay closed."""
        m = self.m
        m.jacobian()
        G = m.G[: m.n_pos_rows] * m.scale
        left, sigma, _ = np.linalg.svd(G[:, ~(self.elastic | moment.held_q)])
        largest = float(np.max(np.abs(G), initial=0.0))
        locked = left[:, int(np.sum(sigma > DEPENDENT * largest)) :].T @ G[:, self.elastic]
        _, sigma, right = np.linalg.svd(locked)
        n_locked = int(np.sum(sigma > DEPENDENT * largest))
        free = right[n_locked:].T if n_locked else np.eye(len(self.places))
        return np.asarray(free * self.scale[:, None])

    def _step(self, error: Floats) -> Floats:
        """(n,) Newton's correction of the elastic coordinates."""
        return -self.ways @ (self.inverse @ (self.ways.T @ error))

    def _damped(
        self, moment: _Moment, d: Floats, rates: Floats, step: Floats, wanted: Floats
    ) -> tuple[Floats, Floats] | None:
        """Go along the step, or a part of it, to where the next one is shorter: place and error there."""
        size, part = self._size(step), 1.0
        while part > SMALLEST_PART:
            try:
                error = self._accelerations(moment, d + part * step, rates) - wanted
                left = self._size(self._step(error))
            except (ComputationError, np.linalg.LinAlgError):
                left = np.inf
            if left <= max((1.0 - 0.25 * part) * size, STALLED * part):
                return d + part * step, error
            part *= 0.5
        return None

    def _accelerations(self, moment: _Moment, d: Floats, rates: Floats) -> Floats:
        """Elastic accelerations when the coordinates are moved by d and have the rates; W holds that state."""
        m = self.m
        m.t, m.q[:], m.v[:] = moment.t, moment.q, moment.v
        m.q[self.places] += d
        m.v[self.elastic] = rates
        accepted = 1e-9 * m.row_scale
        if not close_loops(m, ~(moment.held_q | self.elastic)) <= accepted:
            if not close_loops(m, ~moment.held_q) <= accepted:
                raise ComputationError("The loops do not close.")
        if m.n_rows and moment.is_start:
            assemble_velocities(m)
        elif m.n_rows:
            m.equations()
            M, _ = positive_mass(m)
            close_velocities(m, M, self.elastic)
            close_velocities(m, M, np.zeros(m.n_v, bool))
        solve_accelerations(m)
        if not np.all(np.isfinite(m.a)):
            raise ComputationError("The accelerations are not finite.")
        return m.a[self.elastic].copy()

    def _size(self, values: Floats) -> float:
        """Largest of the elastic coordinates as a fraction of their magnitude."""
        return float(np.max(np.abs(values) / self.scale))

    def _worst(self, sizes: Floats) -> str:
        worst = int(np.argmax(np.abs(sizes)))
        return f"elastic coordinate '{self.m.names(np.flatnonzero(self.elastic))[worst]}'"


def stored_places(mechanics: Mechanics) -> Integers:
    """(n_v,) index in q of the stored coordinate of every plain velocity; -1 for rotations."""
    I = mechanics.I
    places = np.full(mechanics.n_v, -1, dtype=np.int64)
    for k in range(int(I[L.N_SCALARS])):
        pair = int(I[L.SCALARS]) + 2 * k
        places[I[pair + 1]] = I[pair]
    return places
