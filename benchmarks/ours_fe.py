"""flexmb on the finite element problems, each in a process of its own.

    python benchmarks/ours_fe.py assembly MESH.npz
    python benchmarks/ours_fe.py craig-bampton MATRICES.npz        print cost and figures as JSON
    python benchmarks/ours_fe.py free-modes MESH.npz COUNT plain|METIS

Kernels are compiled and the cache is warm before anything is counted.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from own_process import answer, cost_of
from problems_fe import DENSITY, NU, WARM_UP, Arrays, CraigBampton, E, read_arrays, read_craig_bampton

from flexmb.elements.fe_model import FEModel
from flexmb.elements.material import Material
from flexmb.elements.solid.assemble import assemble
from flexmb.mesh.mesh import Cells, Mesh
from flexmb.reduction.component_modes import ComponentModes, component_modes
from flexmb.reduction.eigenmodes import lowest_modes
from flexmb.reduction.free_body import FreeBody
from flexmb.reduction.interfaces import make_interface

STEEL = Material(E=E, G=E / (2 * (1 + NU)), density=DENSITY)


def model_of(arrays: Arrays) -> FEModel:
    return assemble(Mesh(arrays.points, (Cells("tet10", arrays.cells),)), STEEL)


def assembly(path: str) -> None:
    """From the arrays of the mesh to K and M."""
    model_of(WARM_UP.arrays())
    arrays = read_arrays(path)
    cost, model = cost_of(lambda: model_of(arrays))
    u = arrays.bent().ravel()
    energy = float(u @ (model.K @ u)) / 2
    answer(**cost, unknowns=len(u), mass=float(model.M.sum()), energy=energy)


def craig_bampton(path: str) -> None:
    """From the matrices to orthogonal component modes: fixed-interface and constraint modes of two rigid interfaces."""
    problem = read_craig_bampton(path)
    bar = WARM_UP
    small = model_of(bar.arrays())
    held_modes(CraigBampton(small.points, small.K, small.M, *bar.ends(), modes=3))
    cost, shapes = cost_of(lambda: held_modes(problem))
    frequencies = [source.frequency for source in shapes.sources if source.kind == "fixed-interface"]
    answer(**cost, unknowns=3 * len(problem.points), frequencies=frequencies)


def held_modes(problem: CraigBampton) -> ComponentModes:
    model = FEModel(problem.points, problem.stiffness, problem.node_mass)
    ends = [make_interface(model, name, nodes) for name, nodes in (("start", problem.start), ("end", problem.end))]
    return component_modes(FreeBody(model, ends), "craig-bampton", modes=problem.modes)


def free_modes(path: str, count: str, install: str) -> None:
    """The lowest modes of a free body: assembly is counted apart."""
    if install == "plain":
        # Importing it now fails, as where it is not installed.
        sys.modules["pymetis"] = None  # type: ignore[assignment]
    free_body_modes(model_of(WARM_UP.arrays()), 3)
    arrays = read_arrays(path)
    assembly_cost, model = cost_of(lambda: model_of(arrays))
    cost, (factor, found) = cost_of(lambda: free_body_modes(model, int(count)))
    answer(
        **cost,
        assembly=assembly_cost,
        unknowns=3 * len(model.points),
        ordering=factor.ordering,
        factor_gigabytes=factor.bytes / 1e9,
        frequencies=found.frequencies.tolist(),
        residual=float(np.max(found.residuals)),
    )


def free_body_modes(model: FEModel, count: int) -> Any:
    body = FreeBody(model, [])
    return body.factor, lowest_modes(model.mass_times, body.solve, body.n, count=count, known=body.R)


TASKS: dict[str, Any] = {"assembly": assembly, "craig-bampton": craig_bampton, "free-modes": free_modes}


def main() -> None:
    TASKS[sys.argv[1]](*sys.argv[2:])


if __name__ == "__main__":
    main()
