"""Checks of meshes: exact volumes and inertia, quality of known shapes, every fault told with its place.

Covers: cli.mesh, mesh.kernels, mesh.measure, mesh.neighbours, mesh.report_text.
"""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from flexmb.cli.mesh import mesh_info
from flexmb.errors import InputError
from flexmb.mesh import quadrature
from flexmb.mesh.checks import check_mesh, reject_bad
from flexmb.mesh.mesh import SOLIDS, Cells, Mesh
from flexmb.mesh.report_text import mesh_report_text
from flexmb.verification.solid_meshes import box_mesh, rod_mesh


@pytest.mark.parametrize("name", ["tet", "wedge", "hex"])
@pytest.mark.parametrize("n", [1, 2, 4])
def test_gauss_points_integrate_monomials(name, n):
    """Closed forms: a! b! c! / (a + b + c + 3)! on the tetrahedron, products of lines and triangles elsewhere."""
    from math import factorial as f

    rules = {
        "tet": quadrature.tetrahedron(2 * n - 1),
        "wedge": quadrature.wedge(2 * n - 1, n),
        "hex": quadrature.cube(n),
    }
    xi, weights = rules[name]
    line = {a: (1.0 + (-1.0) ** a) / (a + 1) for a in range(2 * n)}
    for a, b, c in product(range(2 * n), repeat=3):
        if name == "hex":
            exact = line[a] * line[b] * line[c]
        elif name == "wedge" and a + b < 2 * n:
            exact = f(a) * f(b) / f(a + b + 2) * line[c]
        elif name == "tet" and a + b + c < 2 * n:
            exact = f(a) * f(b) * f(c) / f(a + b + c + 3)
        else:
            continue
        assert weights @ (xi ** [a, b, c]).prod(axis=1) == pytest.approx(exact, rel=1e-14, abs=1e-15)


@pytest.mark.parametrize("kind", SOLIDS)
@pytest.mark.parametrize("curve", [0.0, 0.05])
def test_box_has_the_inertia_of_a_box(kind, curve):
    """Inner nodes moved at random change nothing: straight cells, then curved ones, exactly."""
    size = np.array([3.0, 2.0, 1.0])
    report = reject_bad(box_mesh(kind, (3, 3, 3), tuple(size), distort=0.1, curve=curve))
    assert report.volume == pytest.approx(6.0, rel=1e-13)
    assert report.centre == pytest.approx(size / 2, rel=1e-12)
    exact = 6.0 / 12.0 * np.diag((size**2).sum() - size**2)
    assert report.inertia == pytest.approx(exact, abs=1e-11)
    assert report.parts == (sum(report.cells.values()),) and report.warnings == ()


def test_round_rod_converges_to_the_cylinder():
    errors = []
    for n_across in (4, 8):
        report = check_mesh(rod_mesh("hex20", 0.3, 0.003, 2, n_across))
        errors.append(abs(report.inertia[0, 0] / (0.5 * np.pi * 0.003**4 * 0.3) - 1.0))
    # Quadratic arcs: the area converges with order 4, so halving the cells divides the error by about 16.
    assert errors[0] < 2e-3 and errors[1] < errors[0] / 10.0


@pytest.mark.parametrize(
    ("kind", "points"),
    [
        ("tet4", [(1, 1, 1), (1, -1, -1), (-1, -1, 1), (-1, 1, -1)]),
        ("hex8", [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]),
        ("wedge6", [(x, y, z) for z in (0, 1) for x, y in ((0, 0), (1, 0), (0.5, np.sqrt(0.75)))]),
    ],
)
def test_regular_cells_have_quality_one(kind, points):
    points = np.array(points, dtype=float)
    report = check_mesh(Mesh(points, (Cells(kind, np.arange(len(points))[None]),)))
    assert report.worst_quality == pytest.approx(1.0, rel=1e-12)
    squeezed = check_mesh(Mesh(points * [1.0, 1.0, 0.01], (Cells(kind, np.arange(len(points))[None]),)))
    assert squeezed.volume == pytest.approx(0.01 * report.volume, rel=1e-12)
    # A squeezed tetrahedron is bad, a squeezed box with right angles is not.
    assert (squeezed.worst_quality < 0.05) == (kind == "tet4")


def with_cells(mesh, nodes):
    return replace(mesh, cells=(Cells(mesh.cells[0].kind, np.asarray(nodes)),))


def fault_texts(mesh):
    return " ".join(str(fault) for fault in check_mesh(mesh).faults)


def test_all_faults_at_once():
    mesh = box_mesh("tet4", (2, 2, 2))
    nodes = mesh.cells[0].nodes.copy()
    nodes[3] = nodes[3][[1, 0, 2, 3]]  # inside out
    nodes[5, 1] = nodes[5, 0]  # a node twice
    extra = np.array([nodes[7][::-1], [0, 1, 2, 0]])
    extra[1] = [mesh.node_sets["xmin"][0], *mesh.node_sets["xmin"][[1, 3, 4]]]  # flat
    bad = with_cells(mesh, np.vstack([nodes, extra]))
    with pytest.raises(InputError) as caught:
        reject_bad(bad)
    text = str(caught.value)
    for words in (
        "1 of 50 tet4 cells use a node more than once: cell 6 at",
        "1 of 50 tet4 cells are flat",
        "are duplicates",
    ):
        assert words in text
    assert "tet4 cells are inside out (negative volume): cell 4 at (" in text
    assert len(caught.value.faults) == 4


