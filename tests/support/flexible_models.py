"""Flexible mechanisms for the tests: beams so soft and thick that elastic and inertia forces are of one size."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import numpy as np

from flexmb.bodies.exact_beam import ExactBeam
from flexmb.bodies.exact_motion import ExactMotion
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.equations import programs
from flexmb.layout import flat_arrays as L
from flexmb.solvers.initial_state import body_states, measure
from tests.support.flat import Flat
from tests.support.mechanisms import joint_keys, random_body, spec_of

SOFT: dict[str, Any] = {"E": 5.0e6, "G": 2.0e6, "density": 1000.0}
FLAT_BAR: dict[str, Any] = {"type": "rectangle", "y": 0.1, "z": 0.06}
ROUND_BAR: dict[str, Any] = {"type": "circle", "radius": 0.04}
ALL_SHAPES: dict[str, Any] = {"bending": {"y": 2, "z": 2}, "axial": 1, "torsion": 1}
LUMP: dict[str, Any] = {"mass": 0.7, "center": [0.02, 0.03, -0.01], "inertia": [1e-3, 2e-3, 2.5e-3]}

FIELDS: dict[str, dict[str, Any]] = {
    "exact": {"field": "exact"},
    "full": {"field": "quadratic", "order": "full"},
    "order 2": {"field": "quadratic", "order": 2},
    "order 1": {"field": "quadratic", "order": 1},
    "linear": {"field": "linear"},
}
"""Deformation fields as a model file writes them."""


def beam(A: Any, B: Any, **keys: Any) -> dict[str, Any]:
    """Table of a soft beam from A to B [m]."""
    return {"beam": [list(A), list(B)], "material": SOFT, "section": FLAT_BAR, "shapes": ALL_SHAPES, **keys}


def random_beam(rng: np.random.Generator, **keys: Any) -> dict[str, Any]:
    """A beam of about 1 m with a marker beside its axis."""
    start, along = 0.5 * rng.normal(size=3), rng.normal(size=3)
    end = start + rng.uniform(0.8, 1.2) * along / np.linalg.norm(along)
    markers = {"tip": {"at": [0.6, 0.04, -0.05], "axis": rng.normal(size=3).tolist()}}
    return beam(start.tolist(), end.tolist(), markers=markers, **keys)


def free_beam(**keys: Any) -> dict[str, Any]:
    """One beam in free space under gravity."""
    return {
        "model": {"name": "free beam", "gravity": [1.0, -2.0, -9.0]},
        "bodies": {"beam": beam([0.3, -0.2, 0.1], [1.1, 0.3, 0.6], **keys)},
    }


def flexible_tree(rng: np.random.Generator, kinds: tuple[str, ...], **keys: Any) -> dict[str, Any]:
    """A tree with one body per joint: two beams, then a rigid body, and so on; every other joint is reversed.

    The first body hangs on ground, the others on one of the three before them.
    """
    bodies: dict[str, Any] = {}
    joints: dict[str, Any] = {}
    names = ["ground"]
    for number, kind in enumerate(kinds):
        name = f"body{number}"
        bodies[name] = random_body(rng) if number % 3 == 2 else random_beam(rng, **keys)
        parents = names[-3:] if number else names
        pair = [parents[int(rng.integers(len(parents)))], name]
        joints[f"joint{number}"] = {**joint_keys(kind, rng), "bodies": pair if number % 2 == 0 else pair[::-1]}
        names.append(name)
    model = {"name": "flexible tree", "gravity": [1.0, -2.0, -9.0]}
    return {"model": model, "bodies": bodies, "joints": joints}


def pair_of_beams(rng: np.random.Generator, kind: str, reverse: bool = False, **keys: Any) -> dict[str, Any]:
    """Two beams in free space, joined by one joint."""
    names = ["two", "one"] if reverse else ["one", "two"]
    return {
        "model": {"name": "pair", "gravity": [1.0, -2.0, -9.0]},
        "bodies": {"one": random_beam(rng, **keys), "two": random_beam(rng, **keys)},
        "joints": {"link": {**joint_keys(kind, rng), "bodies": names}},
        "sensors": {
            f"{name}_{quantity}": {"marker": f"{name}.tip", "quantity": quantity}
            for name in ("one", "two")
            for quantity in ("position", "velocity", "acceleration")
        },
    }


def random_modes(body: FlexibleBody, rng: np.random.Generator, slope: float) -> np.ndarray:
    """Elastic coordinates of a beam: largest slope as given, twist about as large [rad], some stretch."""
    assert body.basis is not None
    eta = rng.normal(size=body.n_modes)
    bent = np.zeros((2, 60))
    for k, shape in enumerate(body.basis.shapes):
        if shape.component in "yz":
            bent["yz".index(shape.component)] += eta[k] * shape.values(np.linspace(0.0, body.length, 60))[:, 1]
    steepest = float(np.hypot(*bent).max()) or 1.0
    of_kind = {"y": slope / steepest, "z": slope / steepest, "u": 0.05 * slope, "t": slope}
    return eta * [of_kind[shape.component] for shape in body.basis.shapes]


class FlatBeams(Flat):
    """A system with flexible bodies and its states.

    Its equations are right whether or not its shapes suit its supports, so that the refusal of too few is left out.
    """

    def __init__(self, data: dict[str, Any], **options: Any):
        with patch("flexmb.system.placement.support_faults", return_value=[]):
            super().__init__(spec_of(data), **options)
        self.elastic = self.system.elastic

    def random_state(self, rng: np.random.Generator, slope: float = 0.4) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates and rates: joints by about 0.6; beams bend to this slope and twist by about as much."""
        step, v = 0.6 * rng.normal(size=self.n), rng.normal(size=self.n)
        for body in self.system.mechanism.bodies[1:]:
            if isinstance(body, FlexibleBody):
                step[self.own_modes(body.name)] = random_modes(body, rng, slope)
        return self.moved(self.system.q0.copy(), step), v

    def own_modes(self, name: str) -> np.ndarray:
        """Which velocity coordinates are the elastic ones of a body."""
        own = np.array([coordinate.rpartition(".")[0] == name for coordinate in self.system.coordinates])
        return own & self.elastic

    def along(self, q: np.ndarray, v: np.ndarray, a: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
        """State after a time t of the motion that has rates v and accelerations a at q; to second order."""
        return self.moved(q, t * v + 0.5 * t * t * a), v + t * a

    def body(self, name: str) -> FlexibleBody:
        found = self.system.mechanism.bodies[self.system.mechanism.body_index[name]]
        assert isinstance(found, FlexibleBody)
        return found

    def record(self, name: str) -> int:
        """Place in I of the record of a body."""
        number = self.system.mechanism.body_index[name]
        flat = 1 + [branch.body for branch in self.system.topology.branches].index(number)
        return int(self.system.ints[L.BODIES]) + flat * L.BODY

    def block(self, name: str, place: int, length: int) -> np.ndarray:
        """Part of the block of a body in W."""
        start = int(self.system.ints[self.record(name) + L.B_W]) + place
        return self.work[start : start + length].copy()

    def marker(self, name: str, place: int, length: int) -> np.ndarray:
        """Part of the block of a marker in W."""
        record = int(self.system.ints[L.MARKERS]) + self.system.mechanism.marker_index[name] * L.MARKER
        start = int(self.system.ints[record + L.MK_W]) + place
        return self.work[start : start + length].copy()

    def body_mass(self, name: str) -> np.ndarray:
        """(6 + n, 6 + n) mass matrix of a body that carries no other, at the present state."""
        self.run(programs.system)
        size = 6 + self.body(name).n_modes
        start = int(self.system.ints[self.record(name) + L.B_COMPOSITE])
        return self.work[start : start + size * size].reshape(size, size).copy()

    def energy(self, q: np.ndarray, v: np.ndarray) -> float:
        """Kinetic and potential energy [J]."""
        self.set(q, v, np.zeros(self.n))
        out = self.output()
        return float(out["energy/kinetic"][0] + out["energy/potential"][0])

    def take_state(self, other: Flat) -> None:
        """The state of another choice of coordinates of the same mechanism."""
        measure(self.system, self.work, body_states(other.system, other.work))

    def accelerate(self) -> dict[str, np.ndarray]:
        """Solve for accelerations and multipliers at the present state; the channels, with elastic accelerations."""
        q, v = self.get(L.Q, self.system.n_q).copy(), self.get(L.V, self.n).copy()
        terms = self.evaluate(q, v)
        zero = np.zeros((self.m, self.m))
        matrix = np.block([[terms["M"], terms["G"].T], [terms["G"], zero]])
        solution = np.linalg.solve(matrix, np.concatenate([-terms["h"], -terms["gamma"]]))
        self.set(q, v, solution[: self.n])
        self.get(L.LAM, self.m)[:] = solution[self.n :]
        out = self.output()
        for body in self.system.mechanism.bodies[1:]:
            if isinstance(body, FlexibleBody):
                out[f"bodies/{body.name}/elastic_acceleration"] = solution[: self.n][self.own_modes(body.name)]
        return out


def at_rest(flat: FlatBeams) -> dict[str, np.ndarray]:
    """Channels in equilibrium, by Newton's method with differences of the residual and steps of at most 0.1."""
    zero, q = np.zeros(flat.n), flat.system.q0.copy()
    for _ in range(40):
        residual = flat.residual(q, zero, zero)
        step = 1e-6
        columns = [
            (flat.residual(flat.moved(q, step * e), zero, zero) - flat.residual(flat.moved(q, -step * e), zero, zero))
            for e in np.eye(flat.n)
        ]
        change = -np.linalg.solve(np.array(columns).T / (2.0 * step), residual)
        q = flat.moved(q, change * min(1.0, 0.1 / np.abs(change).max()))
        if np.abs(change).max() < 1e-14:
            break
    else:
        raise AssertionError("no equilibrium")
    flat.set(q, zero, zero)
    return flat.output()


def momentum(flat: FlatBeams, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Linear momentum, and angular momentum about the world's origin, of all beams; by the witness of their inertia."""
    flat.set(q, v)
    flat.run(programs.kinematics, 0)
    linear, angular = np.zeros(3), np.zeros(3)
    for body in flat.system.mechanism.bodies[1:]:
        assert isinstance(body, FlexibleBody) and body.basis is not None
        place = int(flat.system.ints[L.Q] + flat.system.ints[flat.record(body.name) + L.B_ELASTIC_Q])
        eta = flat.work[place : place + body.n_modes]
        witness = ExactMotion(body.basis) if isinstance(body.field, ExactBeam) else body.field
        velocity, omega = flat.block(body.name, L.W_VEL, 3), flat.block(body.name, L.W_OMEGA, 3)
        own = witness.mass_matrix(eta) @ np.concatenate([velocity, omega, v[flat.own_modes(body.name)]])
        R_w, p_w = flat.block(body.name, L.W_R_W, 9).reshape(3, 3), flat.block(body.name, L.W_P_W, 3)
        linear += R_w @ own[:3]
        angular += R_w @ own[3:6] + np.cross(p_w, R_w @ own[:3])
    return linear, angular
