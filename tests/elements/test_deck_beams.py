"""Beams of a deck: an independent frame, offsets, trusses, beams with shells and solids in one body, two formats.

Covers: elements.beam_tubes, elements.joined.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from flexmb.bodies.reduce_mesh import assemble_mesh, reduce_mesh
from flexmb.elements.beam_tubes import tubes
from flexmb.elements.cell_properties import cell_properties
from flexmb.elements.fe_model import FEModel
from flexmb.elements.material import Material
from flexmb.elements.section import circle
from flexmb.errors import ComputationError, InputError
from flexmb.mesh.mesh import Mesh
from flexmb.mesh.read import read_mesh
from flexmb.reduction.attachments import HoldRequest
from flexmb.reduction.component_modes import component_modes
from flexmb.reduction.free_body import FreeBody
from flexmb.reduction.request import ReductionRequest, TieRequest
from flexmb.verification.shell_models import deflection, held, point_force

E, RHO = 2.1e11, 7850.0
STEEL = "MAT1,1,2.1+11,,0.,7850.\n"
"""Without contraction, so that strips bend as beams do"""


def read(folder: Path, cards: str, name: str = "part.bdf") -> Mesh:
    (folder / name).write_text(f"BEGIN BULK\n{cards}ENDDATA\n" if name.endswith("bdf") else cards)
    return read_mesh(folder / name, "m")


def frame_matrices(
    points: np.ndarray, bars: list[tuple[int, int]], v: np.ndarray, numbers: dict[str, float]
) -> tuple[np.ndarray, np.ndarray]:
    """Stiffness and consistent mass of a frame of Euler-Bernoulli beams, written out from the textbook [Przemieniecki
    1968, eqs. 5.116 and 11.30 without rotary inertia]; six unknowns per node, offsets by rigid arms"""
    n = len(points)
    K, M = np.zeros((6 * n, 6 * n)), np.zeros((6 * n, 6 * n))
    A, Iy, Iz, J, G, o = (numbers[key] for key in ("A", "Iy", "Iz", "J", "G", "offset"))
    for a, b in bars:
        x = points[b] - points[a]
        L = float(np.linalg.norm(x))
        x = x / L
        z = np.cross(x, v)
        z = z / np.linalg.norm(z)
        R = np.stack([x, np.cross(z, x), z])
        k, m = np.zeros((12, 12)), np.zeros((12, 12))
        for i, s in ((0, E * A / L), (3, G * J / L)):
            k[np.ix_([i, i + 6], [i, i + 6])] = s * np.array([[1, -1], [-1, 1]])
        for i, inertia in ((0, A), (3, Iy + Iz)):
            m[np.ix_([i, i + 6], [i, i + 6])] = RHO * inertia * L / 6 * np.array([[2, 1], [1, 2]])
        bend = np.array([[12, 6 * L, -12, 6 * L], [6 * L, 4 * L**2, -6 * L, 2 * L**2],
                         [-12, -6 * L, 12, -6 * L], [6 * L, 2 * L**2, -6 * L, 4 * L**2]])  # fmt: skip
        carry = np.array([[156, 22 * L, 54, -13 * L], [22 * L, 4 * L**2, 13 * L, -3 * L**2],
                          [54, 13 * L, 156, -22 * L], [-13 * L, -3 * L**2, -22 * L, 4 * L**2]])  # fmt: skip
        turn = np.array([[36, 3 * L, -36, 3 * L], [3 * L, 4 * L**2, -3 * L, -(L**2)],
                         [-36, -3 * L, 36, -3 * L], [3 * L, -(L**2), -3 * L, 4 * L**2]])  # fmt: skip
        for at, sign, inertia in (([1, 5, 7, 11], 1, Iz), ([2, 4, 8, 10], -1, Iy)):
            flip = np.outer([1, sign, 1, sign], [1, sign, 1, sign])
            k[np.ix_(at, at)] = E * inertia / L**3 * bend * flip
            m[np.ix_(at, at)] = RHO * (A * L / 420 * carry + inertia / (30 * L) * turn) * flip
        T = np.zeros((12, 12))
        for end in (0, 6):
            T[end : end + 3, end : end + 3] = T[end + 3 : end + 6, end + 3 : end + 6] = R
            arm = np.array([0.0, 0.0, o])
            T[end : end + 3, end + 3 : end + 6] = R @ np.cross(np.eye(3), arm).T
        where = np.concatenate([6 * a + np.arange(6), 6 * b + np.arange(6)])
        K[np.ix_(where, where)] += T.T @ k @ T
        M[np.ix_(where, where)] += T.T @ m @ T
    return K, M


@pytest.mark.parametrize("offset", [0.0, 0.05])
def test_a_frame_is_that_of_an_independent_script(tmp_path: Path, offset: float) -> None:
    """A portal in space of PBAR without shear, by CBAR with direction and offset: both matrices, entry by entry."""
    points = np.array([[0.0, 0, 0], [0, 0, 1], [1.2, 0, 1], [1.2, 0.7, 1], [1.2, 0.7, 0]])
    bars, v = [(0, 1), (1, 2), (2, 3), (3, 4)], np.array([0.3, 1.0, 0.2])
    numbers = {"A": 4e-4, "Iz": 3e-8, "Iy": 1e-8, "J": 2e-8, "G": E / 2.0, "offset": offset}
    cards = "".join(f"GRID,{i + 1},,{x},{y},{z}\n" for i, (x, y, z) in enumerate(points))
    arms = f",,,0.,0.,{offset},0.,0.,{offset}"
    for i, (a, b) in enumerate(bars):
        cards += f"CBAR,{i + 1},7,{a + 1},{b + 1},.3,1.,.2,GGG\n{arms}\n"
    mesh = read(tmp_path, f"{cards}PBAR,7,1,4.-4,3.-8,1.-8,2.-8\n{STEEL}")
    model = assemble_mesh(mesh)
    order = np.concatenate([np.concatenate([3 * i + np.arange(3), 15 + 3 * i + np.arange(3)]) for i in range(5)])
    for found, own in zip((model.K, model.M), frame_matrices(points, bars, v, numbers), strict=True):
        found = found.toarray()[np.ix_(order, order)]
        assert np.abs(found - own).max() < 1e-10 * np.abs(own).max()
    assert np.abs(model.K @ model.rigid_motions()).max() < 1e-9 * abs(model.K).max()


def strip(n: int, b: float, t: float, beams: str) -> str:
    """A strip of n quadrilaterals of four nodes along x, one meter long, and beams along its lower edge of y = 0"""
    cards = "".join(f"GRID,{2 * i + j + 1},,{i / n},{(j - 0.5) * b},0.\n" for i in range(n + 1) for j in (0, 1))
    cards += "".join(f"CQUAD4,{i + 1},1,{2 * i + 1},{2 * i + 3},{2 * i + 4},{2 * i + 2}\n" for i in range(n))
    return cards + f"PSHELL,1,1,{t},1\n{STEEL}" + beams


def test_beams_beside_a_shell_bend_with_it_as_one_section(tmp_path: Path) -> None:
    """A strip with a beam of half the section along each edge, whose centre is e below: bending of the composite
    section, E I = E (b t^3/12 + b t c^2 + I + A (e - c)^2), c = A e/(A + b t). The strip alone can shear,
    which adds at most P L/(k G b t); cells of finite length take off 1/n^2."""
    n, b, t, e, A, I = 20, 0.05, 0.004, 0.03, 2e-4, 5e-9
    bars = "".join(
        f"CBAR,{100 + 2 * i + j},9,{2 * i + j + 1},{2 * i + j + 3},0.,0.,1.\n,,,0.,0.,{-e},0.,0.,{-e}\n"
        for i in range(n)
        for j in (0, 1)
    )
    mesh = read(tmp_path, strip(n, b, t, bars + f"PBAR,9,1,{A / 2},{I / 2},{I / 2},{I}\n"))
    model = assemble_mesh(mesh)
    free = held(model, [(np.array([0, 1]), "xyzXYZ")])
    force = point_force(model, 2 * n, (0.0, 0.0, 0.5)) + point_force(model, 2 * n + 1, (0.0, 0.0, 0.5))
    u = deflection(model, free, force)
    c = A * e / (A + b * t)
    EI = E * (b * t**3 / 12.0 + b * t * c**2 + I + A * (e - c) ** 2)
    bent, sheared = 1.0 / (3.0 * EI), 1.0 / (5.0 / 6.0 * E / 2.0 * b * t)
    assert bent * (1.0 - n**-2) < u[3 * 2 * n + 2] < bent + sheared and sheared < 4e-3 * bent
    R = model.rigid_motions()[:, 2]
    assert R @ model.mass_times(R) == pytest.approx(RHO * (b * t + A))


BOX8 = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
MIDDLES = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 5), (2, 6), (3, 7), (4, 5), (5, 6), (6, 7), (7, 4)]
"""Edges of a CHEXA in the order of its nodes 9 to 20"""


def solid_and_beam(nodes: int, tie: str) -> str:
    """A bar of solid cells, 0.5 m long and 40 mm square, that a beam of the same section continues for 0.5 m"""
    h, L, n = 0.04, 0.5, 10
    known: dict[tuple[float, ...], int] = {}
    cells = ""
    for i in range(n):
        x = np.array([[(i + a) * L / n, (b - 0.5) * h, (c - 0.5) * h] for a, b, c in BOX8])
        if nodes == 20:
            x = np.vstack([x, [(x[a] + x[b]) / 2 for a, b in MIDDLES]])
        row = [known.setdefault(tuple(np.round(point, 9)), len(known) + 1) for point in x]
        text = ["CHEXA", str(i + 1), "1", *map(str, row)]
        cells += ",".join(text[:9]) + "\n" + "".join(
            f",{','.join(text[k : k + 8])}\n" for k in range(9, len(text), 8)
        )  # fmt: skip
    end = [number for place, number in known.items() if abs(place[0] - L) < 1e-9]
    first = len(known) + 1
    grids = "".join(f"GRID,{number},,{x},{y},{z}\n" for (x, y, z), number in known.items())
    grids += "".join(f"GRID,{first + k},,{L + k * L / n},0.,0.\n" for k in range(n + 1))
    bars = "".join(f"CBAR,{100 + k},9,{first + k},{first + k + 1},0.,1.,0.\n" for k in range(n))
    listed = [str(number) for number in end]
    fields = ["RBE2", "900", str(first), "123456", *listed]
    if tie == "RBE3":
        fields = ["RBE3", "900", "", str(first), "123456", "1.", "123", *listed]
    ties = ",".join(fields[:9]) + "\n" + "".join(f",{','.join(fields[k : k + 8])}\n" for k in range(9, len(fields), 8))
    section = f"PBARL,9,1,,BAR\n,{h},{h}\nPSOLID,1,1\n"
    return grids + cells + bars + ties + section + STEEL


@pytest.mark.parametrize("tie", ["RBE2", "RBE3"])
@pytest.mark.parametrize("nodes", [8, 20])
def test_a_solid_that_a_beam_continues_is_one_bar(tmp_path: Path, nodes: int, tie: str) -> None:
    """Deflection, rotation and twist of a cantilever of which the first half is solid cells and the second a beam tied
    to their end face: P L^3/3EI with shear. 1 % (cells of first order, and the clamp at their end)."""
    mesh = read(tmp_path, solid_and_beam(nodes, tie))
    model = assemble_mesh(mesh)
    ties, h = model.ties, 0.04
    assert ties is not None and model.beams is not None and model.elastic is not None
    wall, tip = np.flatnonzero(mesh.points[:, 0] < 1e-9), int(np.argmax(mesh.points[:, 0]))
    K = (ties.T.T @ model.K @ ties.T).tocsc()
    empty = K.diagonal() <= 0.0
    fixed = np.zeros(3 * model.n_blocks, dtype=bool)
    fixed[(3 * wall[:, None] + np.arange(3)).ravel()] = True
    free = ~empty & ~fixed[ties.kept_rows]
    turning = 3 * (len(mesh.points) + int(np.searchsorted(model.rotations, tip)))
    f = np.zeros((3 * model.n_blocks, 2))
    f[3 * tip + 2, 0] = f[turning, 1] = 1.0
    solved = np.zeros((len(free), 2))
    solved[free] = np.linalg.solve(K.toarray()[np.ix_(free, free)], ties.forces(f)[free])
    u = ties.expand(solved)
    I, A, J = h**4 / 12.0, h * h, 0.1406 * h**4
    bent = 1.0 / (3.0 * E * I) + 1.0 / (5.0 / 6.0 * E / 2.0 * A)
    assert u[3 * tip + 2, 0] == pytest.approx(bent, rel=1e-2)
    assert u[turning + 1, 0] == pytest.approx(-0.5 / (E * I), rel=1e-2)
    if nodes == 20:  # one cell across twists too stiffly: 0.5 of the length has J of a bilinear warping
        assert u[turning, 1] == pytest.approx(1.0 / (E / 2.0 * J), rel=0.1)
    R = model.rigid_motions()[:, 1]
    assert R @ model.mass_times(R) == pytest.approx(RHO * A)


def test_solids_shells_beams_and_a_pyramid_are_reduced_to_one_body(tmp_path: Path) -> None:
    cube = "".join(f"GRID,{i + 1},,{0.1 * x},{0.1 * y},{0.1 * z}\n" for i, (x, y, z) in enumerate(BOX8))
    cube += "GRID,9,,.05,.05,.2\nGRID,10,,.2,0.,0.\nGRID,11,,.2,.1,0.\nGRID,12,,.2,.1,.1\n"
    cells = "CHEXA,1,1,1,2,3,4,5,6\n,7,8\nCPYRAM,2,1,5,6,7,8,9\nCQUAD4,3,2,2,10,11,3\nCQUAD4,4,2,1,2,3,4\n"
    cells += "CBAR,5,3,10,12,0.,1.,0.\nCBAR,6,3,11,12,1.,1.,0.\nPSOLID,1,1\nPSHELL,2,1,.01,1\nPBARL,3,1,,ROD\n,.01\n"
    mesh = read(tmp_path, cube + cells + STEEL)
    model = assemble_mesh(mesh)
    R = model.rigid_motions()
    mass = 1e-3 + 1e-3 / 3.0 + 2 * 1e-4 + np.pi * 1e-4 * (0.1 + np.sqrt(0.02))
    assert R[:, 0] @ model.mass_times(R[:, 0]) == pytest.approx(RHO * mass)
    assert np.abs(model.K @ R).max() < 1e-9 * abs(model.K).max()
    assert np.linalg.eigvalsh(model.K.toarray())[6] > 1.0
    request = ReductionRequest(interfaces=(TieRequest("foot", "plane(z=0)"),), modes=4, field="linear")
    body = reduce_mesh(mesh, None, request)
    assert body.report["mass"]["mesh"] == pytest.approx(RHO * mass)
    assert "sections of 2 shell cells and 2 beams" in " ".join(body.report["notes"])


def test_trusses_carry_axial_force_alone(tmp_path: Path) -> None:
    """A tripod of rods on a solid: stiffness EA/L of each rod along its axis, no rotations, no bending."""
    cube = "".join(f"GRID,{i + 1},,{x},{y},{z}\n" for i, (x, y, z) in enumerate(BOX8)) + "GRID,9,,.5,.5,3.\n"
    rods = "CHEXA,1,1,1,2,3,4,5,6\n,7,8\nPSOLID,1,1\n" + "".join(f"CROD,{i},2,{i},9\n" for i in (5, 6, 7, 8))
    model = assemble_mesh(read(tmp_path, f"{cube}{rods}PROD,2,1,1.-4\n{STEEL}"))
    assert not len(model.rotations) and model.beams.trusses.all()
    ends = np.array([[x, y, 1.0] for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]) - [0.5, 0.5, 3.0]
    L = np.linalg.norm(ends, axis=1)
    along = ends / L[:, None]
    want = np.einsum("r,ri,rj->ij", E * 1e-4 / L, along, along)
    assert np.allclose(model.K.toarray()[24:27, 24:27], want, rtol=1e-12, atol=1e-3)
    lone = model.M.toarray()[24:27, 24:27]
    assert np.allclose(lone, RHO * 1e-4 * L.sum() / 3.0 * np.eye(3))


def test_the_same_frame_in_nastran_and_abaqus(tmp_path: Path) -> None:
    points = np.array([[0.0, 0, 0], [0.3, 0, 0], [0.3, 0.2, 0], [0.3, 0.2, 0.4]])
    cards = "".join(f"GRID,{i + 1},,{x},{y},{z}\n" for i, (x, y, z) in enumerate(points))
    cards += "".join(f"CBAR,{i},7,{i},{i + 1},1.,.5,.25\n" for i in (1, 2, 3))
    nastran = read(tmp_path, f"{cards}PBARL,7,1,,BAR\n,.02,.03\nMAT1,1,2.1+11,,.3,7850.\n")
    nodes = "".join(f"{i + 1}, {x}, {y}, {z}\n" for i, (x, y, z) in enumerate(points))
    text = f"*NODE\n{nodes}*ELEMENT, TYPE=B31, ELSET=bars\n1, 1, 2\n2, 2, 3\n3, 3, 4\n*BEAM SECTION, ELSET=bars, "
    text += (
        "SECTION=RECT, MATERIAL=m\n.03, .02\n1., .5, .25\n*MATERIAL, NAME=m\n*ELASTIC\n2.1E11, .3\n*DENSITY\n7850.\n"
    )
    abaqus = read(tmp_path, text, "part.inp")
    one, other = assemble_mesh(nastran), assemble_mesh(abaqus)
    for a, b in ((one.K, other.K), (one.M, other.M)):
        assert abs(a - b).max() < 1e-12 * abs(a).max()


def test_what_is_given_and_what_differs(tmp_path: Path) -> None:
    grids = "GRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nGRID,3,,2.,0.,0.\n"
    pins = "CBAR,1,7,1,2,0.,1.,0.\n,4,56\nCBAR,2,8,2,3,0.,1.,0.\nPBAR,8,1,1.-4,1.-8,1.-8\n"
    mesh = read(tmp_path, grids + pins + "PBARL,7,1,,T\n,.04,.04,.005,.005\n" + STEEL)
    losses = {(loss.kind, loss.level): loss.text for loss in cell_properties(mesh).losses}
    assert set(losses) == {("offsets", "care"), ("sections", "care"), ("offsets", "note")}
    assert "released ends of 1 beams" in losses["offsets", "care"] and "torsion constant" in losses["sections", "care"]
    replaced = cell_properties(mesh, Material.isotropic(7e10, 0.33, 2700.0), None, circle(0.01))
    assert [loss.level for loss in replaced.losses] == ["care", "care"] and "--section" in replaced.losses[1].text
    assert {section.A for section in replaced.beams.sections} == {circle(0.01).A}  # type: ignore[union-attr]
    bad = read(tmp_path, grids + pins.replace("1.-8,1.-8", "1.-8,0.") + STEEL)
    with pytest.raises(InputError) as error:
        cell_properties(bad)
    texts = [fault.text for fault in error.value.faults]
    assert (
        len(texts) == 2 and "no section, neither in the file" in texts[0] and "'pid_8' of the file cannot" in texts[1]
    )


def test_mass_of_lines(tmp_path: Path) -> None:
    """NSM of PBAR counts for displacements; without a density it is the only mass."""
    grids = "GRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nCBAR,1,7,1,2,0.,1.,0.\nPBAR,7,1,1.-4,1.-8,1.-8,1.-8,2.\n"
    for cards, mass in ((STEEL, 2.785), ("MAT1,1,2.1+11,,.3\n", 2.0)):
        model: FEModel = assemble_mesh(read(tmp_path, grids + cards))
        R = model.rigid_motions()[:, 2]
        assert R @ model.mass_times(R) == pytest.approx(mass)


def test_frequencies_of_a_strip_with_beams(tmp_path: Path) -> None:
    """Lowest free bending of a strip with beams under it: Euler's free beam of the composite section; 1 %."""
    n, b, t, e, A, I = 24, 0.05, 0.004, 0.03, 2e-4, 5e-9
    bars = "".join(
        f"CBAR,{100 + 2 * i + j},9,{2 * i + j + 1},{2 * i + j + 3},0.,0.,1.\n,,,0.,0.,{-e},0.,0.,{-e}\n"
        for i in range(n)
        for j in (0, 1)
    )
    mesh = read(tmp_path, strip(n, b, t, bars + f"PBAR,9,1,{A / 2},{I / 2},{50 * I},{I}\n"))
    model = assemble_mesh(mesh)
    found = np.sqrt(component_modes(FreeBody(model, []), "free", modes=8).omega_squared)
    c = A * e / (A + b * t)
    EI = E * (b * t**3 / 12.0 + b * t * c**2 + I + A * (e - c) ** 2)
    want = 4.730041**2 * np.sqrt(EI / (RHO * (b * t + A)))
    assert np.abs(found / want - 1.0).min() < 1e-2


