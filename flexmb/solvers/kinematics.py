"""Kinematic analysis: motions prescribe every degree of freedom, so the motion follows from the constraints alone.

At every output time: positions from Phi(q, t) = 0 by Newton from the extrapolated state, velocities from G v = -Phi_t,
accelerations from G a = -GAM, and the drive efforts and reactions as multipliers from M a + G^T lam = -BIAS.

A compiled loop (`driven_motion`) takes as many instants as it can; one at which Newton does not converge at once, or
the rows are close to being dependent, is solved here, in least squares and in smaller steps.
"""

from __future__ import annotations

import time

import numpy as np

from flexmb.arrays import Floats
from flexmb.errors import ComputationError, Fault, InputError
from flexmb.layout import driven_state as ds
from flexmb.layout import flat_arrays as L
from flexmb.layout import solver_state as st
from flexmb.solvers.assembly import assemble, gaps
from flexmb.solvers.driven_rows import KINEMATIC, DrivenRows
from flexmb.solvers.failure import finite_rows
from flexmb.solvers.mechanics import Mechanics, Solvable
from flexmb.solvers.protocols import Progress, Sink, interrupt_flag
from flexmb.solvers.settings import Settings
from flexmb.solvers.summary import EnergyBalance, RunSummary

MAX_ITERATIONS = 12
MAX_HALVINGS = 8
BLOCK_ROWS, BLOCK_SECONDS = 200, 0.2


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
    return _KinematicAnalysis(system, settings, sink, progress).finish(resume)


def output_times(settings: Settings) -> Floats:
    """Start, multiples of the output interval (else of the step, else a hundredth of the span), end [s]."""
    span = settings.end - settings.start
    interval = settings.every or settings.step or span / 100.0
    count = int(np.floor(span / interval * (1.0 + 1e-12) + 1e-9))
    times = settings.start + np.arange(count + 1) * interval
    if settings.end - times[-1] <= 1e-9 * interval:
        times[-1] = settings.end
        return np.asarray(times, dtype=np.float64)
    return np.asarray(np.append(times, settings.end), dtype=np.float64)


