"""Runs killed without warning at random moments, as often as wanted: nothing that was complete may be lost.

    python -m tests.campaigns.kill_loop --count 200 --seed 1

Every run is a process of its own, killed (SIGKILL) at a random moment between its start and its end: one in ten before
its file is there (imports, start, creation of the file), the others while it is written. Then it is resumed, or begun
again over what it left, and killed again. After every kill the file has at least the rows that were complete before,
they are the bytes of an undisturbed run, and in the end so is the whole file.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path

import numpy as np

from flexmb.cli import main as flexmb
from flexmb.results.result_file import Result

EARLY = 0.1  # share of the kills before the file is there
IMPORTS = 2.0  # s that a process needs to begin
COMPARED = ("time", "coordinates/", "joints/", "bodies/", "motions/", "energy/", "sensors/")

LINKAGE = """
[model]
name = "slider-crank"
gravity = [0, -9.81, 0]
[points]
O = [0, 0, 0]
A = [0, 0.1, 0]
B = [0.3, 0, 0]
[bodies]
crank = { mass = 1, rod = ["O", "A"] }
rod = { mass = 1, rod = ["A", "B"] }
slider = { mass = 1, inertia = [0.1, 0.1, 0.1], at = "B" }
[joints]
bearing = { type = "revolute", bodies = ["ground", "crank"], at = "O", axis = "z", velocity = 20 }
big_end = { type = "revolute", bodies = ["crank", "rod"], at = "A", axis = "z" }
small_end = { type = "revolute", bodies = ["rod", "slider"], at = "B", axis = "z" }
guide = { type = "prismatic", bodies = ["ground", "slider"], at = "B", axis = "x" }
"""
BEAM = """
[model]
name = "beam"
gravity = [0, -9.81, 0]
[points]
O = [0, 0, 0]
A = [1, 0, 0]
[bodies.beam]
beam = ["O", "A"]
section = { type = "circle", radius = "10 mm" }
material = "steel"
shapes = { family = "modes", bending = 2, supports = "clamped-free" }
[joints]
bearing = { type = "revolute", bodies = ["ground", "beam"], at = "O", axis = "z", velocity = 5 }
"""
MODELS = {
    "implicit": f"{LINKAGE}[analysis]\nend = 4\nstep = 1e-4\n",
    "explicit": f"{LINKAGE}[analysis]\nend = 3\nmethod = 'rk45'\ntolerance = 1e-10\n[output]\nevery = 5e-4\n",
    "absolute": f"{LINKAGE}[coordinates]\ndefault = 'absolute'\n[analysis]\nend = 0.5\nstep = 2e-4\n",
    "natural": f"{LINKAGE}[coordinates]\ndefault = 'natural'\n[analysis]\nend = 0.1\nstep = 5e-4\n",
    "driven": f"{LINKAGE}[motions]\nturn = {{ joint = 'bearing', rate = 20 }}\n[analysis]\n"
    "type = 'kinematic'\nend = 1\nstep = 1e-3\n",
    "beam": f"{BEAM}[analysis]\nend = 2\nstep = 5e-4\n",
}


@dataclass
class Rehearsal:
    """A model, its undisturbed result and how long that took."""

    model: Path
    whole: dict[str, np.ndarray]
    before_file: float
    """Until the file stood under its name [s]."""
    with_file: float
    """From then on [s]."""

    @classmethod
    def of(cls, folder: Path, name: str) -> Rehearsal:
        model, output = folder / f"{name}.toml", folder / f"{name}_whole.h5"
        model.write_text(MODELS[name])
        assert flexmb(["run", str(model), "-o", str(output), "--quiet"]) == 0  # loads what the others then find loaded
        began = time.perf_counter()
        process = start(model, output)
        wait_for_file(process, output, inode(output))
        appeared = time.perf_counter()
        process.join(300)
        with Result(output) as result:
            assert result.outcome == "finished"
            whole = {path: result[path] for path in result.channels if path.startswith(COMPARED)}
        return cls(model, whole, appeared - began, time.perf_counter() - appeared)


@dataclass
class Tally:
    """What was seen."""

    kills: int = 0
    finished: int = 0
    left: Counter[str] = field(default_factory=Counter)
    """What the killed processes left behind: nothing, no block, some blocks, all."""


def start(model: Path, output: Path, *words: str, method: str = "fork") -> BaseProcess:
    """A process that runs the model; one that is forked has imports and compiled code already."""
    context = multiprocessing.get_context(method)
    process = context.Process(target=run, args=("run", str(model), "-o", str(output), "--quiet", *words))
    process.start()
    return process


def run(*words: str) -> None:
    sys.exit(flexmb(words))


def inode(path: Path) -> int | None:
    return path.stat().st_ino if path.exists() else None


def wait_for_file(process: BaseProcess, output: Path, before: int | None) -> None:
    """Wait until the process has put its own file in the place of the one before, or has ended."""
    while process.is_alive() and inode(output) == before:
        time.sleep(0.002)


def complete_rows(output: Path, whole: dict[str, np.ndarray]) -> int:
    """Rows that the file has, after comparing them with those of the undisturbed run."""
    if not output.exists():
        return 0
    with Result(output) as result:
        for path, expected in whole.items():
            found = result[path]
            assert found.tobytes() == expected[: result.n_rows].tobytes(), f"{output}: {path} differs"
        return result.n_rows


def disturb(rehearsal: Rehearsal, output: Path, chance: random.Random, tally: Tally, count: int) -> None:
    """Run, kill and resume until the run is finished or there were enough kills; then carry it to its end."""
    resume = False
    while True:
        before, file_before = complete_rows(output, rehearsal.whole) if resume else 0, inode(output)
        early = tally.kills < count and chance.random() < EARLY
        words = ["--resume"] if resume else []
        process = start(rehearsal.model, output, *words, method="spawn" if early else "fork")
        if tally.kills < count:
            if early:
                time.sleep(chance.uniform(0.0, rehearsal.before_file + IMPORTS))
            else:
                wait_for_file(process, output, file_before)
                time.sleep(chance.uniform(0.0, 0.7 * rehearsal.with_file))
            seen = len(Result(output)) if output.exists() else 0
            if process.is_alive():
                process.kill()
                tally.kills += 1
        process.join(300)
        rows, all_rows = complete_rows(output, rehearsal.whole), len(rehearsal.whole["time"])
        assert rows >= before, f"{output}: {before} rows were complete, {rows} are left"
        if process.exitcode == 0:
            assert rows == all_rows
            assert Result(output).outcome == "finished"
            tally.finished += 1
            return
        assert process.exitcode == -9, f"exit code {process.exitcode}"
        assert rows >= seen, f"{output}: {seen} rows were complete, {rows} are left"
        tally.left["nothing" if not output.exists() else "all rows" if rows == all_rows else "some rows"] += 1
        resume = output.exists() and Result(output).outcome != "finished"
        if resume and chance.random() < 0.2:  # begin again over what is there
            resume = False
            output.unlink() if chance.random() < 0.5 else None


def kill_loop(count: int, seed: int, folder: Path, names: list[str] | None = None) -> Tally:
    """At least `count` kills of runs of the named models (all of them by default)."""
    chance, tally = random.Random(seed), Tally()
    rehearsals = [Rehearsal.of(folder, name) for name in names or MODELS]
    number = 0
    while tally.kills < count:
        rehearsal = rehearsals[number % len(rehearsals)]
        output = folder / f"{rehearsal.model.stem}.h5"  # every other time over an earlier, finished result
        if number // len(rehearsals) % 2:
            output.unlink(missing_ok=True)
        disturb(rehearsal, output, chance, tally, count)
        number += 1
        left = ", ".join(f"{kind}: {n}" for kind, n in sorted(tally.left.items()))
        print(f"{tally.kills} kills, {tally.finished} runs finished ({left})", flush=True)
    return tally


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--model", action="append", choices=list(MODELS))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kill-loop-") as folder:
        kill_loop(options.count, options.seed, Path(folder), options.model)
    print("0 complete blocks lost")


if __name__ == "__main__":
    main()
