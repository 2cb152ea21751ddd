"""Option values of `flexmb modes`: files to write and ranges START:END:COUNT, checked before anything is computed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from flexmb.arrays import Floats
from flexmb.errors import Fault, InputError

MOST_VALUES = 100_000
PICTURES = (".png", ".svg", ".pdf")


def check_files(paths: Sequence[Path], endings: Sequence[str]) -> list[Fault]:
    """Faults of the files to write."""
    from flexmb.output_files import replacing_fault, suffix_fault

    faults = [suffix_fault(path, endings) or replacing_fault(path, path.suffix.lower()) for path in paths]
    return [Fault(fault, ("output",)) for fault in faults if fault]


def read_range(option: str, text: str, least: float = -np.inf) -> Floats:
    """Values of START:END:COUNT, evenly spaced."""
    parts = text.split(":")
    try:
        start, end, count = float(parts[0]), float(parts[1]), int(parts[2])
        is_right = len(parts) == 3 and np.isfinite([start, end]).all() and min(start, end) >= least
        is_right = is_right and 2 <= count <= MOST_VALUES and start != end
    except (ValueError, IndexError):
        is_right = False
    if not is_right:
        limit = f" of {least:g} or more" if np.isfinite(least) else ""
        raise InputError(
            f"{option} {text}: give START:END:COUNT, two different numbers{limit} and a count from 2 to "
            f"{MOST_VALUES}, such as 0:200:21."
        )
    return np.linspace(start, end, count)


def read_over(text: str) -> tuple[str, Floats]:
    """Name and values of NAME=START:END:COUNT."""
    name, equals, values = text.partition("=")
    if not (name.strip() and equals):
        raise InputError(f"--over {text}: expected a name and values. Write --over speed=0:200:21.")
    return name.strip(), read_range(f"--over {name}", values)


def read_pair(text: str) -> tuple[str, str]:
    """Input and sensor of INPUT:SENSOR."""
    first, colon, second = text.partition(":")
    if not (first.strip() and colon and second.strip()):
        raise InputError(f"--frf {text}: expected an input and a sensor. Write --frf push.x:tip.")
    return first.strip(), second.strip()
