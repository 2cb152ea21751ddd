"""Inertia of meshed bodies by matrix products and by few mass points, against sums over Gauss points of the mesh.

The Gauss points are products of one-dimensional rules (collapsed onto tetrahedra), which flexmb's own rules are not.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
from scipy.sparse import identity, kron

from flexmb.bodies.invariants import Invariants
from flexmb.bodies.mesh_field import MassProducts, linear_invariants
from flexmb.bodies.point_field import PointField
from flexmb.elements.fe_model import FEModel
from flexmb.elements.line_beams import assemble_beams
from flexmb.elements.section import circle
from flexmb.elements.solid.assemble import assemble
from flexmb.mesh.mesh import Cells, Mesh
from flexmb.mesh.reference_cells import shape_functions, shape_gradients
from flexmb.reduction.small_motions import full_pairs
from flexmb.verification.solid_meshes import box_mesh
from tests.support.inertia_identities import identity_error
from tests.support.mesh_bodies import STEEL

N = 3
SOFTNESS = np.array([1.0, 0.5, 0.2])
NAMES = ("S0", "P0", "S1", "N1", "N2", "S2", "X", "N3")


@lru_cache
def model_of(kind: str) -> tuple[Mesh, FEModel]:
    quadratic = kind not in ("tet4", "hex8", "wedge6")
    mesh = box_mesh(kind, (2, 1, 2), (0.3, 0.1, 0.2), distort=0.15, curve=0.05 if quadratic else 0.0)
    mesh = replace(mesh, points=mesh.points + [0.1, -0.2, 0.05])
    return mesh, assemble(mesh, STEEL)


def fields(model: FEModel, n: int = N) -> tuple[np.ndarray, np.ndarray]:
    """Nodal shapes (nodes, n, 3) and second-order displacements (nodes, n, n, 3) without any order in them."""
    random = np.random.default_rng(11)
    phi = random.standard_normal((len(model.points), n, 3))
    G = random.standard_normal((len(model.points), n * (n + 1) // 2, 3))
    return phi, full_pairs(G.transpose(1, 0, 2), n).transpose(2, 0, 1, 3)


def lower(G: np.ndarray) -> np.ndarray:
    k, l = np.tril_indices(G.shape[1])
    return G[:, k, l]


def products_of(model: FEModel, phi: np.ndarray, G: np.ndarray, chunk: int = 100) -> MassProducts:
    products = MassProducts(model.points, model.M, phi)
    pairs = lower(G)
    for first in range(0, pairs.shape[1], chunk):
        products.add(pairs[:, first : first + chunk], keep=True)
    return products


def gauss_points(kind: str, count: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Points and weights of the reference cell, exact far beyond what a mass needs."""
    x, w = np.polynomial.legendre.leggauss(count)
    r, s, t = (a.ravel() for a in np.meshgrid(x, x, x, indexing="ij"))
    weights = np.einsum("i,j,k->ijk", w, w, w).ravel()
    if kind.startswith("hex"):
        return np.stack([r, s, t], axis=1), weights
    # collapsed: [0, 1]^3 -> the tetrahedron, or [0, 1]^2 x [-1, 1] -> the wedge
    a, b = 0.5 * (1.0 + r), 0.5 * (1.0 + s)
    if kind.startswith("wedge"):
        return np.stack([a, b * (1.0 - a), t], axis=1), weights * 0.25 * (1.0 - a)
    c = 0.5 * (1.0 + t)
    places = np.stack([a, b * (1.0 - a), c * (1.0 - a) * (1.0 - b)], axis=1)
    return places, weights * 0.125 * (1.0 - a) ** 2 * (1.0 - b)


def lumped(mesh: Mesh, phi: np.ndarray, G: np.ndarray) -> PointField:
    """The body by its Gauss points: density times volume each, moved as the shape functions say."""
    (cells,) = mesh.cells
    points, weights = gauss_points(cells.kind)
    values, slopes = shape_functions(cells.kind, points), shape_gradients(cells.kind, points)
    jacobian = np.einsum("cna,gnb->cgab", mesh.points[cells.nodes], slopes)
    mass = STEEL.density * np.linalg.det(jacobian) * weights

    def at_points(nodal: np.ndarray) -> np.ndarray:
        return np.einsum("gn,cn...->cg...", values, nodal[cells.nodes]).reshape(mass.size, *nodal.shape[1:])

    return PointField(mass.ravel(), at_points(mesh.points), at_points(phi), at_points(G))


def assert_same(one: Invariants, other: Invariants, relative: float, names: tuple[str, ...] = NAMES) -> None:
    assert one.mass == pytest.approx(other.mass, rel=relative)
    for name in names:
        expected = getattr(other, name)
        size = np.abs(expected).max()
        np.testing.assert_allclose(getattr(one, name), expected, atol=relative * size, rtol=0.0, err_msg=name)


