"""The rows of free modes: meshes of 30,000 to a million unknowns, against SciPy's SuperLU, and how the cost grows."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from codes import Codes
from fe_rows import seconds
from own_process import ask
from problems_fe import MODES, SMALL, Bar, write_arrays
from report import MISSING, Row, at_most, guarded, ratio
from timing import fitted_exponent

METHOD = """
20 free modes of bars of tet10 cells: factorisation and block Lanczos without the assembly, CPU time of all threads,
each measured once in a process of its own with its kernels compiled; memory is the peak of that whole process. "Plain
install" is without `pymetis`: ordered by flexmb's own nested dissection. Peer: SciPy's SuperLU up to 100,000 unknowns
with the same search for modes, the faster of its default (COLAMD) and its symmetric mode (MMD_AT_PLUS_A). Exponents are
fitted over all sizes.
"""

COUNT = 20
"""Modes"""
METHODS = {"METIS": "with pymetis", "plain": "plain install"}
ORDERINGS = ("COLAMD", "MMD_AT_PLUS_A")
WITH_SUPERLU = ("30k", "100k")


class Limit(NamedTuple):
    """What a size may take."""

    seconds: float
    gigabytes: float | None = None


LIMITS = {
    ("300k", "METIS"): Limit(45.0),
    ("300k", "plain"): Limit(100.0, 5.0),
    ("1M", "METIS"): Limit(350.0, 24.0),
}
Answers = dict[tuple[str, str], dict[str, Any]]


def measure(codes: Codes, repeats: int) -> list[Row]:
    """Every size and method, then the growth of the parts."""
    sizes = {"small": SMALL} if codes.quick else MODES
    methods = [method for method in METHODS if method != "METIS" or codes.has_metis]
    rows: list[Row] = []
    found: Answers = {}
    with tempfile.TemporaryDirectory() as folder:
        for size, bar in sizes.items():
            for method in METHODS:
                case = f"(j) 20 free modes, {3 * bar.n_nodes} unknowns, {METHODS[method]}"
                if not codes.ours or method not in methods:
                    rows.append(Row(case, MISSING, "", "", ""))
                    continue
                with_peer = size in WITH_SUPERLU or codes.quick
                part = partial(mode_rows, case, size, method, bar, Path(folder), found, with_peer)
                rows += guarded(case, part)
    for method in methods:
        rows += guarded(f"(j) growth, {METHODS[method]}", partial(growth_rows, method, found))
    return rows


def asked(bar: Bar, folder: Path, method: str) -> dict[str, Any]:
    return ask("ours_fe.py", "free-modes", write_arrays(bar, folder), COUNT, method)


def mode_rows(case: str, size: str, method: str, bar: Bar, folder: Path, found: Answers, with_peer: bool) -> list[Row]:
    """One size with one ordering; SuperLU is asked once a size with each of its orderings."""
    if with_peer and (size, "SuperLU") not in found:
        answers = [asked(bar, folder, ordering) | {"ordering": ordering} for ordering in ORDERINGS]
        found[size, "SuperLU"] = min(answers, key=lambda answer: float(answer["cpu"]))
    mine = found[size, method] = asked(bar, folder, method)
    peer = found.get((size, "SuperLU"))
    other = None if peer is None else float(peer["cpu"])
    limit = LIMITS.get((size, method))
    target = "for comparison"
    if limit is not None:
        target = at_most(limit.seconds, mine["cpu"], "{:g} s".format)
        if limit.gigabytes is not None:
            target += ", " + at_most(limit.gigabytes, mine["gigabytes"], "{:g} GB".format)
    return [Row(case, seconds(mine["cpu"]), seconds(other), ratio(other, mine["cpu"]), target, facts(mine, peer))]


def facts(mine: dict[str, Any], peer: dict[str, Any] | None) -> str:
    """Time of the clock, memory and parts."""
    note = f"wall {mine['wall']:.3g} s, peak {mine['gigabytes']:.2g} GB"
    if peer is not None:
        note += f" (SuperLU, {peer['ordering']}: {peer['gigabytes']:.2g} GB)"
    note += f", factor {mine['bytes'] / 1e9:.2g} GB of {mine['flops'] / 1e9:.3g} Gflop ({mine['ordering']}) "
    note += f"in {mine['factorisation']['cpu']:.3g} s, assembly {mine['assembly']['cpu']:.2g} s, "
    return note + f"first mode {mine['frequencies'][0]:.5g} Hz, largest residual {mine['residual']:.0e}"


def growth_rows(method: str, found: Answers) -> list[Row]:
    """Exponents of the parts over all sizes."""
    answers = [answer for (_, way), answer in found.items() if way == method]
    if len(answers) < 3:
        return []
    unknowns = [int(answer["unknowns"]) for answer in answers]
    rows = []
    for part in ("assembly", "factorisation", "search"):
        exponent = fitted_exponent(unknowns, [float(answer[part]["cpu"]) for answer in answers])
        case = f"(j) growth of the {part}, {unknowns[0]} to {unknowns[-1]} unknowns, {METHODS[method]}"
        rows.append(Row(case, f"n^{exponent:.2f}", "", "", "for comparison"))
    return rows
