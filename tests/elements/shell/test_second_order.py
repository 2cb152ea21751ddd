"""Second-order forces of shells against an energy of their own, rigid turns, and the shortening of a bent strip.

Covers: elements.shell.second_order, elements.shell.kernels.nonlinear, elements.second_order.
"""

from __future__ import annotations

import numpy as np
import pytest

from flexmb.elements.fe_model import FEModel
from flexmb.elements.material import Material
from flexmb.elements.second_order import has_second_order, second_order_forces
from flexmb.elements.shell.assemble import assemble_shells
from flexmb.elements.shell.section import ShellSection
from flexmb.elements.shell.tables import shell_tables
from flexmb.verification.shell_models import KINDS, sheet
from tests.support.shell_cases import warped


def skew(w: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


@pytest.mark.parametrize("kind", KINDS)
def test_a_rigid_turn_leaves_no_force(kind: str) -> None:
    """With G = w x (w x X) and no second-order rotation vector the internal force vanishes to second order."""
    mesh, model = warped(kind)
    turns = model.rigid_motions()[:, 3:]
    pairs = np.array([(a, b) for a in range(3) for b in range(a + 1)])
    forces = second_order_forces(model, turns, pairs)
    for force, (a, b) in zip(forces.T, pairs, strict=True):
        one, other = skew(np.eye(3)[a]), skew(np.eye(3)[b])
        G = np.zeros((model.n_blocks, 3))
        G[: mesh.n_points] = mesh.points @ (0.5 * (one @ other + other @ one)).T
        assert np.abs(model.K @ G.ravel() + force).max() < 1e-14 * np.abs(model.K.data).max()


@pytest.mark.parametrize("kind", KINDS)
def test_third_derivatives_of_the_energy_are_symmetric(kind: str) -> None:
    _, model = warped(kind)
    U = 0.1 * np.random.default_rng(3).normal(size=(3 * model.n_blocks, 3))
    forces = second_order_forces(model, U, np.array([(0, 1), (1, 2), (2, 0)]))
    cubic = [forces[:, 0] @ U[:, 2], forces[:, 1] @ U[:, 0], forces[:, 2] @ U[:, 1]]
    assert np.allclose(cubic, cubic[0], rtol=1e-12)


def rotation(w: np.ndarray) -> np.ndarray:
    """Rotation matrix of a rotation vector"""
    angle = np.linalg.norm(w)
    W = skew(w)
    if angle < 1e-12:
        return np.eye(3) + W + 0.5 * W @ W
    return np.eye(3) + np.sin(angle) / angle * W + (1 - np.cos(angle)) / angle**2 * W @ W


def energy(model: FEModel, U: np.ndarray, E: float, thickness: float, offset: float) -> float:
    """Strain energy [J] at finite displacements: Green strains of finitely turned directors, nu = 0, in NumPy."""
    block, total = model.shells.blocks[0], 0.0
    tables = shell_tables(block.tables.kind)
    u = U.reshape(-1, 3)
    n = len(model.points)

    def strains(x: np.ndarray, D: np.ndarray, N: np.ndarray, dN: np.ndarray, z: float) -> tuple[np.ndarray, np.ndarray]:
        g = np.stack([dN[:, 0] @ (x + z * D), dN[:, 1] @ (x + z * D), N @ D])
        return g, g @ g.T

    for nodes, D in zip(block.chunks.nodes, block.directors, strict=True):
        X = model.points[nodes]
        x = X + u[nodes]
        d = np.stack([rotation(u[n + node]) @ own for node, own in zip(nodes, D, strict=True)])
        for z in offset + thickness / 2 * np.array([-1, 1]) / np.sqrt(3):
            tied = []
            for N, dN in zip(tables.tied_N, tables.tied_dN, strict=True):
                E3 = 0.5 * (strains(x, d, N, dN, z)[1] - strains(X, D, N, dN, z)[1])
                tied.append([E3[0, 0], E3[1, 1], 2 * E3[0, 1], 2 * E3[0, 2], 2 * E3[1, 2]])
            for weight, N, dN, tie in zip(tables.weights, tables.N, tables.dN, tables.tie, strict=True):
                rr, ss, rs, rz, sz = np.einsum("cte,te->c", tie, np.array(tied)[: tie.shape[1]])
                e = np.array([[rr, rs / 2, rz / 2], [rs / 2, ss, sz / 2], [rz / 2, sz / 2, 0.0]])
                G = strains(X, D, N, dN, z)[0]
                normal = np.cross(G[0], G[1])
                normal /= np.linalg.norm(normal)
                first = G[0] / np.linalg.norm(G[0])
                axes = np.stack([first, np.cross(normal, first), normal])
                A = axes @ np.linalg.inv(G)
                local = A @ e @ A.T
                density = 0.5 * E * (local[0, 0] ** 2 + local[1, 1] ** 2 + 2 * local[0, 1] ** 2)
                density += E * 5 / 6 * (local[0, 2] ** 2 + local[1, 2] ** 2)
                total += weight * thickness / 2 * np.linalg.det(G) * density
    return total


@pytest.mark.parametrize("kind", ["quad4", "tri3", "tri6"])
def test_forces_are_derivatives_of_an_independent_energy(kind: str) -> None:
    """Third differences of an energy that shares no code; the drilling term is left out of both by its stiffness."""
    E, thickness, offset = 1.0, 0.05, 0.01
    mesh, _ = sheet(kind, (1, 1), lambda r, s: (r + 0.1 * s**2, s + 0.07 * r * s, 0.2 * r * s + 0.1 * r**2))
    model = assemble_shells(mesh, ShellSection.plain(Material.isotropic(E, 0.0, 1.0), thickness, offset))
    rng = np.random.default_rng(5)
    U = 0.1 * rng.normal(size=(3 * model.n_blocks, 3))
    no_drilling = _without_drilling(model)
    forces = second_order_forces(no_drilling, U, np.array([(0, 1)]))[:, 0]

    def mixed(h: float) -> float:
        signs = [(a, b, c) for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]
        values = [a * b * c * energy(model, h * (U @ [a, b, c]), E, thickness, offset) for a, b, c in signs]
        return sum(values) / (2 * h) ** 3

    want = (4 * mixed(0.02) - mixed(0.04)) / 3
    assert forces @ U[:, 2] == pytest.approx(want, rel=2e-5)


def _without_drilling(model: FEModel) -> FEModel:
    """The model whose sections have no drilling stiffness"""
    from dataclasses import replace

    class Data:
        def __init__(self, data: object) -> None:
            self.data = data

        def __getattr__(self, name: str) -> object:
            found = getattr(self.data, name)
            return (*found[:-1], 0.0 * found[-1]) if name == "section_arguments" else found

    return replace(model, shells=Data(model.shells))


def test_a_bent_strip_is_shortened():
    """A cantilever strip in its shape w = x^2: the second-order displacement of the tip is -int w'^2."""
    mesh, grid = sheet("quad4", (40, 1), lambda r, s: (r, 0.05 * s, 0.0 * r))
    model = assemble_shells(mesh, ShellSection.plain(Material.isotropic(1.0, 0.0, 1.0), 0.01))
    x = mesh.points[:, 0]
    U = np.zeros((2, mesh.n_points, 3))
    U[0, :, 2], U[1, :, 1] = x**2, -2.0 * x
    forces = second_order_forces(model, U.reshape(-1, 1), np.array([(0, 0)]))[:, 0]
    from flexmb.verification.shell_models import deflection, held

    G = deflection(model, held(model, [(grid[0], "xyzXYZ")]), -forces)
    assert G[3 * grid[-1, 0]] == pytest.approx(-4.0 / 3.0, rel=2e-3)
    assert abs(G[3 * grid[-1, 0] + 2]) < 1e-6
    assert has_second_order(model)
