"""flexmb on the shell problem, each task in a process of its own.

    python benchmarks/ours_shell.py assembly PLATE.npz
    python benchmarks/ours_shell.py modes PLATE.npz COUNT         print cost and figures as JSON
    python benchmarks/ours_shell.py deck PLATE.inp COUNT

Kernels are compiled and the cache is warm before anything is counted.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from own_process import answer, cost_of
from problems_shell import DENSITY, NU, WARM_UP, E, write_deck, write_plate

from flexmb.bodies.reduce_mesh import assemble_mesh
from flexmb.elements.fe_model import FEModel
from flexmb.elements.material import Material
from flexmb.mesh.mesh import Cells, Mesh
from flexmb.mesh.read import read_mesh
from flexmb.reduction.eigenmodes import lowest_modes
from flexmb.reduction.free_body import FreeBody
from flexmb.reduction.sparse.blas import blas_threads

STEEL = Material(E=E, G=E / (2 * (1 + NU)), density=DENSITY)
THICKNESS = WARM_UP.thickness


def model_of(path: Path) -> FEModel:
    with np.load(path, allow_pickle=False) as data:
        mesh = Mesh(data["points"], (Cells("quad4", data["cells"]),))
    return assemble_mesh(mesh, STEEL, THICKNESS)


def frequencies(model: FEModel, count: int) -> Any:
    """[Hz] of the lowest elastic modes"""
    body = FreeBody(model, [])
    return lowest_modes(model.mass_times, body.solve, body.n, count=count, known=body.R).frequencies


def from_deck(path: Path, count: int) -> Any:
    return frequencies(assemble_mesh(read_mesh(path, "m"), STEEL, THICKNESS), count)


def measured(work: Any, name: str, *arguments: Any) -> tuple[dict[str, float], Any]:
    """Cost and result, after the same work on a small plate."""
    with blas_threads(1), tempfile.TemporaryDirectory() as folder:
        write = (lambda: write_deck(WARM_UP, 3, Path(folder))) if name.endswith(".inp") else None
        small = write() if write else write_plate(WARM_UP, Path(folder))
        work(small, *(3 for _ in arguments))
        return cost_of(lambda: work(Path(name), *arguments))


def main() -> None:
    task, name, *count = sys.argv[1:]
    if task == "assembly":
        cost, model = measured(model_of, name)
        facts = {"unknowns": model.K.shape[0]}
    elif task == "modes":
        cost, found = measured(lambda path, n: frequencies(model_of(path), n), name, int(count[0]))
        facts = {"frequencies": found.tolist()}
    else:
        cost, found = measured(from_deck, name, int(count[0]))
        facts = {"frequencies": found.tolist()}
    answer(**cost, **facts)


if __name__ == "__main__":
    main()
