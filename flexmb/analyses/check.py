"""The check of a model: it is built and assembled, its redundant constraints are found, and nothing is run."""

from __future__ import annotations

from dataclasses import dataclass

from flexmb.analyses.coordinate_costs import cheapest_text
from flexmb.analyses.preparation import Preparation, may_be_large, prepare
from flexmb.analyses.unstable_rest import resting_warnings
from flexmb.model.model import Model
from flexmb.reports.check_report import check_report
from flexmb.reports.warnings import equilibrium_warnings, start_warnings
from flexmb.solvers.compilation import compile_for
from flexmb.system.records.fields import field_kinds
from flexmb.warning import WarningRecord

CHECKED_BY = "generalized-alpha"
"""Method whose kernels a check compiles: the default of the run that comes next."""


@dataclass(frozen=True)
class ModelCheck:
    """Findings on a model that was not run."""

    ready: Preparation
    warnings: tuple[WarningRecord, ...]
    report: str


def examine_model(model: Model, *, graph: bool = False, matrices: bool = False) -> ModelCheck:
    """Build and assemble a model; its warnings and the report of `check_model`."""
    compile_for(CHECKED_BY, field_kinds(model.spec), may_be_large(model.spec))
    ready = prepare(model)
    warnings = list(start_warnings(ready.system, model.spec, ready.warnings))
    if ready.balance is not None:
        warnings += equilibrium_warnings(ready.balance, "the equilibrium at the start")
    else:
        warnings += resting_warnings(ready.system, ready.work)
    report = check_report(
        model,
        ready.system,
        ready.work,
        n_dof=ready.n_dof,
        residual=ready.residual,
        start_gap=ready.start_gap,
        warnings=warnings,
        costs=cheapest_text(model.spec, ready.system),
        graph=graph,
        matrices=matrices,
    )
    return ModelCheck(ready, tuple(warnings), report)


def check_model(model: Model, *, graph: bool = False, matrices: bool = False) -> str:
    """Degrees of freedom, redundant constraints, assembly, coordinates; optionally the graph and its matrices."""
    return examine_model(model, graph=graph, matrices=matrices).report
