"""The rows of inverse dynamics: a sweep over two turns of the main example."""

from __future__ import annotations

from functools import partial
from typing import Any

from codes import Codes
from problems_flexible import FLEXIBLE_SLIDER_CRANK
from report import MISSING, Row, at_most, guarded, milliseconds
from timing import best_alternating

METHOD = """
Inverse sweep: two turns of the flexible slider-crank at given speed, the effort of the drive and the reactions of all
joints in every row, rows kept in memory; CPU time from the built system to the last row. The rod is integrated with one
step a row (the default), or in balance at every row, or rigid.
"""

INSTANTS = 2000
LONGEST = 0.050
"""[s] of CPU time that a sweep may take."""


def measure(codes: Codes, repeats: int) -> list[Row]:
    """All methods of inverse dynamics."""
    case = f"(k) inverse sweep of the flexible slider-crank, {INSTANTS} instants, all reactions"
    ours = codes.ours_inverse
    if not ours:
        return [Row(case, MISSING, "", "", at_most(LONGEST, None, milliseconds))]

    return guarded(case, lambda: sweep_rows(case, ours, repeats))


def sweep_rows(case: str, ours: Any, repeats: int) -> list[Row]:
    def seconds(method: str, repeat: int) -> float:
        return float(ours.sweep(method, FLEXIBLE_SLIDER_CRANK, INSTANTS, 1 + 1e-9 * repeat)[0])

    best = best_alternating({method: partial(seconds, method) for method in ours.METHODS}, repeats)
    rows = []
    for number, (method, found) in enumerate(best.items()):
        name = case if number == 0 else "      the same"
        rows.append(Row(f"{name}, {method}", milliseconds(found), "", "", at_most(LONGEST, found, milliseconds)))
    return rows
