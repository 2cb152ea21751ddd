"""What is drawn against what must be true of it: joints that fit, reactions that obey Newton, beams that end where
their joints are.

Nothing here goes through the code that makes the picture: laws of joints, momenta, strength of materials and the closed
surfaces themselves say where things must be.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from flexmb.joints.table import JOINT_TYPES
from flexmb.results.result_file import Result
from flexmb.system.mechanism import Mechanism
from flexmb.view.geometry.joint_symbols import joint_symbol_halves
from flexmb.view.scene import Part, Scene, rotations
from tests.support.drawn_models import Fixed, drawn, held_beam, ring, turn
from tests.support.flexible_mechanisms import slider_crank
from tests.support.flexible_models import flexible_tree
from tests.support.mechanisms import TREE_JOINTS, random_tree


def joint_law(kind: str, q: np.ndarray, parameters: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray | None]:
    """Place and orientation of the second frame of a joint in its first one; None: any orientation."""
    p, R = np.zeros(3), np.eye(3)
    for motion, value in zip(JOINT_TYPES[kind].motions, q, strict=False):
        if motion.type == "ball":
            return p, None
        if motion.type == "slide":
            p[motion.axis] = value
        else:
            R = R @ turn(motion.axis, value)
        if motion.type == "screw":
            p[motion.axis] = parameters[0] * value
    return p, R


def frame_of(part: Part, frame: int) -> tuple[np.ndarray, np.ndarray]:
    return part.position[frame], rotations(part.quaternion[frame])


# Joints of every kind


def moving_tree(seed: int) -> dict[str, Any]:
    data = random_tree(np.random.default_rng(seed))
    for body in data["bodies"].values():
        del body["rotor"]
    return data | {"output": {"every": 1e-3}}


@pytest.fixture(scope="module", params=["joint", "absolute"])
def tree(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Fixed:
    """A rigid tree with every joint, in joint and in absolute coordinates."""
    data = moving_tree(5) | {"coordinates": {"default": request.param}}
    return drawn(tmp_path_factory.mktemp("tree") / "tree.h5", data, end=0.02, step=2.5e-4)


@pytest.fixture(scope="module", params=["exact", "quadratic"])
def soft_tree(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Fixed:
    """Soft beams that bend by a tenth of their length, with joints beside and beyond them."""
    data = flexible_tree(np.random.default_rng(7), TREE_JOINTS, field=request.param) | {"output": {"every": 0.01}}
    return drawn(tmp_path_factory.mktemp("soft") / "soft.h5", data, end=0.08, step=1e-3)


def check_joint_laws(result: Result, scene: Scene, mechanism: Mechanism) -> set[str]:
    """Symbols of the two halves of every joint stand to each other as its coordinates say; the joints looked at."""
    parts = {part.name: part for part in scene.parts}
    seen = set()
    for joint in mechanism.joints:
        first, second = parts.get(f"joint {joint.name}"), parts.get(f"joint {joint.name}, second body")
        if first is None or second is None:
            continue
        q = result[f"joints/{joint.name}/position"].reshape(result.n_rows, -1)
        for frame in range(result.n_rows):
            (p_a, R_a), (p_b, R_b) = frame_of(first, frame), frame_of(second, frame)
            p, R = joint_law(joint.type.name, q[frame], joint.parameters)
            np.testing.assert_allclose(R_a.T @ (p_b - p_a), p, atol=1e-7)
            if R is not None:
                np.testing.assert_allclose(R_a.T @ R_b, R, atol=1e-7)
        seen.add(joint.type.name)
    return seen


HALVES = {name for name in TREE_JOINTS if all(len(half.points) for half in joint_symbol_halves(name, 1.0))}
"""Joints whose symbol has a part on either body."""


def test_symbols_follow_the_laws_of_their_joints(tree: Fixed) -> None:
    assert check_joint_laws(*tree) == HALVES


def test_symbols_on_soft_beams_follow_the_laws_of_their_joints(soft_tree: Fixed) -> None:
    assert check_joint_laws(*soft_tree) == HALVES
    assert soft_tree[1].largest_deflection > 0.03


def test_symbols_are_fixed_to_the_drawn_bodies(tree: Fixed) -> None:
    """Seen from its body a symbol never moves; the rod of a distance joint reaches from marker to marker."""
    _, scene, mechanism = tree
    parts = {part.name: part for part in scene.parts}
    for joint in mechanism.joints:
        for name, number in ((f"joint {joint.name}", joint.first), (f"joint {joint.name}, second body", joint.second)):
            marker = mechanism.markers[number]
            symbol, body = parts.get(name), parts.get(mechanism.bodies[marker.body].name)
            if symbol is None or body is None:
                continue
            for frame in (0, len(scene.time) - 1):
                (p_s, R_s), (p_b, R_b) = frame_of(symbol, frame), frame_of(body, frame)
                np.testing.assert_allclose(p_b + R_b @ marker.p_b, p_s, atol=1e-9)
                if joint.type.name != "distance":
                    np.testing.assert_allclose(R_b @ marker.R_b, R_s, atol=1e-9)
        if joint.type.name == "distance":
            other = mechanism.markers[joint.second]
            p_b, R_b = frame_of(parts[mechanism.bodies[other.body].name], -1)
            rod = parts[f"joint {joint.name}"].positions(len(scene.time) - 1)
            assert np.linalg.norm(rod - (p_b + R_b @ other.p_b), axis=1).min() < 0.02 * scene.radius


def test_reactions_move_every_body(tree: Fixed) -> None:
    """Newton and Euler about the world's origin for every body: the arrows at their places and its weight."""
    result, scene, mechanism = tree
    gravity, t = np.array([1.0, -2.0, -9.0]), result.time
    force_on, moment_on = (np.zeros((len(mechanism.bodies), len(t), 3)) for _ in range(2))
    for joint in mechanism.joints:
        arrows = {arrow.kind: arrow for arrow in scene.arrows if arrow.name == joint.name}
        F = arrows["reaction force"]
        M = arrows["reaction moment"].vector if "reaction moment" in arrows else 0.0  # a joint that holds none
        for marker, sign in ((joint.second, 1.0), (joint.first, -1.0)):
            force_on[mechanism.markers[marker].body] += sign * F.vector
            moment_on[mechanism.markers[marker].body] += sign * (M + np.cross(F.position, F.vector))
    for number, body in enumerate(mechanism.bodies[1:], start=1):
        path = f"bodies/{body.name}"
        R = rotations(result[f"{path}/quaternion"])
        c, omega = R @ (body.first_moment / body.mass), np.einsum("rij,rj->ri", R, result[f"{path}/angular_velocity"])
        velocity = result[f"{path}/velocity"] + np.cross(omega, c)
        offset = body.first_moment / body.mass
        central = body.inertia - body.mass * (offset @ offset * np.eye(3) - np.outer(offset, offset))
        spin = np.einsum("rij,jk,rlk,rl->ri", R, central, R, omega)
        place_of_mass = result[f"{path}/position"] + c
        P = body.mass * velocity
        L = np.cross(place_of_mass, P) + spin
        F = force_on[number] + body.mass * gravity
        M = moment_on[number] + np.cross(place_of_mass, body.mass * gravity)
        size = body.mass * 9.3
        np.testing.assert_allclose(np.gradient(P, t, axis=0)[1:-1], F[1:-1], atol=1e-2 * size)
        np.testing.assert_allclose(np.gradient(L, t, axis=0)[1:-1], M[1:-1], atol=2e-2 * size)


