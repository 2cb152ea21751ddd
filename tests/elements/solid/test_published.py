"""More about solid cells than the published cases of `flexmb verify` tell.

The reference of the deep beam itself, ARPACK on eliminated unknowns as a second road to the modes, bodies of two kinds
of cells, orders of convergence of eigenvalues, and a patch of three kinds.

Covers: verification.solid_models.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from flexmb.elements.material import Material
from flexmb.elements.solid.assemble import assemble
from flexmb.mesh.mesh import SOLIDS, Mesh
from flexmb.mesh.surface import outer_surface
from flexmb.mesh.topology import is_quadratic
from flexmb.verification.running import entries
from flexmb.verification.solid_meshes import EDGES, box_mesh
from flexmb.verification.solid_models import (
    box_compliance,
    clamped_modes,
    directions,
    end_shares,
    free_modes,
    held_modes,
    material_of,
)
from tests.support.fe_cases import wave_frequency
from tests.support.solid_cases import KINDS, frequencies, merged, solve, unknowns

DEEP, FREE_PLATE, BAR = (entries()[name] for name in ("C03", "C04", "C10"))
DEEP_STEEL = material_of(DEEP["parameters"])
WAVES = {
    "flexure": np.pi / 10.0 * np.array([1, 2, 3]),
    "torsion": np.pi / 20.0 * np.array([1, 3]),
    "axial": np.pi / 20.0 * np.array([1]),
}


def elastic_waves(family: str) -> list[float]:
    return [wave_frequency(family, k, 2.0, DEEP_STEEL) for k in WAVES[family]]


@pytest.mark.long
def test_waves_of_the_deep_beam_follow_its_theory():
    """The independent reference itself: converged, and where beam theory stands against elasticity."""
    for family, numbers in WAVES.items():
        coarser = [wave_frequency(family, k, 2.0, DEEP_STEEL, degree=7) for k in numbers]
        assert elastic_waves(family) == pytest.approx(coarser, rel=1e-5)
        # as kept, with four decimals, by a series of higher degree
        kept = DEEP["expected"][f"elasticity: {family} Hz"]
        assert elastic_waves(family) == pytest.approx(kept, abs=2e-4)
    # Timoshenko's beam falls below elasticity as half waves shrink to 10, 5 and 3.3 at a depth of 2.
    gap = np.array(elastic_waves("flexure")) / DEEP["expected"]["flexure Hz"] - 1.0
    assert gap == pytest.approx([1.03e-3, 3.43e-3, 5.57e-3], abs=2e-5)
    # Slow limits: bars carry axial waves with sqrt(E/density), torsion with J = 0.1406 a^4 (here over 2 km of bar).
    k = np.pi / 2000.0
    assert wave_frequency("axial", k, 2.0, DEEP_STEEL) == pytest.approx(5000.0 * k / (2 * np.pi), rel=1e-5)
    speed = np.sqrt(DEEP_STEEL.G * 0.140577 * 6.0 / DEEP_STEEL.density)
    assert wave_frequency("torsion", k, 2.0, DEEP_STEEL) == pytest.approx(speed * k / (2 * np.pi), rel=1e-4)


@pytest.mark.long
def test_free_plate_has_six_motions_without_frequency():
    """By ARPACK with a shift, which keeps no vector out."""
    mesh = box_mesh("hex8", (24, 24, 1), FREE_PLATE["parameters"]["size"])
    model = assemble(mesh, material_of(FREE_PLATE["parameters"]))
    found = frequencies(model, np.zeros(0, dtype=int), 14, shift=-10.0) / (2.0 * np.pi)
    first = free_modes(model, 8)[0].frequencies
    assert found[:6].max() < 1e-2 * first[0]
    assert found[6:] == pytest.approx(first, rel=1e-6)


def test_two_roads_to_the_modes_of_a_clamped_bar():
    """The rigid tie and our block Lanczos, elimination and our block Lanczos, elimination and ARPACK."""
    model = assemble(box_mesh("wedge15", (8, 2, 2), (10.0, 1.0, 1.0)), material_of(BAR["parameters"]))
    held = directions(model.mesh, {"xmin": "xyz"})
    third = frequencies(model, held, 8) / (2.0 * np.pi)
    # Residuals below 1e-10 leave eigenvalues their round-off: 1e-16 of the highest omega^2, 1e8 times the lowest.
    assert clamped_modes(model, 8).frequencies == pytest.approx(third, rel=1e-7)
    assert held_modes(model, held, 8).frequencies == pytest.approx(third, rel=1e-7)


def test_two_roads_to_the_deflection_of_a_clamped_bar():
    """The rigid tie at the root, and elimination of its unknowns; shares of a uniform traction at the end."""
    box = box_mesh("tet10", (6, 2, 2), (10.0, 1.0, 1.0))
    model = assemble(box, material_of(BAR["parameters"]))
    motion, _ = box_compliance(model, box)
    end, shares = box.node_sets["xmax"], end_shares(box)
    for direction in range(3):
        force = np.zeros((box.n_points, 3))
        force[end, direction] = shares
        u = solve(model, unknowns(box.node_sets["xmin"]), 0.0, force.ravel()).reshape(-1, 3)
        assert motion[direction, direction] == pytest.approx(shares @ u[end, direction], rel=1e-9)


def test_clamped_bar_of_two_kinds():
    """The root half of hex20, the other of wedge15."""
    root, tip = (box_mesh(kind, (10, 4, 4), (5.0, 1.0, 1.0)) for kind in ("hex20", "wedge15"))
    mesh = merged(root, replace(tip, points=tip.points + (5.0, 0.0, 0.0)))
    mesh = replace(mesh, node_sets={"xmin": np.flatnonzero(mesh.points[:, 0] == 0.0)})
    found = 2.0 * np.pi * clamped_modes(assemble(mesh, material_of(BAR["parameters"])), 8).frequencies
    assert found == pytest.approx(BAR["expected"]["clamped omega"], rel=BAR["rtol"])


def test_a_load_does_the_same_work_on_the_motion_of_another():
    """Maxwell and Betti, for the six loads at the end of a bar."""
    box = box_mesh("tet10", (6, 2, 2), (10.0, 1.0, 1.0))
    motion, _ = box_compliance(assemble(box, material_of(BAR["parameters"])), box)
    assert np.abs(motion - motion.T).max() < 1e-9 * motion.max()


ROOM = (1.0, 0.8, 0.6)


def first_eigenvalue_error(kind: str, n: int, hex8: str = "incompatible") -> float:
    """Relative error of the lowest omega^2 of a box between smooth mirrors, which is G/density (pi/a)^2 + (pi/b)^2.

    Mirrors let nothing through (normal displacement 0) and hold nothing tangentially; the mode is the shear wave
    u = (sin(pi x/a) cos(pi y/b)/a, -cos(pi x/a) sin(pi y/b)/b, 0), free of divergence.
    """
    material = Material.isotropic(1.0, 0.3, 1.0)
    mesh = box_mesh(kind, (n, n, n), ROOM, distort=0.1)
    held = directions(mesh, {axis + side: axis for axis in "xyz" for side in ("min", "max")})
    found = held_modes(assemble(mesh, material, hex8=hex8), held, 1).omega_squared[0]
    exact = material.G * np.pi**2 * (ROOM[0] ** -2 + ROOM[1] ** -2)
    return float(found / exact - 1.0)


@pytest.mark.parametrize("kind", [*KINDS, "plain hex8"])
def test_eigenvalues_converge_with_twice_the_order_of_strains(kind):
    """omega^2 errs by h^2 for linear kinds and by h^4 for quadratic ones, from above where cells conform."""
    hex8 = "full" if kind == "plain hex8" else "incompatible"
    kind = kind.removeprefix("plain ")
    coarse, fine, order = (4, 6, 4.0) if is_quadratic(kind) else (6, 9, 2.0)
    errors = [first_eigenvalue_error(kind, n, hex8) for n in (coarse, fine)]
    assert errors[0] > errors[1] > 0.0
    # A tenth of the order is left for terms of higher order: halves and sixths of a coarse brick are still large cells.
    observed = np.log(errors[0] / errors[1]) / np.log(fine / coarse)
    assert observed == pytest.approx(order, rel=0.1)


def bent(mesh: Mesh) -> Mesh:
    """The mesh with its corners moved and its edges straight.

    Straight because the four points of a tet10 integrate uniform stress exactly in straight cells only.
    """
    x, y, z = mesh.points.T
    points = np.stack([x + 0.04 * np.sin(2 * y + z), y + 0.05 * np.sin(2 * x), z + 0.04 * np.sin(x + 2 * y)], axis=1)
    for block in mesh.cells:
        edges = EDGES.get(block.kind, [])
        for middle, (a, b) in enumerate(edges, SOLIDS[block.kind] - len(edges)):
            points[block.nodes[:, middle]] = 0.5 * (points[block.nodes[:, a]] + points[block.nodes[:, b]])
    return replace(mesh, points=points)


@pytest.mark.parametrize("kinds", [("hex8", "wedge6", "tet4"), ("hex20", "wedge15", "tet10")])
def test_patch_of_three_kinds(kinds):
    """Bricks beside wedges, tetrahedra on top of the wedges: uniform strain of the skin reaches the inside."""
    brick, wedge, tet = (box_mesh(kind, (2, 2, 2)) for kind in kinds)
    pair = merged(brick, replace(wedge, points=wedge.points + (1.0, 0.0, 0.0)))
    straight = merged(pair, replace(tet, points=tet.points + (1.0, 0.0, 1.0)))
    x, _, z = straight.points.T
    model = assemble(bent(straight), Material.isotropic(2e11, 0.3, 8000.0))
    assert np.abs(model.K @ model.rigid_motions()).max() < 1e-12 * abs(model.K).max()
    skin = np.unique(outer_surface(model.mesh)[0])
    inside = np.setdiff1d(np.arange(len(x)), skin)
    assert np.isclose(x[inside], 1.0).any() and (np.isclose(z, 1.0) & (x > 1.0))[inside].any()  # where kinds meet
    exact = (model.points @ np.random.default_rng(4).normal(size=(3, 3))).ravel()
    found = solve(model, unknowns(skin), exact[unknowns(skin)], np.zeros(len(exact)))
    # round-off times the condition of the inside, some hundreds
    assert np.abs(found - exact).max() < 1e-12 * np.abs(exact).max()
