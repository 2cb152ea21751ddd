"""From a checked model to flat arrays: the tree and its order, channels, rows, loads, scales. Nothing is compiled.

Covers: system.records.channels, system.records.loads, system.records.packing, system.records.rows, system.records.tree,
system.system, system.topology.
"""

from __future__ import annotations

from math import prod
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from flexmb.analyses.preparation import prepare
from flexmb.errors import InputError
from flexmb.joints.table import JOINT_TYPES
from flexmb.layout import flat_arrays as L
from flexmb.model.units import parse_unit
from flexmb.results.channel_columns import named_channels
from flexmb.system.build import build_system
from flexmb.system.records.loads import expression_sensors
from flexmb.system.records.tree import position_coordinates, quaternion
from flexmb.system.system import System
from tests.support.mechanisms import TREE_JOINTS, joint_keys, random_tree, slider_crank, spec_of

BODY = {"mass": 1.0, "inertia": [1.0, 1.0, 1.0]}


def crank(coordinates: dict[str, Any]) -> dict[str, Any]:
    """The slider-crank without an analysis."""
    data = slider_crank(coordinates)
    del data["analysis"]
    return data


def every_joint(coordinates: dict[str, Any] | None = None) -> System:
    """A random tree holding every joint type, with a motion, loads and every kind of sensor."""
    data = random_tree(np.random.default_rng(3), coordinates=coordinates or {})
    data["motions"] = {
        "drive": {"joint": "joint0", "rate": 1.0},
        "lift": {"marker": "body3.tip", "along": "z", "rate": 0},
    }
    data["forces"] = {
        "push": {"type": "force", "marker": "body2.tip", "vector": [0, 0, "3*reach"]},
        "brake": {"type": "friction", "joint": "joint1", "viscous": 2.0},
        "spring": {"type": "joint-spring", "joint": "joint0", "stiffness": 3.0},
    }
    data["sensors"] = {
        "load": {"reaction": "joint4", "component": "mx"},
        "tip": {"marker": "body5.tip", "quantity": "acceleration"},
        "reach": {"between": ["body2.tip", "ground"], "quantity": "distance"},
        "turn": {"joint": "joint0", "quantity": "velocity"},
        "effort": {"motion": "drive"},
        "grip": {"force": "brake"},
    }
    return build_system(spec_of(data))


@pytest.mark.parametrize("default", ["joint", "absolute"])
def test_channels_fill_the_output_row(default: str) -> None:
    """Every column of a row belongs to exactly one channel; paths are unique, units are units."""
    system = every_joint({"default": default})
    paths = [channel.path for channel in system.channels]
    assert len(set(paths)) == len(paths)
    assert paths[0] == "time" and paths[-2:] == ["solver/step", "solver/iterations"]
    start = 0
    for channel in system.channels:
        assert channel.start == start and channel.text
        start += prod(channel.shape)
        for unit in channel.unit.split(", "):
            assert unit == "1" or parse_unit(unit)
    assert start == system.ints[L.N_OUT]
    for name in system.mechanism.body_index:
        wanted = {f"bodies/{name}/{what}" for what in ("position", "quaternion", "velocity", "angular_velocity")}
        assert wanted <= set(paths) or name == "ground"
    copied = system.ints[system.ints[L.COPIES] :].reshape(-1)[: 2 * system.ints[L.N_COPIES]].reshape(-1, 2)
    assert copied[:, 1].sum() == start - 2  # the solver fills the last two
    assert np.all(copied[:, 0] + copied[:, 1] <= system.n_work)


@pytest.mark.parametrize("default", ["joint", "absolute"])
def test_every_column_has_a_name_and_a_unit(default: str) -> None:
    system = every_joint({"default": default})
    for channel in named_channels(system):
        if channel.columns:
            assert len(set(channel.columns)) == len(channel.columns) == max(1, prod(channel.shape))
            assert len(channel.unit.split(", ")) == len(channel.columns)
    columns = {channel.path: channel for channel in named_channels(system)}
    assert len(columns["coordinates/q"].columns) == system.n_q
    assert columns["coordinates/v"].columns == system.coordinates


def test_units_of_channels() -> None:
    system = every_joint()
    units = {channel.path: channel.unit for channel in system.channels}
    kinds = dict(zip(TREE_JOINTS, range(len(TREE_JOINTS)), strict=True))
    assert units[f"joints/joint{kinds['revolute']}/position"] == "rad"
    assert units[f"joints/joint{kinds['prismatic']}/velocity"] == "m/s"
    assert units[f"joints/joint{kinds['cylindrical']}/acceleration"] == "m/s^2, rad/s^2"
    assert units[f"joints/joint{kinds['spherical']}/position"] == "1"
    assert units[f"joints/joint{kinds['free']}/position"] == "m, 1"
    assert f"joints/joint{kinds['fixed']}/position" not in units
    sensors = {name: units[f"sensors/{name}"] for name in ("load", "tip", "reach", "turn", "effort", "grip")}
    assert sensors == {
        "load": "N*m", "tip": "m/s^2", "reach": "m", "turn": "rad/s", "effort": "N*m", "grip": "N",
    }  # fmt: skip
    assert system.channel("sensors/tip").shape == (3,) and system.channel("sensors/load").shape == ()
    assert units["motions/drive/effort"] == "N*m" and units["motions/lift/effort"] == "N"


