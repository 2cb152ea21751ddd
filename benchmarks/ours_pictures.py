"""What pages, movies and frames cost: sizes and CPU seconds.

The flagship with the finer mesh of the connecting rod (5.6k nodes on its surface, 8 shapes, 1200 frames), and made-up
bodies of 50k nodes. CPU seconds of a command are those of its process and its children, everything included; the frame
is the smallest of many, in one process.
"""

from __future__ import annotations

import re
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from places import MODELS, mesh_file

from flexmb.view.scene import Look, Part, Scene

SPAN = 4.0 * np.pi / 150.0
"""[s] of two turns"""
REDUCE = (
    "--unit mm --material steel --interface bore_big --interface bore_small --marker middle --frame chord --modes 2 "
    "--stress -o rod.h5"
)


class Made(NamedTuple):
    """What a command wrote and what it took."""

    megabytes: float
    seconds: float
    """CPU time of the process and its children"""


def flexmb(folder: Path, *words: str) -> float:
    """CPU seconds of a command in a folder."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "flexmb", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip()[-2000:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def megabytes(path: Path) -> float:
    return path.stat().st_size / 1e6


class Flagship:
    """The slider-crank with a meshed rod, reduced and run in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        mesh = mesh_file("connecting_rod_fine.msh")
        text = (MODELS / "07_spatial_slider_crank_mesh.toml").read_text()
        rod = re.compile(r'mesh = "(?s:.*?)stress = true\n')
        (folder / "model.toml").write_text(rod.sub('file = "rod.h5"\n', text))
        flexmb(folder, "reduce", str(mesh), *REDUCE.split())
        flexmb(folder, "run", "model.toml", "--set", "output.every=$turns/$speed/1199", "-o", "run.h5")
        flexmb(folder, "animate", "run.h5", "-o", "warm.mp4", "--frames", "2")

    def make(self, verb: str, file: str, *words: str) -> Made:
        seconds = flexmb(self.folder, verb, "run.h5", "-o", file, *words)
        return Made(megabytes(self.folder / file), seconds)

    def animation(self, renderer: str, frames: int) -> Made:
        """1280 x 720 at 30 frames a second, by `flexmb` or `vtk` (pyvista)."""
        speed = repr(SPAN * 30.0 / frames)
        return self.make(
            "animate", f"{renderer}.mp4", "--fps", "30", "--speed", speed, "--size", "1280x720", "--renderer", renderer
        )


def large_part(n_shapes: int, n_frames: int) -> Part:
    """A round bar of 50k nodes with waves for shapes."""
    n_around, n_along = 100, 500
    angle = np.linspace(0.0, 2.0 * np.pi, n_around, endpoint=False)
    x = np.repeat(np.linspace(0.0, 1.0, n_along), n_around)
    around = np.tile(np.stack([np.cos(angle), np.sin(angle)], axis=1), (n_along, 1))
    points = np.column_stack([x, 0.02 * around])
    i, j = (a.ravel() for a in np.meshgrid(np.arange(n_along - 1), np.arange(n_around), indexing="ij"))
    k = (j + 1) % n_around
    a, b, c, d = (n_around * i + j, n_around * i + k, n_around * (i + 1) + k, n_around * (i + 1) + j)
    triangles = np.concatenate([np.stack([a, c, b], axis=1), np.stack([a, d, c], axis=1)])
    shapes = np.zeros((n_shapes, len(points), 3), np.float32)
    for number in range(n_shapes):
        shapes[number, :, 1 + number % 2] = np.sin((1 + number // 2) * np.pi * x)
    amplitudes = (
        0.01
        * np.sin(np.outer(np.linspace(0.0, 30.0, n_frames), 1.0 + np.arange(n_shapes)))
        / (1.0 + np.arange(n_shapes))
    )
    still = np.zeros((n_frames, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (n_frames, 1))
    return Part("bar", "flexible", points, triangles, *still, (0.5, 0.6, 0.7), shapes, amplitudes)


def frame_seconds() -> list[float]:
    """Seconds of the points of a frame: 50k nodes and 50 shapes."""
    part = large_part(50, 100)
    part.positions(0)
    times = []
    for frame in range(100):
        start = time.thread_time()
        part.positions(frame, 10.0)
        times.append(time.thread_time() - start)
    return times


def large_page(folder: Path) -> float:
    """Megabytes of the page of 50k nodes, 20 shapes, 1200 frames."""
    from flexmb.view.web.page import write_page

    scene = Scene("bar", "", np.linspace(0.0, 1.0, 1200), (large_part(20, 1200),), center=(0.5, 0.0, 0.0), radius=0.6)
    write_page(scene, folder / "large.html", Look())
    return megabytes(folder / "large.html")
