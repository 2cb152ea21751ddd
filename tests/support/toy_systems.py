"""Small systems written straight as programs, for testing the solvers without the mechanics of the package.

Every program fills what the contract promises with numbers and everything else it could touch with NaN, so that a
solver which relies on more than the contract fails.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import cos, sin, sqrt

import numpy as np

from flexmb.layout import flat_arrays as L
from flexmb.machine_code.jit import kernel, program
from flexmb.system.system import NO_SHARING, Channel, Row

KIND = L.HEADER  # slot of I with the number of the toy
FAIL = KIND + 1  # 1: the drive asks for the impossible after t = 0.5
SLOTS = KIND + 2
PENDULUM, OSCILLATOR, TOP, SKATE, CRANK, DRIVEN, TWICE = range(7)
GRAVITY = 9.81


@kernel
def physics(I, F, W):
    """M, BIAS, G, PHI, PHI_DOT, GAM of the toy."""
    kind, n, m = I[KIND], I[L.N_V], I[L.N_ROWS]
    q, v, M, G, b, t = I[L.Q], I[L.V], I[L.M], I[L.G], I[L.BIAS], W[I[L.T]]
    phi, phi_dot, gam = I[L.PHI], I[L.PHI_DOT], I[L.GAM]
    for i in range(n * n):
        W[M + i] = 0.0
    for i in range(n * m):
        W[G + i] = 0.0
    for i in range(n):
        W[b + i] = 0.0
    if kind == PENDULUM or kind == DRIVEN or kind == TWICE:  # point of mass F[0] on a rod of length F[1], y upwards
        W[M], W[M + 3] = F[0], F[0]
        W[b + 1] = F[0] * GRAVITY
        x, y, vx, vy = W[q], W[q + 1], W[v], W[v + 1]
        for k in range(m):
            W[G + 2 * k], W[G + 2 * k + 1] = x, y
            W[phi + k] = 0.5 * (x * x + y * y - F[1] * F[1])
            W[phi_dot + k], W[gam + k] = x * vx + y * vy, vx * vx + vy * vy
        if kind == DRIVEN:  # direction of the rod turns with the rate F[2]
            c, s, w = cos(F[2] * t), sin(F[2] * t), F[2]
            W[G + 2], W[G + 3] = -s, c
            W[phi + 1] = -s * x + c * y
            W[phi_dot + 1] = -s * vx + c * vy - w * (c * x + s * y)
            W[gam + 1] = -2.0 * w * (c * vx + s * vy) + w * w * (s * x - c * y)
            if I[FAIL] == 1 and t > 0.5 + 1e-9:
                W[phi + 1] += 2.0 + x * x
        if kind == TWICE and F[2] != 0.0:  # a second length that contradicts the first
            W[phi + 1] += F[2]
    elif kind == OSCILLATOR:  # F: mass, damping, stiffness, amplitude and frequency of the drive
        W[M] = F[0]
        W[b] = F[1] * W[v] + F[2] * W[q] - F[3] * cos(F[4] * t)
    elif kind == TOP:  # body axes; F: inertia (3), m g l about the fixed point, gravity along world -z
        w0, w1, w2 = W[v], W[v + 1], W[v + 2]
        W[M], W[M + 4], W[M + 8] = F[0], F[1], F[2]
        e0, e1, e2, e3 = W[q], W[q + 1], W[q + 2], W[q + 3]
        zx, zy = 2.0 * (e1 * e3 - e0 * e2), 2.0 * (e2 * e3 + e0 * e1)  # world z in body axes
        W[b] = (F[2] - F[1]) * w1 * w2 - F[3] * zy
        W[b + 1] = (F[0] - F[2]) * w2 * w0 + F[3] * zx
        W[b + 2] = (F[1] - F[0]) * w0 * w1
    elif kind == SKATE:  # x, y, heading; F: mass, inertia, slope acceleration along x
        W[M], W[M + 4], W[M + 8] = F[0], F[0], F[1]
        W[b] = -F[0] * F[2]
        s, c = sin(W[q + 2]), cos(W[q + 2])
        W[G], W[G + 1] = -s, c
        W[phi_dot] = -s * W[v] + c * W[v + 1]
        W[phi] = W[phi_dot]
        W[gam] = -W[v + 2] * (c * W[v] + s * W[v + 1])
    elif kind == CRANK:  # crank angle, rod angle, slider; F: two inertias, mass, two lengths, torque on the crank
        W[M], W[M + 4], W[M + 8] = F[0], F[1], F[2]
        W[b] = -F[5]
        s0, c0, s1, c1 = F[3] * sin(W[q]), F[3] * cos(W[q]), F[4] * sin(W[q + 1]), F[4] * cos(W[q + 1])
        W[G], W[G + 1], W[G + 2], W[G + 3], W[G + 4] = -s0, -s1, -1.0, c0, c1
        W[phi], W[phi + 1] = c0 + c1 - W[q + 2], s0 + s1
        for k in range(2):
            total = 0.0
            for j in range(3):
                total += W[G + 3 * k + j] * W[v + j]
            W[phi_dot + k] = total
        W[gam] = -c0 * W[v] ** 2 - c1 * W[v + 1] ** 2
        W[gam + 1] = -s0 * W[v] ** 2 - s1 * W[v + 1] ** 2


@kernel
def spoil(I, W, start, size):
    for i in range(size):
        W[I[start] + i] = np.nan


@program
def system(I, F, W, arg):
    spoil(I, W, L.RES, I[L.N_V])
    physics(I, F, W)


@program
def jacobian(I, F, W, arg):
    physics(I, F, W)
    spoil(I, W, L.RES, I[L.N_V])
    spoil(I, W, L.M, I[L.N_V] * I[L.N_V])
    spoil(I, W, L.BIAS, I[L.N_V])
    spoil(I, W, L.GAM, I[L.N_ROWS])


@program
def residual(I, F, W, arg):
    physics(I, F, W)
    n, m = I[L.N_V], I[L.N_ROWS]
    for i in range(n):
        total = W[I[L.BIAS] + i]
        for j in range(n):
            total += W[I[L.M] + i * n + j] * W[I[L.A] + j]
        for k in range(m):
            total += W[I[L.G] + k * n + i] * W[I[L.LAM] + k]
        W[I[L.RES] + i] = total
    spoil(I, W, L.M, n * n)
    spoil(I, W, L.G, n * m)
    spoil(I, W, L.BIAS, n)
    spoil(I, W, L.GAM, m)


@program
def acceleration(I, F, W, arg):
    physics(I, F, W)
    for i in range(I[L.N_V]):  # all mass matrices of the toys are diagonal
        W[I[L.A] + i] = -W[I[L.BIAS] + i] / W[I[L.M] + i * I[L.N_V] + i]


@program
def compose(I, F, W, arg):
    if I[L.N_SPHERES] == 0:
        for i in range(I[L.N_V]):
            W[I[L.Q] + i] = W[I[L.QN] + i] + W[I[L.DQ] + i]
        return
    q, e, d = I[L.Q], I[L.QN], I[L.DQ]
    x, y, z = 0.5 * W[d], 0.5 * W[d + 1], 0.5 * W[d + 2]
    angle = sqrt(x * x + y * y + z * z)
    s = sin(angle) / angle if angle > 1e-8 else 1.0 - angle * angle / 6.0
    c, x, y, z = cos(angle), s * x, s * y, s * z
    e0, e1, e2, e3 = W[e], W[e + 1], W[e + 2], W[e + 3]
    W[q] = e0 * c - e1 * x - e2 * y - e3 * z
    W[q + 1] = e0 * x + e1 * c + e2 * z - e3 * y
    W[q + 2] = e0 * y + e2 * c + e3 * x - e1 * z
    W[q + 3] = e0 * z + e3 * c + e1 * y - e2 * x


@kernel
def times(W, q, x, y, z, scalar, out):
    """out = quaternion at q times (scalar, x, y, z) / 2."""
    e0, e1, e2, e3 = W[q], W[q + 1], W[q + 2], W[q + 3]
    W[out] = 0.5 * (e0 * scalar - e1 * x - e2 * y - e3 * z)
    W[out + 1] = 0.5 * (e0 * x + e1 * scalar + e2 * z - e3 * y)
    W[out + 2] = 0.5 * (e0 * y + e2 * scalar + e3 * x - e1 * z)
    W[out + 3] = 0.5 * (e0 * z + e3 * scalar + e1 * y - e2 * x)


@program
def rates(I, F, W, arg):
    v, a = I[L.V], I[L.A]
    if I[L.N_SPHERES] == 0:
        for i in range(I[L.N_V]):
            W[I[L.Q_DOT] + i], W[I[L.Q_DDOT] + i] = W[v + i], W[a + i]
        return
    square = W[v] ** 2 + W[v + 1] ** 2 + W[v + 2] ** 2
    times(W, I[L.Q], W[v], W[v + 1], W[v + 2], 0.0, I[L.Q_DOT])
    times(W, I[L.Q], W[a], W[a + 1], W[a + 2], -0.5 * square, I[L.Q_DDOT])  # q'' = q (a - w^2/2) / 2


@program
def velocities(I, F, W, arg):
    q, d, dd, v, a = I[L.Q], I[L.Q_DOT], I[L.Q_DDOT], I[L.V], I[L.A]
    if I[L.N_SPHERES] == 0:
        for i in range(I[L.N_V]):
            W[v + i], W[a + i] = W[d + i], W[dd + i]
        return
    size = sqrt(W[q] ** 2 + W[q + 1] ** 2 + W[q + 2] ** 2 + W[q + 3] ** 2)
    for i in range(4):
        W[q + i] /= size
    e0, e1, e2, e3 = W[q], W[q + 1], W[q + 2], W[q + 3]
    for source, out in ((d, v), (dd, a)):
        c, x, y, z = W[source], W[source + 1], W[source + 2], W[source + 3]
        W[out] = 2.0 * (e0 * x - e1 * c - e2 * z + e3 * y)
        W[out + 1] = 2.0 * (e0 * y - e2 * c - e3 * x + e1 * z)
        W[out + 2] = 2.0 * (e0 * z - e3 * c - e1 * y + e2 * x)


@program
def powers(I, F, W, arg):
    v, t = I[L.V], W[I[L.T]]
    if I[KIND] == OSCILLATOR:
        W[I[L.POWER]] = -F[1] * W[v] ** 2
        W[I[L.POWER] + 1] = F[3] * cos(F[4] * t) * W[v]
    elif I[KIND] == CRANK:
        W[I[L.POWER]] = F[5] * W[v]
    elif I[KIND] == DRIVEN:
        W[I[L.POWER]] = -W[I[L.LAM] + 1] * F[2] * (cos(F[2] * t) * W[I[L.Q]] + sin(F[2] * t) * W[I[L.Q] + 1])


@program
def output(I, F, W, arg):
    """time, q, v, a, multipliers, kinetic, potential, work, step, iterations"""
    out, n = I[L.OUT], I[L.N_V]
    W[out] = W[I[L.T]]
    p = out + 1
    for i in range(I[L.N_Q]):
        W[p + i] = W[I[L.Q] + i]
    p += I[L.N_Q]
    for i in range(n):
        W[p + i], W[p + n + i] = W[I[L.V] + i], W[I[L.A] + i]
    p += 2 * n
    for i in range(I[L.N_ROWS]):
        W[p + i] = W[I[L.LAM] + i]
    p += I[L.N_ROWS]
    physics(I, F, W)
    kinetic, potential, work, q = 0.0, 0.0, 0.0, I[L.Q]
    for i in range(n):
        kinetic += 0.5 * W[I[L.M] + i * n + i] * W[I[L.V] + i] ** 2
    if I[KIND] == OSCILLATOR:
        potential = 0.5 * F[2] * W[q] ** 2
    elif I[KIND] == TOP:
        potential = F[3] * (W[q] ** 2 - W[q + 1] ** 2 - W[q + 2] ** 2 + W[q + 3] ** 2)
    elif I[KIND] == SKATE:
        potential = -F[0] * F[2] * W[q]
    elif I[KIND] != CRANK:
        potential = F[0] * GRAVITY * W[q + 1]
    for i in range(I[L.N_POWERS]):
        work += W[I[L.WORK] + i]
    W[p], W[p + 1], W[p + 2] = kinetic, potential, work
    spoil(I, W, L.M, n * n)


@program
def accept(I, F, W, arg):
    W[I[L.MEMORY]] += 1.0


@dataclass
class Toy:
    """What the solvers ask of a system (`flexmb.solvers.mechanics.Solvable`); a row "motor" is that of a motion."""

    kind: int
    floats: np.ndarray
    q0: np.ndarray
    v0: np.ndarray
    owners: list[str] = field(default_factory=list)
    pos_rows: int = 0
    powers: int = 0
    coordinates: list[str] = field(default_factory=list)
    length_scale: float = 1.0
    pattern: None = None
    full_pattern: None = None

    def __post_init__(self) -> None:
        nq, nv, m = len(self.q0), len(self.v0), len(self.owners)
        I = self.ints = np.zeros(SLOTS, np.int64)
        I[KIND], I[L.N_Q], I[L.N_V], I[L.N_ROWS], I[L.N_POS_ROWS] = self.kind, nq, nv, m, self.pos_rows
        I[L.N_POWERS], I[L.N_MEMORY], I[L.N_SPHERES] = self.powers, 1, nq - nv
        I[L.N_OUT] = 1 + nq + 2 * nv + m + 3 + 2
        sizes = {
            L.T: 1,
            L.Q: nq,
            L.V: nv,
            L.A: nv,
            L.LAM: m,
            L.QN: nq,
            L.DQ: nv,
            L.RES: nv,
            L.PHI: m,
            L.PHI_DOT: m,
        }
        sizes |= {
            L.GAM: m,
            L.M: nv * nv,
            L.G: m * nv,
            L.BIAS: nv,
            L.Q_DOT: nq,
            L.Q_DDOT: nq,
            L.POWER: self.powers,
        }
        sizes |= {L.WORK: self.powers, L.OUT: int(I[L.N_OUT]), L.MEMORY: 1}
        position = 3
        for slot, size in sizes.items():
            I[slot], position = position, position + size
        I[L.N_ALL_ROWS], I[L.N_ALL_POS_ROWS] = m, self.pos_rows
        I[L.LAM_ALL], I[L.PHI_ALL], I[L.PHI_DOT_ALL] = I[L.LAM], I[L.PHI], I[L.PHI_DOT]
        I[L.GAM_ALL], I[L.G_ALL] = I[L.GAM], I[L.G]
        self.n_work = position
        programs = {L.AT_COMPOSE: compose, L.AT_RATES: rates, L.AT_VELOCITIES: velocities, L.AT_RESIDUAL: residual}
        programs |= {
            L.AT_SYSTEM: system,
            L.AT_JACOBIAN: jacobian,
            L.AT_ACCELERATION: acceleration,
            L.AT_POWERS: powers,
        }
        programs |= {L.AT_OUTPUT: output, L.AT_ACCEPT: accept}
        for slot, item in programs.items():
            I[slot] = item.address
        self.sharing = NO_SHARING
        self.rows = self.evaluated = [Row(owner, "length", "m", is_motion=owner == "motor") for owner in self.owners]
        self.coordinates = self.coordinates or [f"toy.{i}" for i in range(nv)]
        at_energy = int(I[L.N_OUT]) - 5
        names = ("energy/kinetic", "energy/potential", "energy/work/total")
        self.channels = [Channel("time", "s", 0, (), "")]
        self.channels += [Channel(name, "J", at_energy + i, (), "") for i, name in enumerate(names)]
        self.scales = np.ones(nv)
        self.forces: list[str] = []
        self.fixed_q, self.fixed_v = np.zeros(nv, bool), np.zeros(nv, bool)
        self.elastic = np.zeros(nv, bool)

    def workspace(self) -> np.ndarray:
        W = np.zeros(self.n_work)
        W[self.ints[L.Q] : self.ints[L.Q] + len(self.q0)] = self.q0
        W[self.ints[L.V] : self.ints[L.V] + len(self.v0)] = self.v0
        return W

    def columns(self, block: np.ndarray) -> dict[str, np.ndarray]:
        """Columns of a block by name."""
        nq, nv, m = len(self.q0), len(self.v0), len(self.owners)
        ends = np.cumsum([1, nq, nv, nv, m, 1, 1, 1, 1, 1])
        names = ("t", "q", "v", "a", "lam", "kinetic", "potential", "work", "step", "iterations")
        starts = np.concatenate([[0], ends[:-1]])
        return {name: block[:, s:e].squeeze() for name, s, e in zip(names, starts, ends, strict=True)}


def pendulum(angle: float = 1.0, rate: float = 0.0, length: float = 1.0) -> Toy:
    """Pendulum in Cartesian coordinates, angle from the downward vertical."""
    q = length * np.array([np.sin(angle), -np.cos(angle)])
    v = length * rate * np.array([np.cos(angle), np.sin(angle)])
    return Toy(PENDULUM, np.array([1.3, length]), q, v, ["rod"], 1, coordinates=["point.x", "point.y"])


def oscillator(damping: float = 0.4, stiffness: float = 40.0, drive: float = 2.0) -> Toy:
    return Toy(OSCILLATOR, np.array([1.5, damping, stiffness, drive, 3.0]), np.array([0.3]), np.array([0.5]), powers=2)


def top() -> Toy:
    angle = 0.4
    q = np.array([np.cos(angle / 2), np.sin(angle / 2), 0.0, 0.0])
    return Toy(TOP, np.array([0.5, 0.5, 0.2, 1.0]), q, np.array([0.3, 0.2, 9.0]))


def skate(turn: float = 1.7, slope: float = 2.0) -> Toy:
    return Toy(SKATE, np.array([1.2, 0.3, slope]), np.zeros(3), np.array([0.0, 0.0, turn]), ["blade"], 0)


def crank(torque: float = 0.0, rate: float = 5.0) -> Toy:
    a, l1, l2 = 0.4, 0.15, 0.4
    b = -np.arcsin(l1 * np.sin(a) / l2)
    q = np.array([a, b, l1 * np.cos(a) + l2 * np.cos(b)])
    names = ["bearing.angle", "rod.angle", "guide.slide"]
    floats = np.array([0.02, 0.005, 0.4, l1, l2, torque])
    return Toy(CRANK, floats, q, np.array([rate, 0.0, 0.0]), ["pin", "pin"], 2, 1, names, 0.4)


def driven(rate: float = 2.0) -> Toy:
    return Toy(DRIVEN, np.array([1.3, 0.8, rate]), np.array([0.7, 0.1]), np.zeros(2), ["rod", "motor"], 2, 1)


def twice(contradiction: float = 0.0) -> Toy:
    return Toy(TWICE, np.array([1.3, 1.0, contradiction]), np.array([0.6, -0.8]), np.zeros(2), ["rod", "spare rod"], 2)
