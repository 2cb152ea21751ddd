"""Shapes from mass and inertia: a wheel, a block with the same moments, a ball."""

from __future__ import annotations

import math

import numpy as np

from flexmb.arrays import Floats
from flexmb.bodies.rigid_body import RigidBody
from flexmb.view.geometry.joint_symbols import THICKNESS
from flexmb.view.geometry.primitives import Solid, along, box, disc, extruded, joined, moved, sphere

STEEL = 7850.0
"""[kg/m^3]"""
LARGEST_WHEEL, LARGEST_BLOCK, SMALL_BLOCK = 1.0, 0.15, 0.05
"""Largest half size of a shape from inertia, as a part of the size of the scene, and that of a block beyond it: the
inertia of a body in a mechanism is often arbitrary because it has no effect."""


def central_inertia(body: RigidBody) -> tuple[Floats, Floats]:
    """(3,) centre of mass [m] and (3, 3) inertia about it [kg m^2], body axes; the body has mass."""
    c = body.first_moment / body.mass
    return c, body.inertia - body.mass * (c @ c * np.eye(3) - np.outer(c, c))


def inertia_solid(body: RigidBody, size: float, lone: bool) -> Solid | None:
    """A wheel or a block with the mass and inertia of the body, at its centre of mass; None without inertia.

    lone: the body has no joint, so its block is drawn in true size
    """
    center, inertia = central_inertia(body)
    moments, axes = np.linalg.eigh(inertia)
    if moments[0] <= 1e-6 * moments[2] or moments[2] <= 1e-12 * body.mass * size**2:
        return None
    for k in range(3):
        sizes = _disc(body.mass, float(moments[k]), np.delete(moments, k))
        if sizes is not None and sizes[0] <= LARGEST_WHEEL * size:
            return wheel(*sizes, center, axes[:, k])
    # Edges of a uniform block: m (b^2 + c^2)/12 = J_a, and cyclic.
    squares = 6.0 * (moments.sum() - 2.0 * moments) / body.mass
    edges = np.sqrt(np.maximum(squares, 0.0025 * squares.max()))
    if not lone and edges.max() > 2.0 * LARGEST_BLOCK * size:
        edges *= 2.0 * SMALL_BLOCK * size / float(edges.max())
    frame = axes * np.sign(np.linalg.det(axes))
    return moved(box(edges), frame, center)


def _disc(mass: float, about: float, others: Floats) -> tuple[float, float] | None:
    """Radius and thickness [m] of the uniform disc with these moments; None when it is not flat or not round."""
    if abs(others[0] - others[1]) > 0.05 * others.max():
        return None
    radius = math.sqrt(2.0 * about / mass)
    square = 12.0 * (float(others.mean()) / mass - radius**2 / 4.0)
    if not -0.3 * radius**2 <= square <= radius**2:
        return None
    return radius, max(math.sqrt(max(square, 0.0)), 0.08 * radius)


def mass_ball(body: RigidBody, size: float) -> Solid:
    """A steel ball with the mass of the body, within visible limits, at its centre of mass."""
    radius = (3.0 * body.mass / (4.0 * math.pi * STEEL)) ** (1.0 / 3.0)
    radius = min(max(radius, 2.0 * THICKNESS * size), 5.0 * THICKNESS * size)
    return sphere(radius, body.first_moment / body.mass)


def wheel(radius: float, thickness: float, center: Floats, axis: Floats) -> Solid:
    """A disc with a hub, and five holes that make its rotation visible."""
    angles = 2.0 * np.pi * np.arange(60) / 60
    rim = radius * np.column_stack([np.cos(angles), np.sin(angles)])
    small = 2.0 * np.pi * np.arange(20) / 20
    hole = 0.17 * radius * np.column_stack([np.cos(small), -np.sin(small)])
    around = 2.0 * np.pi * np.arange(5) / 5
    holes = [hole + 0.62 * radius * np.array([math.cos(a), math.sin(a)]) for a in around]
    plate = extruded([rim, *holes], np.array([-0.5 * thickness, 0.5 * thickness]))
    # The prism is along x: turn x to z, then z to the axis.
    upright = moved(plate, [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]], np.zeros(3))
    hub = disc(np.zeros(3), (0.0, 0.0, 1.0), 0.12 * radius, thickness + 0.06 * radius, 24)
    return moved(joined([upright, hub]), along(axis), center)
