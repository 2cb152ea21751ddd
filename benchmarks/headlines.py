"""The headlines of the last measurement, between the marks of docs/speed.md; the main ones also in the README."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from record import Section
from report import FAILED, markdown_table

ROOT = Path(__file__).resolve().parents[1]
README, SPEED = ROOT / "README.md", ROOT / "docs" / "speed.md"
BEGIN, END = "<!-- benchmarks: begin -->\n", "<!-- benchmarks: end -->"
HEAD = ["what", "peer", "flexmb", "peer", "ratio"]


class Headline(NamedTuple):
    """A row of a section by how its case begins, and what the tables call it."""

    section: str
    case: str
    what: str
    peer: str
    after: int = 0
    """Rows below it"""
    is_main: bool = False
    """Shown in the README too"""


EQUAL = "(q) two turns at an error of 0.03 mm, kept: 3 sines a plane"
HEADLINES = (
    Headline(
        "slider-crank",
        "(a) slider-crank, step, Exudyn bodies",
        "slider-crank, implicit step",
        "Exudyn, bodies and joints",
        is_main=True,
    ),
    Headline(
        "slider-crank",
        "(a) slider-crank, step, Exudyn bodies",
        "the same, 2 s at equal error",
        "Exudyn, bodies and joints",
        1,
    ),
    Headline(
        "chains", "(b) chain of 100, implicit step", "chain of 100 links, implicit step", "Exudyn, kinematic tree"
    ),
    Headline("kernels", "(c) chain of 100, inverse", "chain of 100 links, inverse dynamics", "pinocchio", is_main=True),
    Headline("kernels", "(c) chain of 100, forward", "chain of 100 links, forward dynamics", "pinocchio", is_main=True),
    Headline(
        "flexible",
        "(f) flexible slider-crank, step, Exudyn 4 ANCF",
        "flexible slider-crank, implicit step",
        "Exudyn, 4 ANCF cables",
        is_main=True,
    ),
    Headline(
        "flexible", "(f) flexible slider-crank, step, Exudyn floating frame, 8", "the same", "Exudyn, floating frame"
    ),
    Headline("work-precision", EQUAL, "the same, two turns at an error of 0.03 mm", "Exudyn, ANCF cables"),
    Headline("work-precision", f"{EQUAL}, order 2, turbo", "the same with generated code", "Exudyn, ANCF cables"),
    Headline(
        "flexible",
        "(g) chain of 10 flexible links",
        "chain of 10 flexible links, implicit step",
        "Exudyn, floating frames",
    ),
    Headline(
        "meshes",
        "(h) assembly of K and M, straight tet10, scikit-fem",
        "assembly of K and M, 100107 nodes, tet10",
        "scikit-fem",
    ),
    Headline("meshes", "(h) assembly of K and M, straight tet10, NGSolve", "the same", "NGSolve"),
    Headline("meshes", "(i) Craig-Bampton", "Craig-Bampton, 29403 unknowns", "Exudyn", is_main=True),
    Headline(
        "modes",
        "(j) 20 free modes, 101925 unknowns, plain",
        "20 free modes, 101925 unknowns",
        "SciPy's SuperLU",
        is_main=True,
    ),
    Headline("shells", "(s) shell: assembly of K and M", "assembly of shells, 16641 nodes", "scikit-fem, flat plate"),
    Headline("shells", "(s) shell: 20 modes of a deck", "20 modes of the same, from a deck", "CalculiX"),
    Headline(
        "symbolic", "(m) equations of the planar slider-crank", "equations of the planar slider-crank, printed", "sympy"
    ),
    Headline("symbolic", "(n) C code of the double pendulum", "C code of the double pendulum", "PyDy"),
)


def table(sections: dict[str, Section], headlines: Sequence[Headline] = HEADLINES) -> str:
    """The headlines that were measured against a peer."""
    lines = [HEAD]
    for headline in headlines:
        rows = sections[headline.section].rows if headline.section in sections else []
        first = next((k for k, row in enumerate(rows) if row.case.startswith(headline.case)), None)
        if first is None or first + headline.after >= len(rows):
            continue
        row = rows[first + headline.after]
        if row.ratio and row.ours != FAILED:
            lines.append([headline.what, headline.peer, row.ours, row.peer, row.ratio])
    return markdown_table(lines)


def write(sections: dict[str, Section]) -> bool:
    """Put the tables between the marks of both pages; False when a page has none."""
    main = [headline for headline in HEADLINES if headline.is_main]
    return all([_put(SPEED, table(sections)), _put(README, table(sections, main))])


def _put(path: Path, text: str) -> bool:
    page = path.read_text() if path.is_file() else ""  # none in a copy of this folder alone
    if BEGIN not in page or END not in page:
        return False
    head, rest = page.split(BEGIN, 1)
    path.write_text(f"{head}{BEGIN}{text}\n{END}{rest.split(END, 1)[1]}")
    return True
