"""The affine frame of a body: which of its basic points and vectors carry every other material point.

Enters: the places of the basic points and unit vectors in body axes. Leaves: an origin (a basic point), as many
independent directions as there are (differences of points to the origin, or vectors), and the constant weights c of

    r = sum_k c_k(local) r_k + sum_m c_m(local) u_m          [GJB eq. 4.50, 4.53-4.55]

which are affine in the place: c = weights [1; local - start], start the place of the origin. Kinds, by the number of
independent directions: "full" (three), "cross" (two; the third direction is w = scale d1 x d2, one more slot behind the
basic ones [GJB eq. 4.70]), "bar" (one: only places on the line [GJB eq. 4.79]), "point" (none), and "planar" (one
direction and the same turned by 90 degrees [GJB eq. 4.33-4.41], weights `turned`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats
from flexmb.errors import Fault, InputError

TURN = np.array([[0.0, -1.0], [1.0, 0.0]])
"""A quarter turn in the plane: n = TURN (r_j - r_i) [GJB eq. 4.34]."""
DEPENDENT = 1e-9
"""Sine of the angle out of the space of the others below which a direction counts as dependent: round-off of places."""
NEARLY_DEPENDENT = 1e-5
"""Sine below which a direction is rejected: weights of 1e5 would cost half of the digits of a double."""
OFF_LINE = 1e-9
"""Largest distance of a material point of a bar from its line, relative to the length of the bar."""


@dataclass(frozen=True, eq=False)
class AffineFrame:
    """Places of a body as functions of its basic points and vectors (slots: points, then vectors, then w)."""

    kind: str
    """"full", "cross", "bar", "point" or "planar"."""
    origin: int
    """Slot of the basic point that is the origin."""
    directions: tuple[int, ...]
    """Slots of the independent directions: the difference of a point to the origin, or a vector."""
    differences: Floats
    """(n_directions, n_basic): the directions are these sums of the basic points and vectors."""
    start: Floats
    """(dimension,) place of the origin in body axes [m]"""
    weights: Floats
    """(n_slots, 1 + dimension): c = weights [1; local - start]."""
    turned: Floats
    """(n_slots, 1 + dimension): weights of the basic points and vectors turned by 90 degrees; zero but for "planar"."""
    scale: float
    """Length that makes w = scale d1 x d2 a unit vector [1/m^2 for two differences]; 0 but for "cross"."""
    line: Floats | None = None
    """"bar" and "point": (dimension,) direction in body axes (zero for a point), off which there is no place."""

    @property
    def n_slots(self) -> int:
        """Points and vectors that the frame is a combination of."""
        return len(self.weights)

    def point_matrix(self, local: Floats) -> Floats:
        """(dimension, dimension n_slots): C of r = C q for the place `local` (dimension,) [m] [GJB eq. 4.35, 4.50]."""
        arm = local - self.start
        self._refuse_off_line(arm, "point")
        return self._matrix(np.concatenate([[1.0], arm]))

    def direction_matrix(self, local: Floats) -> Floats:
        """(dimension, dimension n_slots): the same for a vector fixed in the body: no part of the origin."""
        self._refuse_off_line(local, "direction")
        return self._matrix(np.concatenate([[0.0], local]))

    def _matrix(self, place: Floats) -> Floats:
        dimension = len(place) - 1
        matrix = np.kron(self.weights @ place, np.eye(dimension)).astype(np.float64)
        return matrix + np.kron(self.turned @ place, TURN) if self.kind == "planar" else matrix

    def _refuse_off_line(self, arm: Floats, noun: str) -> None:
        if self.line is None:
            return
        length = float(np.linalg.norm(self.line))
        along = self.line * (self.line @ arm) / length**2 if length > 0.0 else np.zeros_like(arm)
        if np.linalg.norm(arm - along) > OFF_LINE * max(length, float(np.linalg.norm(arm))):
            where = "line of the bar" if length > 0.0 else "only point of the body"
            text = f"the {noun} {arm.tolist()} from the first point is off the {where}."
            raise InputError([Fault(text, hint="Give the body another vector or point.")])


def _candidates(points: Floats, vectors: Floats) -> Floats:
    """(n_basic, dimension) unit directions to choose from: differences to the first point (zero if none), vectors."""
    directions = np.concatenate([points - points[0], vectors]) if len(vectors) else points - points[0]
    lengths = np.linalg.norm(directions, axis=1, keepdims=True)
    nearest = DEPENDENT * max(1e-300, float(np.max(np.linalg.norm(points, axis=1))))
    return np.where(lengths > nearest, directions / np.where(lengths > nearest, lengths, 1.0), 0.0)


def _choose(candidates: Floats, wanted: int) -> tuple[int, ...]:
    """Slots of up to `wanted` independent directions: each time the one farthest out of the space of the others."""
    chosen: list[int] = []
    rest = candidates.copy()
    while len(chosen) < wanted:
        sines = np.linalg.norm(rest, axis=1)
        # Equal ones are chosen in the order of the body's list: round-off must not decide.
        best = int(np.flatnonzero(sines > (1.0 - 1e-6) * np.max(sines))[0]) if np.max(sines) > 0.0 else 0
        if sines[best] <= DEPENDENT:
            break
        if sines[best] < NEARLY_DEPENDENT:
            text = f"its points and vectors are nearly dependent: one is only {sines[best]:.0e} off the others."
            raise InputError([Fault(text, hint="Move it into that space, or clearly out of it.")])
        chosen.append(best)
        axis = rest[best] / sines[best]
        # Twice is enough: the second pass removes what round-off left of the first.
        for _ in range(2):
            rest = rest - np.outer(rest @ axis, axis)
    return tuple(chosen)


def affine_frame(points: Floats, vectors: Floats) -> AffineFrame:
    """The frame of a body with basic `points` (n, dimension) [m] and unit `vectors` (m, dimension) in body axes."""
    dimension = points.shape[1]
    slots = _choose(_candidates(points, vectors), 1 if dimension == 2 else 3)
    n_basic = len(points) + len(vectors)
    differences = np.zeros((len(slots), n_basic))
    for row, slot in enumerate(slots):
        differences[row, slot] = 1.0
        if slot < len(points):
            differences[row, 0] = -1.0
    places = np.concatenate([points, vectors]) if len(vectors) else points
    arms = differences @ places
    kind = ("point", "planar" if dimension == 2 else "bar", "cross", "full")[len(slots)]
    n_slots = n_basic + (kind == "cross")
    spread = np.zeros((n_slots, dimension))
    turned = np.zeros((n_slots, 1 + dimension))
    scale, line = 0.0, None
    if kind == "full":
        spread[:n_basic] = differences.T @ np.linalg.inv(arms.T)
    elif kind == "cross":
        normal = np.cross(arms[0], arms[1])
        scale = 1.0 / float(np.linalg.norm(normal))
        inverse = np.linalg.inv(np.column_stack([arms[0], arms[1], scale * normal]))
        spread[:n_basic] = differences.T @ inverse[:2]
        spread[n_basic] = inverse[2]
    elif kind == "planar":
        inverse = np.linalg.inv(np.column_stack([arms[0], TURN @ arms[0]]))
        spread[:] = differences.T @ inverse[:1]
        turned[:, 1:] = differences.T @ inverse[1:]
    else:
        line = arms[0] if len(slots) else np.zeros(dimension)
        if len(slots):
            spread[:] = np.outer(differences[0], line) / (line @ line)
    weights = np.column_stack([np.eye(n_slots)[0], spread])
    return AffineFrame(kind, 0, slots, differences, points[0], weights, turned, scale, line)
