"""Equations of motion of a described model in maximal coordinates, world axes.

State x: positions of the body origins (b, 3), quaternions (b, 4), elastic coordinates (e,); rates y: velocity of the
origin and angular velocity of every body (6 b), elastic rates (e,). Ground is body 0 and is not part of either.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.campaigns.oracle.description import Description
from tests.campaigns.oracle.loads import Loads
from tests.campaigns.oracle.rows import Rows, cross, rows_of

Array = Any
_STEP = 1e-30
RANK = 1e-7
"""Singular values of G below this part of the largest are zero: those of a drawn model are round-off or above 1e-3."""


@dataclass
class Kinematics:
    """Motion of all bodies and markers at one state, accelerations for y' = 0."""

    p: Array
    R: Array
    v: Array
    w: Array
    eta: Array
    eta_dot: Array
    pm: Array
    Rm: Array
    vm: Array
    wm: Array
    am: Array
    alm: Array
    elastic: dict[int, tuple[slice, Array, Array]]
    """of markers on beams: columns of the elastic rates, displacement and rotation (n, 3) per unit of each"""


@dataclass(frozen=True)
class Solution:
    """Accelerations and multipliers of one state."""

    y_dot: Array
    lam: Array
    kinematics: Kinematics
    null: Array
    """(m, k) multipliers that change nothing"""
    rank: int
    conditioning: float
    """smallest non-zero singular value of G over the largest"""


