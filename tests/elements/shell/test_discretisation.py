"""The estimate of the discretisation error of shells against true errors; folds, junctions and jumps of thickness.

Covers: elements.discretisation, elements.shell.discretisation, elements.shell.inner_deflection,
elements.shell.kernels.section_strains.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from flexmb.bodies.reduce_mesh import assemble_mesh
from flexmb.elements.discretisation import discretisation_errors
from flexmb.elements.fe_model import FEModel
from flexmb.elements.material import Material
from flexmb.elements.shell.assemble import assemble_shells
from flexmb.elements.shell.discretisation import section_law, section_strain
from flexmb.elements.shell.section import ShellSection
from flexmb.mesh.mesh import Cells, Mesh
from flexmb.reduction.eigenmodes import Eigenmodes, lowest_modes
from flexmb.reduction.free_body import FreeBody
from flexmb.verification.shell_models import KINDS, Surface, sheet
from flexmb.verification.solid_meshes import box_mesh

STEEL = Material.isotropic(210e9, 0.3, 7850.0)
NONE = np.zeros(0, dtype=np.int64)


def plate(r: np.ndarray, s: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """0.4 x 0.3, not quite even"""
    return 0.4 * (r + 0.1 * np.sin(3 * s) * r * (1 - r)), 0.3 * (s + 0.15 * np.sin(5 * r) * s * (1 - s)), 0.0 * r


def panel(r: np.ndarray, s: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A quarter of a cylinder of radius 0.2 and length 0.5"""
    return 0.5 * r, 0.2 * np.sin(0.5 * np.pi * (s - 0.5)), 0.2 * np.cos(0.5 * np.pi * (s - 0.5))


def modes_of(mesh: Mesh, thickness: float) -> tuple[FEModel, Eigenmodes]:
    model = assemble_shells(mesh, ShellSection.plain(STEEL, thickness))
    body = FreeBody(model, [])
    return model, lowest_modes(model.mass_times, body.solve, body.n, count=6, known=body.R, tolerance=1e-7)


@cache
def reference(surface: Surface, thickness: float) -> np.ndarray:
    """Frequencies by 24 x 20 quad9 cells"""
    return modes_of(sheet("quad9", (24, 20), surface)[0], thickness)[1].frequencies


@pytest.mark.parametrize("surface", [plate, panel])
@pytest.mark.parametrize(("kind", "cells"), [("quad4", (16, 12)), ("quad9", (8, 6)), ("tri3", (16, 12))])
def test_effectivity_on_plate_and_cylinder(kind: str, cells: tuple[int, int], surface: Surface) -> None:
    """Estimated over true error of omega^2 of six free modes of 0.2 to 20 %, bending and torsion.

    Torsion is overestimated: the layer at free edges is not resolved by the reference either.
    """
    thickness = 0.005 if surface is panel else 0.03
    model, modes = modes_of(sheet(kind, cells, surface)[0], thickness)
    true = 1.0 - (reference(surface, thickness) / modes.frequencies) ** 2
    ratio = discretisation_errors(model, modes.vectors, NONE, modes.omega_squared).shares / true
    assert (ratio > 0.7).all() and (ratio < 2.6).all(), ratio


@pytest.mark.parametrize("kind", KINDS)
def test_energy_of_section_strains_is_that_of_the_stiffness(kind: str) -> None:
    """All but that of the drilling rotation, which follows the edges of flat cells on a cylinder: 1.3 % with tri3."""
    model, modes = modes_of(sheet(kind, (6, 4), panel)[0], 0.005)
    law, energy = section_law(model.shells.sections[0]), np.zeros(6)
    for block in model.shells.blocks:
        e, areas = section_strain(model, block, modes.vectors)
        energy += np.einsum("cg,cgme,ef,cgmf->m", areas, e, law, e)
    # and strains are not quite linear over the thickness of a curved cell, by thickness over radius
    whole = np.einsum("im,im->m", modes.vectors, model.K @ modes.vectors)
    assert (energy < 1.005 * whole).all() and (energy > (0.98 if kind == "tri3" else 0.99) * whole).all()