def test_coordinates_stand_in_the_order_of_the_recursion() -> None:
    """Parents before children; the coordinates of a joint together, under its name and in the order of its table."""
    system = every_joint()
    seen = {0}
    names: list[str] = []
    for branch in system.topology.branches:
        assert branch.parent in seen and branch.joint is not None
        seen.add(branch.body)
        joint = system.mechanism.joints[branch.joint]
        ends = [system.mechanism.markers[end].body for end in (joint.first, joint.second)]
        assert ends == ([branch.body, branch.parent] if branch.reversed else [branch.parent, branch.body])
        names += [f"{joint.name}.{name}" for name in joint.type.coordinates]
    assert system.coordinates == tuple(names) and len(seen) == len(TREE_JOINTS) + 1
    assert system.n_q == sum(JOINT_TYPES[kind].n_q for kind in TREE_JOINTS)
    np.testing.assert_array_equal(system.scales != 1.0, [kind == "length" for kind in system.coordinate_kinds])
    assert not system.topology.chords


def test_absolute_bodies_are_free_and_their_joints_chords() -> None:
    system = every_joint({"default": "absolute"})
    n = len(TREE_JOINTS)
    assert system.coordinates[:6] == tuple(f"body0.{name}" for name in JOINT_TYPES["free"].coordinates)
    assert (system.n_q, system.n_v) == (7 * n, 6 * n)
    assert system.topology.chords == tuple(range(n))
    chord_rows = [row for row in system.rows if not row.is_motion]
    assert len(chord_rows) == sum(JOINT_TYPES[kind].n_rows for kind in TREE_JOINTS)
    for number, kind in enumerate(TREE_JOINTS):
        assert sum(row.owner == f"joint{number}" for row in system.rows) == JOINT_TYPES[kind].n_rows
    # Bodies without given velocities stand as drawn.
    body = system.mechanism.bodies[1]
    np.testing.assert_allclose(system.q0[:3], body.p_wb)
    np.testing.assert_allclose(np.abs(system.q0[3:7] @ quaternion(body.R_wb)), 1.0)
    assert not system.v0.any() and not system.fixed_q.any()


def test_mixed_coordinates() -> None:
    system = build_system(spec_of(crank({"absolute": ["rod"]})))
    assert {name.partition(".")[0] for name in system.coordinates} == {"bearing", "rod", "slide"}
    assert system.n_v == 1 + 6 + 1
    assert {system.mechanism.joints[chord].name for chord in system.topology.chords} == {"pin", "wrist"}


def test_rows_are_named_and_dropped_by_number() -> None:
    """Position rows stand before velocity rows; a dropped row is gone, the others keep their order."""
    rng = np.random.default_rng(0)
    disc = {**BODY, "at": [0, 0, 0.3]}
    rolling = {
        "type": "rolling",
        "bodies": ["ground", "disc"],
        "at": [0, 0, 0],
        "normal": "z",
        "axis": "y",
        "radius": 0.3,
    }
    pin = {**joint_keys("revolute", rng), "bodies": ["ground", "arm"], "tree": False}
    data = {"bodies": {"disc": disc, "arm": BODY}, "joints": {"contact": rolling, "pin": pin}}
    data["motions"] = {"drive": {"joint": "pin", "rate": 2.0}}
    system = build_system(spec_of(data))
    assert [row.on_velocity for row in system.rows] == [False] * 7 + [True] * 2
    assert system.ints[L.N_POS_ROWS] == 7
    assert [(row.owner, row.text, row.unit) for row in system.rows if row.owner == "contact"] == [
        ("contact", "contact height", "m"),
        ("contact", "sliding", "m/s"),
        ("contact", "sliding", "m/s"),
    ]
    assert [row.text for row in system.rows[1:4]] == [f"offset along {axis}" for axis in "xyz"]
    assert [row.text for row in system.rows if row.is_motion] == ["pin.angle"]
    fewer = build_system(spec_of(data), dropped=[2, 4])
    assert fewer.row_numbers == (0, 1, 3, 5, 6, 7, 8) and fewer.n_rows == 7
    assert fewer.dropped == (system.all_rows[2], system.all_rows[4]) and fewer.all_rows == system.all_rows


def test_sensors_of_loads_are_evaluated_first() -> None:
    system = every_joint()
    first = int(system.ints[L.SENSORS])
    assert system.ints[L.N_EARLY_SENSORS] == 1
    assert system.ints[first + L.SE_KIND] == L.SENSE_DISTANCE
    data = {"bodies": {"b": BODY}, "sensors": {"d": {"between": ["b", "ground"], "quantity": "distance"}}}
    assert expression_sensors(spec_of(data)) == set()


