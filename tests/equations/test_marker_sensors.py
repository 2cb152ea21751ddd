"""Sensors of markers: orientation, angular velocity and acceleration, rates, components, reactions in world axes.

Covers: equations.rotation_vectors, equations.sensors, model.schema.sensor_rates.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fx
from flexmb.errors import InputError

STEP = 1e-3
PLACES = ("position", "velocity", "orientation", "angular-velocity")


def chain(coordinates: str = "joint", **sensors: dict[str, object]) -> fx.Model:
    """A body on a spherical joint, a second one on a universal joint: everything turns in space."""
    model = fx.Model("chain", gravity=(0, 0, -9.81))
    model.rigid("a", mass=1, inertia=(0.1, 0.2, 0.15), at=(0.3, 0, 0))
    model.rigid("b", mass=0.5, inertia=(0.02, 0.03, 0.01), at=(0.7, 0.1, 0))
    model.spherical("ball", model.ground, "a", at=(0, 0, 0))
    model.universal("cross", "a", "b", at=(0.6, 0, 0), axes=("y", "z"))
    model.marker("a", "m", at=(0.5, 0.1, 0.05), orientation={"axis": (1, 2, 3), "angle": "40 deg"})
    model.marker("b", "m", at=(0.8, 0.0, 0.1), axis=(1, 1, 0))
    for name, keys in sensors.items():
        model.sensor(name, **keys)
    model.coordinates(default=coordinates)
    model.analysis(end=0.4, step=STEP, method="rk4")
    return model


def derivative(values: np.ndarray) -> np.ndarray:
    """Of order 4, at the inner rows."""
    return (8.0 * (values[3:-1] - values[1:-3]) - (values[4:] - values[:-4])) / (12.0 * STEP)


@pytest.mark.parametrize("axes", ["world", "marker"])
@pytest.mark.parametrize("coordinates", ["joint", "absolute", "natural"])
def test_a_rate_is_the_derivative(axes: str, coordinates: str) -> None:
    sensors: dict[str, dict[str, object]] = {}
    for quantity in PLACES:
        for component in (None, "magnitude"):
            keys = dict(marker="b.m", relative_to="a.m", quantity=quantity, axes=axes)
            name = f"{quantity} {component or 'all'}".replace(" ", "_").replace("-", "_")
            sensors[name] = {**keys, **({"component": component} if component else {})}
    sensors["apart"] = {"between": ["a.m", "b"]}
    sensors["angle"] = {"joint": "cross", "coordinate": "angle1"}
    sensors |= {f"{name}_rate": {"rate": name} for name in list(sensors)}
    sensors["angle_rate_rate"] = {"rate": "angle_rate"}
    result = fx.run(chain(coordinates, **sensors))
    for name in sensors:
        if f"{name}_rate" not in sensors:
            continue
        values, rate = result[f"sensors/{name}"], result[f"sensors/{name}_rate"]
        # The fifth derivatives are up to 1e6 times the values of the slow first ones: STEP^4 / 30 of it remains.
        assert np.abs(derivative(values) - rate[2:-2]).max() < 2e-7 * max(1.0, np.abs(rate).max()), name


def test_orientation_and_angular_velocity_are_those_of_the_bodies() -> None:
    keys = {"marker": "b", "quantity": "orientation"}
    sensors = {"turn": keys, "own": {**keys, "relative_to": "a", "axes": "marker"}, "far": {**keys, "relative_to": "a"}}
    sensors["w"] = {"marker": "b", "quantity": "angular-velocity"}
    result = fx.run(chain(**sensors))
    R = {name: Rotation.from_quat(result[f"bodies/{name}/quaternion"][:, [1, 2, 3, 0]]) for name in ("a", "b")}
    assert result["turn"] == pytest.approx(R["b"].as_rotvec(), abs=1e-12)
    own = (R["a"].inv() * R["b"]).as_rotvec()
    assert np.linalg.norm(own, axis=1).max() > 0.3  # or there is nothing to see
    assert result["own"] == pytest.approx(own, abs=1e-12)
    assert result["far"] == pytest.approx(R["a"].apply(own), abs=1e-12)
    assert result["w"] == pytest.approx(R["b"].apply(result["bodies/b/angular_velocity"]), abs=1e-12)


def test_reactions_in_world_axes() -> None:
    names = ("fx", "fy", "fz", "mx", "my", "mz")
    sensors = {
        f"{axes}_{name}": {"reaction": "cross", "component": name, "axes": axes}
        for name in names
        for axes in ("world", "marker")
    }
    sensors["plain"] = {"reaction": "cross", "component": "fx"}
    result = fx.run(chain(**sensors))
    assert np.array_equal(result["plain"], result["marker_fx"])
    assert np.array_equal(result["joints/cross/force"][:, 1], result["marker_fy"])
    R = Rotation.from_quat(result["bodies/a/quaternion"][:, [1, 2, 3, 0]])  # the axes of the joint are y and z of a:
    to_body = np.column_stack([(0, 1, 0), (0, 0, 1), (1, 0, 0)]).astype(float)
    for kind in "fm":
        local = np.column_stack([result[f"marker_{kind}{axis}"] for axis in "xyz"])
        world = np.column_stack([result[f"world_{kind}{axis}"] for axis in "xyz"])
        assert world == pytest.approx(R.apply(local @ to_body.T), abs=1e-9 * np.abs(local).max())


def test_components_in_expressions() -> None:
    """A spring to a point by components is the force of a spring-damper without free length."""
    results = []
    for by_components in (True, False):
        model = fx.Model("mass", gravity=(0, 0, -9.81))
        model.rigid("ball", mass=1, inertia=(1, 1, 1), at=(0.3, 0.2, 0))
        model.sensor("r", marker="ball")
        model.sensor("v", rate="r")
        if by_components:
            model.force("pull", "ball", [f"-100*r.{axis} - 2*v.{axis}" for axis in "xyz"])
        else:
            model.force("pull", "ball", [f"-100*r{axis} - 2*v{axis}" for axis in "xyz"])
            for axis in "xyz":
                model.sensor(f"r{axis}", marker="ball", component=axis)
                model.sensor(f"v{axis}", marker="ball", component=axis, quantity="velocity")
        model.coordinates(default="absolute")
        model.analysis(end=0.5, step=1e-3)
        results.append(fx.run(model)["r"])
    assert np.array_equal(*results)
    w = np.sqrt(100 - 1)
    t = np.arange(0, 501) * 1e-3
    decay = np.exp(-t) * (np.cos(w * t) + np.sin(w * t) / w)
    assert results[0][:, 0] == pytest.approx(0.3 * decay, abs=1e-5)  # order 2: (w h)^2 / 12 per radian
    assert results[0][:, 2] == pytest.approx(-9.81 / 100 * (1 - decay), abs=1e-5)


@pytest.mark.parametrize(
    ("sensors", "words"),
    [
        ({"a1": {"rate": "a2"}, "a2": {"rate": "a1"}}, "circular reference between sensors: a1 -> a2 -> a1"),
        ({"a1": {"rate": "a1"}}, "circular reference between sensors: a1 -> a1"),
        ({"a1": {"rate": "none"}}, "no sensor 'none'"),
        ({"a1": {"rate": "f"}, "f": {"reaction": "ball", "component": "fx"}}, "sensor 'f' has no rate"),
        ({"a1": {"rate": "w"}, "w": {"marker": "a", "quantity": "acceleration"}}, "sensor 'w' has no rate"),
        ({"a1": {"rate": "a2"}, "a2": {"rate": "d"}, "d": {"between": ["a", "b"]}}, "'d' has no rate of its rate"),
        ({"a1": {"rate": "d", "component": "x"}, "d": {"marker": "a"}}, "'component'"),
        ({"a1": {"joint": "cross", "coordinate": "angle1", "quantity": "orientation"}}, "not allowed with 'joint'"),
        ({"a1": {"reaction": "ball", "component": "fx", "axes": "body"}}, "Choices: world, marker"),
        ({"a1": {"rate": "a1", "marker": "a"}}, "give only one of them"),
    ],
)
def test_faults(sensors: dict[str, dict[str, object]], words: str) -> None:
    with pytest.raises(InputError) as caught:
        chain(**sensors).check()
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("effort", "words"),
    [
        ("r", "has three components and cannot be used in a force. Write r.x, r.y or r.z."),
        ("r.w", "'r' has no component 'w'"),
        ("d.x", "'d' has no component 'x'"),
        ("q.x", "unknown name 'q.x'"),
        ("acc.x", "measures an acceleration"),
    ],
)
def test_faults_of_components(effort: str, words: str) -> None:
    sensors: dict[str, dict[str, object]] = {"r": {"marker": "a"}, "d": {"between": ["a", "b"]}}
    sensors["v"], sensors["acc"] = {"rate": "r"}, {"rate": "v"}
    model = chain(**sensors)
    model.force("f", "b", [effort, 0, 0])
    with pytest.raises(InputError) as caught:
        model.check()
    assert words in str(caught.value)
