"""Static analysis: the equilibrium at the start time as a result of one row, with every reaction.

In: a system with its loops closed. Out: one output row with q and lam of r(q) + G^T lam = 0, v = a = 0 (see
`flexmb.solvers.statics`), and a summary with accuracy and stability of the equilibrium.
"""

from __future__ import annotations

import time
from typing import cast

import numpy as np

from flexmb.arrays import Floats
from flexmb.errors import ComputationError
from flexmb.layout import flat_arrays as L
from flexmb.layout import solver_state as st
from flexmb.solvers.assembly import assemble
from flexmb.solvers.field_limits import FieldLimits
from flexmb.solvers.mechanics import Mechanics, Solvable
from flexmb.solvers.protocols import Sink
from flexmb.solvers.settings import Settings
from flexmb.solvers.statics import equilibrium
from flexmb.solvers.summary import StaticSummary
from flexmb.system.system import System


def analyse_static(system: Solvable, settings: Settings, *, sink: Sink, resume: Floats | None = None) -> StaticSummary:
    """Refine the equilibrium at the start of the system in its own coordinates; write its row to the sink.

    `resume`: the checkpoint of an analysis whose row has been written already; only its summary is recomputed.
    """
    began = time.perf_counter()
    m = Mechanics(system, system.workspace())
    m.t = settings.start
    assemble(system, m.W)
    found = equilibrium(cast(System, system), m.W)
    if m.changes_flanks():
        found = equilibrium(cast(System, system), m.W)
    m.run(L.AT_ACCEPT)
    m.run(L.AT_OUTPUT)
    row = m.out.copy()
    row[-2:] = 0.0, found.iterations  # step and iterations, which end every row
    if resume is None:
        checkpoint = np.concatenate([m.W[first : first + size] for first, size in st.workspace_parts(m.I)])
        sink.write(row[None], checkpoint)
    summary = StaticSummary(
        outcome="finished",
        method="static",
        steps=0,
        rejected=0,
        newton_iterations=found.iterations,
        factorisations=found.iterations,
        largest_constraint_error=found.constraint_error,
        energy_error=0.0,
        peak_energy=0.0,
        wall_time=time.perf_counter() - began,
        t_reached=m.t,
        equilibrium=found,
    )
    fault = FieldLimits(system).fault_in(row[None])
    if fault:
        raise ComputationError(fault, summary)
    return summary
