"""Outer loop of every analysis in time: rows in blocks, a checkpoint after each, progress, Ctrl-C, the end.

In: a stepper, which computes the next rows when it is called. Blocks of its rows, each with the state after it, go to
the sink. Out: its summary. A stepper that fails returns the reason: the rows so far are written, then a
`ComputationError` with its summary is raised. Nothing is printed; progress goes to a callback.
"""

from __future__ import annotations

import time
from typing import Protocol, TypeVar

import numpy as np

from flexmb.arrays import Floats
from flexmb.errors import ComputationError, InputError
from flexmb.solvers.failure import finite_rows
from flexmb.solvers.mechanics import Solvable
from flexmb.solvers.protocols import Progress, Sink, interrupt_flag
from flexmb.solvers.summary import RunSummary

BLOCK_SECONDS = 0.2
FIRST_BUDGET = 20
SummaryType = TypeVar("SummaryType", bound=RunSummary, covariant=True)


class BlockStepper(Protocol[SummaryType]):
    """An analysis as the outer loop sees it."""

    @property
    def system(self) -> Solvable:
        """System of the rows."""

    @property
    def blocks(self) -> list[Floats]:
        """Rows (r, n_out) that have not been written to the sink."""

    @property
    def most_gathered(self) -> int:
        """Rows that may wait in `blocks` before they are written."""

    @property
    def largest_budget(self) -> float:
        """Largest argument of `advance`."""

    @property
    def is_done(self) -> bool:
        """Whether the end is reached."""

    def start(self) -> None:
        """Find the state at the start."""

    def unpack(self, checkpoint: Floats) -> bool:
        """Go back to the state of a checkpoint; False when it belongs to another model or method."""

    def advance(self, budget: int) -> str:
        """Append the rows of at most `budget` steps to `blocks`; return the reason of a failure, or ""."""

    def accept(self, block: Floats) -> None:
        """Update energy balance and the like with rows before they are written."""

    def pack(self) -> Floats:
        """Checkpoint: everything that the next rows depend on."""

    def fault_in(self, block: Floats) -> str:
        """Reason why computed rows cannot be trusted, or ""."""

    def position(self) -> tuple[float, float, int, int]:
        """Time reached [s], end [s], steps, rejected steps."""

    def summary(self, outcome: str) -> SummaryType:
        """Outcome and quality so far."""


def march(
    stepper: BlockStepper[SummaryType], sink: Sink, progress: Progress | None = None, resume: Floats | None = None
) -> SummaryType:
    """Take an analysis from its start, or from a checkpoint (`resume`), to its end.

    `progress` is called about five times a second. The first Ctrl-C ends the analysis after its block, the second at
    once.
    """
    if resume is None:
        stepper.start()
    elif not stepper.unpack(np.asarray(resume, dtype=np.float64)):
        raise InputError("The checkpoint does not belong to this model and method. Run without --resume.")
    budget, outcome, failure, written = FIRST_BUDGET, "finished", "", time.perf_counter()
    with interrupt_flag() as interrupted:
        try:
            while not (stepper.is_done or failure):
                began = time.perf_counter()
                failure = stepper.advance(budget)
                now = time.perf_counter()
                growth = min(4.0, BLOCK_SECONDS / max(now - began, 1e-6))
                budget = int(min(stepper.largest_budget, max(1.0, budget * growth)))
                is_full = sum(map(len, stepper.blocks)) >= stepper.most_gathered or now - written > BLOCK_SECONDS
                if is_full or failure or stepper.is_done or interrupted():
                    failure = _write(stepper, sink, failure)
                    written = now
                    if progress is not None:
                        progress(*stepper.position())
                if interrupted() and not (stepper.is_done or failure):
                    outcome = "interrupted"
                    break
            failure = _write(stepper, sink, failure)  # a request to end may come after the decision not to write yet
        except KeyboardInterrupt:
            outcome = "interrupted"
    if failure:
        raise ComputationError(failure, stepper.summary("failed"))
    return stepper.summary(outcome)


def _write(stepper: BlockStepper[SummaryType], sink: Sink, failure: str) -> str:
    """Write the rows so far and the state after them to the sink; return why the analysis cannot continue, or ""."""
    if not stepper.blocks:  # a failure right after a block was written
        return failure
    block, lost = finite_rows(stepper.system, np.concatenate(stepper.blocks))
    stepper.blocks.clear()
    stepper.accept(block)
    sink.write(block, stepper.pack())
    return failure or lost or stepper.fault_in(block)
