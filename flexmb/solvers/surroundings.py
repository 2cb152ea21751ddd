"""What a run meets outside: where its rows go, who watches it, and Ctrl-C (or another request to end)."""

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


STOPPING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
"""Signals that ask a program to end: Ctrl-C, the end of a batch job or of the machine, a lost terminal."""


@contextmanager
def interrupt_flag() -> Iterator[Callable[[], bool]]:
    """Turn the first request to end into a flag, so that no block is torn while written; the second ends at once."""
    seen: list[int] = []

    def note(number: int, frame: Any) -> None:
        if seen:
            raise KeyboardInterrupt
        seen.append(number)

    with handled(note):
        yield lambda: bool(seen)


@contextmanager
def handled(handler: Callable[[int, Any], None]) -> Iterator[dict[int, Any]]:
    """Let `handler` take the signals that ask to end; gives the handlers that they had, and puts them back.

    What is ignored stays ignored (nohup); only the main thread receives signals.
    """
    before: dict[int, Any] = {}
    try:
        if threading.current_thread() is threading.main_thread():
            for number in STOPPING:
                if signal.getsignal(number) not in (signal.SIG_IGN, None):
                    before[number] = signal.signal(number, handler)
        yield before
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)
