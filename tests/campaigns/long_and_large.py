"""Long runs and large models, measured: time, memory, and whether memory stays what it was.

    python -m tests.campaigns.long_and_large steps          10 million steps with few rows
    python -m tests.campaigns.long_and_large rows           a million rows
    python -m tests.campaigns.long_and_large bodies         a chain of 1000 bodies
    python -m tests.campaigns.long_and_large mesh           a body of 100 000 nodes: reduced, run, animated
    python -m tests.campaigns.long_and_large file           a result of 5 GB: one channel read, plotted, exported
    ... --size 0.01                               a hundredth of it

Every task runs in a process of its own; CPU time is printed beside wall time, since the machine may be busy.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

PENDULUM: dict[str, Any] = {
    "model": {"name": "pendulum", "gravity": [0, 0, -9.81]},
    "bodies": {"rod": {"mass": 1.0, "inertia": [0.01, 0.1, 0.1], "center": [0.5, 0, 0]}},
    "joints": {"pivot": {"type": "revolute", "bodies": ["ground", "rod"], "at": [0, 0, 0], "axis": "y"}},
}


def memory() -> float:
    """Resident memory of this process [MB]."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6


class Watch:
    """Progress of a run that notes the memory, from a tenth of it on."""

    def __init__(self) -> None:
        self.seen: list[float] = []

    def __call__(self, t: float, t_end: float, steps: int, rejected: int) -> None:
        if t > 0.1 * t_end:
            self.seen.append(memory())

    @property
    def text(self) -> str:
        return (
            f"memory {self.seen[0]:.0f} MB after a tenth, {self.seen[-1]:.0f} MB at the end, most {max(self.seen):.0f}"
        )

    @property
    def growth(self) -> float:
        """[MB]"""
        return max(self.seen) - self.seen[0]


def run(tables: dict[str, Any], output: Path) -> tuple[Any, Watch]:
    """Run a model; the summary of its result and what was seen of the memory."""
    from flexmb.analyses.run import run_model
    from flexmb.model.model import Model

    watch = Watch()
    with run_model(Model.from_tables(tables), output, progress=watch) as result:
        return SimpleNamespace(rows=result.n_rows, **result.summary), watch


def long_run(folder: Path, steps: int, rows: int) -> Watch:
    """So many steps of a pendulum with so many rows."""
    tables = {**PENDULUM, "analysis": {"end": steps * 1e-3, "step": 1e-3}, "output": {"every": steps * 1e-3 / rows}}
    found, watch = run(tables, folder / "out.h5")
    assert (found.steps, found.rows) == (steps, rows + 1)
    size = (folder / "out.h5").stat().st_size / 1e6
    print(f"  {steps} steps, {rows} rows, {size:.0f} MB: {found.wall_time:.1f} s, {watch.text}")
    print(f"  energy balance {found.energy_balance:.1e}")
    return watch


def many_bodies(folder: Path, n: int) -> None:
    """A hanging chain of n bodies in joint coordinates, by a tree method and by the implicit one."""
    rod = {"mass": 1.0, "inertia": [0.01, 0.1, 0.1]}
    bodies = {f"b{i}": {**rod, "at": [i + 0.5, 0, 0]} for i in range(n)}
    joint = {"type": "revolute", "axis": "y"}
    joints = {
        f"j{i}": {**joint, "bodies": [f"b{i - 1}" if i else "ground", f"b{i}"], "at": [i, 0, 0]} for i in range(n)
    }
    for method in ("rk4", "generalized-alpha"):
        analysis = {"end": 0.1, "step": 1e-3, "method": method}
        tables = {"model": PENDULUM["model"], "bodies": bodies, "joints": joints, "analysis": analysis}
        before, cpu = time.perf_counter(), time.process_time()
        found, watch = run({**tables, "output": {"every": 0.02}}, folder / "out.h5")
        seconds, cpu = time.perf_counter() - before, time.process_time() - cpu
        print(f"  {n} bodies, {method}: {found.steps:.0f} steps in {found.wall_time:.1f} s,")
        print(f"  {seconds:.1f} s ({cpu:.1f} s CPU) in all; {watch.text}; energy balance {found.energy_balance:.1e}")


