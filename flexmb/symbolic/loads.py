"""Applied forces in symbols (theory 4): contribution of every load to the bias, and the energy that springs store.

bias -= V_P^T F + W_P^T N    for a force F and a moment N at a marker with columns V_P, W_P;
bias -= effort               on a coordinate of the tree.
"""

from __future__ import annotations

from typing import Any

from flexmb.axes import AXES
from flexmb.errors import Fault, InputError
from flexmb.loads.table import LOAD_TYPES
from flexmb.model.schema.loads import sensor_of
from flexmb.symbolic.engine import Integer, Scalar, Vector, as_expression, engine
from flexmb.symbolic.expressions import expression_of, value_of
from flexmb.symbolic.orders import add as plus
from flexmb.symbolic.orders import is_zero, multiply, negative, reciprocal, square_root, total
from flexmb.symbolic.rows import MarkerMotion, RowMaker
from flexmb.symbolic.vectors import XYZ, apply, dot, scale, sub


class LoadMaker:
    """All loads of a mechanism; `bias` collects their generalised forces, `potential` the energy of springs."""

    def __init__(self, rows: RowMaker, bias: list[Scalar]):
        self.rows, self.bias = rows, bias
        self.mechanism = rows.mechanism
        self.potential: Scalar = 0
        self.faults: list[Fault] = []

    def add_all(self) -> None:
        """Every force of the model; raises InputError that lists all without a symbolic form."""
        makers = {
            "marker": self._at_marker,
            "beam": self._distributed,
            "pair": self._between,
            "coordinate": self._on_coordinate,
        }
        for name, force in self.mechanism.spec.forces.items():
            try:
                kind = LOAD_TYPES[force.type]
                if kind.not_in_symbols:
                    raise InputError(f"force '{name}' has no symbolic form: {kind.not_in_symbols}.")
                makers[kind.acts_on](name, force)
            except InputError as error:
                self.faults += [
                    fault if fault.path else Fault(fault.text, ("forces", name), fault.hint) for fault in error.faults
                ]
        if self.faults:
            raise InputError(self.faults)

    def _variables(self, name: str, names: frozenset[str]) -> dict[str, Scalar]:
        """Coordinates, rates and components of places that sensors in an expression measure."""
        found: dict[str, Scalar] = {}
        for sensor_name in names - {"t"} - set(self.mechanism.symbols):
            sensor = self.mechanism.spec.sensors[sensor_of(sensor_name)]
            component = sensor.component or sensor_name.partition(".")[2]
            if sensor.marker is not None and component in AXES and sensor.axes == "world":
                if sensor.quantity in (None, "position", "velocity"):
                    ends = (self.mechanism.marker_index[m] for m in (sensor.marker, sensor.relative_to))
                    first, second = (self.rows.marker(end).place[AXES.index(component)] for end in ends)
                    is_rate = sensor.quantity == "velocity"
                    pair = (first.rate, second.rate) if is_rate else (first.value, second.value)
                    found[sensor_name] = total(plus(pair[0], negative(pair[1])))
                    continue
            if sensor.joint is None or sensor.quantity == "acceleration":
                text = f"force '{name}' depends on sensor '{sensor_name}', which has no symbolic form."
                hint = "Positions and velocities of joints, and their components in world axes of markers, have one."
                raise InputError([Fault(text, ("forces", name), hint)])
            what = f"sensor '{sensor_name}'"
            q, v = self.rows.coordinate(sensor.joint, sensor.coordinate, what, ("sensors", sensor_name))
            found[sensor_name] = total(self.rows.v[v] if sensor.quantity == "velocity" else self.rows.q[q])
        return found

    def _value(self, name: str, expression: Any, own: dict[str, Scalar] | None = None) -> Scalar:
        """Value of an expression; `own`: what the load itself measures."""
        own = own or {}
        variables = {**self._variables(name, expression.names - own.keys()), **own}
        return expression_of(expression, {"t": self.rows.t, **variables}, path=("forces", name))

    def _push(self, marker: MarkerMotion, force: Vector | None, moment: Vector | None = None) -> None:
        """A force and a moment at a marker, world axes."""
        for k, turning in marker.turnings.items():
            if force is not None:
                velocity = [marker.place[i].columns[k] for i in XYZ]
                self.bias[k] = plus(self.bias[k], negative(dot(velocity, force)))
            if moment is not None:
                self.bias[k] = plus(self.bias[k], negative(dot(turning, moment)))

    def _at_marker(self, name: str, force: Any) -> None:
        marker = self.rows.marker(self.mechanism.marker_index[force.marker])
        vector = [self._value(name, component) for component in force.vector]
        if force.axes == "marker":
            vector = apply(marker.R, vector)
        if force.type == "force":
            self._push(marker, vector)
        else:
            self._push(marker, None, vector)

    def _distributed(self, name: str, force: Any) -> None:
        vector = [self._value(name, component) for component in force.vector]
        for number, length in self.mechanism.distributed[name]:
            marker = self.rows.marker(number)
            here = scale(length, vector)
            self._push(marker, apply(marker.R, here) if force.axes == "section" else here)

    def _between(self, name: str, force: Any) -> None:
        """A law on the distance of two markers."""
        a, b = (self.rows.marker(self.mechanism.marker_index[marker]) for marker in force.markers)
        d = sub([x.value for x in b.place], [x.value for x in a.place])
        velocity = sub([x.rate for x in b.place], [x.rate for x in a.place])
        length = square_root(dot(d, d))
        inverse = reciprocal(length)
        effort, energy = self._law(name, force, length, multiply(dot(d, velocity), inverse))
        pull = scale(multiply(negative(effort), inverse), d)
        self._push(a, pull)
        self._push(b, [negative(x) for x in pull])
        self.potential = plus(self.potential, energy)

    def _on_coordinate(self, name: str, force: Any) -> None:
        q, v = self.rows.coordinate(force.joint, force.coordinate, f"force '{name}'", ("forces", name))
        effort, energy = self._law(name, force, self.rows.q[q], self.rows.v[v])
        self.potential = plus(self.potential, energy)
        self.bias[v] = plus(self.bias[v], negative(effort))

    def _law(self, name: str, force: Any, position: Scalar, rate: Scalar) -> tuple[Scalar, Scalar]:
        """Effort on a length or coordinate, and the energy that it stores."""
        if force.type == "actuator":
            return self._value(name, force.effort), 0
        if force.type == "pair-force":
            return negative(self._value(name, force.effort, {"distance": total(position), "rate": total(rate)})), 0
        if getattr(force, "table", None) is not None:
            raise InputError(f"spring '{name}' has a table, which has no symbolic form. Give it a stiffness.")
        given = {key: getattr(force, key) for key, _ in LOAD_TYPES[force.type].numbers}
        numbers = [0 if value is None else value_of(value, ("forces", name, key)) for key, value in given.items()]
        return LAWS[force.type](position, rate, *numbers)


def _spring(position: Scalar, rate: Scalar, stiffness: Scalar, damping: Scalar, rest: Scalar) -> tuple[Scalar, Scalar]:
    deflection = plus(position, negative(rest))
    effort = negative(plus(multiply(stiffness, deflection), multiply(damping, rate)))
    return effort, multiply(Integer(1) / 2, multiply(stiffness, multiply(deflection, deflection)))


def _friction(
    position: Scalar, rate: Scalar, viscous: Scalar, coulomb: Scalar, transition: Scalar
) -> tuple[Scalar, Scalar]:
    effort = negative(multiply(viscous, rate))
    if is_zero(coulomb):
        return effort, 0
    share = engine.tanh(as_expression(rate) / as_expression(transition))
    return plus(effort, negative(multiply(coulomb, share))), 0


LAWS = {"spring-damper": _spring, "joint-spring": _spring, "friction": _friction}
"""Scalar laws of the load table: position, rate and the numbers of the row -> effort, stored energy."""
