"""Stiffness and mass of shells: rigid motions, patches, orders of convergence, folds, offsets, joined models.

Covers: elements.shell.assemble, elements.shell.tables, elements.shell.kernels.assembly, elements.shell.kernels.cell,
elements.riders, elements.joined, verification.shell_models, verification.shells.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from flexmb.bodies.reduce_mesh import assemble_mesh
from flexmb.elements.material import Material
from flexmb.elements.shell.assemble import assemble_shells
from flexmb.elements.shell.section import ShellSection
from flexmb.elements.shell.tables import reference_nodes, shape, shell_tables
from flexmb.errors import InputError
from flexmb.mesh.mesh import Cells, Mesh
from flexmb.verification.shell_models import KINDS, deflection, held, point_force, sheet
from flexmb.verification.shells import hemisphere, patch, twisted_strip
from flexmb.verification.solid_meshes import box_mesh
from tests.support.shell_cases import STEEL, warped


@pytest.mark.parametrize("kind", KINDS)
def test_six_rigid_motions_and_no_others(kind: str) -> None:
    _, model = warped(kind)
    K = model.K.toarray()
    values = np.linalg.eigvalsh(K)
    assert np.abs(values[:6]).max() < 1e-13 * values[-1] < 1e-3 * values[6]
    assert np.abs(K @ model.rigid_motions()).max() < 1e-13 * values[-1]
    assert np.array_equal(K, K.T)


@pytest.mark.parametrize("kind", KINDS)
def test_shape_functions_and_ties_keep_what_they_must(kind: str) -> None:
    nodes, tables = reference_nodes(kind), shell_tables(kind)
    values, slopes = shape(kind, nodes)
    assert np.allclose(values, np.eye(len(nodes)), atol=1e-15)
    assert np.allclose(tables.N.sum(axis=1), 1.0) and np.allclose(slopes.sum(axis=1), 0.0, atol=1e-14)
    # A constant strain is itself everywhere.
    constant = np.array([1.0, -2.0, 0.5, 3.0, 0.7])
    assert np.allclose(np.einsum("gcte,e->gc", tables.tie, constant), constant, atol=1e-13)


@pytest.mark.parametrize("kind", KINDS)
def test_mass_of_the_matrix_is_that_of_the_points_that_carry_it(kind: str) -> None:
    mesh, model = warped(kind)
    riders, mass = model.carriers
    U = np.random.default_rng(2).normal(size=(3 * model.n_blocks, 3))
    moved = riders.first(U)
    products = np.einsum("pki,pli->kl", moved, np.stack([mass @ moved[:, :, i] for i in range(3)], axis=2))
    assert np.allclose(products, U.T @ model.mass_times(U), rtol=1e-13)
    assert np.allclose(riders.places(mesh.points)[: mesh.n_points], mesh.points)


def test_inertia_of_a_plate_beside_its_nodes():
    """A plate 0.4 x 0.3 x 0.02 whose middle is 5 mm above the nodes: mass, first moment and inertia in closed form."""
    a, b, h, offset = 0.4, 0.3, 0.02, 0.005
    mesh, _ = sheet("quad4", (3, 2), lambda r, s: (a * r, b * s, 0.0 * r))
    model = assemble_shells(mesh, ShellSection.plain(STEEL, h, offset))
    R = model.rigid_motions(np.array([a / 2, b / 2, 0.0]))
    rigid, mass = R.T @ model.mass_times(R), STEEL.density * a * b * h
    out = mass * (h**2 / 12 + offset**2)
    assert np.allclose(np.diag(rigid)[:3], mass) and rigid[0, 4] == pytest.approx(mass * offset)
    want = [mass * b**2 / 12 + out, mass * a**2 / 12 + out, mass * (a**2 + b**2) / 12]
    assert np.allclose(np.diag(rigid)[3:], want, rtol=1e-12)


@pytest.mark.parametrize(("kind", "order"), [("quad4", 2.0), ("quad9", 3.0), ("tri3", 1.8), ("tri6", 1.8)])
def test_order_of_convergence_of_a_clamped_plate(kind: str, order: float) -> None:
    """Middle of a thick clamped square under pressure, quarter plate; differences fall with the order stated."""

    def middle(n: int) -> float:
        mesh, grid = sheet(kind, (n, n), lambda r, s: (r, s, 0.0 * r))
        model = assemble_shells(mesh, ShellSection.plain(replace(STEEL, density=1.0), 0.1))
        free = held(model, [(grid[-1], "xyzXYZ"), (grid[:, -1], "xyzXYZ"), (grid[0], "xYZ"), (grid[:, 0], "yXZ")])
        push = np.zeros((model.n_blocks, 3))
        push[: mesh.n_points, 2] = 1e9
        return float(deflection(model, free, model.mass_times(push.ravel()))[3 * grid[0, 0] + 2])

    coarse = 2 if kind in ("quad9", "tri6") else 4
    w = [middle(coarse * 2**i) for i in range(4)]
    steps = np.abs(np.diff(w))
    assert np.log2(steps[-2] / steps[-1]) > order - 0.15, np.log2(steps[:-1] / steps[1:])


def test_thin_shells_do_not_lock():
    """At 1/375 and 1/3750 of the length the thin answer stays, on one mesh."""
    for kind, n, thickness in (("quad4", 48, 0.032), ("quad4", 48, 0.0032), ("quad9", 18, 0.0032)):
        found = twisted_strip(kind, n, thickness, 1e-6 * (thickness / 0.0032) ** 3)
        assert found == pytest.approx([0.005256, 0.001294], rel=0.02), (kind, thickness)
    # quadratic cells do better on coarse meshes
    assert hemisphere("quad9", 4) == pytest.approx(0.09352, rel=0.02)


def test_a_folded_strip_carries_bending_around_its_corner():
    """An angle of two plates at 90 degrees: the tip's deflection is that of two beams and the turn of the corner."""
    a, b, width, t, force = 0.5, 0.3, 0.02, 0.005, 1.0

    def angle(r: np.ndarray, s: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        along = (a + b) * r
        return np.minimum(along, a), width * (s - 0.5), np.maximum(along - a, 0.0)

    mesh, grid = sheet("quad4", (40, 2), angle)
    model = assemble_shells(mesh, ShellSection.plain(Material.isotropic(2.1e11, 0.0, 7850.0), t))
    tip = int(grid[-1, 1])
    u = deflection(model, held(model, [(grid[0], "xyzXYZ")]), point_force(model, tip, (force, 0.0, 0.0)))
    EI = 2.1e11 * width * t**3 / 12
    # the corner turns by the moment F b over the first plate: F b a / EI
    want = force * b**3 / (3 * EI) + force * b * a / EI * b
    assert u[3 * tip] == pytest.approx(want, rel=5e-3)
    assert len(model.shells.director_nodes) == mesh.n_points + 3  # the nodes of the fold have one for each side


def test_cells_of_opposite_direction_are_one_plate():
    mesh, grid = sheet("quad4", (6, 2), lambda r, s: (r, 0.2 * s, 0.0 * r))
    nodes = mesh.cells[0].nodes.copy()
    nodes[::2] = nodes[::2, ::-1]
    turned = Mesh(mesh.points, (Cells("quad4", nodes),))
    found = []
    for own in (mesh, turned):
        model = assemble_shells(own, ShellSection.plain(STEEL, 0.01))
        tip = int(grid[-1, 1])
        loads = point_force(model, tip, (0.0, 0.3, 1.0))
        found.append(deflection(model, held(model, [(grid[0], "xyzXYZ")]), loads)[3 * tip : 3 * tip + 3])
    assert np.allclose(*found, rtol=1e-9)


def test_solid_and_shell_in_one_body():
    """A bar with a plate on its upper face: masses add, the plate's nodes turn, and the bar is stiffer."""
    box = box_mesh("hex8", (8, 2, 2), (1.0, 0.1, 0.1))
    top = np.flatnonzero(np.isclose(box.points[:, 2], 0.1))
    faces = [cell[[4, 5, 6, 7]] for cell in box.cells[0].nodes if np.isin(cell[[4, 5, 6, 7]], top).all()]
    both = replace(box, cells=(*box.cells, Cells("quad4", np.array(faces))))
    solid, model = assemble_mesh(box, STEEL), assemble_mesh(both, STEEL, 0.01)
    assert np.array_equal(model.rotations, top)
    one = np.zeros((model.n_blocks, 3))
    one[: box.n_points, 0] = 1.0
    mass = one.ravel() @ model.mass_times(one.ravel())
    assert mass == pytest.approx(7850.0 * (0.01 + 0.1 * 0.01), rel=1e-12)
    values = np.linalg.eigvalsh(model.K.toarray())
    assert np.abs(values[:6]).max() < 1e-3 * values[6]
    n = 3 * box.n_points
    u = np.random.default_rng(1).normal(size=n)
    padded = np.concatenate([u, np.zeros(3 * model.n_blocks - n)])
    assert padded @ (model.K @ padded) > u @ (solid.K @ u)
    riders, carried = model.carriers
    assert carried.sum() == pytest.approx(mass) and len(riders.nodes) == carried.shape[0]


def test_wrong_shells_are_rejected_with_reasons():
    mesh = patch("quad4")
    bow_tie = Mesh(mesh.points, (Cells("quad4", mesh.cells[0].nodes[:, [0, 2, 1, 3]]),))
    with pytest.raises(InputError, match="folded, flat"):
        assemble_shells(bow_tie, ShellSection.plain(STEEL, 0.001))
    with pytest.raises(InputError, match="no shell cells"):
        assemble_shells(box_mesh("hex8", (1, 1, 1), (1, 1, 1)), ShellSection.plain(STEEL, 0.001))
    with pytest.raises(InputError, match="no cell set 'skin'"):
        assemble_shells(mesh, {"skin": ShellSection.plain(STEEL, 0.001)})
    with pytest.raises(InputError, match="consistent mass only"):
        assemble_mesh(mesh, STEEL, 0.001, lumped=True)
