"""The rows of turbo: a step with generated code against the same step with the general kernels.

python benchmarks/turbo_rows.py      prints them
"""

from __future__ import annotations

from functools import partial
from typing import Any

from codes import Codes
from report import MISSING, Row, as_text, at_most, guarded, microseconds, ratio
from timing import loop_seconds

METHOD = """
Turbo: a step of `flexmb run --turbo` (code generated from the equations of the model, compiled by the C compiler) in
the first column, the same step with the general kernels in the second; both alternate within each repeat, with steps
that differ in the tenth digit. Cost of the whole run less a run of one step, over the steps. Generation and compilation
are wall times with an empty cache, nothing remembered. Difference: of the coordinates at the end of the run, relative
to the largest.
"""


def measure(codes: Codes, repeats: int) -> list[Row]:
    """Flexible and rigid examples; the step of the flexible one is asked to be short."""
    ours = codes.ours_turbo
    if ours is None:
        return [Row("(o) turbo step", MISSING, "", "", "<= 8 us")]
    rows = []
    for name, case in ours.CASES.items():
        rows += guarded(f"(o) turbo step, {name}", partial(turbo_rows, f"(o) turbo step, {name}", ours, case, repeats))
    return rows


def turbo_rows(title: str, ours: Any, case: Any, repeats: int) -> list[Row]:
    pair = ours.Pair(case)
    if not pair.turbo.is_used:
        return [Row(title, "-", "", "", "", pair.turbo.text)]
    runs = {way: partial(pair.seconds, way) for way in pair.systems}
    found = loop_seconds(runs, dict.fromkeys(runs, case.steps), repeats)
    fast, plain = (found[way] / (case.steps - 1) for way in ("turbo", "kernels"))
    target = "for comparison" if case.longest is None else at_most(case.longest, fast, microseconds)
    note = f"{pair.turbo.text.removeprefix('turbo: code of this model, ')}; difference {pair.difference():.0e}"
    return [Row(title, microseconds(fast), microseconds(plain), ratio(plain, fast), target, note)]


if __name__ == "__main__":
    print(as_text(measure(Codes(), 5)))
