"""Matrices from elsewhere: every format brings back the same model, faults are told, Abaqus agrees entry by entry."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.io import mmwrite
from scipy.linalg import eigh

from flexmb.elements.fe_model import FEModel
from flexmb.elements.line_beams import assemble_beams
from flexmb.elements.material import Material
from flexmb.elements.matrix_files import read_matrices, self_test
from flexmb.elements.matrix_files.formats import read_entries
from flexmb.elements.section import rectangle
from flexmb.elements.solid.assemble import assemble
from flexmb.errors import InputError
from flexmb.mesh.mesh import Cells, Mesh
from flexmb.verification import DATA

MATRICES = DATA / "matrices"
STEEL = Material.isotropic(2e11, 0.3, 7870.0)
IDS = np.array([4, 7, 5, 103, 12, 2])
"""Node numbers with gaps, not sorted"""


def frame() -> FEModel:
    """Six nodes with rotations."""
    points = np.random.default_rng(5).normal(size=(6, 3))
    nodes = np.array([[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 0], [1, 4]])
    return assemble_beams(Mesh(points, (Cells("line2", nodes),)), STEEL, rectangle(0.05, 0.05, poisson=0.3))


def truss() -> FEModel:
    """Six nodes without rotations: springs between all of them, and a consistent scalar mass."""
    rng = np.random.default_rng(6)
    points = rng.normal(size=(6, 3))
    K = np.zeros((6, 3, 6, 3))
    M = np.eye(6)
    for i in range(6):
        for j in range(i):
            along = points[j] - points[i]
            block = 1e6 * rng.uniform(1.0, 2.0) * np.outer(along, along)
            K[i, :, i] += block
            K[j, :, j] += block
            K[i, :, j] -= block
            K[j, :, i] -= block
            M[i, j] = M[j, i] = rng.uniform(0.0, 0.1)
    stiffness = sparse.bsr_matrix(K.reshape(18, 18), blocksize=(3, 3))
    return FEModel(points, stiffness, sparse.csr_matrix(M))


MODELS = {"frame": frame(), "truss": truss()}


def mass(model: FEModel) -> np.ndarray:
    return model.mass_times(np.eye(3 * model.n_blocks))


def labelled(model: FEModel) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """K, M and (size, 2) labels in an order that is not the model's: all unknowns of a node together, nodes mixed."""
    turns = {int(node): len(model.points) + k for k, node in enumerate(model.rotations)}
    rows, labels = [], []
    for node in (3, 0, 5, 1, 4, 2):
        for block, first in ((node, 1), (turns.get(node), 4)):
            if block is not None:
                rows += [3 * block, 3 * block + 1, 3 * block + 2]
                labels += [(IDS[node], first + k) for k in range(3)]
    order = np.ix_(rows, rows)
    return model.K.toarray()[order], mass(model)[order], np.array(labels)


def coordinate_lines(matrix: np.ndarray, keep: Callable[[int, int], bool], separator: str = " ") -> str:
    rows, columns = np.nonzero(matrix)
    pairs = [(i, j) for i, j in zip(rows, columns, strict=True) if keep(i, j)]
    return "".join(f"{i + 1}{separator}{j + 1}{separator}{matrix[i, j]:.17e}\n" for i, j in pairs)


def labelled_lines(matrix: np.ndarray, labels: np.ndarray, keep: Callable[[int, int], bool]) -> str:
    lines = ["** written for a test", "*MATRIX ASSEMBLE"]
    for i, j in zip(*np.nonzero(matrix), strict=True):
        if keep(i, j):
            (a, p), (b, q) = labels[i], labels[j]
            lines.append(f"{a},{p}, {b},{q}, {matrix[i, j]:.17e}")
    return "\n".join(lines) + "\n"


def full(i: int, j: int) -> bool:
    return True


def lower(i: int, j: int) -> bool:
    return i >= j


def scattered(i: int, j: int) -> bool:
    """Each pair once, on either side of the diagonal."""
    return i == j or (i > j) == ((i + j) % 2 == 0)


def write_npz(folder: Path, K: np.ndarray, M: np.ndarray, labels: np.ndarray) -> dict[str, Any]:
    sparse.save_npz(folder / "K.npz", sparse.csc_matrix(K))
    sparse.save_npz(folder / "M.npz", sparse.coo_matrix(M))
    return {"K_path": folder / "K.npz", "M_path": folder / "M.npz", "dofs": labels}