@pytest.mark.parametrize("kind", ["tet4", "tet10", "hex8", "hex20", "hex27", "wedge6", "wedge15"])
def test_matrix_products_equal_sums_over_gauss_points(kind: str) -> None:
    mesh, model = model_of(kind)
    phi, G = fields(model)
    by_points = lumped(mesh, phi, G).invariants("full")
    products = products_of(model, phi, G)
    # both integrate polynomials exactly: round-off of sums over some thousand points
    assert_same(products.invariants(2), by_points, 1e-11)
    assert identity_error(products.invariants(2)) < 1e-11
    first = products.invariants(1)
    assert first.N3 is None and first.order == 1
    linear = products.invariants(0)
    assert linear.order == 0 and not linear.S2.any() and not linear.X.any()
    assert_same(linear, by_points, 1e-11, NAMES[:5])


def test_pairs_may_come_in_chunks() -> None:
    _, model = model_of("hex20")
    phi, G = fields(model)
    whole, parts = products_of(model, phi, G), products_of(model, phi, G, chunk=2)
    assert_same(parts.invariants(2), whole.invariants(2), 1e-15)
    np.testing.assert_allclose(parts.mass_points(SOFTNESS).G, whole.mass_points(SOFTNESS).G, atol=1e-12)


@pytest.mark.parametrize("kind", ["tet10", "hex20"])
@pytest.mark.parametrize("small", [1.0, 1e-4])
def test_mass_points_have_the_same_products(kind: str, small: float) -> None:
    """`small` makes most second-order displacements nearly combinations of few, which leaves some of them out."""
    mesh, model = model_of(kind)
    phi, G = fields(model)
    if small < 1.0:
        G = small * G + G[:, 2:, 1:2] * np.sqrt(np.add.outer(np.arange(1.0, N + 1), np.arange(N)))[:, :, None]
        G = 0.5 * (G + G.transpose(0, 2, 1, 3))
    exact = lumped(mesh, phi, G).invariants("full")
    points = products_of(model, phi, G).mass_points(SOFTNESS)
    found = points.invariants("full")
    assert_same(found, exact, 1e-10)
    # Of the products of second-order displacements a part of 1e-6 of the largest may be lost, each coordinate taken as
    # large as it is soft. What is left is a sum of squares, so no product is ever too large.
    whole, lost = second_products(exact), second_products(exact) - second_products(found)
    assert np.diag(lost).max() < 1e-6 * np.diag(whole).max()
    assert np.linalg.eigvalsh(lost)[0] > -1e-11 * np.trace(whole)
    assert identity_error(points) < 1e-10
    if small < 1.0:
        assert len(points.mass) < 4 + 3 * N + 3 * N * (N + 1) // 2


def second_products(invariants: Invariants) -> np.ndarray:
    """(3 pairs, 3 pairs) products of the second-order displacements, coordinates scaled by their softness"""
    assert invariants.N4 is not None
    k, l = np.tril_indices(N)
    size = np.repeat(SOFTNESS[k] * SOFTNESS[l], 3)
    products = invariants.N4[k, l][:, k, l].transpose(0, 2, 1, 3).reshape(len(size), len(size))
    products = np.outer(size, size) * products
    return np.asarray(0.5 * (products + products.T))


def test_mass_points_are_few_and_equal() -> None:
    _, model = model_of("hex20")
    points = products_of(model, *fields(model)).mass_points(SOFTNESS)
    count = len(points.mass)
    assert count <= 4 + 3 * N + 3 * N * (N + 1) // 2
    np.testing.assert_allclose(points.mass, points.mass[0], rtol=1e-14)
    assert points.total_mass == pytest.approx(STEEL.density * 0.3 * 0.1 * 0.2, rel=1e-12)


def test_mass_points_of_fields_that_depend_on_each_other() -> None:
    """Twice the same shape, a shape that is a rigid motion, a pair without second-order displacement."""
    mesh, model = model_of("hex20")
    phi, G = fields(model)
    phi[:, 1] = 2.0 * phi[:, 0]
    phi[:, 2] = np.cross([0.3, -0.2, 0.5], mesh.points) + [1.0, 0.0, 2.0]
    G[:, 2, 2] = 0.0
    G[:, 1, 0] = G[:, 0, 1] = mesh.points
    products = products_of(model, phi, G)
    points = products.mass_points(SOFTNESS)
    # a combination of fields that vanishes is known to the root of 1e-13 of their size
    assert_same(points.invariants(2), products.invariants(2), 1e-6)
    assert_same(points.invariants(2), products.invariants(2), 1e-10, NAMES[:5])


