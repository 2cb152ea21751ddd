"""Frames of line cells: rigid motions, exact end loads in any direction, materials and sections by set, refusals.

Covers: elements.line_sets.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.linalg import eigh

from flexmb.elements.beam_elements import BeamLine, RodLine
from flexmb.elements.fe_model import FEModel
from flexmb.elements.line_beams import assemble_beams
from flexmb.elements.material import Material
from flexmb.elements.section import general, rectangle
from flexmb.errors import InputError
from flexmb.mesh.mesh import Cells, Mesh

Vector = NDArray[np.float64]
STEEL = Material.isotropic(2e11, 0.3, 8000.0)
STOUT = rectangle(0.06, 0.04, poisson=0.3)


def chain(points: Vector, kind: str = "line2", cell_sets: dict | None = None) -> Mesh:
    """Lines from point to point; three-node cells take every second point as their middle."""
    number = np.arange(len(points))
    if kind == "line2":
        nodes = np.column_stack([number[:-1], number[1:]])
    else:
        nodes = np.column_stack([number[:-2:2], number[2::2], number[1::2]])
    return Mesh(np.asarray(points, dtype=float), (Cells(kind, nodes),), cell_sets=cell_sets or {})


def straight(length: float, n: int, along: tuple[float, float, float] = (1.0, 0.0, 0.0), kind: str = "line2") -> Mesh:
    return chain(np.linspace(0.0, length, n + 1)[:, None] * np.array(along), kind)


def dense(model: FEModel) -> tuple[Vector, Vector]:
    return model.K.toarray(), model.M.toarray()


def unknown(model: FEModel, node: int, dof: int) -> int:
    """Row of displacement (0, 1, 2) or rotation (3, 4, 5) of a node."""
    if dof < 3:
        return 3 * node + dof
    return 3 * (len(model.points) + int(np.searchsorted(model.rotations, node))) + dof - 3


def clamped_response(model: FEModel, node: int, loads: Vector) -> Vector:
    """(6, k) motion of `node` under unit loads (6, k) there; node 0 is clamped."""
    held = [unknown(model, 0, dof) for dof in range(6)]
    free = np.setdiff1d(np.arange(model.K.shape[0]), held)
    rows = [unknown(model, node, dof) for dof in range(6)]
    F = np.zeros((model.K.shape[0], loads.shape[1]))
    F[rows] = loads
    K = model.K.toarray()[np.ix_(free, free)]
    U = np.zeros_like(F)
    U[free] = np.linalg.solve(K, F[free])
    return U[rows]


def frequencies(model: FEModel, held: list[int]) -> Vector:
    K, M = dense(model)
    free = np.setdiff1d(np.arange(K.shape[0]), held)
    squares = eigh(K[np.ix_(free, free)], M[np.ix_(free, free)], eigvals_only=True)
    return np.sqrt(np.maximum(squares, 0.0)) / (2.0 * math.pi)


def space_frame(kind: str = "line2") -> Mesh:
    rng = np.random.default_rng(7)
    points = np.cumsum(rng.normal(size=(9, 3)), axis=0)
    return chain(points, kind)


@pytest.mark.parametrize("kind", ["line2", "line3"])
@pytest.mark.parametrize("shear", [True, False])
def test_rigid_motions_cost_nothing_and_weigh_the_whole_frame(kind: str, shear: bool) -> None:
    mesh = space_frame(kind)
    section = rectangle(0.05, 0.05, poisson=0.3)
    model = assemble_beams(mesh, STEEL, section, shear=shear)
    R = model.rigid_motions()
    K, M = dense(model)
    # round-off of sums of stiffnesses times coordinates
    assert np.abs(K @ R).max() < 1e-12 * (np.abs(K) @ np.abs(R)).max()
    assert np.array_equal(K, K.T) and np.array_equal(M, M.T)
    assert np.linalg.eigvalsh(M)[0] > 0.0
    assert np.linalg.eigvalsh(K)[6] > 1e-9 * np.linalg.eigvalsh(K)[-1]
    lengths = np.linalg.norm(np.diff(mesh.points, axis=0), axis=1)
    mass = STEEL.density * section.A * lengths
    rigid = R.T @ M @ R
    assert rigid[:3, :3] == pytest.approx(mass.sum() * np.eye(3), rel=1e-12, abs=1e-12 * mass.sum())
    centre = mass @ (mesh.points[1:] + mesh.points[:-1]) / 2.0
    assert rigid[2, 3] == pytest.approx(centre[1], rel=1e-11)  # unit rotation about x moves it along z by y
    assert rigid[0, 4] == pytest.approx(centre[2], rel=1e-11)


def test_inertia_of_a_straight_bar_is_exact() -> None:
    """About the end: m L^2/3 + rho I L (with rotary inertia); about the axis: rho Ip L."""
    L = 0.7
    model = assemble_beams(straight(L, 3), STEEL, STOUT)
    R = model.rigid_motions()
    inertia = R[:, 3:].T @ model.mass_times(R[:, 3:])
    m = STEEL.density * STOUT.A * L
    expected = [STEEL.density * L * STOUT.Ip, m * L**2 / 3.0 + STEEL.density * STOUT.Iy * L]
    assert np.diag(inertia)[:2] == pytest.approx(expected, rel=1e-12)
    assert inertia[2, 2] == pytest.approx(m * L**2 / 3.0 + STEEL.density * STOUT.Iz * L, rel=1e-12)


@pytest.mark.parametrize("kind", ["line2", "line3"])
def test_end_loads_of_a_skew_cantilever_are_exact(kind: str) -> None:
    """Tip motion in the beam's own axes under six unit loads: the flexibility of a Timoshenko cantilever."""
    L = 0.5
    along = np.array([2.0, -1.0, 2.0]) / 3.0
    y = np.array([1.0, 2.0, 0.0]) / math.sqrt(5.0)
    axes = np.stack([along, y, np.cross(along, y)])
    model = assemble_beams(straight(L, 4, tuple(along), kind), STEEL, STOUT, y_axis=3.0 * y + along)
    turn = np.kron(np.eye(2), axes)
    flexibility = turn @ clamped_response(model, 4, turn.T)
    E, G, s = STEEL.E, STEEL.G, STOUT
    expected = np.diag([L / (E * s.A), 0, 0, L / (G * s.J), L / (E * s.Iy), L / (E * s.Iz)])
    expected[1, 1] = L**3 / (3 * E * s.Iz) + L / (s.shear_y * G * s.A)
    expected[2, 2] = L**3 / (3 * E * s.Iy) + L / (s.shear_z * G * s.A)
    expected[1, 5] = expected[5, 1] = L**2 / (2 * E * s.Iz)
    expected[2, 4] = expected[4, 2] = -(L**2) / (2 * E * s.Iy)
    assert flexibility == pytest.approx(expected, rel=1e-9, abs=1e-11 * expected.max())  # condition 1e5 times 1e-16


