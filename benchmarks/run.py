"""Measure flexmb against its peers; print the tables, write RESULTS.md, results.json and the tables of the documents.

    python benchmarks/run.py                    everything, about half an hour on an idle machine with 18 GB free
    python benchmarks/run.py --only NAME ...    these sections anew, the others of RESULTS.md stay as they are
    python benchmarks/run.py --quick            small problems, few repeats: does it work? Writes nothing
    python benchmarks/run.py --list             the sections, and how long each took the last time

Every section is measured in a process of its own and recorded when it is done. A code that is not installed leaves its
cells empty; what fails is marked as failed with its message, the rest goes on, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from datetime import date
from typing import NamedTuple

import beam_rows
import compile_rows
import fe_rows
import flexible_rows
import headlines
import inverse_rows
import light_rows
import linear_rows
import mode_rows
import natural_rows
import picture_rows
import record
import rigid_rows
import shell_rows
import start_rows
import symbolic_rows
import train_rows
import tree_rows
import turbo_rows
import work_precision
import work_precision_diagram
from codes import Codes
from machine import commit, load, machine
from own_process import answer, ask
from report import Row, as_text, failure
from work_precision_table import Found, points_table

GENERAL = """
CPU time of one thread where nothing else is said (the linear algebra of NumPy has one as well), minimum of repeats, the
codes alternating within each repeat with equal numbers of repeats, inputs perturbed from repeat to repeat. A cost per
step is a long run minus a short one, over the steps between, so that setting up does not count. All implicit runs:
generalized-alpha, rho = 0.8, fixed step, no output in between.

Exudyn: its build without range checks, one thread, its own Newton tolerances (1e-8 relative, 1e-10 absolute), whichever
of full and modified Newton is the faster for the model. flexmb ends its iterations when what is left is a small share
of the error of the step. The nearest to that are the rows "loose Newton": Exudyn at its best speed, with tolerances of
1e-3 and 1e-5 (slider-cranks) or 1e-4 and 1e-6 (chains), at which it takes one or two iterations a step and its error
grows as noted.

