"""More motions than degrees of freedom: their fit, the residual of every motion, and the shares of efforts.

In: a model whose motions repeat or contradict each other. Out: a system with independent joint rows and all motion
rows, and after the analysis (`solvers.least_squares_motion`) the residual of every motion: the coordinate of the
mechanism less the prescribed one. Only for rigid mechanisms with every degree of freedom driven.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.analyses.preparation import Preparation
from flexmb.errors import ComputationError, Fault, InputError
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.results.inverse_result import Fit, MotionFit
from flexmb.results.result_file import Result
from flexmb.solvers.initial_state import initial_states, start_system
from flexmb.solvers.least_squares_motion import analyse_least_squares
from flexmb.solvers.mechanics import Mechanics
from flexmb.solvers.redundancy import redundancy
from flexmb.solvers.settings import solver_settings
from flexmb.system.system import System

CHOICES = ("refuse", "least-squares")


def prepare_fitted(spec: ModelSpec) -> Preparation | None:
    """The system with all motion rows; None when they do not outnumber the degrees of freedom."""
    states = initial_states(spec.model_copy(update={"motions": {}, "forces": {}, "sensors": {}, "analysis": None}))
    complete = start_system(spec, states)
    motions = [number for number, row in enumerate(complete.all_rows) if row.is_motion]
    joints_only = start_system(spec, states, motions)
    found = redundancy(joints_only, joints_only.workspace())
    if found.inconsistent:
        names = ", ".join(f"'{name}'" for name in found.inconsistent)
        raise ComputationError(f"The joints {names} contradict each other. Remove one, or make them agree.")
    n_rigid = found.dof - int(complete.elastic.sum())
    if len(motions) <= n_rigid:
        return None
    _refuse_others(spec, complete, len(motions), n_rigid)
    # Rows of joints are numbered before those of motions, and rows at velocity level have been refused.
    system = start_system(spec, states, sharing=found.sharing)
    return Preparation(system, system.workspace(), 0.0, 0.0, n_rigid - len(motions))


def _refuse_others(spec: ModelSpec, system: System, n_motions: int, n_rigid: int) -> None:
    """Raise InputError for mechanisms whose motions cannot be fitted, with all reasons."""
    more = f"{n_motions} motions for {n_rigid} degrees of freedom can be fitted only in a rigid, fully driven mechanism"
    faults = []
    flexible = [name for name in spec.bodies if any(c.startswith(f"{name}.") for c in _elastic_names(system))]
    if flexible:
        listed = ", ".join(f"'{name}'" for name in flexible)
        text = f"{more}, and {listed} {'is' if len(flexible) == 1 else 'are'} flexible."
        faults.append(Fault(text, ("bodies", flexible[0]), "Remove motions that repeat others, or use rigid bodies."))
    rolling = list(dict.fromkeys(row.owner for row in system.rows if row.on_velocity))
    if rolling:
        text = f"{more}, and joint '{rolling[0]}' constrains velocities, not positions."
        faults.append(Fault(text, ("joints", rolling[0]), "Remove motions that repeat others."))
    if faults:
        raise InputError(faults)


def _elastic_names(system: System) -> list[str]:
    return [name for name, elastic in zip(system.coordinates, system.elastic, strict=True) if elastic]


def solve_fitted(system: System, analysis: Any, *, every: float | None = None, **options: Any) -> Any:
    """`simulate` for fitted motions."""
    return analyse_least_squares(system, solver_settings(analysis, every), **options)


def fit_of(ready: Preparation, result: Result) -> Fit:
    """Residuals of the motions at the rows of a result."""
    system = ready.system
    mechanics = Mechanics(system, ready.work.copy())
    rows = [k for k, row in enumerate(system.rows) if row.is_motion]
    q = result["coordinates/q"].reshape(len(result), -1)
    found = np.zeros((len(result), len(rows)))
    for k, t in enumerate(result.time):
        mechanics.t = float(t)
        mechanics.q[:] = q[k]
        mechanics.jacobian()
        found[k] = mechanics.phi[rows]
    motions = [MotionFit(system.rows[k].owner, system.rows[k].unit, r) for k, r in zip(rows, found.T, strict=True)]
    n_joints = len(system.rows) - len(rows)
    return Fit(system.n_v - n_joints, system.length_scale, tuple(motions))
