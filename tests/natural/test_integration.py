"""Motions in natural coordinates: against closed forms, Euler's equations and a reference; orders of the methods.

Covers: natural.constraint_rows, natural.factors, natural.failure, natural.marching,
solvers.sparse_embedding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from flexmb.natural.body import BodyPoint, BodyVector, NaturalBody
from flexmb.natural.forces import Gravity
from flexmb.natural.integration import integrate
from flexmb.natural.marching import NaturalIntegration
from flexmb.natural.spring_laws import LinearLaw
from flexmb.natural.springs import TranslationalSprings
from flexmb.natural.system import NaturalMechanism, NaturalSystem, Writer
from flexmb.solvers.settings import Settings
from flexmb.verification import DATA

FOURTH_ORDER = ("runge-kutta", "independent", "canonical")


def falling(
    bodies: list[NaturalBody], mechanism: NaturalMechanism, gravity: Any, joints: Sequence[Writer] = ()
) -> NaturalSystem:
    return NaturalSystem(mechanism, joints, forces=lambda layout: [Gravity(bodies, layout, gravity)])


def bar(name: str, mass: float, length: float, first: int, second: int) -> NaturalBody:
    moment = mass * length**2 / 12
    ends = (BodyPoint(first, (0, 0, 0)), BodyPoint(second, (length, 0, 0)))
    return NaturalBody(name, mass, (length / 2, 0, 0), np.diag([0, moment, moment]), ends)


def bar_pendulum() -> tuple[NaturalSystem, np.ndarray]:
    """The system of the reference file and its velocities at the start."""
    length, theta = 0.8, 0.8
    body = bar("bar", 1.5, length, 0, 1)
    end = length * np.array([np.sin(theta), 0, -np.cos(theta)])
    speed = length * np.array([0.5 * np.cos(theta), 2 * np.sin(theta), 0.5 * np.sin(theta)])
    mechanism = NaturalMechanism([body], np.array([[0, 0, 0], end]), fixed_points=[0])
    return falling([body], mechanism, (0, 0, -9.81)), np.concatenate((np.zeros(3), speed))


@pytest.mark.parametrize("method", FOURTH_ORDER)
def test_bar_pendulum_reference(method: str) -> None:
    """Positions, velocities, multiplier and pivot reaction of the reference file, which has nine digits.

    The methods are of order 4; between steps of 8 and 4 ms the largest error of the positions falls from 3e-7 to 2e-8.
    Velocities and forces are larger and rougher by the frequencies (about 5/s and 25/s^2).
    """
    reference = np.loadtxt(DATA / "bar_pendulum_natural.csv", delimiter=",")[:11]
    system, velocities = bar_pendulum()
    motion = integrate(system, 1.0, 2e-3, velocities, method=method, every=50)
    states = [motion.state(row) for row in range(len(reference))]
    force = [system.reactions(one.x, one.v, one.a, one.multipliers, one.t)[:3] for one in states]
    np.testing.assert_allclose(motion.times, reference[:, 0], atol=1e-12)
    np.testing.assert_allclose(motion.x[:, 3:], reference[:, 1:4], atol=1e-8)
    np.testing.assert_allclose(motion.v, reference[:, 4:7], atol=5e-8)
    np.testing.assert_allclose(motion.multipliers[:, 0], reference[:, 7], atol=2e-7)
    np.testing.assert_allclose(force, reference[:, 8:11], atol=5e-7)


def test_bar_pendulum_at_five_seconds() -> None:
    """r_j(5 s), eleven digits by spherical angles; the error of order 4 is 1.3e-8 at 4 ms, a sixteenth at 2 ms."""
    system, velocities = bar_pendulum()
    end = integrate(system, 5.0, 4e-3, velocities, method="runge-kutta", every=1250).x[-1, 3:]
    np.testing.assert_allclose(end, (-0.23814038986, -0.07031677102, -0.76048978062), atol=3e-8)


def test_generalized_alpha_is_of_order_two() -> None:
    """Halving the step divides the errors of positions, velocities, accelerations and multipliers by four."""
    system, velocities = bar_pendulum()
    exact = integrate(system, 0.5, 1e-3, velocities, method="runge-kutta", every=100)
    errors = []
    for step in (4e-3, 2e-3, 1e-3):
        motion = integrate(system, 0.5, step, velocities, every=round(0.1 / step))
        pairs = ((motion.x, exact.x), (motion.v, exact.v), (motion.a, exact.a), (motion.multipliers, exact.multipliers))
        errors.append([np.max(np.abs(mine - theirs)[1:]) for mine, theirs in pairs])
    orders = np.log2(np.array(errors)[:-1] / np.array(errors)[1:])
    # The next term of the error is smaller by a power of the step: some per cent at 4 ms.
    np.testing.assert_allclose(orders, 2.0, atol=0.15)


@pytest.mark.parametrize("rho", [0.9, 1.0])
def test_generalized_alpha_stays_with_a_fast_rotation(rho: float) -> None:
    """A bar turns freely at 40 rad/s, 0.1 rad a step, 400 steps: nothing across the constraint grows.

    The multiplier is m v^2 / (6 L^2) for Phi = r.r - L^2; its error of order 2 is (0.1)^2 / 12 and what rho takes of
    the energy: of order (0.1)^3 (1 - rho)^3 a radian, over 40 rad.
    """
    body = bar("bar", 1.0, 1.0, 0, 1)
    system = falling([body], NaturalMechanism([body], np.array([(0, 0, 0), (1.0, 0, 0)]), fixed_points=[0]), (0, 0, 0))
    motion = integrate(system, 1.0, 2.5e-3, np.array([0, 0, 0, 0, 40.0, 0]), rho=rho)
    np.testing.assert_allclose(motion.energy, motion.energy[0], rtol=1e-3 + 40 * 1e-3 * (1 - rho) ** 3)
    np.testing.assert_allclose(motion.multipliers[:, 0], 40.0**2 / 6, rtol=3e-3 + 40 * 1e-3 * (1 - rho) ** 3)


@pytest.mark.parametrize("method", FOURTH_ORDER)
def test_other_methods_are_of_order_four(method: str) -> None:
    system, velocities = bar_pendulum()
    exact = integrate(system, 0.48, 1e-3, velocities, method="runge-kutta", every=480).x[-1]
    errors = [
        np.max(np.abs(integrate(system, 0.48, step, velocities, method=method, every=1).x[-1] - exact))
        for step in (2.4e-2, 1.2e-2, 6e-3)
    ]
    # independent: z changes its meaning along the way, so that the constant of the error is not the same everywhere
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert np.all((orders > 3.5) & (orders < 5.0)), orders


POINTS = ((0, 0, 0), (0.5, 0.1, 0), (0, 0.6, 0.2), (0.1, 0, 0.7))
VECTORS = ((0, 1, 0.2), (0.1, 0, 1), (1, 0, 0.3))
KINDS = {
    "two points, two vectors": (2, 2),
    "three points, one vector": (3, 1),
    "four points": (4, 0),
    "one point, three vectors": (1, 3),
    "more than needed": (3, 3),
    "two points, one vector": (2, 1),
    "three points": (3, 0),
}


def free_body(n_points: int, n_vectors: int, inertia: np.ndarray, center: Any = (0.1, -0.2, 0.15)) -> NaturalBody:
    units = [np.array(vector) / np.linalg.norm(vector) for vector in VECTORS]
    points = tuple(BodyPoint(number, POINTS[number]) for number in range(n_points))
    return NaturalBody("body", 2.0, center, inertia, points, tuple(BodyVector(k, units[k]) for k in range(n_vectors)))


def set_free(body: NaturalBody, omega: np.ndarray, gravity: Any) -> tuple[NaturalSystem, np.ndarray]:
    """The body in its own axes at the start, turning about the origin of its axes."""
    points = np.array([point.local for point in body.points], dtype=float)
    vectors = np.array([vector.local for vector in body.vectors]).reshape(-1, 3)
    system = falling([body], NaturalMechanism([body], points, vectors), gravity)
    return system, np.concatenate((np.cross(omega, points).ravel(), np.cross(omega, vectors).ravel()))


def euler(inertia: np.ndarray, omega: np.ndarray, end: float) -> np.ndarray:
    """Orientation at the end by Euler's equations I w_dot + w x I w = 0, R_dot = R w~."""

    def rate(_: float, y: np.ndarray) -> np.ndarray:
        R, w = y[:9].reshape(3, 3), y[9:]
        tilde = np.cross(np.eye(3), w)  # rows e_i x w: the matrix of w x
        return np.concatenate(((R @ tilde).ravel(), np.linalg.solve(inertia, -np.cross(w, inertia @ w))))

    y = np.concatenate((np.eye(3).ravel(), omega))
    return solve_ivp(rate, (0, end), y, rtol=1e-12, atol=1e-12, method="DOP853").y[:9, -1].reshape(3, 3)


