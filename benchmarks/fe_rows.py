"""The rows of the finite element problems: assembly and Craig-Bampton modes."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from codes import Codes
from own_process import ask
from problems_fe import ASSEMBLY, BLOCK, CRAIG_BAMPTON, CURVED, MODES, SMALL, Bar, write_arrays, write_craig_bampton
from report import MISSING, Row, at_least, at_most, guarded, ratio
from timing import best_alternating

METHOD = """
Finite elements: every code in a process of its own, CPU time of all its threads, minimum of repeats, the codes
alternating; flexmb's kernels are compiled before. Bars of tet10 cells in a regular lattice, the same arrays for every
code. Assembly: K of the displacements and M of one direction, exact quadrature; straight cells are the best case of the
peers, which know an affine map there. scikit-fem and flexmb start from arrays, NGSolve from its mesh; its K is that of
a space of dimension three, which is twice as fast as VectorH1. Peers are compared by total mass and by the strain
energy of a displacement of second degree.
Craig-Bampton: from the same K and M to the mode basis, two rigid interfaces; Exudyn's 6 static and 20 fixed-interface
modes, flexmb's 20 and 12, made orthogonal and free of rigid motions. Exudyn factorises by SciPy's SuperLU, flexmb by
its own sparse factorisation: that is most of the ratio.
Second-order field: of a bar between two rigid interfaces, from its component modes to the displacements of all pairs.
Whole reduction (only in full runs; some minutes): of a block that is nearly a cube, from the arrays of the mesh to the
body with its quadratic field, the comparison with the full model and the estimate of the discretisation error; peak
memory of the process.
"""

COUNT = 20
"""Modes"""
LONGEST_FIELD = 4.0
"""[s] that the second-order field of 102,000 unknowns may take"""
LONGEST_REDUCTION, LARGEST_REDUCTION = 400.0, 12.0
"""[s], [GB] that the reduction of 575,000 unknowns may take"""


def seconds(value: float | None) -> str:
    """Empty for a code that is not installed."""
    return "" if value is None else f"{value:.3g} s"


def gigabytes(value: float | None) -> str:
    """Empty when it was not measured."""
    return "" if value is None else f"{value:.3g} GB"


class Measured:
    """Smallest CPU time of every code, and what else it answered last."""

    def __init__(self, scripts: Mapping[str, tuple[Any, ...]], repeats: int):
        self.answers: dict[str, dict[str, Any]] = {}
        tasks = {name: partial(self._once, name, question) for name, question in scripts.items()}
        self.cpu = best_alternating(tasks, repeats)

    def _once(self, name: str, question: tuple[Any, ...], repeat: int) -> float:
        self.answers[name] = ask(*question)
        return float(self.answers[name]["cpu"])

    def fact(self, name: str, key: str) -> Any:
        """None when the code was not measured."""
        return self.answers.get(name, {}).get(key)

    def difference(self, name: str, key: str) -> str:
        """Largest relative difference from flexmb."""
        ours, peer = self.fact("flexmb", key), self.fact(name, key)
        if ours is None or peer is None:
            return "-"
        ours, peer = np.atleast_1d(ours), np.atleast_1d(peer)
        return f"{np.max(np.abs(peer - ours) / np.abs(ours)):.0e}"


def assembly_rows(codes: Codes, bar: Bar, cells: str, folder: Path, repeats: int) -> list[Row]:
    """K and M, against scikit-fem and NGSolve."""
    path = write_arrays(bar, folder)
    scripts: dict[str, tuple[Any, ...]] = {}
    if codes.ours:
        scripts["flexmb"] = ("ours_fe.py", "assembly", path)
    if codes.has_skfem:
        scripts["scikit-fem"] = ("peer_skfem.py", path)
    if codes.has_ngsolve:
        scripts["NGSolve"] = ("peer_ngsolve.py", path)
    found = Measured(scripts, repeats)
    rows = []
    for peer, asked in (("scikit-fem", 4.0), ("NGSolve", 1.0)):
        mine, other = found.cpu.get("flexmb"), found.cpu.get(peer)
        note = f"{bar.n_nodes} nodes; difference in mass {found.difference(peer, 'mass')}, "
        note += f"energy {found.difference(peer, 'energy')}"
        case = f"(h) assembly of K and M, {cells} tet10, {peer}"
        target = at_least(asked, other, mine)
        rows.append(Row(case, seconds(mine), seconds(other), ratio(other, mine), target, note))
    return rows


def craig_bampton_rows(codes: Codes, bar: Bar, folder: Path, repeats: int) -> list[Row]:
    """Craig-Bampton modes, against Exudyn."""
    case = "(i) Craig-Bampton, 2 interfaces, 20 modes, Exudyn"
    if not codes.ours:
        return [Row(case, MISSING, "", "", ">= 5x")]
    from ours_fe import model_of

    model = model_of(bar.arrays())
    path = write_craig_bampton(bar, COUNT, model.K, model.M, folder)
    scripts: dict[str, tuple[Any, ...]] = {"flexmb": ("ours_fe.py", "craig-bampton", path)}
    if codes.exudyn:
        scripts["Exudyn"] = ("peer_exudyn_cb.py", path)
    found = Measured(scripts, repeats)
    mine, other = found.cpu["flexmb"], found.cpu.get("Exudyn")
    note = f"{3 * bar.n_nodes} unknowns; difference in the fixed-interface frequencies "
    note += found.difference("Exudyn", "frequencies")
    return [Row(case, seconds(mine), seconds(other), ratio(other, mine), at_least(5.0, other, mine), note)]


def second_order_rows(codes: Codes, bar: Bar, folder: Path, repeats: int) -> list[Row]:
    """The second-order field of a body; no other code has one."""
    case = f"(i) second-order field, {3 * bar.n_nodes} unknowns, 2 interfaces"
    if not codes.ours:
        return [Row(case, MISSING, "", "", at_most(LONGEST_FIELD, None, seconds))]
    found = Measured({"flexmb": ("ours_fe.py", "second-order", write_arrays(bar, folder))}, repeats)
    mine = found.cpu["flexmb"]
    note = (
        f"{found.fact('flexmb', 'shapes')} shapes; assembly and modes before it {found.fact('flexmb', 'before'):.3g} s"
    )
    return [Row(case, seconds(mine), "", "", at_most(LONGEST_FIELD, mine, seconds), note)]


def reduction_rows(codes: Codes, bar: Bar, folder: Path) -> list[Row]:
    """A whole reduction, once: CPU time and peak memory; no other code has one."""
    name = f"(i) whole reduction, {3 * bar.n_nodes} unknowns, quadratic field"
    asked = at_most(LONGEST_REDUCTION, None, seconds), at_most(LARGEST_REDUCTION, None, gigabytes)
    if not codes.ours:
        return [Row(f"{name}, {kind}", MISSING, "", "", at) for kind, at in zip(("time", "memory"), asked, strict=True)]
    found = Measured({"flexmb": ("ours_fe.py", "reduction", write_arrays(bar, folder))}, 1)
    cpu, peak = found.cpu["flexmb"], float(found.fact("flexmb", "gigabytes"))
    note = f"{found.fact('flexmb', 'shapes')} shapes; factor {found.fact('flexmb', 'factor'):.3g} GB"
    return [
        Row(f"{name}, time", seconds(cpu), "", "", at_most(LONGEST_REDUCTION, cpu, seconds), note),
        Row(f"{name}, memory", gigabytes(peak), "", "", at_most(LARGEST_REDUCTION, peak, gigabytes), note),
    ]


def measure(codes: Codes, repeats: int) -> list[Row]:
    """All rows of the finite element problems."""
    few = max(1, repeats // 2)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = []
        bars = {"small": SMALL} if codes.quick else {"straight": ASSEMBLY, "curved": CURVED}
        for cells, bar in bars.items():
            part = partial(assembly_rows, codes, bar, cells, folder, few)
            rows += guarded(f"(h) assembly of K and M, {cells} tet10", part)
        part = partial(craig_bampton_rows, codes, SMALL if codes.quick else CRAIG_BAMPTON, folder, few)
        rows += guarded("(i) Craig-Bampton, 2 interfaces, 20 modes, Exudyn", part)
        part = partial(second_order_rows, codes, SMALL if codes.quick else MODES["100k"], folder, few)
        rows += guarded("(i) second-order field", part)
        part = partial(reduction_rows, codes, SMALL if codes.quick else BLOCK, folder)
        return rows + guarded("(i) whole reduction", part)
