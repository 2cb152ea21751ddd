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
    tasks = {(name, count): partial(run, count) for name, run in runs.items() for count in (steps, short)}
    best = best_alternating(tasks, repeats)
    return {name: (best[name, steps] - best[name, short]) / (steps - short) for name in runs}


def loop_seconds(
    runs: Mapping[Name, Callable[[int, int], float]], steps: Mapping[Name, int], repeats: int = 5
) -> dict[Name, float]:
    """CPU time [s] of all the steps of every run(steps, repeat) but the first, which starting the run goes with.

    For motions whose steps differ in cost, so that every part of them has to be there.
    """
    tasks = {(name, count): partial(run, count) for name, run in runs.items() for count in (steps[name], 1)}
    best = best_alternating(tasks, repeats)
    return {name: best[name, steps[name]] - best[name, 1] for name in runs}


def fitted_exponent(sizes: list[int], costs: list[float]) -> float:
    """Slope of log(cost) over log(size)."""
    return float(np.polyfit(np.log(sizes), np.log(costs), 1)[0])


def cost_at_error(target: float, errors: list[float], costs: list[float]) -> float:
    """Cost at which the error equals `target`: log-log interpolation over runs at several steps."""
    order = np.argsort(errors)
    x, y = np.log(np.array(errors)[order]), np.log(np.array(costs)[order])
    slope, offset = np.polyfit(x, y, 1)
    if x[0] <= np.log(target) <= x[-1]:
        return float(np.exp(np.interp(np.log(target), x, y)))
    return float(np.exp(offset + slope * np.log(target)))
