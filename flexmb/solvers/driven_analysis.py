"""Driven motion, from output time to output time: kinematic, fitted by least squares, quasi-static.

These differ in how the state of one instant is found (`Instants`). Common to all are extrapolation from instant to
instant, smaller steps where an instant is not found at once, the works, and the compiled loop, which takes as many
instants as it can.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

from flexmb.arrays import Floats
from flexmb.layout import driven_state as ds
from flexmb.layout import flat_arrays as L
from flexmb.solvers.assembly import gaps
from flexmb.solvers.driven_loop import DrivenLoop
from flexmb.solvers.output_rows import BLOCK_ROWS, OutputRows
from flexmb.solvers.shared_basis import basis_of
from flexmb.solvers.summary import RunSummary

MAX_HALVINGS = 8
SummaryType = TypeVar("SummaryType", bound=RunSummary)


class Instants(ABC, Generic[SummaryType]):
    """Solver of the state at an instant for one kind of driven motion; the state is in the workspace of `rows.m`."""

    def __init__(self, rows: OutputRows):
        self.rows, self.m, self.system = rows, rows.m, rows.m.system

    @abstractmethod
    def start(self) -> None:
        """Find the position at the start."""

    @abstractmethod
    def solve_positions(self) -> bool:
        """Find the position at m.t from the one in W; False when the iteration does not converge."""

    @abstractmethod
    def solve_rates(self) -> None:
        """Find velocities, accelerations, multipliers and powers of the position."""

    @abstractmethod
    def summary(self, outcome: str) -> SummaryType:
        """Outcome and quality so far."""

    def predict(self, t: float) -> None:
        """Extrapolate to t [s] what is not in the workspace."""

    def go_back(self) -> None:
        """Undo `predict` after a step that failed."""

    def follow_checkpoint(self) -> None:
        """Take over the state of a checkpoint that has been put into the workspace."""

    def compiled_loop(self) -> DrivenLoop | None:
        """The compiled loop from the state in W on; None when there is none for this kind of motion or mechanism."""
        return None

    def hand_over(self, loop: DrivenLoop) -> None:
        """Give the compiled loop what is not in the workspace."""

    def take_back(self, loop: DrivenLoop) -> None:
        """Take from the compiled loop what is not in the workspace."""

    def reason(self, t: float) -> str:
        """Reason why the motion cannot be continued to t [s]; the workspace may be changed."""
        m, here = self.m, self.m.t
        m.t = t
        m.jacobian()
        return (
            f"At t = {here:.6g} s the motion cannot be continued to {t:.6g} s: {gaps(m, m.phi_all)}. The motions "
            "require a position that the mechanism cannot reach, or it meets a singular position. Change the motions "
            "or the dimensions, or end the analysis earlier."
        )

    def fault_in(self, block: Floats) -> str:
        """Reason why computed rows cannot be trusted, or ""."""
        return ""


class DrivenAnalysis(Generic[SummaryType]):
    """Stepper of a driven motion (see `march`)."""

    most_gathered = largest_budget = BLOCK_ROWS

    def __init__(self, instants: Instants[SummaryType]):
        self.instants, self.rows = instants, instants.rows
        self.m, self.system, self.blocks = self.rows.m, self.rows.m.system, self.rows.blocks
        self.loop: DrivenLoop | None = None
        self.is_handed_over = False
        self.basis = basis_of(self.m)

    @property
    def is_done(self) -> bool:
        """Whether every output time has its row."""
        return self.rows.is_done

    def start(self) -> None:
        """Find the state at the start and add its row."""
        self.m.t = self.rows.settings.start
        self.instants.start()
        self.m.run(L.AT_ACCEPT)
        self.instants.solve_rates()
        self.rows.add(0.0, 0)
        self.loop = self.instants.compiled_loop()

    def unpack(self, checkpoint: Floats) -> bool:
        """Go back to the state of a checkpoint; False when it belongs to another model or method."""
        if not self.rows.unpack(checkpoint):
            return False
        self.instants.follow_checkpoint()
        self.loop = self.instants.compiled_loop()
        return True

    def advance(self, budget: int) -> str:
        """Add the next rows: those of the compiled loop, at most `budget`, and the one that it leaves to Python."""
        rows, is_whole = self.rows, False
        if self.basis is not None and self.basis.has_moved():
            self.basis.look([])
        if self.loop is not None:
            is_whole = self._run_loop(self.loop, budget)
        if is_whole:
            return ""
        if self.basis is not None:
            self.basis.look([], replace=True)
        self.is_handed_over = False
        before, t_old, t = rows.iterations, self.m.t, float(rows.times[rows.done])
        failure = self._reach(t)
        if not failure:
            rows.add(t - t_old, rows.iterations - before)
        return failure

    def _run_loop(self, loop: DrivenLoop, budget: int) -> bool:
        """Add rows of the compiled loop; False when it leaves the next instant to Python."""
        rows, n_powers = self.rows, self.m.n_powers
        if not self.is_handed_over:
            loop.S[ds.H_P], loop.S[ds.LARGEST_PHI] = rows.step_before, rows.largest
            loop.view(ds.POWER_P, n_powers)[:] = rows.power_before
            self.instants.hand_over(loop)
            self.is_handed_over = True
        block, is_whole = loop.run(rows.done, budget)
        rows.step_before, rows.largest = float(loop.S[ds.H_P]), float(loop.S[ds.LARGEST_PHI])
        rows.power_before = loop.view(ds.POWER_P, n_powers).copy()
        self.instants.take_back(loop)
        rows.blocks += [block] if len(block) else []
        rows.done += len(block)
        rows.steps += len(block)
        rows.iterations += int(loop.K[ds.ITERATIONS])
        return is_whole

    def _reach(self, t_new: float) -> str:
        """Go to an output time, in smaller steps when an instant is not found at once; return why it fails, or ""."""
        m, part = self.m, 1.0
        t_old = m.t
        while m.t < t_new:
            target = min(t_new, m.t + part * (t_new - t_old))
            if t_new - target < 1e-9 * (t_new - t_old):
                target = t_new
            if self._step(target):
                continue
            self.rows.rejected += 1
            part *= 0.5
            if part < 0.5**MAX_HALVINGS:
                here = m.state()
                failure = self.instants.reason(t_new)
                m.put(here)
                return failure
        return ""

    def _step(self, t_new: float) -> bool:
        """Step to `t_new` from the extrapolated state; False, with the state restored, when it fails."""
        m, here, power = self.m, self.m.state(), self.m.power.copy()
        h = t_new - here.t
        self.instants.predict(t_new)
        m.t = t_new
        m.move(h * m.v + 0.5 * h**2 * m.a)
        if not self.instants.solve_positions():
            m.put(here)
            self.instants.go_back()
            return False
        if self.basis is not None and self.basis.is_open():
            m.put(here)
            self.instants.go_back()
            return False
        self.instants.solve_rates()
        if self.basis is not None and self.basis.has_moved():
            self.basis.look([])
        self.rows.add_works(h, power)
        m.run(L.AT_ACCEPT)
        self.rows.steps += 1
        return True

    def accept(self, block: Floats) -> None:
        """Update the energy balance with rows before they are written."""
        self.rows.balance.add(block)

    def pack(self) -> Floats:
        """Checkpoint: everything that the next rows depend on."""
        return self.rows.pack()

    def fault_in(self, block: Floats) -> str:
        """Reason why computed rows cannot be trusted, or ""."""
        return self.instants.fault_in(block)

    def position(self) -> tuple[float, float, int, int]:
        """Time reached [s], end [s], steps, rejected steps."""
        return self.rows.position()

    def summary(self, outcome: str) -> SummaryType:
        """Outcome and quality so far."""
        return self.instants.summary(outcome)