def write_market(folder: Path, K: np.ndarray, M: np.ndarray, labels: np.ndarray) -> dict[str, Any]:
    mmwrite(folder / "K.mtx", sparse.coo_matrix((K + K.T) / 2), symmetry="symmetric", precision=17)
    mmwrite(folder / "M.mtx", sparse.coo_matrix(M), symmetry="general", precision=17)
    packed = folder / "M.mtx.gz"
    packed.write_bytes(gzip.compress((folder / "M.mtx").read_bytes()))
    np.savetxt(folder / "dofs.txt", labels, fmt="%d", header="node dof")
    return {"K_path": folder / "K.mtx", "M_path": packed, "dofs": folder / "dofs.txt"}


def write_coordinates(folder: Path, K: np.ndarray, M: np.ndarray, labels: np.ndarray) -> dict[str, Any]:
    (folder / "job_STIF1.mtx").write_text(coordinate_lines(K, full))
    (folder / "job_MASS1.mtx").write_text(coordinate_lines(M, lower, ", "))
    return {"K_path": folder / "job_STIF1.mtx", "dofs": labels.tolist()}


def write_matrix_input(folder: Path, K: np.ndarray, M: np.ndarray, labels: np.ndarray) -> dict[str, Any]:
    (folder / "job_STIF2.mtx").write_text(labelled_lines(K, labels, scattered))
    (folder / "job_MASS2.mtx").write_text(labelled_lines(M, labels, lower))
    return {"K_path": str(folder / "job_STIF2.mtx")}


def write_calculix(folder: Path, K: np.ndarray, M: np.ndarray, labels: np.ndarray) -> dict[str, Any]:
    (folder / "job.sti").write_text(coordinate_lines(K, lower))
    (folder / "job.mas").write_text(coordinate_lines(M, lower))
    (folder / "job.dof").write_text("".join(f"{node}.{dof}\n" for node, dof in labels))
    return {"K_path": folder / "job.sti"}


WRITERS = [write_npz, write_market, write_coordinates, write_matrix_input, write_calculix]


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("write", WRITERS)
def test_every_format_brings_the_model_back(write: Callable[..., dict[str, Any]], name: str, tmp_path: Path) -> None:
    model = MODELS[name]
    files = write(tmp_path, *labelled(model))
    found = read_matrices(**files, nodes=np.column_stack([IDS, model.points]))
    # 18 digits are written; mirrored entries are averaged, which round-off of the last digit allows
    K = model.K.toarray()
    assert found.K.toarray() == pytest.approx(K, rel=1e-15, abs=1e-15 * np.abs(K).max())
    assert mass(found) == pytest.approx(mass(model), rel=1e-15, abs=1e-15 * np.abs(mass(model)).max())
    assert np.array_equal(found.rotations, model.rotations)
    assert np.array_equal(found.points, model.points)
    assert found.M.shape == model.M.shape
    assert found.K.blocksize == (3, 3)
    assert all(finding.level == "good" for finding in self_test(found) if finding.name != "density in its box")


def test_without_a_map_the_order_is_node_after_node(tmp_path: Path) -> None:
    """Six unknowns a node; three; and a mass that is given once a pair of nodes."""
    for name, model in MODELS.items():
        K, M, labels = labelled(model)
        order = np.lexsort((labels[:, 1], np.array([list(IDS).index(node) for node in labels[:, 0]])))
        turned = np.ix_(order, order)
        files = write_npz(tmp_path, K[turned], M[turned], labels)
        found = read_matrices(files["K_path"], files["M_path"], nodes=model.points)
        assert found.K.toarray() == pytest.approx(model.K.toarray(), rel=1e-15), name
    sparse.save_npz(tmp_path / "M.npz", sparse.csr_matrix(MODELS["truss"].M))
    found = read_matrices(tmp_path / "K.npz", tmp_path / "M.npz", nodes=MODELS["truss"].points)
    assert np.array_equal(found.M.toarray(), MODELS["truss"].M.toarray())