def constant_state(points: np.ndarray, k: tuple[float, float, float]) -> tuple[np.ndarray, np.ndarray]:
    """Membrane strains 1, and curvatures k = (xx, yy, xy) about the plane z = 0: displacements, rotations"""
    x, y, _ = points.T
    u = np.stack([x + 0.2 * y, 0.2 * x - 0.3 * y, -0.5 * (k[0] * x**2 + k[1] * y**2) - k[2] * x * y], axis=1)
    turn = np.stack([-(k[1] * y + k[2] * x), k[0] * x + k[2] * y, 0.0 * x], axis=1)
    return u, turn


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("flipped", [False, True])
def test_constant_strains_have_no_error(kind: str, flipped: bool) -> None:
    """Also where neighbours look to different sides: curvature and twist change their signs, the motion does not."""
    mesh, _ = sheet(kind, (4, 3), plate)
    if flipped:
        nodes = mesh.cells[0].nodes.copy()
        order = {"quad4": [0, 3, 2, 1], "tri3": [0, 2, 1], "tri6": [0, 2, 1, 5, 4, 3]}
        nodes[::2] = nodes[::2][:, order.get(kind, [0, 3, 2, 1, 7, 6, 5, 4, 8])]
        mesh = Mesh(mesh.points, (Cells(kind, nodes),))
    model = assemble_shells(mesh, ShellSection.plain(STEEL, 0.01))
    # twist vanishes at free edges, so it is left out here
    U = np.concatenate(constant_state(mesh.points, (1.0, -0.4, 0.0))).reshape(-1, 1)
    found = discretisation_errors(model, U, NONE, np.zeros(1))
    # quadratic deflections are in the quadratic cells, but not in uneven ones
    assert found.shares[0] < 1e-5, found.shares
    twisted = np.concatenate(constant_state(mesh.points, (0.0, 0.0, 1.0))).reshape(-1, 1)
    twisted[: 3 * mesh.n_points : 3], twisted[1 : 3 * mesh.n_points : 3] = 0.0, 0.0
    assert 0.005 < discretisation_errors(model, twisted, NONE, np.zeros(1)).shares[0] < 0.2


def stretched(model: FEModel, slopes: np.ndarray) -> np.ndarray:
    """(3 b, 1) displacement x' along x with the slope of every node's side"""
    U = np.zeros((model.n_blocks, 3))
    U[: len(slopes), 0] = slopes
    return U.reshape(-1, 1)


def test_a_jump_of_thickness_is_not_an_error() -> None:
    """A strip of two thicknesses under tension without contraction: the strain jumps, the force does not."""
    mesh, _ = sheet("quad4", (6, 2), lambda r, s: (r, 0.2 * s, 0.0 * r))
    left = np.flatnonzero(mesh.points[mesh.cells[0].nodes].mean(axis=1)[:, 0] < 0.5)
    right = np.setdiff1d(np.arange(12), left)
    mesh = Mesh(mesh.points, mesh.cells, (), {}, {"a": (left,), "b": (right,)})
    material = Material.isotropic(210e9, 0.0, 7850.0)
    thick, thin = ShellSection.plain(material, 0.02), ShellSection.plain(material, 0.01)
    x = mesh.points[:, 0]
    U = np.where(x < 0.5, x, 0.5 + 2.0 * (x - 0.5))
    apart = assemble_shells(mesh, {"a": thick, "b": thin})
    assert discretisation_errors(apart, stretched(apart, U), NONE, np.zeros(1)).shares[0] < 1e-20
    alike = assemble_shells(mesh, {"a": thick, "b": thick})
    assert discretisation_errors(alike, stretched(alike, U), NONE, np.zeros(1)).shares[0] < 1e-20  # two sections
    one = assemble_shells(mesh, thick)
    assert discretisation_errors(one, stretched(one, U), NONE, np.zeros(1)).shares[0] > 0.01
    # the rim of a rigid tie is a reason to jump
    rim = np.flatnonzero(np.isclose(x, 0.5))
    assert discretisation_errors(one, stretched(one, U), NONE, np.zeros(1), rim).shares[0] < 1e-20


