"""The equations of a model in symbols: M a + bias + G^T lam = 0 with Phi = 0, and their parts.

The tree of the model chooses the coordinates; joints outside it and motions give the rows. With an order, everything is
truncated at that order in the elastic coordinates by the recursion itself; without one, flexible bodies keep the order
that their field has in the model, and their arms turn by the complete rotation.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Any

from flexmb.errors import Fault, InputError
from flexmb.model.model import Model
from flexmb.symbolic.engine import Scalar, Symbol, tidy
from flexmb.symbolic.joints import stored_rates
from flexmb.symbolic.loads import LoadMaker
from flexmb.symbolic.mechanism import SymbolicMechanism, symbolic_mechanism
from flexmb.symbolic.orders import Orders, is_zero, total
from flexmb.symbolic.recursion import BranchPlace, TreeMotion, branch_places, equations_of_motion, n_modes, tree_motion
from flexmb.symbolic.rows import RowMaker, SymbolicRow
from flexmb.symbolic.tape import Tape

ORDERS = (1, 2)
TIME = Symbol("t")


@dataclass(frozen=True)
class Coordinate:
    """One rate of the model and what it is the rate of."""

    name: str
    rate: Any
    """Symbol of the rate"""
    position: Any
    """Symbol of the coordinate; None for the angular velocity of a rotation that has no angles"""
    unit: str
    meaning: str
    is_angle: bool
    is_elastic: bool = False


@dataclass(frozen=True)
class Equations:
    """M a + bias + G^T lam = 0,  Phi = 0,  Phi' = phi_dot = 0,  G a + gamma = 0."""

    mechanism: SymbolicMechanism
    order: int | None
    coordinates: tuple[Coordinate, ...]
    t: Any
    q: list[Any]
    """Symbols of the stored coordinates, quaternions as four"""
    v: list[Any]
    a: list[Any]
    lam: list[Any]
    q_dot: list[Scalar]
    M: list[list[Scalar]]
    bias: list[Scalar]
    rows: list[SymbolicRow]
    phi: list[Scalar]
    G: list[list[Scalar]]
    phi_dot: list[Scalar]
    gamma: list[Scalar]
    potential: Scalar
    """Energy of gravity, springs and deformation"""
    definitions: list[tuple[Any, Any]]
    """Named intermediate results, in the order in which they can be computed; none unless requested"""
    parts: Parts

    @property
    def n_v(self) -> int:
        """Number of velocities."""
        return len(self.v)

    @property
    def n_rows(self) -> int:
        """Number of constraint rows."""
        return len(self.rows)

    @property
    def angles(self) -> list[Any]:
        """Symbols of the coordinates that are angles of rigid joints."""
        return [c.position for c in self.coordinates if c.is_angle and c.position is not None]


@dataclass(frozen=True)
class Parts:
    """Mechanism and recursion behind the equations; scalars by orders when an order was requested."""

    places: list[BranchPlace]
    motion: TreeMotion
    M: list[list[Scalar]]
    bias: list[Scalar]
    G: list[list[Scalar]]
    gamma: list[Scalar]


