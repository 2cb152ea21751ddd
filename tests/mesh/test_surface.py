"""The outside of meshes: closed, wound outwards, enclosing the volume of the cells.

Covers: mesh.topology.
"""

import numpy as np
import pytest

from flexmb.mesh.mesh import SOLIDS, Cells, Mesh
from flexmb.mesh.surface import outer_surface
from flexmb.mesh.topology import EDGES, FACES, family, mirrored
from flexmb.verification.solid_meshes import box_mesh, rod_mesh


def enclosed_volume(mesh: Mesh) -> float:
    """Divergence theorem on the triangles: V = sum of a . (b x c) / 6."""
    triangles, _ = outer_surface(mesh)
    a, b, c = (mesh.points[triangles[:, i]] for i in range(3))
    return float(np.sum(a * np.cross(b, c)) / 6.0)


@pytest.mark.parametrize("kind", SOLIDS)
def test_box_surface_is_closed_and_encloses_the_box(kind):
    mesh = box_mesh(kind, (3, 2, 2), (3.0, 1.0, 0.5), distort=0.15)
    triangles, normals = outer_surface(mesh)
    assert enclosed_volume(mesh) == pytest.approx(1.5, rel=1e-12)  # flat faces stay on the box: exact but for round-off
    directed = {(int(t[i]), int(t[(i + 1) % 3])) for t in triangles for i in range(3)}
    assert len(directed) == 3 * len(triangles)
    assert all((b, a) in directed for a, b in directed)  # every edge runs once each way: closed, consistently wound
    outwards = mesh.points[triangles].mean(axis=1) - np.array([1.5, 0.5, 0.25])
    assert np.all(np.sum(outwards * normals, axis=1) > 0.0)
    assert np.linalg.norm(normals, axis=1) == pytest.approx(1.0)


def test_numbers_of_triangles():
    # A 2 x 2 x 2 box has 24 quadrilateral faces, or 48 triangular ones of tetrahedra.
    counts = {"tet4": 48, "tet10": 48 * 4, "hex8": 48, "hex20": 24 * 6, "hex27": 24 * 8}
    for kind, count in counts.items():
        assert len(outer_surface(box_mesh(kind))[0]) == count


def test_curved_skin_follows_the_circle():
    mesh = rod_mesh("hex20", 0.3, 0.003, 4, 4)
    exact = np.pi * 0.003**2 * 0.3
    chords = rod_mesh("hex8", 0.3, 0.003, 4, 4)
    assert 0.9 * exact < enclosed_volume(chords) < enclosed_volume(mesh) < exact


def test_mixed_kinds_share_faces():
    points = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)], float)
    points = np.vstack([points, [(2, 0, 0), (2, 0, 1)]])
    cells = (Cells("hex8", np.array([range(8)])), Cells("wedge6", np.array([[1, 8, 2, 5, 9, 6]])))
    mesh = Mesh(points, cells)
    assert enclosed_volume(mesh) == pytest.approx(1.5, rel=1e-14)
    assert len(outer_surface(mesh)[0]) == 2 * 5 + 2 + 2 * 2


def test_line_cells_have_no_surface():
    mesh = Mesh(np.eye(3), (Cells("line2", np.array([[0, 1], [1, 2]])),))
    triangles, normals = outer_surface(mesh)
    assert triangles.shape == normals.shape == (0, 3)


@pytest.mark.parametrize("kind", SOLIDS)
def test_mirrored_twice_is_the_cell_itself_and_once_turns_the_surface(kind):
    order = mirrored(kind)
    assert sorted(order) == list(range(SOLIDS[kind]))
    assert [order[i] for i in order] == list(range(SOLIDS[kind]))
    mesh = box_mesh(kind, (1, 1, 1))
    turned = Mesh(mesh.points, (Cells(kind, mesh.cells[0].nodes[:, order]),))
    assert enclosed_volume(turned) == pytest.approx(-enclosed_volume(mesh), rel=1e-14)


@pytest.mark.parametrize("kind", ["tet4", "wedge6", "hex8"])
def test_faces_and_edges_agree(kind):
    """Euler's formula and: every edge belongs to two faces, once in each direction."""
    name = family(kind)
    assert SOLIDS[kind] - len(EDGES[name]) + len(FACES[name]) == 2
    directed = [pair for face in FACES[name] for pair in zip(face, face[1:] + face[:1], strict=True)]
    assert len(set(directed)) == len(directed) == 2 * len(EDGES[name])
    assert {frozenset(pair) for pair in directed} == {frozenset(edge) for edge in EDGES[name]}
