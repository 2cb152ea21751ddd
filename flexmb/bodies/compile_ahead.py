"""Compile the kernels of a reduction before it starts, on two cores: elements here, sparse solver in a second process.

Both work on a mesh of a few cells; what the other process compiled is then read from the cache. Without a second core
every kernel is compiled when it is first called.
"""

from __future__ import annotations

import numpy as np

from flexmb.elements.material import MATERIALS
from flexmb.elements.solid.assemble import assemble
from flexmb.machine_code.jit import arrays_are_compiled, second_process
from flexmb.mesh.mesh import Cells, Mesh

_SCRIPT = "from flexmb.bodies.compile_ahead import compile_sparse; compile_sparse()"
_BLOCKS = (8, 6, 6)
"""Lattice on which the sparse solver is compiled: large enough to be dissected."""


def is_compiled() -> bool:
    """Whether a mesh has been factorised before."""
    return arrays_are_compiled("supernodes")


def compile_ahead() -> None:
    """Compile both halves, unless they are in the cache."""
    if is_compiled():
        return
    with second_process(_SCRIPT) as helper:
        if helper is not None:
            compile_elements()
            helper.wait()


def compile_elements() -> None:
    """Compile checks, assembly, second-order forces and the estimate of their error, on one tetrahedron."""
    from flexmb.elements.discretisation import discretisation_errors
    from flexmb.elements.solid.second_order import second_order_forces
    from flexmb.mesh.checks import check_mesh

    corners = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    edges = [(0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3)]
    points = np.concatenate([corners, [(corners[a] + corners[b]) / 2.0 for a, b in edges]])
    mesh = Mesh(points, (Cells("tet10", np.arange(10)[None]),))
    check_mesh(mesh)
    model = assemble(mesh, MATERIALS["steel"])
    second_order_forces(model, model.rigid_motions()[:, 3:4], np.array([[0, 0]]))
    discretisation_errors(model, model.rigid_motions()[:, 3:4], np.arange(0), np.zeros(1))


def compile_sparse() -> None:
    """Compile ordering, factorisation and solution, on a lattice of blocks."""
    from scipy.sparse import bsr_array, diags_array, eye_array, kron

    from flexmb.reduction.sparse.factor import factorise

    places = np.stack(np.meshgrid(*(np.arange(float(n)) for n in _BLOCKS), indexing="ij"), axis=-1).reshape(-1, 3)
    lines = [diags_array([-1.0, 2.1, -1.0], offsets=[-1, 0, 1], shape=(n, n)) for n in _BLOCKS]
    ones = [eye_array(n) for n in _BLOCKS]
    lattice = sum(
        kron(kron(lines[0] if i == 0 else ones[0], lines[1] if i == 1 else ones[1]), lines[2] if i == 2 else ones[2])
        for i in range(3)
    )
    factor = factorise(bsr_array(kron(lattice, np.eye(3)), blocksize=(3, 3)), places)
    factor.solve(np.ones((3 * len(places), 9)))
