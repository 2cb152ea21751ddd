"""Published cases by solid cells: NAFEMS FV5, FV12, FV16, FV32, a clamped and a free bar, MacNeal and Harder's beams.

Numbers, tolerances and sources stand in tests/data/published_fe.json. Modes are found by the roads that a reduction
takes (FreeBody, lowest_modes); ARPACK on eliminated unknowns is the second road. Besides: orders of convergence of
eigenvalues, and a patch of three kinds.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from flexmb.elements.material import Material
from flexmb.elements.solid.assemble import assemble
from flexmb.elements.solid.reference import QUADRATIC
from flexmb.mesh.mesh import SOLIDS, Mesh
from flexmb.mesh.surface import outer_surface
from tests.fe_cases import (
    CASES,
    clamped_modes,
    curved,
    directions,
    end_shares,
    free_modes,
    held_modes,
    material_of,
    slanted,
    tapered,
    tip_compliance,
    twisted,
    wave_frequency,
)
from tests.mesh_makers import EDGES, box_mesh
from tests.solid_cases import KINDS, frequencies, mapped, merged, solve, unknowns

DEEP = CASES["C03-FV5"]
DEEP_STEEL = material_of(DEEP["parameters"])
FREE_PLATE, CLAMPED_PLATE, MEMBRANE = CASES["C04-FV12"], CASES["C05-FV16"], CASES["C06-FV32"]
BAR, BEAMS, BRICK = CASES["C10-cantilever-block"], CASES["C12-macneal-harder"], CASES["hex8-on-macneal-harder"]

# A quarter of the deep beam, with planes of symmetry through its axis. Its ends may rotate, so the length of 10 holds
# half waves of flexure; twist and stretch are held at A only, so it holds odd numbers of quarter waves of these.
SUPPORTS = {
    "flexure": {"xmin": "yz", "xmax": "yz", "ymin": "xz", "zmin": "z"},
    "torsion": {"xmin": "yz", "ymin": "xz", "zmin": "xy"},
    "axial": {"xmin": "x", "ymin": "y", "zmin": "z"},
}
WAVES = {
    "flexure": np.pi / 10.0 * np.array([1, 2, 3]),
    "torsion": np.pi / 20.0 * np.array([1, 3]),
    "axial": np.pi / 20.0 * np.array([1]),
}


def elastic_waves(family: str) -> list[float]:
    return [wave_frequency(family, k, 2.0, DEEP_STEEL) for k in WAVES[family]]


def test_waves_of_the_deep_beam_follow_its_theory():
    """The independent reference itself: converged, and where beam theory stands against elasticity."""
    for family, numbers in WAVES.items():
        coarser = [wave_frequency(family, k, 2.0, DEEP_STEEL, degree=7) for k in numbers]
        assert elastic_waves(family) == pytest.approx(coarser, rel=1e-5)
    published = {name.split()[0]: np.array(values) for name, values in DEEP["expected"].items()}
    flexure = np.array(elastic_waves("flexure"))
    for family in ("torsion", "axial"):
        assert elastic_waves(family) == pytest.approx(published[family], rel=DEEP["rtol"])
    # Timoshenko's beam falls below elasticity as half waves shrink to 10, 5 and 3.3 at a depth of 2.
    gap = flexure / published["flexure"] - 1.0
    assert gap == pytest.approx([1.03e-3, 3.43e-3, 5.57e-3], abs=2e-5)
    # Slow limits: bars carry axial waves with sqrt(E/density), torsion with J = 0.1406 a^4 (here over 2 km of bar).
    k = np.pi / 2000.0
    assert wave_frequency("axial", k, 2.0, DEEP_STEEL) == pytest.approx(5000.0 * k / (2 * np.pi), rel=1e-5)
    speed = np.sqrt(DEEP_STEEL.G * 0.140577 * 6.0 / DEEP_STEEL.density)
    assert wave_frequency("torsion", k, 2.0, DEEP_STEEL) == pytest.approx(speed * k / (2 * np.pi), rel=1e-4)


@pytest.mark.parametrize(("kind", "counts"), [("hex20", (12, 2, 2)), ("hex27", (12, 2, 2)), ("tet10", (16, 3, 3))])
@pytest.mark.parametrize("family", SUPPORTS)
def test_deep_beam(kind, counts, family):
    """FV5: all modes within the tolerance of elasticity, and of the closed form where that is good (first pair)."""
    mesh = box_mesh(kind, counts, (10.0, 1.0, 1.0))
    held = directions(mesh, SUPPORTS[family])
    found = held_modes(assemble(mesh, DEEP_STEEL), held, len(WAVES[family])).frequencies
    assert found == pytest.approx(elastic_waves(family), rel=DEEP["rtol"])
    published = DEEP["expected"][f"{family} Hz"]
    good = 1 if family == "flexure" else len(published)
    assert found[:good] == pytest.approx(published[:good], rel=DEEP["rtol"])


@pytest.mark.parametrize(("kind", "n"), [("hex20", 24), ("hex27", 22), ("hex8", 48)])
def test_free_square_plate(kind, n):
    """FV12: cells of about 10 times the thickness, since fully integrated bricks lock mildly when thinner."""
    mesh = box_mesh(kind, (n, n, 1), FREE_PLATE["parameters"]["size"])
    found, rigid = free_modes(assemble(mesh, material_of(FREE_PLATE["parameters"])), 8)
    for expected in FREE_PLATE["expected"].values():
        assert found.frequencies == pytest.approx(expected, rel=FREE_PLATE["rtol"])
    # The ratio of the highest to the lowest frequency is about 1e5; K R = 0 up to 1e-16 of the highest omega^2.
    assert rigid < 1e-2 * found.frequencies[0]


def test_free_plate_has_six_motions_without_frequency():
    """By ARPACK with a shift, which keeps no vector out."""
    mesh = box_mesh("hex8", (24, 24, 1), FREE_PLATE["parameters"]["size"])
    model = assemble(mesh, material_of(FREE_PLATE["parameters"]))
    found = frequencies(model, np.zeros(0, dtype=int), 14, shift=-10.0) / (2.0 * np.pi)
    first = free_modes(model, 8)[0].frequencies
    assert found[:6].max() < 1e-2 * first[0]
    assert found[6:] == pytest.approx(first, rel=1e-6)


@pytest.mark.parametrize(("kind", "n"), [("hex20", 20), ("hex27", 16), ("hex8", 48), ("tet10", 32)])
def test_plate_clamped_along_an_edge(kind, n):
    mesh = box_mesh(kind, (n, n, 1), CLAMPED_PLATE["parameters"]["size"])
    found = clamped_modes(assemble(mesh, material_of(CLAMPED_PLATE["parameters"])), 6).frequencies
    for expected in CLAMPED_PLATE["expected"].values():
        assert found == pytest.approx(expected, rel=CLAMPED_PLATE["rtol"])


@pytest.mark.parametrize(("kind", "n"), [("hex20", 8), ("hex27", 8), ("wedge15", 8), ("tet10", 8), ("hex8", 36)])
def test_tapered_membrane(kind, n):
    """FV32: half the thickness on the plane of symmetry z = 0, free to thicken."""
    thickness = MEMBRANE["parameters"]["thickness"]
    mesh = mapped(box_mesh(kind, (2 * n, n, 1), (1.0, 1.0, thickness / 2.0)), tapered)
    held = directions(mesh, {"xmin": "xy", "zmin": "z"})
    model = assemble(mesh, material_of(MEMBRANE["parameters"]))
    found = held_modes(model, held, 6).frequencies
    for expected in MEMBRANE["expected"].values():
        assert found == pytest.approx(expected, rel=MEMBRANE["rtol"])


@pytest.mark.parametrize(
    ("kind", "counts"), [("hex20", (20, 4, 4)), ("hex27", (16, 4, 4)), ("wedge15", (20, 5, 5)), ("tet10", (20, 5, 5))]
)
def test_clamped_and_free_bar(kind, counts):
    model = assemble(box_mesh(kind, counts, BAR["parameters"]["size"]), material_of(BAR["parameters"]))
    clamped = 2.0 * np.pi * clamped_modes(model, 8).frequencies
    assert clamped == pytest.approx(BAR["expected"]["clamped omega"], rel=BAR["rtol"])
    free = 2.0 * np.pi * free_modes(model, 5)[0].frequencies
    assert free == pytest.approx(BAR["expected"]["free omega"], rel=BAR["rtol"])


def test_two_roads_to_the_modes_of_a_clamped_bar():
    """The rigid tie and our block Lanczos, elimination and our block Lanczos, elimination and ARPACK."""
    model = assemble(box_mesh("wedge15", (8, 2, 2), (10.0, 1.0, 1.0)), material_of(BAR["parameters"]))
    held = directions(model.mesh, {"xmin": "xyz"})
    third = frequencies(model, held, 8) / (2.0 * np.pi)
    # Residuals below 1e-10 leave eigenvalues their round-off: 1e-16 of the highest omega^2, 1e8 times the lowest.
    assert clamped_modes(model, 8).frequencies == pytest.approx(third, rel=1e-7)
    assert held_modes(model, held, 8).frequencies == pytest.approx(third, rel=1e-7)


def test_clamped_bar_of_two_kinds():
    """The root half of hex20, the other of wedge15."""
    root, tip = (box_mesh(kind, (10, 4, 4), (5.0, 1.0, 1.0)) for kind in ("hex20", "wedge15"))
    mesh = merged(root, replace(tip, points=tip.points + (5.0, 0.0, 0.0)))
    mesh = replace(mesh, node_sets={"xmin": np.flatnonzero(mesh.points[:, 0] == 0.0)})
    found = 2.0 * np.pi * clamped_modes(assemble(mesh, material_of(BAR["parameters"])), 8).frequencies
    assert found == pytest.approx(BAR["expected"]["clamped omega"], rel=BAR["rtol"])


QUADRATICS = [("hex20", (24, 4, 2)), ("hex27", (24, 4, 2)), ("wedge15", (24, 4, 3)), ("tet10", (24, 5, 3))]


@pytest.mark.parametrize(("kind", "counts"), QUADRATICS)
def test_straight_beam(kind, counts):
    beam = BEAMS["parameters"]["straight"]
    box = box_mesh(kind, counts, beam["size"])
    motion, _, _ = tip_compliance(assemble(box, material_of(beam)), end_shares(box))
    expected = BEAMS["expected"]["straight: extension, in plane, out of plane"]
    assert np.diag(motion)[:3] == pytest.approx(expected, rel=BEAMS["rtol"])
    assert motion[3, 3] == pytest.approx(BEAMS["expected"]["straight: twist T L/(G J)"], rel=BEAMS["rtol"])
    # Maxwell and Betti: a load's work on the motion of another is mutual.
    assert np.abs(motion - motion.T).max() < 1e-9 * motion.max()


@pytest.mark.parametrize(("kind", "counts"), QUADRATICS)
def test_curved_beam(kind, counts):
    box = box_mesh(kind, counts, (1.0, 0.2, 0.1))
    model = assemble(mapped(box, curved), material_of(BEAMS["parameters"]["curved"]))
    motion, _, _ = tip_compliance(model, end_shares(box))
    for name in ("curved: in plane, out of plane", "curved: converged solids"):
        assert [motion[0, 0], motion[2, 2]] == pytest.approx(BEAMS["expected"][name], rel=BEAMS["rtol"])


@pytest.mark.parametrize(("kind", "counts"), [(kind, (12, 3, 1)) for kind in ("hex20", "hex27", "wedge15", "tet10")])
def test_twisted_beam(kind, counts):
    beam = BEAMS["parameters"]["twisted"]
    box = box_mesh(kind, counts, beam["size"])
    motion, _, _ = tip_compliance(assemble(mapped(box, twisted), material_of(beam)), end_shares(box))
    assert np.diag(motion)[1:3] == pytest.approx(BEAMS["expected"]["twisted: y, z"], rel=BEAMS["rtol"])


def test_eight_node_brick_is_the_published_one():
    """Incompatible modes on the meshes of MacNeal and Harder, where elements differ by far more than the digits."""
    expected, atol = BRICK["expected"], BRICK["atol"]
    beam = BEAMS["parameters"]["straight"]
    box = box_mesh("hex8", (6, 1, 1), beam["size"])
    shares, theory = end_shares(box), np.array([3e-5, 0.1081, 0.4321, 0.03208])
    ratio = np.diag(tip_compliance(assemble(box, material_of(beam)), shares)[0])[:4] / theory
    assert ratio == pytest.approx(expected["rectangular: extension, in plane, out of plane, twist"], abs=atol)
    for name, alternate in (("parallelogram", False), ("trapezoidal", True)):
        mesh = replace(box, points=slanted(box.points, alternate))
        ratio = np.diag(tip_compliance(assemble(mesh, material_of(beam)), shares)[0])[1:3] / theory[1:3]
        assert ratio == pytest.approx(expected[f"{name}: in plane, out of plane"], abs=atol)
    box = box_mesh("hex8", (6, 1, 1), (1.0, 0.2, 0.1))
    model = assemble(mapped(box, curved), material_of(BEAMS["parameters"]["curved"]))
    _, U, tip = tip_compliance(model, end_shares(box))
    outer = tip.nodes[np.argmax(model.points[tip.nodes, 0])]
    ratio = np.array([U[3 * outer, 0], U[3 * outer + 2, 2]]) / BEAMS["expected"]["curved: in plane, out of plane"]
    assert ratio == pytest.approx(expected["curved: in plane, out of plane at the outer corner"], abs=atol)


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
    coarse, fine, order = (4, 6, 4.0) if kind in QUADRATIC else (6, 9, 2.0)
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
