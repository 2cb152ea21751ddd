"""flexmb on linearised equations and modes of a hanging chain and of a closed train of four-bars."""

from __future__ import annotations

import math
from typing import Any

from ours_train import train_tables
from problems import Train
from timing import cpu_seconds

from flexmb.analyses.preparation import prepare
from flexmb.model.model import Model
from flexmb.solvers.linearise import linearise
from flexmb.solvers.modal_analysis import Mode, modes


def chain_tables(n: int, coordinates: str) -> dict[str, Any]:
    """Links of 1 m and 1 kg that hang below each other, hinged about z."""
    bar = {"mass": 1.0, "inertia": [0.01, 1 / 12, 1 / 12], "center": [0.5, 0, 0]}
    down = {"axis": [0, 0, 1], "angle": -math.pi / 2}
    names = ["ground", *(f"b{k}" for k in range(n))]
    bodies = {name: {**bar, "at": [0, -k, 0], "orientation": down} for k, name in enumerate(names[1:])}
    joints = {
        f"j{k}": {"type": "revolute", "bodies": names[k : k + 2], "at": [0, -k, 0], "axis": "z"} for k in range(n)
    }
    model = {"name": f"chain of {n} links", "gravity": [0, -9.81, 0]}
    return {"model": model, "coordinates": {"default": coordinates}, "bodies": bodies, "joints": joints}


def measured(kind: str, n: int, coordinates: str, repeats: int) -> tuple[float, float, int]:
    """CPU seconds of linearisation and modes of a prepared model, lowest frequency [Hz], number of unknowns."""
    tables = chain_tables(n, coordinates) if kind == "chain" else train_tables(Train(n), coordinates)
    ready = prepare(Model.from_tables(tables))
    found: list[Mode] = []

    def solve() -> None:
        found[:] = modes(ready.system, linearise(ready.system, ready.work))

    solve()
    best = min(cpu_seconds(solve) for _ in range(repeats))
    return best, found[0].frequency, ready.system.n_v + ready.system.n_rows
