"""The rows of large closed mechanisms: a train of four-bars through model files, in joint and absolute coordinates.

python benchmarks/train_rows.py      prints them
"""

from __future__ import annotations

from typing import Any

from codes import Codes
from report import MISSING, Row, as_text, at_most
from timing import fitted_exponent

METHOD = """
Closed train of four-bars: rockers of 1 m on ground, joined by couplers at their tips, all joints revolute, three rows
of every loop redundant; read from a model file, prepared, and integrated by generalized-alpha (1 ms, rho = 0.8), each
size in a process of its own. Preparation is the CPU time from the checked model to a consistent start; a step is the
least CPU time of some runs without output rows.
"""
ABSOLUTE = (101, 251, 501, 1001, 2001)


def measure(codes: Codes, repeats: int) -> list[Row]:
    """501 bars in joint coordinates, 101 in absolute ones, and the growth to 2001 bars."""
    ours: Any = codes.ours_train
    if ours is None:
        return [Row("(t) closed train of four-bars", MISSING, "", "", "<= n^1.15")]
    joint = ours.measured(501, "joint", repeats)
    rows = [
        Row("(t) closed train, 501 bars, joint: step", _us(joint["step"]), "", "", at_most(700e-6, joint["step"], _us)),
        Row("      preparation", _s(joint["prepare"]), "", "", at_most(0.5, joint["prepare"], _s)),
    ]
    found = {n: ours.measured(n, "absolute", repeats) for n in ABSOLUTE}
    costs = [found[n]["step"] for n in ABSOLUTE]
    exponent = fitted_exponent(list(ABSOLUTE), costs)
    listed = ", ".join(f"{n}: {_us(cost)}" for n, cost in zip(ABSOLUTE, costs, strict=True))
    bound = at_most(1.15, exponent, "n^{:g}".format)
    rows += [
        Row("      101 bars, absolute: step", _us(costs[0]), "", "", at_most(400e-6, costs[0], _us)),
        Row("      101 to 2001 bars, absolute", f"n^{exponent:.3f}", "", "", bound, listed),
        Row(
            "      2001 bars, absolute: memory",
            f"{found[2001]['memory']:.0f} MB",
            "",
            "",
            at_most(500.0, found[2001]["memory"], "{:.0f} MB".format),
        ),
    ]
    return rows


def _us(seconds: float) -> str:
    return f"{1e6 * seconds:.0f} us"


def _s(seconds: float) -> str:
    return f"{seconds:.2g} s"


if __name__ == "__main__":
    print(as_text(measure(Codes(), 3)))
