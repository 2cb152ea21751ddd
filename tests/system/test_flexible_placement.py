"""Flexible bodies in the design position: frames, markers with their shapes, load points, and supports by joints.

Covers: system.beam_supports.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from flexmb.bodies.exact_beam import ExactShapes
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.bodies.marker_shapes import MarkerShapes
from flexmb.errors import InputError
from flexmb.model.model_file import parse_model
from flexmb.model.schema import read_spec
from flexmb.model.schema.beams import BeamBody
from flexmb.system.beam_quality import beam_qualities
from flexmb.system.beam_supports import shape_warnings, support_faults
from flexmb.system.flexible_placement import beam_data
from flexmb.system.mechanism import Mechanism
from flexmb.system.placement import place
from tests.support.beam_cases import GOOD

STEEL_ROD = {"beam": [[0, 0, 0], [0.3, 0, 0]], "material": "steel", "section": {"type": "circle", "radius": 0.003}}


def mechanism_of(**sections: Any) -> Mechanism:
    return place(read_spec(sections))


def placed_beam(**keys: Any) -> FlexibleBody:
    body = mechanism_of(bodies={"b": {**STEEL_ROD, **keys}}).bodies[1]
    assert isinstance(body, FlexibleBody)
    return body


@pytest.mark.parametrize(("y_axis", "wanted"), [(None, [0, 1, 0]), ("z", [0, 0, 1]), ([5, 0, -2], [0, 0, -1])])
def test_frame_of_a_beam(y_axis: Any, wanted: list[float]) -> None:
    keys = {} if y_axis is None else {"y_axis": y_axis}
    body = placed_beam(beam=[[1, 2, 3], [3, 2, 3]], **keys)
    np.testing.assert_allclose(body.p_wb, [1, 2, 3])
    np.testing.assert_allclose(body.R_wb[:, 0], [1, 0, 0], atol=1e-15)
    np.testing.assert_allclose(body.R_wb[:, 1], wanted, atol=1e-15)
    assert np.linalg.det(body.R_wb) == pytest.approx(1.0)
    assert body.length == pytest.approx(2.0) and body.name == "b"


def test_a_beam_weighs_what_it_is_made_of() -> None:
    """Mass and first moment of the parts and lumps, against a sum by hand."""
    circle = {"type": "circle", "radius": 0.003}
    parts = [{"to": 0.1, "section": circle}, {"section": circle, "material": "aluminium"}]
    lumps = [{"at": "P", "mass": 0.2, "center": [0, 0.01, 0]}]
    beam = {"beam": STEEL_ROD["beam"], "material": "steel", "sections": parts, "masses": lumps}
    body = mechanism_of(points={"P": [0.25, 0, 0]}, bodies={"b": beam}).bodies[1]
    area = math.pi * 0.003**2
    masses = area * 0.1 * 7850, area * 0.2 * 2700, 0.2
    assert body.mass == pytest.approx(sum(masses))
    np.testing.assert_allclose(
        body.first_moment, [masses[0] * 0.05 + masses[1] * 0.2 + 0.2 * 0.25, 0.002, 0], atol=1e-15
    )


def test_lump_beside_the_axis_is_refused() -> None:
    with pytest.raises(InputError, match="point 'P' is 0.01 m off the beam axis"):
        mechanism_of(points={"P": [0.1, 0.01, 0]}, bodies={"b": {**STEEL_ROD, "masses": [{"at": "P", "mass": 1}]}})


def test_first_frequency_of_a_pinned_beam() -> None:
    """Every number reaches the basis: f1 = pi/2 sqrt(E I / (rho A)) / L^2 of the pinned beam, both planes."""
    section = {"type": "rectangle", "y": 0.004, "z": 0.002}
    material = {"E": "100 GPa", "density": 5000}
    body = placed_beam(section=section, material=material, shapes={"family": "modes", "bending": 1})
    assert body.basis is not None
    wanted = sorted(math.pi / 2 * math.sqrt(1e11 * side**2 / 12 / 5000) / 0.3**2 for side in (0.004, 0.002))
    np.testing.assert_allclose(body.basis.frequencies(), wanted, rtol=1e-9)
    assert body.labels == ("y1", "z1")
    assert body.stiffness[0, 0] > body.stiffness[1, 1]  # y bends the side of 4 mm


ORDERS: list[tuple[dict[str, Any], Any]] = [
    ({"field": "quadratic"}, 2),
    ({"field": "quadratic", "order": 1}, 1),
    ({"field": "linear"}, 0),
    ({}, None),
]


@pytest.mark.parametrize(("keys", "order"), ORDERS)
def test_field_and_order(keys: dict[str, Any], order: Any) -> None:
    assert placed_beam(**keys).order == order


def test_equal_beams_share_their_basis() -> None:
    beams = {"b": STEEL_ROD, "c": {**STEEL_ROD, "beam": [[0, 0, 1], [0, 0, 1.3]]}, "d": {**STEEL_ROD, "shapes": 5}}
    b, c, d = mechanism_of(bodies=beams).bodies[1:]
    assert isinstance(b, FlexibleBody) and isinstance(c, FlexibleBody) and isinstance(d, FlexibleBody)
    assert b.basis is not d.basis and b.name != c.name
    again = mechanism_of(bodies=beams).bodies[1]
    assert isinstance(again, FlexibleBody) and again.basis is b.basis


def test_state_of_a_beam() -> None:
    body = placed_beam(
        shapes=1, elastic_position=["1 mm", 0], elastic_velocity=[0, 2], velocity=[1, 2, 3], angular_velocity=[4, 5, 6]
    )
    np.testing.assert_allclose(body.elastic_position, [1e-3, 0])  # type: ignore[arg-type]
    np.testing.assert_allclose(body.elastic_velocity, [0, 2])  # type: ignore[arg-type]
    np.testing.assert_allclose(body.angular_velocity, [4, 5, 6])  # type: ignore[arg-type]


def test_too_many_values_when_the_elements_say_how_many_shapes() -> None:
    shapes = {"family": "elements", "elements": 2, "bending": {"y": "all"}}
    with pytest.raises(InputError, match=r"bodies\.b\.elastic_position: .*expected 4 numbers, one per shape"):
        placed_beam(shapes=shapes, elastic_position=[0.1])


def test_faults_of_the_basis_name_the_body() -> None:
    """What only the basis can see: two elements on pins have four modes."""
    with pytest.raises(InputError) as caught:
        placed_beam(shapes={"family": "elements", "elements": 2, "bending": {"y": 5}})
    (fault,) = caught.value.faults
    assert fault.path == ("bodies", "b") and fault.text.startswith("body 'b': 5 shapes 'y' are requested")
    assert "Use more elements." in str(fault)


def test_markers_on_a_beam() -> None:
    """Ends, fractions, points and joints all move with their sections; the origin is the material point at A."""
    markers = {"mid": {"along": 0.5, "axis": "z"}, "off": {"at": [0.1, 0.02, 0]}, "named": {"at": "P"}}
    beam = {**STEEL_ROD, "beam": ["A", [1, 0.3, 0]], "markers": markers, "frame": "chord", "shapes": 4}
    joint = {"type": "spherical", "bodies": ["ground", "b"], "at": "P"}
    mechanism = mechanism_of(points={"A": [1, 0, 0], "P": [1, 0.06, 0]}, bodies={"b": beam}, joints={"j": joint})
    places = {"origin": 0.0, "start": 0.0, "end": 0.3, "mid": 0.15, "off": 0.1, "named": 0.06, "j": 0.06}
    for name, x in places.items():
        marker = mechanism.markers[mechanism.marker_index[f"b.{name}"]]
        assert isinstance(marker.shapes, ExactShapes), name
        assert marker.p_b[0] == pytest.approx(x, abs=1e-15) and marker.shapes.x == pytest.approx(x, abs=1e-15)
    off = mechanism.markers[mechanism.marker_index["b.off"]]
    np.testing.assert_allclose(off.p_b, [0.1, 0.02, 0])
    start, end = mechanism.beam_ends["b"]
    assert (start, end) == (mechanism.marker_index["b"], mechanism.marker_index["b.end"])
    np.testing.assert_allclose(mechanism.world_pose(end)[1], [1, 0.3, 0], atol=1e-15)
    np.testing.assert_allclose(mechanism.world_pose(mechanism.marker_index["b.mid"])[0][:, 2], [0, 0, 1], atol=1e-15)


def test_the_chord_turns_at_its_start() -> None:
    """In the chord frame the end sections turn: the origin marker of a beam is not the frame."""
    shapes = mechanism_of(bodies={"b": STEEL_ROD}).markers[1].shapes
    assert isinstance(shapes, ExactShapes) and not shapes.is_rigid
    shapes = mechanism_of(bodies={"b": {**STEEL_ROD, "frame": "start"}}).markers[1].shapes
    assert isinstance(shapes, ExactShapes) and shapes.is_rigid


SHAPE_KINDS: list[dict[str, Any]] = [
    {"family": "monomials", "bending": 4, "axial": 2},
    {"family": "modes", "bending": 5},
    {"family": "elements", "elements": 5, "bending": "all"},
]


@pytest.mark.parametrize("shapes", SHAPE_KINDS, ids=lambda shapes: shapes["family"])
def test_markers_of_a_distributed_force(shapes: dict[str, Any]) -> None:
    """Their lengths sum to that of the load, and they integrate shapes and squares of slopes (foreshortening): exactly
    for polynomials, and so for five half waves as far as the trapezia can tell."""
    force = {"type": "distributed-force", "body": "b", "vector": [0, 1, 0], "from": 0.05, "to": "22 cm"}
    mechanism = mechanism_of(bodies={"b": {**STEEL_ROD, "shapes": shapes}}, forces={"f": force})
    body = mechanism.bodies[1]
    assert isinstance(body, FlexibleBody) and body.basis is not None
    numbers = [number for number, _ in mechanism.distributed["f"]]
    weights = np.array([weight for _, weight in mechanism.distributed["f"]])
    x = np.array([mechanism.markers[number].p_b[0] for number in numbers])
    assert all(isinstance(mechanism.markers[number].shapes, ExactShapes) for number in numbers)
    assert mechanism.markers[numbers[0]].name == "b.f #1"
    assert weights.sum() == pytest.approx(0.17, rel=1e-12)
    fine = np.unique(np.concatenate([np.linspace(0.05, 0.22, 40001), body.basis.breaks]))
    fine = fine[(fine >= 0.05) & (fine <= 0.22)]
    for shape in body.basis.shapes:
        value, slope = shape.values(fine)[:, :2].T
        exact = np.trapezoid(value, fine), np.trapezoid(slope**2, fine)  # steps of 4e-6 m: 1e-8
        found = weights @ shape.values(x)[:, 0], weights @ shape.values(x)[:, 1] ** 2
        np.testing.assert_allclose(found, exact, rtol=1e-5, atol=1e-6 * 0.17)


def test_modal_body_and_its_markers() -> None:
    mechanism = place(parse_model(GOOD).spec)
    plate = mechanism.bodies[mechanism.body_index["plate"]]
    assert isinstance(plate, FlexibleBody)
    np.testing.assert_allclose(plate.p_wb, [0.3, 0, 0])
    np.testing.assert_allclose(plate.inertia, np.diag([1, 1, 2]))  # tr(P0) 1 - P0
    assert plate.labels == ("q1",) and plate.damping[0, 0] == 0.1 and plate.basis is None
    assert mechanism.markers[mechanism.marker_index["plate"]].shapes is None
    corner = mechanism.markers[mechanism.marker_index["plate.corner"]].shapes
    assert isinstance(corner, MarkerShapes) and corner.order == 1
    np.testing.assert_allclose(corner.Theta, [[0.1, 0.1, 0]])
    assert plate.length == pytest.approx(math.sqrt(12 * 1 / 2))
    bent = place(parse_model(GOOD.replace("Phi = [[0, 0, 1]]", "Phi = [[0, 0, 1]]\nGamma = [[[0, 0, 3]]]")).spec)
    corner = bent.markers[bent.marker_index["plate.corner"]].shapes
    assert isinstance(corner, MarkerShapes) and corner.order == 2
    np.testing.assert_allclose(corner.Gamma, [[[0, 0, 3]]])
    np.testing.assert_allclose(corner.G, [[[0, 0, 0]]])
    assert "plate" not in mechanism.beam_ends


def held(shapes: Any, joints: dict[str, Any], bodies: dict[str, Any] | None = None, **more: Any) -> str:
    """Text of the errors or warnings of a rod with these joints; empty when its shapes suit them."""
    keys = {key: more.pop(key) for key in ("frame", "damping") if key in more}
    tables = {"bodies": {"rod": {**STEEL_ROD, "shapes": shapes, **keys}, **(bodies or {})}, "joints": joints, **more}
    spec = read_spec(tables)
    try:
        mechanism = place(spec)
    except InputError as error:
        return str(error)
    found = shape_warnings(spec, mechanism, beam_qualities(spec, mechanism))
    return " ".join(warning.text for warning in found)


def joint(kind: str, first: str, second: str, x: float, **keys: Any) -> dict[str, Any]:
    return {"type": kind, "bodies": [first, second], "at": [x, 0, 0], **keys}


SLIDER = {
    "slider": {"mass": 1, "inertia": [1, 1, 1], "at": [0.3, 0, 0]},
    "crank": {"mass": 1, "rod": [[-0.1, 0, 0], [0, 0, 0]]},
}
CRANK_JOINTS = {
    "bearing": joint("revolute", "ground", "crank", -0.1, axis="z"),
    "big": joint("spherical", "crank", "rod", 0.0),
    "small": joint("universal", "rod", "slider", 0.3, axes=["y", "z"]),
    "guide": joint("prismatic", "ground", "slider", 0.3, axis="x"),
}


def test_two_monomials_cannot_bow_between_two_pins() -> None:
    """x^2 and x^3 from a tangent: the bow of a pinned rod is 11 % too stiff; a third one cures it."""
    text = held(2, CRANK_JOINTS, SLIDER, frame="start")
    assert "the shapes of beam 'rod' (2 bending y, 2 bending z, frame = \"start\") do not suit" in text
    assert "of the mechanism is 11" in text and "% too high" in text
    assert "Use automatic shapes (leave out 'shapes') or 3 bending shapes per plane." in text
    assert not held(3, CRANK_JOINTS, SLIDER, frame="start")
    assert not held({"family": "modes", "bending": 1}, CRANK_JOINTS, SLIDER)
    assert not held({"bending": {"y": 3}}, CRANK_JOINTS, SLIDER, frame="start"), "a plane without shapes is not bent"
    assert not held({"family": "auto"}, CRANK_JOINTS, SLIDER, frame="start")


def test_damping_ratios_do_not_disturb_the_search() -> None:
    assert "or 3 bending shapes" in held(2, CRANK_JOINTS, SLIDER, frame="start", damping={"ratios": [0.1] * 4})


def test_a_tip_mass_is_no_support() -> None:
    """x^2 and x^3 serve a cantilever (0.5 %) with or without a tip body; clamped twice they cannot move at all."""
    root = {"root": joint("fixed", "ground", "rod", 0.0)}
    assert not held(2, root, frame="start")
    tip = {"tip": {"mass": 1, "inertia": [1, 1, 1], "at": [0.3, 0, 0]}}
    assert not held(2, {**root, "hold": joint("fixed", "rod", "tip", 0.3)}, tip, frame="start")
    both = {**root, "hold": joint("fixed", "rod", "ground", 0.3)}
    text = held(2, both, frame="start")
    assert "body 'rod' would be rigid: its joints leave none of its bending shapes" in text
    assert "Use automatic shapes (leave out 'shapes') or 4 bending shapes per plane." in text
    assert not held(4, both, frame="start"), "the advice is good"


def test_a_drive_clamps() -> None:
    """Pinned and free, two monomials are 14 % too stiff; driven, the same joint is a clamp in its plane."""
    shapes = {"bending": {"y": 2}}
    pin = {"pin": joint("revolute", "ground", "rod", 0.0, axis="z")}
    assert "of the mechanism is 13.8 %" in held(shapes, pin, frame="start")
    assert not held(shapes, pin, frame="start", motions={"drive": {"joint": "pin", "rate": 1}})
    space = {"model": {"gravity": [1, 2, 3]}}
    assert not held({"bending": {"z": 2}}, pin, frame="start", **space), (
        "the bearing holds the slope in the other plane"
    )


def test_joints_that_slide_do_not_hold() -> None:
    """A guide along y at the tip leaves y free, so that the rod is a cantilever there; in z it is clamped twice."""
    root = {"root": joint("fixed", "ground", "rod", 0.0), "guide": joint("planar", "ground", "rod", 0.3, axis="z")}
    space = {"model": {"gravity": [1, 2, 3]}}
    assert not held({"bending": {"y": 2}}, root, frame="start", **space)
    assert "would be rigid" in held({"bending": {"z": 2}}, root, frame="start", **space)


def test_a_free_beam_is_judged_by_its_own_frequencies() -> None:
    """Two monomials are 20 % too stiff for a free beam: 26.8 instead of 22.4 sqrt(EI/rho A)/L^2, and have one mode."""
    free = {"j": joint("free", "ground", "rod", 0.0)}
    assert "is missing" in held(1, free, frame="start") and "% too high" in held(2, free, frame="start")
    assert not held(5, free, frame="start")


def test_errors_of_every_beam() -> None:
    clamped = {f"{name}{x}": joint("fixed", "ground", name, x) for name in ("a", "b") for x in (0.0, 0.3)}
    clamped = {name.replace(".", "_"): table for name, table in clamped.items()}
    spec = read_spec({"bodies": {name: {**STEEL_ROD, "shapes": 1} for name in ("a", "b")}, "joints": clamped})
    with pytest.raises(InputError) as caught:
        place(spec)
    assert [fault.path for fault in caught.value.faults] == [("bodies", "a", "shapes"), ("bodies", "b", "shapes")]
    body = spec.bodies["a"]
    assert isinstance(body, BeamBody) and beam_data(spec, body) == beam_data(spec, spec.bodies["b"])  # type: ignore
    assert support_faults(read_spec({}), Mechanism([], [], [])) == []
