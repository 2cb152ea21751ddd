"""Observed orders of convergence, bending without locking, and masses of solid models."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from flexmb.elements.material import MATERIALS, Material
from flexmb.elements.solid.assemble import assemble
from flexmb.elements.solid.elasticity import lame_constants
from flexmb.mesh.topology import is_quadratic
from flexmb.verification.solid_meshes import box_mesh
from flexmb.verification.solid_models import box_compliance
from tests.support.solid_cases import KINDS, frequencies, mapped, on_box, solve, unknowns

STEEL = MATERIALS["steel"]


def wavy(points: np.ndarray) -> np.ndarray:
    """The unit cube with its inside moved smoothly: cells are distorted alike in every refinement."""
    x, y, z = points.T
    bump = np.sin(np.pi * x) * np.sin(np.pi * y) * np.sin(np.pi * z)
    return points + 0.03 * bump[:, None] * np.array([1.0, -0.7, 0.5])


def smooth_field(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """u = c sin(a . x + phase), and the body force -(lam + mu) grad div u - mu lap u that holds it [N/m^3]."""
    lam, mu = lame_constants(STEEL)
    a, c = np.array([0.8, -0.5, 0.6]), np.array([0.8, 0.5, -0.6])
    wave = np.sin(points @ a + 0.4)
    return np.outer(wave, c), np.outer(wave, (lam + mu) * a * (a @ c) + mu * (a @ a) * c)


def error(kind: str, count: int) -> float:
    """Distance in the mean square of the computed displacement from the interpolated exact one"""
    model = assemble(mapped(box_mesh(kind, (count,) * 3), wavy), STEEL)
    exact, body = smooth_field(model.points)
    force = model.mass_times(body.ravel()) / STEEL.density
    held = unknowns(np.flatnonzero(on_box(model.points)))
    difference = solve(model, held, exact.ravel()[held], force) - exact.ravel()
    return float(np.sqrt(difference @ model.mass_times(difference) / STEEL.density))


@pytest.mark.parametrize("kind", KINDS)
def test_displacements_converge_with_the_order_of_the_cells(kind):
    # Order p + 1 in the mean square for shape functions of degree p; 0.3 is left for meshes that are still coarse.
    coarse, fine = (4, 6) if is_quadratic(kind) else (8, 12)
    order = np.log(error(kind, coarse) / error(kind, fine)) / np.log(fine / coarse)
    assert order > (2.7 if is_quadratic(kind) else 1.7)


def test_hex8_bend_without_locking():
    """A cantilever of one layer of hex8: incompatible modes find the beam, plain trilinear cells lock."""
    E, length, side = 2e11, 1.0, 0.05
    material = Material(E, E / 2, 7850.0)  # nu = 0: the clamped end does not stiffen the beam
    beam = length**3 / (3 * E * side**4 / 12) + length / (5 / 6 * E / 2 * side**2)
    mesh = box_mesh("hex8", (10, 1, 1), (length, side, side))
    # A beam of linear curvature cut into ten pieces of constant curvature is short of 1/(4 n^2) = 0.25 %.
    assert box_compliance(assemble(mesh, material), mesh)[0][2, 2] == pytest.approx(beam, rel=4e-3)
    assert box_compliance(assemble(mesh, material, hex8="full"), mesh)[0][2, 2] < 0.5 * beam


def test_lumped_and_consistent_mass_enclose_the_frequencies_of_a_rod():
    """Axial waves in a bar that cannot widen (nu = 0): consistent mass is above, row-summed mass below pi/2 c/L."""
    mesh = box_mesh("hex8", (10, 1, 1), (1.0, 0.1, 0.1))
    sides = 3 * np.arange(mesh.n_points)
    held = np.concatenate([3 * mesh.node_sets["xmin"], sides + 1, sides + 2])
    found = []
    for lumped in (False, True):
        model = assemble(mesh, Material(1.0, 0.5, 1.0), lumped=lumped)
        assert sparse.issparse(model.M)
        found.append(frequencies(model, held, 1)[0] / (np.pi / 2))
    # Two-node bars: (kh)^2/24 above and below, kh = pi/20.
    assert found == pytest.approx([1 + (np.pi / 20) ** 2 / 24, 1 - (np.pi / 20) ** 2 / 24], abs=1e-5)
