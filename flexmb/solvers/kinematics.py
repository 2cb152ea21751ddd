"""Kinematic analysis: motions prescribe every degree of freedom, so the motion follows from the constraints alone.

At every output time: positions from Phi(q, t) = 0 by Newton from the extrapolated state, velocities from G v = -Phi_t,
accelerations from G a = -GAM, and the drive efforts and reactions as multipliers from M a + G^T lam = -BIAS.

A compiled loop (`driven_kernels`) takes as many instants as it can; where Newton does not converge at once, or the rows
are nearly dependent, the instant is solved here, by least squares and in smaller steps.
"""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Floats
from flexmb.errors import Fault, InputError
from flexmb.layout import driven_state as ds
from flexmb.layout import flat_arrays as L
from flexmb.solvers.assembly import assemble
from flexmb.solvers.driven_analysis import DrivenAnalysis, Instants
from flexmb.solvers.driven_kernels import CLOSED
from flexmb.solvers.driven_loop import KINEMATIC, DrivenLoop
from flexmb.solvers.march import march
from flexmb.solvers.mechanics import Mechanics, Solvable
from flexmb.solvers.output_rows import OutputRows
from flexmb.solvers.protocols import Progress, Sink
from flexmb.solvers.settings import Settings
from flexmb.solvers.summary import RunSummary

MAX_ITERATIONS = 12


def analyse(
    system: Solvable,
    settings: Settings,
    *,
    sink: Sink,
    progress: Progress | None = None,
    resume: Floats | None = None,
) -> RunSummary:
    """Solve positions, velocities, accelerations and multipliers at every output time and hand the rows to the sink.

    `resume`: the checkpoint of an earlier analysis, to go on after its last row.
    """
    return march(DrivenAnalysis(KinematicInstants(OutputRows(system, settings))), sink, progress, resume)


def require_drives(mechanics: Mechanics) -> None:
    """Raise InputError unless motions drive every degree of freedom of the state in W."""
    m = mechanics
    m.jacobian()
    sigma = np.linalg.svd(m.G * m.scale, compute_uv=False) if m.n_rows else np.zeros(0)
    rank = int(np.sum(sigma > 1e-9 * max(float(sigma[0]), 1e-300))) if sigma.size else 0
    if m.n_pos_rows == m.n_rows and rank == m.n_v:
        return
    free = m.n_v - rank
    text = f"a kinematic analysis needs every degree of freedom driven by a motion; {free} are free."
    hint = f'Add {free} motion{"s" if free != 1 else ""}, or use type = "dynamic".'
    if m.n_pos_rows < m.n_rows:
        text, hint = "a kinematic analysis cannot have rolling or other velocity constraints.", 'Use type = "dynamic".'
    raise InputError([Fault(text, ("analysis", "type"), hint)])


class KinematicInstants(Instants[RunSummary]):
    """State from the constraint rows alone; with one row per velocity the compiled loop can solve it."""

    def start(self) -> None:
        """Close the loops at the start."""
        assemble(self.system, self.m.W)
        require_drives(self.m)

    def compiled_loop(self) -> DrivenLoop | None:
        """The compiled loop when there is one row for each velocity."""
        m = self.m
        if m.n_rows != m.n_v:
            return None
        none = np.zeros(0, np.int64)
        return DrivenLoop(m, self.rows.times, ds.Split(np.arange(m.n_v), none, none), KINEMATIC)

    def solve_positions(self) -> bool:
        """Newton on Phi(q, t) = 0; False when it does not converge."""
        m = self.m
        for _ in range(MAX_ITERATIONS):
            m.jacobian()
            step = np.linalg.lstsq(m.G * m.scale, -m.phi, rcond=1e-12)[0]
            size = float(np.max(np.abs(step), initial=0.0))
            if not np.isfinite(size) or size > 1.0:
                return False
            if size <= CLOSED:
                return bool(np.max(np.abs(m.phi), initial=0.0) <= 1e-9)
            m.move(step * m.scale)
            self.rows.iterations += 1
            if size <= 1e-8:  # quadratic convergence: the rest is round-off
                m.jacobian()
                return bool(np.max(np.abs(m.phi), initial=0.0) <= 1e-9)
        return False

    def solve_rates(self) -> None:
        """Velocities, accelerations, multipliers and powers of the position."""
        m = self.m
        m.v[:] = 0.0
        m.jacobian()
        m.v[:] = np.linalg.lstsq(m.G * m.scale, -m.phi_dot, rcond=1e-12)[0] * m.scale
        m.equations()
        m.a[:] = np.linalg.lstsq(m.G * m.scale, -m.gam, rcond=1e-12)[0] * m.scale
        self._solve_multipliers()
        if m.changes_flanks():
            m.equations()
            self._solve_multipliers()
        self.rows.note_constraint_error(m.phi_all)
        if m.n_powers:
            m.run(L.AT_POWERS)

    def _solve_multipliers(self) -> None:
        m = self.m
        effort = -(m.M @ m.a + m.bias)
        m.lam[:] = np.linalg.lstsq((m.G * m.scale).T, effort * m.scale, rcond=1e-12)[0]

    def summary(self, outcome: str) -> RunSummary:
        """Outcome and quality so far."""
        return self.rows.summary(outcome, "kinematic")