class Machine:
    """A model in maximal coordinates."""

    def __init__(self, description: Description):
        self.description = description
        self.bodies = description.bodies[1:]
        self.n_bodies = len(self.bodies)
        self.rows = Rows(rows_of(description))
        self.n_positions = sum(not row.on_velocity for row in self.rows.rows)
        starts = 6 * self.n_bodies + np.cumsum([0, *(body.n_modes for body in self.bodies)])
        self.modes = [slice(int(a), int(b)) for a, b in zip(starts[:-1], starts[1:], strict=True)]
        self.n = int(starts[-1])
        self.n_elastic = self.n - 6 * self.n_bodies
        self._beams = [k for k, body in enumerate(self.bodies) if body.beam is not None]
        self._mass = np.array([0.0 if body.beam else body.mass for body in self.bodies])
        self._center = np.array([body.center for body in self.bodies])
        self._J = np.array([body.J for body in self.bodies])
        self._rotor = np.array([body.rotor for body in self.bodies])
        self._of_marker = np.array([marker.body for marker in description.markers])
        self._p_b = np.array([marker.p_b for marker in description.markers])
        self._R_b = np.array([marker.R_b for marker in description.markers])
        self._on_beam = [m for m, k in enumerate(self._of_marker) if description.bodies[k].beam is not None]
        self.loads = Loads(description)

    def start(self) -> Array:
        """State of the design position."""
        p = np.array([body.p for body in self.bodies])
        quaternions = np.array([_quaternion(body.R) for body in self.bodies])
        return np.concatenate([p.ravel(), quaternions.ravel(), np.zeros(self.n_elastic)])

    def split(self, x: Array) -> tuple[Array, Array, Array]:
        """Positions (b, 3), quaternions (b, 4), elastic coordinates of a state."""
        b = self.n_bodies
        return x[: 3 * b].reshape(b, 3), x[3 * b : 7 * b].reshape(b, 4), x[7 * b :]

    def rate(self, x: Array, y: Array) -> Array:
        """x' of rates y."""
        _, quaternions, _ = self.split(x)
        twist = y[: 6 * self.n_bodies].reshape(-1, 2, 3)
        w, e = twist[:, 1], quaternions
        scalar = -0.5 * np.einsum("bi,bi->b", w, e[:, 1:])
        vector = 0.5 * (e[:, :1] * w + cross(w, e[:, 1:]))
        turning = np.column_stack([scalar, vector])
        return np.concatenate([twist[:, 0].ravel(), turning.ravel(), y[6 * self.n_bodies :]])

    def moved(self, x: Array, step: Array) -> Array:
        """State after a small step of the rates, with unit quaternions."""
        p, quaternions, eta = self.split(x + self.rate(x, step))
        quaternions = quaternions / np.linalg.norm(quaternions, axis=1)[:, None]
        return np.concatenate([p.ravel(), quaternions.ravel(), eta])

    def kinematics(self, x: Array, y: Array) -> Kinematics:
        """Motion of bodies and markers."""
        p, quaternions, eta = self.split(x)
        e = quaternions / np.linalg.norm(quaternions, axis=1)[:, None]
        twist = y[: 6 * self.n_bodies].reshape(-1, 2, 3)
        zero = np.zeros((1, 3))
        p, R = np.concatenate([zero, p]), np.concatenate([np.eye(3)[None], _rotations(e)])
        v, w = np.concatenate([zero, twist[:, 0]]), np.concatenate([zero, twist[:, 1]])
        of = self._of_marker
        d = np.einsum("mij,mj->mi", R[of], self._p_b)
        swing = cross(w[of], d)
        found = Kinematics(p, R, v, w, eta, y[6 * self.n_bodies :], p[of] + d, R[of] @ self._R_b, v[of] + swing,
                           w[of].copy(), cross(w[of], swing), np.zeros_like(d), {})  # fmt: skip
        for marker in self._on_beam:
            self._bend(found, marker)
        return found

    def _bend(self, at: Kinematics, marker: int) -> None:
        """Motion of a marker on a beam."""
        k = int(self._of_marker[marker])
        beam, R, w = self.bodies[k - 1].beam, at.R[k], at.w[k]
        assert beam is not None
        columns = self._elastic(k - 1)
        x, offset = float(self._p_b[marker][0]), self._p_b[marker] * [0.0, 1.0, 1.0]
        section = beam.section(x, offset, self._R_b[marker], at.eta[columns], at.eta_dot[columns])
        r, r_dot, turning = R @ section.r, R @ section.r_dot, R @ section.omega
        at.pm[marker], at.Rm[marker] = at.p[k] + r, R @ section.R
        at.vm[marker], at.wm[marker] = at.v[k] + cross(w, r) + r_dot, w + turning
        at.am[marker] = cross(w, cross(w, r) + 2.0 * r_dot) + R @ section.r_bias
        at.alm[marker] = R @ section.omega_bias + cross(w, turning)
        at.elastic[marker] = (self.modes[k - 1], section.Psi @ R.T, section.Om @ R.T)

    def _elastic(self, body: int) -> slice:
        """Elastic coordinates of a body among all of them."""
        return slice(self.modes[body].start - 6 * self.n_bodies, self.modes[body].stop - 6 * self.n_bodies)

    def pulled_back(self, at: Kinematics, marker: int, force: Array, moment: Array) -> Array:
        """(n,) generalised force of a force and moment at a marker."""
        out = np.zeros(self.n)
        k = int(self._of_marker[marker]) - 1
        if k >= 0:
            out[6 * k : 6 * k + 3] = force
            out[6 * k + 3 : 6 * k + 6] = moment + cross(at.pm[marker] - at.p[k + 1], force)
        if marker in at.elastic:
            columns, Psi, Om = at.elastic[marker]
            out[columns] = Psi @ force + Om @ moment
        return out

    def spread(self, at: Kinematics, rows: Rows, f: Array, n: Array) -> Array:
        """(m, n) generalised forces of wrenches on the second markers of rows and of their reactions on the first."""
        out, number = np.zeros((len(f), self.n_bodies + 1, 6)), np.arange(len(f))
        elastic = np.zeros((len(f), self.n_elastic))
        ends = ((rows.b, f, n), (rows.a, -f, -n - cross(at.pm[rows.b] - at.pm[rows.a], f)))
        for markers, force, moment in ends:
            of = self._of_marker[markers]
            out[number, of, :3] += force
            out[number, of, 3:] += moment + cross(at.pm[markers] - at.p[of], force)
            for marker, (columns, Psi, Om) in at.elastic.items():
                if len(k := np.flatnonzero(markers == marker)):
                    columns = slice(columns.start - 6 * self.n_bodies, columns.stop - 6 * self.n_bodies)
                    elastic[k, columns] += force[k] @ Psi.T + moment[k] @ Om.T
        return np.concatenate([out[:, 1:].reshape(len(f), -1), elastic], axis=1)

    def jacobian(self, at: Kinematics) -> Array:
        """(m, n) G."""
        return self.spread(at, self.rows, *self.rows.wrenches(at.pm, at.Rm))

    def residual(self, at: Kinematics, t: float) -> Array:
        """Residuals of the rows on positions."""
        return self.rows.values(at.pm, at.Rm, t)[: self.n_positions]

    def gamma(self, at: Kinematics, t: float) -> Array:
        """(m,) required G y'."""
        i = 1j * _STEP
        p, R = at.pm + i * at.vm, at.Rm + i * cross(at.wm[:, None, :], at.Rm.swapaxes(1, 2)).swapaxes(1, 2)
        rates = self.rows.rates(p, R, at.vm + i * at.am, at.wm + i * at.alm)
        return self.rows.drives(t, 2) - rates.imag / _STEP

    def inertia(self, at: Kinematics) -> tuple[Array, Array]:
        """Mass matrix (n, n), and the forces (n,) of gravity less those of inertia at y' = 0."""
        M, f = np.zeros((self.n, self.n)), np.zeros(self.n)
        R, w, g = at.R[1:], at.w[1:], self.description.gravity
        c = np.einsum("bij,bj->bi", R, self._center)
        J = R @ self._J @ R.swapaxes(1, 2)
        spin = np.einsum("bij,bj->bi", J, w) + np.einsum("bij,bj->bi", R, self._rotor)
        push = self._mass[:, None] * (g - cross(w, cross(w, c)))
        turn = self._mass[:, None] * cross(c, g) - cross(w, spin)
        n, b = 6 * self.n_bodies, np.arange(self.n_bodies)
        blocks = np.zeros((self.n_bodies, 6, self.n_bodies, 6))
        blocks[b, :3, b, :3] = self._mass[:, None, None] * np.eye(3)
        blocks[b, 3:, b, :3] = self._mass[:, None, None] * _skew(c)
        blocks[b, :3, b, 3:] = -blocks[b, 3:, b, :3]
        blocks[b, 3:, b, 3:] = J
        M[:n, :n] = blocks.reshape(n, n)
        f[:n] = np.concatenate([push, turn], axis=1).ravel()
        for k in self._beams:
            self._beam_inertia(at, k, M, f)
        return M, f

    def _beam_inertia(self, at: Kinematics, k: int, M: Array, f: Array) -> None:
        """Sums over the mass points of a beam, and its elastic forces."""
        beam, columns, R, w = self.bodies[k].beam, self._elastic(k), at.R[k + 1], at.w[k + 1]
        assert beam is not None
        eta, eta_dot = at.eta[columns], at.eta_dot[columns]
        r, psi, r_dot, bias = (part @ R.T for part in beam.points(eta, eta_dot))
        eye = np.broadcast_to(np.eye(3), (len(r), 3, 3))
        T = np.concatenate([eye, cross(eye, r[:, None, :]), psi], axis=1)
        a = cross(w, cross(w, r) + 2.0 * r_dot) + bias
        own = np.r_[6 * k : 6 * k + 6, self.modes[k]]
        M[np.ix_(own, own)] = np.einsum("p,pai,pbi->ab", beam.mass, T, T, optimize=True)
        f[own] = np.einsum("p,pai,pi->a", beam.mass, T, self.description.gravity - a, optimize=True)
        f[self.modes[k]] -= beam.elastic_forces(eta)

    def solve(self, t: float, x: Array, y: Array) -> Solution:
        """Accelerations and the smallest multipliers."""
        at = self.kinematics(x, y)
        M, f = self.inertia(at)
        f = f + self.loads.generalised(self, at, t)
        G = self.jacobian(at)
        U, S, Vt = np.linalg.svd(G) if len(G) else (np.zeros((0, 0)), np.zeros(0), np.eye(self.n))
        rank = int((S > RANK * S[:1].sum()).sum())
        forced = Vt[:rank].T @ ((U[:, :rank].T @ self.gamma(at, t)) / S[:rank])
        Z = Vt[rank:].T
        y_dot = forced + Z @ np.linalg.solve(Z.T @ M @ Z, Z.T @ (f - M @ forced))
        lam = U[:, :rank] @ ((Vt[:rank] @ (f - M @ y_dot)) / S[:rank])
        return Solution(y_dot, lam, at, U[:, rank:], rank, float(S[rank - 1] / S[0]) if rank else 1.0)

    def steepest(self, at: Kinematics) -> list[float]:
        """Largest slope of every beam."""
        return [self.bodies[k].beam.steepest(at.eta[self._elastic(k)]) for k in self._beams]  # type: ignore[union-attr]

    def energies(self, t: float, x: Array, y: Array) -> tuple[float, float]:
        """Kinetic and potential energy [J]; the latter has any zero."""
        at = self.kinematics(x, y)
        M, _ = self.inertia(at)
        g, potential = self.description.gravity, self.loads.potential(at)
        for k, body in enumerate(self.bodies):
            if body.beam is None:
                potential -= body.mass * float(g @ (at.p[k + 1] + at.R[k + 1] @ body.center))
                continue
            eta = at.eta[self._elastic(k)]
            r = body.beam.points(eta, 0.0 * eta)[0] @ at.R[k + 1].T + at.p[k + 1]
            potential += float(body.beam.energy(eta) - body.beam.mass @ (r @ g))
        return 0.5 * float(y @ M @ y), potential


def _skew(a: Array) -> Array:
    """(b, 3, 3) of vectors (b, 3)."""
    skew = np.zeros((len(a), 3, 3))
    skew[:, 0, 1], skew[:, 0, 2], skew[:, 1, 2] = -a[:, 2], a[:, 1], -a[:, 0]
    return skew - skew.swapaxes(1, 2)


def _rotations(e: Array) -> Array:
    """(b, 3, 3) of unit quaternions (b, 4), scalar first: 1 + 2 e0 ~e + 2 ~e ~e."""
    skew = _skew(e[:, 1:])
    return np.eye(3) + 2.0 * e[:, 0, None, None] * skew + 2.0 * skew @ skew


def _quaternion(R: Array) -> Array:
    """Unit quaternion of a rotation: the eigenvector of Bar-Itzhack's matrix."""
    K = np.zeros((4, 4))
    K[0, 0] = np.trace(R)
    K[0, 1:] = K[1:, 0] = [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]
    K[1:, 1:] = R + R.T - np.trace(R) * np.eye(3)
    return np.linalg.eigh(K)[1][:, -1]
