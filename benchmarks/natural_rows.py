"""The rows of natural coordinates: cost of an implicit step of a long linkage against the number of its bars.

python benchmarks/natural_rows.py      prints them
"""

from __future__ import annotations

from typing import Any

from codes import Codes
from report import MISSING, Row, as_text, at_most
from timing import fitted_exponent

METHOD = """
Natural coordinates: a chain of uniform bars that hang on each other at ball joints, let go in a wavy line; a step of
generalized-alpha (1 ms, rho = 0.8, multipliers, sparse) in natural coordinates (three a bar), the least CPU time of
some steps. Beside it the same chain with revolute joints in the core: joint coordinates (no constraint rows), and
absolute coordinates (six a bar, five rows a joint, full matrices). Exponents are fitted over all sizes given.
"""
NATURAL, JOINT, ABSOLUTE = (100, 200, 500, 1000, 2000), (30, 100, 300), (10, 20, 40)


def measure(codes: Codes, repeats: int) -> list[Row]:
    """Natural coordinates from 100 to 2000 bars, then the core in its own coordinates."""
    ours: Any = codes.ours_natural
    title = "(p) step of a long linkage, natural coordinates, 100 to 2000 bars"
    if ours is None:
        return [Row(title, MISSING, "", "", "<= n^1.15")]
    rows = []
    costs = [ours.natural_step(n, repeats) for n in NATURAL]
    exponent = fitted_exponent(list(NATURAL), costs)
    steep = fitted_exponent(list(NATURAL[2:]), costs[2:])
    note = f"{_listed(NATURAL, costs)}; from 500 bars on n^{steep:.3f}"
    rows.append(Row(title, f"n^{exponent:.3f}", "", "", at_most(1.15, max(exponent, steep), "n^{:g}".format), note))
    for word, sizes in (("joint", JOINT), ("absolute", ABSOLUTE)):
        costs = [ours.core_step(n, word, repeats) for n in sizes]
        found = f"n^{fitted_exponent(list(sizes), costs):.3f}"
        rows.append(
            Row(f"      the core in {word} coordinates", found, "", "", "for comparison", _listed(sizes, costs))
        )
    return rows


def _listed(sizes: tuple[int, ...], costs: list[float]) -> str:
    return ", ".join(f"{n}: {1e3 * cost:.3g} ms" for n, cost in zip(sizes, costs, strict=True))


if __name__ == "__main__":
    print(as_text(measure(Codes(), 5)))