def test_nodes_from_mesh_tables_and_files(tmp_path: Path) -> None:
    model = MODELS["truss"]
    files = write_calculix(tmp_path, *labelled(model))
    mesh = Mesh(model.points, (), node_sets={"end": np.array([2])}, point_ids=IDS)
    found = read_matrices(**files, nodes=mesh)
    assert found.mesh is mesh
    table = np.column_stack([IDS, model.points])
    np.savetxt(tmp_path / "nodes.csv", table, delimiter=", ", fmt="%.17g")
    np.save(tmp_path / "nodes.npy", table)
    for file in ("nodes.csv", "nodes.npy"):
        other = read_matrices(**files, nodes=tmp_path / file)
        assert np.array_equal(other.points, model.points)
        assert np.array_equal(other.K.toarray(), found.K.toarray())


def test_millimetres_and_tonnes_become_si(tmp_path: Path) -> None:
    """The same frame written in N, mm, t: forces stay, lengths and with them turns per force change."""
    model = MODELS["frame"]
    K, M, labels = labelled(model)
    s = np.where(labels[:, 1] > 3, 1e3, 1.0)
    scale = np.outer(s, s) / 1e3  # N/mm between displacements, N mm between rotations; t, t mm^2
    files = write_npz(tmp_path, K * scale, M * scale, labels)
    found = read_matrices(**files, nodes=np.column_stack([IDS, 1e3 * model.points]), unit="mm")
    assert found.K.toarray() == pytest.approx(model.K.toarray(), rel=1e-12, abs=1e-15 * K.max())
    assert mass(found) == pytest.approx(mass(model), rel=1e-12, abs=1e-15 * M.max())
    assert found.points == pytest.approx(model.points, rel=1e-15)
    mesh = Mesh(model.points, (), unit="mm", point_ids=IDS)
    again = read_matrices(**files, nodes=mesh)  # matrices are in the unit of their mesh unless another is told
    assert np.array_equal(again.K.toarray(), found.K.toarray())
    with pytest.raises(InputError, match="matrices cannot be in the unit 'inch'"):
        read_matrices(**files, nodes=replace(mesh, unit="inch"))


def test_a_wrong_unit_is_noticed(tmp_path: Path) -> None:
    """Read as metres, a steel block in mm, t has a millionth of a plausible density or less."""
    model = MODELS["truss"]
    files = write_npz(tmp_path, *labelled(model))
    found = read_matrices(**files, nodes=np.column_stack([IDS, 1e3 * model.points]))
    finding = self_test(found)[-1]
    assert finding.level == "care" and "unit = 'mm'" in finding.hint


def abaqus_block() -> Mesh:
    """Nodes and elements of the input file, read here so that this test stands on its own."""
    points, cells, rows = [], [], None
    for line in (MATRICES / "block_c3d4.inp").read_text().splitlines():
        if line.startswith("*"):
            word = line.split(",")[0].lower()
            rows = {"*node": points, "*element": cells}.get(word)
        elif rows is not None:
            rows.append([float(part) for part in line.split(",")[1:]])
    return Mesh(np.array(points), (Cells("tet4", np.array(cells, dtype=np.int64) - 1),))


def test_abaqus_has_nothing_else_in_its_rows() -> None:
    """C09a, whose entries `flexmb verify` compares: mass is diagonal, the rows of nodes 1 and 2 are complete."""
    model = assemble(abaqus_block(), Material.isotropic(2e11, 0.3, 2900.0), lumped=True)
    theirs, ours = read_entries(MATRICES / "block_c3d4_mass.mtx", "mass"), mass(model)
    assert np.count_nonzero(ours - np.diag(np.diag(ours))) == 0
    assert np.array_equal(theirs.rows, np.arange(642)) and np.array_equal(theirs.columns, np.arange(642))
    K = model.K.toarray()
    assert len(read_entries(MATRICES / "block_c3d4_stiffness_rows.mtx", "stiffness").values) == 231
    assert np.count_nonzero(np.abs(K[:3]) > 1e-9 * K.max()) == 3 * 18


