"""The table of the README: the headlines of the last measurement, written between its two marks."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from record import Section
from report import FAILED, markdown_table

README = Path(__file__).resolve().parents[1] / "README.md"
BEGIN, END = "<!-- benchmarks: begin -->\n", "<!-- benchmarks: end -->"
HEAD = ["what", "peer", "flexmb", "peer", "ratio"]


class Headline(NamedTuple):
    """A row of a section by how its case begins, and what the README calls it."""

    section: str
    case: str
    what: str
    peer: str
    after: int = 0
    """Rows below it"""


EQUAL = "(q) two turns at an error of 0.03 mm, kept: 3 sines a plane"
HEADLINES = (
    Headline(
        "slider-crank",
        "(a) slider-crank, step, Exudyn bodies",
        "slider-crank, implicit step",
        "Exudyn, bodies and joints",
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
    Headline("kernels", "(c) chain of 100, inverse", "chain of 100 links, inverse dynamics", "pinocchio"),
    Headline("kernels", "(c) chain of 100, forward", "chain of 100 links, forward dynamics", "pinocchio"),
    Headline(
        "flexible",
        "(f) flexible slider-crank, step, Exudyn 4 ANCF",
        "flexible slider-crank, implicit step",
        "Exudyn, 4 ANCF cables",
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
    Headline("meshes", "(i) Craig-Bampton", "Craig-Bampton, 29403 unknowns", "Exudyn"),
    Headline("modes", "(j) 20 free modes, 101925 unknowns, plain", "20 free modes, 101925 unknowns", "SciPy's SuperLU"),
    Headline(
        "symbolic", "(m) equations of the planar slider-crank", "equations of the planar slider-crank, printed", "sympy"
    ),
    Headline("symbolic", "(n) C code of the double pendulum", "C code of the double pendulum", "PyDy"),
)


def table(sections: dict[str, Section]) -> str:
    """The headlines that were measured against a peer."""
    lines = [HEAD]
    for headline in HEADLINES:
        rows = sections[headline.section].rows if headline.section in sections else []
        first = next((k for k, row in enumerate(rows) if row.case.startswith(headline.case)), None)
        if first is None or first + headline.after >= len(rows):
            continue
        row = rows[first + headline.after]
        if row.ratio and row.ours != FAILED:
            lines.append([headline.what, headline.peer, row.ours, row.peer, row.ratio])
    return markdown_table(lines)


def write(sections: dict[str, Section], path: Path = README) -> bool:
    """Put the table between the marks of the README; False when it has none."""
    text = path.read_text()
    if BEGIN not in text or END not in text:
        return False
    head, rest = text.split(BEGIN, 1)
    path.write_text(f"{head}{BEGIN}{table(sections)}\n{END}{rest.split(END, 1)[1]}")
    return True
