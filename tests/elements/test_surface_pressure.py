"""Pressure on faces: every type of face, closed surfaces, and the change with the displacements of the nodes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from flexmb.elements.surface_pressure import pressed_faces
from flexmb.mesh.mesh import Cells, Mesh
from flexmb.verification.solid_meshes import box_mesh

KINDS = ("tet4", "tet10", "hex8", "hex20", "hex27", "wedge6", "wedge15", "pyramid5", "pyramid13")
SIZE = (0.3, 0.2, 0.1)


@pytest.mark.parametrize("kind", KINDS)
def test_a_pressure_on_a_side_is_area_times_pressure_against_its_normal(kind: str) -> None:
    mesh = box_mesh(kind, (2, 2, 2), SIZE, distort=0.15)
    faces = pressed_faces(mesh, mesh.node_sets["xmax"])
    forces = faces.forces()
    assert forces.sum(axis=0) == pytest.approx([-0.02, 0.0, 0.0], abs=1e-15)
    assert faces.area() == pytest.approx(0.02, rel=1e-12)
    moment = np.cross(faces.points, forces).sum(axis=0)
    assert moment == pytest.approx(np.cross([0.3, 0.1, 0.05], [-0.02, 0.0, 0.0]), abs=1e-15)


@pytest.mark.parametrize("kind", KINDS)
def test_a_closed_surface_has_no_resultants_on_the_deformed_body_either(kind: str) -> None:
    """Sum of p n dA and of r x p n dA over a closed surface are zero: exactly, to first order in any displacement."""
    mesh = box_mesh(kind, (2, 1, 2), SIZE, distort=0.15)
    faces = pressed_faces(mesh, np.arange(mesh.n_points))
    Phi = np.random.default_rng(3).normal(size=(len(faces.nodes), 4, 3))
    forces, turned = faces.forces(), faces.turned(Phi)
    assert np.abs(forces.sum(axis=0)).max() < 1e-15
    assert np.abs(np.cross(faces.points, forces).sum(axis=0)).max() < 1e-15
    moment = np.cross(Phi, forces[:, None]).sum(axis=0) + np.cross(faces.points[:, None], turned).sum(axis=0)
    assert np.abs(turned.sum(axis=0)).max() < 1e-13 * np.abs(turned).max() * len(turned)
    assert np.abs(moment).max() < 1e-13 * len(turned)
    # a closed surface under pressure has the potential -p V, so that its stiffness is symmetric
    stiffness = np.einsum("pki,pli->kl", Phi, turned)
    assert stiffness == pytest.approx(stiffness.T, abs=1e-12 * np.abs(stiffness).max())


@pytest.mark.parametrize("kind", KINDS)
def test_forces_follow_the_surface(kind: str) -> None:
    """The derivative is that of the forces on displaced nodes, which are quadratic in them: central differences are
    exact."""
    mesh = box_mesh(kind, (1, 2, 1), SIZE, distort=0.1)
    faces = pressed_faces(mesh, mesh.node_sets["zmin"])
    u = np.random.default_rng(5).normal(size=faces.points.shape)
    step = 1e-3
    ends = [replace(faces, points=faces.points + sign * step * u).forces() for sign in (1.0, -1.0)]
    expected = (ends[0] - ends[1]) / (2.0 * step)
    np.testing.assert_allclose(faces.turned(u[:, None])[:, 0], expected, rtol=0.0, atol=1e-11)


@pytest.mark.parametrize("kind, count", [("tri3", 3), ("tri6", 6), ("quad4", 4), ("quad8", 8), ("quad9", 9)])
def test_shells_are_pressed_against_the_normal_of_their_nodes(kind: str, count: int) -> None:
    corners = np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 1.0, 0.0], [0.0, 1.0, 0.0]])
    corners = corners[: 3 if kind.startswith("tri") else 4]
    middles = 0.5 * (corners + np.roll(corners, -1, axis=0))
    points = np.concatenate([corners, middles, corners.mean(axis=0)[None]])[:count]
    mesh = Mesh(points, (Cells(kind, np.arange(count)[None]),))
    forces = pressed_faces(mesh, np.arange(count)).forces()
    assert forces.sum(axis=0) == pytest.approx([0.0, 0.0, -1.0 if kind.startswith("tri") else -2.0], abs=1e-14)


def test_faces_whose_nodes_are_not_all_chosen_are_left_out() -> None:
    mesh = box_mesh("hex20", (2, 1, 1))
    assert pressed_faces(mesh, mesh.node_sets["xmax"][:-1]).faces == ()