Limits: one machine, few problems, most of them those that flexmb was made for; the models of the peers were written by
the authors of flexmb, tuned as their files say, and not seen by the authors of the peers.
"""


class Measurement(NamedTuple):
    """A section of RESULTS.md."""

    title: str
    method: str
    measure: Callable[[Codes, int], list[Row] | Found]
    one_thread: bool = True


MEASUREMENTS: dict[str, Measurement] = {
    "slider-crank": Measurement("Rigid slider-crank", rigid_rows.SLIDER_CRANK_METHOD, rigid_rows.slider_crank),
    "chains": Measurement("Chains of rigid links", rigid_rows.CHAINS_METHOD, rigid_rows.chains),
    "kernels": Measurement("Inverse and forward dynamics of a tree", tree_rows.KERNELS_METHOD, tree_rows.tree_kernels),
    "growth": Measurement("Growth with the number of links", tree_rows.GROWTH_METHOD, tree_rows.growth),
    "compilation": Measurement("Compilation", compile_rows.METHOD, compile_rows.measure, False),
    "start": Measurement("Start of a command", start_rows.METHOD, start_rows.measure, False),
    "light": Measurement("Light runs", light_rows.METHOD, light_rows.measure),
    "flexible": Measurement("Flexible mechanisms, cost of a step", flexible_rows.METHOD, flexible_rows.measure),
    "beams": Measurement("Rotating shaft and meshed rod, cost of a step", beam_rows.METHOD, beam_rows.measure),
    "work-precision": Measurement(
        "Flexible slider-crank, error against time", work_precision.METHOD, work_precision.measure
    ),
    "meshes": Measurement("Assembly and Craig-Bampton modes of meshes", fe_rows.METHOD, fe_rows.measure, False),
    "modes": Measurement("Free modes of large meshes", mode_rows.METHOD, mode_rows.measure, False),
    "shells": Measurement("Assembly and modes of shells", shell_rows.METHOD, shell_rows.measure, False),
    "linear": Measurement("Linearised equations and modes of mechanisms", linear_rows.METHOD, linear_rows.measure),
    "inverse": Measurement("Inverse dynamics", inverse_rows.METHOD, inverse_rows.measure),
    "symbolic": Measurement("Equations in symbols and their code", symbolic_rows.METHOD, symbolic_rows.measure),
    "turbo": Measurement("Turbo", turbo_rows.METHOD, turbo_rows.measure),
    "natural": Measurement("Natural coordinates", natural_rows.METHOD, natural_rows.measure),
    "train": Measurement("Large closed mechanisms", train_rows.METHOD, train_rows.measure),
    "pictures": Measurement("Pages, animations and frames", picture_rows.METHOD, picture_rows.measure, False),
}
TITLES = {name: (found.title, found.method) for name, found in MEASUREMENTS.items()}
REPEATS, QUICK_REPEATS = 5, 2


def measure_here(name: str, repeats: int, quick: bool) -> None:
    """Measure one section in this process and print what it found as a line of JSON."""
    found = MEASUREMENTS[name].measure(Codes(quick), repeats)
    if not isinstance(found, Found):
        found = Found(found, [])
    answer(rows=[asdict(row) for row in found.rows], points=[asdict(point) for point in found.points])


def section_of(name: str, repeats: int, quick: bool) -> record.Section:
    """A section measured in a process of its own; one row that says so when that process fails."""
    before, start = load(), time.perf_counter()
    try:
        words = ["--measure", name, "--repeats", repeats, *(["--quick"] if quick else [])]
        found = ask("run.py", *words, one_thread=MEASUREMENTS[name].one_thread)
    except RuntimeError as error:
        found = {"rows": [asdict(failure(MEASUREMENTS[name].title, str(error)))]}
    return record.section(
        name,
        {
            "date": date.today().isoformat(),
            "commit": commit(),
            "load": round(before, 2),
            "repeats": repeats,
            "seconds": round(time.perf_counter() - start, 1),
            "machine": machine(),
            "rows": found["rows"],
            "points": found.get("points", []),
        },
    )


def print_section(section: record.Section) -> None:
    print(f"\n{MEASUREMENTS[section.name].title} ({section.seconds:.0f} s)\n{as_text(section.rows)}", flush=True)
    if section.points:
        print(points_table(section.points), flush=True)


def measure_all(names: list[str], quick: bool) -> dict[str, record.Section]:
    """Measure the sections one after the other; each is recorded at once, unless it was quick."""
    measured: dict[str, record.Section] = {}
    known = record.read()
    for number, name in enumerate(names, 1):
        last = f"{known[name].seconds:.0f} s the last time" if name in known else "not measured before"
        rest = sum(known[other].seconds for other in names[number - 1 :] if other in known) / 60
        left = "" if quick else f", about {rest:.0f} min left"
        print(f"[{number}/{len(names)}] {name} ... ({last}{left})", file=sys.stderr, flush=True)
        measured[name] = section_of(name, QUICK_REPEATS if quick else REPEATS, quick)
        print_section(measured[name])
        if not quick:
            write_all(record.read() | measured)
    return measured


def write_all(sections: dict[str, record.Section]) -> None:
    """RESULTS.md, results.json, the work-precision diagram, and the headlines of docs/speed.md and README."""
    record.write(sections, TITLES, GENERAL)
    for section in sections.values():
        if section.points:
            work_precision_diagram.draw(section.points)
    headlines.write(sections)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small problems and few repeats; writes nothing")
    parser.add_argument("--only", nargs="+", choices=list(MEASUREMENTS), metavar="NAME", help=", ".join(MEASUREMENTS))
    parser.add_argument("--list", action="store_true", help="list the sections and how long each took the last time")
    parser.add_argument("--page", action="store_true", help="write RESULTS.md and the diagram anew, measure nothing")
    parser.add_argument("--measure", choices=list(MEASUREMENTS), help=argparse.SUPPRESS)
    parser.add_argument("--repeats", type=int, default=REPEATS, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.measure:
        measure_here(chosen.measure, chosen.repeats, chosen.quick)
        return 0
    if chosen.list:
        known = record.read()
        for name, found in MEASUREMENTS.items():
            print(f"{name:16} {f'{known[name].seconds:.0f} s' if name in known else '-':>8}   {found.title}")
        return 0
    if chosen.page:
        write_all(record.read())
        return 0
    busy = load()
    if busy > record.BUSY:
        print(f"the machine is not idle ({busy:.1f} cores busy): times will scatter", file=sys.stderr)
    measured = measure_all(chosen.only or list(MEASUREMENTS), chosen.quick)
    print("\n" + "\n".join(record.summary_lines(measured)))
    return 1 if any(section.failures for section in measured.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
