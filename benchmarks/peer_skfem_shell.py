"""scikit-fem: a plate of six unknowns a node, assembly of K and M, and its lowest modes.

    python benchmarks/peer_skfem_shell.py assembly PLATE.npz
    python benchmarks/peer_skfem_shell.py modes PLATE.npz COUNT      print cost and figures as JSON

scikit-fem has no shell. What comes nearest with the same unknowns is a flat Reissner-Mindlin plate with membrane and
drilling: ElementVector of ElementQuad1 with three displacements and three rotations, 2 x 2 points, consistent mass with
rotary inertia. Against locking the shear is integrated at one point but for a small share, without which the plate has
a mechanism. It knows that it is flat and lies in x, y, which a shell does not. Modes: SciPy's eigsh about a negative
shift, with SuperLU in its symmetric mode, which is faster here than its default (15 s against 19 s).
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from own_process import answer, cost_of
from problems_shell import DENSITY, NU, WARM_UP, E
from scipy.sparse.linalg import LinearOperator, eigsh, splu
from skfem import Basis, BilinearForm, ElementQuad1, ElementVector, MeshQuad

THICKNESS = WARM_UP.thickness
MEMBRANE, BENDING = (E / (1 - NU**2) * THICKNESS**power / factor for power, factor in ((1, 1), (3, 12)))
SHEAR = E / (2 * (1 + NU)) * THICKNESS
DRILLING = SHEAR
FULL_SHARE = 0.05
"""of the shear that is integrated at 2 x 2 points"""
MIDDLE = np.full((2, 1), 0.5), np.ones(1)
"""Point and weight on the reference cell; intorder=1 takes 2 x 2 points"""
SYMMETRIC: dict[str, Any] = {
    "permc_spec": "MMD_AT_PLUS_A",
    "diag_pivot_thresh": 0.0,
    "options": {"SymmetricMode": True},
}
SHIFT = -1e3
"""[1/s^2]"""


def energy_of(factor: float, a: tuple[Any, ...], b: tuple[Any, ...]) -> Any:
    """Work of the plane stress of strains a = (xx, yy, xy) on b"""
    return factor * (a[0] * b[0] + a[1] * b[1] + NU * (a[0] * b[1] + a[1] * b[0]) + (1 - NU) / 2 * a[2] * b[2])


def membrane(g: Any) -> tuple[Any, ...]:
    return g[0, 0], g[1, 1], g[0, 1] + g[1, 0]


def bending(g: Any) -> tuple[Any, ...]:
    return g[4, 0], -g[3, 1], g[4, 1] - g[3, 0]


def shear(u: Any, v: Any) -> Any:
    g, h = u.grad, v.grad
    return 5 / 6 * SHEAR * ((g[2, 0] + u[4]) * (h[2, 0] + v[4]) + (g[2, 1] - u[3]) * (h[2, 1] - v[3]))


@BilinearForm
def stiffness(u: Any, v: Any, _: Any) -> Any:
    g, h = u.grad, v.grad
    spin = (u[5] - (g[1, 0] - g[0, 1]) / 2) * (v[5] - (h[1, 0] - h[0, 1]) / 2)
    plate = energy_of(BENDING, bending(g), bending(h)) + FULL_SHARE * shear(u, v)
    return energy_of(MEMBRANE, membrane(g), membrane(h)) + plate + DRILLING * spin


@BilinearForm
def shear_of_middle(u: Any, v: Any, _: Any) -> Any:
    return (1 - FULL_SHARE) * shear(u, v)


@BilinearForm
def inertia(u: Any, v: Any, _: Any) -> Any:
    moved = u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
    turned = u[3] * v[3] + u[4] * v[4]
    return DENSITY * (THICKNESS * moved + THICKNESS**3 / 12 * turned)


def assemble(points: Any, cells: Any) -> tuple[Any, Any]:
    mesh, element = MeshQuad(points[:, :2].T.copy(), cells.T.copy()), ElementVector(ElementQuad1(), 6)
    full, middle = Basis(mesh, element, intorder=3), Basis(mesh, element, quadrature=MIDDLE)
    return stiffness.assemble(full) + shear_of_middle.assemble(middle), inertia.assemble(full)


def frequencies(points: Any, cells: Any, count: int) -> Any:
    """[Hz] of the lowest elastic modes"""
    K, M = assemble(points, cells)
    factor = splu((K - SHIFT * M).tocsc(), **SYMMETRIC)
    inverse = LinearOperator(K.shape, matvec=factor.solve, dtype=float)
    values = eigsh(K, M=M, k=6 + count, sigma=SHIFT, OPinv=inverse, return_eigenvectors=False)
    return np.sqrt(np.abs(np.sort(values)[6:])) / (2 * np.pi)


def main() -> None:
    task, name, *count = sys.argv[1:]
    with np.load(name, allow_pickle=False) as data:
        arrays = data["points"], data["cells"]
    small = WARM_UP.points(), WARM_UP.cells()
    if task == "assembly":
        assemble(*small)
        cost, (K, _) = cost_of(lambda: assemble(*arrays))
        answer(**cost, unknowns=K.shape[0])
    else:
        frequencies(*small, 3)
        cost, found = cost_of(lambda: frequencies(*arrays, int(count[0])))
        answer(**cost, frequencies=found.tolist())


if __name__ == "__main__":
    main()