def large_mesh(folder: Path, nodes: int) -> None:
    """A bar of so many nodes (hex8) as a pendulum: reduced, run, and shown in a page."""
    from flexmb.bodies.body_file import write_body
    from flexmb.bodies.reduce_mesh import reduce_mesh
    from flexmb.cli import main
    from flexmb.elements.material import MATERIALS
    from flexmb.reduction.request import ReductionRequest, TieRequest
    from flexmb.verification.solid_meshes import box_mesh

    side = max(2, round((nodes / 10) ** (1 / 3)) - 1)
    mesh = box_mesh("hex8", (10 * side, side, side), (1.0, 0.1, 0.1))
    ends = (TieRequest("root", "xmin"), TieRequest("tip", "xmax"))
    before, cpu = time.perf_counter(), time.process_time()
    body = reduce_mesh(mesh, MATERIALS["steel"], ReductionRequest(interfaces=ends, modes=4))
    write_body(body, folder / "bar.h5")
    seconds, cpu = time.perf_counter() - before, time.process_time() - cpu
    print(f"  {len(mesh.points)} nodes reduced in {seconds:.1f} s ({cpu:.1f} s CPU), {memory():.0f} MB;")
    print(f"  body file {(folder / 'bar.h5').stat().st_size / 1e6:.1f} MB")
    joints = {"pivot": {"type": "revolute", "markers": ["ground", "bar.root"]}}
    model = {"name": "bar", "gravity": [0, -9.81, 0]}
    tables = {"model": model, "bodies": {"bar": {"file": str(folder / "bar.h5")}}, "joints": joints}
    found, watch = run({**tables, "analysis": {"end": 0.1, "step": 1e-4}}, folder / "out.h5")
    print(f"  {found.steps:.0f} steps in {found.wall_time:.1f} s, {watch.text}")
    before = time.perf_counter()
    assert main(["animate", str(folder / "out.h5"), "-o", str(folder / "x.html")]) == 0
    size = (folder / "x.html").stat().st_size / 1e6
    print(f"  page of {size:.1f} MB in {time.perf_counter() - before:.1f} s, {memory():.0f} MB")


def large_file(folder: Path, n_bytes: float) -> None:
    """A result of so many bytes, written block by block; then one channel of it is read, plotted and exported."""
    from flexmb.cli import main
    from flexmb.results.result_creation import RunIdentity
    from flexmb.results.result_file import Result
    from flexmb.results.result_writer import ResultWriter

    wanted = [("time", "s", ()), ("sensors/height", "m", ())]
    wanted += [(f"bodies/b{i}/position", "m", (3,)) for i in range(200)]
    channels, start = [], 0
    for path, unit, shape in wanted:
        channels.append(SimpleNamespace(path=path, unit=unit, start=start, shape=shape, text=path))
        start += int(np.prod(shape))
    block, target = np.zeros((1000, start)), folder / "out.h5"
    n_blocks = max(2, int(n_bytes / block.nbytes))
    before = time.perf_counter()
    with ResultWriter(target, SimpleNamespace(channels=channels), RunIdentity("large", "", {})) as writer:
        for number in range(n_blocks):
            block[:, 0] = (number * len(block) + np.arange(len(block))) * 1e-3
            block[:, 1:] = np.sin(block[:, :1] + np.arange(start - 1))
            writer.write(block, np.zeros(2))
        writer.finish("finished")
    size = target.stat().st_size / 1e9
    seconds = time.perf_counter() - before
    print(f"  {size:.2f} GB, {n_blocks * len(block)} rows written in {seconds:.1f} s, {memory():.0f} MB")
    for words in (
        ["read", "b7.position.y"],
        ["plot", str(target), "-c", "height", "-o", str(folder / "x.png")],
        ["export", str(target), "-c", "height", "--csv", str(folder / "x.csv")],
    ):
        before, already = time.perf_counter(), memory()
        if words[0] == "read":
            with Result(target) as result:
                assert len(result[words[1]]) == n_blocks * len(block)
        else:
            assert main(words) == 0
        most, seconds = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3, time.perf_counter() - before
        print(f"  {words[0]}: {seconds:.1f} s, memory {already:.0f} to {memory():.0f} MB, peak {most:.0f} MB")


TASKS: dict[str, Callable[[Path, float], Any]] = {
    "steps": lambda folder, size: long_run(folder, int(1e7 * size), 1000),
    "rows": lambda folder, size: long_run(folder, int(1e6 * size), int(1e6 * size)),
    "bodies": lambda folder, size: many_bodies(folder, int(1000 * size)),
    "mesh": lambda folder, size: large_mesh(folder, int(1e5 * size)),
    "file": lambda folder, size: large_file(folder, 5e9 * size),
}


def measure(name: str, size: float, place: str | None) -> None:
    with tempfile.TemporaryDirectory(prefix="long-and-large-", dir=place) as folder:
        began = time.perf_counter()
        TASKS[name](Path(folder), size)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
        cpu = sum(os.times()[:2])
        print(f"  in all {time.perf_counter() - began:.1f} s ({cpu:.1f} s CPU), peak {peak:.0f} MB", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", nargs="*", choices=[*TASKS, []], default=list(TASKS))
    parser.add_argument("--size", type=float, default=1.0, help="part of the full size")
    parser.add_argument("--folder", help="where the files go for the time being")
    options = parser.parse_args()
    for name in options.task:
        print(name, flush=True)
        process = multiprocessing.get_context("spawn").Process(
            target=measure, args=(name, options.size, options.folder)
        )
        process.start()
        process.join()
        if process.exitcode:
            raise SystemExit(1)


if __name__ == "__main__":
    main()
