"""Motions of the orientation of a marker: the rotation vector follows, efforts and energy are right.

Covers: model.schema.orientation_motions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fx
from flexmb.errors import InputError
from flexmb.recursive.recursive_reactions import recursive_reactions

ANGLES = {"x": "1.2*sin(3*t)", "y": "0.8*t^2 - 0.3*t", "z": "0.5*sin(5*t) + 0.4*t"}


def driven(angles: dict[str, str], coordinates: str = "joint", moving: bool = False, **analysis: Any) -> fx.Model:
    """A body in space whose orientation is driven, relative to ground or to a body that turns."""
    model = fx.Model("driven", gravity=(0, 0, -9.81))
    model.rigid("table", mass=3, inertia=(0.2, 0.3, 0.4))
    model.revolute("axle", model.ground, "table", at=(0, 0, 0), axis=(0, 1, 1))
    model.motion("turn", {"expression": "0.7*t"}, joint="axle")
    model.rigid("head", mass=1, inertia=(0.1, 0.2, 0.15), at=(0.1, 0.02, 0.03))
    model.spherical("ball", "table", "head", at=(0, 0, 0))
    model.marker("head", "m", at=(0.2, 0, 0))
    model.marker("table", "m", at=(0, 0, 0))
    for axis, function in angles.items():
        model.motion(
            f"about_{axis}",
            {"expression": function},
            marker="head.m",
            about=axis,
            relative_to="table.m" if moving else "ground",
        )
    model.coordinates(default=coordinates)
    model.analysis(**{"end": 1.0, "step": 2e-3, **analysis})
    return model


def wanted(t: np.ndarray) -> np.ndarray:
    return np.column_stack([1.2 * np.sin(3 * t), 0.8 * t**2 - 0.3 * t, 0.5 * np.sin(5 * t) + 0.4 * t])


@pytest.mark.parametrize("moving", [False, True])
@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
def test_the_rotation_vector_follows(coordinates: str, moving: bool) -> None:
    model = driven(ANGLES, coordinates, moving)
    result = fx.run(model)
    R = {name: Rotation.from_quat(result[f"bodies/{name}/quaternion"][:, [1, 2, 3, 0]]) for name in ("table", "head")}
    relative = R["table"].inv() * R["head"] if moving else R["head"]
    assert relative.as_rotvec() == pytest.approx(wanted(result.time), abs=1e-9)
    energy = result["energy/kinetic"] + result["energy/potential"] - result["energy/work/total"]
    # The work is summed over steps by order 2 as the motion itself: some (5 h)^2 / 12 of the work.
    assert np.ptp(energy) < 1e-4 * np.ptp(result["energy/work/about_x"])


def test_efforts_are_the_derivative_of_the_power() -> None:
    """Efforts against rotation vectors: P = sum of effort times rate of the component, by an independent recursion."""
    model = driven(ANGLES, moving=True, type="kinematic")
    result = fx.run(model)
    again = recursive_reactions(result, model)
    for axis in "xyz":
        effort = result[f"motions/about_{axis}/effort"]
        assert np.abs(again.efforts[f"about_{axis}"] - effort).max() < 1e-6 * np.abs(effort).max()
    t, h = result.time, result.time[1] - result.time[0]
    rate = np.gradient(wanted(t), h, axis=0, edge_order=2)
    power = sum(result[f"motions/about_{axis}/effort"] * rate[:, k] for k, axis in enumerate("xyz"))
    power += result["motions/turn/effort"] * 0.7
    energy = result["energy/kinetic"] + result["energy/potential"]
    # Central differences of h = 2e-3 s: 125 h^2 / 6 of the fastest sine.
    assert np.abs(np.gradient(energy, h)[2:-2] - power[2:-2]).max() < 2e-4 * np.abs(power).max()


def test_one_component_alone_about_a_fixed_axis() -> None:
    model = fx.Model("rotor")
    model.rigid("disc", mass=1, inertia=(1, 2, 3))
    model.revolute("axle", model.ground, "disc", at=(0, 0, 0), axis="z")
    model.motion("drive", {"expression": "0.6*sin(2*t)"}, marker="disc", about="z")
    model.analysis(type="kinematic", end=2, step=1e-2)
    result = fx.run(model)
    t = result.time
    assert result["joints/axle/position"] == pytest.approx(0.6 * np.sin(2 * t), abs=1e-10)
    assert result["motions/drive/effort"] == pytest.approx(-3 * 2.4 * np.sin(2 * t), abs=1e-8)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"along": "x"}, "along and about"),
        ({"about": None}, "needs 'along' or 'about'"),
        ({"about": "u"}, "about"),
        ({"expression": "4*t"}, "the rotation vector is 180.2 deg at t = 0.786 s"),
        ({"expression": "3 mm"}, "is a length, but an angle is needed"),
        ({"joint": "axle", "marker": None}, "only for the motion of a marker"),
        ({"name": "about_x2"}, "drive the same component"),
    ],
)
def test_faults(changes: dict[str, Any], words: str) -> None:
    model = driven({"x": "0.1*t"})
    keys = {"marker": "head.m", "about": "y", "expression": "t", **changes}
    if "name" in changes:
        keys["about"] = "x"
    model._put("motions", "more", {key: value for key, value in keys.items() if key != "name"})
    with pytest.raises(InputError) as caught:
        model.check()
    assert words in str(caught.value)


def test_what_does_not_cover_it_says_so() -> None:
    with pytest.raises(InputError, match="natural coordinates do not support the motion 'about_x' of an orientation"):
        fx.run(driven(ANGLES, "natural"))
    with pytest.raises(InputError, match="drives an orientation, which has no symbolic form"):
        fx.equations_of(driven(ANGLES))
    with pytest.raises(InputError, match="the forward check has no force"):
        fx.forward_check(fx.inverse_model(driven(ANGLES)))
