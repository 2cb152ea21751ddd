"""flexmb's turbo: runs with generated code in the place of the kernels, and the same runs without."""

from __future__ import annotations

import os
import tempfile
import tomllib
from typing import Any, NamedTuple

import numpy as np
from ours import RHO, LastRow
from ours_symbolic import forget
from places import MODELS
from timing import cpu_seconds

from flexmb.analyses.preparation import prepare
from flexmb.analyses.turbo import Turbo, use_turbo
from flexmb.model.model import Model
from flexmb.solvers.run import simulate
from flexmb.system.system import System

SECOND_ORDER = {"field": "quadratic", "order": 2}
TANGENT = {"frame": "end", "shapes": {"family": "monomials", "bending": 3}}
IMPLICIT = {"type": "dynamic", "method": "generalized-alpha", "rho": RHO}


class Case(NamedTuple):
    """A model file, what its rod changes, and the run."""

    file: str
    rod: dict[str, Any]
    method: dict[str, Any]
    end: float
    steps: int
    longest: float | None = None
    """[s] that a step with generated code may take; None: for comparison"""


TWO_TURNS = 2 * 2 * np.pi / 150.0
CASES = {
    "flexible slider-crank, order 2, chord, 3 sines": Case(
        "04_spatial_slider_crank", SECOND_ORDER, IMPLICIT, TWO_TURNS, 1000, 8e-6
    ),
    "flexible slider-crank, order 2, tangent at B, 3 monomials": Case(
        "04_spatial_slider_crank", SECOND_ORDER | TANGENT, IMPLICIT, TWO_TURNS, 1000, 8e-6
    ),
    "planar slider-crank": Case("02_planar_slider_crank", {}, IMPLICIT, 2.0, 2000),
    "double pendulum, implicit": Case("01_double_pendulum", {}, IMPLICIT, 2.0, 2000),
    "double pendulum, rk4": Case("01_double_pendulum", {}, {"type": "dynamic", "method": "rk4"}, 2.0, 2000),
}


def made_anew(model: Model, system: System) -> Turbo:
    """Put code into `system` that is generated and compiled now: with an empty cache, nothing remembered."""
    before = os.environ.get("FLEXMB_CACHE")
    forget()
    with tempfile.TemporaryDirectory() as empty:
        os.environ["FLEXMB_CACHE"] = empty
        try:
            return use_turbo(model, system)
        finally:
            os.environ.pop("FLEXMB_CACHE")
            if before is not None:
                os.environ["FLEXMB_CACHE"] = before


def with_turbo(data: dict[str, Any]) -> System:
    """The system of a model as data, with generated code."""
    model = Model.from_tables(data)
    system = prepare(model).system
    turbo = made_anew(model, system)
    if not turbo.is_used:
        raise RuntimeError(turbo.text)
    return system


class Pair:
    """The systems of a case without and with generated code, made in an empty cache."""

    def __init__(self, case: Case) -> None:
        self.case = case
        data = tomllib.loads((MODELS / f"{case.file}.toml").read_text())
        data.pop("output", None)
        if case.rod:
            data["bodies"]["rod"] |= case.rod
        self.data = data
        model = self._model(case.steps, 0)
        self.systems: dict[str, System] = {name: prepare(model).system for name in ("kernels", "turbo")}
        self.turbo: Turbo = made_anew(model, self.systems["turbo"])

    def _model(self, steps: int, repeat: int) -> Model:
        step = self.case.end / self.case.steps * (1 + 1e-9 * repeat)
        return Model.from_tables({**self.data, "analysis": {**self.case.method, "step": step, "end": steps * step}})

    def seconds(self, name: str, steps: int, repeat: int) -> float:
        """CPU seconds of a run; output only at its ends."""
        analysis: Any = self._model(steps, repeat).spec.analysis
        system = self.systems[name]
        return cpu_seconds(lambda: simulate(system, analysis, sink=LastRow(system), every=analysis.end))

    def difference(self) -> float:
        """Largest difference of a coordinate at the end between the two, relative to the largest coordinate."""
        analysis: Any = self._model(self.case.steps, 0).spec.analysis
        found = []
        for system in self.systems.values():
            last = LastRow(system)
            simulate(system, analysis, sink=last, every=analysis.end)
            found.append(last["coordinates/q"])
        return float(np.max(np.abs(found[0] - found[1])) / np.max(np.abs(found[0])))