def test_matrices_are_those_of_the_lines() -> None:
    """Along x the planes separate: bending rows equal the assembled `BeamLine`, whatever the numbering."""
    nodes = np.array([0.0, 0.2, 0.5, 0.6])
    model = assemble_beams(chain(nodes[:, None] * np.eye(3)[0]), STEEL, STOUT, y_axis=(0, 1, 0))
    one = np.ones(3)
    line = BeamLine(
        nodes,
        STEEL.E * STOUT.Iz * one,
        STOUT.shear_y * STEEL.G * STOUT.A * one,
        STEEL.density * STOUT.A * one,
        STEEL.density * STOUT.Iz * one,
    )
    rows = [unknown(model, node, dof) for node in range(4) for dof in (1, 5)]
    for ours, theirs in zip(dense(model), line.matrices(), strict=True):
        assert ours[np.ix_(rows, rows)] == pytest.approx(theirs, rel=1e-12, abs=1e-14 * np.abs(theirs).max())


def test_stretch_is_the_quadratic_rod_without_its_middle() -> None:
    """Independent road: the three-node rod with its middle node condensed has the same stiffness."""
    model = assemble_beams(straight(0.4, 1), STEEL, STOUT)
    K = RodLine(np.array([0.0, 0.4]), np.array([STEEL.E * STOUT.A]), np.ones(1)).matrices()[0]
    outer, inner = np.ix_([0, 2], [0, 2]), np.ix_([0, 2], [1])
    condensed = K[outer] - K[inner] @ K[inner].T / K[1, 1]
    rows = [unknown(model, node, 0) for node in (0, 1)]
    assert model.K.toarray()[np.ix_(rows, rows)] == pytest.approx(condensed, rel=1e-12)


