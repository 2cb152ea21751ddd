"""Stress at nodes: exact where the cells can hold the field, bending stress, and materials kept apart.

Covers: elements.solid.kernels.recovery.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from flexmb.elements.material import MATERIALS, Material
from flexmb.elements.solid.assemble import assemble
from flexmb.elements.solid.elasticity import lame_constants
from flexmb.elements.solid.stress import nodal_stress, von_mises
from flexmb.verification.solid_meshes import box_mesh
from tests.support.solid_cases import KINDS, merged, solve, unknowns

STEEL = MATERIALS["steel"]


def field(points: np.ndarray, quadratic: bool) -> tuple[np.ndarray, np.ndarray]:
    """A displacement (3 n, 1) of degree one or two with random coefficients, and its stress (n, 6) in steel."""
    random = np.random.default_rng(11)
    gradient, bend = random.normal(size=(3, 3)), random.normal(size=(3, 3, 3)) * quadratic
    bend = bend + bend.transpose(0, 2, 1)
    u = points @ gradient.T + 0.5 * np.einsum("abc,nb,nc->na", bend, points, points)
    H = gradient + np.einsum("abc,nc->nab", bend, points)
    strain = 0.5 * (H + H.transpose(0, 2, 1))
    lam, mu = lame_constants(STEEL)
    s = lam * np.trace(strain, axis1=1, axis2=2)[:, None, None] * np.eye(3) + 2 * mu * strain
    return u.reshape(-1, 1), np.stack([s[:, a, b] for a, b in ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))], axis=1)


@pytest.mark.parametrize("kind", KINDS)
def test_uniform_stress_is_exact_in_distorted_cells(kind):
    model = assemble(box_mesh(kind, (2, 2, 2), (1.0, 0.7, 0.5), distort=0.1), STEEL)
    u, stress = field(model.points, quadratic=False)
    # Extrapolation multiplies round-off of differences of displacements by about ten.
    assert nodal_stress(model, u)[:, 0] == pytest.approx(stress, abs=1e-12 * np.abs(stress).max())


@pytest.mark.parametrize(
    ("kind", "distort"), [("tet10", 0.1), ("hex27", 0.1), ("hex20", 0.0), ("wedge15", 0.0), ("tet10", 0.0)]
)
def test_linear_stress_is_exact_in_quadratic_cells(kind, distort):
    # Serendipity cells hold all quadratics only when they are not distorted.
    model = assemble(box_mesh(kind, (2, 2, 2), (1.0, 0.7, 0.5), distort=distort), STEEL)
    u, stress = field(model.points, quadratic=True)
    assert nodal_stress(model, u)[:, 0] == pytest.approx(stress, abs=1e-12 * np.abs(stress).max())


def test_bending_stress_of_one_layer_of_hex8_with_incompatible_modes():
    """Pure bending: u = (x z, -nu y z, -(x^2 + nu (z^2 - y^2))/2)/R has the one stress E z/R."""
    E, nu, radius = 2e11, 0.3, 100.0
    model = assemble(box_mesh("hex8", (5, 1, 1), (1.0, 0.1, 0.1)), Material.isotropic(E, nu, 7850.0))
    x, y, z = (model.points - (0.0, 0.05, 0.05)).T
    exact = np.stack([x * z, -nu * y * z, -(x**2 + nu * (z**2 - y**2)) / 2], axis=1) / radius
    ends = unknowns(np.concatenate([model.mesh.node_sets["xmin"], model.mesh.node_sets["xmax"]]))
    u = solve(model, ends, exact.ravel()[ends], np.zeros(exact.size))
    assert u == pytest.approx(exact.ravel(), abs=1e-12 * np.abs(exact).max())
    stress = nodal_stress(model, u[:, None])[:, 0]
    assert stress[:, 0] == pytest.approx(E * z / radius, rel=1e-10)
    assert np.abs(stress[:, 1:]).max() < 1e-10 * E * 0.05 / radius


def test_columns_are_independent_and_superpose():
    model = assemble(box_mesh("wedge15", (1, 1, 1)), STEEL)
    U = np.random.default_rng(2).normal(size=(3 * len(model.points), 3))
    stress = nodal_stress(model, U)
    assert stress.shape == (len(model.points), 3, 6)
    together = nodal_stress(model, U @ [[1.0], [-2.0], [0.5]])[:, 0]
    assert together == pytest.approx(np.einsum("nmc,m->nc", stress, [1.0, -2.0, 0.5]), abs=1e-12 * np.abs(stress).max())


def test_materials_are_not_averaged():
    """Two bars in a row with the same strain: at their common face stands the stress of the stiffer one."""
    box = box_mesh("hex8", (1, 1, 1))
    mesh = merged(box, replace(box, points=box.points + (1.0, 0.0, 0.0)))
    soft, stiff = Material(1e11, 5e10, 1.0), Material(2e11, 1e11, 1.0)
    model = assemble(mesh, {"part_0": soft, "part_1": stiff})
    u = np.zeros((mesh.n_points, 3))
    u[:, 0] = 1e-3 * model.points[:, 0]
    axial = nodal_stress(model, u.reshape(-1, 1))[:, 0, 0]
    assert axial == pytest.approx(np.where(model.points[:, 0] > 0.5, 2e8, 1e8), rel=1e-12)


def test_von_mises_of_tension_and_shear():
    assert von_mises(np.array([[5.0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 2.0, 0], [3.0, 3, 3, 0, 0, 0]])) == pytest.approx(
        [5.0, 2.0 * np.sqrt(3.0), 0.0]
    )
