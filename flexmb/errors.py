"""The two errors of flexmb.

`InputError`: the input is wrong (command line exit code 2); it carries every fault that was found, not only the first.
`ComputationError`: the input was accepted but the computation failed (exit code 1); its text says when, where and what
to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong, its place, and what to do about it."""

    text: str
    path: tuple[str | int, ...] = ()
    """Place in the model, e.g. ("joints", "crank_pin", "axis"); empty for the model as a whole."""
    hint: str = ""
    """Advice, e.g. "Did you mean 'tip'?"."""

    def __str__(self) -> str:
        stop = "." if self.hint and self.text and self.text[-1] not in ".!?:;," else ""
        sentence = f"{self.text}{stop} {self.hint}".strip()
        place = ".".join(str(part) for part in self.path)
        return f"{place}: {sentence}" if place else sentence


class CarriedError(Exception):
    """An error that arrives whole in another process: by its fields, not by calling its class with its text."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _revived, (type(self), self.args, self.__dict__)


def _revived(kind: type[CarriedError], args: tuple[Any, ...], fields: dict[str, Any]) -> CarriedError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(fields)
    return error


class InputError(CarriedError):
    """Wrong input, with all its faults."""

    def __init__(self, faults: Sequence[Fault] | str):
        self.faults: list[Fault] = [Fault(faults)] if isinstance(faults, str) else list(faults)
        super().__init__("\n".join(str(fault) for fault in self.faults))


class ComputationError(CarriedError):
    """A computation that failed."""

    def __init__(self, text: str, summary: Any = None):
        self.summary = summary
        """`RunSummary` of a run that failed on its way; None if it never started."""
        super().__init__(text)


class CacheWarning(UserWarning):
    """A cache of machine code that cannot be used or was repaired; results are not affected."""
