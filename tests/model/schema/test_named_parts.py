"""Named expressions and tables of a model: what they mean, and faults among them.

Covers: model.schema.named_parts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import flexmb as fx
from flexmb.errors import InputError


def machine(effort: str, **expressions: Any) -> fx.Model:
    model = fx.Model("machine")
    model.parameters(gain=2)
    model.rigid("disc", mass=1, inertia=(1, 1, 1))
    model.revolute("axle", model.ground, "disc", at=(0, 0, 0), axis="z")
    model.sensor("w", joint="axle", quantity="velocity")
    model.actuator("motor", "axle", effort=effort)
    model.expressions(**expressions)
    model.table("sheet", {"speed [rad/s]": [0, 1, 2, 4], "torque [N*m]": np.array([5, 4.5, 3.5, 0])})
    model.analysis(end=0.1, step=1e-3)
    return model


def effort(model: fx.Model, **values: float) -> float:
    return float(model.spec.forces["motor"].effort(**values))


def faults(model: fx.Model) -> str:
    with pytest.raises(InputError) as caught:
        model.check()
    return str(caught.value)


def test_expressions_are_inserted_in_any_order() -> None:
    model = machine("b + 1", b="$gain*a", a="3*w + t", unused=4)
    assert effort(model, t=1.0, w=2.0) == 2 * 7 + 1
    assert model.spec.forces["motor"].effort.names == {"t", "w"}


def test_an_expression_keeps_its_unit() -> None:
    assert effort(machine("a", a="2 kN*m")) == 2000.0
    assert "force" in faults(machine("a", a="2 kN"))


def test_interp_is_the_curve_through_the_points_and_level_beyond_them() -> None:
    model = machine("interp('sheet', w)")
    spline = CubicSpline([0, 1, 2, 4], [5, 4.5, 3.5, 0])  # which falls all the way, as the points do
    for w in (0.0, 0.3, 1.0, 2.5, 4.0):
        assert effort(model, w=w) == pytest.approx(float(spline(w)), abs=1e-12)
    assert effort(model, w=-7.0) == pytest.approx(5.0, abs=1e-8)
    assert effort(model, w=99.0) == pytest.approx(0.0, abs=1e-8)


def test_columns_are_chosen_by_name() -> None:
    model = machine("interp('sheet', 4.5 N*m, 'speed', 'torque')")
    assert "must increase" in faults(model)  # the torque falls
    model = machine("interp('wide', w, 'b')")
    model.table("wide", {"a": [0, 1], "b [kN*m]": [0, 2], "c": [0, 3]})
    assert effort(model, w=0.5) == pytest.approx(1000.0, rel=1e-12)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (machine("a", a="b", b="c", c="a"), "circular reference between expressions: a -> b -> c -> a"),
        (machine("a", a="2*a"), "circular reference between expressions: a -> a"),
        (machine("a", a="2*b"), "unknown name 'b'"),
        (machine("w", w="2"), "'w' is already used by a parameter or a sensor"),
        (machine("w", gain="2"), "'gain' is already used by a parameter or a sensor"),
        (machine("w", sin="2"), "'sin' is already used by the expression grammar"),
        (machine("w", a=True), "expected a number or an expression, found true"),
        (machine("interp('sheet', 3 m)"), "a function of an angular speed, found a length"),
        (machine("3 + interp('sheet', w, 'speed')"), "cannot be a function of itself"),
        (machine("interp('sheet', w, 'torq')"), "has no column 'torq'. Did you mean 'torque'?"),
        (machine("interp(sheet, w)"), "expected a name in quotes"),
        (machine("interp('sheet')"), "expected ','"),
        (machine("interp('sheet', w, 'torque', 'speed', 'x')"), "expected ')'"),
        (machine("interp('nothing', w)"), "there is no table or file 'nothing'"),
    ],
)
def test_faults(model: fx.Model, words: str) -> None:
    assert words in faults(model)


def test_expressions_cannot_grow_without_bound() -> None:
    laughs = {f"e{k}": f"e{k + 1} + e{k + 1}" for k in range(40)}
    assert "more than 20000 terms" in faults(machine("e0", **laughs, e40="w"))
    deep = {f"e{k}": "sin(" * 40 + f"e{k + 1}" + ")" * 40 for k in range(20)}
    assert "nested too deeply" in faults(machine("e0", **deep, e20="w"))


def test_a_motion_takes_no_sensor_and_needs_a_table_that_lasts() -> None:
    model = machine("w", a="w", turn="interp('path', t)")
    model.rigid("other", mass=1, inertia=(1, 1, 1))
    model.revolute("second", model.ground, "other", at=(0, 0, 0), axis="z")
    model.motion("drive", {"expression": "a"}, joint="second")
    assert "the expression 'a' depends on the sensor 'w'" in faults(model)
    for end, fault in ((0.05, "covers 0 to 0.05, but at t = 0.1 s it is read at 0.1"), (0.1, "")):
        again = machine("w", turn="interp('path', t)")
        again.rigid("other", mass=1, inertia=(1, 1, 1))
        again.revolute("second", model.ground, "other", at=(0, 0, 0), axis="z")
        again.motion("drive", {"expression": "turn"}, joint="second")
        again.table("path", {"time [s]": [0, end], "angle [deg]": [0, 180]})
        if fault:
            assert fault in faults(again)
        else:
            again.check()


def test_tables_of_motions_and_springs_take_columns() -> None:
    model = machine("0")
    model.table("path", {"time [ms]": [0, 100, 200], "angle [deg]": [0, 90, 180], "way [mm]": [0, 1, 2]})
    model.rigid("other", mass=1, inertia=(1, 1, 1))
    model.revolute("second", model.ground, "other", at=(0, 0, 0), axis="z")
    model.motion("drive", {"table": {"data": "path", "y": "angle"}}, joint="second")
    model.joint_spring("spring", "axle", table={"data": "path", "x": "angle", "y": "time"})
    assert "column 'time' of 'path' is a time, but a torque is needed" in faults(model)
    model = machine("0")
    model.table("path", {"time [ms]": [0, 100, 200], "angle [deg]": [0, 90, 180]})
    model.rigid("other", mass=1, inertia=(1, 1, 1))
    model.revolute("second", model.ground, "other", at=(0, 0, 0), axis="z")
    model.motion("drive", {"table": "path"}, joint="second")
    assert model.spec.motions["drive"].table == pytest.approx(np.array([(0, 0), (0.1, np.pi / 2), (0.2, np.pi)]))


def test_an_expression_named_interp_stays_possible() -> None:
    model = machine("interp*2")
    model.parameters(interp=3)
    assert effort(model) == 6.0