def test_points_that_are_no_numbers():
    mesh = box_mesh("hex8", (2, 1, 1))
    mesh.points[4, 1] = np.nan
    mesh.points[5, 2] = 1e30
    report = check_mesh(mesh)
    assert "2 points have coordinates that are not finite or beyond" in str(report.faults[0])
    assert "(points 5, 6)" in str(report.faults[0])
    assert "FAULT" in mesh_report_text(mesh, report)


def test_nodes_out_of_range_and_no_cells():
    mesh = box_mesh("hex8", (1, 1, 1))
    assert "use nodes 1 .. 8; there are 8" in fault_texts(with_cells(mesh, mesh.cells[0].nodes + 1))
    assert "no solid, shell or line cells" in fault_texts(replace(mesh, cells=()))


def test_folded_quadratic_cells_are_faults_and_folds_at_a_node_warnings():
    mesh = box_mesh("tet10", (1, 1, 1))
    points = mesh.points.copy()
    row = mesh.cells[0].nodes[0]
    a, b, middle = points[row[0]], points[row[1]], row[4]
    points[middle] = a + 0.2 * (b - a)  # beyond the quarter point the map folds at the corner only
    report = check_mesh(replace(mesh, points=points))
    assert report.faults == () and any("folded at a node, not inside" in one.text for one in report.warnings)
    points[middle] = a - 0.6 * (b - a)
    assert "are folded (the Jacobian changes sign inside)" in fault_texts(replace(mesh, points=points))


def test_unmerged_parts_and_empty_sets_are_warnings():
    one = box_mesh("hex8", (2, 1, 1))
    points = np.vstack([one.points, one.points + [1.0, 0.0, 0.0]])
    nodes = np.vstack([one.cells[0].nodes, one.cells[0].nodes[:1] + one.n_points])
    mesh = Mesh(points, (Cells("hex8", nodes),), node_sets={"bore": np.zeros(0, dtype=np.int64)})
    report = check_mesh(mesh)
    text = " ".join(warning.text for warning in report.warnings)
    assert report.parts == (2, 1) and "consists of 2 parts that share no nodes (2, 1 cells)" in text
    # x = 1 of the first box and x = 0 of the second are at the same places.
    assert "4 points coincide with another point" in text and "Empty sets: bore" in text
    assert report.faults == ()


def test_coincident_points_found_at_any_place():
    random = np.random.default_rng(5)
    points = random.uniform(-1, 1, (500, 3))
    doubled = np.vstack([points, points[:40] + 1e-10 * random.uniform(-1, 1, (40, 3))])
    mesh = Mesh(doubled, (Cells("line2", np.stack([np.arange(539), np.arange(1, 540)], axis=1)),))
    assert any("40 points coincide with another point" in one.text for one in check_mesh(mesh).warnings)


@pytest.mark.parametrize("angle", [0.0, 0.7])
def test_crossed_diagonals_are_found(angle):
    """Two pyramids on one square, each of two tetrahedra: with one diagonal one body, with two there is a slit."""
    turn = np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]])
    points = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0.5, 0.5, 1], [0.5, 0.5, -1.0]]) @ turn
    above, one, other = [[0, 1, 2, 4], [0, 2, 3, 4]], [[0, 2, 1, 5], [0, 3, 2, 5]], [[0, 3, 1, 5], [1, 3, 2, 5]]
    whole = check_mesh(Mesh(points, (Cells("tet4", np.array(above + one)),)))
    assert whole.warnings == () and whole.faults == ()
    mesh = Mesh(points, (Cells("tet4", np.array(above + other)),))
    report = check_mesh(mesh)
    assert [(found.code, found.value) for found in report.warnings] == [("unmatched-faces", 4.0)]
    text = mesh_report_text(mesh, report)
    assert "usable with care: 1 warning" in text and "sound" not in text


@pytest.mark.parametrize("kind", SOLIDS)
def test_boxes_have_no_unmatched_faces(kind):
    report = check_mesh(box_mesh(kind, (2, 3, 2), (1.0, 1.0, 1.0)))
    assert "unmatched-faces" not in [found.code for found in report.warnings]


def test_line_meshes_have_length_and_inertia():
    x = np.linspace(0.0, 2.0, 5)
    points = np.stack([x, 0 * x, 0 * x], axis=1)
    report = check_mesh(Mesh(points, (Cells("line2", np.array([[0, 1], [1, 2], [2, 3], [3, 4]])),)))
    assert report.length == pytest.approx(2.0) and report.volume == 0.0
    assert report.centre == pytest.approx([1.0, 0.0, 0.0])
    assert report.inertia == pytest.approx(np.diag([0.0, 2.0**3 / 12.0, 2.0**3 / 12.0]))


def test_mesh_info_prints_the_report(capsys, tmp_path):
    import meshio

    made = rod_mesh("tet10", 0.3, 0.1, 2, 2)
    path = tmp_path / "rod.vtu"
    marks = np.zeros(made.n_points, dtype=int)
    marks[made.node_sets["start"]] = 1
    meshio.Mesh(made.points, [("tetra10", made.cells[0].nodes)], point_data={"start": marks}).write(path)
    assert mesh_info(path) == 0
    text = capsys.readouterr().out
    for words in (
        "rod: sound",
        "60 tet10",
        "x 0 .. 0.3",
        "worst scaled Jacobian",
        "start",
        "Unit guessed: m",
        "1 (all",
    ):
        assert words in text
    assert max(len(line) for line in text.splitlines() if str(path) not in line) <= 100
    made.points[0] = np.nan
    meshio.Mesh(made.points, [("tetra10", made.cells[0].nodes)]).write(path)
    assert mesh_info(path, unit="mm") == 2
    assert "not usable: 1 fault" in capsys.readouterr().out