def equations_of(
    model: Model,
    keep: Collection[str] | str = (),
    order: int | None = None,
    *,
    rows: Iterable[int] | None = None,
    named: bool = False,
) -> Equations:
    """The equations of a model.

    `keep`: parameters that stay symbols ("all": every one); `order`: truncation in the elastic coordinates; `rows`:
    numbers of the constraint rows to keep (default: all but those that hold identically); `named`: intermediate results
    get names, for code and for long mechanisms (`Equations.definitions`).
    """
    if order is not None and order not in ORDERS:
        text = f"order = {order!r} is not one of the choices: 1, 2, or none for complete equations."
        raise InputError([Fault(text)])
    mechanism = symbolic_mechanism(model, keep)
    _reject_uncovered(mechanism)
    mechanism = _to_order(mechanism, order)
    places = branch_places(mechanism)
    coordinates, q, v = _symbols(mechanism, places)
    taken = [*mechanism.symbols, *(symbol.name for symbol in (*q, *v))]
    tape = Tape(named, taken)
    q_run, v_run = list(q), list(v)
    if order is not None:
        for place in places:
            for k in range(place.n_modes):
                q_run[place.elastic_q + k] = Orders.first(q[place.elastic_q + k], order)
                v_run[place.elastic_v + k] = Orders.first(v[place.elastic_v + k], order)
    motion = tree_motion(mechanism, places, q_run, v_run, tape)
    M, bias = equations_of_motion(mechanism, places, motion, len(v))
    maker = RowMaker(motion, places, q_run, v_run, TIME)
    loads = LoadMaker(maker, bias)
    loads.add_all()
    found = maker.rows()
    found = [row for row in found if not _holds(row)] if rows is None else [found[k] for k in rows]
    G = [[row.jet.columns.get(k, 0) for k in range(len(v))] for row in found]
    gamma = [row.jet.bias for row in found]
    return Equations(
        mechanism=mechanism,
        order=order,
        coordinates=tuple(coordinates),
        t=TIME,
        q=q,
        v=v,
        a=[Symbol(f"{c.name}_ddot") for c in coordinates],
        lam=_multipliers(len(found), taken),
        q_dot=_stored_rates(places, q, v),
        M=[[total(x) for x in row] for row in M],
        bias=[total(x) for x in bias],
        rows=found,
        phi=[total(row.jet.rate if row.on_velocity else row.jet.value) for row in found],
        G=[[total(x) for x in row] for row in G],
        phi_dot=[total(row.jet.rate) for row in found],
        gamma=[total(x) for x in gamma],
        potential=total(loads.potential),
        definitions=tape.definitions,
        parts=Parts(places, motion, M, bias, G, gamma),
    )


def _reject_uncovered(mechanism: SymbolicMechanism) -> None:
    faults = []
    if mechanism.spec.base is not None:
        text = "a moving ground ([base]) has no symbolic form."
        hint = "Remove it, or put a driven body between ground and the mechanism."
        faults.append(Fault(text, ("base",), hint))
    if mechanism.spec.coordinates.default == "natural":
        text = "symbolic equations need joint or absolute coordinates, not natural ones."
        faults.append(Fault(text, ("coordinates", "default"), 'Use default = "joint" or "absolute".'))
    if faults:
        raise InputError(faults)


def _to_order(mechanism: SymbolicMechanism, order: int | None) -> SymbolicMechanism:
    """The mechanism with fields that are consistent with a truncation: the energy is truncated, not single terms."""
    endless = [body.name for body in mechanism.bodies if _needs_order(body)]
    if order is None and endless:
        one = len(endless) == 1
        text = f"the field of {', '.join(repr(name) for name in endless)} has symbolic equations only up to an order."
        which = "the body" if one else "the bodies"
        hint = f'Use order 1 or 2 (--order 2), or give {which} field = "quadratic" with order 1 or 2.'
        raise InputError([Fault(text, ("bodies", endless[0], "field"), hint)])
    if order != 1:
        return mechanism
    bodies = [
        replace(body, elastic=replace(body.elastic, N3={})) if n_modes(body) else body for body in mechanism.bodies
    ]
    return replace(mechanism, bodies=bodies)


def _needs_order(body: Any) -> bool:
    return bool(n_modes(body)) and getattr(body.elastic.marker_data, "needs_order", False)


def _holds(row: SymbolicRow) -> bool:
    """Whether a row holds whatever the coordinates are."""
    return all(_vanishes(x) for x in (row.jet.value, *row.jet.columns.values()))


def _vanishes(x: Scalar) -> bool:
    # An `Orders` value must not meet an expression of the engine in a comparison: that would load sympy.
    return all(_vanishes(part) for part in x.parts) if isinstance(x, Orders) else is_zero(tidy(x))


def _stored_rates(places: list[BranchPlace], q: list[Any], v: list[Any]) -> list[Scalar]:
    rates: list[Scalar] = []
    for place in places:
        rates += stored_rates(place.kind, q[place.q : place.elastic_q], v[place.v : place.elastic_v])
        rates += [v[k] for k in place.modes]
    return rates


def identifier(text: str) -> str:
    """A name that is valid in every language: letters, digits and _, not beginning with a digit."""
    name = re.sub(r"\W", "_", text, flags=re.ASCII).strip("_") or "x"
    return f"x{name}" if name[0].isdigit() else name