@pytest.mark.parametrize("kind", KINDS)
def test_free_body_against_euler(kind: str) -> None:
    """Every kind of spatial body, thrown: the centre falls freely, the rotation is that of Euler's equations.

    With rates of 4 rad/s and 5 ms, (4 * 0.005)^4 / 120 = 1e-9 a step is the scale of the error; 100 steps: 1e-7.
    """
    axes = Rotation.from_rotvec((0.3, -0.5, 0.8)).as_matrix()
    inertia = axes @ np.diag([0.3, 0.5, 0.7]) @ axes.T
    body = free_body(*KINDS[kind], inertia)
    omega, gravity, end = np.array([1.0, 2.0, -3.0]), np.array([0.0, 0.0, -9.81]), 0.5
    R = euler(inertia, omega, end)
    center = np.asarray(body.center)
    place = center + np.cross(omega, center) * end + gravity * end**2 / 2
    points = [place + R @ (np.asarray(point.local) - center) for point in body.points]
    exact = np.concatenate([*points, *(R @ vector.local for vector in body.vectors)])
    system, velocities = set_free(body, omega, gravity)
    assert system.n - system.m == 6
    for method in FOURTH_ORDER:
        motion = integrate(system, end, 5e-3, velocities, method=method, every=100)
        assert np.max(np.abs(motion.x[-1] - exact)) < 1e-7, method
        assert max(motion.drift.max(), motion.velocity_drift.max()) < 1e-14, method


