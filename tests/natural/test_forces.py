"""Forces in natural coordinates: their power is F . v and M . omega for random rigid motions, springs pull against the
slope of their energy, turns are counted, and a moving base gives the accelerations of the inertial frame.

Covers: natural.base_motion, natural.extension, natural.frame, natural.layout, natural.spring_laws, natural.springs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from flexmb.errors import InputError
from flexmb.natural.base_motion import BaseMotion
from flexmb.natural.body import BodyPoint, NaturalBody
from flexmb.natural.extension import Extension
from flexmb.natural.forces import ConcentratedForces, Gravity, force_on, torque_on
from flexmb.natural.layout import Layout, point_of
from flexmb.natural.mass import extended_mass_matrix, mass_matrix
from flexmb.natural.spring_laws import LinearLaw, TabledLaw
from flexmb.natural.springs import TranslationalSprings
from tests.support.natural_joints import velocity_force
from tests.support.natural_solids import KINDS, ROUND, SPATIAL, Array, RigidMotion, Solid, motion, random_body, rigid

# Central differences of smooth functions of order ten with the step 1e-5: 1e-10 times the third derivative, and
# round-off 1e-15 / 1e-5.
DIFFERENCE = 1e-7


def slope_of(function: Callable[[Array], float], y: Array, h: float = 1e-5) -> Array:
    return np.array([function(y + d) - function(y - d) for d in h * np.eye(len(y))]) / (2 * h)


def line_body(rng: np.random.Generator) -> tuple[NaturalBody, Layout]:
    """A bar of two masses and its layout."""
    ends = rng.normal(size=(2, 3))
    cloud = Solid(np.array([0.3, 0.9]), np.array([0.8 * ends[0] + 0.2 * ends[1], 0.4 * ends[0] + 0.6 * ends[1]]))
    bar = cloud.body(ends, np.zeros((0, 3)))
    return bar, Layout.of([bar], 2, 0)


@SPATIAL
@pytest.mark.parametrize("in_body", [False, True])
def test_power_of_forces_and_torques(n_points: int, n_vectors: int, in_body: bool) -> None:
    """v . V^T Q_y = F . v_P + M . omega, at a point that is not basic, components in fixed or body axes."""
    rng = np.random.default_rng([21, n_points, n_vectors])
    _, body, layout = random_body(rng, n_points, n_vectors)
    extension = Extension([body], layout)
    local, force, torque = rng.normal(size=(3, 3))
    for _ in range(4):
        moving = motion(rng)
        x, v, _ = moving.coordinates(body)
        R = moving.R if in_body else np.eye(3)
        loads = ConcentratedForces(
            layout,
            [force_on(body, local, lambda t: t * force, layout, in_body)],
            [torque_on(body, lambda t: t**2 * torque, layout, in_body)],
        )
        generalised = extension.jacobian(x).T @ loads.force(extension.extend(x), extension.velocity(x, v), 0.5)
        velocity = moving.of(local[None])[1][0]
        power = 0.5 * (R @ force) @ velocity + 0.25 * (R @ torque) @ moving.omega
        assert v @ generalised == pytest.approx(power, abs=ROUND)


def couple_of_the_book(body: NaturalBody, layout: Layout, x: Array, R: Array, torque: Array) -> Array:
    """Eq. 4.96-4.99; for a torque along r_j - r_i any arm normal to it."""
    arm = np.cross(x[3:6] - x[:3], torque)
    if np.linalg.norm(arm) < 1e-9:
        arm = np.cross(torque, [0.3, -0.5, 0.8])
    u = arm / np.linalg.norm(arm)
    f = np.cross(u, torque)
    generalised = np.zeros(layout.n_extended)
    start = body.places[0]
    point_of(body, start, layout).add_force(f, generalised)
    point_of(body, start + R.T @ u, layout).add_force(-f, generalised)
    return generalised


@pytest.mark.parametrize("along", [False, True])
@pytest.mark.parametrize(("n_points", "n_vectors"), [(2, 2), (4, 0), (2, 1)])
def test_torque_is_the_couple_of_the_book(n_points: int, n_vectors: int, along: bool) -> None:
    """The couple of eq. 4.99 differs only by forces that the rigid constraints take, also for M along r_j - r_i."""
    rng = np.random.default_rng([22, n_points, n_vectors])
    _, body, layout = random_body(rng, n_points, n_vectors)
    extension = Extension([body], layout)
    moving = motion(rng)
    x, v, _ = moving.coordinates(body)
    torque = 1.7 * (x[3:6] - x[:3]) if along else rng.normal(size=3)
    ours = ConcentratedForces(layout, torques=[torque_on(body, torque, layout)]).force(extension.extend(x), v, 0.0)
    book = couple_of_the_book(body, layout, x, moving.R, torque)
    V = extension.jacobian(x)
    assert v @ (V.T @ book) == pytest.approx(torque @ moving.omega, abs=ROUND)
    gap = V.T @ (ours - book)
    gradient = rigid(body, layout).gradient(x).toarray()
    multipliers, *_ = np.linalg.lstsq(gradient.T, gap, rcond=None)
    np.testing.assert_allclose(gradient.T @ multipliers, gap, rtol=0, atol=ROUND)


def test_torque_on_a_bar_and_in_the_plane() -> None:
    """A bar feels no torque about its line; a planar body feels one number."""
    rng = np.random.default_rng(23)
    bar, layout = line_body(rng)
    moving = motion(rng)
    x, v, _ = moving.coordinates(bar)
    line = moving.R @ (bar.places[1] - bar.places[0])
    line /= np.linalg.norm(line)
    torque = rng.normal(size=3)
    generalised = ConcentratedForces(layout, torques=[torque_on(bar, torque, layout)]).force(x, v, 0.0)
    across = torque - (torque @ line) * line
    assert v @ generalised == pytest.approx(across @ moving.omega, abs=ROUND)

    _, body, layout = random_body(rng, 2, 0, dimension=2)
    moving = motion(rng, 2)
    x, v, _ = moving.coordinates(body)
    local, force = rng.normal(size=(2, 2))
    for in_body in (False, True):
        parts = [force_on(body, local, force, layout, in_body)], [torque_on(body, 1.4, layout, in_body)]
        fixed = moving.R @ force if in_body else force
        power = fixed @ moving.of(local[None])[1][0] + 1.4 * moving.omega[2]
        assert v @ ConcentratedForces(layout, *parts).force(x, v, 0.0) == pytest.approx(power, abs=ROUND)


@SPATIAL
def test_gravity(n_points: int, n_vectors: int) -> None:
    """V = -m r_G . g of the cloud; the force is its negative slope and drives things the way g points."""
    rng = np.random.default_rng([24, n_points, n_vectors])
    cloud, body, layout = random_body(rng, n_points, n_vectors)
    extension = Extension([body], layout)
    g = rng.normal(size=3)
    gravity = Gravity([body], layout, g)
    moving = motion(rng)
    x, v, _ = moving.coordinates(body)
    places, velocities, _ = moving.of(cloud.places)
    y = extension.extend(x)
    assert gravity.potential(y, 0.0) == pytest.approx(-float(cloud.masses @ (places @ g)), abs=ROUND)
    generalised = extension.jacobian(x).T @ gravity.force(y, v, 0.0)
    assert v @ generalised == pytest.approx(float(cloud.masses @ (velocities @ g)), abs=ROUND)


def test_potential_of_a_constant_force() -> None:
    """A constant force is the negative slope of its potential; one that turns with the body has none."""
    rng = np.random.default_rng(25)
    _, body, layout = random_body(rng, 2, 2)
    x, v, _ = motion(rng).coordinates(body)
    local, force = rng.normal(size=(2, 3))
    fixed = ConcentratedForces(layout, [force_on(body, local, force, layout)])
    slope = slope_of(lambda y: fixed.potential(y, 0.0), x)
    np.testing.assert_allclose(fixed.force(x, v, 0.0), -slope, rtol=0, atol=DIFFERENCE)
    assert ConcentratedForces(layout, [force_on(body, local, force, layout, True)]).potential(x, 0.0) == 0.0


def two_bodies(rng: np.random.Generator) -> tuple[NaturalBody, NaturalBody, Layout, Extension, Array, Array]:
    """A body of two points and a vector and one of four points, apart, with a random position and velocity."""
    _, first, _ = random_body(rng, 2, 1)
    _, second, _ = random_body(rng, 4, 0)
    moved = tuple(BodyPoint(point.number + 2, point.local) for point in second.points)
    second = replace(second, name="second", points=moved)
    layout = Layout.of([first, second], 6, 1)
    x, v = np.zeros((2, layout.n_coordinates))
    for body in (first, second):
        columns = layout.basics(body)
        x[columns], v[columns], _ = motion(rng).coordinates(body)
    return first, second, layout, Extension([first, second], layout), x, v


TABLE = TabledLaw([0.2, 0.9, 1.5, 2.5, 4.0], [-3.0, -1.0, 0.0, 4.0, 5.0])
LAWS = {"linear": LinearLaw(30.0, 0.4, preload=1.5), "table": TABLE, "below": TabledLaw([5.0, 9.0], [1.0, 3.0])}


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_springs_pull_against_the_slope_of_their_energy(law: LinearLaw | TabledLaw) -> None:
    """Between points that are not basic, one of them on a body whose third direction is a cross product."""
    rng = np.random.default_rng(26)
    first, second, layout, extension, x, v = two_bodies(rng)
    ends = (point_of(first, rng.normal(size=3), layout), point_of(second, rng.normal(size=3), layout))
    springs = TranslationalSprings(layout, [ends, (layout.point(0), layout.point(4))], [law, LinearLaw(7.0, 0.3)])
    y, y_dot = extension.extend(x), extension.velocity(x, v)
    in_y = slope_of(lambda y: springs.potential(y, 0.0), y)
    np.testing.assert_allclose(springs.force(y, y_dot, 0.0), -in_y, rtol=0, atol=10 * DIFFERENCE)
    in_x = slope_of(lambda x: springs.potential(extension.extend(x), 0.0), x)
    pulled_back = extension.jacobian(x).T @ springs.force(y, y_dot, 0.0)
    np.testing.assert_allclose(pulled_back, -in_x, rtol=0, atol=10 * DIFFERENCE)


def test_spring_between_basic_points() -> None:
    """Eq. 4.105 with its sign corrected: a stretched spring pulls its ends together, V = k (L - L_0)^2 / 2."""
    layout = Layout.of([], 2, 0)
    springs = TranslationalSprings(layout, [(layout.point(0), layout.point(1))], [LinearLaw(50.0, 1.0, damping=2.0)])
    y, rest = np.array([0.0, 0, 0, 0, 1.3, 0]), np.zeros(6)
    np.testing.assert_allclose(springs.force(y, rest, 0.0), [0, 15, 0, 0, -15, 0], rtol=0, atol=ROUND)
    assert springs.potential(y, 0.0) == pytest.approx(0.5 * 50.0 * 0.09)
    v = np.array([0.0, 0, 0, 3.0, 0.5, 0])
    damped = springs.force(y, v, 0.0) - springs.force(y, rest, 0.0)
    assert damped @ v == pytest.approx(-2.0 * 0.5**2)
    np.testing.assert_array_equal(springs.force(np.zeros(6), v, 0.0), np.zeros(6))
    assert not np.any(TranslationalSprings(layout, [], []).force(y, v, 0.0))


def test_tabled_law_goes_on_with_its_slopes() -> None:
    """Inside the straight lines, outside their continuation; the energy is the integral of the force."""
    assert TABLE.force(1.2) == pytest.approx(-0.5)
    assert TABLE.force(0.0) == pytest.approx(-3.0 - 0.2 * 2.0 / 0.7)
    assert TABLE.force(5.5) == pytest.approx(6.0)
    for start, end in ((-0.5, 0.1), (0.1, 1.1), (1.1, 3.0), (3.0, 6.0)):
        s = np.linspace(start, end, 20001)
        force = np.array([TABLE.force(value) for value in s])
        # Straight pieces: the trapezoid rule errs only in the one step that holds a corner, by 1e-4^2 times the bend.
        area = float(np.sum(0.5 * (force[1:] + force[:-1]) * np.diff(s)))
        assert TABLE.energy(end) - TABLE.energy(start) == pytest.approx(area, abs=1e-7)


PLANAR = [(2, 2, 0), (2, 1, 1), (2, 3, 2)]


@pytest.mark.parametrize(("dimension", "n_points", "n_vectors"), [*((3, *kind) for kind in KINDS), *PLANAR])
def test_moving_base(dimension: int, n_points: int, n_vectors: int) -> None:
    """Virtual power of inertia in the moving frame, with the forces of the base, equals sum m a_absolute . v* from the
    differentiated path in the inertial frame; without the Coriolis part it does not."""
    rng = np.random.default_rng([28, n_points, n_vectors])
    cloud, body, layout = random_body(rng, n_points, n_vectors, dimension)
    extension = Extension([body], layout)
    relative = motion(rng, dimension)
    origin = rng.normal(size=dimension)
    omega, alpha = rng.normal(size=(2, 2 * dimension - 3))
    x, v, a = relative.coordinates(body)
    y, y_dot = extension.extend(x), extension.velocity(x, v)
    mass = extended_mass_matrix([body], layout)
    base = BaseMotion(layout, mass, lambda t: t * origin, lambda t: t * omega, lambda t: t * alpha)
    pull = extension.jacobian(x).T @ base.force(y, y_dot, 2.0)
    no_coriolis = extension.jacobian(x).T @ base.force(y, 0.0 * y_dot, 2.0)
    inertia = mass_matrix(body, x) @ a - velocity_force(body, x, v) - pull
    worst = 0.0
    absolute = absolute_accelerations(cloud, relative, 2.0 * origin, 2.0 * omega, 2.0 * alpha)
    for _ in range(6):
        virtual = motion(rng, dimension)
        virtual = replace(relative, p_dot=virtual.p_dot, omega=virtual.omega)
        power = float(np.sum(cloud.masses[:, None] * absolute * virtual.of(cloud.places)[1]))
        v_star = virtual.coordinates(body)[1]
        # The path is differentiated twice by differences: 1e-8 for each of 15 masses, times velocities of order ten.
        assert v_star @ inertia == pytest.approx(power, abs=3e-6)
        worst = max(worst, abs(v_star @ (inertia + pull - no_coriolis) - power))
    assert worst > 0.1


def absolute_accelerations(cloud: Solid, relative: RigidMotion, origin: Array, omega: Array, alpha: Array) -> Array:
    """(n, dimension) accelerations of the cloud in the inertial frame, by rotations as functions of time: the base
    turns by exp of (omega t + alpha t^2 / 2), which has these rates at t = 0 to the order that matters, then the body
    relative to it. Differences of fourth order with h = 1e-3 err by h^4 / 90 times sixth derivatives of order 1e4, and
    by round-off 1e-15 / h^2, times a few."""
    dimension = len(origin)

    def turned(rate: Array, growth: Array, t: float) -> Array:
        along = np.zeros(3)
        along[-len(rate) :] = rate * t + 0.5 * growth * t**2
        return Rotation.from_rotvec(along).as_matrix()[:dimension, :dimension]

    def place(t: float) -> Array:
        turn = turned(relative.omega, relative.alpha, t)
        inside = cloud.places @ (turn @ relative.R).T
        inside = inside + relative.p + relative.p_dot * t + 0.5 * relative.p_ddot * t**2
        return 0.5 * origin * t**2 + inside @ turned(omega, alpha, t).T

    h = 1e-3
    outer, inner = place(2 * h) + place(-2 * h), place(h) + place(-h)
    return (16.0 * inner - outer - 30.0 * place(0.0)) / (12.0 * h**2)


def test_potential_of_a_steady_base() -> None:
    """At rest relative to a steadily turning base the force is the negative slope of V, the sum of
    m (r . a_0 - |Omega x r|^2 / 2) (eq. 4.136, its sign corrected), in space and in the plane; the Coriolis part has
    no power."""
    rng = np.random.default_rng(29)
    for dimension in (2, 3):
        cloud, body, layout = random_body(rng, 2, 2 if dimension == 3 else 0, dimension)
        omega = np.array([0.0, 0.0, 1.3]) if dimension == 2 else rng.normal(size=3)
        origin = rng.normal(size=dimension)
        mass = extended_mass_matrix([body], layout)
        base = BaseMotion(layout, mass, origin, omega[2] if dimension == 2 else omega, np.zeros(2 * dimension - 3))
        moving = motion(rng, dimension)
        x, v, _ = moving.coordinates(body)
        places = np.zeros((len(cloud.places), 3))
        places[:, :dimension] = moving.of(cloud.places)[0]
        spinning = 0.5 * float(np.sum(cloud.masses[:, None] * np.cross(omega, places) ** 2))
        lifting = float(cloud.masses @ places[:, :dimension] @ origin)
        assert base.potential(x, 0.0) == pytest.approx(lifting - spinning, abs=10 * ROUND)
        slope = slope_of(lambda y, base=base: base.potential(y, 0.0), x)
        np.testing.assert_allclose(base.force(x, 0 * v, 0.0), -slope, rtol=0, atol=10 * DIFFERENCE)
        assert abs(v @ (base.force(x, v, 0.0) - base.force(x, 0 * v, 0.0))) < 10 * ROUND


WRONG = {
    "no body axes": lambda bar, layout: force_on(bar, bar.center, [1, 0, 0], layout, in_body=True),
    "a torque needs": lambda bar, layout: torque_on(bar, [1, 0, 0], layout, in_body=True),
    "gravity needs 3": lambda bar, layout: Gravity([bar], layout, [0, -9.81]),
    "must increase": lambda bar, layout: TabledLaw([0, 2, 1], [0, 1, 2]),
    "at least two": lambda bar, layout: TabledLaw([0], [0]),
    "springs and 0 laws": lambda bar, layout: TranslationalSprings(layout, [(layout.point(0), layout.point(1))], []),
}


@pytest.mark.parametrize("text", WRONG)
def test_wrong_input_is_named(text: str) -> None:
    bar, layout = line_body(np.random.default_rng(30))
    with pytest.raises(InputError) as caught:
        WRONG[text](bar, layout)
    assert text in str(caught.value)
