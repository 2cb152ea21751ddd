"""One measurement in a process of its own, so that memory and threads are those of one code.

A script calls `answer` with what `cost_of(work)` found, which prints one line of JSON; `ask` starts a script
and reads it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

Result = TypeVar("Result")


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
    print(json.dumps(facts | {"gigabytes": peak_gigabytes()}))


def ask(script: str, *arguments: object) -> dict[str, Any]:
    """What a script of this folder answers."""
    command = [sys.executable, str(Path(__file__).with_name(script)), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{script} failed:\n{done.stderr.strip()[-2000:]}")
    return dict(json.loads(done.stdout.splitlines()[-1]))
