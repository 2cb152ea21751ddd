"""Compiled loops on all cores: each thread calls the same kernel on its part, and kernels release Python's lock.

Python threads are used instead of numba's own: kernels that are not parallel themselves compile in half the time, and
run without numba. The number of threads is NUMBA_NUM_THREADS, by default that of the cores.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from flexmb.cores import threads
from flexmb.elements.solid.chunks import CHUNK, Chunks

Progress = Callable[[str, float], None]
"""Called with the stage and the fraction done"""


def counter(progress: Progress | None, stage: str, total: int) -> Callable[[int], None] | None:
    """A function that adds up the cells done and reports the fraction to `progress`."""
    if progress is None:
        return None
    done = 0

    def report(cells: int) -> None:
        nonlocal done
        done += cells
        progress(stage, done / total)

    return report


def over_chunks(kernel: Any, chunks: Chunks, *arguments: Any, after: Callable[[int], None] | None = None) -> None:
    """Call kernel(chunk numbers, CHUNK, cells, *arguments) for all chunks, one colour after the other.

    `after` is called with the number of cells done each time.
    """
    n = threads()
    with ThreadPoolExecutor(n) as pool:
        for colour in chunks.colours:
            parts = [part for part in np.array_split(colour, n) if len(part)]
            list(pool.map(lambda part: kernel(part, CHUNK, chunks.nodes, *arguments), parts))
            if after:
                after(int(np.minimum(CHUNK, len(chunks.nodes) - CHUNK * colour).sum()))


def over_range(kernel: Any, n: int, *arguments: Any) -> None:
    """Call kernel(begin, end, *arguments) for pieces that cover 0 .. n."""
    limits = np.linspace(0, n, 4 * threads() + 1).astype(np.int64)
    with ThreadPoolExecutor(threads()) as pool:
        list(pool.map(lambda piece: kernel(*piece, *arguments), zip(limits[:-1], limits[1:], strict=True)))
