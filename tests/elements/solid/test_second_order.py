"""Second-order forces and geometric stiffness against a nonlinear body written a second time, and against Euler.

Covers: elements.solid.kernels.nonlinear, elements.solid.solid_blocks.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import eigsh

from flexmb.elements.fe_model import FEModel
from flexmb.elements.material import MATERIALS, Material
from flexmb.elements.solid.assemble import assemble
from flexmb.elements.solid.elasticity import lame_constants
from flexmb.elements.solid.element_tables import element_tables
from flexmb.elements.solid.second_order import geometric_stiffness, second_order_forces
from flexmb.errors import InputError
from flexmb.mesh.mesh import Mesh
from flexmb.mesh.topology import is_quadratic
from flexmb.verification.solid_meshes import box_mesh
from tests.support.solid_cases import KINDS, gradients, unknowns

STEEL = MATERIALS["steel"]
PAIRS = np.array([(k, l) for k in range(3) for l in range(3)])


def model_of(kind: str, **options) -> FEModel:
    mesh = box_mesh(kind, (2, 1, 2), (1.0, 0.7, 0.5), distort=0.1, curve=0.05 if is_quadratic(kind) else 0.0)
    return assemble(mesh, STEEL, **options)


def random_modes(model: FEModel) -> np.ndarray:
    return np.random.default_rng(7).normal(size=(3 * len(model.points), 3))


def first_piola(H: np.ndarray) -> np.ndarray:
    """P = F S of a St. Venant-Kirchhoff material for displacement gradients (..., 3, 3)"""
    lam, mu = lame_constants(STEEL)
    F = np.eye(3) + H
    E = 0.5 * (np.swapaxes(F, -1, -2) @ F - np.eye(3))
    return F @ (lam * np.trace(E, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) + 2 * mu * E)


def internal_force(mesh: Mesh, u: np.ndarray) -> np.ndarray:
    """(3 n,) nodal forces of the nonlinear body"""
    force = np.zeros((mesh.n_points, 3))
    for block in mesh.cells:
        G, volume = gradients(mesh, block)
        H = np.einsum("cia,cgib->cgab", u.reshape(-1, 3)[block.nodes], G)
        np.add.at(force, block.nodes, np.einsum("cg,cgab,cgib->cia", volume, first_piola(H), G))
    return force.ravel()


@pytest.mark.parametrize("kind", KINDS)
def test_forces_are_second_differences_of_the_nonlinear_force(kind):
    model = model_of(kind, hex8="full")
    U = random_modes(model)
    forces = second_order_forces(model, U, PAIRS)

    def second(direction: np.ndarray) -> np.ndarray:
        # The force is a cubic in the amplitude: its second central difference is exact. Steps of 1/10 lose two digits.
        step = 0.1
        plus, minus = internal_force(model.mesh, step * direction), internal_force(model.mesh, -step * direction)
        return (plus + minus) / step**2

    for p, (k, l) in enumerate(PAIRS):
        mixed = 0.25 * (second(U[:, k] + U[:, l]) - second(U[:, k] - U[:, l]))
        assert forces[:, p] == pytest.approx(mixed, abs=1e-12 * np.abs(mixed).max())


def test_forces_of_incompatible_modes_are_differences_of_the_relaxed_force():
    """The nonlinear hex8 with its inner displacements relaxed by Newton's method."""
    mesh = box_mesh("hex8", (1, 1, 1), (1.0, 0.7, 0.5))
    points = mesh.points.copy()
    points[7] += (0.1, -0.08, 0.06)
    mesh = Mesh(points, mesh.cells)
    model = assemble(mesh, STEEL)
    U = random_modes(model)[:, :2] * 0.1
    force = second_order_forces(model, U, np.array([(0, 1)]))[:, 0]

    def second(direction: np.ndarray) -> np.ndarray:
        step = 2e-3
        return (relaxed_force(mesh, step * direction) + relaxed_force(mesh, -step * direction)) / step**2

    mixed = 0.25 * (second(U[:, 0] + U[:, 1]) - second(U[:, 0] - U[:, 1]))
    # The relaxed force is no polynomial: the next even term is of relative size (0.1 step)^2, round-off 1e-16 / step^2.
    assert force == pytest.approx(mixed, abs=1e-6 * np.abs(mixed).max())


def relaxed_force(mesh: Mesh, u: np.ndarray) -> np.ndarray:
    """(3 n,) forces of one nonlinear hex8 whose nine inner displacements are without force"""
    block, tables = mesh.cells[0], element_tables("hex8", True)
    G, volume = gradients(mesh, block)
    X = mesh.points[block.nodes[0]]
    centre = np.einsum("ia,ib->ab", X, tables.centre)
    scale = np.linalg.det(centre) * tables.weights / volume[0]
    inner = scale[:, None, None] * np.einsum("gib,ba->gia", tables.inner, np.linalg.inv(centre))
    G_all = np.concatenate([G[0], inner], axis=1)
    nodal, alpha = u.reshape(-1, 3)[block.nodes[0]], np.zeros((3, 3))

    def forces(alpha: np.ndarray) -> np.ndarray:
        H = np.einsum("ia,gib->gab", np.concatenate([nodal, alpha]), G_all)
        return np.einsum("g,gab,gib->ia", volume[0], first_piola(H), G_all)

    for _ in range(4):
        residual = forces(alpha)[8:].ravel()
        h = 1e-5
        tangent = np.stack(
            [(forces(alpha + h * e) - forces(alpha - h * e))[8:].ravel() / (2 * h) for e in np.eye(9).reshape(9, 3, 3)],
            axis=1,
        )
        alpha = alpha - np.linalg.solve(tangent, residual).reshape(3, 3)
    force = np.zeros((mesh.n_points, 3))
    force[block.nodes[0]] = forces(alpha)[:8]
    return force.ravel()


