"""Motions under the forces of natural coordinates that have closed forms or invariants: what is free flies straight in
the inertial frame, seen from a turning base; springs keep energy; a torque spins a body up."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from flexmb.natural.base_motion import BaseMotion
from flexmb.natural.body import BodyPoint, BodyVector, NaturalBody
from flexmb.natural.forces import ConcentratedForces, torque_on
from flexmb.natural.integration import integrate
from flexmb.natural.layout import point_of
from flexmb.natural.mass import extended_mass_matrix
from flexmb.natural.spring_laws import LinearLaw, TabledLaw
from flexmb.natural.springs import TranslationalSprings
from flexmb.natural.state import NaturalMotion
from flexmb.natural.system import NaturalMechanism, NaturalSystem
from tests.support.natural_solids import Array, motion, random_body

KINDS = pytest.mark.parametrize(("n_points", "n_vectors"), [(2, 2), (4, 0), (2, 1)])


def alone(body: NaturalBody, x: Array) -> NaturalMechanism:
    nodes = x.reshape(-1, 3)
    return NaturalMechanism([body], nodes[: len(body.points)], nodes[len(body.points) :])


def velocities_of(moved: NaturalMotion, row: int, system: NaturalSystem) -> Array:
    return system.extension.velocity(moved.x[row], system.rate(moved.v[row]))


@KINDS
def test_free_body_seen_from_a_turning_base(n_points: int, n_vectors: int) -> None:
    """The base turns about z at 2 rad/s and its origin is accelerated: in the inertial frame the centre of mass of a
    body without forces goes straight on, and the angular momentum about it stays. Order 4, 150 steps of 4 ms at rates
    of 5 rad/s: 150 (5 h)^5 / 120 = 4e-9, times lengths of order one, and for the momentum masses of order ten."""
    rng = np.random.default_rng([41, n_points, n_vectors])
    cloud, body, layout = random_body(rng, n_points, n_vectors)
    x, v, _ = motion(rng).coordinates(body)
    spin, push = np.array([0.0, 0.0, 2.0]), np.array([0.4, -0.3, 1.0])
    mass = extended_mass_matrix([body], layout)
    system = NaturalSystem(
        alone(body, x),
        forces=lambda layout: [
            # Components along the turning axes of an acceleration that is constant in the inertial frame.
            BaseMotion(layout, mass, lambda t: Rotation.from_rotvec(-spin * t).apply(push), spin, np.zeros(3))
        ],
    )
    moved = integrate(system, 0.6, 4e-3, v, method="runge-kutta", every=30)
    points = [point_of(body, place, layout) for place in cloud.places]
    centers, rates, momenta = [], [], []
    for row, t in enumerate(moved.times):
        base = Rotation.from_rotvec(spin * t)
        y, y_dot = system.extension.extend(moved.x[row]), velocities_of(moved, row, system)
        arms = np.array([point.at(y) for point in points])
        places = base.apply(arms) + 0.5 * push * t**2
        speeds = base.apply(np.array([point.rate(y_dot) for point in points]) + np.cross(spin, arms)) + push * t
        center, rate = (cloud.masses @ part / body.mass for part in (places, speeds))
        centers.append(center)
        rates.append(rate)
        momenta.append(np.sum(cloud.masses[:, None] * np.cross(places - center, speeds - rate), axis=0))
    straight = centers[0] + np.outer(moved.times, rates[0])
    np.testing.assert_allclose(centers, straight, rtol=0, atol=1e-8)
    np.testing.assert_allclose(rates, np.tile(rates[0], (len(rates), 1)), rtol=0, atol=1e-8)
    np.testing.assert_allclose(momenta, np.tile(momenta[0], (len(momenta), 1)), rtol=0, atol=1e-7)


@KINDS
def test_energy_of_a_body_on_springs_on_a_turning_base(n_points: int, n_vectors: int) -> None:
    """T + V with springs to the base, linear and by a table, and the potential of a steady base (Jacobi's integral):
    what it changes by is the error of a method of order 4, a sixteenth for half of the step."""
    rng = np.random.default_rng([42, n_points, n_vectors])
    _, body, layout = random_body(rng, n_points, n_vectors)
    x, v, _ = motion(rng).coordinates(body)
    mass = extended_mass_matrix([body], layout)
    ends = [(layout.constant(rng.normal(size=3)), point_of(body, rng.normal(size=3), layout)) for _ in range(3)]
    # A smooth table: within one straight piece, so that order 4 is not lost at a corner.
    laws = [LinearLaw(20.0, 0.5), LinearLaw(5.0, 0.1, preload=1.0), TabledLaw([0.0, 50.0], [-1.0, 300.0])]
    system = NaturalSystem(
        alone(body, x),
        forces=lambda layout: [
            TranslationalSprings(layout, ends, laws),
            BaseMotion(layout, mass, np.array([0.0, 0.0, 9.81]), np.array([0.3, -0.6, 1.2]), np.zeros(3)),
        ],
    )
    spreads = []
    for step in (8e-3, 4e-3):
        moved = integrate(system, 0.4, step, v, method="runge-kutta", every=round(0.04 / step))
        kinetic = [system.kinetic_energy(x, v) for x, v in zip(moved.x, moved.v, strict=True)]
        stored = [system.potential_energy(x, 0.0) for x in moved.x]
        spreads.append(np.ptp(np.add(kinetic, stored)))
    # A method of order 3 would leave an eighth.
    assert spreads[1] < spreads[0] / 10.0
    assert spreads[1] < 1e-5 * np.ptp(kinetic)


@pytest.mark.parametrize("vectors", [1, 2])
def test_torque_spins_up_a_wheel(vectors: int) -> None:
    """A wheel on a fixed axle (a fixed point and a fixed vector z): angle M t^2 / (2 I), for M along the axle. 200
    steps of 5 ms at up to 4.3 rad/s: below 200 (4.3 h)^5 / 120 = 8e-9."""
    inertia, torque = np.diag([0.3, 0.2, 0.4]), 1.7
    axes = (BodyVector(0, [0, 0, 1]), BodyVector(1, [1, 0, 0]))[:vectors]
    wheel = NaturalBody("wheel", 2.0, [0, 0, 0], inertia, (BodyPoint(0, [0, 0, 0]), BodyPoint(1, [0.5, 0.5, 0])), axes)
    places = np.array([axis.local for axis in axes], dtype=float)
    system = NaturalSystem(
        NaturalMechanism([wheel], wheel.places[:2], places, fixed_points=[0], fixed_vectors=[0]),
        forces=lambda layout: [ConcentratedForces(layout, torques=[torque_on(wheel, [0.0, 0.0, torque], layout)])],
    )
    moved = integrate(system, 1.0, 5e-3, method="runge-kutta", every=20)
    angles = np.unwrap(np.arctan2(moved.x[:, 4], moved.x[:, 3])) - np.pi / 4
    np.testing.assert_allclose(angles, 0.5 * torque / 0.4 * moved.times**2, rtol=0, atol=8e-9)
