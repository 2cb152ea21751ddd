"""Concentrated forces, torques and gravity on bodies in natural coordinates.

Enters: forces at any material point, torques on bodies, the acceleration of gravity. Leaves: generalised forces Q_y in
the extended coordinates y (the body's Q is V^T Q_y), and potentials.

    force f at the place p :  Q = C_p^T f                                                      [GJB eq. 4.94]
    torque M on a body     :  Q = 1/2 sum_i C_i^T (M x a_i),   a_i = C_i y the body's three axes
    gravity                :  Q = m C_G^T g,   V = -m r_G . g                                  [GJB eq. 4.128-4.130]

[GJB eq. 4.96-4.99] replace a torque by one couple on an arm normal to it and to r_j - r_i, which does not exist when
these two are parallel. Here a couple acts on each body axis and half of their sum is the torque, since
sum_i (M x a_i) . (omega x a_i) = 2 M . omega: the same power, for every direction of M, smooth in time. A bar feels a
couple on its own line only (M x a for its unit direction a): no torque about it. The sign of eq. 4.128 is wrong in
print (f = -m g), and so is the first sign of the right side of eq. 4.101.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from flexmb.arrays import Floats
from flexmb.errors import Fault, InputError
from flexmb.natural.body import NaturalBody
from flexmb.natural.frame import TURN
from flexmb.natural.layout import Combination, Layout, direction_of, point_of

Given = ArrayLike | Callable[[float], ArrayLike]
"""Constant components, or a function of time [s]."""


class ForceSet(Protocol):
    """Forces of one kind."""

    def force(self, y: Floats, y_dot: Floats, t: float) -> Floats:
        """(n_extended,) generalised force Q_y."""
        ...

    def potential(self, y: Floats, t: float) -> float:
        """Potential energy [J] of the part that has one."""
        ...


def body_axes(body: NaturalBody, layout: Layout) -> tuple[Combination, ...]:
    """The unit vectors of the body axes as far as the body has them: all, the direction of a bar, none for a point."""
    line = body.frame.line
    if line is None:
        return tuple(direction_of(body, axis, layout) for axis in np.eye(body.dimension))
    length = float(np.linalg.norm(line))
    return (direction_of(body, line / length, layout),) if length > 0.0 else ()


def _refuse(body: NaturalBody, text: str) -> InputError:
    return InputError([Fault(text, ("bodies", body.name), "Give the body another vector or point.")])


@dataclass(frozen=True, eq=False)
class PointForce:
    """A force at a material point; `axes` are the body axes its components belong to, None for the fixed ones."""

    point: Combination
    components: Given
    axes: tuple[Combination, ...] | None = None

    def at(self, y: Floats, t: float) -> Floats:
        """(dimension,) force in fixed axes [N]."""
        components = _components(self.components, t)
        if self.axes is None:
            return components
        return np.array([axis.at(y) for axis in self.axes]).T @ components


@dataclass(frozen=True, eq=False)
class Torque:
    """A torque on a body: (3,) components [N m], planar one; `in_body`: along the body axes."""

    axes: tuple[Combination, ...]
    components: Given
    in_body: bool = False

    def at(self, y: Floats, t: float) -> Floats:
        """(3,) torque in fixed axes, planar (1,) [N m]."""
        components = np.atleast_1d(_components(self.components, t))
        if not self.in_body or len(components) == 1:
            return components
        return np.array([axis.at(y) for axis in self.axes]).T @ components


def _components(given: Given, t: float) -> Floats:
    return np.asarray(given(t) if callable(given) else given, dtype=float)


def force_on(
    body: NaturalBody, local: ArrayLike, components: Given, layout: Layout, in_body: bool = False
) -> PointForce:
    """A force at the place `local` [m] of a body, constant or a function of time, in fixed or in body axes [N]."""
    axes = body_axes(body, layout) if in_body else None
    if axes is not None and len(axes) < body.dimension:
        raise _refuse(body, "a bar has no body axes for the components of a force.")
    return PointForce(point_of(body, local, layout), components, axes)


def torque_on(body: NaturalBody, components: Given, layout: Layout, in_body: bool = False) -> Torque:
    """A torque on a body, constant or a function of time, in fixed or in body axes [N m]."""
    axes = body_axes(body, layout)
    if not axes or (in_body and len(axes) < body.dimension):
        raise _refuse(body, "a torque needs a body that can rotate and, in body axes, a body with axes.")
    return Torque(axes, components, in_body)


@dataclass(frozen=True, eq=False)
class ConcentratedForces:
    """Forces at material points and torques on bodies."""

    layout: Layout
    forces: Sequence[PointForce] = ()
    torques: Sequence[Torque] = ()

    def force(self, y: Floats, y_dot: Floats, t: float) -> Floats:
        """(n_extended,) Q_y."""
        generalised = np.zeros(self.layout.n_extended)
        for force in self.forces:
            force.point.add_force(force.at(y, t), generalised)
        for torque in self.torques:
            add_torque(torque.axes, torque.at(y, t), y, generalised)
        return generalised

    def potential(self, y: Floats, t: float) -> float:
        """-r . f of the forces that are constant in fixed axes; torques and other forces have none [GJB eq. 4.95]."""
        fixed = [force for force in self.forces if force.axes is None and not callable(force.components)]
        return -float(sum(force.point.at(y) @ force.at(y, t) for force in fixed))


def add_torque(axes: Sequence[Combination], torque: Floats, y: Floats, generalised: Floats) -> None:
    """Add the generalised force of a torque (3,), planar (1,) [N m] on the body with these axes."""
    share = 1.0 if len(axes) == 1 else 0.5
    for axis in axes:
        arm = axis.at(y)
        couple = torque[0] * (TURN @ arm) if len(torque) == 1 else np.cross(torque, arm)
        axis.add_force(share * couple, generalised)


class Gravity:
    """Weight of all bodies: a constant generalised force in y."""

    def __init__(self, bodies: Sequence[NaturalBody], layout: Layout, acceleration: ArrayLike):
        """`acceleration` (dimension,) [m/s^2] of gravity."""
        g = np.asarray(acceleration, dtype=float)
        if g.shape != (layout.dimension,):
            raise InputError([Fault(f"gravity needs {layout.dimension} numbers, found {g.tolist()}.", ("gravity",))])
        self.generalised = np.zeros(layout.n_extended)
        """(n_extended,) Q_y"""
        for body in bodies:
            if body.mass > 0.0:
                point_of(body, body.center, layout).add_force(body.mass * g, self.generalised)

    def force(self, y: Floats, y_dot: Floats, t: float) -> Floats:
        """(n_extended,) Q_y."""
        return self.generalised.copy()

    def potential(self, y: Floats, t: float) -> float:
        """-m r_G . g of all bodies [J]."""
        return -float(self.generalised @ y)
