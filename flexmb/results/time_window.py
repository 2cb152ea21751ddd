"""Rows of a result within a window of time."""

from __future__ import annotations

import numpy as np

from flexmb.errors import Fault, InputError
from flexmb.results.result_file import Result

_SLACK = 1e-9


def rows_within(result: Result, start: float | None, end: float | None) -> tuple[int, int]:
    """First row and the one after the last from `start` to `end` [s]; None: from the first, to the last.

    Raises InputError when there are none.
    """
    time = result.time
    if not len(time):
        raise InputError(f"'{result.path}' has no complete rows.")
    first = time[0] if start is None else start
    last = time[-1] if end is None else end
    slack = _SLACK * max(abs(time[0]), abs(time[-1]), 1e-300)
    within = np.flatnonzero((time >= first - slack) & (time <= last + slack))
    if not len(within):
        text = f"there are no rows from t = {first:g} to {last:g} s in '{result.path}'"
        raise InputError([Fault(f"{text}: it goes from {time[0]:g} to {time[-1]:g} s.")])
    return int(within[0]), int(within[-1]) + 1
