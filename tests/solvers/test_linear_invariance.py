"""Eigenvalues and shares of linearised mechanisms do not depend on the coordinates; the linearised equations are the
differences of the nonlinear ones."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from flexmb.analyses.modes import modes_of_model
from flexmb.layout import flat_arrays as L
from flexmb.solvers.initial_state import body_states, measure
from flexmb.solvers.linearise import Linearisation, linearise
from flexmb.solvers.statics import equilibrium
from tests.support.flexible_models import FlatBeams, beam
from tests.support.free_bodies import flexible_mechanism
from tests.support.linear_models import linear, parallelogram, ready
from tests.support.mechanisms import random_tree, spec_of
from tests.support.random_mechanisms import closed_mechanism


def test_flexible_loop_in_joint_and_absolute_coordinates() -> None:
    """Eigenvalues and shares do not depend on the coordinates; gravity bends the coupler, so that G^T lam counts."""
    found = []
    for coordinates in ("joint", "absolute"):
        data = parallelogram(coordinates)
        data["bodies"]["coupler"] = {
            "beam": [[0, 0, -0.6], [1, 0, -0.6]],
            "material": {"E": 5e6, "G": 2e6, "density": 1000.0},
            "section": {"type": "rectangle", "y": 0.05, "z": 0.03},
            "shapes": {"bending": {"z": 3}, "axial": 1},
            "damping": {"ratio": 0.01},
        }
        report = modes_of_model(SimpleNamespace(spec=spec_of(data)), about="static")
        assert report.linear.notes == ()
        found.append(report.modes)
    assert len(found[0]) == 5
    for one, other in zip(*found, strict=True):
        # The equilibrium is found to 1e-9 or better, and the elastic forces change by that part.
        assert abs(one.eigenvalue - other.eigenvalue) <= 1e-7 * abs(one.eigenvalue)
        assert one.elastic == pytest.approx(other.elastic, abs=1e-5)
        for name, share in one.bodies.items():
            assert share == pytest.approx(other.bodies[name], abs=1e-5)


@pytest.mark.parametrize("seed", [1, 2])
def test_random_tree_in_joint_and_absolute_coordinates(seed: int) -> None:
    """Every kind of joint with plain coordinates, each on a spring and damper, and rotors on the bodies: a gyroscopic,
    damped system at rest whose eigenvalues do not depend on the coordinates."""
    kinds = ("revolute", "prismatic", "cylindrical", "screw", "universal", "planar", "pin-in-slot")
    rng = np.random.default_rng(seed)
    data = random_tree(rng, kinds)
    data["model"]["gravity"] = [0, 0, 0]
    data["forces"] = {
        name.replace(".", "_"): {
            "type": "joint-spring",
            "joint": name.partition(".")[0],
            "coordinate": name.partition(".")[2],
            "stiffness": float(rng.uniform(20.0, 60.0)),
            "damping": float(rng.uniform(0.1, 0.5)),
        }
        for name in ready(data).system.coordinates
    }
    found = {}
    for coordinates in ("joint", "absolute"):
        linearised = linear({**data, "coordinates": {"default": coordinates}})
        assert linearised.notes == ()
        found[coordinates] = np.linalg.eigvals(linearised.A_free)
    one, other = found["joint"], found["absolute"]
    assert len(one) == len(other) == 2 * len(data["forces"])
    # Differences of the constraints in absolute coordinates lose some digits: 1e-12 times the largest eigenvalue.
    nearest = np.min(np.abs(one[:, None] - other), axis=1)
    assert np.max(nearest) <= 1e-8 * np.max(np.abs(one))


# Random mechanisms: the same state in other coordinates


def in_coordinates(data: dict[str, Any], choices: list[dict[str, Any]]) -> list[Linearisation]:
    """Linearised equations about one equilibrium, found in the first coordinates and measured in the others.

    A random mechanism has several equilibria; a search in other coordinates may end in another one.
    """
    found: list[Linearisation] = []
    states: Any = None
    for coordinates in choices:
        here = ready({**data, "coordinates": coordinates})
        if states is None:
            equilibrium(here.system, here.work)
            states = body_states(here.system, here.work)
        measure(here.system, here.work, states)
        found.append(linearise(here.system, here.work))
        assert found[-1].notes == ()
    return found


def same_eigenvalues(found: list[Linearisation]) -> None:
    """Of all coordinates, each to 1e-8 of the largest: rounding in the differences of constraints, and 1e-9 that the
    equilibrium may be off; what remains of the zeros of free motions is the root of that rounding."""
    first, *others = (np.linalg.eigvals(linear.A_free) for linear in found)
    largest = np.max(np.abs(first))
    first = first[np.abs(first) > 1e-6 * largest]
    for other in others:
        other = other[np.abs(other) > 1e-6 * largest]
        assert len(other) == len(first)
        gaps = np.abs(first[:, None] - other)
        assert max(np.max(np.min(gaps, axis=0)), np.max(np.min(gaps, axis=1))) <= 1e-8 * largest


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_random_loops(seed: int) -> None:
    """Loops closed by a distance, a point-on-line and a spherical joint, each a chord here and a branch there; rotors,
    springs, dampers, friction, gravity: G^T lam is not small."""
    data = {**closed_mechanism(seed, driven=False), "analysis": {"end": 1.0, "step": 1e-3}}
    choices: list[dict[str, Any]] = [
        {},
        {"default": "absolute"},
        {"absolute": ["body0", "body4"]},
        {"branches": ["loop0", "loop2"]},
    ]
    found = in_coordinates(data, [*choices, {"branches": ["loop1"]}])
    assert [len(linear.A_free) for linear in found] == [6] * 5
    same_eigenvalues(found)


@pytest.mark.parametrize(("seed", "field"), [(2, "exact"), (4, "full")])
def test_random_loops_of_beams(seed: int, field: str) -> None:
    data = flexible_mechanism(seed, field)
    del data["motions"]
    data["model"]["gravity"] = [0.1, -0.2, -0.9]  # of the order of what such soft beams can bear
    choices: list[dict[str, Any]] = [{}, {"default": "absolute"}, {"absolute": ["coupler"]}, {"chords": ["pin0"]}]
    found = in_coordinates(data, choices)
    assert [len(linear.A_free) for linear in found] == [2 * 18] * 4
    same_eigenvalues(found)


def test_a_rolling_wheel_with_a_flexible_pendulum() -> None:
    """Rows on velocities only: more coordinates than velocities are free."""
    radius = 0.3
    contact = {"type": "rolling", "at": [0, 0, 0], "normal": "z", "axis": "y", "radius": radius}
    data = {
        "model": {"name": "wheel", "gravity": [0, 0, -9.81]},
        "bodies": {
            "wheel": {"mass": 2.0, "inertia": [0.05, 0.09, 0.05], "at": [0, 0, radius], "center": [0.1, 0, -0.05]},
            "arm": beam([0, 0, radius], [0.2, 0, radius - 1.0], shapes={"bending": 3}, damping={"ratio": 0.01}),
        },
        "joints": {
            "upright": {"type": "planar", "bodies": ["ground", "wheel"], "axis": "y", "at": [0, 0, radius]},
            "contact": {**contact, "bodies": ["ground", "wheel"]},
            "hub": {"type": "revolute", "bodies": ["wheel", "arm"], "at": [0, 0, radius], "axis": "y"},
        },
    }
    found = in_coordinates(data, [{}, {"default": "absolute"}, {"absolute": ["arm"]}])
    assert [(linear.n_y, linear.n_w) for linear in found] == [(9, 8)] * 3
    same_eigenvalues(found)


# The linearised equations are the differences of the nonlinear ones


class Nearby:
    """Accelerations of states near another one, by the whole matrix of the augmented equations.

    Constraints are closed in the smallest sense (pseudo-inverse), not by dependent coordinates as the library does:
    what that moves the others is of second order and drops out of central differences.
    """

    def __init__(self, data: dict[str, Any], linear: Linearisation):
        self.flat, self.linear = FlatBeams(data), linear
        self.q = self.flat.system.view(linear.work, L.Q, self.flat.system.n_q).copy()
        self.v = self.flat.system.view(linear.work, L.V, self.flat.n).copy()
        self.held = [j for j in range(self.flat.n) if j not in linear.free_v]

    def accelerations(self, move: np.ndarray, more: np.ndarray) -> np.ndarray:
        """Of the free velocities, after a move of all coordinates and with more of the free velocities."""
        flat, free = self.flat, list(self.linear.free_v)
        q, v = flat.moved(self.q, move), self.v.copy()
        v[free] += more
        for _ in range(3):
            terms = flat.evaluate(q, v)
            q = flat.moved(q, -np.linalg.pinv(terms["G"]) @ terms["phi"])
        v[self.held] = 0.0
        terms = flat.evaluate(q, v)
        v[self.held] = np.linalg.solve(terms["G"][:, self.held], -terms["phi_dot"])
        terms = flat.evaluate(q, v)
        G = terms["G"]
        matrix = np.block([[terms["M"], G.T], [G, np.zeros((len(G), len(G)))]])
        return np.linalg.solve(matrix, -np.concatenate([terms["h"], terms["gamma"]]))[: flat.n][free]

    def differences(self, step: float) -> np.ndarray:
        """The lower half of A."""
        n, still = self.linear.n_y, np.zeros((self.flat.n, self.linear.n_y))
        moves = np.hstack([self.linear.shape_q, still])
        more = np.hstack([np.zeros((n, n)), np.eye(n)])
        columns = [
            (self.accelerations(step * a, step * b) - self.accelerations(-step * a, -step * b)) / (2 * step)
            for a, b in zip(moves.T, more.T, strict=True)
        ]
        return np.array(columns).T


MOVING = {
    "rigid": lambda: {**closed_mechanism(3), "analysis": {"end": 1.0, "step": 1e-3}},
    "rigid, not driven": lambda: {**closed_mechanism(1, driven=False), "analysis": {"end": 1.0, "step": 1e-3}},
    "flexible": lambda: flexible_mechanism(2),
    "flexible, full": lambda: flexible_mechanism(4, "full"),
}


@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
@pytest.mark.parametrize("name", MOVING)
def test_differences_of_the_nonlinear_equations(name: str, coordinates: str) -> None:
    """At the start of a run: bodies move, drives and loads act, nothing is in balance."""
    data = {**MOVING[name](), "coordinates": {"default": coordinates}}
    found = linear(data)
    assert found.n_y == found.n_w and found.error < 1e-6
    got = found.A_free[found.n_y :]
    want = Nearby(data, found).differences(1e-5)  # truncation 1e-10, rounding 1e-11 of the accelerations
    size = np.max(np.abs(want), axis=1, keepdims=True)
    assert np.max(np.abs(got - want) / size) < 1e-6
    # Between two bodies nothing is constant: the test is not about nothing.
    assert np.max(np.abs(want[:, : found.n_y])) > 1.0 and np.max(np.abs(want[:, found.n_y :])) > 0.1


@pytest.mark.parametrize("name", MOVING)
def test_inputs_are_differences_of_the_nonlinear_equations(name: str) -> None:
    """What a newton more of a force does is its column of B."""
    data = MOVING[name]()
    found = linear(data)
    n, still, none = found.n_y, np.zeros(len(found.shape_q)), np.zeros(found.n_y)
    rest = Nearby(data, found).accelerations(still, none)
    size = np.max(np.abs(found.B[n : 2 * n]), axis=0)
    for k, axis in enumerate("xyz"):
        vector = [f"{part} + {float(j == k)}" for j, part in enumerate(data["forces"]["push"]["vector"])]
        more = {**data, "forces": {**data["forces"], "push": {**data["forces"]["push"], "vector": vector}}}
        column = found.inputs.index(f"push.{axis}")
        # Accelerations are linear in a force, so that a whole newton is no error here. The library takes 1e-4 N:
        # rounding by 1e-13 of accelerations of 1e3 makes 1e-6 of what is then 10 per newton, 1e-7 of the column.
        got = Nearby(more, found).accelerations(still, none) - rest
        np.testing.assert_allclose(found.B[n : 2 * n, column], got, rtol=0, atol=1e-6 * size[column])