def test_a_bar_that_ends_in_a_solid_is_hinged_unless_it_is_held(tmp_path: Path) -> None:
    """As in decks that hold the rotations of its end (SPC 456): named in the message, and possible by a held set."""
    cube = "".join(f"GRID,{i + 1},,{x},{y},{z}\n" for i, (x, y, z) in enumerate(BOX8)) + "GRID,9,,0.,0.,3.\n"
    cells = "CHEXA,1,1,1,2,3,4,5,6\n,7,8\nPSOLID,1,2\nCBAR,2,2,5,9,1.,0.,0.\nPBARL,2,1,,ROD\n,.05\n"
    cells += "MAT1,2,2.1+15,,.3,7.+6\n"
    supports = "SPC1,3,123,1,2,3,4\nSPC1,3,456,5\n"
    mesh = read(tmp_path, cube + cells + STEEL + supports)
    free = ReductionRequest(method="free", modes=3, field="linear")
    with pytest.raises(ComputationError, match="at a node of a solid is hinged there"):
        reduce_mesh(mesh, None, free)
    body = reduce_mesh(mesh, None, replace(free, hold=(HoldRequest("spc_3"),)))
    A, I = np.pi * 0.05**2, np.pi * 0.05**4 / 4.0
    stiff = 1.8751**2 * np.sqrt(E * I / (RHO * A)) / 2.0**2 / (2.0 * np.pi)
    assert body.coordinates[0].frequency == pytest.approx(stiff, rel=1e-2), "a cantilever on a heavy cube"


