"""Helpers of the published finite element cases: supports, end loads, mapped bars, and waves along a prismatic bar.

The roads of the library: `clamped_modes`, `free_modes`, `tip_compliance` go through FreeBody. `held_modes` eliminates
single unknowns, K[free][:, free], for supports that hold a direction only. `wave_frequency` shares nothing with flexmb:
    u = (U(y, z) cos kx, V(y, z) sin kx, W(y, z) sin kx)
is exact along the bar, and U, V, W are polynomials (Ritz); it is the answer of three-dimensional elasticity for a bar
whose ends lie in planes of mirror symmetry or antisymmetry of the wave.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import eigh
from scipy.sparse.linalg import splu

from flexmb.elements.fe_model import FEModel
from flexmb.elements.material import Material
from flexmb.elements.solid.assemble import assemble
from flexmb.mesh.mesh import Mesh
from flexmb.reduction.eigenmodes import Eigenmodes, lowest_modes
from flexmb.reduction.free_body import FreeBody
from flexmb.reduction.interfaces import Interface, make_interface

Vector = NDArray[np.float64]

CASES = {entry["id"]: entry for entry in json.loads((Path(__file__).parent / "data" / "published_fe.json").read_text())}


def material_of(parameters: dict) -> Material:
    return Material.isotropic(parameters["E"], parameters["nu"], parameters.get("density", 1.0))


def face_nodes(model: FEModel, face: str) -> NDArray[np.int64]:
    assert model.mesh is not None
    return model.mesh.node_sets[face]


def clamped_body(model: FEModel) -> FreeBody:
    """The body with the nodes of xmin tied rigidly to one marker."""
    return FreeBody(model, [make_interface(model, "root", face_nodes(model, "xmin"))])


def clamped_modes(model: FEModel, count: int) -> Eigenmodes:
    """Modes with xmin held, by the fixed-interface road of the library."""
    body = clamped_body(model)
    return lowest_modes(model.mass_times, body.solve_fixed, body.n, count=count)


def free_modes(model: FEModel, count: int) -> tuple[Eigenmodes, float]:
    """Modes of the free body without its rigid motions, and the largest frequency [Hz] that round-off gives those."""
    body = FreeBody(model, [])
    found = lowest_modes(model.mass_times, body.solve, body.n, count=count, known=body.R)
    return found, body.largest_rigid_frequency()


def directions(mesh: Mesh, held: dict[str, str]) -> NDArray[np.int64]:
    """Unknowns of {face: directions}, as in {"xmin": "xyz", "zmin": "z"}."""
    rows = [3 * mesh.node_sets[face] + "xyz".index(axis) for face, axes in held.items() for axis in axes]
    return np.unique(np.concatenate(rows))


def held_modes(model: FEModel, held: NDArray[np.int64], count: int) -> Eigenmodes:
    """Modes with single unknowns held, by eliminating them."""
    K, M = sparse.csc_array(model.K), sparse.csc_array(sparse.kron(model.M, sparse.eye_array(3)))
    free = np.setdiff1d(np.arange(K.shape[0]), held)
    M_free = M[free][:, free]
    factor = splu(K[free][:, free], permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    return lowest_modes(M_free.__matmul__, factor.solve, len(free), count=count)


def end_shares(box: Mesh) -> Vector:
    """Shares of the nodes of xmax in a uniform traction: the forces that hold uniform axial stress (nu = 0)."""
    stretch = np.zeros_like(box.points)
    stretch[:, 0] = box.points[:, 0]
    axial = (assemble(box, Material(1.0, 0.5, 1.0)).K @ stretch.ravel()).reshape(-1, 3)[:, 0]
    end = axial[box.node_sets["xmax"]]
    return end / end.sum()


def tip_compliance(model: FEModel, shares: Vector) -> tuple[Vector, Vector, Interface]:
    """(6, 6) mean motion of xmax under unit loads spread evenly there, xmin clamped; all displacements; the tip."""
    body = clamped_body(model)
    tip = make_interface(model, "tip", face_nodes(model, "xmax"), "follower", weights=shares)
    U = body.solve_fixed(tip.forces(body.n))
    return tip.motion(U), U, tip


def tapered(points: Vector) -> Vector:
    """The unit box in x and y as a trapezium: length 10, depth 5 at the root and 1 at the tip."""
    x, y, z = points.T
    return np.stack([10.0 * x, (y - 0.5) * (5.0 - 4.0 * x), z], axis=1)


def curved(points: Vector) -> Vector:
    """The box 1 x 0.2 x 0.1 as a quarter ring of radii 4.12 and 4.32; at its tip x is the radius, z out of plane."""
    x, y, z = points.T
    angle, radius = np.pi / 2.0 * x, 4.12 + y
    return np.stack([radius * np.sin(angle), radius * np.cos(angle), z], axis=1)


def twisted(points: Vector) -> Vector:
    """The bar 12 x 1.1 x 0.32 turned about its axis by a quarter turn over its length."""
    x, y, z = points.T
    angle = np.pi / 2.0 * x / 12.0
    y, z = y - 0.55, z - 0.16
    return np.stack([x, y * np.cos(angle) - z * np.sin(angle), y * np.sin(angle) + z * np.cos(angle)], axis=1)


def slanted(points: Vector, alternate: bool) -> Vector:
    """The bar 6 x 0.2 x 0.1 of six cells, inner faces at 45 degrees: parallelograms, or trapezia if they alternate."""
    lean = np.array([0.0, *((-1.0) ** np.arange(5) if alternate else np.ones(5)), 0.0])
    moved = points.copy()
    moved[:, 0] += np.interp(points[:, 0], np.arange(7.0), lean) * (points[:, 1] - 0.1)
    return moved


FAMILIES = {"flexure": ((1, 0), (0, 0), (1, 1)), "torsion": ((1, 1), (0, 1), (1, 0)), "axial": ((0, 0), (1, 0), (0, 1))}
"""Whether U, V, W are odd in y and in z"""


def wave_frequency(family: str, wave_number: float, side: float, material: Material, degree: int = 9) -> float:
    """Lowest frequency [Hz] of a wave in a square bar, the polynomials up to `degree` in y and in z."""
    lam = material.G * (material.E - 2.0 * material.G) / (3.0 * material.G - material.E)
    x, w = legendre.leggauss(degree + 2)
    value = np.array([legendre.legval(x, row) for row in np.eye(degree + 1)])
    slope = np.array([legendre.legval(x, legendre.legder(row)) for row in np.eye(degree + 1)]) * 2.0 / side
    area = np.outer(w, w).ravel() * side**2 / 4.0

    def functions(odd_in_y: int, odd_in_z: int) -> list[Vector]:
        """One component's functions at the points of the section, and their derivatives along y and z"""
        pairs = ((value, value), (slope, value), (value, slope))
        return [np.einsum("ig,jh->ijgh", y[odd_in_y::2], z[odd_in_z::2]).reshape(-1, len(area)) for y, z in pairs]

    (U, U_y, U_z), (V, V_y, V_z), (W, W_y, W_z) = (functions(*odd) for odd in FAMILIES[family])
    k = wave_number

    def column(*terms: Vector | None) -> Vector:
        """One strain per unit amplitude of all functions; None where a component has no part in it."""
        return np.concatenate([np.zeros_like(own) if t is None else t for t, own in zip(terms, (U, V, W), strict=True)])

    # Strains go with sin kx or with cos kx, whose mean squares are equal.
    normal = [column(-k * U, None, None), column(None, V_y, None), column(None, None, W_z)]
    shear = [column(U_y, k * V, None), column(None, V_z, W_y), column(U_z, None, k * W)]
    K = lam * _product(normal[0] + normal[1] + normal[2], area) + 2.0 * material.G * sum(
        _product(e, area) for e in normal
    )
    K = K + material.G * sum(_product(e, area) for e in shear)
    M = material.density * sum(
        _product(column(*own), area) for own in ((U, None, None), (None, V, None), (None, None, W))
    )
    return float(np.sqrt(eigh(K, M, eigvals_only=True)[0]) / (2.0 * np.pi))


def _product(rows: Vector, area: Vector) -> Vector:
    """Integral over the section of all products of the rows"""
    return (rows * area) @ rows.T
