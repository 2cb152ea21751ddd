"""The rows of compilation: what a user waits for at the first run, and at every later one."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import compile_time
from codes import Codes
from report import MISSING, Row, at_most, guarded

METHOD = """
Wall time of a fresh process with an empty cache, from its start to the written result of two steps of
examples/02_planar_slider_crank.toml and of examples/04_spatial_slider_crank.toml; then the same with the cache filled.
"""


def measure(codes: Codes, repeats: int) -> list[Row]:
    """With rigid bodies, and with the flexible rod of the main example."""
    rows = []
    for name, model in compile_time.MODELS.items():
        first = f"(e) first compilation, empty cache, {name}"
        rows += (
            guarded(first, partial(compilation, first, model, repeats))
            if codes.ours
            else [Row(first, MISSING, "", "", "")]
        )
    return rows


def compilation(first: str, model: Path, repeats: int) -> list[Row]:
    (wall, cpu), (wall_2, cpu_2) = compile_time.measure(model, repeats)
    second = "      second process to its first step"
    return [
        Row(first, f"{wall:.1f} s", "", "", at_most(25.0, wall, "{:g} s".format), f"CPU {cpu:.1f} s"),
        Row(second, f"{wall_2:.2f} s", "", "", "about 1 s", f"CPU {cpu_2:.2f} s"),
    ]
