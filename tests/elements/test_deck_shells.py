"""Shells of a deck: laminates against closed forms, offsets, directions, masses, and the same plate in every format.

Covers: elements.deck_shells, elements.deck_materials, elements.cell_properties.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.sparse.linalg import eigsh

from flexmb.bodies.reduce_mesh import assemble_mesh
from flexmb.elements.cell_properties import cell_properties
from flexmb.elements.fe_model import FEModel
from flexmb.elements.material import Material
from flexmb.elements.shell.section import Layer, ShellSection, section_points
from flexmb.errors import InputError
from flexmb.mesh.mesh import Mesh
from flexmb.mesh.read import read_mesh
from flexmb.reduction.component_modes import component_modes
from flexmb.reduction.free_body import FreeBody
from flexmb.verification.shell_models import held

E1, E2, NU, G12, RHO = 140e9, 10e9, 0.3, 5e9, 1600.0
PLY = f"MAT8,5,{E1:g},{E2:g},{NU},{G12:g},{G12:g},{G12:g},{RHO}\n"
STEEL = "MAT1,1,2.1+11,,.3,7850.\n"
A, B, T = 0.6, 0.4, 5e-4
"""Edges and ply of the plate [m]"""


def plate(folder: Path, cards: str, n: int = 4, kind: str = "CQUAD4", more: str = "", turn: int = 0) -> Mesh:
    """A plate of n x n cells on x, y from zero to A, B. more : fields of the cells after their nodes; turn : first
    corner of the cells"""
    step = 2 if kind == "CQUAD8" else 1
    m = step * n
    number = np.arange((m + 1) ** 2).reshape(m + 1, m + 1) + 1
    lines = ["BEGIN BULK"]
    for i in range(m + 1):
        for j in range(m + 1):
            lines.append(f"GRID,{number[i, j]},,{A * i / m:.12g},{B * j / m:.12g},0.")
    for i in range(0, m, step):
        for j in range(0, m, step):
            own = number[i : i + step + 1, j : j + step + 1]
            corners = np.roll([own[0, 0], own[-1, 0], own[-1, -1], own[0, -1]], -turn)
            nodes = [*corners, *([own[1, 0], own[2, 1], own[1, 2], own[0, 1]] if step == 2 else [])]
            fields = [kind, str(own[0, 0]), "1", *map(str, nodes), *more.split(",")]
            lines.append(",".join(fields[:9]))
            lines += [f"+,{','.join(fields[k : k + 8])}" for k in range(9, len(fields), 8)]
    (folder / "plate.bdf").write_text("\n".join([*lines, cards, "ENDDATA\n"]))
    return read_mesh(folder / "plate.bdf", "m")


def free_frequencies(model: FEModel, count: int = 12) -> np.ndarray:
    """The lowest elastic frequencies of the free body [rad/s]"""
    return np.sqrt(component_modes(FreeBody(model, []), "free", modes=count).omega_squared)


def first_supported(mesh: Mesh) -> float:
    """Lowest frequency [rad/s] of the simply supported plate (SS-1)"""
    model = assemble_mesh(mesh)
    x, y = model.points[:, 0], model.points[:, 1]
    of_x = np.flatnonzero((x < 1e-9) | (x > A - 1e-9))
    of_y = np.flatnonzero((y < 1e-9) | (y > B - 1e-9))
    free = held(model, [(of_x, "yzX"), (of_y, "xzY")])
    K, M = (matrix.tocsr()[free][:, free] for matrix in (model.K, model.M))
    return float(np.sqrt(eigsh(K.tocsc(), 1, M.tocsc(), sigma=0.0, return_eigenvectors=False)[0]))


def stiffness(angles: list[float]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A, B, D of lamination theory [Jones, Mechanics of Composite Materials, 1999, eqs. 4.22 to 4.24]"""
    q = 1.0 / (1.0 - NU**2 * E2 / E1)
    Q11, Q22, Q12 = q * E1, q * E2, q * NU * E2
    z = T * (np.arange(len(angles) + 1) - 0.5 * len(angles))
    found = [np.zeros((3, 3)) for _ in range(3)]
    for k, angle in enumerate(angles):
        a, b = (Q11, Q22) if angle == 0.0 else (Q22, Q11)
        Q = np.array([[a, Q12, 0.0], [Q12, b, 0.0], [0.0, 0.0, G12]])
        for power in range(3):
            found[power] += Q * (z[k + 1] ** (power + 1) - z[k] ** (power + 1)) / (power + 1)
    return found[0], found[1], found[2]


