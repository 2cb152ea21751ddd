"""The rows of shells: assembly and modes of a plate of 100,000 unknowns, against scikit-fem and CalculiX."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from codes import Codes
from fe_rows import Measured, seconds
from problems_shell import PLATE, SMALL, Plate, write_deck, write_plate
from report import MISSING, Row, at_least, guarded, ratio

METHOD = """
A free square plate, 1 m x 1 m x 10 mm, of four-node cells with six unknowns a node: 20 elastic modes. Every code in a
process of its own, CPU time, minimum of repeats, the codes alternating; flexmb's kernels are compiled before. What is
compared is not the same element. flexmb: a general shell (MITC4 with drilling). scikit-fem has no shell; its part is a
flat Reissner-Mindlin plate with the same unknowns (membrane, drilling, shear nearly at one point), which knows that it
is flat: K and M from arrays, modes by SciPy's eigsh with SuperLU in its symmetric mode (the faster of two). CalculiX
turns S4 into solids C3D8I with two nodes across, which makes as many unknowns; both programs read the same deck and
find the modes (CalculiX: the whole program, SPOOLES and ARPACK). The notes give the differences from flexmb's
frequencies.
"""

COUNT = 20
"""Elastic modes"""


def shell_row(case: str, asked: float, ours: tuple[Any, ...], peer: tuple[Any, ...] | None, repeats: int) -> list[Row]:
    """One task of flexmb and a peer; no peer: it is not installed."""
    scripts = {"flexmb": ours} | ({} if peer is None else {"peer": peer})
    found = Measured(scripts, repeats)
    mine, other = found.cpu["flexmb"], found.cpu.get("peer")
    facts = []
    if found.fact("peer", "frequencies"):
        facts.append(f"largest difference in frequency {found.difference('peer', 'frequencies')}")
    if found.fact("peer", "version"):
        facts.append(f"version {found.fact('peer', 'version')}")
    target = at_least(asked, other, mine)
    peer_time = MISSING if peer is None else seconds(other)
    return [Row(case, seconds(mine), peer_time, ratio(other, mine), target, "; ".join(facts))]


def rows_of(codes: Codes, plate: Plate, folder: Path, repeats: int) -> list[Row]:
    """All rows of a plate."""
    size = f"{6 * plate.n_nodes} unknowns"
    names = {
        "assembly": f"(s) shell: assembly of K and M, {size}, scikit-fem",
        "modes": f"(s) shell: assembly and {COUNT} modes, {size}, scikit-fem",
        "deck": f"(s) shell: {COUNT} modes of a deck, {size}, CalculiX",
    }
    if not codes.ours:
        return [Row(name, MISSING, "", "", "") for name in names.values()]
    arrays, deck = write_plate(plate, folder), write_deck(plate, COUNT, folder)
    script = "peer_skfem_shell.py"
    tasks: list[tuple[str, float, tuple[Any, ...], tuple[Any, ...] | None]] = [
        ("assembly", 4.0, (arrays,), (script, "assembly", arrays) if codes.has_skfem else None),
        ("modes", 4.0, (arrays, COUNT), (script, "modes", arrays, COUNT) if codes.has_skfem else None),
        ("deck", 1.0, (deck, COUNT), ("peer_calculix.py", deck) if codes.has_calculix else None),
    ]
    rows = []
    for task, asked, arguments, peer in tasks:
        part = partial(shell_row, names[task], asked, ("ours_shell.py", task, *arguments), peer, repeats)
        rows += guarded(names[task], part)
    return rows


def measure(codes: Codes, repeats: int) -> list[Row]:
    """All rows of shells."""
    with tempfile.TemporaryDirectory() as folder:
        return rows_of(codes, SMALL if codes.quick else PLATE, Path(folder), max(1, repeats // 2))