def test_a_shape_that_is_not_known_is_named(tmp_path: Path) -> None:
    grids = "GRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nCBAR,1,7,1,2,0.,1.,0.\nPBARL,7,1,,HAT\n,.1,.1,.1,.1\n"
    with pytest.raises(InputError, match="'pid_7' of the file cannot be used: the shape 'hat' is not known"):
        cell_properties(read(tmp_path, grids + STEEL))


def test_prisms_of_beams_turn_with_their_nodes(tmp_path: Path) -> None:
    """Closed, of the volume A L of a rectangle at its offset, and moved as a rigid body by a rigid motion."""
    grids = (
        "GRID,1,,0.,0.,0.\nGRID,2,,.6,.3,.2\nCBAR,1,7,1,2,0.,1.,0.\n,,,0.,0.,.1,0.,0.,.1\nPBARL,7,1,,BAR\n,.02,.03\n"
    )
    model = assemble_mesh(read(tmp_path, grids + STEEL))
    riders, triangles = tubes(model)
    x = riders.places(model.points)
    a, b, c = (x[triangles[:, i]] for i in range(3))
    assert np.einsum("ti,ti->", a, np.cross(b, c)) / 6.0 == pytest.approx(0.02 * 0.03 * 0.7), "normals outwards"
    assert x.mean(axis=0) == pytest.approx([0.3, 0.15, 0.2])
    moved = riders.first(model.rigid_motions())
    assert np.allclose(moved[:, 5], np.cross([0.0, 0.0, 1.0], x)) and np.allclose(moved[:, 0], [1.0, 0.0, 0.0])


