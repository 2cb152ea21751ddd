"""From a model to a system that can be solved: assembled, with independent constraint rows for the solvers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from flexmb.analyses.start_rates import start_rate_warnings
from flexmb.arrays import Floats
from flexmb.errors import ComputationError, Fault, InputError
from flexmb.model.model import Model
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.solvers.assembly import assemble, gaps
from flexmb.solvers.initial_state import balanced_system, body_states, start_system
from flexmb.solvers.mechanics import Mechanics
from flexmb.solvers.mobility import freedom, no_motion_text
from flexmb.solvers.redundancy import Redundancy, redundancy, set_open_limit
from flexmb.solvers.row_rank import near_text, redundancy_warnings
from flexmb.solvers.sparse_rows import UnsuitedStorage
from flexmb.solvers.sparse_sharing import with_least_multipliers
from flexmb.solvers.statics import Equilibrium
from flexmb.system.mechanism import Mechanism
from flexmb.system.placement import place
from flexmb.system.system import System
from flexmb.warning import WarningRecord

NO_MISFIT = 1e-11  # gap after assembly [rad, or parts of the size of the mechanism] that is round-off
SOME_BODIES = 20
"""Bodies below which a system has hardly as many unknowns as sparse storage is for"""
MOST_EQUATIONS = 4000
"""Limit of coordinates and constraint rows of a system with loops."""


@dataclass(frozen=True)
class Preparation:
    """A system that is ready to run, and findings of its assembly."""

    system: System
    work: Floats
    """(w,) its workspace, which holds a consistent start."""
    start_gap: float
    """Largest constraint residual of the given initial positions [m, rad]."""
    residual: float
    """Largest constraint residual after assembly [m, rad]."""
    n_dof: int
    """Degrees of freedom that are left: coordinates less independent constraint rows."""
    balance: Equilibrium | None = None
    """Equilibrium at the start, when the analysis is static or has a static start."""
    turbo: Any = None
    """Whether generated code is used (`Turbo`); None: not requested."""
    warnings: tuple[WarningRecord, ...] = ()
    """Findings of the assembly and of the start."""


def prepare(model: Model, *, sparse: bool = True) -> Preparation:
    """The system of a model, ready to run; see `prepare_spec`."""
    return prepare_spec(model.spec, sparse=sparse)


def prepare_spec(spec: ModelSpec, mechanism: Mechanism | None = None, *, sparse: bool = True) -> Preparation:
    """Build the system of a checked model, close its loops, and combine constraint rows that repeat others.

    `mechanism`: the placed model, if it exists already. `sparse` allows sparse storage, for analyses that do without
    full matrices.

    Raises InputError when there is nothing to move or motions contradict each other, ComputationError when the loops
    cannot close or constraints contradict each other.
    """
    if not spec.bodies:
        raise InputError([Fault("the model has no bodies.", ("bodies",), "Add [bodies.NAME] with mass and inertia.")])
    if spec.coordinates.default == "natural":
        from flexmb.natural.model_loads import uncovered

        if faults := uncovered(spec):
            raise InputError(faults)
    mechanism = mechanism or place(spec)
    if sparse and may_be_sparse(spec):
        with suppress(UnsuitedStorage):
            return _prepared(spec, mechanism, sparse=True)
    return _prepared(spec, mechanism, sparse=False)


def may_be_sparse(spec: ModelSpec) -> bool:
    """Whether the analysis can do without full matrices: it is static, or dynamic with multipliers."""
    analysis = spec.analysis
    return (
        analysis is None
        or analysis.type == "static"
        or (analysis.type == "dynamic" and analysis.formulation != "embedding")
    )


def may_be_large(spec: ModelSpec) -> bool:
    """Whether the system may have sparse storage, as far as the number of bodies shows; for what is compiled before."""
    return len(spec.bodies) >= SOME_BODIES and may_be_sparse(spec)


def _prepared(spec: ModelSpec, mechanism: Mechanism, *, sparse: bool) -> Preparation:
    """`prepare_spec`; `sparse` allows sparse storage."""
    first, states, balance = balanced_system(spec, mechanism=mechanism, sparse=sparse)
    system = start_system(spec, states, mechanism=mechanism, known=first, sparse=sparse)
    work = system.workspace()
    given = work.copy()
    _check_damping(spec, system)
    _check_size(system)
    start_gap = _residual(system, work)
    assemble(system, work)
    found = redundancy(system, work)
    if found.inconsistent:
        raise _contradiction(spec, found)
    if spec.couplings:
        _check_lock(spec, system, work)
    _check_speed(system, given, work)
    if system.pattern is not None:
        if found.redundant:
            system = replace(system, dependent=found.redundant)
            system, work = with_least_multipliers(system, work)
            set_open_limit(system, work, found)
    elif found.redundant:
        system = start_system(spec, body_states(system, work), sharing=found.sharing, mechanism=mechanism)
        work = system.workspace()
        assemble(system, work)
    residual = _residual(system, work)
    warnings = (
        *redundancy_warnings(found.near),
        *_misfit(system, work),
        *start_rate_warnings(spec, system, work),
    )
    return Preparation(system, work, start_gap, residual, int(found.dof), balance, warnings=warnings)


def _contradiction(spec: ModelSpec, found: Redundancy) -> InputError | ComputationError:
    """The error for dependent rows that contradict each other: an input error when motions are among them."""
    involved = [name for group in found.groups if set(group) & set(found.inconsistent) for name in group]
    motions = [name for name in spec.motions if name in involved]
    if not motions and len(spec.motions) > 1:
        motions = list(spec.motions)
    names = ", ".join(f"'{name}'" for name in motions or found.inconsistent)
    text = f"the mechanism is constrained or driven more than once, with contradictions, by {names}."
    if found.joint_dof == 0:
        text += " The joints alone leave no degree of freedom."
    if near := [finding for finding in found.near if not finding.is_redundant]:
        text += f" Note that {near_text(near[-1])}."
    if motions:
        return InputError([Fault(text, ("motions", motions[-1]), "Remove a motion, or make them agree.")])
    return ComputationError(f"{text[0].upper()}{text[1:]} Check the joints, or start in another position.")


def _check_lock(spec: ModelSpec, system: System, work: Floats) -> None:
    """Reject couplings that leave no degree of freedom where the joints do."""
    mechanics = Mechanics(system, work.copy())
    if freedom(mechanics):
        return
    free = freedom(mechanics, couplings=False)
    if free:
        names = ", ".join(f"'{name}'" for name in spec.couplings)
        freedoms = "one degree of freedom" if free == 1 else f"{free} degrees of freedom"
        text = f"the couplings {names} lock the mechanism: the joints leave {freedoms}, the couplings none."
        hint = "Remove a coupling, or make their ratios agree."
        raise InputError([Fault(text, ("couplings", list(spec.couplings)[-1]), hint)])


def _check_damping(spec: ModelSpec, system: System) -> None:
    """Reject generalised-alpha without damping: the noise of the multipliers would grow."""
    analysis = spec.analysis
    if analysis is None or analysis.method != "generalized-alpha" or not system.n_rows:
        return
    if analysis.type == "dynamic" and analysis.rho > 0.99:
        text = f"rho = {analysis.rho:g} cannot integrate {system.n_rows} constraint rows: their multipliers would grow"
        raise InputError([Fault(f"{text}.", ("analysis", "rho"), "Use 0.95 or less, or method = 'rk45'.")])


def _check_size(system: System) -> None:
    """Reject systems whose full matrices would take hours to solve."""
    size = system.n_v + system.n_rows
    if system.n_rows and system.pattern is None and size > MOST_EQUATIONS:
        text = f"{system.n_v} coordinates and {system.n_rows} constraint rows are too many: {size} full equations take "
        text += f"{8e-9 * size**2:.2g} GB and hours (at most {MOST_EQUATIONS})."
        hint = 'Use default = "joint": then only the loops of the mechanism have constraint rows.'
        raise InputError([Fault(text, ("coordinates", "default"), hint)])


def _misfit(system: System, work: Floats) -> Iterator[WarningRecord]:
    """Warning about joints that repeat others and stay open at the start, because points or axes do not quite fit."""
    mechanics = Mechanics(system, work)
    gap = np.abs(mechanics.phi_all[: mechanics.n_all_pos_rows])
    scale = [1.0 if row.unit == "rad" else system.length_scale for row in system.evaluated[: gap.size]]
    if not system.n_redundant or np.max(gap / scale, initial=0.0) <= NO_MISFIT:
        return
    at = int(np.argmax(gap / scale))
    worst = system.evaluated[at]
    text = (
        f"{gaps(mechanics, mechanics.phi_all)}: these constraints repeat others, but points or axes do not quite fit. "
    )
    text += "The gap is kept; make them fit exactly, or free a joint."
    yield WarningRecord("nearly-redundant", text, f"{worst.kind}s.{worst.owner}", value=float(gap[at]), unit=worst.unit)


def _check_speed(system: System, given: Floats, work: Floats) -> None:
    """Reject a start whose given velocities the constraints do not allow, in the coordinates of the model."""
    wanted, found = Mechanics(system, given), Mechanics(system, work)
    size = float(np.max(np.abs(wanted.v / wanted.scale), initial=0.0))
    change = np.abs(found.v - wanted.v) / wanted.scale
    if size > 0.0 and float(np.max(change)) > 1e-6 * size:
        raise InputError([Fault(no_motion_text(found, wanted.v), ("joints",))])


def _residual(system: System, work: Floats) -> float:
    mechanics = Mechanics(system, work)
    mechanics.jacobian()
    return mechanics.constraint_error
