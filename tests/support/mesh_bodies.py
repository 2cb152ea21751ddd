"""Small meshed bodies for the tests of reduction, with a nonlinear strain energy that shares no code with flexmb."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from flexmb.bodies.reduce_mesh import tie_markers
from flexmb.elements.fe_model import FEModel
from flexmb.elements.material import Material
from flexmb.elements.solid.assemble import assemble
from flexmb.mesh.mesh import Mesh
from flexmb.reduction.free_body import FreeBody
from flexmb.reduction.interfaces import Interface
from flexmb.reduction.request import TieRequest
from flexmb.verification.solid_meshes import box_mesh, rod_mesh

STEEL = Material.isotropic(2.0e11, 0.3, 7870.0)
LENGTH, WIDTH, HEIGHT = 0.3, 0.012, 0.008


@lru_cache
def bar() -> tuple[Mesh, FEModel]:
    """A bar of 6 x 1 x 1 hex20, 0.3 m long, of unequal sides."""
    mesh = box_mesh("hex20", (6, 1, 1), (LENGTH, WIDTH, HEIGHT), distort=0.1)
    return mesh, assemble(mesh, STEEL)


@lru_cache
def rod(n_along: int = 20) -> tuple[Mesh, FEModel]:
    """A round rod of hex20, 0.3 m long, 6 mm thick."""
    mesh = rod_mesh("hex20", LENGTH, 0.003, n_along, 2)
    return mesh, assemble(mesh, STEEL)


def ties(mesh: Mesh, model: FEModel, *names: tuple[str, str, str]) -> list[Interface]:
    """Interfaces (name, selection, tie)."""
    return tie_markers(model, mesh, [TieRequest(*name) for name in names])


@lru_cache
def tied_bar(first: str, second: str) -> FreeBody:
    """The bar with its two ends tied."""
    mesh, model = bar()
    return FreeBody(model, ties(mesh, model, ("a", "xmin", first), ("b", "xmax", second)))


# Gauss points and shape functions of the 20-node brick by their textbook formulas.
_CORNERS = np.array(
    [(-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1), (-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1)], dtype=float
)
_EDGES = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)]
_NODES = np.concatenate([_CORNERS, [(_CORNERS[a] + _CORNERS[b]) / 2 for a, b in _EDGES]])


def _brick(x: np.ndarray) -> np.ndarray:
    """(20,) shape functions at x, complex steps allowed"""
    factors = 1.0 + _NODES * x
    values = np.empty(20, dtype=factors.dtype)
    values[:8] = factors[:8].prod(axis=1) * (_NODES[:8] @ x - 2.0) / 8.0
    for i in range(8, 20):
        flat = _NODES[i] == 0.0
        values[i] = np.where(flat, 1.0 - x**2, factors[i]).prod() / 4.0
    return values


def strain_energy(mesh: Mesh, material: Material, u: np.ndarray) -> float:
    """St. Venant-Kirchhoff energy [J] of a mesh of hex20 under the displacements u : (nodes, 3), 3 x 3 x 3 points."""
    lam = material.G * (material.E - 2.0 * material.G) / (3.0 * material.G - material.E)
    places, weights = np.polynomial.legendre.leggauss(3)
    (cells,) = mesh.cells
    X, U = mesh.points[cells.nodes], u[cells.nodes]
    energy = 0.0
    for i, j, k in np.ndindex(3, 3, 3):
        x = np.array([places[i], places[j], places[k]])
        slopes = np.stack([_brick(x + 1e-30j * axis).imag / 1e-30 for axis in np.eye(3)], axis=1)
        jacobian = np.einsum("cna,nb->cab", X, slopes)
        H = np.einsum("cna,nb,cbd->cad", U, slopes, np.linalg.inv(jacobian))
        strain = 0.5 * (H + H.transpose(0, 2, 1) + H.transpose(0, 2, 1) @ H)
        density = 0.5 * lam * np.trace(strain, axis1=1, axis2=2) ** 2 + material.G * (strain**2).sum(axis=(1, 2))
        energy += weights[i] * weights[j] * weights[k] * float(density @ np.linalg.det(jacobian))
    return energy