def test_abaqus_frequencies_through_files(tmp_path: Path) -> None:
    """C09a: our stiffness written as Abaqus does, with Abaqus' own mass, read back: the published frequencies, 1e-6."""
    mesh = abaqus_block()
    K = assemble(mesh, Material.isotropic(2e11, 0.3, 2900.0)).K.toarray()
    (tmp_path / "block_STIF1.mtx").write_text(coordinate_lines(K, lower))
    files = tmp_path / "block_STIF1.mtx", MATRICES / "block_c3d4_mass.mtx"
    model = read_matrices(*files, nodes=MATRICES / "block_c3d4.inp", unit="m")
    assert model.mesh is not None and np.array_equal(model.points, mesh.points)
    assert model.M.shape == (214, 214)
    assert model.M.sum() == pytest.approx(11600.0, rel=1e-12)
    squares = eigh(model.K.toarray(), mass(model), eigvals_only=True, subset_by_index=[6, 11])
    expected = [489.296266, 489.854771, 697.54346, 1029.14973, 1079.55557, 1080.47166]
    assert np.sqrt(squares) / (2 * np.pi) == pytest.approx(expected, rel=1e-6)


def broken(change: Callable[[np.ndarray, np.ndarray], None], name: str = "truss") -> list[str]:
    """Names of the tests that a spoilt model fails."""
    model = MODELS[name]
    K, M = model.K.toarray(), mass(model)
    change(K, M)
    bsr = [sparse.bsr_matrix(matrix, blocksize=(3, 3)) for matrix in (K, M)]
    return [finding.name for finding in self_test(replace(model, K=bsr[0], M=bsr[1])) if finding.level == "bad"]


def test_self_test_finds_what_is_wrong() -> None:
    def held(K: np.ndarray, M: np.ndarray) -> None:
        K[4, 4] *= 1.001

    def asymmetric(K: np.ndarray, M: np.ndarray) -> None:
        M[0, 3] += 1e-6

    def lighter(K: np.ndarray, M: np.ndarray) -> None:
        M[2::3, 2::3] *= 0.9

    def negative(K: np.ndarray, M: np.ndarray) -> None:
        M[6, 6] = M[7, 7] = M[8, 8] = -0.1

    def swapped(K: np.ndarray, M: np.ndarray) -> None:
        order = [*range(3, 6), *range(0, 3), *range(6, 18)]
        K[:] = K[np.ix_(order, order)]

    assert "stiffness against rigid motions" in broken(held)
    assert broken(asymmetric) == ["symmetry of mass"]
    assert broken(lighter) == ["mass in three directions"]
    assert "negative masses" in broken(negative)
    assert broken(swapped) == ["stiffness against rigid motions"]
    assert broken(lambda K, M: np.negative(K, out=K)) == ["negative stiffnesses"]
    assert broken(lambda K, M: None) == []
    assert broken(lambda K, M: K.__setitem__(slice(18, 36), 0.0), "frame")[0] == "symmetry of stiffness"


def test_held_bodies_are_refused(tmp_path: Path) -> None:
    """Springs to ground by the self-test, missing unknowns by their nodes, marked unknowns by their size."""
    K, M, labels = labelled(MODELS["truss"])
    nodes = np.column_stack([IDS, MODELS["truss"].points])
    spring = K.copy()
    spring[4, 4] += 1e6
    with pytest.raises(InputError, match="rigid motions along y, about x, about z meet stiffness") as raised:
        read_matrices(**write_npz(tmp_path, spring, M, labels), nodes=nodes)
    assert len(raised.value.faults) == 1
    free = np.arange(2, 18)
    files = write_calculix(tmp_path, K[np.ix_(free, free)], M[np.ix_(free, free)], labels[free])
    with pytest.raises(InputError, match="1 nodes do not have all three displacements: 103"):
        read_matrices(**files, nodes=nodes)
    marked = K.copy()
    marked[0, 0] = 1e36
    with pytest.raises(InputError, match="1 entries above 1e[+]30 mark held unknowns"):
        read_matrices(**write_coordinates(tmp_path, marked, M, labels), nodes=nodes)


def test_all_faults_at_once(tmp_path: Path) -> None:
    (tmp_path / "K.mtx").write_text("1 1 abc\n")
    (tmp_path / "dofs.txt").write_text("1 1\nx.2\n")
    with pytest.raises(InputError) as raised:
        read_matrices(tmp_path / "K.mtx", tmp_path / "M.mtx", tmp_path / "dofs.txt", unit="furlong")
    text = str(raised.value)
    for part in ("cannot be read as a matrix", "there is no file", "nodes are missing", "line 2", "'furlong'"):
        assert part in text


