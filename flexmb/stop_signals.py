"""Signals that ask a program to end: Ctrl-C, end of a batch job, shutdown, a closed terminal.

The command line runs the registered clean-up actions (`cleaned`) and exits at once (`end_program`). An exception raised
at an arbitrary point, as Python does on Ctrl-C, can be lost in a callback or destructor, or leave a lock held for ever.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import subprocess

STOPPING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
INTERRUPTED = 130
"""Exit code after a signal to end"""
_CLEAR_LINE = b"\r\x1b[K"

_duties: list[Callable[[], object]] = []


@contextmanager
def handled(handler: Callable[[int, Any], None]) -> Iterator[dict[int, Any]]:
    """Install `handler` for the signals that ask to end; yields the previous handlers and restores them.

    Ignored signals stay ignored (nohup); only the main thread receives signals.
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


@contextmanager
def deferred() -> Iterator[None]:
    """Defer a request to end until the end of the block."""
    received: list[tuple[int, Any]] = []
    with handled(lambda number, frame: received.append((number, frame))) as before:
        yield
    for number, frame in received[-1:]:
        if callable(before[number]):
            before[number](number, frame)
        else:
            signal.raise_signal(number)


@contextmanager
def cleaned(action: Callable[[], object]) -> Iterator[None]:
    """Call `action` when the block ends in any way, including by a signal within it."""
    _duties.append(action)
    try:
        yield
    finally:
        _duties.remove(action)
        action()


@contextmanager
def child_process(command: list[str], **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A process that is ended with the block; `options` are those of subprocess.Popen."""
    import subprocess

    with ExitStack() as stack:
        with deferred():
            process = subprocess.Popen(command, **options)

            def end() -> None:
                process.kill()
                process.wait()

            stack.enter_context(cleaned(end))
        yield process


def end_program(number: int, frame: Any) -> None:
    """Run the actions registered by `cleaned`, latest first, and exit."""
    for action in reversed(_duties):
        with suppress(Exception):
            action()
    with suppress(OSError):
        os.write(2, (_CLEAR_LINE if sys.stderr.isatty() else b"") + b"flexmb: interrupted.\n")
    os._exit(INTERRUPTED)
