"""Energy of a model in symbols, and its first integrals, which are constant for every motion.

    T = 1/2 v^T M v,   V = gravity + springs + strain energy,   p = M v + momentum of spinning rotors

Their rates follow from M a + bias + G^T lam = 0:  p_k' = (dp_k/dq) q' - bias_k when no row holds rate k, and
(T + V)' = v . (M' v / 2 - bias) + V' when no motion does work. For a rotation without angles (a unit quaternion) the
momenta about the axes of its first frame are tried as well: e . R p. A rate of zero is found by `vanishing`.

Truncated equations keep their energy and momenta to the order at which they were truncated, and no further: products
beyond the order are left out of the rates that must vanish.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from flexmb.axes import AXES
from flexmb.errors import InputError
from flexmb.symbolic.engine import Integer, Scalar, Symbol, as_expression
from flexmb.symbolic.equations import Equations
from flexmb.symbolic.joints import quaternion_matrix
from flexmb.symbolic.orders import Orders, add, is_zero, multiply, negative, total
from flexmb.symbolic.recursion import BranchPlace
from flexmb.symbolic.vanishing import Values, vanishes
from flexmb.symbolic.vectors import apply, dot

STATES = 4
SMALL = 1e-3
"""Factor of the random elastic coordinates, which must be small"""
HALF = Integer(1) / 2


@dataclass(frozen=True)
class Momentum:
    """A momentum that stays constant."""

    coordinate: str
    """Name of the coordinate or of the rate that it belongs to, "joint about z" for an axis of a joint's first frame"""
    value: Scalar
    is_cyclic: bool
    """It belongs to a coordinate that the energy does not contain."""


@dataclass(frozen=True)
class Energy:
    """Energy and the momenta that stay constant."""

    kinetic: Scalar
    potential: Scalar
    is_constant: bool
    """T + V keeps its value; of truncated equations: to their order"""
    momenta: tuple[Momentum, ...]


def energy_of(equations: Equations) -> Energy:
    """Energy and first integrals of equations without named intermediate results."""
    if equations.definitions:
        raise InputError("The energy needs equations without named intermediate results. Use named=False.")
    v, parts = _by_order(equations, equations.v), equations.parts
    kinetic = multiply(HALF, dot(equations.v, [dot(row, equations.v) for row in equations.M]))
    weight, springs = _weight(equations), equations.potential
    potential = add(add(springs, total(weight)), _strain(equations, equations.q))

    momenta = [add(dot(row, v), spin) for row, spin in zip(parts.M, _spins(equations), strict=True)]
    rates = [add(_rate(equations, p), negative(b)) for p, b in zip(momenta, parts.bias, strict=True)]
    moving = multiply(HALF, dot(v, [dot(row, v) for row in parts.M]))
    stored = add(add(springs, weight), _strain(equations, _stored_by_order(equations)))
    power = add(_rate(equations, add(moving, stored)), negative(dot(v, parts.bias)))

    states = list(_states(equations))
    found = list(_of_rates(equations, momenta, rates, (total(moving), total(stored)), states))
    found += _about_axes(equations, momenta, rates, states)
    is_constant = not _driven(equations) and not _damped(equations) and vanishes([total(power)], states)
    return Energy(kinetic, potential, is_constant, tuple(found))


def _by_order(equations: Equations, rates: list[Scalar]) -> list[Scalar]:
    """The rates, those of the modes of first order when the equations are truncated."""
    order = equations.order
    if order is None:
        return list(rates)
    coordinates = equations.coordinates
    return [Orders.first(v, order) if c.is_elastic else v for v, c in zip(rates, coordinates, strict=True)]


def _stored_by_order(equations: Equations) -> list[Scalar]:
    """The stored coordinates likewise."""
    q: list[Scalar] = list(equations.q)
    for place in equations.parts.places:
        for k in range(place.elastic_q, place.elastic_q + place.n_modes):
            q[k] = q[k] if equations.order is None else Orders.first(q[k], equations.order)
    return q


def _driven(equations: Equations) -> bool:
    """Whether a motion can do work: one that holds still does none."""
    pairs = zip(equations.rows, equations.phi, strict=True)
    return any(row.is_motion and equations.t in as_expression(phi).free_symbols for row, phi in pairs)


def _damped(equations: Equations) -> bool:
    """Whether a flexible body has damping, which is of second order in the power."""
    return any(body.elastic is not None and body.elastic.damping for body in equations.mechanism.bodies)


def _spins(equations: Equations) -> list[Scalar]:
    """Momentum of spinning rotors in every rate."""
    found: list[Scalar] = [0] * equations.n_v
    for place in equations.parts.places:
        body, frame = equations.mechanism.bodies[place.branch.body], equations.parts.motion.frames[place.branch.body]
        for k, (_, turning) in frame.columns.items():
            found[k] = add(found[k], dot(turning, body.rotor))
    return found