def test_a_nut_stays_on_its_thread(tmp_path: Path) -> None:
    """Ten turns of a screw: the thread is as long as the way of the nut."""
    data = {
        "bodies": {"nut": {"mass": 1.0, "inertia": [0.1, 0.1, 0.1]}},
        "joints": {
            "screw": {"type": "screw", "bodies": ["ground", "nut"], "at": [0, 0, 0], "axis": "x", "lead": 0.05}
            | {"velocity": 60.0}
        },
    }
    result, scene, _ = drawn(tmp_path / "screw.h5", data, end=1.0, step=0.01)
    assert result["bodies/nut/position"][-1, 0] == pytest.approx(0.05 * 60 / (2.0 * np.pi))
    thread, nut = (scene.part(f"joint screw{half}") for half in ("", ", second body"))
    for frame in (0, len(scene.time) - 1):
        reach, at = thread.positions(frame)[:, 0], nut.positions(frame)[:, 0]
        assert reach.min() < at.min() and at.max() < reach.max()


def test_ground_turns_with_its_base(tmp_path: Path) -> None:
    """An arm on a turntable: the joint on the ground goes round with the table, and stays on the arm."""
    data = {
        "model": {"gravity": [0, 0, -9.81]},
        "bodies": {"arm": {"mass": 1.0, "rod": [[0.2, 0, 0], [0.7, 0, 0]]}},
        "joints": {"hinge": {"type": "revolute", "bodies": ["ground", "arm"], "at": [0.2, 0, 0], "axis": "y"}},
        "base": {"rotation": {"axis": "z", "angle": "3*t + t^2"}, "acceleration": [1.0, 0, 0]},
    }
    result, scene, _ = drawn(tmp_path / "table.h5", data, end=0.5, step=0.01)
    angle = 3.0 * result.time + result.time**2
    path = 0.2 * np.column_stack([np.cos(angle), np.sin(angle), 0.0 * angle])
    np.testing.assert_allclose(scene.part("joint hinge").position, path, atol=1e-9)
    np.testing.assert_allclose(scene.part("arm").position, path, atol=1e-9)
    ground = scene.part("ground")
    last = len(angle) - 1
    np.testing.assert_allclose(ground.positions(last), ground.points @ turn(2, angle[last]).T, atol=1e-9)
    assert any("ground rotates" in note for note in scene.notes)
    assert any("ground accelerates" in note for note in scene.notes)