@pytest.mark.parametrize("kind", KINDS)
def test_third_derivatives_of_the_energy_are_symmetric(kind):
    model = model_of(kind)
    U = random_modes(model)
    forces = second_order_forces(model, U, PAIRS)
    third = (U.T @ forces).reshape(3, 3, 3)
    for order in permutations(range(3)):
        assert third == pytest.approx(third.transpose(order), abs=1e-13 * np.abs(third).max())
    # Internal forces have no resultant, whatever the deformation.
    assert np.abs(forces.reshape(-1, 3, len(PAIRS)).sum(axis=0)).max() < 1e-12 * np.abs(forces).max()


@pytest.mark.parametrize("kind", KINDS)
def test_a_rotation_has_its_own_second_order_as_static_derivative(kind):
    """exp(q w~) X = X + q w x X + q^2/2 w x (w x X) strains nothing: F + K (w x (w x X)) = 0."""
    model = model_of(kind)
    w = np.array([0.3, -0.5, 0.8])
    first = np.cross(w, model.points).reshape(-1, 1)
    second = np.cross(w, np.cross(w, model.points)).ravel()
    force = second_order_forces(model, first, np.array([(0, 0)]))[:, 0]
    expected = -(model.K @ second)
    assert force == pytest.approx(expected, abs=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize("kind", KINDS)
def test_geometric_stiffness_is_its_part_of_the_tangent(kind):
    """v . F(u, w) = v . K_g(u) w + stress of w on (v, u) + stress of v on (w, u), for any three displacements."""
    model = model_of(kind)
    U = random_modes(model)
    K_g = [geometric_stiffness(model, U[:, k]) for k in range(3)]
    assert abs(K_g[0] - K_g[0].T).max() == 0.0
    third = U[:, 2] @ second_order_forces(model, U, np.array([(0, 1)]))[:, 0]
    parts = [U[:, 1] @ (K_g[0] @ U[:, 2]), U[:, 0] @ (K_g[1] @ U[:, 2]), U[:, 0] @ (K_g[2] @ U[:, 1])]
    assert third == pytest.approx(sum(parts), rel=1e-12, abs=1e-12 * max(map(abs, parts)))


@pytest.mark.parametrize(("kind", "counts"), [("hex20", (10, 1, 1)), ("hex8", (20, 2, 2)), ("tet10", (10, 1, 1))])
def test_a_column_buckles_at_eulers_load(kind, counts):
    # nu = 0: uniform stress up to the clamped end, a pure beam. Slenderness 20.
    E, length, side = 2e11, 1.0, 0.05
    model = assemble(box_mesh(kind, counts, (length, side, side)), Material(E, E / 2, 7850.0))
    load = E * side**2  # stress -E: strain -1 is only a measure of the linear problem
    u = np.zeros((len(model.points), 3))
    u[:, 0] = -model.points[:, 0]
    clamped = unknowns(model.mesh.node_sets["xmin"])
    free = np.setdiff1d(np.arange(3 * len(model.points)), clamped)
    K, K_g = (sparse.csc_matrix(matrix)[free][:, free] for matrix in (model.K, geometric_stiffness(model, u.ravel())))
    # K v = s (-K_g) v; the largest 1/s of K_g v = (1/s) K v
    inverse = eigsh(-K_g, 2, K, which="LA", return_eigenvectors=False)
    euler = np.pi**2 * E * side**4 / 12 / (4 * length**2)
    with_shear = euler / (1 + euler / (5 / 6 * E / 2 * side**2))  # Engesser: 0.12 % lower
    # Meshes are too stiff by some 1e-3 at most (order h^4 in the quadratic cells, h^2 in hex8 of 1/20).
    assert load / inverse == pytest.approx(with_shear, rel=3e-3)


def test_wrong_input_is_told():
    model = model_of("tet4")
    with pytest.raises(InputError, match="displacements must have"):
        second_order_forces(model, np.zeros((5, 2)), PAIRS)
    with pytest.raises(InputError, match="columns 0 to 1"):
        second_order_forces(model, np.zeros((3 * len(model.points), 2)), np.array([(0, 2)]))
    with pytest.raises(InputError, match="finite"):
        second_order_forces(model, np.full((3 * len(model.points), 1), np.nan), np.array([(0, 0)]))
    with pytest.raises(InputError, match="not assembled from a solid mesh"):
        second_order_forces(FEModel(model.points, model.K, model.M), random_modes(model), PAIRS)
