"""The check of a model: it is built and assembled, its redundant constraints are found, and nothing is run."""

from __future__ import annotations

from flexmb.analyses.preparation import prepare
from flexmb.analyses.start_rates import start_rate_warnings
from flexmb.analyses.unstable_rest import start_warnings
from flexmb.model.model import Model
from flexmb.reports.check_report import check_report
from flexmb.solvers.compilation import compile_for
from flexmb.system.records.fields import field_kinds

CHECKED_BY = "generalized-alpha"
"""Method whose kernels a check compiles: the default of the run that comes next."""


def check_model(model: Model, *, graph: bool = False, matrices: bool = False) -> str:
    """Degrees of freedom, redundant constraints, assembly, coordinates; optionally the graph and its matrices."""
    compile_for(CHECKED_BY, field_kinds(model.spec))
    ready = prepare(model)
    return check_report(
        model,
        ready.system,
        ready.work,
        n_dof=ready.n_dof,
        residual=ready.residual,
        start_gap=ready.start_gap,
        graph=graph,
        matrices=matrices,
        warnings=[
            *start_rate_warnings(model.spec, ready.system, ready.work),
            *start_warnings(ready.system, ready.work),
        ],
    )
