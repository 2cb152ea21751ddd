"""CPU time of a whole command, from the start of its process to its end, and the share of it that numba takes.

Run by itself with a command this is a process that is timed: it runs the command in itself and prints the seconds that
importing numba and loading machine code through it took. Where kernels come from a library, that is nothing.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "01_double_pendulum.toml"
COMMANDS = {
    "run": ["run", str(EXAMPLE), "-o", "out.h5"],
    "check": ["check", str(EXAMPLE)],
    "--help": ["--help"],
}


def cpu_seconds(words: list[str], repeats: int) -> float:
    """CPU time of a process `python words` [s], the least of some."""
    found = []
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as folder:
        for repeat in range(repeats + 1):
            before = os.times()
            subprocess.run([sys.executable, *words], cwd=folder, env=environment, check=True, capture_output=True)
            after = os.times()
            spent = after.children_user + after.children_system - before.children_user - before.children_system
            found += [spent] if repeat else []  # the first one writes what later ones read
    return min(found)


def numba_seconds(words: list[str], repeats: int) -> float:
    """Part of the CPU time of a command that numba takes [s], the least of some."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(repeats):
            command = [sys.executable, __file__, *words]
            done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
            found.append(float(json.loads(done.stderr.splitlines()[-1])["numba"]))
    return min(found)


class _Timed:
    """Sum of the CPU times of calls, the outermost of nested ones."""

    def __init__(self) -> None:
        self.seconds, self.depth, self.began = 0.0, 0, 0.0

    def __enter__(self) -> None:
        self.began = time.process_time() if self.depth == 0 else self.began
        self.depth += 1

    def __exit__(self, *_: object) -> None:
        self.depth -= 1
        self.seconds += time.process_time() - self.began if self.depth == 0 else 0.0


def timed_command(words: list[str]) -> None:
    """Run a command and print the share of numba on stderr."""
    import builtins

    share, plain = _Timed(), builtins.__import__

    def timed_import(name: str, *rest: Any, **options: Any) -> Any:
        if name.partition(".")[0] not in ("numba", "llvmlite") and name != "flexmb.machine_code.jit":
            return plain(name, *rest, **options)
        with share:
            found = plain(name, *rest, **options)
        if name == "flexmb.machine_code.jit" and not hasattr(sys.modules[name], "is_timed"):
            _time_kernels(sys.modules[name], share)
        return found

    builtins.__import__ = timed_import
    from flexmb.cli import main

    sys.argv = ["flexmb", *words]
    try:
        main()
    finally:
        print(json.dumps({"numba": share.seconds}), file=sys.stderr)


def _time_kernels(jit: Any, share: _Timed) -> None:
    """Time what numba does for kernels: wrap them, look for their machine code, load it."""
    jit.is_timed = True
    if "numba" not in sys.modules:
        return

    def timed(function: Any) -> Any:
        def call(*arguments: Any, **options: Any) -> Any:
            with share:
                return function(*arguments, **options)

        return call

    jit.kernel, jit.array_kernel = timed(jit.kernel), timed(jit.array_kernel)
    for name in ("address", "is_ready"):
        setattr(jit.Program, name, property(timed(getattr(jit.Program, name).fget)))


if __name__ == "__main__":
    timed_command(sys.argv[1:])
