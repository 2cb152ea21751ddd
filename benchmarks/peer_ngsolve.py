"""NGSolve: assembly of K and M of a tet10 mesh.

    python benchmarks/peer_ngsolve.py MESH.npz      prints cost and figures as JSON

Quadratic displacements on cells of four corners; curved cells come from a displacement of the mesh. Counted: spaces,
forms and assembly, but not the making of its mesh. Taken is the fastest of what was tried: K in a space of dimension
three, which stores 3 x 3 blocks (half the time of VectorH1), and M of one direction. Symmetric storage, compiled forms
and other ways of writing the form are equal within the scatter; the task manager takes more CPU time.
"""

from __future__ import annotations

import sys
from typing import Any

import ngsolve
import numpy as np
from netgen.meshing import Mesh
from own_process import answer, cost_of
from problems_fe import DENSITY, NU, WARM_UP, Arrays, E, bent, read_arrays


def make_mesh(arrays: Arrays) -> Any:
    points, cells = arrays.corners()
    mesh = Mesh(dim=3)
    mesh.AddPoints(points)
    mesh.AddElements(dim=3, index=1, data=cells.astype(np.int32), base=0)
    return ngsolve.Mesh(mesh)


def assemble(mesh: Any) -> tuple[Any, Any]:
    """K and M, of which M is that of one direction."""
    shear, bulk = E / (2 * (1 + NU)), E * NU / ((1 + NU) * (1 - 2 * NU))
    displacements, one_direction = ngsolve.H1(mesh, order=2, dim=3), ngsolve.H1(mesh, order=2)
    u, v = displacements.TnT()
    p, q = one_direction.TnT()
    gradient, test = ngsolve.Grad(u), ngsolve.Grad(v)
    energy = shear * ngsolve.InnerProduct(gradient + gradient.trans, test)
    energy += bulk * ngsolve.Trace(gradient) * ngsolve.Trace(test)
    K, M = ngsolve.BilinearForm(displacements), ngsolve.BilinearForm(one_direction)
    K += energy * ngsolve.dx
    M += DENSITY * p * q * ngsolve.dx
    K.Assemble()
    M.Assemble()
    return K, M


def values(space: Any, field: Any) -> Any:
    """The field in the space, by interpolation."""
    found = ngsolve.GridFunction(space)
    found.Set(ngsolve.CF(field))
    return found


def form_of(form: Any, vector: Any) -> float:
    return float(ngsolve.InnerProduct((form.mat * vector).Evaluate(), vector))


def main() -> None:
    assemble(make_mesh(WARM_UP.arrays()))
    arrays = read_arrays(sys.argv[1])
    mesh = make_mesh(arrays)
    displacement = bent(ngsolve.x, ngsolve.y, ngsolve.z)
    u, one = values(ngsolve.H1(mesh, order=2, dim=3), displacement), values(ngsolve.H1(mesh, order=2), 1.0)
    if arrays.curvature:
        moved = values(ngsolve.VectorH1(mesh, order=2), tuple(arrays.curvature * part for part in displacement))
        mesh.SetDeformation(moved)
    cost, (K, M) = cost_of(lambda: assemble(mesh))
    answer(**cost, unknowns=3 * M.space.ndof, mass=form_of(M, one.vec), energy=form_of(K, u.vec) / 2)


if __name__ == "__main__":
    main()
