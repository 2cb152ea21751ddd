"""Solids of pictures: closed, with outward normals, of the right size, where joints and loads are."""

from __future__ import annotations

import math

import numpy as np
import pytest

from flexmb.arrays import Floats
from flexmb.elements import section as sections
from flexmb.elements.material import Material
from flexmb.elements.section import Section
from flexmb.joints.table import JOINT_TYPES
from flexmb.model.model import Model
from flexmb.model.model_file import parse_model, read_model
from flexmb.reduction.beam_basis import BeamBasis, Lump, Span, beam_basis
from flexmb.system.placement import place
from flexmb.view.geometry import primitives
from flexmb.view.geometry.beam_skin import PER_WAVE, beam_skin, section_outline
from flexmb.view.geometry.default_shapes import body_color, rigid_solid, scene_size
from flexmb.view.geometry.joint_symbols import THICKNESS, drive_symbol, joint_symbol_halves
from flexmb.view.geometry.polygons import triangulated
from flexmb.view.geometry.primitives import Solid, joined, moved
from flexmb.view.geometry.springs import spring_solid
from tests.support.places import EXAMPLES

STEEL = Material(2e11, 8e10, 7850.0)
TURNED = primitives.along((1.0, 2.0, -0.5))


def signed_area(corners: Floats) -> float:
    """Of a polygon (k, 2), positive when it runs counter-clockwise."""
    x, y = corners.T
    return 0.5 * float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))


def edges(solid: Solid) -> np.ndarray:
    t = solid.triangles
    return np.concatenate([t[:, [0, 1]], t[:, [1, 2]], t[:, [2, 0]]])


def assert_closed(solid: Solid) -> None:
    """Each edge once in each direction, all points used, normals outwards on the whole."""
    found = {(int(a), int(b)) for a, b in edges(solid)}
    assert len(found) == 3 * len(solid.triangles)
    assert {(b, a) for a, b in found} == found
    assert set(solid.triangles.ravel()) == set(range(len(solid.points)))
    assert np.all(np.isfinite(solid.points)) and solid.volume > 0.0


def polygon(n: int) -> float:
    """Area of a regular polygon with n corners on the unit circle."""
    return 0.5 * n * math.sin(2.0 * math.pi / n)


A, B, LENGTH = (0.1, 0.2, 0.3), (0.1, 0.5, -0.1), 0.5
PRIMITIVES = {
    "box": (primitives.box((1.0, 2.0, 3.0), (5.0, 6.0, 7.0)), 6.0),
    "cylinder": (primitives.cylinder(A, B, 0.1), polygon(32) * 0.01 * LENGTH),
    "cone": (primitives.cone(A, B, 0.1), polygon(32) * 0.01 * LENGTH / 3.0),
    "tube": (primitives.tube(A, B, 0.2, 0.1), polygon(32) * 0.03 * LENGTH),
    "disc": (primitives.disc(A, (0.0, 1.0, 1.0), 0.2, 0.01), polygon(64) * 0.04 * 0.01),
    "ring sector": (primitives.ring_sector(0.3, 0.2, 0.1, np.pi / 2), 16 / 64 * polygon(64) * 0.05 * 0.1),
}


@pytest.mark.parametrize("name", PRIMITIVES)
def test_volume_of_primitives(name: str) -> None:
    solid, volume = PRIMITIVES[name]
    assert_closed(solid)
    assert solid.volume == pytest.approx(volume, rel=1e-12)


def test_round_primitives_come_near_the_true_volume() -> None:
    fine = 256  # corners: the polygon lacks 1e-4 of a circle, and a ball about twice that
    ball = primitives.sphere(0.3, A, fine)
    assert ball.volume == pytest.approx(4.0 / 3.0 * math.pi * 0.3**3, rel=4e-4)
    ring = primitives.torus(0.5, 0.1)
    assert ring.volume == pytest.approx(polygon(12) * 0.01 * 2.0 * math.pi * 0.5, rel=0.01)
    arrow = primitives.arrow(A, B, 0.01)
    assert np.min(np.linalg.norm(arrow.points - B, axis=1)) < 1e-15
    for solid in (ball, ring, arrow):
        assert_closed(solid)


