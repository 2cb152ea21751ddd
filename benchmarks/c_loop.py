"""Generated C code: compiled with a loop around it, and timed from there."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np


def has_compiler() -> bool:
    return shutil.which("cc") is not None


@dataclass(frozen=True)
class Compiled:
    """Code of a model as a library: repeat(n, q, v, p, outputs ...)."""

    made: float
    """[s] CPU time: model -> code with common subexpressions eliminated, written to a folder"""
    compiled: float
    """[s] wall time of the compiler, for the code alone"""
    library: ctypes.CDLL
    n_q: int
    n_v: int
    parameters: list[float]
    outputs: list[int]
    """Numbers of entries"""
    n_large: int
    """Coordinates of the order of one, those after them are small (elastic)"""

    def evaluation(self, count: int, repeat: int) -> float:
        """CPU seconds of one evaluation."""
        q = np.linspace(0.1, 0.3, self.n_q) * (1 + 1e-9 * repeat)
        q[self.n_large :] *= 1e-3
        v, p = np.full(self.n_v, 0.5), np.array(self.parameters, dtype=float)
        arrays = [q, v, p, *(np.zeros(size) for size in self.outputs)]
        pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in arrays]
        start = time.thread_time()
        self.library.repeat(ctypes.c_long(count), *pointers)
        return (time.thread_time() - start) / count


def compile_loop(
    folder: Path, name: str, loop: str, made: float,
    n_q: int, n_v: int, parameters: list[float], outputs: list[int], n_large: int | None = None,
) -> Compiled:  # fmt: skip
    """Compile NAME.c alone, which is timed, and with a loop in a file of its own, so that nothing is inlined."""
    (folder / "loop.c").write_text(f'#include "{name}.h"\n{loop}')
    own = ["cc", "-O2", "-shared", "-fPIC", f"{name}.c"]
    start = time.perf_counter()
    subprocess.run([*own, "-o", "own.so", "-lm"], cwd=folder, check=True, capture_output=True)
    took = time.perf_counter() - start
    subprocess.run([*own, "loop.c", "-o", "whole.so", "-lm"], cwd=folder, check=True, capture_output=True)
    library = ctypes.CDLL(str(folder / "whole.so"))
    return Compiled(made, took, library, n_q, n_v, parameters, outputs, n_q if n_large is None else n_large)
