"""Solid models for the tests: merged meshes, supports, and element integrals written a second time in plain NumPy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, eigsh, splu

from flexmb.elements.fe_model import FEModel
from flexmb.elements.material import Material
from flexmb.elements.solid.elasticity import lame_constants
from flexmb.elements.solid.element_tables import element_tables
from flexmb.mesh.mesh import SOLIDS, Cells, Mesh
from flexmb.mesh.reference_cells import shape_functions

KINDS = tuple(SOLIDS)
FACES = ("xmin", "xmax", "ymin", "ymax", "zmin", "zmax")


def merged(first: Mesh, second: Mesh) -> Mesh:
    """Two meshes as one, with points that coincide taken once."""
    points = np.concatenate([first.points, second.points])
    _, keep, number = np.unique(np.round(points, 9), axis=0, return_index=True, return_inverse=True)
    number = number.ravel()
    cells = [Cells(block.kind, number[block.nodes]) for block in first.cells]
    cells += [Cells(block.kind, number[block.nodes + first.n_points]) for block in second.cells]
    count = [len(block) for block in cells]
    sets = {f"part_{i}": tuple(np.arange(n if i == j else 0) for j, n in enumerate(count)) for i in range(len(cells))}
    return Mesh(points[keep], tuple(cells), cell_sets=sets)


def mapped(mesh: Mesh, function) -> Mesh:
    """The mesh with its points moved: function (n, 3) -> (n, 3)."""
    return replace(mesh, points=np.ascontiguousarray(function(mesh.points)))


def on_box(points: np.ndarray) -> np.ndarray:
    """Which points lie on the outside of the box that all of them fill."""
    low, high = points.min(axis=0), points.max(axis=0)
    return (np.isclose(points, low, atol=1e-9) | np.isclose(points, high, atol=1e-9)).any(axis=1)


def unknowns(nodes: np.ndarray) -> np.ndarray:
    """Numbers of the unknowns of nodes."""
    return (3 * np.asarray(nodes)[:, None] + np.arange(3)).ravel()


def factor(matrix):
    """LU factors of a symmetric positive definite matrix, without pivoting and in an order that suits symmetry."""
    return splu(matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})


def solve(model: FEModel, held: np.ndarray, values: np.ndarray | float, force: np.ndarray) -> np.ndarray:
    """Displacements (3 n,) under a force with the unknowns `held` prescribed."""
    K = sparse.csc_matrix(model.K)
    u = np.zeros(len(force))
    u[held] = values
    free = np.setdiff1d(np.arange(len(force)), held)
    right = force - K @ u
    u[free] = factor(K[free][:, free]).solve(right[free])
    return u


def frequencies(model: FEModel, held: np.ndarray, count: int, shift: float = 0.0) -> np.ndarray:
    """Lowest angular frequencies with the unknowns `held` fixed."""
    K, M = sparse.csc_matrix(model.K), sparse.csc_matrix(sparse.kron(model.M, np.eye(3)))
    free = np.setdiff1d(np.arange(K.shape[0]), held)
    K, M = K[free][:, free], M[free][:, free]
    inverse = LinearOperator(K.shape, factor(K - shift * M).solve)
    squares = eigsh(K, count, M, sigma=shift, OPinv=inverse, return_eigenvectors=False)
    return np.sqrt(np.abs(np.sort(squares)))


def gradients(mesh: Mesh, block: Cells) -> tuple[np.ndarray, np.ndarray]:
    """Gradients (cells, g, k, 3) of shape functions at the points of stiffness, and volumes (cells, g) there."""
    tables = element_tables(block.kind)
    J = np.einsum("cia,gib->cgab", mesh.points[block.nodes], tables.gradients)
    G = np.einsum("gib,cgba->cgia", tables.gradients, np.linalg.inv(J))
    return G, np.linalg.det(J) * tables.weights


def stiffness_by_strain_matrices(mesh: Mesh, material: Material) -> np.ndarray:
    """Dense stiffness by B^T D B with engineering strains: another road to the same matrix."""
    lam, mu = lame_constants(material)
    D = np.diag([2 * mu, 2 * mu, 2 * mu, mu, mu, mu])
    D[:3, :3] += lam
    K = np.zeros((3 * mesh.n_points, 3 * mesh.n_points))
    for block in mesh.cells:
        G, volume = gradients(mesh, block)
        B = np.zeros((*G.shape[:2], 6, G.shape[2], 3))
        for row, terms in enumerate(
            [[(0, 0)], [(1, 1)], [(2, 2)], [(0, 1), (1, 0)], [(1, 2), (2, 1)], [(2, 0), (0, 2)]]
        ):
            for component, direction in terms:
                B[:, :, row, :, component] = G[..., direction]
        B = B.reshape(*B.shape[:3], -1)
        for cell, nodes in enumerate(block.nodes):
            rows = unknowns(nodes)
            K[np.ix_(rows, rows)] += np.einsum("g,gri,rs,gsj->ij", volume[cell], B[cell], D, B[cell])
    return K


def mass_by_points(mesh: Mesh, density: float) -> np.ndarray:
    """Dense node mass with a Gauss-Legendre rule of 8 points a direction on collapsed cubes."""
    x, w = np.polynomial.legendre.leggauss(8)
    r, s, t = (grid.ravel() for grid in np.meshgrid(x, x, x, indexing="ij"))
    weight = np.einsum("i,j,k->ijk", w, w, w).ravel()
    M = np.zeros((mesh.n_points, mesh.n_points))
    for block in mesh.cells:
        a, b, c = (r + 1) / 2, (s + 1) / 2, (t + 1) / 2
        if block.kind.startswith("tet"):
            points, factor = np.stack([a * (1 - b) * (1 - c), b * (1 - c), c], axis=1), (1 - b) * (1 - c) ** 2 / 8
        elif block.kind.startswith("wedge"):
            points, factor = np.stack([a * (1 - b), b, t], axis=1), (1 - b) / 4
        elif block.kind.startswith("pyramid"):
            points, factor = np.stack([r * (1 - c), s * (1 - c), c], axis=1), (1 - c) ** 2 / 2
        else:
            points, factor = np.stack([r, s, t], axis=1), np.ones_like(r)
        N = shape_functions(block.kind, points)
        step = 1e-6  # central differences of polynomials of degree at most 4 a direction: error about 1e-10
        dN = np.stack(
            [
                (shape_functions(block.kind, points + step * e) - shape_functions(block.kind, points - step * e))
                / (2 * step)
                for e in np.eye(3)
            ],
            axis=2,
        )
        det = np.linalg.det(np.einsum("cia,gib->cgab", mesh.points[block.nodes], dN))
        for cell, nodes in enumerate(block.nodes):
            M[np.ix_(nodes, nodes)] += density * np.einsum("g,gi,gj->ij", det[cell] * factor * weight, N, N)
    return M
