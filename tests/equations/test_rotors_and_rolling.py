"""Gyrostats and rolling discs: precession, gyroscopic moments, contact forces in closed form."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.mechanisms import disc
from tests.support.one_body import BRANCH, CHORD, RK, G, close, matrix, one_body
from tests.support.runs import Run

# Rotors


@pytest.mark.parametrize("carried", [False, True], ids=["spinning body", "rotor"])
def test_steady_precession_of_a_top(carried: bool) -> None:
    """A level gyroscope: Omega H = m g l with H the spin about its axis; it neither nods nor sinks."""
    m, length, transverse, axial, precession = 2.0, 0.3, 0.05, 0.02, 1.5
    momentum = m * G * length / precession
    # Level axis along x of the body; precession about z leaves no other component on x.
    body = {"mass": m, "inertia": [axial, transverse, transverse], "center": [length, 0, 0]}
    spin = 0.0 if carried else momentum / axial
    if carried:
        body["rotor"] = [momentum, 0, 0]
    data = {
        "model": {"name": "gyroscope", "gravity": [0, 0, -G]},
        "bodies": {"top": body},
        "joints": {
            "pivot": {
                "type": "spherical",
                "bodies": ["ground", "top"],
                "at": [0, 0, 0],
                "velocity": [spin, 0, precession],
            }  # fmt: skip
        },
        "sensors": {"center": {"marker": "top.center"}},
        "analysis": {"end": 1.0},
    }
    body["markers"] = {"center": {"at": [length, 0, 0]}}
    for coordinates in (BRANCH, CHORD):
        run = Run({**data, "coordinates": coordinates}, **RK)
        t = run["time"]
        circle = length * np.column_stack([np.cos(precession * t), np.sin(precession * t), 0 * t])
        close(run["sensors/center"], circle, atol=1e-7)
        centripetal = m * precession**2 * length
        force = run["joints/pivot/force"]
        close(force, np.column_stack([*(-centripetal / length * circle[:, :2].T), m * G + 0 * t]), atol=1e-5)
        assert run.summary.energy_balance < 1e-8


def test_driven_gyrostat_needs_its_gyroscopic_moment() -> None:
    """A turntable drive under a tilting frame with rotor: the bearing carries Omega x H, the drive nothing."""
    data = one_body(
        {"type": "revolute", "axis": "z"},
        BRANCH,
        body={"rotor": [4.0, 0, 0]},
        motions={"m": {"joint": "j", "rate": 3.0}},
    )
    for coordinates in (BRANCH, CHORD):
        run = Run({**data, "coordinates": coordinates}, type="kinematic", step=0.1)
        t = run["time"]
        # Omega x H in space: 3 * 4 along the y axis that turns with the body; joint frame = axes of ground.
        moment = run["joints/j/moment"]
        close(np.linalg.norm(moment, axis=1), 12.0, atol=1e-9)
        close(moment[:, 2], 0, atol=1e-9)
        close(moment[0] @ moment[-1], 144.0 * np.cos(3 * t[-1]), atol=1e-7)
        close(run["motions/m/effort"], 0, atol=1e-9)


# Rolling


def test_disc_rolls_straight_at_constant_speed() -> None:
    run = Run(disc(body={"velocity": [0.6, 0, 0], "angular_velocity": [0, 2.0, 0]}), **RK)
    t = run["time"]
    close(run["bodies/disc/position"], np.column_stack([0.6 * t, 0 * t, 0.3 + 0 * t]))
    close(run["joints/contact/force"], [[0, 0, 2.0 * G]] * len(t), atol=1e-7)
    assert run.ready.n_dof == 3


def test_disc_rolls_down_a_slope() -> None:
    """a = g sin / (1 + J / m r^2) = 2/3 g sin for a homogeneous disc; friction m g sin / 3. Slope by gravity."""
    slope = 0.3
    gravity = [G * np.sin(slope), 0, -G * np.cos(slope)]
    run = Run(disc(gravity=gravity, body={"velocity": [0, 0, 0]}), **RK)
    t = run["time"]
    close(run["bodies/disc/position"][:, 0], G * np.sin(slope) / 3 * t**2)
    pull = np.array([-2.0 * G * np.sin(slope) / 3, 0, 2.0 * G * np.cos(slope)])
    close(run["joints/contact/force"], np.outer(np.ones_like(t), pull), atol=1e-6)
    # Friction acts at the contact point, 0.3 m under the centre: its moment about the centre spins the disc.
    assert run.summary.energy_balance < 1e-8


def test_disc_pushed_at_its_centre() -> None:
    """m x'' = F - R, J omega' = R r: x'' = F / (m + J / r^2), and the work of the push is all there is."""
    push = {"type": "force", "marker": "disc", "vector": [5.0, 0, 0]}
    run = Run(disc(forces={"push": push}), **RK)
    t = run["time"]
    close(run["bodies/disc/position"][:, 0], 0.5 * 5.0 / (2.0 + 0.09 / 0.09) * t**2)
    close(run["energy/work/push"], run["energy/kinetic"])


def test_wobbling_disc_keeps_its_energy_and_does_not_slide() -> None:
    """Steady rolling disturbed: energy, and at every row the speed of the lowest point of the disc."""
    body = {"velocity": [1.5, -0.12, 0], "angular_velocity": [0.4, 5.0, 0.8]}
    run = Run(disc(body=body), **RK)
    assert run.summary.energy_balance < 1e-8
    lean = []
    for p, v, position, omega in zip(
        run["bodies/disc/quaternion"],
        run["bodies/disc/velocity"],
        run["bodies/disc/position"],
        run["bodies/disc/angular_velocity"],
        strict=True,
    ):
        R = matrix(p)
        axis = R[:, 1]
        down = -np.array([0, 0, 1.0]) + axis[2] * axis
        arm = 0.3 * down / np.linalg.norm(down)
        close(v + np.cross(R @ omega, arm), 0, atol=1e-9)
        assert abs(position[2] + arm[2]) < 1e-9
        lean.append(axis[2])
    assert np.ptp(lean) > 0.05
