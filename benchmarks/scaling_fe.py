"""How the factorisation and the search for modes grow with the number of unknowns.

    python benchmarks/scaling_fe.py [--largest 1M] [--superlu 100k]      prints a table and writes it to SCALING.md
    python benchmarks/scaling_fe.py child SIZE METIS|plain|SuperLU       one line of it as JSON

20 free modes of bars of tet10 cells (length : width about 11 : 1). Every line comes from a process of its own, after
its kernels were compiled; CPU seconds of all threads, wall seconds, and the peak of the memory of the whole process.
"Plain" is an install without `pymetis`; SuperLU is SciPy's default (COLAMD) with the same search for modes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from own_process import answer, ask, cost_of
from problems_fe import MODES, WARM_UP, Bar

SIZES: dict[str, Bar] = {"30k": Bar((4, 4, 60)), "100k": Bar((7, 7, 75)), **MODES}
"""By the number of unknowns"""
OUTPUT = Path(__file__).with_name("SCALING.md")
TEXT = """Written by `python benchmarks/scaling_fe.py`: 20 free modes of bars of tet10 cells, seconds of all threads (of
the clock in brackets), each line measured once in a process of its own, kernels compiled. METIS: ordered by pymetis;
plain: by our own nested dissection; SuperLU: SciPy's default, with the same search for modes.

"""
ROADS = ("METIS", "plain", "SuperLU")
COUNT = 20
"""Modes"""


def child(size: str, road: str) -> None:
    if road == "plain":
        # Importing it now fails, as where it is not installed.
        sys.modules["pymetis"] = None  # type: ignore[assignment]
    from ours_fe import free_body_modes, model_of

    from flexmb.reduction.eigenmodes import lowest_modes
    from flexmb.reduction.free_body import FreeBody

    free_body_modes(model_of(WARM_UP.arrays()), 3)
    arrays = SIZES[size].arrays()
    assembly, model = cost_of(lambda: model_of(arrays))
    if road == "SuperLU":
        body = FreeBody(model_of(WARM_UP.arrays()), [])
        facts, (solve, R) = cost_of(lambda: superlu(model))
    else:
        facts, body = cost_of(lambda: FreeBody(model, []))
        solve, R = body.solve, body.R
    modes, found = cost_of(lambda: lowest_modes(model.mass_times, solve, 3 * len(model.points), count=COUNT, known=R))
    nnz = None if road == "SuperLU" else body.factor.nnz
    flops = None if road == "SuperLU" else body.factor.flops
    answer(
        unknowns=3 * len(model.points), assembly=assembly, factor=facts, modes=modes, nnz=nnz, flops=flops,
        solves=found.solves, first=found.frequencies[0], residual=float(found.residuals.max()),
    )  # fmt: skip


def superlu(model: Any) -> tuple[Any, Any]:
    """SciPy's sparse factorisation of the body held at six unknowns."""
    from scipy.linalg import qr
    from scipy.sparse.linalg import splu

    R = model.rigid_motions()
    R = R @ np.linalg.inv(np.linalg.cholesky(R.T @ model.mass_times(R))).T
    MR = model.mass_times(R)
    pins = qr(R.T, mode="r", pivoting=True)[1][:6]
    kept = np.setdiff1d(np.arange(len(R)), pins)
    factor = splu(model.K.tocsc()[kept][:, kept])

    def solve(f: Any) -> Any:
        f = f - MR @ (R.T @ f)
        u = np.zeros_like(f)
        u[kept] = factor.solve(f[kept])
        return u - R @ (MR.T @ u)

    return solve, R


def table(largest: str, superlu_up_to: str) -> Iterator[str]:
    """The lines of the table, as they are measured."""
    names = list(SIZES)
    yield "| unknowns | road | assembly CPU | factor CPU (wall) | modes CPU (wall) | CPU | peak GB | entries | Gflop |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for size in names[: names.index(largest) + 1]:
        for road in ROADS:
            if road == "SuperLU" and names.index(size) > names.index(superlu_up_to):
                continue
            found = ask("scaling_fe.py", "child", size, road)
            factor, modes = found["factor"], found["modes"]
            entries = "" if found["nnz"] is None else f"{found['nnz'] / 1e6:.1f}M"
            flops = "" if found["flops"] is None else f"{found['flops'] / 1e9:.0f}"
            yield (
                f"| {found['unknowns']} | {road} | {found['assembly']['cpu']:.1f} "
                f"| {factor['cpu']:.1f} ({factor['wall']:.1f}) | {modes['cpu']:.1f} ({modes['wall']:.1f}) "
                f"| {factor['cpu'] + modes['cpu']:.1f} | {found['gigabytes']:.2f} | {entries} | {flops} |"
            )


def main() -> None:
    if sys.argv[1:2] == ["child"]:
        child(*sys.argv[2:4])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--largest", choices=SIZES, default="1M")
    parser.add_argument("--superlu", choices=SIZES, default="100k", help="largest size for SuperLU")
    options = parser.parse_args()
    lines = []
    for line in table(options.largest, options.superlu):
        print(line, flush=True)
        lines.append(line)
    OUTPUT.write_text("# Factorisation and modes against the number of unknowns\n\n" + TEXT + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