@pytest.mark.parametrize("angles", [[0.0, 90.0, 90.0, 0.0], [90.0, 0.0, 90.0], [0.0, 90.0]])
def test_supported_plate_of_a_laminate(tmp_path: Path, angles: list[float]) -> None:
    """Navier's solution of cross-ply plates, symmetric and with coupling [Reddy, Mechanics of Laminated Composite
    Plates, 2004, section 5.3 and 6.3]; 0.3 %: thin plate theory without shear, a third of a per cent at A/400."""
    plies = "".join(f",5,{T},{angle},YES" for angle in angles).lstrip(",").split(",")
    lines = ["PCOMP,1" + "," * 7] + [",".join(["", *plies[i : i + 8]]) for i in range(0, len(plies), 8)]
    mesh = plate(tmp_path, PLY + "\n".join(lines), 6, "CQUAD8", ",,,,0.")
    Am, Bm, D = stiffness(angles)
    a, b = np.pi / A, np.pi / B
    C = np.array(
        [
            [Am[0, 0] * a**2 + Am[2, 2] * b**2, (Am[0, 1] + Am[2, 2]) * a * b, -Bm[0, 0] * a**3],
            [(Am[0, 1] + Am[2, 2]) * a * b, Am[2, 2] * a**2 + Am[1, 1] * b**2, -Bm[1, 1] * b**3],
            [0.0, 0.0, D[0, 0] * a**4 + 2 * (D[0, 1] + 2 * D[2, 2]) * a**2 * b**2 + D[1, 1] * b**4],
        ]
    )
    coupled = C[2, 2] - C[:2, 2] @ np.linalg.solve(C[:2, :2], C[:2, 2])
    assert first_supported(mesh) == pytest.approx(np.sqrt(coupled / (RHO * T * len(angles))), rel=3e-3)


def test_the_same_laminate_by_angle_by_system_and_in_abaqus(tmp_path: Path) -> None:
    """One plate whose cells begin at different corners: the direction follows the angle, or a system, not the cell."""
    plies = f"PCOMP,1,,,,,,,,\n,5,{T},0.,YES,5,{T},30.,YES\n"
    first = assemble_mesh(plate(tmp_path, PLY + plies, more=""))
    turned = assemble_mesh(plate(tmp_path, PLY + plies, more="-90.", turn=1))
    system = "CORD2R,7,,0.,0.,0.,0.,0.,1.,\n,1.,0.,0.\n"
    by_system = assemble_mesh(plate(tmp_path, PLY + plies + system, more="7", turn=3))
    mesh = read_mesh(tmp_path / "plate.bdf", "m")
    nodes = "".join(f"{i + 1}, {x:.12g}, {y:.12g}, {z:.12g}\n" for i, (x, y, z) in enumerate(mesh.points))
    cells = "".join(f"{i + 1}, {', '.join(str(n + 1) for n in row)}\n" for i, row in enumerate(mesh.cells[0].nodes))
    text = f"*NODE\n{nodes}*ELEMENT, TYPE=S4, ELSET=skin\n{cells}*ORIENTATION, NAME=o\n1., 0., 0., 0., 1., 0.\n3, 0.\n"
    text += f"*SHELL SECTION, ELSET=skin, COMPOSITE, ORIENTATION=o\n{T}, 3, fibre, 0.\n{T}, 3, fibre, 30.\n"
    text += f"*MATERIAL, NAME=fibre\n*ELASTIC, TYPE=LAMINA\n{E1}, {E2}, {NU}, {G12}, {G12}, {G12}\n*DENSITY\n{RHO}\n"
    (tmp_path / "plate.inp").write_text(text)
    abaqus = assemble_mesh(read_mesh(tmp_path / "plate.inp", "m"))
    for other in (turned, by_system, abaqus):
        for a, b in ((first.K, other.K), (first.M, other.M)):
            assert abs(a - b).max() < 1e-10 * abs(a).max()


def test_a_plate_beside_its_nodes_is_the_same_plate(tmp_path: Path) -> None:
    """Offset, in PSHELL's elements (ZOFFS) and in *SHELL SECTION: the frequencies of the free plate do not change."""
    plain = free_frequencies(assemble_mesh(plate(tmp_path, STEEL + "PSHELL,1,1,.01,1\n")))
    mesh = plate(tmp_path, STEEL + "PSHELL,1,1,.01,1\n", more=",.004")
    assert [entry.offset for entry in mesh.deck.shells] == [pytest.approx(0.004)]  # type: ignore[union-attr]
    beside = assemble_mesh(mesh)
    assert free_frequencies(beside) == pytest.approx(plain, rel=1e-9)
    lifted = beside.rigid_motions().T @ beside.M @ beside.rigid_motions()
    mass = 7850.0 * 0.01 * A * B
    assert lifted[0, 4] == pytest.approx(0.004 * mass), "the centre lies above the nodes"


