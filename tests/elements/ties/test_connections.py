"""Ties, masses and springs of a deck: rigid motions, mass, chains, loops, and a tied model against a whole one.

Covers: elements.ties.elimination, elements.ties.springs, elements.ties.surface_ties, elements.ties.tie_rows.
"""

from dataclasses import replace

import numpy as np
import pytest

from flexmb.bodies.reduce_mesh import assemble_mesh
from flexmb.elements.material import Material
from flexmb.elements.second_order import second_order_forces
from flexmb.errors import InputError
from flexmb.mesh.deck import AveragedTie, Deck, Equation, PointMass, RigidTie, Spring, SurfaceTie
from flexmb.mesh.mesh import Cells, Mesh
from flexmb.reduction.component_modes import component_modes
from flexmb.reduction.free_body import FreeBody

STEEL = Material(2.1e11, 8.0e10, 7850.0)


def bar(n: int, x0: float = 0.0, h: float = 0.1) -> tuple[np.ndarray, np.ndarray]:
    """Points and hex8 cells of a bar of n cells along x."""
    x = x0 + h * np.arange(n + 1)
    square = h * np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    points = np.array([[a, *yz] for a in x for yz in square])
    cells = np.array([[*range(4 * i, 4 * i + 4), *range(4 * i + 4, 4 * i + 8)] for i in range(n)])
    return points, cells


def two_bars(deck: Deck, extra: list[list[float]]) -> Mesh:
    """Two bars that touch at x = 0.3 without sharing nodes, and points of the deck."""
    a, cells = bar(3)
    b, _ = bar(3, 0.3)
    points = np.vstack([a, b, np.reshape(extra, (-1, 3))])
    return Mesh(points, (Cells("hex8", np.vstack([cells, cells + len(a)])),), deck=deck)


def modes(mesh: Mesh, count: int = 6) -> np.ndarray:
    model = assemble_mesh(mesh, STEEL, hex8="full")
    shapes = component_modes(FreeBody(model, []), "free", modes=count)
    return np.sqrt(shapes.omega_squared)[:count]


def merged() -> Mesh:
    points, cells = bar(6)
    return Mesh(points, (Cells("hex8", cells),))


FACE_A, FACE_B = np.arange(12, 16), np.arange(16, 20)


def test_equal_displacements_by_equations_and_a_tied_surface_are_a_merged_mesh():
    equations = tuple(
        Equation("equal", ((int(b), c, 1.0), (int(a), c, -1.0)))
        for a, b in zip(FACE_A, FACE_B, strict=True)
        for c in (1, 2, 3)
    )
    whole = modes(merged())
    np.testing.assert_allclose(modes(two_bars(Deck(ties=equations), [])), whole, rtol=1e-9)
    surface = SurfaceTie("glue", FACE_B, (FACE_A[None],))
    np.testing.assert_allclose(modes(two_bars(Deck(ties=(surface,)), [])), whole, rtol=1e-9)


def all_ties() -> Mesh:
    """Both bars on one reference: rigid, by way of a chain; a mass on an averaged reference with an arm, a spring."""
    middle, end, far = 32, 33, 34
    ties = (
        RigidTie("first", middle, FACE_A),
        RigidTie("second", end, FACE_B),
        RigidTie("chain", middle, np.array([end])),
        AveragedTie("mean", far, "123456", np.arange(28, 32), np.ones(4)),
    )
    mass = PointMass(far, 2.0, (0.0, 0.05, 0.0), ((0.01, 0.0, 0.0), (0.0, 0.02, 0.0), (0.0, 0.0, 0.025)))
    spring = Spring((middle, far), (1e6, 2e6, 3e6, 1e4, 2e4, 3e4), point=(0.4, 0.0, 0.0))
    deck = Deck(ties=ties, masses=(mass,), springs=(spring,))
    return two_bars(deck, [[0.3, 0.05, 0.05], [0.32, 0.1, 0.0], [0.7, 0.05, 0.05]])


def test_rigid_motions_satisfy_the_ties_and_have_no_energy():
    model = assemble_mesh(all_ties(), STEEL)
    R = model.rigid_motions()
    np.testing.assert_allclose(model.ties.expand(R[model.ties.kept_rows]), R, atol=1e-12)
    assert np.abs(R.T @ (model.K @ R)).max() < 1e-9 * np.abs(model.K.diagonal()).max()


def test_mass_with_offset_and_inertia():
    mesh = all_ties()
    model, bare = assemble_mesh(mesh, STEEL), assemble_mesh(replace(mesh, deck=replace(mesh.deck, masses=())), STEEL)
    R = model.rigid_motions()
    added = R.T @ model.mass_times(R) - R.T @ bare.mass_times(R)
    c = np.array([0.7, 0.1, 0.05])
    np.testing.assert_allclose(added[:3, :3], 2.0 * np.eye(3), atol=1e-9)
    J = np.diag([0.01, 0.02, 0.025]) + 2.0 * ((c @ c) * np.eye(3) - np.outer(c, c))
    np.testing.assert_allclose(added[3:, 3:], J, atol=1e-9)
    riders, mass = model.carriers
    moved = riders.first(R)
    np.testing.assert_allclose(
        np.einsum("pki,pli->kl", moved, np.asarray(mass @ moved.reshape(len(moved), -1)).reshape(moved.shape)),
        R.T @ model.mass_times(R),
        rtol=1e-9,
        atol=1e-9,
    )


def test_a_finite_rotation_of_the_body_strains_neither_ties_nor_springs():
    """u = th x X and its second order ~th ~th X: forces vanish, and the second order satisfies the ties."""
    model = assemble_mesh(all_ties(), STEEL)
    R = model.rigid_motions()[:, 3:]
    pairs = np.array([[i, j] for i in range(3) for j in range(i + 1)])
    e = np.eye(3)
    G = np.zeros((model.n_blocks, 3, len(pairs)))
    for number, (i, j) in enumerate(pairs):
        S = 0.5 * (np.outer(e[i], e[j]) + np.outer(e[j], e[i])) - (i == j) * np.eye(3)
        G[: len(model.points), :, number] = model.points @ S
    G = G.reshape(-1, len(pairs))
    s = model.ties.second_order(R, pairs, np.zeros_like(G))
    np.testing.assert_allclose(model.ties.expand(G[model.ties.kept_rows]) + s, G, atol=1e-12)
    forces = second_order_forces(model, R, pairs) + model.K @ G
    assert np.abs(forces).max() < 1e-9 * np.abs(model.K.diagonal()).max()


def test_loops_and_nodes_of_two_ties_are_named():
    loop = (RigidTie("one", 32, np.array([33])), RigidTie("two", 33, np.array([32])))
    with pytest.raises(InputError, match="one, two follow each other"):
        assemble_mesh(two_bars(Deck(ties=loop), [[0.3, 0, 0], [0.4, 0, 0]]), STEEL)
    twice = (RigidTie("one", 32, FACE_A), RigidTie("two", 33, FACE_A))
    with pytest.raises(InputError, match="'one' and 'two' both move a node"):
        assemble_mesh(two_bars(Deck(ties=twice), [[0.3, 0, 0], [0.4, 0, 0]]), STEEL)
