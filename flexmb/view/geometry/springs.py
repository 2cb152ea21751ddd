"""Springs: a coil along z from 0 to 1, which the shape (0, 0, z) stretches to any length."""

from __future__ import annotations

import numpy as np

from flexmb.view.geometry.joint_symbols import THICKNESS
from flexmb.view.geometry.primitives import Solid, wire

TURNS = 8


def spring_solid(size: float, length: float = 1.0) -> Solid:
    """A coil between (0, 0, 0) and (0, 0, 1) [m] for a scene of this size [m].

    length: usual length of the spring [m]; when its ends are that far apart, its wire is round
    """
    radius = min(2.2 * THICKNESS * size, 0.25 * length)
    thickness = min(0.35 * THICKNESS * size, 0.2 * length / TURNS)
    turn = np.linspace(0.0, 2.0 * np.pi * TURNS, 24 * TURNS + 1)
    coil = np.column_stack([radius * np.cos(turn), radius * np.sin(turn), length * np.linspace(0.15, 0.85, len(turn))])
    hooks = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.1], [0.0, 0.0, 0.9], [0.0, 0.0, 1.0]]) * [1.0, 1.0, length]
    coiled = wire(np.concatenate([hooks[:2], coil, hooks[2:]]), thickness)
    return Solid(coiled.points * [1.0, 1.0, 1.0 / length], coiled.triangles)
