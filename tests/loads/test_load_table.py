"""The load table against what states the same facts in another way: schema, methods of the model, laws, symbols.

Covers: loads.table, loads.tables.
"""

from __future__ import annotations

import inspect
import math
from typing import Any, get_args

import numpy as np
import pytest

from flexmb.loads.laws import COORDINATE, MARKER, acts_on, law_into
from flexmb.loads.table import LOAD_TYPES, LoadCode, LoadType
from flexmb.model.expressions.tables import linear_record
from flexmb.model.model import Model
from flexmb.model.schema.loads import Force, OnCoordinate
from flexmb.recursive.recursive_reactions import COVERED
from flexmb.symbolic.engine import Symbol, as_expression
from flexmb.symbolic.loads import LAWS

CLASSES: dict[str, Any] = {get_args(one.fields()["type"].annotation)[0]: one for one in get_args(get_args(Force)[0])}
SCALAR = [row for row in LOAD_TYPES.values() if row.acts_on in ("pair", "coordinate", "axis")]
SMOOTH = [row for row in SCALAR if not row.not_in_symbols]


def law_of(row: LoadType, *arguments: Any) -> tuple[float, ...]:
    """Effort, power and potential."""
    block = np.zeros(3)
    law_into(int(row.code), *arguments, block, 0)
    return tuple(block.tolist())


def test_codes_and_names() -> None:
    assert sorted(row.code for row in LOAD_TYPES.values()) == list(LoadCode)
    assert {row.code.name.lower().replace("_", "-") for row in LOAD_TYPES.values()} == LOAD_TYPES.keys()
    assert list(CLASSES) == list(LOAD_TYPES)
    assert acts_on(int(LoadCode.TORQUE)) == MARKER and acts_on(int(LoadCode.ACTUATOR)) == COORDINATE
    assert {"force", "spring-damper", "actuator"} < set(COVERED) and "distributed-force" not in COVERED


@pytest.mark.parametrize("row", LOAD_TYPES.values(), ids=LOAD_TYPES)
def test_the_schema_and_the_method_have_the_keys_of_the_row(row: LoadType) -> None:
    fields = CLASSES[row.name].fields()
    assert {field.alias or name for name, field in fields.items()} == {"type", *row.keys}
    assert issubclass(CLASSES[row.name], OnCoordinate) is (row.acts_on == "coordinate")
    assert bool(row.used) is (row.acts_on == "coordinate")
    parameters = inspect.signature(getattr(Model, row.name.replace("-", "_"))).parameters
    ends = {"first", "second"} if row.acts_on != "path" else {"markers"}
    renamed = {"markers": ends, "from": {"start"}}
    renamed |= {"body": {"beam"}} if row.acts_on == "beam" else {}
    assert set(parameters) == {"self", "name"}.union(*(renamed.get(key, {key}) for key in row.keys))


@pytest.mark.parametrize("row", SMOOTH, ids=lambda row: row.name)
def test_laws_are_those_of_the_symbols_and_their_powers_are_right(row: LoadType) -> None:
    """effort = -dU/ds + what works; its power is effort times rate less what is stored."""
    rng = np.random.default_rng(int(row.code))
    F = rng.uniform(0.5, 2.0, 1 + len(row.numbers))
    F[0] = 0.0
    s, s_dot, applied = 0.9, -0.7, 1.3
    effort, power, energy = law_of(row, F, 1, 0, s, s_dot, applied)
    sign = -1.0 if row.acts_on == "pair" else 1.0  # between markers an expression is a tension, which pulls
    if row.expression == "effort":
        assert (effort, power, energy) == (sign * applied, sign * applied * s_dot, 0.0)
        return
    x, v = Symbol("x"), Symbol("v")
    law, stored = (as_expression(part) for part in LAWS[row.name](x, v, *(as_expression(f) for f in F[1:])))
    at = {x: s, v: s_dot}
    assert float(law.subs(at)) == pytest.approx(effort, rel=1e-14)
    assert float(stored.subs(at)) == pytest.approx(energy, rel=1e-14)
    slope = float(stored.diff(x).subs(at))
    assert bool(slope) is row.is_spring
    assert power == pytest.approx((effort + slope) * s_dot, rel=1e-13) and power < 0.0


@pytest.mark.parametrize("row", [row for row in SCALAR if row.is_spring], ids=lambda row: row.name)
def test_a_tabled_spring_stores_the_area_under_its_table(row: LoadType) -> None:
    table = linear_record(((-1.0, -2.0), (0.0, 0.0), (1.0, 4.0)))
    F = np.array([0.0, 0.0, 0.5, 0.25, *table])
    effort, power, energy = law_of(row, F, 1, 4, 0.75, 0.2, 0.0)
    assert effort == pytest.approx(-4.0 * 0.5 - 0.5 * 0.2)
    assert energy == pytest.approx(0.5 * 4.0 * 0.5**2) and power == pytest.approx(-0.5 * 0.2**2)
    assert math.isfinite(energy)


@pytest.mark.parametrize("row", [row for row in SCALAR if row.is_stop], ids=lambda row: row.name)
@pytest.mark.parametrize("side", [-1.0, 1.0])
@pytest.mark.parametrize("rate", [0.8, -0.3, -5.0])
def test_a_stop_stores_its_elastic_part_and_never_pulls(row: LoadType, side: float, rate: float) -> None:
    """The effort points back into the range; its slope of energy is the force at rest; power is what is left."""
    F = np.array([0.0, -0.5, 0.7, 300.0, 1.5, 0.9])
    depth, h = 0.2, 1e-6
    at = (lambda d: 0.7 + d) if side > 0 else (lambda d: -0.5 - d)
    effort, power, energy = law_of(row, F, 1, 0, at(depth), side * rate, 0.0)
    rest = 300.0 * depth**1.5
    assert -side * effort == pytest.approx(rest * max(0.0, 1.0 + 0.9 * rate))
    above, below = (law_of(row, F, 1, 0, at(depth + d), 0.0, 0.0)[2] for d in (h, -h))
    slope = (above - below) / (2 * h)
    assert slope == pytest.approx(rest, rel=1e-8) and energy == pytest.approx(rest * depth / 2.5)
    assert power == pytest.approx(effort * side * rate + slope * rate, abs=1e-6) and power <= 0.0
    assert law_of(row, F, 1, 0, at(-0.01), side * rate, 0.0) == (0.0, 0.0, 0.0)
