"""Inertia of one body in symbols: mass matrix and velocity forces of its frame and of its modes (theory 3).

A rigid body is a flexible body without modes. The integrals of a deformation field are sparse: a dictionary for each,
keyed by modes and components.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from flexmb.symbolic.arms import Sparse
from flexmb.symbolic.engine import Integer, Matrix, Scalar, Vector
from flexmb.symbolic.orders import add as plus
from flexmb.symbolic.orders import multiply, subtract
from flexmb.symbolic.tape import Tape
from flexmb.symbolic.vectors import (
    XYZ,
    add,
    apply,
    apply_transposed,
    axial,
    cross,
    dot,
    empty,
    scale,
    sub,
    sum_of,
    times,
    trace,
    zero,
)


@dataclass(frozen=True)
class SymbolicField:
    """Integrals of a deformation field rho = X + phi_k q_k + 1/2 G_kl q_k q_l, and the elastic forces of its modes."""

    labels: tuple[str, ...]
    """Names of the elastic coordinates"""
    units: tuple[str, ...] = ()
    S1: Sparse = field(default_factory=dict)
    """(k, i) int phi_k"""
    N1: Sparse = field(default_factory=dict)
    """(k, i, j) int X_i phi_kj"""
    N2: Sparse = field(default_factory=dict)
    """(k, l, i, j) int phi_ki phi_lj"""
    S2: Sparse = field(default_factory=dict)
    """(k, l, i) int G_kl"""
    X: Sparse = field(default_factory=dict)
    """(k, l, i, j) int X_i G_klj"""
    N3: Sparse = field(default_factory=dict)
    """(k, l, m, i, j) int phi_ki G_lmj"""
    stiffness: Sparse = field(default_factory=dict)
    """(k, l)"""
    damping: Sparse = field(default_factory=dict)
    """(k, l)"""
    cubic: Sparse = field(default_factory=dict)
    """(k, l, m) third derivatives of the strain energy"""
    marker_data: Any = None
    """Source of the field, from which markers get their shapes."""

    @property
    def n_modes(self) -> int:
        """Number of elastic coordinates."""
        return len(self.labels)


@dataclass(frozen=True)
class BodyInertia:
    """Mass matrix blocks and velocity forces of a body at one state, body components."""

    mass: Scalar
    S: Vector
    J: Matrix
    S_psi: list[Vector]
    M_wf: list[Vector]
    M_ff: list[list[Scalar]]
    h_t: Vector
    h_r: Vector
    h_f: list[Scalar]


def body_inertia(body: Any, q: Sequence[Scalar], v: Sequence[Scalar], w: Vector, tape: Tape) -> BodyInertia:
    """Blocks and forces of a `SymbolicBody`; q, v : its elastic coordinates and rates, w : angular velocity."""
    if not q:
        S, J = body.first_moment, body.inertia
        h_r = cross(w, add(apply(J, w), body.rotor))
        return BodyInertia(body.mass, S, J, [], [], [], cross(w, tape.vector(cross(w, S))), h_r, [])
    return _Integrals(body, q, v).blocks(w, tape)


class _Integrals:
    """The integrals of theory 3.1 at one state."""

    def __init__(self, body: Any, q: Sequence[Scalar], v: Sequence[Scalar]):
        n = len(q)
        self.body, self.field, self.q, self.v, self.n = body, body.elastic, q, v, n
        self.half_q = [multiply(Integer(1) / 2, x) for x in q]
        half_trace = multiply(Integer(1) / 2, trace(body.inertia))
        self.S = list(body.first_moment)
        self.P = [[subtract(half_trace if i == j else 0, body.inertia[i][j]) for j in XYZ] for i in XYZ]
        """int rho rho^T"""
        self.S_psi = [zero() for _ in range(n)]
        self.B = [empty() for _ in range(n)]
        """int rho psi_k^T"""
        self.C = [[empty() for _ in range(n)] for _ in range(n)]
        """int psi_k psi_l^T"""
        self.gamma, self.rho_gamma = zero(), empty()
        """int gamma and int rho gamma^T, gamma = G_kl q'_k q'_l"""
        self.psi_gamma: list[Scalar] = [0] * n
        self._linear()
        self._second()
        self._third()

    def _linear(self) -> None:
        f, q = self.field, self.q
        for (k, i), value in f.S1.items():
            self.S[i] = plus(self.S[i], multiply(value, q[k]))
            self.S_psi[k][i] = plus(self.S_psi[k][i], value)
        for (k, i, j), value in f.N1.items():
            moved = multiply(value, q[k])
            _gather(self.P, i, j, moved)
            _gather(self.P, j, i, moved)
            _gather(self.B[k], i, j, value)
        moved_by: dict[tuple[int, int, int], Scalar] = {}
        for (k, l, i, j), value in f.N2.items():
            _collect(moved_by, (l, i, j), multiply(value, q[k]))
            _gather(self.C[k][l], i, j, value)
        for (l, i, j), moved in moved_by.items():
            _gather(self.P, i, j, multiply(q[l], moved))
            _gather(self.B[l], i, j, moved)

    def _second(self) -> None:
        f, q, v = self.field, self.q, self.v
        drift = _contracted(f.S2, v)
        for (k, i), moved in _contracted(f.S2, q).items():
            self.S[i] = plus(self.S[i], multiply(self.half_q[k], moved))
            self.S_psi[k][i] = plus(self.S_psi[k][i], moved)
            self.gamma[i] = plus(self.gamma[i], multiply(v[k], drift[k, i]))
        drift = _contracted(f.X, v)
        for (k, i, j), moved in _contracted(f.X, q).items():
            twice = multiply(q[k] if i == j else self.half_q[k], moved)
            _gather(self.P, i, j, twice)
            if i != j:
                _gather(self.P, j, i, twice)
            _gather(self.B[k], i, j, moved)
            _gather(self.rho_gamma, i, j, multiply(v[k], drift[k, i, j]))

    def _third(self) -> None:
        """N3, contracted with one coordinate after the other: every sum is computed once."""
        q, v = self.q, self.v
        halves: dict[tuple[int, int, int], Scalar] = {}
        whole: dict[tuple[int, int, int], Scalar] = {}
        for (k, l, i, j), once in _contracted(self.field.N3, q, last=2).items():
            _gather(self.C[k][l], i, j, once)
            _gather(self.C[l][k], j, i, once)
            _collect(whole, (l, i, j), multiply(q[k], once))
            _collect(halves, (k, i, j), multiply(self.half_q[l], once))
        for (l, i, j), value in whole.items():
            _gather(self.B[l], i, j, value)
        for (k, i, j), value in halves.items():
            _gather(self.B[k], j, i, value)
            cubic = multiply(q[k], value)
            _gather(self.P, i, j, cubic)
            _gather(self.P, j, i, cubic)
        rates: dict[tuple[int, int, int], Scalar] = {}
        for (k, l, i, j), once in _contracted(self.field.N3, v, last=2).items():
            _collect(rates, (k, i, j), multiply(v[l], once))
        for (k, i, j), value in rates.items():
            _gather(self.rho_gamma, i, j, multiply(q[k], value))
            if i == j:
                self.psi_gamma[k] = plus(self.psi_gamma[k], value)

    def blocks(self, w: Vector, tape: Tape) -> BodyInertia:
        """Mass matrix and velocity forces, with the elastic and damping forces of the modes."""
        n, v = self.n, self.v
        self._name(tape)
        whole = trace(self.P)
        J = [[subtract(whole if i == j else 0, self.P[i][j]) for j in XYZ] for i in XYZ]
        B_rate, psi_rate = empty(), zero()
        for k in range(n):
            B_rate = sum_of(B_rate, times(v[k], self.B[k]))
            psi_rate = add(psi_rate, scale(v[k], self.S_psi[k]))
        h_t = add(cross(w, cross(w, self.S)), scale(2, cross(w, psi_rate)), self.gamma)
        swing = sub(scale(trace(B_rate), w), apply_transposed(B_rate, w))
        h_r = add(cross(w, add(apply(J, w), self.body.rotor)), scale(2, swing), axial(self.rho_gamma))
        square = tape.scalar(dot(w, w))
        h_f = []
        for k in range(n):
            C_rate = empty()
            for l in range(n):
                C_rate = sum_of(C_rate, times(v[l], self.C[l][k]))
            force = subtract(dot(w, apply(self.B[k], w)), multiply(trace(self.B[k]), square))
            force = plus(force, multiply(2, dot(w, axial(C_rate))))
            h_f.append(plus(plus(force, self.psi_gamma[k]), self._elastic(k)))
        M_ff = [[trace(self.C[k][l]) for l in range(n)] for k in range(n)]
        M_wf = [axial(B) for B in self.B]
        J, M_wf = tape.matrix(J), tape.vectors(M_wf)
        return BodyInertia(self.body.mass, self.S, J, self.S_psi, M_wf, M_ff, h_t, h_r, h_f)

    def _name(self, tape: Tape) -> None:
        """Name the integrals that are used often."""
        self.S, self.P, self.S_psi = tape.vector(self.S), tape.matrix(self.P), tape.vectors(self.S_psi)
        self.B = [tape.matrix(B) for B in self.B]
        self.C = [[tape.matrix(C) for C in row] for row in self.C]

    def _elastic(self, k: int) -> Scalar:
        """K q + D q' + 1/2 K3 q q of mode k."""
        force: Scalar = 0
        for l in range(self.n):
            force = plus(force, multiply(self.field.stiffness.get((k, l), 0), self.q[l]))
            force = plus(force, multiply(self.field.damping.get((k, l), 0), self.v[l]))
        for (i, l, m), value in self.field.cubic.items():
            if i == k:
                twice = multiply(value, multiply(self.q[l], self.q[m]))
                force = plus(force, multiply(Integer(1) / 2, twice))
        return force


def _gather(A: Matrix, i: int, j: int, value: Scalar) -> None:
    A[i][j] = plus(A[i][j], value)


def _collect(sums: dict[Any, Scalar], key: tuple[int, ...], value: Scalar) -> None:
    sums[key] = plus(sums.get(key, 0), value)


def _contracted(tensor: Sparse, q: Sequence[Scalar], last: int = 1) -> dict[Any, Scalar]:
    """The sum over mode number `last` of every entry times its coordinate, by the other places."""
    found: dict[Any, Scalar] = {}
    for place, value in tensor.items():
        _collect(found, place[:last] + place[last + 1 :], multiply(value, q[place[last]]))
    return found
