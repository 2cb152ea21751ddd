"""Temperature of solid cells: free expansion without stress, bimetals, and the stiffness of heated bodies."""

from __future__ import annotations

import numpy as np
import pytest

from flexmb.elements.material import Material
from flexmb.elements.solid.assemble import assemble
from flexmb.elements.solid.stress import nodal_stress
from flexmb.elements.solid.thermal import HeatedCells
from flexmb.mesh.mesh import Mesh
from flexmb.reduction.free_body import FreeBody
from flexmb.verification.solid_meshes import box_mesh

KINDS = ("tet4", "tet10", "hex8", "hex20", "hex27", "wedge6", "wedge15", "pyramid5", "pyramid13")
ALPHA = 12e-6
STEEL = Material.isotropic(210e9, 0.3, 7850.0, "steel", ALPHA)


def heated(mesh: Mesh, temperature: np.ndarray, materials: object = STEEL) -> HeatedCells:
    model = assemble(mesh, materials)  # type: ignore[arg-type]
    return HeatedCells(model, temperature, tuple(np.arange(len(block)) for block in mesh.cells))


def expanded(cells: HeatedCells) -> np.ndarray:
    """(n, 3) static displacements of the free body"""
    u = FreeBody(cells.model, ()).solve(cells.forces()[:, None])
    return u.reshape(-1, 3)


@pytest.mark.parametrize("kind", KINDS)
def test_a_free_body_expands_without_stress(kind: str) -> None:
    mesh = box_mesh(kind, (3, 2, 2), (0.3, 0.1, 0.1), distort=0.15, curve=0.0)
    cells = heated(mesh, np.full(mesh.n_points, 50.0))
    u = expanded(cells)
    size = np.ptp(mesh.points, axis=0)
    assert np.ptp(mesh.points + u, axis=0) - size == pytest.approx(50.0 * ALPHA * size, rel=1e-9)
    stress = nodal_stress(cells.model, u.reshape(-1, 1))[:, 0] + cells.stress()
    assert np.abs(stress).max() < 1e-8 * STEEL.E * ALPHA * 50.0


@pytest.mark.parametrize("kind", ["tet10", "hex20", "hex27", "wedge15"])
def test_a_gradient_bends_a_free_bar_into_an_arc_without_stress(kind: str) -> None:
    """T = g z causes only linear strains, which need no stress: u_x = alpha g x z, curvature alpha g (exact in
    quadratic cells)."""
    mesh = box_mesh(kind, (4, 1, 1), (0.4, 0.02, 0.02))
    gradient = 2000.0
    cells = heated(mesh, gradient * mesh.points[:, 2])
    u = expanded(cells)
    middle = np.isclose(mesh.points[:, 1], 0.0) & np.isclose(mesh.points[:, 2], 0.0)
    x, w = mesh.points[middle, 0], u[middle, 2]
    assert 2.0 * np.polyfit(x, w, 2)[0] == pytest.approx(-ALPHA * gradient, rel=1e-8)
    stress = nodal_stress(cells.model, u.reshape(-1, 1))[:, 0] + cells.stress()
    assert np.abs(stress).max() < 1e-7 * STEEL.E * ALPHA * gradient * 0.02


def test_a_bimetal_bends_as_timoshenko_says() -> None:
    """Timoshenko, Analysis of bi-metal thermostats (1925): two strips of thickness h/2 and moduli n = E1/E2,
    curvature = 24 (a2 - a1) T / (h (14 + n + 1/n)); without contraction across (nu = 0) the strips are beams."""
    mesh = box_mesh("hex20", (20, 1, 4), (0.4, 0.01, 0.01))
    low = mesh.points[mesh.cells[0].nodes].mean(axis=1)[:, 2] < 0.005
    sets = {"low": (np.flatnonzero(low),), "high": (np.flatnonzero(~low),)}
    mesh = Mesh(mesh.points, mesh.cells, node_sets=mesh.node_sets, cell_sets=sets)
    a1, a2, n = 10e-6, 20e-6, 2.0
    materials = {
        "low": Material.isotropic(200e9, 0.0, 7850.0, "1", a1),
        "high": Material.isotropic(100e9, 0.0, 7850.0, "2", a2),
    }
    cells = heated(mesh, np.full(mesh.n_points, 80.0), materials)
    u = expanded(cells)
    inside = np.isclose(mesh.points[:, 1], 0.0) & np.isclose(mesh.points[:, 2], 0.005)
    inside &= np.abs(mesh.points[:, 0] - 0.2) < 0.1
    curvature = 2.0 * np.polyfit(mesh.points[inside, 0], u[inside, 2], 2)[0]
    expected = 24.0 * (a2 - a1) * 80.0 / (0.01 * (14.0 + n + 1.0 / n))
    assert -curvature == pytest.approx(expected, rel=2e-3)  # the interface transfers shear only near the ends


def test_the_change_of_the_forces_is_the_geometric_stiffness_of_a_uniform_stress() -> None:
    """A body that cannot move has the stress -beta T; its geometric stiffness is -f1. The work of forces on a rotated
    body is that of an isotropic stress: the second derivative of beta T tr(E) along a rotation is zero with the
    curvature of the rotation."""
    mesh = box_mesh("tet10", (2, 1, 1), (0.2, 0.1, 0.1), distort=0.1)
    cells = heated(mesh, np.full(mesh.n_points, 1.0))
    R = cells.model.rigid_motions()
    turned = R.T @ cells.turned(R)
    beta = ALPHA * STEEL.E / (1.0 - 0.6)
    volume = 0.2 * 0.1 * 0.1
    # H of a unit rotation is skew with |H|^2 = 2
    assert turned == pytest.approx(np.diag([0.0] * 3 + [2.0 * beta * volume] * 3), abs=1e-7 * beta * volume)
    second = -np.array([[0.0, 0, 0], [0, 1, 0], [0, 0, 1]])  # of exp(w x) along x
    assert cells.forces() @ (mesh.points @ second).ravel() == pytest.approx(-2.0 * beta * volume, rel=1e-9)
    assert cells.forces() @ R == pytest.approx(np.zeros(6), abs=1e-7 * beta * volume)


def test_heated_and_cold_cells_share_a_node() -> None:
    """A node takes the mean of its cells of the stiffest material; cells that are not heated have no stress."""
    mesh = box_mesh("hex8", (2, 1, 1))
    model = assemble(mesh, STEEL)
    hot = (np.flatnonzero(mesh.points[mesh.cells[0].nodes].mean(axis=1)[:, 0] < 0.5),)
    stress = HeatedCells(model, np.ones(mesh.n_points), hot).stress()
    beta = ALPHA * STEEL.E / (1.0 - 0.6)
    x = mesh.points[:, 0]
    np.testing.assert_allclose(
        stress[:, 0], np.where(x < 0.25, -beta, np.where(x < 0.75, -0.5 * beta, 0.0)), rtol=1e-12
    )
