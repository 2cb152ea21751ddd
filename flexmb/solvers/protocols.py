"""Protocols of an analysis: sink of its rows, callback of its progress, and Ctrl-C (or another request to end)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Protocol

from flexmb.arrays import Floats
from flexmb.stop_signals import handled

Progress = Callable[[float, float, int, int], None]
"""Called with the time reached [s], the end [s], steps and rejected steps."""


class Sink(Protocol):
    """Receiver of the rows of an analysis."""

    def write(self, block: Floats, checkpoint: Floats) -> None:
        """Take a block of rows (n, n_out) and the state after it."""


@contextmanager
def interrupt_flag() -> Iterator[Callable[[], bool]]:
    """Turn the first request to end into a flag, so that blocks are written completely; the second ends at once."""
    seen: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        if seen:
            raise KeyboardInterrupt
        seen.append(number)

    with handled(note):
        yield lambda: bool(seen)
