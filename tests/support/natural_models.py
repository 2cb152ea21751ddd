"""Short ways to a run of a model in natural coordinates, for the tests."""

from __future__ import annotations

import tomllib
from types import SimpleNamespace
from typing import Any

import numpy as np

from flexmb.analyses.preparation import prepare
from flexmb.natural.analysis import natural_solver
from flexmb.natural.marching import ModelIntegration
from flexmb.natural.natural_model import NaturalModel
from flexmb.solvers.settings import solver_settings
from flexmb.solvers.summary import NaturalSummary
from tests.support.mechanisms import spec_of
from tests.support.places import EXAMPLES
from tests.support.runs import Rows, Run

NATURAL = {"default": "natural"}
ABSOLUTE = {"default": "absolute"}
FINE = {"method": "rk45", "tolerance": 1e-11}


class NaturalRun(Run):
    """A finished run in natural coordinates: channels by path."""

    def __init__(self, data: dict[str, Any], resume: np.ndarray | None = None, **analysis: Any):
        spec = spec_of({**data, "coordinates": NATURAL, "analysis": {**data.get("analysis", {}), **analysis}})
        self.ready = prepare(SimpleNamespace(spec=spec))
        self.system = self.ready.system
        sink = Rows()
        solve = natural_solver(spec)
        self.summary: NaturalSummary = solve(
            self.system, spec.analysis, sink=sink, every=spec.output.every, resume=resume
        )
        self._keep(sink)


def interrupted(data: dict[str, Any], steps: int, **analysis: Any) -> tuple[np.ndarray, np.ndarray]:
    """Rows of the first steps of a run, and the checkpoint after them."""
    spec = spec_of({**data, "coordinates": NATURAL, "analysis": {**data.get("analysis", {}), **analysis}})
    system, settings = prepare(SimpleNamespace(spec=spec)).system, solver_settings(spec.analysis, spec.output.every)
    run = ModelIntegration(NaturalModel(spec, system, settings), settings)
    run.start()
    assert run.advance(steps) == ""
    block = np.concatenate(run.blocks)
    run.accept(block)
    return block, run.pack()


def differences(found: Run, want: Run, *folders: str) -> dict[str, float]:
    """Largest difference of every channel in these folders, as a part of its largest value (at least 1)."""
    worst = {}
    for channel in want.system.channels:
        if channel.path.split("/")[0] not in folders:
            continue
        x, y = found[channel.path], want[channel.path]
        if channel.path.endswith("quaternion"):
            x = x * np.sign(np.sum(x * y, axis=1, keepdims=True))
        worst[channel.path] = float(np.max(np.abs(x - y), initial=0.0) / max(1.0, np.max(np.abs(y), initial=0.0)))
    return worst


def assert_same_motion(found: Run, want: Run, motion: float = 1e-8, reaction: float = 1e-6) -> None:
    """Positions and angles within `motion`; rates, accelerations, reactions and efforts within `reaction`."""
    assert len(found.rows) == len(want.rows)
    for path, difference in differences(found, want, "bodies", "joints", "motions", "sensors").items():
        is_place = path.endswith(("position", "quaternion"))
        assert difference < (motion if is_place else reaction), path


def example(name: str) -> dict[str, Any]:
    data = tomllib.loads((EXAMPLES / f"{name}.toml").read_text())
    for key in ("analysis", "coordinates"):
        data.pop(key, None)
    return data