def test_works_have_names_of_their_own() -> None:
    """Motions, forces that do work and the base; a name that is taken is told by its kind."""
    data = crank({})
    data["forces"] = {
        "drive": {"type": "friction", "joint": "pin", "viscous": 1.0},
        "total": {"type": "force", "marker": "slider", "vector": [1, 0, 0]},
        "spring": {"type": "joint-spring", "joint": "pin", "stiffness": 1.0},
    }
    data["base"] = {"acceleration": ["sin(t)", 0, 0]}
    system = build_system(spec_of(data))
    works = [c.path.removeprefix("energy/work/") for c in system.channels if c.path.startswith("energy/work/")]
    assert works == ["drive", "drive (force)", "total (force)", "base", "total"]


@pytest.mark.parametrize(
    ("bodies", "scale"),
    [
        ({"a": BODY}, 1.0),  # one point has no size
        ({"a": BODY, "b": {**BODY, "at": [0, -3.0, 0]}}, 3.0),
        ({"a": {**BODY, "markers": {"tip": {"at": [0.002, 0, 0]}}}}, 0.002),
    ],
)
def test_length_scale_is_the_size_of_the_mechanism(bodies: dict[str, Any], scale: float) -> None:
    assert build_system(spec_of({"bodies": bodies})).length_scale == pytest.approx(scale)


def test_initial_values_of_joints() -> None:
    ball = {
        "type": "spherical",
        "bodies": ["ground", "b"],
        "at": [0, 0, 0],
        "position": [0, 0, 0.6],
        "velocity": [1, 2, 3],
    }
    system = build_system(spec_of({"bodies": {"b": BODY}, "joints": {"ball": ball}}))
    np.testing.assert_allclose(system.q0, [np.cos(0.3), 0, 0, np.sin(0.3)])
    np.testing.assert_allclose(system.v0, [1, 2, 3])
    assert system.fixed_q.all() and system.fixed_v.all()
    for angle in (0.0, 1e-9, np.pi, 5.0):
        q = position_coordinates(JOINT_TYPES["free"], (1.0, 2.0, 3.0, 0.0, angle, 0.0))
        np.testing.assert_allclose(q, [1, 2, 3, np.cos(angle / 2), 0, np.sin(angle / 2), 0], atol=1e-15)


def test_workspace_starts_with_the_initial_state() -> None:
    system = every_joint()
    work = system.workspace()
    np.testing.assert_array_equal(system.view(work, L.Q, system.n_q), system.q0)
    np.testing.assert_array_equal(system.view(work, L.V, system.n_v), system.v0)
    assert len(work) == system.n_work


@pytest.mark.parametrize(
    ("coordinates", "message"),
    [
        (
            {"absolute": ["crank"], "branches": ["bearing"]},
            "coordinates: the joint 'bearing' cannot be in the tree with absolute coordinates for 'crank': they close "
            "a loop. Let the joint be a chord, or give 'crank' joint coordinates.",
        ),
        (
            {"absolute": ["crank", "slider"], "branches": ["pin", "wrist"]},
            "coordinates: the joints 'wrist', 'pin' cannot all be in the tree with absolute coordinates for 'slider', "
            "'crank': they close a loop. Let one of the joints be a chord, or give one of the bodies joint "
            "coordinates.",
        ),
        (
            {"branches": ["bearing", "pin", "wrist", "slide"]},
            "coordinates: the joints 'slide', 'wrist', 'pin', 'bearing' cannot all be in the tree: they close a loop. "
            "Let one of the joints be a chord.",
        ),
    ],
)
def test_wishes_for_the_tree_that_exclude_each_other(coordinates: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        build_system(spec_of(crank(coordinates)))
    assert str(caught.value) == message


@pytest.mark.parametrize("default", ["joint", "absolute"])
@pytest.mark.parametrize("key", ["velocity", "angular_velocity"])
def test_rates_of_a_body_that_a_joint_carries_are_refused(key: str, default: str) -> None:
    """They would have no effect: the start is that of the joints, whatever the coordinates."""
    body = {"mass": 1.0, "inertia": [1.0, 1.0, 1.0], key: [0.0, 1.0, 0.0]}
    joint = {"type": "revolute", "bodies": ["ground", "b"], "at": [0, 0, 0], "axis": "y"}
    tables = {"bodies": {"b": body}, "joints": {"j": joint}, "coordinates": {"default": default}}
    with pytest.raises(InputError, match="carried by joint 'j'.*Give 'velocity' of joint 'j'"):
        prepare(SimpleNamespace(spec=spec_of(tables)))
    body[key] = [0.0, 0.0, 0.0]
    prepare(SimpleNamespace(spec=spec_of(tables)))
    prepare(SimpleNamespace(spec=spec_of({"bodies": {"b": body | {key: [0.0, 1.0, 0.0]}}})))
