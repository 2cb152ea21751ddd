"""Motors from data sheets: the motion, and results, prepared models and resumed runs without the CSV file."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import flexmb as fx
from flexmb.errors import ComputationError, InputError
from flexmb.model.model_file import parse_model
from flexmb.results.model_of_result import model_of

NO_LOAD = 3000 * 2 * math.pi / 60
MODEL = """
[model]
name = "motor"
[expressions]
drive = "interp('motor.csv', w)"
[bodies.disc]
mass = 1
inertia = [1, 1, 0.1]
[joints.axle]
type = "revolute"
bodies = ["ground", "disc"]
at = [0, 0, 0]
axis = "z"
[sensors.w]
joint = "axle"
quantity = "velocity"
[forces.motor]
type = "actuator"
joint = "axle"
effort = "drive"
[coordinates]
default = "joint"
[analysis]
end = 1
step = 1e-3
"""


@pytest.fixture
def motor(tmp_path: Path) -> fx.Model:
    (tmp_path / "motor.csv").write_text("speed [rpm], torque [N*m]\n0, 10\n3000, 0\n")
    (tmp_path / "motor.toml").write_text(MODEL)
    return fx.read_model(tmp_path / "motor.toml")


def exact(t: np.ndarray) -> np.ndarray:
    """J w' = T0 (1 - w / w0)"""
    return NO_LOAD * (1.0 - np.exp(-t * 10.0 / (NO_LOAD * 0.1)))


@pytest.mark.parametrize(
    ("coordinates", "method"), [("joint", "generalized-alpha"), ("absolute", "generalized-alpha"), ("natural", "rk4")]
)
def test_a_straight_torque_curve_gives_an_exponential(motor: fx.Model, coordinates: str, method: str) -> None:
    values = {"coordinates.default": coordinates, "analysis.method": method, "analysis.end": 0.5}
    result = fx.run(motor.with_values(values))
    # The time constant is 3.14 s: steps of 1 ms of a method of order 2 err by some (1e-3 / 3.14)^2 / 12 of the change.
    # Natural coordinates turn by 0.05 rad a step, which the fourth order resolves to 0.05^5 / 120 a radian.
    assert np.abs(result["w"] - exact(result.time)).max() < 1e-7 * NO_LOAD


def test_a_result_needs_no_file(motor: fx.Model, tmp_path: Path) -> None:
    out = tmp_path / "elsewhere" / "motor.h5"
    out.parent.mkdir()
    fx.run(motor, out)
    (tmp_path / "motor.csv").unlink()
    with fx.Result(out) as result:
        again = fx.run(model_of(result))
        from_text = fx.run(parse_model(result.model_text, folder=str(out.parent)))
        assert np.array_equal(again["w"], result["w"])
        assert np.array_equal(from_text["w"], result["w"])


def test_a_prepared_model_keeps_its_numbers(motor: fx.Model, tmp_path: Path) -> None:
    prepared = fx.prepare(motor)
    (tmp_path / "motor.csv").write_text("speed [rpm], torque [N*m]\n0, 99\n3000, 0\n")
    shorter = prepared.with_values({"analysis.end": 0.5}).run()
    assert np.abs(shorter["w"] - exact(shorter.time)).max() < 1e-7 * NO_LOAD
    changed = fx.run(fx.read_model(tmp_path / "motor.toml"))
    assert changed["w"][-1] > 2 * exact(np.array(1.0))


def test_resuming_needs_the_same_numbers(motor: fx.Model, tmp_path: Path) -> None:
    out, ends = tmp_path / "motor.h5", {"forces.motor.effort": "drive + 0*sqrt(0.5 - t)"}  # no number after 0.5 s
    with pytest.raises(ComputationError):
        fx.run(motor.with_values(ends), out)
    (tmp_path / "motor.csv").write_text("speed [rpm], torque [N*m]\n0, 10\n3000, 1\n")
    with pytest.raises(InputError, match=r"tables\.motor\.csv\.torque \[N\*m\] was"):
        fx.run(fx.read_model(tmp_path / "motor.toml", ends), out, resume=True)


def test_symbols_reject_a_table_by_name(motor: fx.Model) -> None:
    with pytest.raises(InputError, match="a table of points has no formula"):
        fx.equations_of(motor)
