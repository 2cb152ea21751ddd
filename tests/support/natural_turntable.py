"""A pendulum with a mass matrix that varies, on a driven turntable, in natural coordinates."""

from __future__ import annotations

import numpy as np

from flexmb.natural.body import BodyPoint, BodyVector, NaturalBody
from flexmb.natural.constraints import ConstraintBuilder
from flexmb.natural.forces import Gravity
from flexmb.natural.layout import Layout
from flexmb.natural.mixed import Angle, AngleRows
from flexmb.natural.system import NaturalMechanism, NaturalSystem
from tests.support.natural_joints import driven_scalar
from tests.support.natural_solids import Array, RigidMotion

M_1, M_2, ROD, FALL = 1.3, 0.7, 0.9, 9.81
INERTIA, MASS, ARM = np.diag([0.30, 0.22, 0.11]), 1.7, 0.35
"""About the pivot; the hinge is x of the body, the centre at (0, 0, -ARM)."""


def turned(t: float) -> tuple[float, float, float]:
    """Angle of the turntable: rate 3 + 4 t - 2 sin 5t, from an angle of 0.2 rad."""
    return (
        0.2 + 3.0 * t + 2.0 * t * t + 0.4 * (np.cos(5.0 * t) - 1.0),
        3.0 + 4.0 * t - 2.0 * np.sin(5.0 * t),
        4.0 - 10.0 * np.cos(5.0 * t),
    )


TILT, TILT_DOT = 0.7, -1.2


def turntable() -> tuple[NaturalSystem, Array]:
    """A pendulum of two points and a vector (its hinge), whose hinge stays level and turns as driven: one freedom."""
    about_center = INERTIA - MASS * ARM**2 * np.diag([1.0, 1.0, 0.0])
    ends = (BodyPoint(0, (0, 0, 0)), BodyPoint(1, (0, 0.1, -0.6)))
    body = NaturalBody("pendulum", MASS, (0, 0, -ARM), about_center, ends, (BodyVector(0, (1, 0, 0)),))
    assert body.frame.kind == "cross"  # its mass matrix varies
    angle, rate, _ = turned(0.0)
    turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1.0]])
    tilt = np.array([[1.0, 0, 0], [0, np.cos(TILT), -np.sin(TILT)], [0, np.sin(TILT), np.cos(TILT)]])
    omega = rate * np.array([0, 0, 1.0]) + TILT_DOT * turn[:, 0]
    pose = RigidMotion(turn @ tilt, np.zeros(3), np.zeros(3), np.zeros(3), omega, np.zeros(3))
    x, v, _ = pose.coordinates(body)

    def level(builder: ConstraintBuilder, layout: Layout) -> None:
        builder.dot(layout.vector(0), layout.constant((0, 0, 1.0)))

    mechanism = NaturalMechanism([body], x[:6].reshape(2, 3), x[6:].reshape(1, 3), np.array([angle]), fixed_points=[0])
    system = NaturalSystem(
        mechanism,
        [level, driven_scalar(0, turned)],
        lambda layout: [Gravity([body], layout, (0, 0, -FALL))],
        lambda layout: [
            AngleRows([Angle(layout.constant((1.0, 0, 0)), layout.vector(0), 0, layout.constant((0, 0, 1.0)))], layout)
        ],
    )
    assert not system.has_constant_mass
    assert system.n - system.m == 1
    return system, np.concatenate([v, [rate]])
