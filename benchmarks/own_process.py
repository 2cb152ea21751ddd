"""One measurement in a process of its own, so that memory and threads are those of one code.

A script calls `answer` with what `cost_of(work)` found, which prints one line of JSON; `ask` starts a script
and reads it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

Result = TypeVar("Result")
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
LONGEST = 3600.0
"""[s] of the clock that a script may take"""


def cost_of(work: Callable[[], Result]) -> tuple[dict[str, float], Result]:
    """CPU time of all threads and wall time of one call [s]."""
    cpu, wall = time.process_time(), time.perf_counter()
    result = work()
    return {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}, result


def peak_gigabytes() -> float:
    """Largest memory that this process has held; NaN where the system does not tell."""
    try:
        import resource
    except ImportError:
        return float("nan")
    unit = 1.0 if sys.platform == "darwin" else 1024.0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9


def answer(**facts: Any) -> None:
    print(json.dumps(facts | {"gigabytes": peak_gigabytes()}), flush=True)


def ask(script: str, *arguments: object, one_thread: bool = False) -> dict[str, Any]:
    """What a script of this folder answers; an error that says how it ended when it has no answer.

    One thread: that of the linear algebra of NumPy and SciPy too. Its threads wait for each other in a loop, which
    counts as CPU time of the one that is measured and is a multiple of the work when the machine is busy.
    """
    command = [sys.executable, str(Path(__file__).with_name(script)), *map(str, arguments)]
    environment = {**os.environ, **(dict.fromkeys(THREADS, "1") if one_thread else {})}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, env=environment)
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"{script} took longer than {LONGEST:g} s and was stopped") from None
    said = done.stderr.strip().splitlines()
    if done.returncode < 0:
        raise RuntimeError(f"{script} was ended by {signal.Signals(-done.returncode).name}")
    if done.returncode:
        raise RuntimeError(f"{script} failed: {said[-1] if said else f'exit code {done.returncode}'}")
    try:
        return dict(json.loads(done.stdout.splitlines()[-1]))
    except (IndexError, ValueError):
        raise RuntimeError(f"{script} ended without an answer") from None
