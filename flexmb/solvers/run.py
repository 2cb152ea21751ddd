"""Run of a system: choice of the analysis, and the dynamic one, integrated by a compiled loop.

In: a system and its analysis. Rows and checkpoints go to a sink. Out: a summary. The outer loop is `march`.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from flexmb.arrays import Floats
from flexmb.equations.programs import link_open_tree
from flexmb.layout import flat_arrays as L
from flexmb.layout import solver_state as st
from flexmb.solvers.failure import FailedStep, failure_text
from flexmb.solvers.field_limits import FieldLimits
from flexmb.solvers.independent import choose_again
from flexmb.solvers.integrator_start import start_explicit, start_implicit
from flexmb.solvers.march import march
from flexmb.solvers.mechanics import Mechanics, MotionState, Solvable, moved_by
from flexmb.solvers.pointers import address_of
from flexmb.solvers.protocols import Progress, Sink
from flexmb.solvers.settings import EXPLICIT, Settings, solver_settings
from flexmb.solvers.shared_basis import basis_of
from flexmb.solvers.summary import EnergyBalance, RunSummary, Turning
from flexmb.solvers.time_stepping import advance, stepping_programs

if TYPE_CHECKING:
    from flexmb.model.schema.analysis import Analysis

BLOCK_ROWS = 1000
COARSE = 1e-6  # round-off of a coordinate, as a fraction of its magnitude, above which a run is stopped


def simulate(
    system: Solvable,
    analysis: Analysis | Settings,
    *,
    sink: Sink,
    progress: Progress | None = None,
    resume: Floats | None = None,
    every: float | None = None,
) -> RunSummary:
    """Integrate a system from its start, or from a checkpoint (`resume`), to the end of the analysis.

    `progress(t, t_end, steps, rejected)` is called about five times a second. Ctrl-C ends the run after its block.
    """
    settings = solver_settings(analysis, every)
    if settings.type == "kinematic":
        from flexmb.solvers.kinematics import analyse

        return analyse(system, settings, sink=sink, progress=progress, resume=resume)
    if settings.type == "static":
        from flexmb.solvers.static_analysis import analyse_static

        return analyse_static(system, settings, sink=sink, resume=resume)
    return march(Integration(system, settings), sink, progress, resume)


class Integration:
    """Stepper of a dynamic run (see `march`): its arrays, and one call of the compiled loop per block."""

    most_gathered = 0
    largest_budget = 1e7

    def __init__(self, system: Solvable, settings: Settings):
        self.system, self.settings = system, settings
        self.began = time.perf_counter()
        self.explicit = settings.method in EXPLICIT
        self.W = system.workspace()
        self.patterns = [P for P in (system.pattern, system.full_pattern) if P is not None]
        self.K, self.S = st.make_state(system.ints, self.explicit, self.patterns)
        self.mechanics = Mechanics(system, self.W)
        self.rows = np.zeros((BLOCK_ROWS, int(system.ints[L.N_OUT])))
        self.blocks: list[Floats] = []
        """Rows (r, n_out) that have not been written to the sink"""
        self.status = st.MORE
        self._set_addresses()
        self.balance, self.turning = EnergyBalance(system, self.S), Turning(system, self.S)
        self.limits = FieldLimits(system)
        self.basis = basis_of(self.mechanics)

    def _set_addresses(self) -> None:
        """Write the addresses of all arrays and programs into K."""
        K, ints = self.K, self.system.ints
        K[st.AT_I], K[st.AT_F] = address_of(ints), address_of(self.system.floats)
        K[st.AT_ROWS], K[st.ROW_BUDGET] = address_of(self.rows), len(self.rows)
        if self.explicit and self.mechanics.n_rows == 0 and not self.patterns and ints[L.AT_ACCELERATION] == 0:
            link_open_tree(ints)
        for slot, pattern in zip((st.AT_PATTERN, st.AT_FULL_PATTERN), self.patterns, strict=False):
            K[slot] = address_of(pattern)
        unknowns = int(K[st.NEWTON + st.SIZE])
        for slot, entry in stepping_programs(self.settings.method, unknowns, sparse=bool(self.patterns)).items():
            K[slot] = entry.address

    @property
    def is_done(self) -> bool:
        """Whether the end of the run is reached."""
        return self.status == st.DONE

    def start(self) -> None:
        """Consistent state at the start."""
        begin = start_explicit if self.explicit else start_implicit
        begin(self.mechanics, self.settings, self.K, self.S)

    def unpack(self, checkpoint: Floats) -> bool:
        """Go back to the state of a checkpoint; False when it belongs to another model or method."""
        return st.unpack(checkpoint, self.system.ints, self.W, self.K, self.S)

    def pack(self) -> Floats:
        """Checkpoint: everything that the next rows depend on."""
        return st.pack(self.system.ints, self.W, self.K, self.S)

    def advance(self, budget: int) -> str:
        """Add the rows of at most `budget` steps; return why a step has failed, or ""."""
        self.K[st.STEP_BUDGET] = budget
        advance(self.K, self.S, self.W)
        status = int(self.K[st.STATUS])
        if status == st.COMBINE_AGAIN:
            status = self._combine_again()
        elif status == st.CHOOSE_AGAIN:
            status = st.MORE if choose_again(self.mechanics, self.K, self.S) else st.SINGULAR
        self.status = status
        failure = ""
        if status not in (st.MORE, st.DONE):
            failure = failure_text(self._failed_step(status))
            self.mechanics.put(self._last_state())
        self.blocks.append(self.rows[: self.K[st.ROWS]].copy())
        return failure

    def _combine_again(self) -> int:
        """Look at the combinations of rows; after a failed step they are replaced. Returns the status of the run."""
        K, S, m = self.K, self.S, self.mechanics
        assert self.basis is not None
        places = [K[st.LAM_N], K[st.LAM_E]]
        if not self.explicit:
            places += [K[st.LAM_P] + back * m.n_rows for back in range(3)]
        has_failed = bool(K[st.TRIED])
        if self.basis.look([S[place : place + m.n_rows] for place in places], replace=has_failed):
            K[st.HAVE_FACTOR] = 0
        if self.explicit and has_failed and m.n_rows and not choose_again(m, K, S):
            return st.SINGULAR
        return st.MORE

    def accept(self, block: Floats) -> None:
        """Update energy balance and turns with rows before they are written."""
        self.balance.add(block)
        if not (self.explicit and self.K[st.CONTROLLED]):  # stages between the ends see the other angles
            self.turning.add(block)

    def fault_in(self, block: Floats) -> str:
        """Reason why computed rows cannot be trusted, or ""."""
        return self.limits.fault_in(block) or self._diverged()

    def _last_state(self) -> MotionState:
        """The last good state: that at the start of the step."""
        K, S, m = self.K, self.S, self.mechanics
        sizes = ((st.Q_N, m.n_q), (st.V_N, m.n_v), (st.A_N, m.n_v), (st.LAM_N, m.n_rows))
        return MotionState(float(S[st.T_N]), *(S[K[slot] : K[slot] + size].copy() for slot, size in sizes))

    def _failed_step(self, status: int) -> FailedStep:
        """The step that has failed with this status."""
        K, S, m, last = self.K, self.S, self.mechanics, self._last_state()
        worst = self.system.coordinates[K[st.WORST_COORDINATE]] if m.n_v else "none"
        sign = f"the largest {'error' if status == st.NO_STEP else 'correction'} is that of coordinate '{worst}'"
        return FailedStep(m, self.settings, status, last.q, last.v, last.t, float(S[st.H]), sign)

    def _diverged(self) -> str:
        """Sentence on a coordinate whose round-off exceeds the tolerance, so that steps shrink forever; else ""."""
        m, K, S = self.mechanics, self.K, self.S
        if K[st.CONTROLLED] == 0 or not m.n_q:
            return ""
        # Round-off of steps of the present size over the whole run; errors of random sign add up like a root.
        steps = max(1.0, (S[st.T_END] - S[st.T_START]) / max(S[st.H], 1e-300))
        noise = np.finfo(float).eps * np.sqrt(steps) * np.abs(m.q) / S[K[st.SCALE_Q] : K[st.SCALE_Q] + m.n_q]
        largest = int(np.argmax(noise))
        if not noise[largest] > max(S[st.TOLERANCE], COARSE):
            return ""
        moved = [m.system.coordinates[j] for j in range(m.n_v) if moved_by(m, j)[largest]]
        return (
            f"At t = {S[st.T_N]:.6g} s coordinate '{(moved or ['?'])[0]}' has grown to {m.q[largest]:.3g}, and its "
            f"round-off exceeds the tolerance {S[st.TOLERANCE]:g}. Find what drives it away (e.g. a wrong sign of a "
            "force that depends on sensors), or end the run earlier."
        )

    def position(self) -> tuple[float, float, int, int]:
        """Time reached [s], end [s], steps, rejected steps."""
        K, S = self.K, self.S
        return float(S[st.T_N]), float(S[st.T_END]), int(K[st.STEPS]), int(K[st.REJECTED])

    def summary(self, outcome: str) -> RunSummary:
        """Outcome and quality so far."""
        K, S = self.K, self.S
        return RunSummary(
            outcome=outcome,
            method=self.settings.method,
            steps=int(K[st.STEPS]),
            rejected=int(K[st.REJECTED]),
            newton_iterations=int(K[st.ITERATIONS]),
            factorisations=int(K[st.FACTORISATIONS]),
            largest_constraint_error=float(S[st.LARGEST_PHI]),
            energy_error=float(S[st.ENERGY_ERROR]),
            peak_energy=float(S[st.ENERGY_PEAK]),
            wall_time=time.perf_counter() - self.began,
            t_reached=float(S[st.T_N]),
            largest_turn=float(S[st.TURN]),
            turning_body=self.turning.body,
            turning_step=float(S[st.TURN_STEP]),
        )
