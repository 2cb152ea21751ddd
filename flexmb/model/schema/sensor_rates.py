"""Rates of sensors, and components of vector sensors in expressions.

A sensor of a rate is checked on the raw tables (`check_rate`) and becomes a sensor of the derivative of what the other
one measures (`with_rates`). The components of a sensor r with three components are `r.x`, `r.y`, `r.z` in expressions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from flexmb.axes import AXES
from flexmb.model.schema.checks import Path, References, Table, tables_of

if TYPE_CHECKING:
    from flexmb.model.schema.loads import Sensor

DERIVATIVES = {
    "position": "velocity",
    "velocity": "acceleration",
    "orientation": "orientation-rate",
    "angular-velocity": "angular-acceleration",
}
"""Quantity -> its rate"""


def _chain(sensors: Mapping[str, Any], name: str) -> Iterator[str]:
    """A sensor, the one whose rate it measures, and so on; ends before a repeated one."""
    seen = list[str]()
    while name in sensors and name not in seen:
        yield name
        seen.append(name)
        table = sensors[name]
        following = table.get("rate") if isinstance(table, Mapping) else None
        if not isinstance(following, str):
            return
        name = following


def check_rate(references: References, name: str, table: Table) -> None:
    """Faults of a sensor of a rate: what it is the rate of."""
    path: Path = ("sensors", name, "rate")
    if not references.named("sensors", table.get("rate"), path):
        return
    sensors = tables_of(references.tables, "sensors", any_value=True)
    chain = list(_chain(sensors, name))
    base = sensors[chain[-1]]
    if not isinstance(base, Mapping):
        return
    if "rate" in base:
        if isinstance(base["rate"], str) and base["rate"] in chain:
            references.add(path, f"circular reference between sensors: {' -> '.join([*chain, base['rate']])}")
        return
    subject = next((key for key in ("joint", "marker", "between") if key in base), None)
    quantity = str(base.get("quantity", "position"))
    most = 0
    if subject is not None:
        while quantity in DERIVATIVES and quantity != "orientation":
            quantity, most = DERIVATIVES[quantity], most + 1
        most = 1 if quantity in ("orientation", "distance") else most
        most = min(most, 1) if subject == "between" or base.get("component") == "magnitude" else most
    if len(chain) - 1 > most:
        what = f"sensor '{chain[-1]}' has no rate" if most == 0 else f"sensor '{chain[-1]}' has no rate of its rate"
        hint = (
            "Positions, velocities, orientations and angular velocities of joints and markers, and distances have one."
        )
        references.add(path, f"sensor '{name}': {what}", hint)


def with_rates(sensors: Mapping[str, Sensor]) -> dict[str, Sensor]:
    """The sensors of a checked model, those of rates as sensors of the derivatives."""
    found: dict[str, Sensor] = {}
    for name in sensors:
        chain = [name]
        while (following := sensors[chain[-1]].rate) is not None:
            chain.append(following)
        measured = sensors[chain[-1]]
        for _ in chain[1:]:
            measured = _derivative(measured)
        found[name] = measured
    return found


def _derivative(sensor: Sensor) -> Sensor:
    if sensor.between is not None or sensor.component == "magnitude":
        return sensor.model_copy(update={"component": "magnitude-rate"})
    return sensor.model_copy(update={"quantity": DERIVATIVES[sensor.quantity or "position"]})


def components(sensors: Mapping[str, Any]) -> list[str]:
    """Names of the components of sensors with three of them, in expressions; from raw tables."""
    found = list[str]()
    for name in sensors:
        base = sensors[list(_chain(sensors, name))[-1]]
        if isinstance(base, Mapping) and ("marker" in base or "deflection" in base) and "component" not in base:
            found += [f"{name}.{axis}" for axis in AXES]
    return found
