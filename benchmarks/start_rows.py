"""The rows of starting: CPU time of whole commands, warm.

python benchmarks/start_rows.py      prints them
"""

from __future__ import annotations

from functools import partial

import start_time
from codes import Codes
from report import MISSING, Row, as_text, at_most, guarded

METHOD = """
CPU time of a whole warm process, user and system, from its start to its end: `flexmb run` and `flexmb check` of
examples/01_double_pendulum.toml, and `flexmb --help`; beside it `import numpy` in a process of its own. The share of
numba (its import, the wrapping of kernels, the search for their machine code and its loading), measured inside another
process, is left out and noted: where kernels come from a library there is none.
"""
TARGETS = {"run": 0.6, "check": 0.5, "--help": 0.15}


def measure(codes: Codes, repeats: int) -> list[Row]:
    """A run, a check, the help."""
    if not codes.ours:
        return [Row("(s) start of a command", MISSING, "", "", "")]
    rows = []
    for verb in start_time.COMMANDS:
        title = f"(s) flexmb {verb}, without numba"
        rows += guarded(title, partial(start_row, title, verb, repeats))
    return rows


def start_row(title: str, verb: str, repeats: int) -> list[Row]:
    words = start_time.COMMANDS[verb]
    numpy = start_time.cpu_seconds(["-c", "import numpy"], repeats)
    whole = start_time.cpu_seconds(["-m", "flexmb", *words], repeats)
    numba = start_time.numba_seconds(words, repeats)
    seconds = whole - numba
    limit = at_most(TARGETS[verb], seconds, "{:g} s".format)
    note = f"import numpy {numpy:.2f} s; whole {whole:.2f} s, numba {numba:.2f} s"
    return [Row(title, f"{seconds:.2f} s", f"{numpy:.2f} s", f"{seconds / numpy:.2f} of it", limit, note)]


if __name__ == "__main__":
    print(as_text(measure(Codes(False), 5)))