def test_joined_and_moved_keep_the_solid() -> None:
    box = primitives.box((1.0, 2.0, 3.0))
    both = joined([box, moved(box, TURNED, (10.0, 0.0, 0.0))])
    assert_closed(both)
    assert both.volume == pytest.approx(12.0, rel=1e-12)
    np.testing.assert_allclose(TURNED.T @ TURNED, np.eye(3), atol=1e-15)
    assert np.linalg.det(TURNED) == pytest.approx(1.0)


def test_wire_follows_its_path() -> None:
    turn = np.linspace(0.0, 2.0 * np.pi, 400)
    path = np.column_stack([np.cos(turn), np.sin(turn), 0.1 * turn])
    wire = primitives.wire(path, 0.02, 24)
    assert_closed(wire)
    nearest = np.linalg.norm(wire.points[:, None, :] - path[None, :, :], axis=2).min(axis=1)
    np.testing.assert_allclose(nearest, 0.02, rtol=1e-6)
    length = np.linalg.norm(np.diff(path, axis=0), axis=1).sum()
    assert wire.volume == pytest.approx(polygon(24) * 0.0004 * length, rel=1e-3)


def star(corners: int, seed: int) -> np.ndarray:
    """A polygon with many inward corners, counter-clockwise."""
    radius = np.random.default_rng(seed).uniform(0.4, 1.0, corners)
    angle = 2.0 * np.pi * np.arange(corners) / corners
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


@pytest.mark.parametrize("seed", range(6))
def test_polygons_with_holes_are_filled(seed: int) -> None:
    hole = 0.12 * star(9, seed + 100)[::-1]
    loops = [star(40, seed), *(hole + 0.22 * np.array([math.cos(a), math.sin(a)]) for a in (0.3, 2.4, 4.5))]
    corners = np.concatenate(loops)
    triangles = triangulated(loops)
    areas = np.array([signed_area(corners[triangle]) for triangle in triangles])
    assert np.all(areas > 0.0)
    # No overlap and no gap: positive triangles whose areas add up to that of the outer edge less the holes.
    assert areas.sum() == pytest.approx(sum(signed_area(loop) for loop in loops), rel=1e-12)
    assert len(triangles) == len(corners) + 2 * 3 - 2
    assert_closed(primitives.extruded(loops, [0.0, 0.5, 1.0]))


def basis_of(*spans: Span, bending: int = 3, family: str = "modes") -> BeamBasis:
    return beam_basis(
        1.0, spans, family=family, bending_y=bending, bending_z=bending, frame="chord", lumps=(Lump(0.37, 0.1),)
    )  # fmt: skip


SECTIONS = {
    "circle": sections.circle(0.01),
    "tube": sections.tube(0.01, 0.008),
    "rectangle": sections.rectangle(0.01, 0.02),
    "i": sections.i_section(0.1, 0.05, 0.008, 0.005),
    "general round": sections.general(2.826e-5, 6.361e-11, 6.361e-11),
    "general square": sections.general(1e-4, 1e-8 / 12.0, 1e-8 / 12.0),
    "general hollow": sections.general(1e-4, 2e-9, 8e-9),
}


@pytest.mark.parametrize("name", SECTIONS)
def test_skin_has_the_volume_of_the_outline(name: str) -> None:
    section = SECTIONS[name]
    skin = beam_skin(basis_of(Span(None, section, STEEL), family="elements"))
    outline = section_outline(section)
    area = sum(signed_area(loop) for loop in outline)
    assert_closed(skin.solid)
    assert skin.solid.volume == pytest.approx(area * 1.0, rel=1e-12)
    assert area == pytest.approx(section.A, rel=5e-3)  # a circle of 48 corners lacks 0.3 %
    np.testing.assert_allclose(skin.solid.points[:, 0], skin.x)
    np.testing.assert_allclose(skin.solid.points[:, 1:], skin.offset[:, 1:])
    assert not np.any(skin.offset[:, 0])


