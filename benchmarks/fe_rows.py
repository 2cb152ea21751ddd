"""The rows of the finite element problems: assembly, Craig-Bampton modes, and free modes of large bodies."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from codes import Codes
from own_process import ask
from problems_fe import ASSEMBLY, CRAIG_BAMPTON, CURVED, MODES, Bar, write_arrays, write_craig_bampton
from report import MISSING, Row, at_least, at_most, ratio
from timing import best_alternating

METHOD = """
Finite elements: every code in a process of its own, CPU time of all its threads, minimum of repeats, the codes
alternating; flexmb's kernels are compiled before. Bars of tet10 cells in a regular lattice, the same arrays for every
code. Assembly: K of the displacements and M of one direction, exact quadrature; straight cells are the best case of the
peers, which know an affine map there. scikit-fem and flexmb start from arrays, NGSolve from its mesh; its K is that of
a space of dimension three, which is twice as fast as VectorH1. Peers are compared by total mass and by the strain
energy of a displacement of second degree.
Craig-Bampton: from the same K and M to the mode basis, two rigid interfaces; Exudyn's 6 static and 20 fixed-interface
modes, flexmb's 20 and 12, made orthogonal and free of rigid motions.
Free modes: factorisation and block Lanczos without the assembly; memory is the peak of the whole process. "Plain
install" is without `pymetis`.
"""

COUNT = 20
"""Modes"""


def seconds(value: float | None) -> str:
    return MISSING if value is None else f"{value:.3g} s"


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


def assembly_rows(codes: Codes, folder: Path, repeats: int) -> list[Row]:
    """K and M of 100,000 nodes, against scikit-fem and NGSolve."""
    rows = []
    for bar, cells in ((ASSEMBLY, "straight"), (CURVED, "curved")):
        path = write_arrays(bar, folder)
        scripts: dict[str, tuple[Any, ...]] = {}
        if codes.ours:
            scripts["flexmb"] = ("ours_fe.py", "assembly", path)
        if codes.has_skfem:
            scripts["scikit-fem"] = ("peer_skfem.py", path)
        if codes.has_ngsolve:
            scripts["NGSolve"] = ("peer_ngsolve.py", path)
        found = Measured(scripts, repeats)
        for peer, asked in (("scikit-fem", 4.0), ("NGSolve", 1.0)):
            mine, other = found.cpu.get("flexmb"), found.cpu.get(peer)
            note = f"{bar.n_nodes} nodes; difference in mass {found.difference(peer, 'mass')}, "
            note += f"energy {found.difference(peer, 'energy')}"
            case = f"(h) assembly of K and M, {cells} tet10, {peer}"
            target = at_least(asked, other, mine)
            rows.append(Row(case, seconds(mine), seconds(other), ratio(other, mine), target, note))
    return rows


def craig_bampton_rows(codes: Codes, folder: Path, repeats: int) -> list[Row]:
    """Craig-Bampton modes of 30,000 unknowns, against Exudyn."""
    bar = CRAIG_BAMPTON
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


def free_mode_rows(codes: Codes, folder: Path) -> list[Row]:
    """20 free modes of 300,000 and of a million unknowns; measured once, as they are long."""
    rows = []
    limits = [("300k", "METIS", 45.0, None), ("300k", "plain", 100.0, 5.0), ("1M", "METIS", 350.0, 24.0)]
    for size, install, longest, largest in limits:
        bar: Bar = MODES[size]
        road = "plain install" if install == "plain" else "with pymetis"
        case = f"(j) 20 free modes, {3 * bar.n_nodes} unknowns, {road}"
        if not codes.ours or (install == "METIS" and not codes.has_metis):
            rows.append(Row(case, MISSING, "", "", f"<= {longest:g} s"))
            continue
        found = ask("ours_fe.py", "free-modes", write_arrays(bar, folder), COUNT, install)
        target = at_most(longest, found["cpu"], "{:g} s".format)
        if largest is not None:
            target += ", " + at_most(largest, found["gigabytes"], "{:g} GB".format)
        note = (
            f"wall {found['wall']:.0f} s, peak {found['gigabytes']:.1f} GB, factor {found['factor_gigabytes']:.1f} GB "
        )
        note += f"({found['ordering']}), assembly {found['assembly']['cpu']:.1f} s, "
        note += f"first mode {found['frequencies'][0]:.5g} Hz, largest residual {found['residual']:.0e}"
        rows.append(Row(case, seconds(found["cpu"]), "", "", target, note))
    return rows


def measure(codes: Codes, repeats: int) -> list[Row]:
    """All rows of the finite element problems."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        few = max(1, repeats // 2)
        rows = assembly_rows(codes, folder, few)
        rows += craig_bampton_rows(codes, folder, few)
        return rows + free_mode_rows(codes, folder)
