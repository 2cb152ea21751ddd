"""Inverse dynamics: efforts of prescribed motions, and the reactions of all joints.

    M a + BIAS + G^T lam = 0,   Phi(q, t) = 0      (joints that close loops, and motions, are rows of G)

Motions drive all degrees of freedom of a rigid mechanism: a kinematic analysis, nothing is integrated. Elastic
coordinates are never prescribed: they are integrated (or found in balance with the loads and the inertia of the motion,
`elastic="quasi-static"`), and so are rigid degrees of freedom that no motion drives. The effort of a motion is its
multiplier; reactions of chords come from the multipliers, those of branches from the free bodies of the tree.

Motions that outnumber the degrees of freedom raise an error, or are fitted by least squares (`more_drives`). Reactions
may also be found from the ends of the tree inwards (`recursive_reactions`), which shares no code with the kernels.

Rows that repeat others leave internal forces open: every lam_0 with G^T lam_0 = 0 may be added. A mechanism of rigid
bodies does not determine the reaction components that lam_0 changes; these are listed.
[Lee et al. 2001]
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from flexmb.analyses.ill_determined import complete_system, ill_determined, not_unique, rank_of, sampled_rows
from flexmb.analyses.more_drives import CHOICES, fit_of, prepare_fitted, solve_fitted
from flexmb.analyses.preparation import Preparation, prepare
from flexmb.analyses.run import Progress, run_model
from flexmb.errors import ComputationError, Fault, InputError
from flexmb.model.model import Model
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.recursive.recursive_reactions import recursive_reactions, uncovered
from flexmb.reports.inverse_report import inverse_warnings
from flexmb.results.earlier_result import add_warnings
from flexmb.results.inverse_result import Drive, InverseDynamics
from flexmb.results.joint_reactions import joint_reactions
from flexmb.results.result_file import Result
from flexmb.solvers.compilation import compile_for
from flexmb.solvers.mechanics import Mechanics
from flexmb.solvers.redundancy import redundancy
from flexmb.solvers.settings import solver_settings
from flexmb.system.records.fields import field_kinds
from flexmb.system.system import System

ELASTIC = ("dynamic", "quasi-static")
REACTION_METHODS = ("multipliers", "recursive")
FIT_HINT = 'Or fit all of them: --more-drives least-squares (Python: more_drives="least-squares").'


def inverse_model(
    model: Model,
    output: str | os.PathLike[str] | None = None,
    *,
    elastic: str = "dynamic",
    more_drives: str = "refuse",
    reactions: str = "multipliers",
    progress: Progress | None = None,
    command: str = "",
) -> InverseDynamics:
    """Find the efforts of the motions of a model and the reactions of all its joints; write a result file like a run.

    `elastic`: "dynamic" integrates the elastic coordinates, "quasi-static" finds them in balance. `more_drives`:
    motions that outnumber the degrees of freedom of a rigid mechanism raise an error ("refuse"), or are fitted by
    "least-squares".
    `reactions`: by "multipliers" of the equations, or "recursive" from the ends of the tree inwards, body by body.
    Raises InputError when motions are missing or repeat each other, ComputationError when they contradict each other.
    """
    spec = model.spec
    _check(spec, elastic, more_drives, reactions)
    assert spec.analysis is not None
    compile_for(spec.analysis.method, field_kinds(spec))
    fitted = prepare_fitted(spec) if more_drives == "least-squares" else None
    if fitted is not None:
        return _fitted(model, fitted, output, progress, command)
    ready = _prepared(model)
    _refuse_repeated_motions(spec, ready, more_drives)
    system = ready.system
    n_elastic = int(system.elastic.sum())
    solve: Callable[..., Any] | None = None
    how = "dynamic"
    if elastic == "quasi-static" and n_elastic:
        how, solve = "quasi-static", _quasi_static
    elif ready.n_dof == 0 and not any(row.on_velocity for row in system.rows):
        how = "kinematic"
    chosen = _of_type(model, "kinematic" if how == "kinematic" else "dynamic")
    result = run_model(chosen, output, progress=progress, command=command, solve=solve)
    found = joint_reactions(result, model=chosen)
    recursive = recursive_reactions(result, chosen) if reactions == "recursive" else None
    found_all = InverseDynamics(
        result=result,
        model=chosen,
        how=how,
        n_driven=sum(row.is_motion for row in system.rows),
        n_free=_freedom(spec, ready, result),
        n_elastic=n_elastic,
        drives=tuple(_drives(result, spec)),
        reactions=found if recursive is None else recursive.reactions,
        not_unique=not_unique(spec, ready, result),
        n_repeated=system.n_redundant,
        ill_determined=ill_determined(system, result),
        recursive=recursive,
        method_difference=0.0 if recursive is None else recursive.difference(found),
    )
    return _with_warnings(found_all)


def _with_warnings(found: InverseDynamics) -> InverseDynamics:
    """The same, with the warnings about its reactions in the result file."""
    if warnings := list(inverse_warnings(found)):
        found.result.close()
        add_warnings(found.result.path, warnings)
        return replace(found, result=Result(found.result.path))
    return found


def _fitted(
    model: Model, ready: Preparation, output: str | os.PathLike[str] | None, progress: Progress | None, command: str
) -> InverseDynamics:
    """Inverse dynamics with motions that outnumber the degrees of freedom."""
    chosen = _of_type(model, "kinematic")
    result = run_model(chosen, output, progress=progress, command=command, solve=solve_fitted, ready=ready)
    fit = fit_of(ready, result)
    found = InverseDynamics(
        result=result,
        model=chosen,
        how="kinematic",
        n_driven=len(fit.motions),
        n_free=0,
        n_elastic=0,
        drives=tuple(_drives(result, chosen.spec)),
        reactions=joint_reactions(result, model=chosen),
        not_unique=not_unique(chosen.spec, ready, result),
        n_repeated=len(ready.system.all_rows) - ready.system.n_v,
        ill_determined=ill_determined(ready.system, result),
        fit=fit,
    )
    return _with_warnings(found)


def _check(spec: ModelSpec, elastic: str, more_drives: str, reactions: str) -> None:
    """Raise InputError with all reasons why the model has no inverse dynamics."""
    faults = []
    if spec.analysis is None:
        text = "inverse dynamics needs a time span, and the model has none."
        faults.append(Fault(text, ("analysis",), "Add [analysis] with end and step."))
    elif spec.analysis.type not in ("dynamic", "kinematic"):
        text = f'inverse dynamics needs a motion over time; type = "{spec.analysis.type}" has none.'
        faults.append(Fault(text, ("analysis", "type"), "Remove the type, and give end and step."))
    if not spec.motions:
        text = "inverse dynamics needs prescribed motions, and the model has none."
        faults.append(Fault(text, ("motions",), "Add [motions.NAME] with a joint and a rate, table or expression."))
    if elastic not in ELASTIC:
        faults.append(Fault(f"elastic cannot be '{elastic}' (choices: {', '.join(ELASTIC)})."))
    if more_drives not in CHOICES:
        faults.append(Fault(f"more_drives cannot be '{more_drives}' (choices: {', '.join(CHOICES)})."))
    if reactions not in REACTION_METHODS:
        faults.append(Fault(f"reactions cannot be '{reactions}' (choices: {', '.join(REACTION_METHODS)})."))
    if more_drives == "least-squares" and spec.coordinates.default == "natural":
        text = "motions cannot be fitted in natural coordinates."
        faults.append(Fault(text, ("coordinates", "default"), 'Use default = "absolute".'))
    if reactions == "recursive":
        faults += uncovered(spec)
        if more_drives == "least-squares":
            text = "recursive reactions do not cover fitted motions, whose efforts are shared by least squares."
            faults.append(Fault(text, hint="Leave out --reactions recursive."))
    if faults:
        raise InputError(faults)


def _of_type(model: Model, kind: str) -> Model:
    """The model with another type of analysis, and with reactions."""
    if model.spec.analysis is not None and model.spec.analysis.type == kind and model.spec.output.reactions:
        return model
    tables = tomllib.loads(model.to_toml())
    tables["analysis"]["type"] = kind
    tables.setdefault("output", {})["reactions"] = True
    return Model.from_tables(tables, model.text, {"analysis.type": kind}, model.folder)


def _quasi_static(system: System, analysis: Any, *, every: float | None = None, **options: Any) -> Any:
    """`simulate` for elastic coordinates in balance."""
    from flexmb.solvers.quasi_static_motion import analyse_quasi_static

    return analyse_quasi_static(system, solver_settings(analysis, every), **options)


def _prepared(model: Model) -> Preparation:
    """The system; an error about contradicting motions also suggests to fit them."""
    try:
        return prepare(model, sparse=False)
    except ComputationError as error:
        try:
            fitted = prepare_fitted(model.spec)
        except (ComputationError, InputError):
            fitted = None
        if fitted is None:
            raise
        raise ComputationError(f"{error} {FIT_HINT}", error.summary) from None


def _refuse_repeated_motions(spec: ModelSpec, ready: Preparation, more_drives: str) -> None:
    """Raise InputError when motions prescribe the same degree of freedom."""
    left_out = [ready.system.evaluated[k] for k in ready.system.sharing.left_out]
    repeated = list(dict.fromkeys(row.owner for row in left_out if row.is_motion))
    if not repeated:
        return
    system, work = complete_system(spec, ready)
    groups = redundancy(system, work).groups
    faults = []
    for name in repeated:
        others = [other for group in groups if name in group for other in group if other != name]
        listed = ", ".join(f"'{other}'" for other in others) or "the joints"
        text = f"motion '{name}' prescribes a degree of freedom that is already prescribed by {listed}."
        hint = "Remove one of them, so that each degree of freedom has one motion"
        if more_drives == "least-squares":
            hint += "; motions are fitted only when they drive every degree of freedom of a rigid mechanism."
        else:
            hint += f". {FIT_HINT}"
        faults.append(Fault(text, ("motions", name), hint))
    raise InputError(faults)


def _drives(result: Result, spec: ModelSpec) -> list[Drive]:
    found = []
    for name in spec.motions:
        path = f"motions/{name}/effort"
        work = next(p for p in (f"energy/work/{name} (motion)", f"energy/work/{name}") if p in result.channels)
        found.append(Drive(name, result.channels[path].unit, result[path], result[work]))
    return found


def _freedom(spec: ModelSpec, ready: Preparation, result: Result) -> int:
    """Rigid degrees of freedom that are left; in a singular position for an instant there are more."""
    system, work = complete_system(spec, ready)
    mechanics, rigid_rank = Mechanics(system, work), 0
    q, v = (result[f"coordinates/{name}"].reshape(len(result), -1) for name in ("q", "v"))
    for row in sampled_rows(result):
        mechanics.t = float(result.time[row])
        mechanics.q[:], mechanics.v[:] = q[row], v[row]
        mechanics.jacobian()
        rigid_rank = max(rigid_rank, rank_of((mechanics.G * mechanics.scale)[:, ~system.elastic]))
    return int(np.sum(~system.elastic)) - rigid_rank