@pytest.mark.parametrize("section", [SECTIONS["general round"], SECTIONS["general square"], SECTIONS["general hollow"]])
def test_section_by_its_numbers_has_these_second_moments(section: Section) -> None:
    outline = section_outline(section)
    # int y^2 dA over a polygon by Green's theorem.
    moments = np.zeros(2)
    for loop in outline:
        following = np.roll(loop, -1, axis=0)
        cross = loop[:, 0] * following[:, 1] - following[:, 0] * loop[:, 1]
        moments += ((loop**2 + loop * following + following**2) * cross[:, None]).sum(axis=0) / 12.0
    np.testing.assert_allclose(moments, [section.Iz, section.Iy], rtol=0.01)


def test_stiff_numbers_do_not_make_a_thick_beam() -> None:
    skin = beam_skin(basis_of(Span(None, sections.general(1e-4, 1.0, 1.0), STEEL)))
    assert np.abs(skin.offset).max() == pytest.approx(0.03)
    assert_closed(skin.solid)


def test_steps_are_met_exactly() -> None:
    thin, thick = sections.circle(0.01), sections.tube(0.02, 0.01)
    basis = basis_of(Span(0.3, thin, STEEL), Span(0.5, thin, STEEL), Span(None, thick, STEEL), family="elements")
    skin = beam_skin(basis)
    areas = [sum(signed_area(loop) for loop in section_outline(section)) for section in (thin, thick)]
    assert_closed(skin.solid)
    assert skin.solid.volume == pytest.approx(0.5 * areas[0] + 0.5 * areas[1], rel=1e-12)
    assert set(np.round(basis.breaks, 12)) <= set(np.round(np.unique(skin.x), 12))
    assert np.diff(np.unique(skin.x)).min() > 1e-6
    # Two caps of the thin and two of the hollow piece: a step is a face, not a slope.
    assert np.count_nonzero(np.ptp(skin.x[skin.solid.triangles], axis=1) == 0.0) == 2 * (48 - 2) + 2 * (2 * 48)


def test_more_stations_for_higher_shapes() -> None:
    counts = [
        len(np.unique(beam_skin(basis_of(Span(None, SECTIONS["circle"], STEEL), bending=n)).x)) for n in (1, 3, 12)
    ]
    assert counts[0] == counts[1] < counts[2]
    assert counts[2] >= PER_WAVE * 12
    wanted = beam_skin(basis_of(Span(None, SECTIONS["circle"], STEEL)), n_along=100)
    assert len(np.unique(wanted.x)) >= 101


def test_marks_stand_on_top() -> None:
    skin = beam_skin(basis_of(Span(None, SECTIONS["rectangle"], STEEL)))
    assert list(skin.marks) == ["start", "middle", "end"]
    for number, x in zip(skin.marks.values(), (0.0, 0.5, 1.0), strict=True):
        assert skin.x[number] == x and skin.offset[number, 2] == pytest.approx(0.01)


def whole_symbol(name: str, size: float, parameters: tuple[float, ...] = ()) -> Solid:
    """Both halves of the symbol of a joint in its design position."""
    return joined(joint_symbol_halves(name, size, parameters))


@pytest.mark.parametrize("name", [name for name in JOINT_TYPES if name != "free"])
def test_symbols_are_small_and_closed(name: str) -> None:
    parameters = {"screw": (0.001,), "distance": (0.3,), "rolling": (0.2,)}.get(name, ())
    symbol = whole_symbol(name, 2.0, parameters)
    assert_closed(symbol)
    reach = np.abs(symbol.points).max()
    if name in ("distance", "rolling"):  # as large as they are
        assert reach == pytest.approx(parameters[0], rel=0.2)
    else:
        assert 1.5 < reach / (2.0 * THICKNESS) < 10.0
        larger = whole_symbol(name, 4.0, parameters)
        assert np.abs(larger.points).max() == pytest.approx(2.0 * reach, rel=0.1)


def test_free_joint_has_no_symbol() -> None:
    assert not len(whole_symbol("free", 1.0).points)


