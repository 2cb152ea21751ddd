"""What pages, movies and frames cost: sizes and CPU seconds.

    python benchmarks/pictures.py      prints a table and writes it to PICTURES.md

The flagship with the finer mesh of the connecting rod (5.6k nodes on its surface, 8 shapes, 1200 frames), and made-up
bodies of 50k nodes. CPU seconds of a command are those of its process and its children, everything included; the frame
is the smallest of many, in one process.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from flexmb.view.scene import Look, Part, Scene

ROOT = Path(__file__).resolve().parents[1]
OUTPUT = Path(__file__).with_name("PICTURES.md")
TEXT = """Written by `python benchmarks/pictures.py`: CPU seconds of whole commands (process and children, start-up and
imports included), each measured once after a first run that compiled what is compiled.

"""
REDUCE = (
    "--unit mm --material steel --interface bore_big --interface bore_small --marker middle --frame chord --modes 2 "
    "--stress -o rod.h5"
)
Line = tuple[str, str, str]
"""What, asked for, measured"""


def flexmb(folder: Path, *words: str) -> float:
    """CPU seconds of a command in a folder."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "flexmb", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip()[-2000:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def megabytes(path: Path) -> str:
    return f"{path.stat().st_size / 1e6:.2f} MB"


def flagship(folder: Path) -> Iterator[Line]:
    """The page, movie and glTF file of the slider-crank with a meshed rod."""
    mesh = ROOT / "meshes" / "connecting_rod_fine.msh"
    model = (ROOT / "examples" / "spatial_slider_crank_mesh.toml").read_text().replace("connecting_rod.h5", "rod.h5")
    (folder / "model.toml").write_text(model)
    flexmb(folder, "reduce", str(mesh), *REDUCE.split())
    flexmb(folder, "run", "model.toml", "--set", "output.every=$turns/$speed/1199", "-o", "run.h5")
    flexmb(folder, "animate", "run.h5", "-o", "warm.mp4", "--frames", "2")
    seconds = flexmb(folder, "animate", "run.h5", "-o", "page.html")
    page = folder / "page.html"
    yield "page of 5.6k nodes, 8 shapes, 1200 frames, with stress", "0.7 MB", f"{megabytes(page)}, {seconds:.1f} CPU s"
    span = 4.0 * np.pi / 150.0
    for name, renderer in (("own renderer", "flexmb"), ("pyvista, software OpenGL", "vtk")):
        file = f"{renderer}.mp4"
        speed = ["--fps", "30", "--speed", repr(span / 4.0), "--size", "1280x720"]
        seconds = flexmb(folder, "animate", "run.h5", "-o", file, *speed, "--renderer", renderer)
        yield f"mp4, 120 frames of 1280 x 720, {name}", "10 CPU s", f"{seconds:.1f} CPU s, {megabytes(folder / file)}"
    seconds = flexmb(folder, "animate", "run.h5", "-o", "model.glb")
    yield "glTF file of the same", "", f"{megabytes(folder / 'model.glb')}, {seconds:.1f} CPU s"
    seconds = flexmb(folder, "report", "run.h5", "-o", "report.html")
    yield "report page of the same", "2 MB", f"{megabytes(folder / 'report.html')}, {seconds:.1f} CPU s"


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


def large(folder: Path) -> Iterator[Line]:
    """Frames and the page of a body of 50k nodes."""
    from flexmb.view.web.page import write_page

    part = large_part(50, 100)
    part.positions(0)
    times = []
    for frame in range(100):
        start = time.perf_counter()
        part.positions(frame, 10.0)
        times.append(time.perf_counter() - start)
    yield (
        "points of a frame, 50k nodes and 50 shapes",
        "10 ms",
        f"{1e3 * min(times):.1f} ms (median {1e3 * np.median(times):.1f})",
    )
    scene = Scene("bar", "", np.linspace(0.0, 1.0, 1200), (large_part(20, 1200),), center=(0.5, 0.0, 0.0), radius=0.6)
    write_page(scene, folder / "large.html", Look())
    yield "page of 50k nodes, 20 shapes, 1200 frames", "", megabytes(folder / "large.html")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        lines = [*flagship(Path(name)), *large(Path(name))]
    rows = ["| what | asked for | measured |", "| --- | --- | --- |", *(f"| {' | '.join(line)} |" for line in lines)]
    OUTPUT.write_text("# Pages, movies and frames\n\n" + TEXT + "\n".join(rows) + "\n")
    print("\n".join(rows))


if __name__ == "__main__":
    main()