def _of_rates(
    equations: Equations,
    momenta: list[Scalar],
    rates: list[Scalar],
    energies: tuple[Scalar, Scalar],
    states: list[Values],
) -> Iterator[Momentum]:
    """Momenta of single rates."""
    for k, coordinate in enumerate(equations.coordinates):
        if _is_held(equations, k, states) or not vanishes([total(rates[k])], states):
            continue
        position = coordinate.position
        slopes = [] if position is None else [as_expression(energy).diff(position) for energy in energies]
        yield Momentum(coordinate.name, total(momenta[k]), position is not None and vanishes(slopes, states))


def _about_axes(
    equations: Equations, momenta: list[Scalar], rates: list[Scalar], states: list[Values]
) -> Iterator[Momentum]:
    """Momenta about the axes of the first frame of joints that turn without angles: p_e = e . R p."""
    for place, first, start in _rotations(equations):
        about = range(place.v + start, place.v + start + 3)
        if any(_is_held(equations, k, states) for k in about):
            continue
        R = quaternion_matrix(equations.q[place.q + first : place.q + first + 4])
        for row, axis in zip(R, AXES, strict=True):
            change = add(
                dot([_rate(equations, c) for c in row], [momenta[k] for k in about]),
                dot(row, [rates[k] for k in about]),
            )
            if vanishes([total(change)], states):
                yield Momentum(
                    f"{_owner(equations, place)} about {axis}", total(dot(row, [momenta[k] for k in about])), False
                )


def _owner(equations: Equations, place: BranchPlace) -> str:
    joint = place.branch.joint
    mechanism = equations.mechanism
    return mechanism.bodies[place.branch.body].name if joint is None else mechanism.joints[joint].name


def _rotations(equations: Equations) -> Iterator[tuple[BranchPlace, int, int]]:
    """Quaternions with three rates: branch, first stored coordinate, first rate."""
    for place in equations.parts.places:
        for first, start, n in place.kind.quaternions:
            if n == 3:
                yield place, first, start


def _is_held(equations: Equations, k: int, states: list[Values]) -> bool:
    """Whether a constraint row acts on a rate."""
    return any(not is_zero(row[k]) and not vanishes([row[k]], states) for row in equations.G)


def _weight(equations: Equations) -> Scalar:
    """Energy of gravity: -g . sum of (m p + R S)."""
    mechanism, energy = equations.mechanism, 0
    for place in equations.parts.places:
        body = mechanism.bodies[place.branch.body]
        frame = equations.parts.motion.frames[place.branch.body]
        S = list(body.first_moment)
        if frame.q:
            for (k, i), value in body.elastic.S1.items():
                S[i] = add(S[i], multiply(value, frame.q[k]))
            for (k, l, i), value in body.elastic.S2.items():
                S[i] = add(S[i], multiply(HALF, multiply(value, multiply(frame.q[k], frame.q[l]))))
        height = add(
            multiply(body.mass, dot(mechanism.gravity, frame.p_w)), dot(mechanism.gravity, apply(frame.R_w, S))
        )
        energy = add(energy, negative(height))
    return energy


def _strain(equations: Equations, stored: list[Scalar]) -> Scalar:
    """1/2 q K q + 1/6 K3 q q q of the flexible bodies."""
    energy: Scalar = 0
    for place in equations.parts.places:
        field = equations.mechanism.bodies[place.branch.body].elastic
        if field is None:
            continue
        q = stored[place.elastic_q : place.elastic_q + place.n_modes]
        for (k, l), value in field.stiffness.items():
            energy = add(energy, multiply(HALF, multiply(value, multiply(q[k], q[l]))))
        for (k, l, m), value in field.cubic.items():
            if equations.order != 1:
                energy = add(energy, multiply(Integer(1) / 6, multiply(value, multiply(q[k], multiply(q[l], q[m])))))
    return energy


def _rate(equations: Equations, value: Scalar) -> Scalar:
    """Time derivative at constant rates. It keeps the order of every term."""
    if isinstance(value, Orders):
        return Orders(_rate(equations, part) for part in value.parts)
    if is_zero(value):
        return 0
    expression, rate = as_expression(value), 0
    symbols = expression.free_symbols
    for symbol, symbol_rate in zip(equations.q, equations.q_dot, strict=True):
        if symbol in symbols:
            rate = add(rate, multiply(expression.diff(symbol), symbol_rate))
    return rate


def _states(equations: Equations) -> Iterator[Values]:
    """Random values of coordinates, rates, time and parameters; always the same."""
    draw = random.Random(7)
    symbols = [*equations.q, *equations.v, equations.t, *map(Symbol, equations.mechanism.symbols)]
    for _ in range(STATES):
        state = {symbol: draw.uniform(0.3, 1.4) for symbol in symbols}
        for place in equations.parts.places:
            for k in range(place.elastic_q, place.elastic_q + place.n_modes):
                state[equations.q[k]] *= SMALL
            for first, _, _ in place.kind.quaternions:
                p = equations.q[place.q + first : place.q + first + 4]
                size = sum(state[x] ** 2 for x in p) ** 0.5
                state |= {x: state[x] / size for x in p}
        yield state
