"""Runs without files, and models that are prepared once for many runs.

    result = fx.run(model)                          # in memory; fx.run(model, "out.h5") writes the result
    prepared = fx.prepare(model)
    for speed in (100, 150, 200):
        deflection = prepared.with_values(speed=speed).run()["rod_mid_y"]

`with_values` gives exactly the numbers of a new model with these values. Parts that do not depend on what has changed
are taken over: the placed bodies with their shapes when only laws of time, gravity, analysis or output change; the
whole system when only the output changes. Everything else is built again.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from flexmb.analyses.preparation import Preparation, may_be_large, prepare_spec
from flexmb.analyses.run import Progress, RunRequest, check_run, execute
from flexmb.model.model import Model
from flexmb.model.schema.joints import Motion
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.results.result_file import Result
from flexmb.solvers.compilation import compile_for
from flexmb.system.mechanism import Mechanism
from flexmb.system.records.fields import field_kinds

_PLACED_BY = (
    "points",
    "materials",
    "sections",
    "bodies",
    "markers",
    "joints",
    "couplings",
    "forces",
    "sensors",
    "base",
)
"""Tables that decide the placed mechanism, beside what the motions act on and the direction of gravity"""
_MOVED_BY = ("joint", "coordinate", "marker", "along", "about", "relative_to")
"""Keys of a motion that decide what it acts on"""


def prepare(model: Model | str | os.PathLike[str]) -> PreparedModel:
    """A model (or the path of a model file) that is built once, for many runs; later changes of `model` do not count.

    Raises InputError or ComputationError as a run does, when it cannot be built.
    """
    return PreparedModel(_model(model).with_files_read())


def run(
    model: Model | str | os.PathLike[str],
    output: str | os.PathLike[str] | None = None,
    *,
    resume: bool = False,
    turbo: bool = False,
    progress: Progress | None = None,
) -> Result:
    """Simulate a model (or the model file at a path) and return its result.

    `output`: the result file; None: nothing is written, and report and warnings are made when they are first read.
    Other options as those of `run_model`.
    """
    chosen = _model(model).with_values({})
    request = RunRequest(resume, turbo, progress)
    path = None if output is None else Path(output)
    check_run(chosen, path, request)
    return execute(chosen, PreparedModel(chosen).ready, path, request)


def _model(model: Model | str | os.PathLike[str]) -> Model:
    return model if isinstance(model, Model) else Model.read(os.fspath(model))


class PreparedModel:
    """A model with its system, ready to run; it does not change."""

    def __init__(self, model: Model, mechanism: Mechanism | None = None, ready: Preparation | None = None):
        self.model = model
        spec = model.spec
        if ready is None:
            method = spec.analysis.method if spec.analysis is not None else ""
            compile_for(method, field_kinds(spec), may_be_large(spec))
            ready = prepare_spec(spec, mechanism)
        self.ready = ready

    def with_values(self, values: Mapping[str, Any] | None = None, /, **named: Any) -> PreparedModel:
        """The same model with other values of parameters or of keys: `with_values(speed=120)`,
        `with_values({"bodies.rod.section.I": 7e-11})`.

        A value is what the model file may have there. A plain number for a parameter that has a unit keeps the unit.
        Raises InputError with every fault.
        """
        model = self.model.with_values({**(values or {}), **named})
        model.check()
        old, new = self.model.spec, model.spec
        if _same_but(old, new, "parameters", "symbols", "output"):
            return PreparedModel(model, ready=self.ready)
        return PreparedModel(model, self.ready.system.mechanism if _is_placed_alike(old, new) else None)

    def run(
        self,
        output: str | os.PathLike[str] | None = None,
        *,
        turbo: bool = False,
        progress: Progress | None = None,
    ) -> Result:
        """Simulate it; options as those of `flexmb.run`."""
        request = RunRequest(turbo=turbo, progress=progress)
        path = None if output is None else Path(output)
        check_run(self.model, path, request)
        return execute(self.model, self.ready, path, request)

    @cached_property
    def parameters(self) -> dict[str, float]:
        """Values of the parameters and symbols (SI)."""
        return {**self.model.spec.parameters, **self.model.spec.symbols}

    def __repr__(self) -> str:
        system = self.ready.system
        return f"<PreparedModel '{self.model.name}': {system.n_v} coordinates, {system.n_rows} constraint rows>"

    def __reduce__(self) -> tuple[Any, ...]:
        """It goes to another process as its model, and is built again there."""
        return PreparedModel, (self.model,)


def _same_but(old: ModelSpec, new: ModelSpec, *left_out: str) -> bool:
    """Whether two models are equal in all tables but these."""
    return all(getattr(old, name) == getattr(new, name) for name in type(old).fields() if name not in left_out)


def _is_placed_alike(old: ModelSpec, new: ModelSpec) -> bool:
    """Whether the placed mechanism of one model is that of the other."""
    same = all(getattr(old, name) == getattr(new, name) for name in _PLACED_BY)
    same = same and old.model.gravity == new.model.gravity and list(old.motions) == list(new.motions)
    return same and all(_moved(old.motions[name]) == _moved(new.motions[name]) for name in old.motions)


def _moved(motion: Motion) -> tuple[Any, ...]:
    return tuple(getattr(motion, key) for key in _MOVED_BY)
