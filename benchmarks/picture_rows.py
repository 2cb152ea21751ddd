"""The rows of pages, animations and frames: sizes and CPU seconds."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from codes import Codes
from report import MISSING, Row, at_most, guarded, milliseconds, ratio

METHOD = """
The slider-crank with the finer mesh of its rod (5.6k nodes on the surface, 8 shapes, 1200 frames), and made-up bodies
of 50k nodes. CPU seconds of whole commands, process and children, start-up and imports included, each measured once
after a first run that compiled what is compiled. The peer of the animation is flexmb's other renderer: pyvista (VTK) on
software OpenGL. The frame is the smallest of a hundred.
"""


def measure(codes: Codes, repeats: int) -> list[Row]:
    """All rows of pictures."""
    ours: Any = codes.ours_pictures
    if ours is None:
        return [Row("(r) pages and animations", MISSING, "", "", "")]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = guarded("(r) page, animation and report", lambda: list(flagship_rows(ours, folder, codes.quick)))
        return rows + guarded("(r) a body of 50k nodes", lambda: list(large_rows(ours, folder)))


def flagship_rows(ours: Any, folder: Path, quick: bool) -> Iterator[Row]:
    flagship = ours.Flagship(folder)
    page = flagship.make("animate", "page.html")
    yield sized("(r) page of 5.6k nodes, 8 shapes, 1200 frames, with stress", page, 0.7)
    frames = 12 if quick else 120
    own, vtk = flagship.animation("flexmb", frames), flagship.animation("vtk", frames)
    case = f"(r) animation of {frames} frames of 1280 x 720"
    target = at_most(10.0, own.seconds, "{:g} s".format)
    note = f"CPU time; {own.megabytes:.2f} MB; peer: pyvista"
    yield Row(case, f"{own.seconds:.1f} s", f"{vtk.seconds:.1f} s", ratio(vtk.seconds, own.seconds), target, note)
    yield sized("(r) glTF file of the same", flagship.make("animate", "model.glb"), None)
    yield sized("(r) report page of the same", flagship.make("report", "report.html"), 2.0)


def sized(case: str, made: Any, largest: float | None) -> Row:
    target = "for comparison" if largest is None else at_most(largest, made.megabytes, "{:g} MB".format)
    return Row(case, f"{made.megabytes:.2f} MB", "", "", target, f"{made.seconds:.1f} s of CPU time")


def large_rows(ours: Any, folder: Path) -> Iterator[Row]:
    times = ours.frame_seconds()
    target, note = at_most(0.010, min(times), milliseconds), f"median {milliseconds(float(np.median(times)))}"
    yield Row("(r) points of a frame, 50k nodes and 50 shapes", milliseconds(min(times)), "", "", target, note)
    case = "(r) page of 50k nodes, 20 shapes, 1200 frames"
    yield Row(case, f"{ours.large_page(folder):.2f} MB", "", "", "for comparison")
