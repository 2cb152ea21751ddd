"""The outer loop of the analyses: what is written when, and what a failure or a request to end leaves behind."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from flexmb.arrays import Floats
from flexmb.errors import ComputationError, InputError
from flexmb.solvers.march import march


class Counting:
    """Rows 0, 1, 2, ... up to `last`; row `fails` cannot be reached."""

    largest_budget = 3

    def __init__(self, last: int, fails: int = 10**9, gathered: int = 0):
        self.system = SimpleNamespace(channels=[])
        self.blocks: list[Floats] = []
        self.most_gathered, self.last, self.fails = gathered, last, fails
        self.n, self.accepted, self.budgets = -1, 0, list[int]()

    @property
    def is_done(self) -> bool:
        return self.n >= self.last

    def start(self) -> None:
        self.n = 0
        self.blocks.append(np.zeros((1, 1)))

    def unpack(self, checkpoint: Floats) -> bool:
        self.n = int(checkpoint[0])
        return len(checkpoint) == 1

    def advance(self, budget: int) -> str:
        self.budgets.append(budget)
        self.n += 1
        if self.n >= self.fails:
            self.n -= 1
            return "row cannot be reached"
        self.blocks.append(np.full((1, 1), float(self.n)))
        return ""

    def accept(self, block: Floats) -> None:
        self.accepted += len(block)

    def pack(self) -> Floats:
        return np.array([float(self.n)])

    def fault_in(self, block: Floats) -> str:
        return "row 5 is wrong" if 5.0 in block else ""

    def position(self) -> tuple[float, float, int, int]:
        return float(self.n), float(self.last), self.n, 0

    def summary(self, outcome: str) -> Any:
        return outcome


class Blocks:
    """What reaches the sink."""

    def __init__(self) -> None:
        self.rows: list[list[float]] = []
        self.checkpoints: list[float] = []

    def write(self, block: Floats, checkpoint: Floats) -> None:
        self.rows.append(block[:, 0].tolist())
        self.checkpoints.append(float(checkpoint[0]))


def test_every_block_is_followed_by_the_state_after_it() -> None:
    sink, stepper = Blocks(), Counting(last=4, gathered=2)
    assert march(stepper, sink) == "finished"
    assert sink.rows == [[0, 1], [2, 3], [4]]
    assert sink.checkpoints == [1, 3, 4] and stepper.accepted == 5
    assert max(stepper.budgets[1:]) <= 3


def test_resumed_after_a_checkpoint() -> None:
    sink = Blocks()
    assert march(Counting(last=4), sink, resume=np.array([2.0])) == "finished"
    assert sink.rows == [[3], [4]]
    with pytest.raises(InputError, match="does not belong"):
        march(Counting(last=4), sink, resume=np.zeros(2))


def test_failure_is_raised_after_everything_is_written() -> None:
    sink = Blocks()
    with pytest.raises(ComputationError, match="cannot be reached") as caught:
        march(Counting(last=9, fails=3, gathered=100), sink)
    assert caught.value.summary == "failed"
    assert [value for block in sink.rows for value in block] == [0, 1, 2] and sink.checkpoints[-1] == 2


def test_rows_that_cannot_be_trusted_end_the_analysis() -> None:
    sink = Blocks()
    with pytest.raises(ComputationError, match="row 5 is wrong"):
        march(Counting(last=9), sink)
    assert sink.rows[-1] == [5]


def test_interrupted_in_the_progress_callback() -> None:
    import os
    import signal

    def stop(t: float, end: float, steps: int, rejected: int) -> None:
        if steps == 2:
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where tests run in the background
    try:
        sink = Blocks()
        assert march(Counting(last=9), sink, progress=stop) == "interrupted"
    finally:
        signal.signal(signal.SIGINT, before)
    assert sink.rows[-1] == [3] and sink.checkpoints[-1] == 3
