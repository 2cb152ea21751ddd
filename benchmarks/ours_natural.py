"""flexmb's natural coordinates: a step of a long chain of bars, and the same chain in the coordinates of the core."""

from __future__ import annotations

from typing import Any

import numpy as np
from ours import RHO, LastRow
from timing import cpu_seconds

from flexmb.analyses.preparation import prepare
from flexmb.model.model import Model
from flexmb.natural.body import BodyPoint, NaturalBody
from flexmb.natural.forces import Gravity
from flexmb.natural.marching import NaturalIntegration
from flexmb.natural.system import NaturalMechanism, NaturalSystem
from flexmb.solvers.run import simulate
from flexmb.solvers.settings import Settings
from flexmb.system.system import System

STEP, STEPS = 1e-3, 4
LONG, SHORT = 150, 10


def bends(n: int) -> np.ndarray:
    """Angles [rad] of the bars at the start: a wavy line."""
    return np.asarray(0.3 * np.sin(0.7 * np.arange(n)))


def natural_chain(n: int) -> NaturalSystem:
    """Bars of 1 m and 1 kg; bar k runs from point k to point k + 1, the first point is held."""
    inertia, along = np.diag([0.0, 1.0 / 12.0, 1.0 / 12.0]), np.array([1.0, 0.0, 0.0])
    ends = [(BodyPoint(k, np.zeros(3)), BodyPoint(k + 1, along)) for k in range(n)]
    bodies = [NaturalBody(f"bar {k}", 1.0, along / 2.0, inertia, pair) for k, pair in enumerate(ends)]
    turns = bends(n)
    bars = np.column_stack([np.cos(turns), np.sin(turns), np.zeros(n)])
    points = np.vstack([np.zeros(3), np.cumsum(bars, axis=0)])
    mechanism = NaturalMechanism(bodies, points, fixed_points=[0])
    return NaturalSystem(mechanism, forces=lambda layout: [Gravity(bodies, layout, np.array([0.0, -9.81, 0.0]))])


def natural_step(n: int, repeats: int) -> float:
    """CPU seconds of a step in natural coordinates."""
    end = STEP * STEPS * (repeats + 1)
    run = NaturalIntegration(natural_chain(n).packed, Settings(end, STEP, "generalized-alpha", RHO, every=end))
    run.start()
    return min([cpu_seconds(lambda: run.advance(STEPS)) / STEPS for _ in range(repeats + 1)][1:])


def core_chain(n: int, coordinates: str) -> dict[str, Any]:
    """The chain with revolute joints, as a model."""
    turns = bends(n)
    bar = {"mass": 1.0, "inertia": [0.01, 1.0 / 12.0, 1.0 / 12.0], "center": [0.5, 0, 0]}
    bodies = {f"b{k}": {**bar, "at": [k, 0, 0]} for k in range(n)}
    joints = {
        f"j{k}": {
            "type": "revolute",
            "bodies": [f"b{k - 1}" if k else "ground", f"b{k}"],
            "at": [k, 0, 0],
            "axis": "z",
            "position": float(turns[k] - (turns[k - 1] if k else 0.0)),
        }
        for k in range(n)
    }
    model = {"name": "chain", "gravity": [0, -9.81, 0]}
    return {"model": model, "bodies": bodies, "joints": joints, "coordinates": {"default": coordinates}}


def core_step(n: int, coordinates: str, repeats: int) -> float:
    """CPU seconds of a step of the core: a long run less a short one, the least of each."""
    systems = {}
    for steps in (LONG, SHORT):
        analysis = {"type": "dynamic", "end": STEP * steps, "step": STEP, "method": "generalized-alpha", "rho": RHO}
        model = Model.from_tables({**core_chain(n, coordinates), "analysis": analysis})
        systems[steps] = prepare(model).system, model.spec.analysis
    costs = {steps: min(_seconds(*ready) for _ in range(repeats + 1)) for steps, ready in systems.items()}
    return (costs[LONG] - costs[SHORT]) / (LONG - SHORT)


def _seconds(system: System, analysis: Any) -> float:
    return cpu_seconds(lambda: simulate(system, analysis, sink=LastRow(system), every=analysis.end))
