"""CPU time of small pieces of work on a machine that may be busy: minimum of repeats, alternating between the codes.

Only the CPU time of the calling thread counts. A cost per step is the difference of a long and a short run, so that
building and starting a run do not count.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeVar

import numpy as np

Name = TypeVar("Name")


def cpu_seconds(work: Callable[[], object]) -> float:
    """CPU time of one call [s]."""
    start = time.thread_time()
    work()
    return time.thread_time() - start


def best_alternating(tasks: Mapping[Name, Callable[[int], float]], repeats: int) -> dict[Name, float]:
    """Smallest time of each task; each repeat asks every task once. A task gets the repeat's number (to perturb its
    input by) and returns its own time."""
    best: dict[Name, float] = dict.fromkeys(tasks, np.inf)
    for repeat in range(repeats):
        for name, task in tasks.items():
            best[name] = min(best[name], task(repeat))
    return best


def step_costs(runs: Mapping[Name, Callable[[int, int], float]], steps: int, repeats: int = 5) -> dict[Name, float]:
    """Cost of one step [s] of every run(steps, repeat) -> CPU seconds."""
    short = max(steps // 4, 1)
    warm_up(runs)
    tasks = {(name, count): partial(run, count) for name, run in runs.items() for count in (steps, short)}
    best = best_alternating(tasks, repeats)
    return {name: positive(best[name, steps] - best[name, short]) / (steps - short) for name in runs}


def loop_seconds(
    runs: Mapping[Name, Callable[[int, int], float]], steps: Mapping[Name, int], repeats: int = 5
) -> dict[Name, float]:
    """CPU time [s] of all the steps of every run(steps, repeat) but the first, which starting the run goes with.

    For motions whose steps differ in cost, so that every part of them has to be there.
    """
    warm_up(runs)
    tasks = {(name, count): partial(run, count) for name, run in runs.items() for count in (steps[name], 1)}
    best = best_alternating(tasks, repeats)
    return {name: positive(best[name, steps[name]] - best[name, 1]) for name in runs}


def warm_up(runs: Mapping[Name, Callable[[int, int], float]]) -> None:
    """One short run of each, not counted: what is loaded or compiled at the first call is there afterwards."""
    for run in runs.values():
        run(2, 0)


def positive(difference: float) -> float:
    """A difference of times, if it is one."""
    if difference <= 0.0:
        raise RuntimeError("a long run took less than a short one: the machine is too busy to measure")
    return difference


def fitted_exponent(sizes: list[int], costs: list[float]) -> float:
    """Slope of log(cost) over log(size)."""
    if min(costs) <= 0.0:
        raise RuntimeError("a long run took less than a short one: the machine is too busy to measure")
    return float(np.polyfit(np.log(sizes), np.log(costs), 1)[0])


def time_at_error(target: float, steps: list[int], errors: list[float], seconds: list[float]) -> float | None:
    """CPU time at which the error gets to `target` and below which it stays with every larger number of steps.

    Interpolated between the last run that misses it and the next one, in logarithms; the time of the first run when
    every run keeps it, None when the last one does not.
    """
    runs = sorted(zip(steps, errors, seconds, strict=True))
    missed = [k for k, (_, error, _) in enumerate(runs) if error > target]
    if not missed:
        return runs[0][2]
    if missed[-1] == len(runs) - 1:
        return None
    (_, error, before), (_, smaller, after) = runs[missed[-1] : missed[-1] + 2]
    share = np.log(error / target) / np.log(error / smaller)
    return float(before * (after / before) ** share)