def test_symbols_reach_as_far_as_the_joint_slides() -> None:
    for name, axis in (("prismatic", 2), ("cylindrical", 2), ("screw", 2), ("point-on-line", 2), ("pin-in-slot", 0)):
        track, block = joint_symbol_halves(name, 1.0, (0.001,), (-0.4, 0.7))
        assert track.points[:, axis].min() < -0.4 and track.points[:, axis].max() > 0.7
        assert np.abs(block.points).max() < 0.1
        assert_closed(track)
        assert_closed(block)


def test_universal_symbol_has_one_axis_on_each_body() -> None:
    first, second = joint_symbol_halves("universal", 1.0)
    assert np.argmax(np.abs(first.points).max(axis=0)) == 0
    assert np.argmax(np.abs(second.points).max(axis=0)) == 1


def test_drives() -> None:
    for kind in ("angle", "length"):
        assert_closed(drive_symbol(kind, 1.0))
    bow = drive_symbol("angle", 1.0)
    assert np.ptp(bow.points[:, 2]) < 0.3 * np.ptp(bow.points[:, 0])
    straight = drive_symbol("length", 1.0)
    assert np.ptp(straight.points[:, 2]) > 2.0 * np.ptp(straight.points[:, 0])


def test_spring_is_a_unit_coil() -> None:
    spring = spring_solid(1.0, 0.2)
    assert_closed(spring)
    assert spring.points[:, 2].min() == pytest.approx(0.0, abs=1e-12)
    assert spring.points[:, 2].max() == pytest.approx(1.0)
    assert 0.01 < np.abs(spring.points[:, :2]).max() < 0.05
    # At its usual length the wire is round.
    rings = (spring.points * [1.0, 1.0, 0.2]).reshape(-1, 10, 3)
    distances = np.linalg.norm(rings - rings.mean(axis=1, keepdims=True), axis=2)
    np.testing.assert_allclose(distances, distances[0, 0], rtol=1e-9)


def solids_of(model: Model) -> dict[str, Solid | None]:
    spec = model.spec
    mechanism = place(spec)
    size = scene_size(mechanism)
    return {body.name: rigid_solid(mechanism, spec, number, size) for number, body in enumerate(mechanism.bodies)}


RIGID = [path.name for path in sorted(EXAMPLES.glob("*.toml")) if "mesh = " not in path.read_text()]


@pytest.mark.parametrize("name", RIGID)
def test_bodies_of_the_examples(name: str) -> None:
    model = read_model(EXAMPLES / name)
    mechanism = place(model.spec)
    size = scene_size(mechanism)
    for body, solid in solids_of(model).items():
        assert solid is not None, body
        assert_closed(solid)
        assert np.ptp(solid.points, axis=0).max() < 1.5 * size
        markers = [m.p_b for m in mechanism.markers if m.body == mechanism.body_index[body] and body != "ground"]
        if getattr(model.spec.bodies.get(body), "geometry", None) is not None:
            continue  # drawn as its model says
        for p in markers:  # the body comes to each of its joints
            assert np.linalg.norm(solid.points - p, axis=1).min() < 5.0 * THICKNESS * size


def model_with(bodies: str, joints: str = "") -> Model:
    return parse_model(f"[points]\nO = [0, 0, 0]\nP = [0.4, 0, 0]\nQ = [0.4, 0.3, 0]\n{bodies}\n{joints}")


def test_rod_is_a_bar_between_its_ends() -> None:
    solid = solids_of(model_with('[bodies.bar]\nmass = 1\nrod = ["O", "Q"]'))["bar"]
    assert solid is not None
    assert_closed(solid)
    x = solid.points[:, 0]
    assert -0.02 < x.min() < 0.0 and 0.5 < x.max() < 0.52  # rounded ends
    assert np.abs(solid.points[:, 1:]).max() < 0.02


def test_disc_inertia_makes_a_wheel() -> None:
    body = '[bodies.disc]\nmass = 2\ninertia = ["2*0.2^2/4", "2*0.2^2/2", "2*0.2^2/4"]\nat = "P"'
    joint = '[joints.spin]\ntype = "revolute"\nbodies = ["ground", "disc"]\nat = "P"\naxis = "y"'
    solid = solids_of(model_with(body, joint))["disc"]
    assert solid is not None
    assert_closed(solid)
    assert np.hypot(solid.points[:, 0], solid.points[:, 2]).max() == pytest.approx(0.2)
    assert np.abs(solid.points[:, 1]).max() < 0.02


