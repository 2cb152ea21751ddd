"""How long a user waits: first compilation with an empty cache, and the first step of a second process.

Run by itself with a model file this is the process that is timed: it imports flexmb, reads the model, takes two steps
and writes their result.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from places import MODELS as MODELS_FOLDER

MODELS = {
    "planar slider-crank": MODELS_FOLDER / "02_planar_slider_crank.toml",
    "flexible slider-crank": MODELS_FOLDER / "04_spatial_slider_crank.toml",
}


def first_steps(path: Path) -> None:
    import flexmb

    step = flexmb.read_model(path).spec.analysis.step
    model = flexmb.read_model(path, {"analysis.end": f"{2 * step!r}"})
    with tempfile.TemporaryDirectory() as folder:
        flexmb.run_model(model, Path(folder) / "two_steps.h5").close()


def process_seconds(path: Path, cache: str) -> tuple[float, float]:
    """Wall and CPU seconds of a fresh process from its start to the end of its second step."""
    environment = {**os.environ, "FLEXMB_CACHE": cache}
    environment.pop("NUMBA_CACHE_DIR", None)
    before, start = os.times(), time.perf_counter()
    subprocess.run([sys.executable, __file__, str(path)], env=environment, check=True, capture_output=True)
    wall, after = time.perf_counter() - start, os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return wall, cpu


def measure(path: Path, repeats: int = 3) -> tuple[tuple[float, float], tuple[float, float]]:
    """(wall, CPU) seconds of the first process with an empty cache, and of the best of some second processes."""
    with tempfile.TemporaryDirectory() as cache:
        first = process_seconds(path, cache)
        second = min(process_seconds(path, cache) for _ in range(repeats))
    return first, second


if __name__ == "__main__":
    first_steps(Path(sys.argv[1]))
