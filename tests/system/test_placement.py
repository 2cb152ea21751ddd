"""Poses in the design position: bodies, markers and the frames of every joint, by hand.

Covers: axes, bodies.marker, bodies.rigid_body, system.mechanism.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from flexmb.bodies.rigid_body import inertia_about_origin, slender_rod_inertia
from flexmb.system.mechanism import Mechanism
from flexmb.system.placement import frame_along, place
from tests.support.mechanisms import spec_of

TURN = {"axis": "z", "angle": "90 deg"}
R_TURN = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
X, Y, Z = np.eye(3)
TILTED = np.array([1.0, 2.0, 2.0]) / 3.0
ACROSS = np.array([2.0, -2.0, 1.0]) / 3.0


def placed(joint: dict[str, Any] | None = None, **body: Any) -> Mechanism:
    """A turned body at (1, 2, 3) that joins ground by `joint` at the point P."""
    data: dict[str, Any] = {"points": {"P": [1.5, 2.0, 3.0]}}
    data["bodies"] = {"b": {"mass": 2.0, "inertia": [0.1, 0.2, 0.3], "at": [1, 2, 3], "orientation": TURN, **body}}
    if joint is not None:
        data["joints"] = {"j": {"bodies": ["ground", "b"], **joint}}
    return place(spec_of(data))


def joint_frames(joint: dict[str, Any]) -> list[tuple[np.ndarray, np.ndarray]]:
    """World orientation and position of both markers of the joint."""
    mechanism = placed(joint)
    return [mechanism.world_pose(end) for end in (mechanism.joints[0].first, mechanism.joints[0].second)]


def close(found: Any, wanted: Any) -> None:
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-14)


@pytest.mark.parametrize("z", [X, Y, Z, -Z, TILTED])
def test_frame_along_an_axis(z: np.ndarray) -> None:
    R = frame_along(z)
    close(R[:, 2], z)
    close(R.T @ R, np.eye(3))
    assert np.linalg.det(R) == pytest.approx(1.0)
    close(frame_along(z, 3.0 * np.cross(z, [0.3, 0.7, 0.1]) + 5.0 * z)[:, 2], z)


def test_ground_is_body_zero() -> None:
    mechanism = placed()
    ground = mechanism.bodies[0]
    assert (ground.name, ground.mass, mechanism.body_index["ground"]) == ("ground", 0.0, 0)
    assert mechanism.marker_index["b"] == mechanism.marker_index["b.origin"]
    close(mechanism.world_pose(mechanism.marker_index["ground"])[1], 0)


def test_centre_in_body_coordinates_and_by_point() -> None:
    """Numbers are body coordinates, a point is a world position: 0.5 m along x is -y of the turned body."""
    numbers, point = placed(center=[0, -0.5, 0]).bodies[1], placed(center="P").bodies[1]
    for body in (numbers, point):
        close(body.first_moment, [0, -1.0, 0])
        close(body.inertia, np.diag([0.1 + 0.5, 0.2, 0.3 + 0.5]))  # Steiner: m d^2 = 0.5 about the axes across
        close(body.R_wb, R_TURN)
    close(placed().bodies[1].inertia, np.diag([0.1, 0.2, 0.3]))


def test_inertia_of_point_masses_about_the_origin() -> None:
    """The Steiner term against the sum over the particles of a body."""
    rng = np.random.default_rng(1)
    masses, points = rng.uniform(0.1, 1.0, 6), rng.normal(size=(6, 3))

    def tensor(p: np.ndarray) -> np.ndarray:
        return sum(m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in zip(masses, p, strict=True))  # type: ignore

    center = masses @ points / masses.sum()
    close(inertia_about_origin(masses.sum(), center, tensor(points - center)), tensor(points))


@pytest.mark.parametrize("end", [[2.0, 0.0, 0.0], [0.0, 0.0, -2.0], [1.2, 0.0, 1.6]])
def test_rod(end: list[float]) -> None:
    """Origin at A, x towards B, centre in the middle, m L^2 / 3 across about its end, nothing along."""
    mechanism = place(spec_of({"points": {"A": [1, 1, 1]}, "bodies": {"r": {"mass": 3.0, "rod": ["A", end]}}}))
    rod = mechanism.bodies[1]
    length = np.linalg.norm(np.array(end) - 1.0)
    close(rod.p_wb, [1, 1, 1])
    close(rod.p_wb + rod.R_wb @ [length, 0, 0], end)
    close(rod.R_wb.T @ rod.R_wb, np.eye(3))
    assert np.linalg.det(rod.R_wb) == pytest.approx(1.0)
    close(rod.first_moment, [1.5 * length, 0, 0])
    close(rod.inertia, np.diag([0.0, 1.0, 1.0]) * 3.0 * length**2 / 3.0)
    close(slender_rod_inertia(12.0, 2.0), np.diag([0.0, 4.0, 4.0]))


def test_markers_by_numbers_point_axis_and_orientation() -> None:
    markers = {
        "numbers": {"at": [0, -0.5, 0]},
        "point": {"at": "P"},
        "axis": {"axis": "x"},
        "turned": {"orientation": {"axis": "x", "angle": "90 deg"}},
    }
    mechanism = placed(markers=markers)
    pose = {name: mechanism.world_pose(mechanism.marker_index[f"b.{name}"]) for name in markers}
    for name in ("numbers", "point"):
        close(pose[name][1], [1.5, 2, 3])
        close(pose[name][0], R_TURN)
    close(pose["axis"][0][:, 2], X)  # world axes of the design position, not body axes
    close(pose["turned"][0][:, 2], R_TURN @ [0, -1, 0])


def test_markers_on_ground() -> None:
    mechanism = place(spec_of({"markers": {"wall": {"at": [1, 0, 0], "axis": "-y"}}}))
    R, p = mechanism.world_pose(mechanism.marker_index["ground.wall"])
    close(p, X)
    close(R[:, 2], -Y)


AXIAL: dict[str, dict[str, Any]] = {
    "revolute": {"axis": TILTED.tolist()},
    "prismatic": {"axis": TILTED.tolist()},
    "cylindrical": {"axis": TILTED.tolist()},
    "screw": {"axis": TILTED.tolist(), "lead": "10 mm"},
    "planar": {"axis": TILTED.tolist()},
    "pin-in-slot": {"axis": TILTED.tolist(), "slot": ACROSS.tolist()},
    "point-on-line": {"line": TILTED.tolist()},
}


@pytest.mark.parametrize("kind", AXIAL)
def test_z_of_a_joint_frame_is_its_axis(kind: str) -> None:
    """Both markers stand in one place, with the same axes, in the design position: all coordinates are zero."""
    (R_first, p_first), (R_second, p_second) = joint_frames({"type": kind, "at": "P", **AXIAL[kind]})
    close(p_first, [1.5, 2, 3])
    close(p_second, p_first)
    close(R_second, R_first)
    close(R_first[:, 2], TILTED)
    if kind == "pin-in-slot":
        close(R_first[:, 0], ACROSS)


def test_frame_of_a_universal_joint() -> None:
    (R_first, _), (R_second, _) = joint_frames(
        {"type": "universal", "at": "P", "axes": [TILTED.tolist(), ACROSS.tolist()]}
    )
    close(R_first, np.column_stack([TILTED, ACROSS, np.cross(TILTED, ACROSS)]))
    close(R_second, R_first)


@pytest.mark.parametrize("kind", ["spherical", "free", "fixed"])
def test_joints_without_an_axis_take_world_axes(kind: str) -> None:
    for R, p in joint_frames({"type": kind, "at": "P"}):
        close(R, np.eye(3))
        close(p, [1.5, 2, 3])
    if kind != "spherical":  # by default at the origin of the second body
        for _, p in joint_frames({"type": kind}):
            close(p, [1, 2, 3])


def test_rolling_stands_on_the_plane_with_its_disc_at_the_body_origin() -> None:
    keys = {"type": "rolling", "at": [0, 0, 2.5], "normal": "z", "axis": "y", "radius": 0.5}
    (R_plane, p_plane), (R_disc, p_disc) = joint_frames(keys)
    close(R_plane[:, 2], Z)
    close(p_plane, [0, 0, 2.5])
    close(R_disc[:, 2], Y)
    close(p_disc, [1, 2, 3])
    assert placed(keys).joints[0].parameters == (0.5,)


def test_parameters_of_joints() -> None:
    distance = {"type": "distance", "at": [[1, 2, 0], "P"]}
    (_, p_first), (_, p_second) = joint_frames(distance)
    close(p_first, [1, 2, 0])
    close(p_second, [1.5, 2, 3])
    assert placed(distance).joints[0].parameters == pytest.approx((np.hypot(0.5, 3.0),))
    assert placed({**distance, "length": 4.0}).joints[0].parameters == (4.0,)
    screw = {"type": "screw", "axis": "z", "at": "P", "lead": "10 mm"}
    assert placed(screw).joints[0].parameters == pytest.approx((0.01 / (2 * np.pi),))  # advance per radian
    assert placed({"type": "revolute", "axis": "z", "at": "P"}).joints[0].parameters == ()


def test_joint_between_markers_uses_them() -> None:
    data = {
        "markers": {"wall": {"at": [1, 2, 3], "axis": "x"}},
        "bodies": {"b": {"mass": 1, "inertia": [1, 1, 1], "markers": {"eye": {"at": [0.1, 0, 0], "axis": "y"}}}},
        "joints": {"j": {"type": "revolute", "markers": ["ground.wall", "b.eye"]}},
    }
    mechanism = place(spec_of(data))
    joint = mechanism.joints[0]
    assert [mechanism.markers[end].name for end in (joint.first, joint.second)] == ["ground.wall", "b.eye"]


def test_marker_of_a_joint_does_not_take_the_name_of_the_users() -> None:
    mechanism = placed({"type": "spherical", "at": "P"}, markers={"j": {"at": [9, 9, 9]}})
    assert mechanism.markers[mechanism.joints[0].second].name == "b.j (joint)"
    close(mechanism.markers[mechanism.marker_index["b.j"]].p_b, [9, 9, 9])
