"""The rows of starting: CPU time of whole commands, of flexmb installed from a wheel.

python benchmarks/start_rows.py      prints them
"""

from __future__ import annotations

import sys
from pathlib import Path

import start_time
from codes import Codes
from report import MISSING, Row, as_text, at_most, guarded, ratio

METHOD = """
CPU time of a whole process, user and system, from its start to its end, of flexmb installed from a wheel in a new
environment: `flexmb run` of examples/01_double_pendulum.toml as the first command after the installation, with empty
caches, then warm; `flexmb check`, `flexmb --help`; beside them `import numpy` in a process of its own, and a script of
Exudyn (a pendulum of one point mass, 1000 steps, the imports of its examples). In a copy of the folder of benchmarks
alone: the flexmb of that environment, noted as "not a fresh installation".
"""
TARGETS = {"run": 0.6, "check": 0.5, "--help": 0.15}
FIRST = 1.5


def measure(codes: Codes, repeats: int) -> list[Row]:
    """The first result, a run, a check, the help."""
    if not codes.ours:
        return [Row("(s) start of a command", MISSING, "", "", "")]
    return guarded("(s) start of a command", lambda: start_rows(codes, repeats))


def start_rows(codes: Codes, repeats: int) -> list[Row]:
    with start_time.installed() as (python, is_fresh):
        rows, found = [], {}
        if is_fresh:
            found["first"] = start_time.cpu_seconds(
                python, ["-m", "flexmb", *start_time.COMMANDS["run"]], 1, first=True
            )
        numpy = start_time.cpu_seconds(python, ["-c", "import numpy"], repeats)
        for verb, words in start_time.COMMANDS.items():
            found[verb] = start_time.cpu_seconds(python, ["-m", "flexmb", *words], repeats)
    here, peer = Path(sys.executable), None
    note = f"import numpy {numpy:.2f} s" + ("" if is_fresh else "; not a fresh installation")
    if codes.exudyn:
        peer, lean = (
            start_time.cpu_seconds(here, ["-c", text], repeats) for text in (start_time.PENDULUM, start_time.LEAN)
        )
        note += f"; Exudyn with as few imports as it takes {lean:.2f} s"
    for verb, seconds in found.items():
        title = "(s) first result after the installation" if verb == "first" else f"(s) flexmb {verb}, warm"
        other = peer if verb in ("first", "run") else None
        limit = at_most(FIRST if verb == "first" else TARGETS[verb], seconds, "{:g} s".format)
        if verb == "run":
            limit += ", " + at_most(4.0, seconds / numpy, "{:g} x import numpy".format)
        rows.append(Row(title, f"{seconds:.2f} s", _seconds(other), ratio(other, seconds), limit, note))
    return rows


def _seconds(value: float | None) -> str:
    return "" if value is None else f"{value:.2f} s"


if __name__ == "__main__":
    print(as_text(measure(Codes(False), 5)))
