"""Applied forces in symbols (theory 4): what every load adds to the bias, and the energy that springs store.

bias -= V_P^T F + W_P^T N    for a force F and a moment N at a marker with columns V_P, W_P;
bias -= effort               on a coordinate of the tree.
"""

from __future__ import annotations

from typing import Any

from flexmb.errors import Fault, InputError
from flexmb.symbolic.engine import Integer, Scalar, Vector, as_expression, engine
from flexmb.symbolic.expressions import expression_of, value_of
from flexmb.symbolic.orders import add as plus
from flexmb.symbolic.orders import multiply, negative, reciprocal, square_root, total
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
        """Every force of the model; raises InputError with all that have no symbolic form."""
        makers = {
            "force": self._at_marker,
            "torque": self._at_marker,
            "distributed-force": self._distributed,
            "spring-damper": self._spring,
            "joint-spring": self._joint_load,
            "friction": self._joint_load,
            "actuator": self._joint_load,
        }
        for name, force in self.mechanism.spec.forces.items():
            try:
                makers[force.type](name, force)
            except InputError as error:
                self.faults += [
                    fault if fault.path else Fault(fault.text, ("forces", name), fault.hint) for fault in error.faults
                ]
        if self.faults:
            raise InputError(self.faults)

    def _variables(self, name: str, names: frozenset[str]) -> dict[str, Scalar]:
        """Coordinates and rates that sensors in an expression measure."""
        found = {}
        for sensor_name in names - {"t"} - set(self.mechanism.symbols):
            sensor = self.mechanism.spec.sensors[sensor_name]
            if sensor.joint is None or sensor.quantity == "acceleration":
                text = f"force '{name}' depends on sensor '{sensor_name}', which has no symbolic form."
                hint = "Sensors of joint positions and velocities have one."
                raise InputError([Fault(text, ("forces", name), hint)])
            what = f"sensor '{sensor_name}'"
            q, v = self.rows.coordinate(sensor.joint, sensor.coordinate, what, ("sensors", sensor_name))
            found[sensor_name] = total(self.rows.v[v] if sensor.quantity == "velocity" else self.rows.q[q])
        return found

    def _value(self, name: str, expression: Any) -> Scalar:
        variables = self._variables(name, expression.names)
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

    def _spring(self, name: str, spring: Any) -> None:
        if spring.table is not None:
            raise InputError(f"spring '{name}' has a table, which has no symbolic form; give it a stiffness.")
        a, b = (self.rows.marker(self.mechanism.marker_index[marker]) for marker in spring.markers)
        d = sub([x.value for x in b.place], [x.value for x in a.place])
        velocity = sub([x.rate for x in b.place], [x.rate for x in a.place])
        length = square_root(dot(d, d))
        inverse = reciprocal(length)
        stiffness, damping = (
            value_of(spring.stiffness, ("forces", name, "stiffness")),
            value_of(spring.damping, ("forces", name, "damping")),
        )
        free = 0 if spring.length is None else value_of(spring.length, ("forces", name, "length"))
        elongation = plus(length, negative(free))
        tension = plus(multiply(stiffness, elongation), multiply(damping, multiply(dot(d, velocity), inverse)))
        pull = scale(multiply(tension, inverse), d)
        self._push(a, pull)
        self._push(b, [negative(x) for x in pull])
        energy = multiply(Integer(1) / 2, multiply(stiffness, multiply(elongation, elongation)))
        self.potential = plus(self.potential, energy)

    def _joint_load(self, name: str, force: Any) -> None:
        q, v = self.rows.coordinate(force.joint, force.coordinate, f"force '{name}'", ("forces", name))
        position, rate = self.rows.q[q], self.rows.v[v]
        effort: Scalar
        if force.type == "actuator":
            effort = self._value(name, force.effort)
        elif force.type == "friction":
            effort = negative(multiply(value_of(force.viscous, ("forces", name, "viscous")), rate))
            if force.coulomb:
                share = engine.tanh(
                    as_expression(rate) / as_expression(value_of(force.transition, ("forces", name, "transition")))
                )
                effort = plus(effort, negative(multiply(value_of(force.coulomb, ("forces", name, "coulomb")), share)))
        else:
            if force.table is not None:
                raise InputError(f"spring '{name}' has a table, which has no symbolic form; give it a stiffness.")
            deflection = plus(position, negative(value_of(force.rest, ("forces", name, "rest"))))
            stiffness = value_of(force.stiffness, ("forces", name, "stiffness"))
            effort = negative(
                plus(
                    multiply(stiffness, deflection),
                    multiply(value_of(force.damping, ("forces", name, "damping")), rate),
                )
            )
            energy = multiply(Integer(1) / 2, multiply(stiffness, multiply(deflection, deflection)))
            self.potential = plus(self.potential, energy)
        self.bias[v] = plus(self.bias[v], negative(effort))
