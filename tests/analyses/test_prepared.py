"""Runs in memory and prepared models: the numbers are those of a run that builds everything and writes a file.

Covers: analyses.judging, analyses.run, results.run_identity.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmb as fx
from flexmb.analyses import prepared as module
from flexmb.results.memory_result import MemoryResult
from flexmb.system import build, placement
from tests.support.places import ROOT

EXAMPLES = ROOT / "examples"
SHORT = {
    "01_double_pendulum": {"analysis.end": 0.1},
    "02_planar_slider_crank": {"analysis.end": 0.01},
    "03_pendulating_rotor": {"analysis.end": 0.02},
    "04_spatial_slider_crank": {"analysis.end": "1e-3", "output.every": "1e-4"},
    "08_crane_arm": {"analysis.end": 0.05},
    "09_robot_arm": {"analysis.end": 0.02},
    "10_scissor_lift": {"analysis.end": 0.1},
}


def example(name: str, **values: Any) -> fx.Model:
    return fx.read_model(EXAMPLES / f"{name}.toml", {**{k: str(v) for k, v in SHORT[name].items()}, **values})


def rows_of(result: fx.Result) -> bytes:
    return b"".join(np.ascontiguousarray(result[path]).tobytes() for path in result.channels)


def _lasting(report: str) -> list[str]:
    """Lines of a report that are the same for every run: all but the wall time, and the result file at the end."""
    lines = report[: report.rindex("\n  result")].split("\n")
    return [line for line in lines if not line.strip().startswith("wall time")]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("01_double_pendulum", {"l2": "1.2"}),  # geometry, by a parameter with a unit
        ("01_double_pendulum", {"joints.elbow.position": "0.7", "model.gravity": "[0, -1.62, 0]"}),
        ("02_planar_slider_crank", {"torque": "0.1"}),  # a constant of a force
        ("02_planar_slider_crank", {"start": "0.5 rad", "l12": "400 mm"}),  # initial positions by an expression
        ("03_pendulating_rotor", {"spin": "55", "precession": "2.5"}),  # laws of time alone
        ("03_pendulating_rotor", {"m3": "3 kg", "analysis.method": "rk45", "analysis.step": "1 ms"}),
        ("04_spatial_slider_crank", {"speed": "120"}),
        ("04_spatial_slider_crank", {"bodies.rod.section.I": "7e-11"}),
        ("04_spatial_slider_crank", {"points.B": "[0.46, 0, 0]", "shapes": "2"}),  # another number of coordinates
        ("04_spatial_slider_crank", {"coordinates.default": "absolute", "speed": "140"}),
        ("08_crane_arm", {"luff": "55"}),
        ("08_crane_arm", {"bodies.boom.section.inner": "120 mm", "load": "2000"}),
        ("09_robot_arm", {"move": "0.8"}),
        ("10_scissor_lift", {"angle": "25"}),
    ],
)
def test_changed_values_are_those_of_a_new_model(name: str, values: dict[str, str]) -> None:
    """Bit for bit, also after other values in between."""
    base = fx.prepare(example(name))
    other = base.with_values(values)
    fresh = fx.run(example(name, **values))
    assert rows_of(other.run()) == rows_of(fresh)
    assert rows_of(base.run()) == rows_of(fx.run(example(name)))
    assert rows_of(other.with_values({}).run()) == rows_of(fresh)
    assert other.run().settings == fresh.settings
    assert rows_of(fresh) != rows_of(base.run())


@pytest.mark.parametrize("name", sorted(SHORT))
def test_a_run_in_memory_is_that_of_the_file(name: str, tmp_path: Path) -> None:
    model = example(name)
    in_memory = fx.run(model)
    fx.run_model(model, tmp_path / "out.h5").close()
    with fx.Result(tmp_path / "out.h5") as stored:
        assert list(in_memory.channels.values()) == list(stored.channels.values())
        assert rows_of(in_memory) == rows_of(stored)
        np.testing.assert_array_equal(in_memory.checkpoint, stored.checkpoint)
        assert in_memory.warnings == stored.warnings
        for key in ("name", "outcome", "model_text", "settings", "folder", "body_files", "sensors", "n_rows"):
            assert getattr(in_memory, key) == getattr(stored, key), key
        different = {"wall_time"}
        assert {k: v for k, v in in_memory.summary.items() if k not in different} == {
            k: v for k, v in stored.summary.items() if k not in different
        }
        lines = [_lasting(result.report) for result in (in_memory, stored)]
        assert lines[0] == lines[1]
        assert "in memory" in in_memory.report
        assert [str(peak) for peak in in_memory.peaks] == [str(peak) for peak in stored.peaks]


def test_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = fx.run(EXAMPLES / "01_double_pendulum.toml")
    assert result.report and result["tip_height"].shape == (501,) and not list(tmp_path.iterdir())
    result.save("kept.h5")
    with fx.Result("kept.h5") as stored:
        assert rows_of(stored) == rows_of(result) and stored.report == result.report


def test_report_is_made_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    judge = module.execute.__globals__["EndedRun"].judge
    monkeypatch.setattr("flexmb.analyses.run.EndedRun.judge", lambda *a: asked.append(a) or judge(*a))  # type: ignore[func-returns-value]
    result = fx.run(example("04_spatial_slider_crank"))
    assert not asked and result["rod_mid_y"].size
    assert result.report and result.warnings is not None and len(asked) == 1


def test_nothing_is_built_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """One placement and one build for a run in joint coordinates; none of both where only the output changes."""
    counts = {"place": 0, "build": 0}

    def counted(key: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            counts[key] += 1
            return function(*args, **options)

        return call

    monkeypatch.setattr(placement.Placer, "place", counted("place", placement.Placer.place))
    monkeypatch.setattr(build, "lay_out_tree", counted("build", build.lay_out_tree))
    ready = fx.prepare(example("04_spatial_slider_crank"))
    assert counts == {"place": 1, "build": 1}
    ready.run()
    ready.with_values({"output.every": "2e-4"}).run()
    assert counts == {"place": 1, "build": 1}
    ready.with_values(speed=130).run()  # only a law of time
    assert counts == {"place": 1, "build": 2}
    ready.with_values({"points.B": [0.46, 0, 0]}).run()
    assert counts == {"place": 2, "build": 3}


def test_values_in_python() -> None:
    """A number keeps the unit of its parameter, lists and arrays are values, and the first model stays as it was."""
    model = example("01_double_pendulum")
    ready = fx.prepare(model)
    changed = ready.with_values(l2=np.float64(1.2), **{"model.gravity": np.array([0.0, -1.62, 0.0])})
    assert changed.parameters["l2"] == 1.2 and ready.parameters["l2"] == 0.8
    assert changed.model.spec.model.gravity == (0.0, -1.62, 0.0)
    model.parameters(l3=1.0)
    assert "l3" not in ready.with_values(l1=2).parameters
    with pytest.raises(fx.InputError, match="no parameter 'l4'. Parameters: l1, l2."):
        ready.with_values(l4=1)
    with pytest.raises(fx.InputError, match="must be greater than 0"):
        ready.with_values({"analysis.end": -1})


def test_other_processes(tmp_path: Path) -> None:
    ready = fx.prepare(example("02_planar_slider_crank"))
    again = pickle.loads(pickle.dumps(ready))
    result = again.run()
    assert rows_of(result) == rows_of(ready.run())
    copy = pickle.loads(pickle.dumps(result))
    assert isinstance(copy, MemoryResult) and rows_of(copy) == rows_of(result) and copy.report == result.report
    written = ready.run(tmp_path / "r.h5")
    stored = pickle.loads(pickle.dumps(written))
    assert type(stored) is fx.Result and rows_of(stored) == rows_of(result)
    stored.close()


def test_a_failed_run_raises_and_its_file_has_the_rows(tmp_path: Path) -> None:
    model = example("01_double_pendulum", **{"model.gravity": "[0, -1e30, 0]", "analysis.tolerance": "1e-9"})
    with pytest.raises(fx.ComputationError):
        fx.run(model)
    with pytest.raises(fx.ComputationError):
        fx.run(model, tmp_path / "r.h5")
    with fx.Result(tmp_path / "r.h5") as result:
        assert result.outcome == "failed" and result.n_rows


def test_resuming_needs_a_file() -> None:
    with pytest.raises(fx.InputError, match="nothing to resume without a result file"):
        fx.run(example("01_double_pendulum"), resume=True)


def test_closed_results_say_so() -> None:
    with fx.run(example("01_double_pendulum")) as result:
        assert "in memory" in repr(result)
    with pytest.raises(fx.InputError, match="closed"):
        result["time"]