def test_the_mesh_error_of_a_frame_with_masses_and_ties_is_that_of_the_whole(tmp_path: Path) -> None:
    """A bar with a mass in its middle, in two and in four beams: the estimate of the first is its error."""

    def bar(n: int) -> Mesh:
        cards = "".join(f"GRID,{i + 1},,{i / n},0.,0.\n" for i in range(n + 1))
        cards += "".join(f"CBAR,{i + 1},7,{i + 1},{i + 2},0.,1.,0.\n" for i in range(n))
        cards += f"CONM2,90,{n // 2 + 1},,5.\nGRID,80,,0.5,0.1,0.\nCONM2,91,80,,1.\nRBE2,92,{n // 2 + 1},123456,80\n"
        return read(tmp_path, cards + "PBARL,7,1,,BAR\n,.02,.03\n" + STEEL)

    request = ReductionRequest(method="free", modes=3, field="linear")
    coarse, exact = (reduce_mesh(bar(n), None, request) for n in (2, 16))
    found = np.array(coarse.report["discretisation"]["frequency_errors"])[:3]
    true = np.array(
        [a.frequency / b.frequency - 1.0 for a, b in zip(coarse.coordinates, exact.coordinates, strict=True)]
    )
    assert len(found) == 3 and (found > 0.7 * true).all() and (found < 2.0 * true + 1e-3).all()
