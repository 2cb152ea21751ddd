"""scikit-fem: assembly of K and M of a tet10 mesh.

    python benchmarks/peer_skfem.py MESH.npz      prints cost and figures as JSON

Quadratic displacements. Straight cells: MeshTet with its affine map, quadrature of degree 2 for K and 4 for M, which is
exact and the least; curved cells: MeshTet2, degrees 4 and 7. M is that of one direction, as in flexmb. Counted: from
the arrays of the mesh to both matrices.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import numpy as np
from own_process import answer, cost_of
from problems_fe import DENSITY, NU, WARM_UP, Arrays, E, bent, read_arrays
from skfem import Basis, BilinearForm, ElementTetP2, ElementVector, MeshTet, MeshTet2
from skfem.models.elasticity import lame_parameters, linear_elasticity


@BilinearForm
def inertia(u: Any, v: Any, w: Any) -> Any:
    return DENSITY * u * v


def make_mesh(arrays: Arrays) -> Any:
    points, cells = arrays.corners()
    mesh = MeshTet(points.T.copy(), cells.T.copy())
    if not arrays.curvature:
        return mesh
    curved = MeshTet2.from_mesh(mesh)
    return replace(curved, doflocs=curved.doflocs + arrays.curvature * np.array(bent(*curved.doflocs)))


def assemble(arrays: Arrays) -> tuple[Any, Any]:
    """K and M, of which M is that of one direction."""
    mesh = make_mesh(arrays)
    displacements = Basis(mesh, ElementVector(ElementTetP2()), intorder=4 if arrays.curvature else 2)
    one_direction = Basis(mesh, ElementTetP2(), intorder=7 if arrays.curvature else 4)
    K = linear_elasticity(*lame_parameters(E, NU)).assemble(displacements)
    return K, inertia.assemble(one_direction)


def bending_energy(arrays: Arrays, K: Any) -> float:
    """Strain energy of `bent`, a function of the place before the mesh was moved."""
    basis = Basis(make_mesh(arrays._replace(curvature=0.0)), ElementVector(ElementTetP2()), intorder=0)
    field = np.array(bent(*basis.doflocs))
    u = np.empty(K.shape[0])
    for dofs in (basis.nodal_dofs, basis.edge_dofs):
        for axis in range(3):
            u[dofs[axis]] = field[axis, dofs[axis]]
    return float(u @ (K @ u)) / 2


def main() -> None:
    assemble(WARM_UP.arrays())
    arrays = read_arrays(sys.argv[1])
    cost, (K, M) = cost_of(lambda: assemble(arrays))
    answer(**cost, unknowns=K.shape[0], mass=float(M.sum()), energy=bending_energy(arrays, K))


if __name__ == "__main__":
    main()
