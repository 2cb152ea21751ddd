"""Two links in series, written directly in natural coordinates."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from flexmb.natural.body import BodyPoint, BodyVector, NaturalBody
from flexmb.natural.forces import Gravity
from flexmb.natural.system import NaturalMechanism, NaturalSystem, Writer
from tests.support.natural_joints import cylindrical, prismatic, universal

O, P, Q = np.array([0, 0, 0.0]), np.array([0.1, 0.5, 0.2]), np.array([0.3, 0.9, 0.6])
AXIS = np.array([0.0, 0.6, 0.8])
ACROSS = np.array([1.0, 0.0, 0.0])
THIRD = np.cross(AXIS, ACROSS)
S = P + 0.45 * AXIS
INERTIA = np.array([[0.05, 0.003, -0.002], [0.003, 0.06, 0.004], [-0.002, 0.004, 0.04]])
CENTERS = np.array([[0.05, 0.3, 0.05], [0.4, 0.8, 0.7]])
GRAVITY = np.array([0.5, -1.0, -9.81])


def two_links(kind: str) -> tuple[NaturalSystem, np.ndarray]:
    """Ground - revolute about x at O - first body - joint at P - second body, and the velocities at the start.

    Body axes are those of the ground at the start. Vectors: 0 x (fixed), 1 axis, 2 and 3 across (first body),
    4 and 5 of the second body. First body 2 rad/s; slide 0.3 m/s, turning 1.5 rad/s, universal joint 0.8 and 1.5.
    """
    vectors = np.array([(1.0, 0, 0), AXIS, ACROSS, THIRD, (0.6, 0.64, -0.48), (0.8, -0.48, 0.36)])
    shared = kind != "universal"
    seconds = [BodyVector(k, vectors[k]) for k in ((1, 4, 5) if shared else (4, 5))]
    first = NaturalBody(
        "first",
        1.5,
        CENTERS[0],
        INERTIA,
        (BodyPoint(0, O), BodyPoint(1, P)),
        [BodyVector(k, vectors[k]) for k in range(4)],
    )
    places = [BodyPoint(2, S), BodyPoint(3, Q)] if shared else [BodyPoint(1, P), BodyPoint(2, S), BodyPoint(3, Q)]
    second = NaturalBody("second", 1.0, CENTERS[1], 0.5 * INERTIA, places, seconds)
    bodies = [first, second]
    mechanism = NaturalMechanism(bodies, np.array([O, P, S, Q]), vectors, fixed_points=[0], fixed_vectors=[0])
    joint: dict[str, Callable[[], Writer]] = {
        "cylindrical": lambda: cylindrical(mechanism, 1, (1, 2), (2, 3)),
        "prismatic": lambda: prismatic(mechanism, 1, (1, 3), (2, 3), keeper=4),
        "universal": lambda: universal(mechanism, (1, 5)),
    }
    system = NaturalSystem(mechanism, [joint[kind]()], lambda layout: [Gravity(bodies, layout, GRAVITY)])
    whole = np.array([2.0, 0, 0])
    turning = {"cylindrical": 1.5 * AXIS, "prismatic": 0 * AXIS, "universal": 0.8 * AXIS + 1.5 * vectors[5]}[kind]
    rates = np.cross(whole, vectors)
    rates[4:] += np.cross(turning, vectors[4:])
    both = np.array([S, Q])
    speeds = np.cross(whole, both) + np.cross(turning, both - P) + (0.3 * AXIS if shared else 0)
    return system, np.concatenate((np.zeros(3), np.cross(whole, P), speeds.ravel(), rates.ravel()))
