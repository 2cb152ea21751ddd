"""What a run meets outside: where its rows go, who watches it, and Ctrl-C."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from flexmb.solvers.mechanics import Floats

Progress = Callable[[float, float, int, int], None]
"""Called with the time reached [s], the end [s], steps and rejected steps."""


class Sink(Protocol):
    """Where rows go."""

    def write(self, block: Floats, checkpoint: Floats) -> None:
        """Take a block of rows (n, n_out) and the state after it."""


@contextmanager
def interrupt_flag() -> Iterator[Callable[[], bool]]:
    """Turn the first Ctrl-C into a flag, so that no block is torn while written; the second interrupts at once."""
    seen: list[int] = []

    def note(number: int, frame: Any) -> None:
        if seen:
            raise KeyboardInterrupt
        seen.append(number)

    in_main = threading.current_thread() is threading.main_thread()
    previous = signal.signal(signal.SIGINT, note) if in_main else None
    try:
        yield lambda: bool(seen)
    finally:
        if in_main:
            signal.signal(signal.SIGINT, previous if previous is not None else signal.default_int_handler)
