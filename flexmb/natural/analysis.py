"""A run in natural coordinates: integrated there, its rows written by the core (`marching`, `natural_model`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from flexmb.arrays import Floats
from flexmb.errors import Fault, InputError
from flexmb.natural.marching import ModelIntegration
from flexmb.natural.model_loads import uncovered
from flexmb.natural.natural_model import NaturalModel
from flexmb.solvers.march import march
from flexmb.solvers.protocols import Progress, Sink
from flexmb.solvers.settings import Settings, solver_settings
from flexmb.solvers.summary import NaturalSummary
from flexmb.system.system import System

if TYPE_CHECKING:
    from flexmb.model.schema import ModelSpec
    from flexmb.model.schema.analysis import Analysis


def natural_solver(spec: ModelSpec, turbo: bool = False) -> Callable[..., NaturalSummary]:
    """Stepper that computes the rows of a model in natural coordinates, called like `simulate`.

    Raises InputError that lists everything in the model that natural coordinates do not support.
    """
    faults = uncovered(spec)
    if turbo:
        faults.append(Fault("natural coordinates have no generated code.", hint="Run without turbo."))
    if faults:
        raise InputError(faults)

    def solve(
        system: System,
        analysis: Analysis | Settings,
        *,
        sink: Sink,
        progress: Progress | None = None,
        resume: Floats | None = None,
        every: float | None = None,
    ) -> NaturalSummary:
        settings = solver_settings(analysis, every)
        return march(ModelIntegration(NaturalModel(spec, system, settings), settings), sink, progress, resume)

    return solve