class Analysis:
    """The rows of one analysis; other kinds of driven motion have their own start, solve_positions and solve_rates."""

    def __init__(self, system: Solvable, settings: Settings, sink: Sink, progress: Progress | None):
        self.system, self.settings, self.sink, self.progress = system, settings, sink, progress
        self.began = time.perf_counter()
        self.m = Mechanics(system, system.workspace())
        self.times = output_times(settings)
        self.numbers = np.zeros(st.S_HEADER)
        self.balance = EnergyBalance(system, self.numbers)
        self.blocks: list[Floats] = []
        """Rows (r, n_out) that the sink has not got yet"""
        self.compiled: DrivenRows | None = None
        self.is_handed_over = False
        self.done = self.iterations = self.steps = self.rejected = 0
        self.largest = 0.0
        self.h_before, self.power_before = 0.0, np.zeros(self.m.n_powers)

    def start(self) -> None:
        m = self.m
        m.t = self.settings.start
        assemble(self.system, m.W)
        self._refuse_unless_driven()
        m.run(L.AT_ACCEPT)
        self.solve_rates()
        self.add_row(0.0, 0)

    def _refuse_unless_driven(self) -> None:
        m = self.m
        m.jacobian()
        sigma = np.linalg.svd(m.G * m.scale, compute_uv=False) if m.n_rows else np.zeros(0)
        rank = int(np.sum(sigma > 1e-9 * max(float(sigma[0]), 1e-300))) if sigma.size else 0
        if m.n_pos_rows < m.n_rows or rank < m.n_v:
            free = m.n_v - rank
            text = f"a kinematic analysis needs every degree of freedom driven by a motion; {free} are free."
            hint = f'Add {free} motion{"s" if free != 1 else ""}, or use type = "dynamic".'
            if m.n_pos_rows < m.n_rows:
                text, hint = (
                    "a kinematic analysis has no rolling or other velocity constraints.",
                    'Use type = "dynamic".',
                )
            raise InputError([Fault(text, ("analysis", "type"), hint)])

    def connect(self) -> DrivenRows | None:
        """The compiled loop from the state in W on; None when there is none for this kind of motion or mechanism."""
        return None

    def hand_over(self, compiled: DrivenRows) -> None:
        """Let the compiled loop go on from the present state."""
        compiled.S[ds.H_P], compiled.S[ds.LARGEST_PHI] = self.h_before, self.largest
        compiled.view(ds.POWER_P, self.m.n_powers)[:] = self.power_before

    def take_back(self, compiled: DrivenRows) -> None:
        """Go on from where the compiled loop came to."""
        self.h_before, self.largest = float(compiled.S[ds.H_P]), float(compiled.S[ds.LARGEST_PHI])
        self.power_before = compiled.view(ds.POWER_P, self.m.n_powers).copy()

    def solve_positions(self) -> bool:
        """Newton on Phi(q, t) = 0; False when it does not converge."""
        m = self.m
        for _ in range(MAX_ITERATIONS):
            m.jacobian()
            step = np.linalg.lstsq(m.G * m.scale, -m.phi, rcond=1e-12)[0]
            size = float(np.max(np.abs(step), initial=0.0))
            if not np.isfinite(size) or size > 1.0:
                return False
            m.move(step * m.scale)
            self.iterations += 1
            if size <= 1e-8:  # quadratic: what is left is round-off
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
        effort = -(m.M @ m.a + m.bias)
        m.lam[:] = np.linalg.lstsq((m.G * m.scale).T, effort * m.scale, rcond=1e-12)[0]
        self.largest = max(self.largest, float(np.max(np.abs(m.phi), initial=0.0)))
        if m.n_powers:
            m.run(L.AT_POWERS)

    def advance(self, t_new: float) -> bool:
        """One step to `t_new` from the present state, extrapolated; the works by the Adams-Moulton rule."""
        m = self.m
        h, t, q, power = t_new - m.t, m.t, m.q.copy(), m.power.copy()
        m.t = t_new
        m.move(h * m.v + 0.5 * h**2 * m.a)
        if not self.solve_positions():
            m.t = t
            m.q[:] = q
            return False
        self.solve_rates()
        work = 0.5 * h * (power + m.power)
        if self.h_before > 0.0:
            before, old = self.h_before, self.power_before
            work -= ((m.power - power) / h - (power - old) / before) / (h + before) * h**3 / 6.0
        m.work += work
        self.h_before, self.power_before = h, power
        m.run(L.AT_ACCEPT)
        self.steps += 1
        return True

    def reach(self, t_new: float) -> None:
        """Go to an output time, in smaller steps when Newton does not converge at once."""
        m, part = self.m, 1.0
        t_old = m.t
        while m.t < t_new:
            rates = m.v.copy(), m.a.copy()
            target = min(t_new, m.t + part * (t_new - t_old))
            if t_new - target < 1e-9 * (t_new - t_old):
                target = t_new
            if self.advance(target):
                continue
            m.v[:], m.a[:] = rates
            self.rejected += 1
            part *= 0.5
            if part < 0.5**MAX_HALVINGS:
                self.fail(t_new)

    def fail(self, t: float) -> None:
        m = self.m
        here = m.t
        m.t = t
        m.jacobian()
        text = gaps(m, m.phi)
        m.t = here
        self.flush()
        raise ComputationError(
            f"At t = {here:.6g} s the positions cannot be carried on to {t:.6g} s: {text}. The motions ask for a "
            "position that the mechanism cannot reach, or it meets a singular position: change the motions or the "
            "dimensions, or end the analysis earlier.",
            self.summary("failed"),
        )

    def add_row(self, step: float, iterations: int) -> None:
        m = self.m
        m.run(L.AT_OUTPUT)
        row = m.out.copy()
        row[-2:] = step, iterations
        self.blocks.append(row[None])
        self.done += 1

    def add_rows(self, most: int) -> None:
        """The next rows: as many as the compiled loop finds, at most so many, and the one that it leaves."""
        is_whole = False
        if self.compiled is not None:
            if not self.is_handed_over:
                self.hand_over(self.compiled)
                self.is_handed_over = True
            block, is_whole = self.compiled.run(self.done, most)
            self.take_back(self.compiled)
            self.blocks += [block] if len(block) else []
            self.done += len(block)
            self.steps += len(block)
            self.iterations += int(self.compiled.K[ds.ITERATIONS])
        if not is_whole:
            self.is_handed_over = False
            before, t_old, t = self.iterations, self.m.t, float(self.times[self.done])
            self.reach(t)
            self.add_row(t - t_old, self.iterations - before)

    def pack(self) -> Floats:
        """The checkpoint: everything that the next rows depend on."""
        counters = [self.done, self.iterations, self.steps, self.rejected, self.largest, self.h_before]
        state = [self.m.W[start : start + size] for start, size in st.workspace_parts(self.m.I)]
        return np.concatenate([counters, self.numbers, self.power_before, self.m.power, *state])

    def unpack(self, checkpoint: Floats) -> None:
        """Go back to the state of a checkpoint."""
        expected = self.pack()
        if checkpoint.size != expected.size:
            raise InputError("The checkpoint does not belong to this model and method; start the run anew.")
        parts = [6, self.numbers.size, self.m.n_powers, self.m.n_powers]
        parts += [size for _, size in st.workspace_parts(self.m.I)]
        counters, numbers, before, power, *state = np.split(checkpoint, np.cumsum(parts)[:-1])
        self.done, self.iterations, self.steps, self.rejected = (int(number) for number in counters[:4])
        self.largest, self.h_before, self.power_before = float(counters[4]), float(counters[5]), before.copy()
        self.numbers[:], self.m.power[:] = numbers, power
        for (start, size), values in zip(st.workspace_parts(self.m.I), state):
            self.m.W[start : start + size] = values

    def flush(self) -> None:
        """Hand the rows so far to the sink, with the state after the last of them."""
        if self.blocks:
            block, lost = finite_rows(self.system, np.concatenate(self.blocks))
            self.blocks = []
            self.balance.add(block)
            self.sink.write(block, self.pack())
            if lost:
                raise ComputationError(lost, self.summary("failed"))
        if self.progress is not None:
            self.progress(self.m.t, self.settings.end, self.steps, self.rejected)

    def finish(self, resume: Floats | None) -> RunSummary:
        outcome = "finished"
        if resume is None:
            self.start()
        else:
            self.unpack(np.asarray(resume, dtype=np.float64))
        self.compiled = self.connect()
        reported, most = time.perf_counter(), 20
        with interrupt_flag() as interrupted:
            try:
                while self.done < len(self.times):
                    began = time.perf_counter()
                    self.add_rows(most)
                    now = time.perf_counter()
                    most = int(min(BLOCK_ROWS, max(1.0, most * min(4.0, BLOCK_SECONDS / max(now - began, 1e-6)))))
                    if sum(map(len, self.blocks)) >= BLOCK_ROWS or now - reported > BLOCK_SECONDS or interrupted():
                        self.flush()
                        reported = now
                    if interrupted() and self.done < len(self.times):
                        outcome = "interrupted"
                        break
                self.flush()
            except KeyboardInterrupt:
                outcome = "interrupted"
        return self.summary(outcome)

    def summary(self, outcome: str) -> RunSummary:
        return RunSummary(
            outcome=outcome,
            method="kinematic",
            steps=self.steps,
            rejected=self.rejected,
            newton_iterations=self.iterations,
            factorisations=self.iterations,
            largest_constraint_error=self.largest,
            energy_error=float(self.numbers[st.ENERGY_ERROR]),
            peak_energy=float(self.numbers[st.ENERGY_PEAK]),
            wall_time=time.perf_counter() - self.began,
            t_reached=self.m.t,
        )


class _KinematicAnalysis(Analysis):
    """The rows give everything; one row for each velocity can be solved by the compiled loop."""

    def connect(self) -> DrivenRows | None:
        m = self.m
        if m.n_rows != m.n_v:
            return None
        none = np.zeros(0, np.int64)
        return DrivenRows(m, self.times, ds.Split(np.arange(m.n_v), none, none), KINEMATIC)
