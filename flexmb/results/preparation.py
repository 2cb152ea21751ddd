"""From a model to a system that can be solved: assembled once, without the constraint rows that only repeat others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flexmb.errors import ComputationError, Fault, InputError
from flexmb.solvers.initial import assemble
from flexmb.solvers.mechanics import Mechanics
from flexmb.solvers.redundancy import redundancy
from flexmb.solvers.reference import BodyStates, balanced_states, start_system
from flexmb.solvers.statics import Equilibrium
from flexmb.system.system import System


@dataclass(frozen=True)
class Preparation:
    """A system that is ready to run, and what was found on the way."""

    system: System
    work: NDArray[np.float64]
    """Its workspace, with a consistent start in it."""
    start_gap: float
    """Largest constraint residual of the given initial positions [m, rad]."""
    residual: float
    """Largest constraint residual after assembly [m, rad]."""
    n_dof: int
    """Degrees of freedom that are left: coordinates less independent constraint rows."""
    balance: Equilibrium | None = None
    """The equilibrium that the start is, when the analysis is static or starts so."""
    turbo: Any = None
    """What became of the wish for generated code (`Turbo`); None: nobody asked for it."""


def prepare(model: Any) -> Preparation:
    """Build the system of a model, close its loops, and leave out redundant constraint rows.

    Raises InputError when there is nothing to move, ComputationError when the loops cannot close or constraints
    contradict each other.
    """
    spec = model.spec
    if not spec.bodies:
        raise InputError([Fault("the model has no bodies.", ("bodies",), "Add [bodies.NAME] with mass and inertia.")])
    if spec.coordinates.default == "natural":
        from flexmb.natural.model_loads import uncovered

        if faults := uncovered(spec):
            raise InputError(faults)
    states, balance = balanced_states(spec)
    system, work = _built(spec, states, [])
    _check_damping(spec, system)
    start_gap = _residual(system, work)
    assemble(system, work)
    found = redundancy(system, work)
    if found.inconsistent:
        names = ", ".join(f"'{name}'" for name in found.inconsistent)
        raise ComputationError(
            f"The mechanism is constrained or driven more than once, and not in the same way, by {names}. "
            "Remove a motion, or make them agree."
        )
    if found.redundant:
        system, work = _built(spec, states, [system.row_numbers[row] for row in found.redundant])
        assemble(system, work)
    return Preparation(system, work, start_gap, _residual(system, work), int(found.dof), balance)


def _check_damping(spec: Any, system: System) -> None:
    """Generalised-alpha without any damping leaves the noise of the multipliers to grow."""
    analysis = spec.analysis
    if analysis is None or analysis.method != "generalized-alpha" or not system.n_rows:
        return
    if analysis.type == "dynamic" and analysis.rho > 0.99:
        text = f"rho = {analysis.rho:g} cannot integrate {system.n_rows} constraint rows: their multipliers would grow"
        raise InputError([Fault(f"{text}.", ("analysis", "rho"), "Take 0.95 or less, or method = 'rk45'.")])


def _built(spec: Any, states: BodyStates, dropped: list[int]) -> tuple[System, NDArray[np.float64]]:
    """The system without the dropped rows, in its initial state, and a workspace."""
    system = start_system(spec, states, dropped)
    return system, system.workspace()


def _residual(system: System, work: NDArray[np.float64]) -> float:
    if not system.n_rows:
        return 0.0
    mechanics = Mechanics(system, work)
    mechanics.jacobian()
    return float(np.max(np.abs(mechanics.phi[: mechanics.n_pos_rows]), initial=0.0))