def test_junction_of_three_sheets_is_not_smoothed_over() -> None:
    """A flange that continues with another strain beyond a web: only the web is a reason."""
    mesh, grid = sheet("quad4", (4, 1), lambda r, s: (r, 0.2 * s, 0.0 * r))
    a, b = grid[2]
    points = np.concatenate([mesh.points, mesh.points[[a, b]] + [0.0, 0.0, 0.3]])
    web = np.array([[a, b, len(points) - 1, len(points) - 2]])
    with_web = Mesh(points, (Cells("quad4", np.concatenate([mesh.cells[0].nodes, web])),))
    shares = []
    for own in (mesh, with_web):
        model = assemble_shells(own, ShellSection.plain(Material.isotropic(210e9, 0.0, 1.0), 0.01))
        x = own.points[:, 0]
        U = stretched(model, np.where(x < 0.5, x, 0.5 + 2.0 * (x - 0.5)))
        shares.append(discretisation_errors(model, U, NONE, np.zeros(1)).shares[0])
    assert shares[0] > 0.01 and shares[1] < 1e-20


def test_average_of_the_density_is_the_share() -> None:
    """Cells of a bar of equal size: the weight of a node is the number of its cells."""
    box = box_mesh("hex20", (6, 2, 2), (1.0, 0.1, 0.1))
    model = assemble_mesh(box, STEEL)
    body = FreeBody(model, [])
    modes = lowest_modes(model.mass_times, body.solve, body.n, count=2, known=body.R, tolerance=1e-6)
    found = discretisation_errors(model, modes.vectors, NONE, np.zeros(2))
    weights = np.bincount(box.cells[0].nodes.ravel()).astype(float)
    assert np.average(found.density, weights=weights) == pytest.approx(found.shares.mean(), rel=1e-9)


def test_the_density_is_large_where_cells_are() -> None:
    """A plate with cells of 0.006 to 0.09 along x in bending: the halves have cells of 0.03 and 0.09, and the density
    grows with the square of their size, were the curvature the same."""
    mesh, _ = sheet("quad4", (8, 4), lambda r, s: (0.4 * r**2, 0.1 * s, 0.0 * r))
    model, modes = modes_of(mesh, 0.005)
    density = discretisation_errors(model, modes.vectors[:, :1], NONE, np.zeros(1)).density
    x = mesh.points[:, 0]
    assert density[(x > 0.2) & (x < 0.4)].mean() > 2.0 * density[(x > 0.0) & (x < 0.2)].mean()


def test_shells_and_solids_are_judged_together() -> None:
    """A plate on a bar: its share of the error is beside that of the bar, both in one energy."""
    box = box_mesh("hex8", (8, 2, 2), (1.0, 0.1, 0.1))
    top = [cell[[4, 5, 6, 7]] for cell in box.cells[0].nodes if np.isclose(box.points[cell[4], 2], 0.1)]
    both = Mesh(box.points, (*box.cells, Cells("quad4", np.array(top))))
    shares = []
    for own, thickness in ((box, None), (both, 1e-6), (both, 0.02)):
        model = assemble_mesh(own, STEEL, thickness)
        body = FreeBody(model, [])
        modes = lowest_modes(model.mass_times, body.solve, body.n, count=3, known=body.R)
        shares.append(discretisation_errors(model, modes.vectors, NONE, modes.omega_squared).shares)
    assert np.allclose(shares[0], shares[1], rtol=0.02)  # a foil adds nothing
    assert (shares[2] > 0.3 * shares[0]).all() and (shares[2] < 3.0 * shares[0]).all()