def test_frequencies_do_not_depend_on_axes() -> None:
    """Turned and moved as a whole, section axes with it, the frame keeps its frequencies."""
    mesh = space_frame()
    rng = np.random.default_rng(3)
    Q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    Q *= np.sign(np.linalg.det(Q))
    y = np.array([0.3, 1.0, -0.4])
    moved = chain(mesh.points @ Q.T + rng.normal(size=3))
    here = frequencies(assemble_beams(mesh, STEEL, STOUT, y_axis=y), [])
    there = frequencies(assemble_beams(moved, STEEL, STOUT, y_axis=Q @ y), [])
    assert there[6:] == pytest.approx(here[6:], rel=1e-8)  # squares carry 1e-16 times the largest over the smallest


def test_sets_give_materials_sections_and_directions() -> None:
    """Two materials and sections by cell set: the same frame as two models added up by hand."""
    points = np.linspace(0.0, 1.0, 5)[:, None] * np.eye(3)[0]
    sets = {"thick": (np.array([0, 1]),), "thin": (np.array([2, 3]),), "all": (np.arange(4),)}
    mesh = chain(points, cell_sets=sets)
    soft = Material.isotropic(7e10, 0.33, 2700.0)
    thin = rectangle(0.02, 0.01)
    y = np.array([0.0, 0.6, 0.8])
    both = assemble_beams(mesh, {"thick": STEEL, "thin": soft}, {"thick": STOUT, "thin": thin}, y_axis={"all": y})
    first = assemble_beams(chain(points[:3]), STEEL, STOUT, y_axis=y)
    second = assemble_beams(chain(points[2:]), soft, thin, y_axis=y)
    for name in ("K", "M"):
        expected = np.zeros((30, 30))
        for part, start in ((first, 0), (second, 2)):
            rows = [unknown(both, start + node, dof) for node in range(3) for dof in range(6)]
            own = [unknown(part, node, dof) for node in range(3) for dof in range(6)]
            expected[np.ix_(rows, rows)] += getattr(part, name).toarray()[np.ix_(own, own)]
        found = getattr(both, name).toarray()
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-14 * np.abs(expected).max())


def test_all_faults_at_once() -> None:
    sets = {"left": (np.array([0, 1]),), "right": (np.array([1, 2]),)}
    mesh = chain(np.linspace(0.0, 1.0, 4)[:, None] * np.eye(3)[0], cell_sets=sets)
    other = Material.isotropic(1e11, 0.3, 1000.0)
    with pytest.raises(InputError) as raised:
        assemble_beams(mesh, {"left": STEEL, "right": other}, {"lefft": STOUT})
    text = str(raised.value)
    assert "'left' and 'right' share line cells" in text
    assert "no cell set 'lefft'. Did you mean 'left'?" in text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y_axis": (1.0, 0.0, 0.0)}, "runs along 3 beams"),
        ({"y_axis": (0.0, 0.0, 0.0)}, "y_axis must be a direction"),
        ({"y_axis": "up"}, "y_axis must be a direction"),
        ({"section": general(1e-4, 1e-9, 1e-9)}, "torsion constant J"),
        ({"section": general(1e-4, 1e-9, 1e-9, 1e-9), "shear": True}, "shear coefficients"),
        ({"material": {"left": STEEL}}, "1 line cells have no material, the first is cell 3"),
        ({"material": 210e9}, "material must be a Material"),
        ({"mesh": Mesh(np.zeros((4, 3)), (Cells("tet4", np.arange(4)[None]),))}, "no line cells"),
        ({"mesh": Mesh(np.zeros((2, 3)), (Cells("line2", np.arange(2)[None]),))}, "1 line cells have no length"),
        ({"mesh": Mesh(np.eye(3), (Cells("line2", np.arange(2)[None]),))}, "1 points belong to no line cell"),
        ({"mesh": Mesh(np.eye(3) * np.nan, (Cells("line2", np.array([[0, 1], [1, 2]])),))}, "are not finite"),
        ({"mesh": Mesh(np.eye(3), (Cells("line2", np.array([[0, 1], [1, 3]])),))}, "nodes outside 0 .. 2"),
    ],
)
def test_refusals(change: dict, message: str) -> None:
    sets = {"left": (np.array([0, 1]),)}
    given = {"mesh": chain(np.linspace(0, 1, 4)[:, None] * np.eye(3)[0], cell_sets=sets), "material": STEEL}
    with pytest.raises(InputError, match=message):
        assemble_beams(**{**given, "section": STOUT, **change})
