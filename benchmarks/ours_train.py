"""flexmb on a closed train of four-bars, through a model file: preparation, cost of a step, memory."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from own_process import answer, ask, peak_gigabytes
from problems import GRAVITY, Train
from timing import cpu_seconds

import flexmb as fx
from flexmb.analyses.preparation import Preparation, prepare
from flexmb.model.model import Model
from flexmb.natural.marching import ModelIntegration
from flexmb.natural.natural_model import NaturalModel
from flexmb.solvers.initial_state import body_states
from flexmb.solvers.run import Integration
from flexmb.solvers.settings import solver_settings

RHO = 0.8
STEPS = 60


def train_tables(problem: Train, coordinates: str, steps: int = STEPS) -> dict[str, Any]:
    """The train as tables of a model: revolute joints about z, three rows of every loop redundant."""
    bar = {"mass": 1.0, "inertia": [0.01, 1 / 12, 1 / 12], "center": [0.5, 0, 0]}
    bodies = {
        name: {**bar, "at": [x, y, 0.0], "orientation": {"axis": [0, 0, 1], "angle": angle}}
        for name, x, y, angle in problem.bars()
    }
    joints = {
        pin.name: {"type": "revolute", "bodies": [pin.first, pin.second], "at": [*pin.at, 0.0], "axis": "z"}
        for pin in problem.joints()
    }
    end = problem.step * steps
    analysis = {"type": "dynamic", "end": end, "step": problem.step, "method": "generalized-alpha", "rho": RHO}
    model = {"name": f"train of {problem.n_bars} bars", "gravity": [0, -GRAVITY, 0]}
    tables = {"model": model, "coordinates": {"default": coordinates}, "analysis": analysis, "output": {"every": end}}
    return tables | {"bodies": bodies, "joints": joints}


def write_model(tables: dict[str, Any], path: Path) -> None:
    """The model as a file, as users have it."""
    lines = []
    for name in ("model", "coordinates", "analysis", "output"):
        lines += [f"[{name}]", *_lines(tables[name])]
    for kind in ("bodies", "joints"):
        for name, table in tables[kind].items():
            lines += [f"[{kind}.{name}]", *_lines(table)]
    path.write_text("\n".join(lines) + "\n")


def _lines(table: dict[str, Any]) -> list[str]:
    return [f"{key} = {_value(value)}" for key, value in table.items()]


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_value(entry)}" for key, entry in value.items()) + " }"
    return json.dumps(value)


def measured(n_bars: int, coordinates: str, repeats: int) -> dict[str, float]:
    """In a process of its own: CPU seconds of preparation and of a step, error of the tip's height at the end of the
    steps [m], and the largest memory [MB]."""
    return ask("ours_train.py", n_bars, coordinates, repeats, one_thread=True)


def _measure(n_bars: int, coordinates: str, repeats: int) -> dict[str, float]:
    problem = Train(n_bars)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "train.toml"
        write_model(train_tables(problem, coordinates), path)
        model = fx.read_model(path)
    prepare(Model.from_tables(train_tables(Train(151), "joint")))  # loads the compiled code
    measure = _advance_natural if coordinates == "natural" else _advance
    return measure(problem, model, repeats) | {"memory": 1e3 * peak_gigabytes()}


def _advance(problem: Train, model: Model, repeats: int) -> dict[str, float]:
    """The steps alone, of a system that is prepared."""
    assert model.spec.analysis is not None
    ready: list[Preparation] = []
    found = {"prepare": cpu_seconds(lambda: ready.append(prepare(model)))}
    costs = []
    for _ in range(repeats):
        run = Integration(ready[0].system, solver_settings(model.spec.analysis, problem.step * STEPS))
        run.start()
        costs.append(cpu_seconds(lambda run=run: run.advance(STEPS + 1)) / STEPS)  # type: ignore[misc]
    height = float(body_states(ready[0].system, run.W)["c0"][1])
    return found | {"step": min(costs), "error": abs(height - problem.tip_height(STEPS * problem.step))}


def _advance_natural(problem: Train, model: Model, repeats: int) -> dict[str, float]:
    """The same in natural coordinates, without an output row: one costs as much as some steps."""
    assert model.spec.analysis is not None
    ready: list[Preparation] = []
    found = {"prepare": cpu_seconds(lambda: ready.append(prepare(model)))}
    settings = solver_settings(model.spec.analysis, 2.0 * problem.step * STEPS)
    costs = []
    for _ in range(repeats):
        run = ModelIntegration(NaturalModel(model.spec, ready[0].system, settings), settings)
        run.start()
        costs.append(cpu_seconds(lambda run=run: run.advance(STEPS - 1)) / (STEPS - 1))  # type: ignore[misc]
    height = float(fx.run(model)["bodies/c0/position"][-1, 1])
    return found | {"step": min(costs), "error": abs(height - problem.tip_height(STEPS * problem.step))}


if __name__ == "__main__":
    answer(**_measure(int(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