def spoilt(folder: Path, **contents: Any) -> dict[str, Any]:
    """Arguments of `read_matrices` for good CalculiX files with some of their contents replaced."""
    files = write_calculix(folder, *labelled(MODELS["truss"]))
    for suffix in ("sti", "mas", "dof"):
        if suffix in contents:
            (folder / f"job.{suffix}").write_bytes(contents[suffix])
    return {**files, "nodes": contents.get("nodes", np.column_stack([IDS, MODELS["truss"].points]))}


DOFS = "".join(f"{node}.{dof}\n" for node, dof in labelled(MODELS["truss"])[2])


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        ({"sti": b""}, "cannot be read as a matrix|has no entries"),
        ({"sti": b"\x00\x01\xff\xfe"}, "cannot be read as a matrix"),
        ({"sti": b"PK\x03\x04 broken"}, "cannot be read as a matrix"),
        ({"sti": b"\x93NUMPY\x01\x00"}, "it is a NumPy array .* scipy.sparse.save_npz"),
        ({"sti": b"%%MatrixMarket matrix coordinate real general\n3 3 900000000\n1 1 1.0\n"}, "declares 900000000"),
        ({"sti": b"%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1.0 2.0\n"}, "complex, not real"),
        ({"sti": b"%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1.0\n"}, "2 rows and 3 columns"),
        ({"sti": b"1 1 1.0 2.0\n"}, "its lines have 4 numbers"),
        ({"sti": b"1.5 1 1.0\n"}, "entry 1 has a row"),
        ({"sti": b"0 1 1.0\n"}, "count from 1"),
        ({"sti": b"1 1 1.0\n2 1\n"}, "cannot be read as a matrix"),
        ({"sti": b"1 1 nan\n"}, "not finite"),
        ({"sti": b"1 1 1.0\n1 2 3.0\n2 1 2.0\n2 2 1.0\n18 18 1.0\n"}, "stiffness is not symmetric"),
        ({"sti": b"1 1 1.0\n99 99 1.0\n"}, "stiffness has 99 unknowns, but 18"),
        ({"dof": DOFS.replace("12.2", "12.1").encode()}, "occur more than once, the first is dof 1 of node 12"),
        ({"dof": DOFS.replace("12.2", "12.11").encode()}, "dofs 11 are neither displacements"),
        ({"dof": DOFS.replace("12.", "13.").encode()}, "1 nodes of the matrices are not among the nodes given: 13"),
        ({"dof": b"1.1\n"}, "stiffness has 18 unknowns, but 1 are expected"),
        ({"dof": b"\xff\xfe"}, "not a text file"),
        ({"nodes": np.zeros((3, 2))}, "nodes must be a mesh, a file, or a table"),
        ({"nodes": np.full((6, 3), np.nan)}, "coordinates that are not finite"),
        ({"nodes": np.column_stack([np.ones(6), np.eye(6, 3)])}, "occur more than once: 1"),
        ({"nodes": "nowhere.csv"}, "there is no file nowhere.csv"),
        ({"nodes": np.column_stack([[*IDS, 900], np.eye(7, 3)])}, "1 nodes have no unknowns in the matrices: 900"),
    ],
)
def test_refusals(contents: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        read_matrices(**spoilt(tmp_path, **contents))


def test_matrices_of_another_size_than_the_nodes(tmp_path: Path) -> None:
    K, M, labels = labelled(MODELS["truss"])
    files = write_npz(tmp_path, K, M, labels)
    with pytest.raises(InputError, match="18 unknowns are neither 3 nor 6 times the 5 nodes"):
        read_matrices(files["K_path"], files["M_path"], nodes=np.eye(5, 3))


def test_bad_npz_is_refused_before_it_is_used(tmp_path: Path) -> None:
    """Column numbers beyond the matrix would read foreign memory."""
    matrix = sparse.csr_matrix(np.eye(18))
    matrix.indices[3] = 4_000_000
    np.savez(
        tmp_path / "K.npz",
        format=np.array(b"csr"),
        shape=np.array([18, 18]),
        data=matrix.data,
        indices=matrix.indices,
        indptr=matrix.indptr,
    )
    with pytest.raises(InputError, match="cannot be read as a matrix"):
        read_entries(tmp_path / "K.npz", "stiffness")
