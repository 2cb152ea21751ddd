"""A dynamic run: builds the state, calls the compiled loop block by block, hands rows and checkpoints to the sink.

The library prints nothing: progress goes to a callback, the outcome to a `RunSummary`, a failed step becomes a
`ComputationError` after everything computed has been written.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from flexmb.arrays import Floats
from flexmb.errors import ComputationError, InputError
from flexmb.layout import flat_arrays as L
from flexmb.layout import solver_state as st
from flexmb.solvers.failure import FailedStep, failure_text, finite_rows
from flexmb.solvers.field_limits import FieldLimits
from flexmb.solvers.mechanics import Mechanics, Solvable, moved_by
from flexmb.solvers.pointers import address_of
from flexmb.solvers.protocols import Progress, Sink, interrupt_flag
from flexmb.solvers.settings import EXPLICIT, Settings, read_settings
from flexmb.solvers.start import start_explicit, start_implicit
from flexmb.solvers.summary import EnergyBalance, RunSummary, Turning

BLOCK_SECONDS = 0.2
BLOCK_ROWS = 1000
COARSE = 1e-6  # round-off of a coordinate, as a part of its magnitude, that no tolerance is the reason to refuse


def simulate(
    system: Solvable,
    analysis: Any,
    *,
    sink: Sink,
    progress: Progress | None = None,
    resume: Floats | None = None,
    every: float | None = None,
) -> RunSummary:
    """Integrate a system from its start, or from a checkpoint (`resume`), to the end of the analysis.

    `progress(t, t_end, steps, rejected)` is called about five times a second. Ctrl-C ends the run after its block.
    """
    settings = read_settings(analysis, every)
    if settings.type == "kinematic":
        from flexmb.solvers.kinematics import analyse

        return analyse(system, settings, sink=sink, progress=progress, resume=resume)
    if settings.type == "static":
        from flexmb.solvers.static_analysis import analyse_static

        return analyse_static(system, settings, sink=sink, resume=resume)
    return _Run(system, settings, sink, progress, resume).finish()


class _Run:
    """The arrays and counters of one run."""

    def __init__(
        self, system: Solvable, settings: Settings, sink: Sink, progress: Progress | None, resume: Floats | None
    ):
        self.system, self.settings, self.sink, self.progress = system, settings, sink, progress
        self.began = time.perf_counter()
        self.explicit = settings.method in EXPLICIT
        self.W = system.workspace()
        self.K, self.S = st.make_state(system.ints, self.explicit)
        self.mechanics = Mechanics(system, self.W)
        self.rows = np.zeros((BLOCK_ROWS, int(system.ints[L.N_OUT])))
        self.loop = self._connect()
        if resume is None:
            (start_explicit if self.explicit else start_implicit)(self.mechanics, settings, self.K, self.S)
        elif not st.unpack(np.asarray(resume, float), system.ints, self.W, self.K, self.S):
            raise InputError("The checkpoint does not belong to this model and method; start the run anew.")
        self.balance, self.turning = EnergyBalance(system, self.S), Turning(system, self.S)
        self.limits, self.failure = FieldLimits(system), ""

    def _connect(self) -> Any:
        """Write all addresses into K; the compiled loop of the method."""
        K = self.K
        K[st.AT_I], K[st.AT_F] = address_of(self.system.ints), address_of(self.system.floats)
        K[st.AT_ROWS], K[st.ROW_BUDGET] = address_of(self.rows), len(self.rows)
        if self.explicit:
            from flexmb.equations.programs import link_open_tree
            from flexmb.solvers import explicit as method

            if self.mechanics.n_rows == 0 and self.system.ints[L.AT_ACCELERATION] == 0:
                link_open_tree(self.system.ints)
        else:
            from flexmb.solvers import implicit as method  # type: ignore[no-redef]
        method.set_addresses(K)
        return method.advance

    def advance(self, steps: int) -> int:
        """One call of the compiled loop; the status."""
        self.K[st.STEP_BUDGET] = steps
        self.loop(self.K, self.S, self.W)
        status = int(self.K[st.STATUS])
        if status == st.CHOOSE_AGAIN:
            from flexmb.solvers.independent import choose_again

            return st.MORE if choose_again(self.mechanics, self.K, self.S) else st.SINGULAR
        return status

    def finish(self) -> RunSummary:
        """Run to the end."""
        budget, status, outcome = 20, st.MORE, "finished"
        with interrupt_flag() as interrupted:
            try:
                while status == st.MORE:
                    before = time.perf_counter()
                    status = self.advance(budget)
                    seconds = time.perf_counter() - before
                    budget = int(min(1e7, max(1, budget * min(4.0, BLOCK_SECONDS / max(seconds, 1e-6)))))
                    self._write(status)
                    if self.failure:
                        break
                    if interrupted() and status == st.MORE:
                        outcome, status = "interrupted", st.DONE
            except KeyboardInterrupt:
                outcome, status = "interrupted", st.DONE
        if self.failure:
            raise ComputationError(self.failure, self._summary("failed"))
        return self._summary(outcome)

    def _write(self, status: int) -> None:
        """Hand the block and the state after it to the sink, and report progress."""
        if status not in (st.MORE, st.DONE):
            self.failure = failure_text(self._failed(status))
            self._restore()
        block, lost = finite_rows(self.system, self.rows[: self.K[st.ROWS]].copy())
        self.failure = self.failure or lost
        self.balance.add(block)
        if not (self.explicit and self.K[st.CONTROLLED]):  # stages between the ends see the other angles
            self.turning.add(block)
        self.sink.write(block, st.pack(self.system.ints, self.W, self.K, self.S))
        self.failure = self.failure or self.limits.fault_in(block) or self._drowned()
        if self.progress is not None:
            self.progress(
                float(self.S[st.T_N]), float(self.S[st.T_END]), int(self.K[st.STEPS]), int(self.K[st.REJECTED])
            )

    def _failed(self, status: int) -> FailedStep:
        """The step that has failed with this status."""
        K, S, m = self.K, self.S, self.mechanics
        q, v = (S[K[slot] : K[slot] + size].copy() for slot, size in ((st.Q_N, m.n_q), (st.V_N, m.n_v)))
        worst = self.system.coordinates[K[st.WORST_COORDINATE]] if m.n_v else "none"
        sign = f"the largest {'error' if status == st.NO_STEP else 'correction'} is that of coordinate '{worst}'"
        return FailedStep(m, self.settings, status, q, v, float(S[st.T_N]), float(S[st.H]), sign)

    def _drowned(self) -> str:
        """A coordinate whose round-off exceeds the tolerance, so that steps shrink and never end; else ""."""
        m, K, S = self.mechanics, self.K, self.S
        if K[st.CONTROLLED] == 0 or not m.n_q:
            return ""
        noise = np.finfo(float).eps * np.abs(m.q) / S[K[st.SCALE_Q] : K[st.SCALE_Q] + m.n_q]
        largest = int(np.argmax(noise))
        if not noise[largest] > max(S[st.TOLERANCE], COARSE):
            return ""
        moved = [m.system.coordinates[j] for j in range(m.n_v) if moved_by(m, j)[largest]]
        return (
            f"At t = {S[st.T_N]:.6g} s coordinate '{(moved or ['?'])[0]}' has grown to {m.q[largest]:.3g}, so that its "
            f"round-off is larger than the tolerance {S[st.TOLERANCE]:g} allows. Look for what drives it away without "
            "end (the sign of a force that depends on sensors), or end the run earlier."
        )

    def _restore(self) -> None:
        """Go back to the last good state after a failed step."""
        K, S, m = self.K, self.S, self.mechanics
        m.t = float(S[st.T_N])
        m.q[:] = S[K[st.Q_N] : K[st.Q_N] + m.n_q]
        m.v[:] = S[K[st.V_N] : K[st.V_N] + m.n_v]
        m.a[:] = S[K[st.A_N] : K[st.A_N] + m.n_v]
        m.lam[:] = S[K[st.LAM_N] : K[st.LAM_N] + m.n_rows]

    def _summary(self, outcome: str) -> RunSummary:
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
