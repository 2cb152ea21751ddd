"""flexmb on the finite element problems, each in a process of its own.

    python benchmarks/ours_fe.py assembly MESH.npz
    python benchmarks/ours_fe.py craig-bampton MATRICES.npz        print cost and figures as JSON
    python benchmarks/ours_fe.py second-order MESH.npz
    python benchmarks/ours_fe.py reduction MESH.npz
    python benchmarks/ours_fe.py free-modes MESH.npz COUNT METIS|plain|COLAMD|MMD_AT_PLUS_A

Kernels are compiled and the cache is warm before anything is counted.
"""

from __future__ import annotations

import sys
from collections import deque
from typing import Any

import numpy as np
from own_process import answer, cost_of
from problems_fe import DENSITY, NU, WARM_UP, Arrays, CraigBampton, E, read_arrays, read_craig_bampton
from scipy.linalg import qr
from scipy.sparse.linalg import splu

from flexmb.bodies.reduce_mesh import reduce_mesh
from flexmb.bodies.reduced_body import ReducedBody
from flexmb.elements.fe_model import FEModel
from flexmb.elements.material import Material
from flexmb.elements.solid.assemble import assemble
from flexmb.mesh.mesh import Cells, Mesh
from flexmb.reduction.component_modes import ComponentModes, component_modes
from flexmb.reduction.eigenmodes import lowest_modes
from flexmb.reduction.free_body import FreeBody
from flexmb.reduction.interfaces import make_interface
from flexmb.reduction.request import DEFAULT_MODES, ReductionRequest, TieRequest
from flexmb.reduction.second_order import second_order_fields
from flexmb.reduction.sparse.blas import blas_threads

SUPERLU: dict[str, dict[str, Any]] = {
    "COLAMD": {},
    "MMD_AT_PLUS_A": {"diag_pivot_thresh": 0.0, "options": {"SymmetricMode": True}},
}
"""Orderings of SciPy's SuperLU: its default, and the one for symmetric matrices, with what belongs to it"""
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


def second_order(path: str) -> None:
    """From component modes with the default number of eigenmodes to the second-order field, which is not kept."""

    def body_and_shapes(bar_arrays: Arrays, ends: Any) -> tuple[FreeBody, ComponentModes]:
        model = model_of(bar_arrays)
        body = FreeBody(model, [make_interface(model, name, nodes) for name, nodes in zip("ab", ends, strict=True)])
        return body, component_modes(body, "craig-bampton", modes=DEFAULT_MODES)

    with blas_threads(1):  # as in a reduction
        small = body_and_shapes(WARM_UP.arrays(), WARM_UP.ends())
        deque(second_order_fields(*small), maxlen=0)
        arrays = read_arrays(path)
        before, ready = cost_of(lambda: body_and_shapes(arrays, ends_of(arrays.points)))
        cost, _ = cost_of(lambda: deque(second_order_fields(*ready), maxlen=0))
    answer(**cost, unknowns=3 * len(arrays.points), shapes=ready[1].Phi.shape[1], before=before["cpu"])


def reduction(path: str) -> None:
    """From the arrays of a mesh to the body with everything that is usual: quadratic field, comparison, estimates."""

    def reduced(arrays: Arrays) -> ReducedBody:
        ends = dict(zip("ab", ends_of(arrays.points), strict=True))
        mesh = Mesh(arrays.points, (Cells("tet10", arrays.cells),), node_sets=ends)
        return reduce_mesh(mesh, STEEL, ReductionRequest(interfaces=tuple(TieRequest(name, name) for name in ends)))

    reduced(WARM_UP.arrays())
    arrays = read_arrays(path)
    cost, body = cost_of(lambda: reduced(arrays))
    factor = body.report["sizes"]["factor_bytes"] / 1e9
    answer(**cost, unknowns=3 * len(arrays.points), shapes=body.n_modes, factor=factor)


def ends_of(points: Any) -> list[Any]:
    """Nodes of the two end faces of a bar, across its longest direction."""
    x = points[:, int(np.argmax(np.ptp(points, axis=0)))]
    near = 1e-9 * float(np.ptp(x))
    return [np.flatnonzero(x <= x.min() + near), np.flatnonzero(x >= x.max() - near)]


def held_modes(problem: CraigBampton) -> ComponentModes:
    model = FEModel(problem.points, problem.stiffness, problem.node_mass)
    ends = [make_interface(model, name, nodes) for name, nodes in (("start", problem.start), ("end", problem.end))]
    return component_modes(FreeBody(model, ends), "craig-bampton", modes=problem.modes)


def free_modes(path: str, count: str, method: str) -> None:
    """The lowest modes of a free body: assembly, factorisation and the search for modes are counted apart."""
    if method == "plain":
        # Importing it now fails, as where it is not installed.
        sys.modules["pymetis"] = None  # type: ignore[assignment]
    small = model_of(WARM_UP.arrays())
    searched(small, FreeBody(small, []), 3)
    arrays = read_arrays(path)
    assembly_cost, model = cost_of(lambda: model_of(arrays))
    factor_cost, body = cost_of(lambda: SuperLUBody(model, method) if method in SUPERLU else FreeBody(model, []))
    search_cost, found = cost_of(lambda: searched(model, body, int(count)))
    facts = {}
    if isinstance(body, FreeBody):
        factor = body.factor
        facts = {"ordering": factor.ordering, "entries": factor.nnz, "flops": factor.flops, "bytes": factor.bytes}
    answer(
        cpu=factor_cost["cpu"] + search_cost["cpu"],
        wall=factor_cost["wall"] + search_cost["wall"],
        assembly=assembly_cost,
        factorisation=factor_cost,
        search=search_cost,
        unknowns=3 * len(model.points),
        frequencies=found.frequencies.tolist(),
        residual=float(np.max(found.residuals)),
        **facts,
    )


def searched(model: FEModel, body: Any, count: int) -> Any:
    """The lowest modes by block Lanczos."""
    return lowest_modes(model.mass_times, body.solve, 3 * len(model.points), count=count, known=body.R)


class SuperLUBody:
    """A free body held at six unknowns and factorised by SciPy's SuperLU with one of its orderings."""

    def __init__(self, model: FEModel, ordering: str) -> None:
        R = model.rigid_motions()
        self.R = R @ np.linalg.inv(np.linalg.cholesky(R.T @ model.mass_times(R))).T
        self.MR = model.mass_times(self.R)
        pins = qr(self.R.T, mode="r", pivoting=True)[1][:6]
        self.kept = np.setdiff1d(np.arange(len(R)), pins)
        self.factor = splu(model.K.tocsc()[self.kept][:, self.kept], permc_spec=ordering, **SUPERLU[ordering])

    def solve(self, f: Any) -> Any:
        f = f - self.MR @ (self.R.T @ f)
        u = np.zeros_like(f)
        u[self.kept] = self.factor.solve(f[self.kept])
        return u - self.R @ (self.MR.T @ u)


TASKS: dict[str, Any] = {
    "assembly": assembly,
    "craig-bampton": craig_bampton,
    "free-modes": free_modes,
    "second-order": second_order,
    "reduction": reduction,
}


def main() -> None:
    TASKS[sys.argv[1]](*sys.argv[2:])


if __name__ == "__main__":
    main()
