"""A warning as data: what a run, a check or a reduction found that a person should know before trusting the numbers.

Every stage yields `WarningRecord`s; reports print them, result files and `--json` store them, `--strict` counts them.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any


@dataclass(frozen=True)
class WarningRecord:
    """One warning. `code` names its kind for programs and never changes with the wording of the sentence."""

    code: str
    """Kind of warning, in lower case with hyphens: "large-turn", "linear-field"."""
    text: str
    """Sentence for people: what was found, how large, and what to do."""
    place: str = ""
    """Key of the part concerned: "bodies.rod", "joints.j3", "motions.drive"; empty for the model as a whole."""
    time: float | None = None
    """Time of the finding [s]; None when it holds from the start or has no time."""
    value: float | None = None
    """Number that was found, in `unit`; None when there is none."""
    unit: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The fields, for JSON and tables; numbers that are not finite become None."""
        return asdict(self) | {"time": _finite(self.time), "value": _finite(self.value)}


def _finite(number: float | None) -> float | None:
    return float(number) if number is not None and isfinite(number) else None


def warning_from(entry: Any) -> WarningRecord:
    """The record with the fields of `as_dict`; raises ValueError for anything else."""
    texts = [entry[key] for key in ("code", "text", "place", "unit")]
    numbers = [entry[key] for key in ("time", "value")]
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("a warning has a field that is not text")
    if not all(number is None or type(number) in (int, float) for number in numbers):
        raise ValueError("a warning has a field that is not a number")
    code, text, place, unit = texts
    time, value = (None if number is None else float(number) for number in numbers)
    return WarningRecord(code, text, place, time, value, unit)
