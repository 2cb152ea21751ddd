"""Systems in natural coordinates: assembly, rows left out, explicit joints, mixed coordinates, drives, reactions.

Covers: natural.mixed, natural.projection, natural.start.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.polynomial import Polynomial

import flexmb as fx
from flexmb.errors import ComputationError, InputError
from flexmb.natural.body import BodyPoint, BodyVector, NaturalBody
from flexmb.natural.constraints import ConstraintBuilder
from flexmb.natural.forces import Gravity
from flexmb.natural.integration import METHODS, integrate
from flexmb.natural.layout import Layout
from flexmb.natural.mass import mass_matrix
from flexmb.natural.mixed import Angle, AngleRows, angle_between, distance, slide
from flexmb.natural.projection import accelerations
from flexmb.natural.spring_laws import LinearLaw
from flexmb.natural.system import NaturalMechanism, NaturalSystem
from tests.support.natural_joints import ScalarSprings, cylindrical, driven_distance, driven_scalar
from tests.support.natural_links import AXIS, CENTERS, GRAVITY, INERTIA, O, P, Q, two_links


@pytest.mark.parametrize(("kind", "freedoms"), [("cylindrical", 3), ("prismatic", 2), ("universal", 3)])
def test_explicit_joints_against_core(kind: str, freedoms: int, tmp_path: Path) -> None:
    """The same two bodies in the joint coordinates of the core: places of P and Q over 0.3 s to 1e-8."""
    model = fx.Model(kind, gravity=GRAVITY.tolist())
    for number, name in enumerate(("first", "second")):
        tensor = INERTIA if number == 0 else 0.5 * INERTIA
        model.rigid(name, mass=(1.5, 1.0)[number], inertia=tensor.tolist(), center=CENTERS[number].tolist())
    marks = {"P": model.marker("first", "P", at=P.tolist()), "Q": model.marker("second", "Q", at=Q.tolist())}
    model.revolute("bearing", model.ground, "first", at=O.tolist(), axis="x", velocity=2)
    if kind == "universal":
        axes = [AXIS.tolist(), [0.8, -0.48, 0.36]]
        model.universal("joint", "first", "second", at=P.tolist(), axes=axes, velocity=[0.8, 1.5])
    elif kind == "cylindrical":
        model.cylindrical("joint", "first", "second", at=P.tolist(), axis=AXIS.tolist(), velocity=[0.3, 1.5])
    else:
        model.prismatic("joint", "first", "second", at=P.tolist(), axis=AXIS.tolist(), velocity=0.3)
    for name, marker in marks.items():
        for component in "xyz":
            model.sensor(f"{name}_{component}", marker=marker, component=component)
    model.analysis(end=0.3, method="rk45", tolerance=1e-11)
    model.output(every=0.1)
    result = fx.run_model(model, tmp_path / "run.h5")
    core = np.column_stack([result[f"sensors/{name}_{component}"] for name in marks for component in "xyz"])

    system, velocities = two_links(kind)
    assert system.n - system.m == freedoms
    motion = integrate(system, 0.3, 2e-3, velocities, method="runge-kutta", every=50)
    np.testing.assert_allclose(motion.v[0], velocities[system.moving], atol=1e-13)  # they satisfied the constraints
    np.testing.assert_allclose(motion.x[:, [3, 4, 5, 9, 10, 11]], core, atol=1e-8)
    assert max(motion.drift.max(), motion.velocity_drift.max()) < 1e-14


def test_assembled_mass_is_the_sum_of_the_bodies() -> None:
    """T = v^T M v / 2, with the velocities of every body through its own mass matrix."""
    system, velocities = two_links("prismatic")
    v = velocities[system.moving]
    energy = 0.0
    for body in system.bodies:
        rates = velocities[system.layout.basics(body)]
        energy += 0.5 * rates @ mass_matrix(body, system.start[system.layout.basics(body)]) @ rates
    assert system.kinetic_energy(system.start, v) == pytest.approx(energy, rel=1e-13)
    assert 0.5 * v @ system.mass_dense(system.start) @ v == pytest.approx(energy, rel=1e-13)
    entries = system.mass_entries(system.start)
    np.testing.assert_allclose(system.mass_times(entries, v), system.mass_dense(system.start) @ v, atol=1e-14)


def angled(dimension: int) -> AngleRows:
    """One angle between differences of four points, the scalar behind them."""
    layout = Layout.of([], 5, 0, 1, dimension=dimension)
    points = [layout.point(number) for number in range(5)]
    axis = points[4] if dimension == 3 else None
    return AngleRows([Angle(points[1] - points[0], points[3] - points[2], 0, axis)], layout)


@pytest.mark.parametrize("dimension", [2, 3])
def test_derivatives_of_an_angle_row(dimension: int) -> None:
    """Gradient, gamma and second derivatives against central differences of the value (error of order 1e-10)."""
    rows, size = angled(dimension), 5 * dimension + 1
    generator = np.random.default_rng(4)
    x, v, step = generator.normal(size=size), generator.normal(size=size), 1e-5

    def gradient(place: np.ndarray) -> np.ndarray:
        return np.bincount(rows.columns, weights=rows.entries(place), minlength=size)

    units = step * np.eye(size)
    slope = [(rows.value(x + e, 0)[0] - rows.value(x - e, 0)[0]) / (2 * step) for e in units]
    np.testing.assert_allclose(gradient(x), slope, atol=1e-8)
    bend = (gradient(x + step * v) - gradient(x - step * v)) @ v / (2 * step)
    np.testing.assert_allclose(rows.gamma(x, v, 0)[0], bend, atol=1e-7)
    hessian = np.zeros((size, size))
    np.add.at(hessian, (rows.hessian_rows, rows.hessian_columns), rows.hessian_entries(x, np.array([0.7])))
    np.testing.assert_allclose(
        hessian, [0.7 * (gradient(x + e) - gradient(x - e)) / (2 * step) for e in units], atol=1e-7
    )


def wheel(**more: Any) -> tuple[NaturalSystem, np.ndarray]:
    """A planar body about a fixed point at 9 rad/s, with the angle to the ground as a mixed coordinate."""
    body = NaturalBody("wheel", 2.0, (0, 0), 0.3, (BodyPoint(0, (0, 0)), BodyPoint(1, (0.5, 0))))
    mechanism = NaturalMechanism([body], np.array([(0, 0), (0.5, 0)]), np.zeros((0, 2)), np.zeros(1), fixed_points=[0])
    system = NaturalSystem(
        mechanism,
        sets=lambda layout: [AngleRows([Angle(layout.constant((1, 0)), layout.point(1), 0)], layout)],
        **more,
    )
    return system, np.array([0, 0, 0, 4.5, 9.0])


@pytest.mark.parametrize("method", METHODS)
def test_angles_count_their_turns(method: str) -> None:
    """Free wheel: psi = 9 t over almost three turns; x is known in closed form, and no road loses a turn.

    Order 4 at 9 rad/s and 5 ms: (0.045)^5 / 120 a step, 400 steps: 6e-7 is the scale, ten times it allowed.
    Order 2: 9^3 * 2 s * h^2 / 12 = 3e-3.
    """
    system, velocities = wheel()
    motion = integrate(system, 2.0, 5e-3, velocities, method=method, every=40)
    np.testing.assert_allclose(motion.x[:, 4], 9 * motion.times, atol=5e-3 if method == "generalized-alpha" else 6e-6)
    np.testing.assert_allclose(motion.x[:, 2], 0.5 * np.cos(motion.x[:, 4]), atol=1e-14)
    np.testing.assert_allclose(motion.v[:, 2], 9.0, rtol=1e-3 if method == "generalized-alpha" else 1e-6)


def test_rotational_spring_over_several_turns() -> None:
    """A torsion spring wound up over more than a turn: psi = (9 / w) sin w t with w^2 = k / I, by the mixed coordinate.
    w = 1 rad/s: largest angle 9 rad; error of order 4 as above."""
    law = LinearLaw(0.3, 0.0)

    def forces(layout: Layout) -> list[Any]:
        return [ScalarSprings(layout, [layout.scalar_column(0)], [law])]

    system, velocities = wheel(forces=forces)
    motion = integrate(system, 2.4, 5e-3, velocities, method="runge-kutta", every=48)
    np.testing.assert_allclose(motion.x[:, 4], 9 * np.sin(motion.times), atol=1e-6)
    np.testing.assert_allclose(motion.energy, 0.5 * 0.3 * 81, rtol=1e-6)
    assert motion.x[:, 4].max() > 2 * np.pi


def driven(t: float) -> tuple[float, float, float]:
    angle = Polynomial([0, 1.0, 2.0, -0.5])
    return float(angle(t)), float(angle.deriv()(t)), float(angle.deriv(2)(t))


@pytest.mark.parametrize("method", ["generalized-alpha", "runge-kutta", "canonical", "independent"])
def test_driven_angle_does_work(method: str) -> None:
    """A wheel driven by psi(t) = t + 2 t^2 - t^3 / 2: no freedom is left, the multiplier is the torque.

    T = I psi_dot^2 / 2 at every moment, and the power lambda.Phi_t is its rate, I psi_dot psi_ddot: closed forms.
    """
    system, _ = wheel(joints=[driven_scalar(0, driven)])
    assert system.n == system.m
    motion = integrate(system, 1.0, 1e-2, method=method, every=10)
    psi, rate, acceleration = np.array([driven(t) for t in motion.times]).T
    np.testing.assert_allclose(motion.x[:, 4], psi, atol=1e-14)
    # generalised-alpha closes velocities and positions to 1e-12 of their size
    np.testing.assert_allclose(motion.kinetic, 0.5 * 0.3 * rate**2, rtol=1e-12)
    # generalised-alpha: accelerations and multipliers of order 2, relative 1e-4 * psi_dot^2 and its like
    tolerance = 2e-2 if method == "generalized-alpha" else 1e-12
    np.testing.assert_allclose(motion.power, 0.3 * rate * acceleration, atol=tolerance)


@pytest.mark.parametrize("method", METHODS)
def test_power_with_a_mass_matrix_that_varies(method: str) -> None:
    """A body of two points and a vector, its centre off their plane, thrown with a spin: only its weight has a power.

    Where the origin moves along the spin, the velocity force of [GJB eq. 4.78] times the velocity is not zero.
    """
    points, vectors = np.array([O, (1.0, 0, 0)]), np.array([(0, 1.0, 0)])
    places = BodyPoint(0, points[0]), BodyPoint(1, points[1])
    body = NaturalBody("thrown", 2.0, (0.3, 0.2, 0.5), INERTIA, places, (BodyVector(0, vectors[0]),))
    mechanism = NaturalMechanism([body], points, vectors)
    system = NaturalSystem(mechanism, forces=lambda layout: [Gravity([body], layout, GRAVITY)])
    assert not system.has_constant_mass
    spin, speed = np.array([1.0, 2.0, -3.0]), np.array([0.5, -1.0, 2.0])
    turning = np.cross(spin, [*points, *vectors])
    velocities = np.concatenate([speed, speed + turning[1], turning[2]])
    motion = integrate(system, 0.1, 1e-3, velocities, method=method, every=20)
    # a centre of mass falls freely, whatever the body does
    fall = speed + np.cross(spin, body.center) + GRAVITY * motion.times[:, None]
    tolerance = 1e-4 if method == "generalized-alpha" else 1e-8
    np.testing.assert_allclose(motion.power, 2.0 * fall @ GRAVITY, atol=tolerance)


def test_distance_slide_and_driven_distance() -> None:
    """A point mass on a driven radius: its distance and its way along x are mixed coordinates."""
    body = NaturalBody("mass", 1.2, (0, 0, 0), np.zeros((3, 3)), (BodyPoint(1, (0, 0, 0)),))
    points, start = np.array([(0.0, 0, 0), (0.6, 0.8, 0)]), np.array([1.0, 0.6])
    mechanism = NaturalMechanism([body], points, np.array([(1.0, 0, 0)]), start, fixed_points=[0], fixed_vectors=[0])

    def radius(t: float) -> tuple[float, float, float]:
        return 1.0 + 0.5 * t * t, t, 1.0

    joints = [distance((0, 1), 0), slide((0, 1), 0, 1), driven_distance((0, 1), radius)]
    system = NaturalSystem(mechanism, joints)
    assert system.n - system.m == 2
    velocities = np.concatenate((np.zeros(3), 2.0 * np.array([-0.8, 0.6, 0]), np.zeros(3), (0, -1.6)))
    motion = integrate(system, 1.0, 5e-3, velocities, method="runge-kutta", every=20)
    np.testing.assert_allclose(motion.x[:, 9], 1 + 0.5 * motion.times**2, atol=1e-14)
    np.testing.assert_allclose(motion.x[:, 10], motion.x[:, 3], atol=1e-15)
    # a central force keeps the angular momentum; the driving force is m (s_ddot - h^2 / s^3), its power the rate of T
    momentum = np.cross(motion.x[:, 3:6], motion.v[:, :3])[:, 2]
    np.testing.assert_allclose(momentum, 2.0, rtol=1e-8)
    s = motion.x[:, 9]
    np.testing.assert_allclose(motion.power, 1.2 * (1 - 4 / s**3) * motion.times, atol=1e-7)


def test_rows_that_say_nothing_new_are_left_out() -> None:
    """Two bodies share two points and a vector: three rows twice. A door on two fixed points keeps one freedom."""
    points = np.array([(0, 0, 0), (0, 0, 1.0), (1.0, 0, 0.2)])
    vectors = np.array([(0.0, 1.0, 0)])

    def leaf(name: str) -> NaturalBody:
        places = tuple(BodyPoint(k, points[k]) for k in range(3))
        return NaturalBody(name, 3.0, (0.4, 0, 0.5), 0.1 * np.eye(3), places, (BodyVector(0, vectors[0]),))

    door = NaturalSystem(NaturalMechanism([leaf("a"), leaf("b")], points, vectors, fixed_points=[0, 1]))
    assert door.constraints.joined.n_rows == 12
    assert (door.n, door.m) == (6, 5)
    a, multipliers = accelerations(door, door.start, np.zeros(6), 0.0)
    np.testing.assert_allclose(a, 0, atol=1e-13)
    assert door.constraints.all_multipliers(multipliers).shape == (12,)


def test_dependent_rows_of_a_large_linkage() -> None:
    """300 four-bar loops in space with one fixed axis: one row of every loop follows from the others (each coupler says
    again that its ends stay in the plane); 902 rows are left for 903 coordinates, and the linkage moves."""
    loops = 300
    generator = np.random.default_rng(5)
    feet = np.column_stack((np.arange(loops + 1), np.zeros((loops + 1, 2))))
    tips = feet + np.column_stack(
        (generator.uniform(0.1, 0.3, loops + 1), np.full(loops + 1, 1.0), np.zeros(loops + 1))
    )
    points, axis = np.vstack((feet, tips)), BodyVector(0, (0, 0, 1))

    def link(name: str, i: int, j: int) -> NaturalBody:
        center = 0.5 * (points[i] + points[j])
        return NaturalBody(
            name, 1.0, center, 0.1 * np.eye(3), (BodyPoint(i, points[i]), BodyPoint(j, points[j])), (axis,)
        )

    cranks = [link(f"crank {k}", k, loops + 1 + k) for k in range(loops + 1)]
    couplers = [link(f"coupler {k}", loops + 1 + k, loops + 2 + k) for k in range(loops)]
    fixed = range(loops + 1)
    mechanism = NaturalMechanism(
        [*cranks, *couplers], points, np.array([(0, 0, 1.0)]), fixed_points=fixed, fixed_vectors=[0]
    )
    system = NaturalSystem(mechanism, forces=lambda layout: [Gravity([*cranks, *couplers], layout, (0, -9.81, 0))])
    assert (system.n, system.m) == (3 * loops + 3, 3 * loops + 2)
    motion = integrate(system, 0.02, 2e-3)
    assert motion.kinetic[-1] > 0.0
    assert max(motion.drift.max(), motion.velocity_drift.max()) < 1e-12  # round-off of coordinates up to 300
    assert np.ptp(motion.energy) < 1e-4 * motion.kinetic[-1]


def test_reactions_of_a_hanging_door() -> None:
    """A door about a horizontal axis at rest: the supports carry the weight, shared by the moments about them."""
    points = np.array([(0, 0, 0), (1.0, 0, 0), (0, 0, -0.8)])
    places = tuple(BodyPoint(k, points[k]) for k in range(3))
    body = NaturalBody("door", 5.0, (0.3, 0, -0.4), np.diag([0.3, 0.4, 0.2]), places, (BodyVector(0, (0, 1, 0)),))
    mechanism = NaturalMechanism([body], points, np.array([(0.0, 1, 0)]), fixed_points=[0, 1])
    system = NaturalSystem(mechanism, forces=lambda layout: [Gravity([body], layout, (0, 0, -9.81))])
    rest = np.zeros(system.n)
    a, multipliers = accelerations(system, system.start, rest, 0.0)
    force = system.reactions(system.start, rest, a, multipliers, 0.0)
    np.testing.assert_allclose(a, 0, atol=1e-12)
    np.testing.assert_allclose(force[:3] + force[3:6], (0, 0, 5 * 9.81), atol=1e-11)
    np.testing.assert_allclose(force[5], 0.3 * 5 * 9.81, atol=1e-11)
    np.testing.assert_allclose(force[6:], 0, atol=0)


def test_start_is_moved_onto_the_constraints() -> None:
    body = NaturalBody("bar", 1.0, (0.5, 0), 1 / 12, (BodyPoint(0, (0, 0)), BodyPoint(1, (1, 0))))
    system = NaturalSystem(NaturalMechanism([body], np.array([(0, 0), (0.9, 0.3)]), np.zeros((0, 2)), fixed_points=[0]))
    np.testing.assert_allclose(system.start[2:], np.array([0.9, 0.3]) / np.hypot(0.9, 0.3), atol=1e-15)


def test_wrong_input_is_refused() -> None:
    body = NaturalBody("bar", 1.0, (0.5, 0), 1 / 12, (BodyPoint(0, (0, 0)), BodyPoint(1, (1, 0))))
    points, none = np.array([(0, 0), (1.0, 0)]), np.zeros((0, 2))
    with pytest.raises(InputError, match="finite"):
        NaturalSystem(NaturalMechanism([body], np.array([(0, 0), (np.nan, 0)]), none, fixed_points=[0]))

    def apart(builder: ConstraintBuilder, layout: Layout) -> None:
        builder.dot(layout.point(1), layout.point(1), 4.0, name="twice as long")

    with pytest.raises((InputError, ComputationError), match="twice as long|no position"):
        NaturalSystem(NaturalMechanism([body], points, none, fixed_points=[0]), [apart])
    system = NaturalSystem(NaturalMechanism([body], points, none, fixed_points=[0]))
    with pytest.raises(InputError) as caught:
        integrate(system, -1.0, 0.0, method="euler", rho=2.0)
    assert len(caught.value.faults) == 4
    with pytest.raises(InputError, match="4 finite numbers"):
        integrate(system, 1.0, 0.1, velocities=np.zeros(3))


def test_wrong_joints_are_refused() -> None:
    vectors = np.array([(1.0, 0, 0), (0, 1.0, 0), (0.6, 0, 0.8), (0, -1.0, 0)])
    mechanism = NaturalMechanism([], np.zeros((2, 3)), vectors)
    with pytest.raises(InputError, match="vector 2 is not across the axis"):
        cylindrical(mechanism, 0, (0, 1), (1, 2), name="guide")
    beside = NaturalMechanism([], np.array([(0, 0, 0), (0, 0.1, 0.0)]), np.eye(3))
    with pytest.raises(InputError, match="0.1 m beside the axis"):
        cylindrical(beside, 0, (0, 1), (1, 2))
    with pytest.raises(InputError, match="parallel"):
        cylindrical(mechanism, 0, (0, 1), (1, 3))
    with pytest.raises(InputError, match="needs an axis"):
        layout = Layout.of([], 2, 0, 1)
        AngleRows([Angle(layout.point(0), layout.point(1), 0)], layout)


def test_angle_between() -> None:
    assert angle_between(np.array([1.0, 0]), np.array([0, -2.0])) == pytest.approx(-np.pi / 2)
    axis, first = np.array([0, 0, 1.0]), np.array([1.0, 0, 0])
    assert angle_between(first, np.array([-1.0, 1.0, 0]), axis) == pytest.approx(3 * np.pi / 4)
