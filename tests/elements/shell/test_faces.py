"""Both faces of shells: closed outside, and the stress of bending and of a pressure vessel.

Covers: elements.shell.kernels.stress, elements.shell.kernels.strains.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from flexmb.elements.material import Material
from flexmb.elements.shell.assemble import assemble_shells
from flexmb.elements.shell.faces import face_stress, faces
from flexmb.elements.shell.section import ShellSection
from flexmb.verification.shell_models import KINDS, deflection, held, sheet

STEEL = Material.isotropic(2.1e11, 0.0, 7850.0)


@pytest.mark.parametrize("kind", KINDS)
def test_the_outside_of_a_curved_sheet_is_closed_and_points_outwards(kind: str) -> None:
    """Every edge of the triangles has one neighbour in the other direction, and they enclose the volume."""
    mesh, _ = sheet(kind, (4, 3), lambda r, s: (np.sin(r), s, np.cos(r)))
    made = faces(assemble_shells(mesh, ShellSection.plain(STEEL, 0.05)).shells)
    edges = np.concatenate([made.triangles[:, [i, (i + 1) % 3]] for i in range(3)])
    forward, backward = {tuple(edge) for edge in edges}, {tuple(edge[::-1]) for edge in edges}
    assert len(forward) == len(edges) and forward == backward
    x = made.riders.places(mesh.points)[made.triangles]
    volume = np.einsum("ti,ti->t", x[:, 0], np.cross(x[:, 1], x[:, 2])).sum() / 6
    assert volume == pytest.approx(0.05, rel=0.02)


@pytest.mark.parametrize("kind", KINDS)
def test_stress_of_a_bent_strip(kind: str) -> None:
    """+-6 M/(b h^2) at top and bottom in the middle of a cantilever, free of shear there."""
    L, b, h = 1.0, 0.1, 0.02
    mesh, grid = sheet(kind, (20, 2), lambda r, s: (L * r, b * s, 0.0 * r))
    model = assemble_shells(mesh, ShellSection.plain(STEEL, h))
    loads = np.zeros(3 * model.n_blocks)
    loads[3 * grid[-1] + 2] = 1.0 / grid.shape[1]
    u = deflection(model, held(model, [(grid[0], "xyzXYZ")]), loads)
    made = faces(model.shells)
    stress = face_stress(model, made, u[:, None])[:, 0]
    middle = int(grid[grid.shape[0] // 2, grid.shape[1] // 2])
    at = np.flatnonzero(made.riders.nodes == middle)
    want = 6.0 * (L / 2) / (b * h**2)
    tolerance = 0.06 if kind == "tri3" else 0.02
    assert stress[at, 0] == pytest.approx([want, -want], rel=tolerance)  # the load lifts: the bottom is pulled
    assert np.abs(stress[at][:, [2, 4, 5]]).max() < 1e-9 * want


def test_hoop_stress_of_a_cylinder():
    """A ring under internal pressure by radial nodal forces: p R/t at both faces of a thin wall."""
    R, t, n = 1.0, 0.002, 96
    turn = np.pi / 2
    mesh, grid = sheet("quad9", (n // 4, 1), lambda r, s: (R * np.cos(turn * r), R * np.sin(turn * r), 0.05 * s))
    model = assemble_shells(mesh, ShellSection.plain(replace(STEEL, density=1.0), t))
    push = np.zeros((model.n_blocks, 3))
    push[: mesh.n_points, :2] = mesh.points[:, :2] / R / t
    free = held(model, [(grid[0], "yXZ"), (grid[-1], "xYZ"), (grid[:, 0], "zXY")])
    u = deflection(model, free, model.mass_times(push.ravel()))
    made = faces(model.shells)
    stress = face_stress(model, made, u[:, None])[:, 0]
    at = np.flatnonzero(made.riders.nodes == int(grid[0, 1]))
    assert stress[at, 1] == pytest.approx(R / t, rel=5e-3)