def test_mass_beside_the_material_and_bending_of_its_own(tmp_path: Path) -> None:
    """NSM, 12 I/t^3, the material of bending, and a shell without density."""
    mesh = plate(tmp_path, STEEL + "MAT1,2,7.+10,,.3,2700.\nPSHELL,1,1,.01,2,3.,1,.8,5.\n")
    (section,) = cell_properties(mesh).shells.sections  # type: ignore[union-attr]
    points = section_points(section)
    moments = [np.einsum("m,mij->ij", points.weights * points.heights**k, points.laws) for k in (0, 2)]
    assert moments[0][0, 0] == pytest.approx(2.1e11 / 0.91 * 0.01)
    assert moments[1][0, 0] == pytest.approx(3.0 * 7e10 / 0.91 * 0.01**3 / 12.0)
    assert moments[0][3, 3] == pytest.approx(0.8 * 2.1e11 / 2.6 * 0.01)
    assert points.weights @ points.densities == pytest.approx(78.5 + 5.0) == section.area_density
    model = assemble_mesh(mesh)
    assert np.linalg.eigvalsh(model.K.toarray())[6] > 0.0, "the whole is positive although a point is not"
    light = plate(tmp_path, "MAT1,1,2.1+11,,.3\nPSHELL,1,1,.01,1,,1,,5.\n")
    R = assemble_mesh(light).rigid_motions()[:, 0]
    assert R @ assemble_mesh(light).mass_times(R) == pytest.approx(5.0 * A * B)


def test_what_is_given_replaces_the_deck_by_set(tmp_path: Path) -> None:
    aluminium = Material.isotropic(7e10, 0.33, 2700.0)
    mesh = plate(tmp_path, STEEL + "PSHELL,1,1,.01,1\n", more=",.004")

    def found(*given: object) -> ShellSection:
        return cell_properties(mesh, *given).shells.sections[0]  # type: ignore[arg-type,union-attr]

    assert found().thickness == 0.01 and found().layers[0].material == Material(2.1e11, 2.1e11 / 2.6, 7850.0, "mat_1")
    assert found(None, {"pid_1": 0.02}) == ShellSection((Layer(found().layers[0].material, 0.02),), 0.004)
    assert found(aluminium) == ShellSection.plain(aluminium, 0.01, 0.004)
    assert found({"pid_1": aluminium}, 0.03) == ShellSection.plain(aluminium, 0.03, 0.004)
    losses = [(loss.kind, loss.level) for loss in cell_properties(mesh, aluminium, 0.03).losses]
    assert losses == [("sections", "note"), ("sections", "note")]
    laminate = plate(tmp_path, PLY + f"PCOMP,1,,,,,,,,\n,5,{T},0.,YES,5,{T},30.,YES\n")
    assert [loss.level for loss in cell_properties(laminate, aluminium).losses] == ["care"]
    with pytest.raises(InputError, match="'pid_1' of the file is a laminate"):
        cell_properties(laminate, None, 0.01)


def test_shells_that_cannot_be_made(tmp_path: Path) -> None:
    for cards, words in (
        (
            "PSHELL,1,1,.01,1\n",
            "16 shell cells: the material 'mat_1' of the file cannot be used: it is not in the file",
        ),
        (STEEL + "PSHELL,1,1,0.,1\n", "they have no thickness"),
        (STEEL + "PSHELL,1,,.01,1\n", "none is given"),
        (STEEL.replace("7850.", "") + "PSHELL,1,1,.01,1\n", "density must be"),
    ):
        with pytest.raises(InputError, match=words):
            cell_properties(plate(tmp_path, cards))


def test_what_differs_from_the_deck_is_a_loss(tmp_path: Path) -> None:
    uneven = plate(tmp_path, STEEL + "PSHELL,1,1,.01,1\n", more=",,,,.01,.02,.02,.01")
    (loss,) = cell_properties(uneven).losses
    assert loss.level == "care" and "varies inside" in loss.text and loss.count == 16
    (section,) = cell_properties(uneven).shells.sections  # type: ignore[union-attr]
    assert section.thickness == pytest.approx(0.015)
    (membrane,) = cell_properties(plate(tmp_path, STEEL + "PSHELL,1,1,.01\n")).losses
    assert membrane.level == "care" and "membranes" in membrane.text
    smeared = "MAT2,1,2.3+11,.7+11,0.,2.3+11,0.,.8+11,7850.\nPSHELL,1,1,.01,1\n"
    (shear,) = cell_properties(plate(tmp_path, smeared)).losses
    assert shear.level == "note" and "transverse shear" in shear.text