def test_free_body_is_the_block_of_its_inertia() -> None:
    a, b, c, mass = 0.1, 0.2, 0.4, 3.0
    moments = [mass * (b * b + c * c) / 12, mass * (a * a + c * c) / 12, mass * (a * a + b * b) / 12]
    body = f"[bodies.block]\nmass = {mass}\ninertia = {moments}\ncenter = [1, 0, 0]"
    solid = solids_of(model_with(body))["block"]
    assert solid is not None
    assert_closed(solid)
    np.testing.assert_allclose(np.ptp(solid.points, axis=0), [a, b, c], rtol=1e-9)
    np.testing.assert_allclose(solid.points.mean(axis=0), [1.0, 0.0, 0.0], atol=1e-12)


def test_rolling_disc_has_its_radius() -> None:
    body = '[bodies.coin]\nmass = 1\ninertia = [0, 0, 0]\nat = [0, 0, "0.25 m"]'
    joint = '[joints.roll]\ntype = "rolling"\nbodies = ["ground", "coin"]\nat = "O"\naxis = "y"\nnormal = "z"\n'
    joint += "radius = 0.25"
    solids = solids_of(model_with(body, joint))
    coin, ground = solids["coin"], solids["ground"]
    assert coin is not None and ground is not None
    assert coin.points[:, 2].min() == pytest.approx(-0.25)
    assert ground.points[:, 2].max() == pytest.approx(0.0, abs=1e-12)


def test_ground_without_joints_is_not_drawn() -> None:
    assert solids_of(model_with("[bodies.block]\nmass = 1\ninertia = [1, 1, 1]"))["ground"] is None


@pytest.mark.parametrize("first", [True, False])
def test_rails_of_the_ground_follow_the_travel(first: bool) -> None:
    bodies = '["ground", "b"]' if first else '["b", "ground"]'
    joint = f'[joints.guide]\ntype = "prismatic"\nbodies = {bodies}\nat = "P"\naxis = "x"'
    model = model_with(
        '[bodies.b]\nmass = 1\ninertia = [0, 0, 0]\nat = "P"\n[bodies.far]\nmass = 1\nrod = ["O", "Q"]', joint
    )
    mechanism = place(model.spec)
    ground = rigid_solid(mechanism, model.spec, 0, 0.5, {"guide": (-0.1, 0.6)})
    assert ground is not None
    assert_closed(ground)
    low, high = (-0.1, 0.6) if first else (-0.6, 0.1)
    x = ground.points[:, 0] - 0.4
    assert low - 0.05 < x.min() < low and high < x.max() < high + 0.05


def test_geometry_of_the_model_is_drawn() -> None:
    text = (
        '[bodies.b]\nmass = 1\ninertia = [0, 0, 0]\nat = "P"\norientation = { axis = "z", angle = "90 deg" }\n'
        'geometry = [{ box = [0.1, "200 mm", 0.3], at = [1, 2, 3] }, { cylinder = ["P", "Q"], radius = "10 mm" }, '
        "{ sphere = 0.05, at = [0, 0, 1] }]\n"
        'color = "#336699"'
    )
    model = model_with(text)
    solid = solids_of(model)["b"]
    assert solid is not None
    assert_closed(solid)
    box, bar, ball = solid.points[:8], solid.points[8:74], solid.points[74:]
    np.testing.assert_allclose(np.ptp(box, axis=0), [0.1, 0.2, 0.3])
    np.testing.assert_allclose(box.mean(axis=0), [1.0, 2.0, 3.0])
    # P to Q is +y of the world, hence +x of the body, which is turned by 90 degrees.
    np.testing.assert_allclose([bar.min(axis=0), bar.max(axis=0)], [[0.0, -0.01, -0.01], [0.3, 0.01, 0.01]], atol=1e-4)
    np.testing.assert_allclose(np.linalg.norm(ball - [0.0, 0.0, 1.0], axis=1), 0.05)
    assert body_color(model.spec, "b") == (0.2, 0.4, 0.6)
    assert body_color(model.spec, "ground") is None
