"""CPU time of whole commands, from the start of a process to its end, of flexmb installed from a wheel.

`installed` builds a wheel of the repository and installs it in a new environment, whose other packages are those of
this one; nothing is compiled there, and the first command finds no cache. In a copy of this folder alone it is the
flexmb of this environment.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from places import MODELS, ROOT

EXAMPLE = MODELS / "01_double_pendulum.toml"
COMMANDS = {
    "run": ["run", str(EXAMPLE), "-o", "out.h5"],
    "check": ["check", str(EXAMPLE)],
    "--help": ["--help"],
}
PENDULUM = """
import exudyn as exu
from exudyn.utilities import *
import exudyn.itemInterface as items
mbs = exu.SystemContainer().AddSystem()
node = mbs.AddNode(items.NodePoint2D(referenceCoordinates=[1, 0]))
body = mbs.AddObject(items.ObjectMassPoint2D(mass=1, nodeNumber=node))
ground = mbs.AddObject(items.ObjectGround())
markers = [mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=b)) for b in (ground, body)]
mbs.AddObject(items.ObjectConnectorDistance(markerNumbers=markers, distance=1))
mbs.AddLoad(items.Force(markerNumber=markers[1], loadVector=[0, -9.81, 0]))
mbs.Assemble()
simulation = exu.SimulationSettings()
simulation.timeIntegration.numberOfSteps, simulation.timeIntegration.endTime = 1000, 1
simulation.timeIntegration.verboseMode = 0
mbs.SolveDynamic(simulation)
"""
"""A small script of Exudyn, with the imports of its own examples: a pendulum of one point mass, 1000 steps"""
LEAN = PENDULUM.replace("from exudyn.utilities import *\n", "")
"""The same with as few imports as it takes"""


@contextmanager
def installed() -> Iterator[tuple[Path, bool]]:
    """The Python of an environment with flexmb, and whether that is a fresh installation of a wheel."""
    if not (ROOT / "pyproject.toml").is_file():
        yield Path(sys.executable), False
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, ROOT)
        (wheel,) = folder.glob("*.whl")
        _run(sys.executable, "-m", "venv", folder / "venv")
        python = folder / "venv" / "bin" / "python"
        _run(python, "-m", "pip", "install", "-q", "--no-deps", wheel)
        places = [place for place in sys.path if place.endswith("site-packages")]
        (next(folder.glob("venv/lib/python*/site-packages")) / "packages.pth").write_text("\n".join(places))
        yield python, True


def _run(*words: object) -> None:
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise RuntimeError(f"{' '.join(map(str, words[1:4]))} failed: {said[-1] if said else ''}")


def cpu_seconds(python: Path, words: list[str], repeats: int, *, first: bool = False) -> float:
    """CPU time of a process `python words` [s]: the least of some warm ones, or of the first, with empty caches."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        environment |= {"FLEXMB_CACHE": folder} if first else {}
        for repeat in range(1 if first else repeats + 1):
            before = os.times()
            subprocess.run([str(python), *words], cwd=folder, env=environment, check=True, capture_output=True)
            after = os.times()
            spent = after.children_user + after.children_system - before.children_user - before.children_system
            found += [spent] if repeat or first else []  # the first one writes what later ones read
    return min(found)
