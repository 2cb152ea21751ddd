"""Layers of shells: laws, shear correction, bending of laminates against closed forms; thickness by cell set.

Covers: elements.shell.section, elements.shell.thickness, elements.shell.directors.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from flexmb.elements.cell_properties import cell_properties
from flexmb.elements.material import Material
from flexmb.elements.second_order import second_order_forces
from flexmb.elements.shell.assemble import assemble_shells
from flexmb.elements.shell.directors import directors
from flexmb.elements.shell.section import Layer, Orthotropic, ShellSection, layer_law, section_points, shear_factors
from flexmb.elements.shell.thickness import thickness_faults
from flexmb.errors import InputError
from flexmb.mesh.mesh import Cells, Mesh
from flexmb.verification.shell_models import deflection, held, sheet

PLY = Orthotropic(E1=140e9, E2=10e9, nu12=0.3, G12=5e9, G13=5e9, G23=3.5e9, density=1600.0)
STEEL = Material.isotropic(2.1e11, 0.3, 7850.0)


def test_layers_of_one_material_are_one_plate():
    split = ShellSection(tuple(Layer(STEEL, t) for t in (0.001, 0.003, 0.002)))
    whole = ShellSection.plain(STEEL, 0.006)
    assert shear_factors(split) == pytest.approx(5.0 / 6.0, rel=1e-12)
    for power in (0, 1, 2):
        stiffness = [
            np.einsum("m,mij->ij", p.weights * p.heights**power, p.laws) for p in map(section_points, (split, whole))
        ]
        assert np.allclose(*stiffness, rtol=1e-12, atol=1e-12 * 2.3e11 * 0.006 ** (power + 1))


def test_law_of_a_turned_ply():
    """At 45 degrees the modulus is that of lamination theory; at 90 the axes change places."""
    at_45 = np.linalg.inv(layer_law(Layer(PLY, 0.001, np.pi / 4))[:3, :3])
    want = 0.25 * (1 / PLY.E1 + 1 / PLY.E2 + 1 / PLY.G12 - 2 * PLY.nu12 / PLY.E1)
    assert at_45[0, 0] == pytest.approx(want, rel=1e-12)
    plain, across = layer_law(Layer(PLY, 0.001)), layer_law(Layer(PLY, 0.001, np.pi / 2))
    order = [1, 0, 2, 4, 3]
    assert np.allclose(plain[np.ix_(order, order)], across, rtol=1e-9, atol=1.0)


def test_a_positive_angle_turns_the_grain_from_x_to_y():
    """The stiffest direction of a ply at 30 degrees is 30 degrees from x."""
    law = layer_law(Layer(PLY, 0.001, np.pi / 6))[:3, :3]
    turns = np.radians(np.arange(-90, 90))
    n = np.stack([np.cos(turns) ** 2, np.sin(turns) ** 2, 2 * np.sin(turns) * np.cos(turns)])
    along = np.einsum("it,ij,jt->t", n, law, n)
    assert np.degrees(turns[np.argmax(along)]) == pytest.approx(30.0)


def test_shear_of_a_sandwich_is_that_of_its_core():
    """Thin stiff faces on a soft core: shear stiffness G of the core, times square of the distance over its height"""
    core = Material.isotropic(1e8, 0.3, 60.0)
    t, c = 0.0005, 0.02
    section = ShellSection((Layer(STEEL, t), Layer(core, c), Layer(STEEL, t)))
    points = section_points(section)
    stiffness = float(points.weights @ points.laws[:, 3, 3])
    assert stiffness == pytest.approx(core.G * (c + t) ** 2 / c, rel=5e-3)


@pytest.mark.parametrize("angle", [0.0, np.pi / 2])
def test_a_laminated_strip_bends_as_its_layers_say(angle: float) -> None:
    """[angle, angle + 90, angle] under an end load: E I of the layers, and their shear."""
    L, b, h, force = 1.0, 0.05, 0.004, 1.0
    section = ShellSection(tuple(Layer(PLY, h, a) for a in (angle, angle + np.pi / 2, angle)))
    mesh, grid = sheet("quad9", (20, 1), lambda r, s: (L * r, b * s, 0.0 * r))
    model = assemble_shells(mesh, section, direction=np.array([1.0, 0.0, 0.0]))
    loads = np.zeros(3 * model.n_blocks)
    loads[3 * grid[-1] + 2] = force * np.array([1, 4, 1]) / 6
    u = deflection(model, held(model, [(grid[0], "xyzXYZ")]), loads)
    outer, inner = (PLY.E1, PLY.E2) if angle == 0.0 else (PLY.E2, PLY.E1)
    EI = b * (outer * 2 * (h**3 / 12 + h * h**2) + inner * h**3 / 12)
    assert u[3 * grid[-1, 1] + 2] == pytest.approx(force * L**3 / (3 * EI), rel=5e-3)


def test_wrong_sections_say_what_is_wrong():
    with pytest.raises(InputError, match="thickness"):
        Layer(STEEL, -1.0)
    with pytest.raises(InputError, match="nu12 must be between"):
        replace(PLY, nu12=4.0)
    with pytest.raises(InputError, match="E1"):
        replace(PLY, E1=0.0)


def two_sets() -> Mesh:
    mesh, _ = sheet("quad4", (4, 1), lambda r, s: (r, s, 0.0 * r))
    sets = {"left": (np.array([0, 1]),), "right": (np.array([2, 3]),)}
    return replace(mesh, cell_sets=sets)


def test_thickness_and_material_by_cell_set():
    mesh = two_sets()
    other = Material.isotropic(7e10, 0.33, 2700.0)
    given = cell_properties(mesh, {"left": STEEL, "right": other}, {"left": 0.002, "": 0.001})
    found = given.shells.sections
    assert sorted((s.thickness, s.layers[0].material.density) for s in found) == [(0.001, 2700.0), (0.002, 7850.0)]
    model = assemble_shells(given.mesh, given.shells)
    mass = model.rigid_motions()[:, 0] @ model.mass_times(model.rigid_motions()[:, 0])
    assert mass == pytest.approx(0.5 * 0.002 * 7850.0 + 0.5 * 0.001 * 2700.0)


def test_sections_of_one_and_of_three_layers_in_one_mesh():
    """One plate, half of it written as three layers of the same material: the same matrices and second-order forces."""
    mesh = two_sets()
    layers = ShellSection(tuple(Layer(STEEL, 0.002) for _ in range(3)))
    plain = ShellSection.plain(STEEL, 0.006)
    one, mixed = (assemble_shells(mesh, {"left": plain, "right": right}) for right in (plain, layers))
    U = np.random.default_rng(4).normal(size=(3 * one.n_blocks, 2))
    pairs = np.array([(0, 0), (0, 1)])
    for first, second in (
        (one.K @ U, mixed.K @ U),
        (one.M @ U, mixed.M @ U),
        (second_order_forces(one, U, pairs), second_order_forces(mixed, U, pairs)),
    ):
        assert np.allclose(first, second, rtol=0, atol=1e-12 * np.abs(first).max())


def test_faults_of_a_thickness():
    mesh = two_sets()
    assert "need a thickness" in thickness_faults(mesh, None)[0].text
    assert "2 shell cells have no thickness" in thickness_faults(mesh, {"left": 0.001})[0].text
    unknown = thickness_faults(mesh, {"lefd": 0.001})[0]
    assert "no cell set 'lefd'" in unknown.text and "left" in unknown.hint
    assert thickness_faults(mesh, {"": -0.001})
    lines = Mesh(mesh.points, (Cells("line2", np.array([[0, 1]])),))
    assert "no shell cells" in thickness_faults(lines, 0.001)[0].text and not thickness_faults(lines, None)


def test_directors_are_mean_normals_except_at_folds():
    angle = np.radians(30.0)
    points = np.array([(0, 0, 0), (1, 0, 0), (1 + np.cos(angle), 0, np.sin(angle))])
    points = np.concatenate([points, points + [0, 1, 0]])
    cells = Cells("quad4", np.array([[0, 1, 4, 3], [1, 2, 5, 4]]))
    vectors, nodes, distinct, _ = directors(points, [cells])
    assert sorted(nodes) == [0, 1, 1, 2, 3, 4, 4, 5] and np.allclose(np.linalg.norm(distinct, axis=1), 1.0)
    assert np.allclose(vectors[0][0], [[0, 0, 1]] * 4)
    gentle = points.copy()
    gentle[[2, 5], 2] = 0.1
    vectors, nodes, *_ = directors(gentle, [cells])
    assert len(nodes) == 6 and 0 < -vectors[0][0][1, 0] < 0.1
