"""CalculiX (ccx) on a deck with *FREQUENCY: python benchmarks/peer_calculix.py DECK.inp prints cost and figures as JSON

Counted: the whole program, which reads the deck, assembles, factorises (SPOOLES), finds the modes (ARPACK) and writes
the frequencies. One thread.
"""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import time
from pathlib import Path

from own_process import answer

RIGID = 6
_LINE = re.compile(r"\s*\d+(\s+[-+.0-9E]+){4}\s*")


def program_version() -> str:
    said = subprocess.run(["ccx", "-v"], capture_output=True, text=True, timeout=60).stdout
    return said.split("Version")[-1].strip()


def frequencies(table: Path) -> list[float]:
    """[Hz] of the elastic modes in the .dat file"""
    eigenvalues = table.read_text().split("P A R T I C I P A T I O N")[0]
    return [float(line.split()[3]) for line in eigenvalues.splitlines() if _LINE.fullmatch(line)][RIGID:]


def main() -> None:
    deck = Path(sys.argv[1])
    version = program_version()
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        ["ccx", "-i", deck.stem], cwd=deck.parent, env=environment, capture_output=True, text=True, check=False
    )
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - start
    if done.returncode:
        raise SystemExit(f"ccx ended with exit code {done.returncode}: {done.stdout.strip().splitlines()[-1:]}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    answer(cpu=cpu, wall=wall, version=version, frequencies=frequencies(deck.with_suffix(".dat")))


if __name__ == "__main__":
    main()
