"""A rigid body in natural coordinates: basic points and unit vectors with their places in body axes, and its inertia.

Enters: mass, centre of mass, inertia about the centre of mass, points and vectors (shared with other bodies by their
numbers), in any body axes and from any body origin. Leaves: the checked body with its affine frame, and the matrix of
the moments of its mass up to the second order,

    P = int rho [1; r][1; r]^T dV = [m, m c^T; m c, J],     J = tr(I)/2 E - I + m c c^T       [GJB eq. 4.60]

with r and c from the origin of the frame, a basic point. (J of eq. 4.60c is this second-moment matrix, not the inertia
tensor; in eq. 4.47c the names I_x and I_y are those of int rho x^2 and int rho y^2.) A planar body has places of two
numbers and a polar moment of inertia; only the trace of its second moments acts, and any split of the polar moment
gives the same mass matrix.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from flexmb.arrays import Floats
from flexmb.errors import Fault, InputError
from flexmb.natural.frame import AffineFrame, affine_frame

NOT_UNIT = 1e-9
"""Largest error of the length of a unit vector: round-off of a normalised vector."""
NO_INERTIA = 1e-9
"""Second moment of a bar off its line that counts as round-off, relative to the largest one."""


@dataclass(frozen=True, eq=False)
class BodyPoint:
    """A basic point of a body: global point `number` at the place `local` (dimension,) in body axes [m]."""

    number: int
    local: ArrayLike


@dataclass(frozen=True, eq=False)
class BodyVector:
    """A unit vector fixed in a body: global vector `number` with the body components `local` (dimension,)."""

    number: int
    local: ArrayLike


@dataclass(frozen=True, eq=False)
class NaturalBody:
    """A rigid body by points and unit vectors; with places of two numbers a planar one."""

    name: str
    mass: float
    """Mass [kg]; 0 for a massless body."""
    center: ArrayLike
    """(dimension,) centre of mass in body axes [m]"""
    inertia: ArrayLike
    """(3, 3) about the centre of mass in body axes [kg m^2]; planar: the polar moment about the centre of mass"""
    points: tuple[BodyPoint, ...]
    vectors: tuple[BodyVector, ...] = field(default=())

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", tuple(self.points))
        object.__setattr__(self, "vectors", tuple(self.vectors))
        faults = list(self._faults())
        if not faults:
            try:
                faults = list(self._inertia_faults())
            except InputError as error:
                faults = [Fault(fault.text, ("bodies", self.name), fault.hint) for fault in error.faults]
        if faults:
            raise InputError(faults)

    @property
    def dimension(self) -> int:
        """2 for a planar body, else 3."""
        return int(np.size(self.center))

    @property
    def n_basic(self) -> int:
        """Number of basic points and vectors."""
        return len(self.points) + len(self.vectors)

    @cached_property
    def places(self) -> Floats:
        """(n_basic, dimension): basic points [m] and unit vectors in body axes."""
        basics: list[BodyPoint | BodyVector] = [*self.points, *self.vectors]
        return np.array([np.asarray(basic.local, dtype=float) for basic in basics])

    @cached_property
    def frame(self) -> AffineFrame:
        """The chosen origin and directions, and the weights of every other material point."""
        return affine_frame(self.places[: len(self.points)], self.places[len(self.points) :])

    @cached_property
    def moments(self) -> Floats:
        """(1 + dimension, 1 + dimension): P, moments of mass of order 0, 1 and 2 about the first basic point."""
        place = np.concatenate([[1.0], np.asarray(self.center, dtype=float) - self.frame.start])
        moments = self.mass * np.outer(place, place)
        moments[1:, 1:] += self._second_moments()
        return moments

    def _second_moments(self) -> Floats:
        """int rho (r - c)(r - c)^T dV [kg m^2]."""
        inertia = np.asarray(self.inertia, dtype=float)
        if self.dimension == 2:
            return 0.5 * inertia.item() * np.eye(2)
        return 0.5 * np.trace(inertia) * np.eye(3) - inertia

    def _faults(self) -> Iterator[Fault]:
        """Faults of the numbers as given."""
        place = ("bodies", self.name)
        dimension = self.dimension
        if dimension not in (2, 3):
            yield Fault(f"the centre of mass needs 2 (planar) or 3 numbers, found {dimension}.", (*place, "center"))
            return
        if not self.points:
            yield Fault("has no basic point.", place, "Give it at least one.")
        for noun, list_of in (("point", self.points), ("vector", self.vectors)):
            numbers = [basic.number for basic in list_of]
            for number in sorted({number for number in numbers if numbers.count(number) > 1}):
                yield Fault(f"lists {noun} {number} twice.", place)
            for basic in list_of:
                local = np.asarray(basic.local, dtype=float)
                if local.shape != (dimension,) or not np.all(np.isfinite(local)):
                    yield Fault(f"{noun} {basic.number}: expected {dimension} finite numbers, found {local}.", place)
                elif noun == "vector" and abs(np.linalg.norm(local) - 1.0) > NOT_UNIT:
                    yield Fault(f"vector {basic.number}: length {np.linalg.norm(local):.9g}, not 1.", place)
                if basic.number < 0:
                    yield Fault(f"{noun} {basic.number}: numbers must not be negative.", place)
        center = np.asarray(self.center, dtype=float)
        if not (np.isfinite(self.mass) and self.mass >= 0.0 and np.all(np.isfinite(center))):
            yield Fault(f"mass {self.mass} and centre {center}: must be finite, the mass not negative.", place)
        yield from self._tensor_faults(place)

    def _tensor_faults(self, place: tuple[str, ...]) -> Iterator[Fault]:
        """Faults of the inertia as given."""
        dimension = self.dimension
        inertia = np.asarray(self.inertia, dtype=float)
        if (inertia.size != 1) if dimension == 2 else (inertia.shape != (3, 3)):
            wanted = "one number (the polar moment)" if dimension == 2 else "a (3, 3) tensor"
            yield Fault(f"expected {wanted} for the inertia, found the shape {inertia.shape}.", (*place, "inertia"))
        elif not np.all(np.isfinite(inertia)):
            yield Fault("the inertia is not finite.", (*place, "inertia"))
        elif dimension == 3 and not np.allclose(inertia, inertia.T, rtol=0.0, atol=1e-9 * np.max(np.abs(inertia))):
            yield Fault("the inertia tensor is not symmetric.", (*place, "inertia"))
        elif np.min(np.linalg.eigvalsh(inertia.reshape(2 * dimension - 3, -1))) < -1e-9 * np.max(np.abs(inertia)):
            yield Fault("a principal moment of inertia is negative.", (*place, "inertia"))

    def _inertia_faults(self) -> Iterator[Fault]:
        """Reject mass off the line of a bar or off a single point."""
        line = self.frame.line
        if line is None or self.mass == 0.0 and not np.any(np.asarray(self.inertia)):
            return
        about_origin = self.moments[1:, 1:]
        length = float(np.linalg.norm(line))
        across = np.eye(self.dimension)
        if length > 0.0:
            across -= np.outer(line, line) / length**2
        size = max(float(np.trace(about_origin)), self.mass * length**2)
        off_line = float(np.trace(across @ about_origin))
        if off_line > NO_INERTIA * size or (length == 0.0 and off_line > 0.0):
            where = "line of its points" if length else "only point"
            yield Fault(
                f"has mass off the {where} (second moment {off_line:.3g} kg m^2).",
                ("bodies", self.name),
                "Give it another vector or point, or remove that inertia.",
            )
