"""Stiffness and mass of every solid kind: rigid motions, patch test, exact inertia, and another road to both.

Covers: elements.solid.chunks, elements.solid.elasticity, elements.solid.element_tables,
elements.solid.kernels.assembly, elements.solid.kernels.element, elements.solid.kernels.pattern,
elements.solid.parallel.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from flexmb.elements.fe_model import FEModel
from flexmb.elements.material import MATERIALS, Material
from flexmb.elements.solid.assemble import assemble
from flexmb.elements.solid.chunks import CHUNK, Chunks, chunks_of
from flexmb.errors import InputError
from flexmb.mesh.mesh import Cells, Mesh
from flexmb.mesh.topology import EDGES, is_quadratic
from flexmb.verification.solid_meshes import box_mesh
from tests.support.solid_cases import (
    KINDS,
    mass_by_points,
    merged,
    on_box,
    solve,
    stiffness_by_strain_matrices,
    unknowns,
)

STEEL, ALUMINIUM = MATERIALS["steel"], MATERIALS["aluminium"]
SIZE = (1.0, 0.7, 0.5)


def curved_box(kind: str, counts=(2, 2, 2)) -> Mesh:
    """A box of distorted cells, with curved edges inside where the kind has any"""
    return box_mesh(kind, counts, SIZE, distort=0.1, curve=0.05 if is_quadratic(kind) else 0.0)


def model_of(kind: str, **options) -> FEModel:
    return assemble(curved_box(kind), STEEL, **options)


@pytest.mark.parametrize("hex8", ["incompatible", "full"])
@pytest.mark.parametrize("kind", KINDS)
def test_rigid_motions_are_the_only_ones_without_energy(kind, hex8):
    model = model_of(kind, hex8=hex8)
    K = model.K.toarray()
    largest = np.abs(K).max()
    # K R sums some hundred terms of size |K|.
    assert np.abs(K @ model.rigid_motions()).max() < 1e-13 * largest
    values = np.linalg.eigvalsh(K) / largest
    assert np.abs(values[:6]).max() < 1e-13
    assert values[6] > 1e-6  # the softest strain of a compact body is far from zero: about (h/L)^3


@pytest.mark.parametrize("kind", KINDS)
def test_matrices_are_exactly_symmetric_sorted_and_positive(kind):
    model = model_of(kind)
    assert model.K.format == "bsr" and model.K.blocksize == (3, 3) and model.M.format == "csr"
    assert model.K.indices.dtype == np.int32 and model.K.indptr.dtype == np.int32
    assert np.array_equal(model.K.indices, model.M.indices)
    for row in range(len(model.points)):
        assert (np.diff(model.M.indices[model.M.indptr[row] : model.M.indptr[row + 1]]) > 0).all()
    assert abs(model.K - model.K.T).max() == 0.0
    assert abs(model.M - model.M.T).max() == 0.0
    assert np.linalg.eigvalsh(model.M.toarray())[0] > 0.0


@pytest.mark.parametrize("lumped", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_mass_centre_and_inertia_of_a_box(kind, lumped):
    model = model_of(kind, lumped=lumped)
    R = model.rigid_motions()
    inertia = R.T @ model.mass_times(R)
    a, b, c = SIZE
    mass = STEEL.density * a * b * c
    assert inertia[:3, :3] == pytest.approx(mass * np.eye(3), rel=1e-13, abs=1e-12 * mass)
    if lumped:
        assert (model.M.diagonal() > 0.0).all() and model.M.nnz == model.M.shape[0]
        return
    moments = inertia[1, 5], inertia[2, 3], inertia[0, 4]  # m x, m y, m z
    assert moments == pytest.approx((mass * a / 2, mass * b / 2, mass * c / 2), rel=1e-12)
    second = (
        np.diag([b * b + c * c, c * c + a * a, a * a + b * b]) / 3
        - (np.outer(SIZE, SIZE) - np.diag(np.square(SIZE))) / 4
    )
    assert inertia[3:, 3:] == pytest.approx(mass * second, rel=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_lumped_mass_of_a_regular_box_has_its_centre(kind):
    model = assemble(box_mesh(kind, (2, 2, 2), SIZE), STEEL, lumped=True)
    masses = model.M.diagonal()
    if not kind.startswith(("tet", "wedge")):  # cuts of the box into tetrahedra and wedges have no mirror planes
        assert masses @ model.points / masses.sum() == pytest.approx(np.array(SIZE) / 2, rel=1e-13)
    assert masses.sum() == pytest.approx(STEEL.density * np.prod(SIZE), rel=1e-13)


@pytest.mark.parametrize("hex8", ["incompatible", "full"])
@pytest.mark.parametrize("kind", KINDS)
def test_patch_of_distorted_cells_strains_uniformly(kind, hex8):
    # Edges are straight for tet10: its four points integrate constant stress in curved cells to second order only,
    # which keeps the order of convergence (Ciarlet and Raviart 1972).
    mesh = curved_box(kind) if kind != "tet10" else box_mesh(kind, (2, 2, 2), SIZE, distort=0.1)
    assert patch_error(assemble(mesh, STEEL, hex8=hex8)) < 1e-12


@pytest.mark.parametrize(
    ("first", "second"),
    [("hex8", "wedge6"), ("hex20", "wedge15"), ("hex8", "pyramid5"), ("hex20", "pyramid13"), ("wedge15", "pyramid13")],
)
def test_mixed_meshes_pass_the_patch_test(first, second):
    left = box_mesh(first, (2, 2, 2), SIZE)
    right = box_mesh(second, (2, 2, 2), SIZE)
    mesh = merged(left, replace(right, points=right.points + (SIZE[0], 0.0, 0.0)))
    assert mesh.n_points < left.n_points + right.n_points
    model = assemble(mesh, STEEL)
    assert np.abs(model.K @ model.rigid_motions()).max() < 1e-13 * abs(model.K).max()
    assert patch_error(model) < 1e-12
    assert model.M.sum() == pytest.approx(2 * STEEL.density * np.prod(SIZE), rel=1e-13)


@pytest.mark.parametrize(("pyramid", "tetrahedron"), [("pyramid5", "tet4"), ("pyramid13", "tet10")])
def test_tetrahedra_on_slopes_of_pyramids_pass_the_patch_test(pyramid, tetrahedron):
    """A distorted box of pyramids around an octahedron of four tetrahedra that takes the place of two of them."""
    box = box_mesh(pyramid, (2, 1, 1), SIZE, distort=0.1)
    nodes, corners = box.cells[0].nodes, box.cells[0].nodes[:, :5]
    first, second = 1, 6  # the pyramids on the square between the two hexahedra
    assert set(corners[first][:4]) == set(corners[second][:4])
    ring, ends = corners[first][:4], (corners[second][4], corners[first][4])
    cells = np.array([[ends[0], ring[i], ring[(i + 1) % 4], ends[1]] for i in range(4)])
    volume = np.linalg.det(box.points[cells[:, 1:]] - box.points[cells[:, :1]])
    cells[volume < 0] = cells[volume < 0][:, [0, 2, 1, 3]]
    points = box.points
    if tetrahedron == "tet10":
        # Slopes keep their middle nodes; the middle of the axis is the only new node.
        known = {frozenset((row[a], row[b])): row[5 + i] for row in nodes for i, (a, b) in enumerate(EDGES["pyramid"])}
        known[frozenset(ends)] = len(points)
        points = np.concatenate([points, points[list(ends)].mean(axis=0)[None]])
        middles = [[known[frozenset((cell[a], cell[b]))] for a, b in EDGES["tet"]] for cell in cells]
        cells = np.concatenate([cells, middles], axis=1)
    rest = np.delete(nodes, [first, second], axis=0)
    model = assemble(Mesh(points, (Cells(pyramid, rest), Cells(tetrahedron, cells))), STEEL)
    assert model.M.sum() == pytest.approx(STEEL.density * np.prod(SIZE), rel=1e-13)
    assert patch_error(model) < 1e-12


def patch_error(model: FEModel) -> float:
    """Relative error of the inner nodes when the outer ones follow a linear field: round-off times the condition."""
    gradient = np.random.default_rng(3).normal(size=(3, 3))
    exact = (model.points @ gradient.T).ravel()
    outside = on_box(model.points)
    held = unknowns(np.flatnonzero(outside))
    assert len(held) < len(exact)
    return float(np.abs(solve(model, held, exact[held], np.zeros(len(exact))) - exact).max() / np.abs(exact).max())


@pytest.mark.parametrize("kind", KINDS)
def test_matrices_by_another_road(kind):
    mesh = curved_box(kind, (1, 2, 1))
    model = assemble(mesh, STEEL, hex8="full")
    K = stiffness_by_strain_matrices(mesh, STEEL)
    assert model.K.toarray() == pytest.approx(K, abs=1e-13 * np.abs(K).max())
    M = mass_by_points(mesh, STEEL.density)
    # The other road takes derivatives by differences, to about 1e-9.
    assert model.M.toarray() == pytest.approx(M, abs=1e-8 * np.abs(M).max())


def test_matrices_do_not_depend_on_the_numbering_nor_on_threads(monkeypatch: pytest.MonkeyPatch):
    mesh = curved_box("tet10")
    model = assemble(mesh, STEEL)
    new = np.random.default_rng(5).permutation(mesh.n_points)
    points = np.empty_like(mesh.points)
    points[new] = mesh.points
    turned = assemble(Mesh(points, (Cells("tet10", new[mesh.cells[0].nodes]),)), STEEL)
    back = turned.M[new][:, new]
    assert abs(back - model.M).max() < 1e-14 * abs(model.M).max()
    monkeypatch.setenv("NUMBA_NUM_THREADS", "1")
    single = assemble(mesh, STEEL)
    assert np.array_equal(single.K.data, model.K.data) and np.array_equal(single.M.data, model.M.data)


def test_a_node_of_very_many_cells():
    """A fan of 12000 tetrahedra about one edge: more groups of cells meet at its ends than there are colours."""
    n = 12000
    angle = 2 * np.pi * np.arange(n) / n
    ring = np.stack([np.cos(angle), np.sin(angle), np.zeros(n)], axis=1)
    points = np.concatenate([[[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]], ring])
    i = np.arange(n)
    cells = np.stack([np.zeros(n, int), 2 + i, 2 + (i + 1) % n, np.ones(n, int)], axis=1)
    block = Cells("tet4", cells)
    assert_colours_share_no_node(chunks_of(points, block))
    model = assemble(Mesh(points, (block,)), STEEL)
    volume = n * 2.0 * np.sin(2 * np.pi / n) / 6.0
    assert model.M.sum() == pytest.approx(STEEL.density * volume, rel=1e-12)
    assert np.abs(model.K @ model.rigid_motions()).max() < 1e-12 * abs(model.K).max()


def test_groups_that_run_together_share_no_node():
    mesh = box_mesh("tet10", (7, 7, 7))
    chunks = chunks_of(mesh.points, mesh.cells[0])
    assert max(len(colour) for colour in chunks.colours) > 1
    assert sorted(chunks.order) == list(range(len(mesh.cells[0])))
    assert_colours_share_no_node(chunks)


def assert_colours_share_no_node(chunks: Chunks) -> None:
    counted = np.concatenate(chunks.colours)
    assert sorted(counted) == list(range(-(-len(chunks.nodes) // CHUNK)))
    for colour in chunks.colours:
        nodes = [np.unique(chunks.nodes[CHUNK * chunk : CHUNK * (chunk + 1)]) for chunk in colour]
        assert np.unique(np.concatenate(nodes), return_counts=True)[1].max() == 1


def test_materials_by_cell_sets():
    left = box_mesh("hex8", (2, 1, 1), SIZE)
    right = replace(box_mesh("hex8", (1, 1, 1), SIZE), name="right")
    mesh = merged(left, replace(right, points=right.points + (SIZE[0], 0.0, 0.0)))
    # Bars in a row under an axial force with free sides: springs in series (nu = 0 keeps the stress uniform).
    stiff, soft = Material(2e11, 1e11, 8000.0, "stiff"), Material(1e11, 5e10, 2000.0, "soft")
    model = assemble(mesh, {"part_0": stiff, "part_1": soft})
    volume = np.prod(SIZE)
    assert model.M.sum() == pytest.approx(volume * 10000.0, rel=1e-13)
    x = model.points[:, 0]
    stretch = np.where(x < SIZE[0], x / 2e11, SIZE[0] / 2e11 + (x - SIZE[0]) / 1e11)
    u = np.zeros((mesh.n_points, 3))
    u[:, 0] = stretch
    force = (model.K @ u.ravel()).reshape(-1, 3)
    section = SIZE[1] * SIZE[2]
    ends = np.isclose(x, 0.0), np.isclose(x, 2 * SIZE[0])
    assert [force[end, 0].sum() for end in ends] == pytest.approx([-section, section], rel=1e-12)
    assert np.abs(force[~(ends[0] | ends[1])]).max() < 1e-12 * section


def test_progress_runs_from_zero_to_one():
    told: list[tuple[str, float]] = []
    assemble(box_mesh("tet4", (6, 6, 6)), STEEL, progress=lambda stage, part: told.append((stage, part)))
    fractions = [part for _, part in told]
    assert {stage for stage, _ in told} == {"assembling"}
    assert fractions[0] == 0.0 and fractions[-1] == 1.0 and fractions == sorted(fractions)


def test_faults_of_materials_are_told_at_once():
    mesh = merged(box_mesh("hex8"), replace(box_mesh("hex8"), points=box_mesh("hex8").points + (1.0, 0.0, 0.0)))
    rubber = Material(3e6, 1e6, 1000.0, "rubber")
    with pytest.raises(InputError) as error:
        assemble(mesh, {"part_0": rubber, "prat_1": STEEL})
    assert "'rubber' has Poisson's ratio 0.5" in str(error.value) and "'part_1'" in str(error.value)
    with pytest.raises(InputError, match="8 of 16 solid cells have no material"):
        assemble(mesh, {"part_0": STEEL})
    both = replace(mesh, cell_sets={**mesh.cell_sets, "all": (np.arange(8), np.arange(8))})
    with pytest.raises(InputError, match="8 of 16 solid cells are in more than one of the sets part_0, all"):
        assemble(both, {"part_0": STEEL, "all": ALUMINIUM})


def test_faults_of_the_mesh():
    box = box_mesh("hex8")
    upside_down = box.cells[0].nodes[:, [4, 5, 6, 7, 0, 1, 2, 3]].copy()
    with pytest.raises(InputError, match=r"8 of 8 hex8 cells are inverted, folded or flat \(cells 11, 12,"):
        assemble(replace(box, cells=(Cells("hex8", upside_down, np.arange(11, 19)),)), STEEL)
    with pytest.raises(InputError, match="1 of 28 points belong to no solid cell"):
        assemble(replace(box, points=np.concatenate([box.points, [[9.0, 9.0, 9.0]]])), STEEL)
    with pytest.raises(InputError, match="1 line cells"):
        assemble(replace(box, cells=(*box.cells, Cells("line2", np.array([[0, 1]])))), STEEL)
    with pytest.raises(InputError, match="points that do not exist"):
        assemble(replace(box, cells=(Cells("hex8", box.cells[0].nodes + 5),)), STEEL)
    with pytest.raises(InputError, match="1 points have coordinates that are not finite"):
        points = box.points.copy()
        points[3, 1] = np.nan
        assemble(replace(box, points=points), STEEL)
    with pytest.raises(InputError, match="no solid cells"):
        assemble(replace(box, cells=()), STEEL)
    with pytest.raises(InputError, match="hex8 = 'reduced'"):
        assemble(box, STEEL, hex8="reduced")


def test_beams_are_added_to_solids():
    box = box_mesh("hex8")
    with_line = replace(box, cells=(*box.cells, Cells("line2", np.array([[0, 1]]))))
    n = box.n_points
    K = sparse.lil_array((3 * (n + 2), 3 * (n + 2)))
    K[3 * n, 3 * n], K[0, 3 * n], K[3 * n, 0], K[0, 0] = 4.0, -2.0, -2.0, 1.0
    beams = FEModel(box.points, K.tobsr((3, 3)), (2.0 * K).tobsr((3, 3)), np.array([0, 1]))
    solid, both = assemble(box, STEEL), assemble(with_line, STEEL, others=beams)
    assert both.K.shape == (3 * (n + 2), 3 * (n + 2)) == both.M.shape and list(both.rotations) == [0, 1]
    assert both.K.toarray()[: 3 * n, : 3 * n] == pytest.approx((solid.K + K.tocsr()[: 3 * n, : 3 * n]).toarray())
    assert both.K.toarray()[3 * n, 0] == -2.0
    U = np.random.default_rng(0).normal(size=(3 * (n + 2), 2))
    assert both.mass_times(U)[: 3 * n] == pytest.approx(solid.mass_times(U[: 3 * n]) + (2.0 * K @ U)[: 3 * n])