class _Names:
    """Names of coordinates, each used once and different from the symbols of the model."""

    def __init__(self, mechanism: SymbolicMechanism):
        self.taken = {"t", *mechanism.symbols}

    def give(self, wanted: str) -> str:
        name = base = identifier(wanted)
        number = 2
        while not self.taken.isdisjoint(_with_rates(name)):
            name, number = f"{base}_{number}", number + 1
        self.taken |= _with_rates(name)
        return name


def _with_rates(name: str) -> set[str]:
    """The names that a coordinate, its rate and its acceleration have."""
    return {name, f"{name}_dot", f"{name}_ddot"}


def _multipliers(count: int, taken: Collection[str]) -> list[Any]:
    """lambda_1, lambda_2, ...; with more underscores when a coordinate or a symbol of the model has such a name."""
    stem = "lambda_"
    while any(f"{stem}{k}" in taken for k in range(1, count + 1)):
        stem += "_"
    return [Symbol(f"{stem}{k}") for k in range(1, count + 1)]


def _symbols(mechanism: SymbolicMechanism, places: list[BranchPlace]) -> tuple[list[Coordinate], list[Any], list[Any]]:
    """Coordinates in the order of the rates; symbols of stored coordinates and of rates."""
    names, sensors = _Names(mechanism), _sensor_names(mechanism)
    coordinates: list[Coordinate] = []
    q: list[Any] = []
    for place in places:
        body = mechanism.bodies[place.branch.body]
        owner = body.name if place.branch.joint is None else mechanism.joints[place.branch.joint].name
        joint = "" if place.branch.joint is None else owner
        q += _joint_symbols(place, owner, joint, names, sensors, coordinates)
        for label, unit in zip(body.elastic.labels if n_modes(body) else (), _units(body), strict=True):
            name = names.give(f"{body.name}_{label}")
            position = Symbol(name)
            q.append(position)
            meaning = f"elastic coordinate {label} of body {body.name}"
            coordinates.append(Coordinate(name, Symbol(f"{name}_dot"), position, unit, meaning, False, True))
    return coordinates, q, [c.rate for c in coordinates]


def _units(body: Any) -> tuple[str, ...]:
    if not n_modes(body):
        return ()
    return body.elastic.units or ("m",) * body.elastic.n_modes


def _joint_symbols(
    place: BranchPlace,
    owner: str,
    joint: str,
    names: _Names,
    sensors: dict[tuple[str, str], str],
    out: list[Coordinate],
) -> list[Any]:
    """Stored symbols of one joint; its rates are appended to `out`."""
    kind = place.kind
    single = len(kind.coordinates) == 1
    made = []
    for coordinate in kind.coordinates:
        wanted = sensors.get((joint, coordinate)) or (owner if single else f"{owner}_{coordinate}")
        made.append(names.give(wanted))
    stored: list[Any] = [None] * kind.n_q
    for first, _, n_rates in kind.quaternions:
        base = f"{owner}_rod" if n_rates == 2 else owner
        stored[first : first + 4] = [Symbol(names.give(f"{base}_p{i}")) for i in range(4)]
    free = iter([k for k in range(kind.n_q) if stored[k] is None])
    what = f"joint {owner}" if joint else f"body {owner}"
    for name, coordinate, sort in zip(made, kind.coordinates, kind.kinds, strict=True):
        position = None
        if sort != "rotation":
            position = Symbol(name)
            stored[next(free)] = position
        rate = Symbol(name if position is None else f"{name}_dot")
        unit = "m" if sort == "length" else "rad"
        out.append(Coordinate(name, rate, position, unit, f"{coordinate} of {what}", sort == "angle"))
    return stored


def _sensor_names(mechanism: SymbolicMechanism) -> dict[tuple[str, str], str]:
    """Names that sensors give to joint coordinates."""
    found: dict[tuple[str, str], str] = {}
    for name, sensor in mechanism.spec.sensors.items():
        if sensor.joint is not None and sensor.quantity in (None, "position"):
            coordinate = mechanism.spec.coordinate(sensor.joint, sensor.coordinate)
            found.setdefault((sensor.joint, coordinate), name)
    return found
