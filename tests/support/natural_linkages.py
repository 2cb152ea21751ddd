"""A planar four-bar linkage written directly in natural coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from flexmb.natural.body import BodyPoint, BodyVector, NaturalBody
from flexmb.natural.forces import Gravity
from flexmb.natural.system import NaturalMechanism, NaturalSystem, Writer


def falling(
    bodies: list[NaturalBody], mechanism: NaturalMechanism, gravity: Any, joints: Sequence[Writer] = ()
) -> NaturalSystem:
    return NaturalSystem(mechanism, joints, forces=lambda layout: [Gravity(bodies, layout, gravity)])


def compatible(system: NaturalSystem, given: dict[int, float]) -> np.ndarray:
    """Full rates that satisfy the constraints and take the given values in some columns; all others follow."""
    rows = system.constraints
    gradient = rows.dense(rows.entries(system.start))
    places = [int(np.flatnonzero(system.moving == column)[0]) for column in given]
    matrix = np.vstack((gradient, np.eye(system.n)[places]))
    right = np.concatenate((np.zeros(system.m), list(given.values())))
    v, _, rank, _ = np.linalg.lstsq(matrix, right, rcond=None)
    assert rank == system.n and np.max(np.abs(matrix @ v - right)) < 1e-12
    return system.rate(v)


FOUR_BAR = np.array([(0, 0, 0), (0.2, 0.35, 0), (1.1, 0.7, 0), (1.2, 0, 0)], dtype=float)
LINKS = {
    "crank": (1.0, 0.02, (0.1, 0.2, 0)),
    "coupler": (2.0, 0.2, (0.6, 0.7, 0)),
    "rocker": (1.5, 0.09, (1.15, 0.35, 0)),
}


def four_bar(dimension: int) -> tuple[NaturalSystem, np.ndarray]:
    """Body axes are those of the ground at the start; crank at 3 rad/s."""
    bodies = []
    for number, (name, (mass, moment, center)) in enumerate(LINKS.items()):
        ends = tuple(BodyPoint(k, FOUR_BAR[k, :dimension]) for k in (number, number + 1))
        if dimension == 2:
            bodies.append(NaturalBody(name, mass, center[:2], moment, ends))
        else:
            inertia = np.diag([1e-3, 1e-3, moment])
            bodies.append(NaturalBody(name, mass, center, inertia, ends, (BodyVector(0, (0, 0, 1)),)))
    vectors = np.array([(0.0, 0.0, 1.0)]) if dimension == 3 else np.zeros((0, 2))
    fixed = range(len(vectors))
    mechanism = NaturalMechanism(bodies, FOUR_BAR[:, :dimension], vectors, fixed_points=(0, 3), fixed_vectors=fixed)
    system = falling(bodies, mechanism, (0, -9.81, 0)[:dimension])
    assert system.n - system.m == 1
    return system, compatible(system, {int(system.layout.point_columns(1)[1]): 3 * FOUR_BAR[1, 0]})
