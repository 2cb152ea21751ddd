"""Shared by the finite element cases: materials, supports, end loads, and boxes mapped to other parts.

Modes and statics of clamped and free parts use the solver of a reduction, `FreeBody`. `held_modes` eliminates single
unknowns, K[free][:, free], for supports that hold only some directions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from flexmb.arrays import Floats, Integers
from flexmb.axes import AXES
from flexmb.elements.fe_model import FEModel
from flexmb.elements.material import Material
from flexmb.elements.solid.assemble import assemble
from flexmb.mesh.mesh import Mesh
from flexmb.reduction.eigenmodes import Eigenmodes, lowest_modes
from flexmb.reduction.free_body import FreeBody
from flexmb.reduction.interfaces import Interface, make_interface


def material_of(parameters: Mapping[str, Any]) -> Material:
    """The material of an entry."""
    return Material.isotropic(parameters["E"], parameters["nu"], parameters.get("density", 1.0))


def face_nodes(model: FEModel, face: str) -> Integers:
    """Nodes of a set of the mesh of the model."""
    assert model.mesh is not None
    return model.mesh.node_sets[face]


def clamped_modes(model: FEModel, count: int) -> Eigenmodes:
    """Modes with xmin held, by the fixed-interface method of a reduction."""
    body = FreeBody(model, [make_interface(model, "root", face_nodes(model, "xmin"))])
    return lowest_modes(model.mass_times, body.solve_fixed, body.n, count=count)


def free_modes(model: FEModel, count: int) -> tuple[Eigenmodes, float]:
    """Modes of the free body without its rigid motions, and the largest frequency [Hz] that round-off gives those."""
    body = FreeBody(model, [])
    found = lowest_modes(model.mass_times, body.solve, body.n, count=count, known=body.R)
    return found, body.largest_rigid_frequency()


def directions(mesh: Mesh, held: Mapping[str, str]) -> Integers:
    """Unknowns of {face: directions}, as in {"xmin": "xyz", "zmin": "z"}."""
    rows = [3 * mesh.node_sets[face] + AXES.index(axis) for face, axes in held.items() for axis in axes]
    return np.unique(np.concatenate(rows))


def held_modes(model: FEModel, held: Integers, count: int) -> Eigenmodes:
    """Modes with single unknowns held, by eliminating them."""
    K, M = sparse.csc_array(model.K), sparse.csc_array(sparse.kron(model.M, sparse.eye_array(3)))
    free = np.setdiff1d(np.arange(K.shape[0]), held)
    M_free = M[free][:, free]
    factor = splu(K[free][:, free], permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    return lowest_modes(M_free.__matmul__, factor.solve, len(free), count=count)


def end_shares(box: Mesh) -> Floats:
    """Shares of the nodes of xmax in a uniform traction: the forces that hold uniform axial stress (nu = 0)."""
    stretch = np.zeros_like(box.points)
    stretch[:, 0] = box.points[:, 0]
    axial = (assemble(box, Material(1.0, 0.5, 1.0)).K @ stretch.ravel()).reshape(-1, 3)[:, 0]
    end = axial[box.node_sets["xmax"]]
    return np.asarray(end / end.sum())


def tip_compliance(
    model: FEModel, root: Integers, tip: Integers, shares: Floats | None = None
) -> tuple[Floats, Floats]:
    """(6, 6) mean motion of the tip under unit loads spread there by shares, the root clamped; all displacements."""
    body = FreeBody(model, [make_interface(model, "root", root)])
    end: Interface = make_interface(model, "tip", tip, "follower", weights=shares)
    U = body.solve_fixed(end.forces(body.n))
    return end.motion(U), U


def box_compliance(model: FEModel, box: Mesh) -> tuple[Floats, Floats]:
    """`tip_compliance` of a part mapped from a box: xmin clamped, uniform tractions on xmax."""
    return tip_compliance(model, box.node_sets["xmin"], box.node_sets["xmax"], end_shares(box))


def moved(mesh: Mesh, points: Floats) -> Mesh:
    """The mesh with other points."""
    return replace(mesh, points=np.ascontiguousarray(points))


def tapered(points: Floats) -> Floats:
    """The unit box in x and y as a trapezium: length 10, depth 5 at the root and 1 at the tip."""
    x, y, z = points.T
    return np.stack([10.0 * x, (y - 0.5) * (5.0 - 4.0 * x), z], axis=1)


def curved(points: Floats) -> Floats:
    """The box 1 x 0.2 x 0.1 as a quarter ring of radii 4.12 and 4.32; at its tip x is the radius, z out of plane."""
    x, y, z = points.T
    angle, radius = np.pi / 2.0 * x, 4.12 + y
    return np.stack([radius * np.sin(angle), radius * np.cos(angle), z], axis=1)


def twisted(points: Floats) -> Floats:
    """The bar 12 x 1.1 x 0.32 turned about its axis by a quarter turn over its length."""
    x, y, z = points.T
    angle = np.pi / 2.0 * x / 12.0
    y, z = y - 0.55, z - 0.16
    return np.stack([x, y * np.cos(angle) - z * np.sin(angle), y * np.sin(angle) + z * np.cos(angle)], axis=1)


def slanted(points: Floats, alternate: bool) -> Floats:
    """The bar 6 x 0.2 x 0.1 of six cells, inner faces at 45 degrees: parallelograms, or trapezia if they alternate."""
    lean = np.array([0.0, *((-1.0) ** np.arange(5) if alternate else np.ones(5)), 0.0])
    leaning = points.copy()
    leaning[:, 0] += np.interp(points[:, 0], np.arange(7.0), lean) * (points[:, 1] - 0.1)
    return leaning
