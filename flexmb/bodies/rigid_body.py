"""A rigid body for the equations: mass, first moment and inertia about its origin, in body axes.

These are the constants (invariants) of its inertia, taken about the body origin O with the centre of mass at c:
m, s = m c, and J_O = J_c + m (c.c 1 - c c') (Steiner). A rotor adds a constant angular momentum (a gyrostat).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats


@dataclass(frozen=True)
class RigidBody:
    """A rigid body in its design position; tensors in body axes about the body origin."""

    name: str
    mass: float
    """[kg]"""
    first_moment: Floats
    """(3,) m c [kg m]"""
    inertia: Floats
    """(3, 3) about the body origin [kg m^2]"""
    rotor: Floats
    """(3,) constant internal angular momentum [N m s]"""
    R_wb: Floats
    """(3, 3) design orientation"""
    p_wb: Floats
    """(3,) design position of the origin [m]"""
    velocity: Floats | None = None
    """(3,) initial velocity of the origin, world axes [m/s]"""
    angular_velocity: Floats | None = None
    """(3,) initial, body axes [rad/s]"""


def ground() -> RigidBody:
    """The body that does not move: its axes are the world's."""
    return RigidBody("ground", 0.0, np.zeros(3), np.zeros((3, 3)), np.zeros(3), np.eye(3), np.zeros(3))


def inertia_about_origin(mass: float, center: Floats, inertia: Floats) -> Floats:
    """(3, 3) inertia about the body origin [kg m^2], from the one about the centre of mass `center` [m]."""
    return inertia + mass * (center @ center * np.eye(3) - np.outer(center, center))


def slender_rod_inertia(mass: float, length: float) -> Floats:
    """(3, 3) inertia of a uniform slender rod along x about its middle [kg m^2]: m L^2/12 across, none along."""
    across = mass * length**2 / 12.0
    return np.diag([0.0, across, across])