def test_mass_points_without_second_order_displacements() -> None:
    _, model = model_of("hex8")
    phi, G = fields(model)
    products = products_of(model, phi, 0.0 * G)
    points = products.mass_points(SOFTNESS)
    assert len(points.mass) == 4 + 3 * N
    assert not points.G.any()
    assert_same(points.invariants(2), products.invariants(2), 1e-11, NAMES[:5])


@pytest.mark.parametrize("size", [0.0, 1e-3, 1.0, 1e3, 1e6])
def test_the_mass_matrix_of_mass_points_is_positive_at_any_deflection(size: float) -> None:
    """Scaled to a unit diagonal, since rows of so different deflections are not of one size."""
    _, model = model_of("tet10")
    points = products_of(model, *fields(model)).mass_points(SOFTNESS)
    M = points.mass_matrix(size * np.array([0.3, -1.0, 0.7]))
    scale = 1.0 / np.sqrt(np.diag(M))
    assert np.linalg.eigvalsh(scale[:, None] * M * scale)[0] > -1e-14


def columns(phi: np.ndarray) -> np.ndarray:
    return phi.transpose(0, 2, 1).reshape(3 * len(phi), -1)


@pytest.mark.parametrize("kind", ["hex8", "tet10"])
def test_linear_invariants_of_a_solid_are_its_matrix_products(kind: str) -> None:
    """With one mass for all directions nothing is averaged; also when that mass comes as 3 x 3 blocks."""
    _, model = model_of(kind)
    phi, G = fields(model)
    exact = products_of(model, phi, G).invariants(0)
    blocks = replace(model, M=kron(model.M, identity(3)).tobsr((3, 3)))
    for one in (model, blocks):
        found = linear_invariants(one, columns(phi))
        assert_same(found, exact, 1e-11, NAMES[:5])
        assert found.order == 0


def test_linear_invariants_keep_what_a_mass_by_directions_knows_exactly() -> None:
    """Mass that differs by direction (as if imported): mass matrix, momenta and energy are those of the model."""
    _, model = model_of("hex8")
    n_nodes = len(model.points)
    random = np.random.default_rng(5)
    values = random.uniform(0.5, 2.0, (n_nodes, 3))
    values *= 10.0 / values.sum(axis=0)
    from scipy.sparse import diags

    imported = replace(model, M=diags(values.ravel()).tobsr((3, 3)))
    phi = columns(fields(model)[0])
    found = linear_invariants(imported, phi)
    R = imported.rigid_motions()
    whole = np.hstack([R, phi])
    M = whole.T @ imported.mass_times(whole)
    reduced = found.mass_matrix(np.zeros(N))
    np.testing.assert_allclose(reduced[6:, 6:], M[6:, 6:], rtol=1e-12)
    np.testing.assert_allclose(reduced[6:, :6], M[6:, :6], atol=1e-12 * np.abs(M).max())
    np.testing.assert_allclose(reduced[3:6, 3:6], M[3:6, 3:6], atol=1e-12 * np.abs(M).max())
    assert found.mass == pytest.approx(10.0, rel=1e-14)
    assert identity_error(found) < 1e-12


def test_linear_invariants_of_beams_have_rotary_inertia() -> None:
    """A straight rod of line cells: m L^2/12 across with rotary inertia, rho Ip L about its axis."""
    length, radius, count = 0.4, 0.01, 8
    x = np.linspace(0.0, length, count + 1)
    mesh = Mesh(
        np.stack([x, 0.0 * x, 0.0 * x], axis=1),
        (Cells("line2", np.stack([np.arange(count), np.arange(1, count + 1)], axis=1)),),
    )
    section = circle(radius)
    model = assemble_beams(mesh, STEEL, section)
    turning = np.zeros((model.n_blocks, 3))
    turning[count + 1 :, 0] = x / length
    found = linear_invariants(model, turning.reshape(-1, 1))
    mass = STEEL.density * section.A * length
    assert found.mass == pytest.approx(mass, rel=1e-12)
    J = found.inertia(np.zeros(1))
    polar = STEEL.density * section.Ip * length
    assert J[0, 0] == pytest.approx(polar, rel=1e-12)
    assert J[1, 1] == pytest.approx(mass * length**2 / 3.0 + polar / 2.0, rel=1e-12)
    # a twist that grows from 0 to 1: spin int x/L and modal mass int (x/L)^2 of the polar inertia
    M = found.mass_matrix(np.zeros(1))
    assert M[6, 3] == pytest.approx(polar / 2.0, rel=1e-12)
    assert M[6, 6] == pytest.approx(polar / 3.0, rel=1e-12)
    assert identity_error(found) < 1e-12
