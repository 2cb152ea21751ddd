"""flexmb on a closed train of four-bars, through a model file: preparation, cost of a step, memory."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from timing import cpu_seconds

STEP, STEPS = 1e-3, 60


def train_tables(n_bars: int, coordinates: str) -> dict[str, Any]:
    """Rockers on ground, neighbours joined by couplers at their tips: bars of 1 m and 1 kg, revolute joints about z."""
    n, angle = (n_bars - 1) // 2, math.radians(60.0)
    c, s = math.cos(angle), math.sin(angle)
    bar = {"mass": 1.0, "inertia": [0.01, 1 / 12, 1 / 12], "center": [0.5, 0, 0]}
    bodies: dict[str, Any] = {}
    joints: dict[str, Any] = {}
    for k in range(n + 1):
        bodies[f"r{k}"] = {**bar, "at": [k, 0, 0], "orientation": {"axis": [0, 0, 1], "angle": angle}}
        joints[f"a{k}"] = _pin("ground", f"r{k}", [k, 0, 0])
    for k in range(n):
        bodies[f"c{k}"] = {**bar, "at": [k + c, s, 0]}
        joints[f"b{k}"] = _pin(f"r{k}", f"c{k}", [k + c, s, 0])
        joints[f"d{k}"] = _pin(f"c{k}", f"r{k + 1}", [k + 1 + c, s, 0])
    analysis = {"type": "dynamic", "end": STEP * STEPS, "step": STEP, "method": "generalized-alpha", "rho": 0.8}
    model = {"name": f"train of {n_bars} bars", "gravity": [0, -9.81, 0]}
    tables = {"model": model, "coordinates": {"default": coordinates}, "analysis": analysis}
    return tables | {"bodies": bodies, "joints": joints}


def _pin(first: str, second: str, at: list[float]) -> dict[str, Any]:
    return {"type": "revolute", "bodies": [first, second], "at": at, "axis": "z"}


def write_model(tables: dict[str, Any], path: Path) -> None:
    """The model as a file, as users have it."""
    lines = []
    for name in ("model", "coordinates", "analysis"):
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
    """In a process of its own: CPU seconds of preparation and of a step, and the largest memory [MB]."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "train.toml"
        write_model(train_tables(n_bars, coordinates), path)
        words = [sys.executable, __file__, str(path), str(repeats)]
        found: dict[str, float] = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    return found


def _measure(path: str, repeats: int) -> dict[str, float]:
    import resource

    from flexmb.analyses.preparation import Preparation, prepare
    from flexmb.model.model import Model
    from flexmb.model.model_file import read_model
    from flexmb.solvers.run import Integration
    from flexmb.solvers.settings import solver_settings

    prepare(Model.from_tables(train_tables(151, "joint")))  # loads the compiled code
    model = read_model(path)
    assert model.spec.analysis is not None
    ready: list[Preparation] = []
    found = {"prepare": cpu_seconds(lambda: ready.append(prepare(model)))}
    costs = []
    for _ in range(repeats):
        run = Integration(ready[0].system, solver_settings(model.spec.analysis, STEP * STEPS))
        run.start()
        costs.append(cpu_seconds(lambda run=run: run.advance(STEPS + 1)) / STEPS)  # type: ignore[misc]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return found | {"step": min(costs), "memory": memory}


if __name__ == "__main__":
    print(json.dumps(_measure(sys.argv[1], int(sys.argv[2]))))
