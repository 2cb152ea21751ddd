"""The rows of linearised equations and modes of mechanisms: 50 bodies in joint and absolute coordinates, and 501.

python benchmarks/linear_rows.py      prints them
"""

from __future__ import annotations

from typing import Any

from codes import Codes
from report import MISSING, Row, as_text, at_most, ratio

METHOD = """
Linearised equations and all modes with their participation, of a prepared model: a chain of links that hang below each
other (as many degrees of freedom as links), and the closed train of four-bars (one, three rows of every loop
redundant). Least CPU time of some calls. Peer: Exudyn's `ComputeODE2Eigenvalues` on its kinematic tree, frequencies
alone.
"""
WANTED = 0.03


def measure(codes: Codes, repeats: int) -> list[Row]:
    """The chain and the train of 50 bodies, and the train of 501 bars."""
    ours: Any = codes.ours_linear
    if ours is None:
        return [Row("(l) linearise and modes, 50 bodies", MISSING, "", "", f"<= {WANTED:g} s")]
    peer: Any = codes.exudyn_linear
    rows = []
    for kind, n, coordinates in (
        ("chain", 50, "joint"), ("chain", 50, "absolute"), ("train", 51, "joint"), ("train", 51, "absolute"),
        ("train", 501, "joint"), ("train", 501, "absolute"),
    ):  # fmt: skip
        mine, lowest, unknowns = ours.measured(kind, n, coordinates, repeats)
        other, note = None, f"{unknowns} coordinates and rows"
        if peer is not None and (kind, coordinates) == ("chain", "joint"):
            other, same = peer.chain_modes(n, repeats)
            note += f", lowest {lowest:.6g} Hz (peer {same:.6g})"
        target = at_most(WANTED, mine, _ms) if n < 100 else "for comparison"
        case = f"(l) linearise and modes, {kind} of {n}, {coordinates}"
        rows.append(Row(case, _ms(mine), "" if other is None else _ms(other), ratio(other, mine), target, note))
    return rows


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.3g} ms"


if __name__ == "__main__":
    print(as_text(measure(Codes(), 5)))