def test_symmetric_top_against_the_closed_form() -> None:
    """Torque-free symmetric body: its axis turns about the angular momentum H at the rate |H| / I_1."""
    I1, I3, end = 0.5, 0.8, 1.0
    omega = np.array([0.7, 0.0, 3.0])
    body = free_body(2, 2, np.diag([I1, I1, I3]), center=(0, 0, 0))
    system, velocities = set_free(body, omega, (0, 0, 0))
    motion = integrate(system, end, 5e-3, velocities, method="runge-kutta", every=200)
    H = np.array([I1 * omega[0], 0.0, I3 * omega[2]])
    spin = (1 - I3 / I1) * omega[2]  # of the body about its axis, against the precession
    R = Rotation.from_rotvec(H / I1 * end).as_matrix() @ Rotation.from_rotvec((0, 0, spin * end)).as_matrix()
    exact = np.concatenate([R @ np.array(basic.local) for basic in (*body.points, *body.vectors)])
    np.testing.assert_allclose(motion.x[-1], exact, atol=2e-8)  # rates of 5 rad/s at 5 ms, 200 steps
    np.testing.assert_allclose(motion.energy, motion.energy[0], rtol=1e-9)


def test_a_step_of_many_periods_of_a_spring() -> None:
    """The spring of 628 us swings 16 times in a step: the tangent of its force is needed. What a step cannot resolve is
    damped by rho = 0.8 to nothing, and the mass comes to rest at the length of the spring."""
    body = NaturalBody("mass", 1.0, (0, 0), 0.0, (BodyPoint(1, (0, 0)),))
    mechanism = NaturalMechanism([body], np.array([(0, 0), (1.00001, 0)]), np.zeros((0, 2)), fixed_points=[0])
    law = LinearLaw(1e8, 1.0)
    system = NaturalSystem(
        mechanism, forces=lambda layout: [TranslationalSprings(layout, [(layout.point(0), layout.point(1))], [law])]
    )
    motion = integrate(system, 1.0, 1e-2)
    np.testing.assert_allclose(motion.x[-1], [0, 0, 1.0, 0], atol=1e-9)


class Raising:
    """A force that raises an error from 5 ms on."""

    def __init__(self, error: type[BaseException]):
        self.error = error

    def force(self, y: np.ndarray, y_dot: np.ndarray, t: float) -> np.ndarray:
        if t > 5e-3:
            raise self.error
        return np.zeros(y.size)

    def potential(self, y: np.ndarray, t: float) -> float:
        return 0.0


@pytest.mark.parametrize("error", [KeyboardInterrupt, RecursionError])
@pytest.mark.parametrize("method", ["generalized-alpha", "rk4"])
def test_what_a_force_raises_is_not_lost_in_machine_code(method: str, error: type[BaseException]) -> None:
    """Also a second Ctrl-C, which must not be printed and forgotten."""
    body = bar("bar", 1.5, 0.8, 0, 1)
    mechanism = NaturalMechanism([body], np.array([[0, 0, 0], [0.8, 0, 0]]), fixed_points=[0])
    system = NaturalSystem(mechanism, forces=lambda layout: [Raising(error)])
    run = NaturalIntegration(system.packed, Settings(0.02, 1e-3, method))
    run.start()
    assert run.advance(4) == ""
    with pytest.raises(error):
        run.advance(10)