# Beams and their joints


@pytest.fixture(scope="module")
def crank(tmp_path_factory: pytest.TempPathFactory) -> Fixed:
    return drawn(tmp_path_factory.mktemp("crank") / "crank.h5", slider_crank(), end=0.01, step=2e-5)


def center_of(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Centre of the volume inside a closed surface."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c))
    return np.asarray(volume @ (a + b + c) / 4.0 / volume.sum())


def test_reactions_move_the_drawn_rod(crank: Fixed) -> None:
    """Mass times acceleration of the centre of the drawn volume is the sum of the two arrows on it."""
    result, scene, _ = crank
    rod, t = scene.part("rod"), result.time
    center = np.array([center_of(rod.positions(frame), rod.triangles) for frame in range(len(t))])
    acceleration = np.gradient(np.gradient(center, t, axis=0), t, axis=0)
    forces = [arrow.vector for arrow in scene.arrows if arrow.kind == "reaction force" and "_end" in arrow.name]
    assert len(forces) == 2
    total = forces[0] + forces[1]
    mass = 7870.0 * 2.826e-5 * 0.3
    # differences over 2e-5 s of motions of some kHz
    np.testing.assert_allclose(mass * acceleration[2:-2], total[2:-2], atol=5e-3 * np.abs(total).max())


@pytest.mark.parametrize("scale", [1.0, 30.0, 1000.0])
def test_ends_of_the_drawn_rod_are_in_its_joints(crank: Fixed, scale: float) -> None:
    """Middle of the end sections of the skin against the symbols on the neighbours, which do not bend."""
    _, scene, _ = crank
    rod = scene.part("rod")
    for frame in (0, len(scene.time) // 2, len(scene.time) - 1):
        at = rod.positions(frame, scale)
        for x, symbol in ((0.0, "joint big_end"), (0.3, "joint small_end")):
            gap = at[ring(rod, x)].mean(axis=0) - scene.part(symbol).position[frame]
            # as a part of the exaggerated deflection
            assert np.linalg.norm(gap) < 1e-4 * scale * scene.largest_deflection


def test_markers_beyond_the_ends_are_fixed_to_the_end_sections(soft_tree: Fixed) -> None:
    _, scene, mechanism = soft_tree
    parts = {part.name: part for part in scene.parts}
    checked = 0
    for joint in mechanism.joints:
        for name, number in ((f"joint {joint.name}", joint.first), (f"joint {joint.name}, second body", joint.second)):
            marker = mechanism.markers[number]
            body, symbol = parts.get(mechanism.bodies[marker.body].name), parts.get(name)
            length = getattr(mechanism.bodies[marker.body], "length", None)
            if body is None or symbol is None or length is None or 0.0 < marker.p_b[0] < length:
                continue
            x = np.clip(marker.p_b[0], 0.0, length)
            own, frame = ring(body, x), len(scene.time) - 1
            at = body.positions(frame)[own]
            # rigid motion of the drawn section: its centre, and two directions in it
            flat = body.points[own] - [x, 0.0, 0.0]
            across = np.linalg.lstsq(flat[:, 1:], at - at.mean(axis=0), rcond=None)[0]
            R = np.column_stack([np.cross(across[0], across[1]), across[0], across[1]])
            expected = at.mean(axis=0) + R @ (marker.p_b - [x, 0.0, 0.0])
            arm = np.linalg.norm(marker.p_b - [x, 0.0, 0.0])
            # sections of the quadratic field are stretched by the fourth order of their slope
            assert np.linalg.norm(symbol.position[frame] - expected) < 2e-3 * (0.01 + arm)
            checked += 1
    assert checked >= 4


@pytest.mark.parametrize("frame", ["start", "end", "chord", "mean"])
def test_three_joints_stay_closed_in_every_frame(tmp_path: Path, frame: str) -> None:
    _, scene, _ = drawn(tmp_path / "held.h5", held_beam(frame=frame), end=0.02, step=2e-4)
    beam = scene.part("beam")
    assert scene.largest_deflection > 1e-4
    for scale in (1.0, 1000.0):
        for row in (2, len(scene.time) - 1):
            at = beam.positions(row, scale)
            for x, symbol in ((0.0, "pivot"), (0.5, "middle, second body"), (0.8, "far, second body")):
                assert len(ring(beam, x)) >= 4
                gap = at[ring(beam, x)].mean(axis=0) - scene.part(f"joint {symbol}").position[row]
                assert np.linalg.norm(gap) < 2e-4 * scale * scene.largest_deflection
