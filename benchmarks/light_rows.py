"""The rows of light runs: what one run of a study costs beside its steps.

python benchmarks/light_rows.py      prints them
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from codes import Codes
from flexible_rows import ANCF, loose
from places import MODELS
from problems_flexible import FLEXIBLE_SLIDER_CRANK
from report import MISSING, Row, as_text, at_most, guarded, ratio
from timing import best_alternating, cpu_seconds

METHOD = """
One run of examples/04_spatial_slider_crank.toml with 1000 steps, from Python, the speed another one in every repeat:
as a new model, and as `prepared.with_values(speed=...)`; in memory, and with a result file (report and warnings
included). Exudyn: the model of 4 ANCF cables built, assembled and run with the same steps, one sensor in memory.
The steps alone: a run of a system that is ready. The result file: 1000 rows of 52 channels written with a
report of one line, less the same run in memory.
"""


def measure(codes: Codes, repeats: int) -> list[Row]:
    """In memory, with a file; the file alone."""
    if not codes.ours:
        return [Row("(l) run of a study", MISSING, "", "", "")]
    return [
        *guarded("(l) run of a study", lambda: study_rows(codes, 10 * repeats)),
        *guarded("(l) file", lambda: file_row(10 * repeats)),
    ]


def study_rows(codes: Codes, repeats: int) -> list[Row]:
    import flexmb as fx

    path = MODELS / "04_spatial_slider_crank.toml"
    steps = {"analysis.end": "$turns/$speed/10"}
    model = fx.read_model(path, steps)
    prepared = fx.prepare(model)
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "out.h5"

        def speed(repeat: int) -> float:
            return 150.0 + 1e-6 * repeat

        def fresh(repeat: int) -> Any:
            return fx.read_model(path, {**steps, "speed": repr(speed(repeat))})

        tasks: dict[str, Callable[[int], float]] = {
            "steps": lambda _: cpu_seconds(prepared.run),
            "new": lambda k: cpu_seconds(lambda: fx.run(fresh(k))),
            "prepared": lambda k: cpu_seconds(lambda: prepared.with_values(speed=speed(k)).run()),
            "new, file": lambda k: cpu_seconds(lambda: fx.run(fresh(k), target)),
            "prepared, file": lambda k: cpu_seconds(lambda: prepared.with_values(speed=speed(k)).run(target)),
        }
        for task in tasks.values():
            task(0)
        found = best_alternating(tasks, repeats)
    note = f"of which the run of a system that is ready: {1e3 * found['steps']:.1f} ms"
    peers = peer_seconds(codes, repeats)
    rows = []
    for way, name, limit in (("", "in memory", 18.0), (", file", "with a result file", 30.0)):
        ready, new = 1e3 * found[f"prepared{way}"], 1e3 * found[f"new{way}"]
        target_text = at_most(limit, ready, "{:g} ms".format)
        rows.append(Row(f"(l) prepared model with another speed, {name}", f"{ready:.1f} ms", "", "", target_text, note))
        rows.append(Row(f"      the same as a new model, {name}", f"{new:.1f} ms", "", "", "", ""))
        for newton, seconds in peers.items() if not way else ():
            other, times = f"{1e3 * seconds:.1f} ms", ratio(1e3 * seconds, ready)
            rows.append(Row(f"      prepared, beside {newton}", f"{ready:.1f} ms", other, times, "for comparison"))
    return rows


def peer_seconds(codes: Codes, repeats: int) -> dict[str, float]:
    """CPU time of a model of Exudyn from nothing to 1000 rows of a sensor in memory, by its Newton [s]."""
    peer, problem = codes.exudyn_flexible, FLEXIBLE_SLIDER_CRANK
    if not peer:
        return {}
    step = problem.end / 10_000

    def seconds(name: str, repeat: int) -> float:
        return cpu_seconds(lambda: peer.run_recorded(name, problem, step, 1000, 1 + 1e-9 * repeat))

    ways = {f"Exudyn, {name}": partial(seconds, name) for name in (ANCF, loose(ANCF))}
    return best_alternating(ways, max(2, repeats // 5))


def file_row(repeats: int) -> list[Row]:
    """Cost of the file alone, with all rows and channels of the flagship."""
    import flexmb as fx

    model = fx.read_model(MODELS / "04_spatial_slider_crank.toml", {"output.every": "$turns/$speed/999"})
    result = fx.run(model)
    _ = result.report
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "out.h5"
        found = best_alternating({"file": lambda _: cpu_seconds(lambda: result.save(target))}, repeats)
    cost = 1e3 * found["file"]
    note = f"{len(result)} rows of {len(result.channels)} channels"
    return [Row("(l) result file alone", f"{cost:.1f} ms", "", "", at_most(5.0, cost, "{:g} ms".format), note)]


if __name__ == "__main__":
    print(as_text(measure(Codes(False), 5)))
