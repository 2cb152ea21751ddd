"""Joint reactions in world axes against Newton's law, closed forms and other coordinates.

Covers: bodies.orientation.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.interpolate import make_interp_spline

import flexmb as fx
from flexmb.bodies.orientation import rotations
from flexmb.results.joint_reactions import joint_reactions
from tests.support.flexible_mechanisms import cantilever
from tests.support.mechanisms import slider_crank

Array = NDArray[np.float64]
GRAVITY = np.array([0.0, 0.0, -9.81])


def run(folder: Path, data: dict[str, Any], **analysis: Any) -> fx.Result:
    tables = {**data, "analysis": {**data.get("analysis", {}), **analysis}}
    return fx.run_model(fx.Model.from_tables(tables), folder / "out.h5")


def momentum(result: fx.Result, bodies: dict[str, Any]) -> tuple[Array, Array, Array]:
    """Linear and angular momentum about the world origin of rigid bodies, and the sum of m r."""
    p, h, moment = (np.zeros((len(result), 3)) for _ in range(3))
    for name, body in bodies.items():
        R = rotations(result[f"bodies/{name}/quaternion"])
        omega = np.einsum("rij,rj->ri", R, result[f"bodies/{name}/angular_velocity"])
        arm = np.einsum("rij,j->ri", R, np.array(body.get("center", np.zeros(3)), dtype=float))
        place = result[f"bodies/{name}/position"] + arm
        speed = result[f"bodies/{name}/velocity"] + np.cross(omega, arm)
        spin = np.einsum("rij,j,rkj,rk->ri", R, np.array(body["inertia"], dtype=float), R, omega)
        p += body["mass"] * speed
        h += np.cross(place, body["mass"] * speed) + spin
        moment += body["mass"] * place
    return p, h, moment


def rate(times: Array, values: Array) -> Array:
    return np.asarray(make_interp_spline(times, values, k=7).derivative()(times))


@pytest.mark.parametrize("kind", ["joint", "absolute"])
def test_reactions_of_the_ground_are_the_rate_of_momentum(tmp_path: Path, kind: str) -> None:
    data = slider_crank({"default": kind})
    result = run(tmp_path, data, type="kinematic", step=1e-3)
    reactions = joint_reactions(result)
    on_ground = [reactions["bearing"], reactions["slide"]]
    assert all(reaction.first == "ground" for reaction in on_ground)
    p, h, moment = momentum(result, data["bodies"])
    mass = sum(body["mass"] for body in data["bodies"].values())
    force = sum(reaction.force_world for reaction in on_ground) + mass * GRAVITY
    torque = sum(reaction.moment_about(np.zeros(3)) for reaction in on_ground) + np.cross(moment, GRAVITY)
    torque = torque + np.outer(result["motions/drive/effort"], [0.0, -1.0, 0.0])  # the axis of the bearing is -y
    # The spline of order 7 over steps of 1 ms: below 1e-9 inside; at its ends it has less to go by.
    inside = slice(5, -5)
    np.testing.assert_allclose(force[inside], rate(result.time, p)[inside], rtol=0, atol=1e-7 * np.abs(force).max())
    np.testing.assert_allclose(torque[inside], rate(result.time, h)[inside], rtol=0, atol=1e-7 * np.abs(torque).max())


def test_reactions_do_not_depend_on_the_coordinates(tmp_path: Path) -> None:
    # A spatial loop without redundant constraints, so that all reactions are unique.
    found = []
    for kind in ("joint", "absolute"):
        data = slider_crank({"default": kind})
        data["joints"]["pin"] = {
            "type": "universal",
            "bodies": ["crank", "rod"],
            "at": [0.2, 0, 0],
            "axes": ["-y", "z"],
        }
        data["joints"]["wrist"] = {"type": "spherical", "bodies": ["rod", "slider"], "at": [0.8, 0, 0]}
        found.append(joint_reactions(run(tmp_path, data, type="kinematic", step=0.01)))
    assert [*found[0]] == ["bearing", "pin", "wrist", "slide"]
    for first, second in zip(found[0].values(), found[1].values(), strict=True):
        for quantity in ("force_world", "moment_world", "position"):
            # The same linear equations, solved in two ways.
            np.testing.assert_allclose(getattr(first, quantity), getattr(second, quantity), rtol=0, atol=1e-8)


def test_a_body_on_a_turning_ground_is_drawn_inwards(tmp_path: Path) -> None:
    speed, radius, mass = 3.0, 0.4, 2.0
    # A fixed body has no coordinate; a second body that swings freely gives the run something to integrate.
    data = {
        "base": {"rotation": {"axis": "z", "angle": f"{speed}*t"}},
        "bodies": {
            "lump": {"mass": mass, "inertia": [0.01, 0.02, 0.03], "at": [radius, 0, 0]},
            "other": {"mass": 1.0, "inertia": [0.01, 0.01, 0.01]},
        },
        "joints": {
            "weld": {"type": "fixed", "bodies": ["ground", "lump"], "at": [radius, 0, 0]},
            "hinge": {"type": "revolute", "bodies": ["ground", "other"], "at": [0, 0, 0], "axis": "z"},
        },
        "analysis": {"end": 1.0, "step": 0.01},
    }
    result = run(tmp_path, data)
    weld = joint_reactions(result, ["weld"])["weld"]
    angle = speed * result.time
    inward = -mass * speed**2 * radius * np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    np.testing.assert_allclose(weld.force_world, inward, rtol=0, atol=1e-12)
    np.testing.assert_allclose(weld.force, inward[[0] * len(angle)], rtol=0, atol=1e-12)  # the ground turns with it


def test_the_first_marker_turns_with_the_section_of_its_beam(tmp_path: Path) -> None:
    # A lump on the tip of a beam that bends far: the joint's axes turn with the tip, the world's do not.
    data = cantilever(1.0, field="exact")
    mass, gravity = 5.0, np.array([0.0, -9.81, 0.0])
    data["bodies"]["lump"] = {"mass": mass, "inertia": [1e-3, 2e-3, 3e-3], "at": [1.0, 0, 0]}
    data["joints"]["weld"] = {"type": "fixed", "bodies": ["beam", "lump"], "at": [1.0, 0, 0]}
    data["sensors"] = {"acceleration": {"marker": "lump", "quantity": "acceleration"}}
    result = run(tmp_path, data, end=0.5, step=1e-3)
    weld = joint_reactions(result)["weld"]
    newton = mass * (result["sensors/acceleration"] - gravity)
    assert np.abs(weld.force - newton).max() > 1.0  # it has turned
    np.testing.assert_allclose(weld.force_world, newton, rtol=0, atol=1e-6 * np.abs(newton).max())
    np.testing.assert_allclose(weld.position, result["bodies/lump/position"], rtol=0, atol=1e-12)


def test_an_unknown_joint_is_refused(tmp_path: Path) -> None:
    result = run(tmp_path, slider_crank({}), type="kinematic", step=0.1)
    with pytest.raises(fx.InputError, match="no joint 'bering'. Did you mean 'bearing'"):
        joint_reactions(result, ["bering"])
