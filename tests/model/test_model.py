"""The Python builder, the joint table and the schema: the same objects as in a model file.

Covers: model.model_joints, model.model_loads, model.model_text, model.schema.joints, model.schema.loads.
"""

from __future__ import annotations

import math
from typing import get_args

import numpy as np
import pytest

from flexmb.errors import InputError
from flexmb.joints.table import JOINT_TYPES
from flexmb.model.model import Model
from flexmb.model.model_file import parse_model
from flexmb.model.model_loads import constant_speed
from flexmb.model.schema import read_spec
from flexmb.model.schema.joints import JointName


def test_joint_table_is_consistent() -> None:
    assert tuple(JOINT_TYPES) == get_args(JointName)
    for code, joint_type in enumerate(JOINT_TYPES.values()):
        assert joint_type.code == code
        assert len(joint_type.kinds) == joint_type.n_v
        quaternions = joint_type.n_q - joint_type.n_v
        assert quaternions == {"spherical": 1, "free": 1, "point-on-line": 1, "distance": 3}.get(joint_type.name, 0)
        if joint_type.branch:
            assert joint_type.n_v + joint_type.n_rows == 6


ORIENTATIONS = [
    ({"axis": "z", "angle": "90 deg"}, [[0, -1, 0], [1, 0, 0], [0, 0, 1]]),
    ({"xyz": [math.pi / 2, math.pi / 2, 0]}, [[0, 0, 1], [1, 0, 0], [0, 1, 0]]),
    ([[0, -1, 0], [1, 0, 0], [0, 0, 1]], [[0, -1, 0], [1, 0, 0], [0, 0, 1]]),
]


@pytest.mark.parametrize(("given_as", "matrix"), ORIENTATIONS)
def test_orientations(given_as: object, matrix: list[list[float]]) -> None:
    model = Model()
    model.rigid("a", mass=1, inertia=(1, 1, 1), orientation=given_as)
    assert np.allclose(model.spec.bodies["a"].orientation, matrix, atol=1e-15)


@pytest.mark.parametrize(
    "wrong", [{"axis": "z"}, {"xyz": [1, 2]}, {"xzy": [1, 2, 3]}, [[1, 0, 0]] * 3, 3, np.eye(3) * 2]
)
def test_wrong_orientations(wrong: object) -> None:
    model = Model()
    model.rigid("a", mass=1, inertia=(1, 1, 1), orientation=wrong)
    with pytest.raises(InputError, match=r"bodies\.a\.orientation"):
        model.check()


def python_model() -> Model:
    model = Model("every joint", gravity=(0, 0, -9.81))
    a, b = model.points(A=(0, 0, 0), B=np.array([1.0, 0, 0]))
    g, one, two = model.ground, "one", "two"
    model.rigid(one, mass="1 kg", rod=(a, b))
    model.rigid(two, mass=2, inertia=np.diag([1.0, 1, 1]), at=b, center=(0, 0, 0.1), rotor=(0, 0, 3))
    tip = model.marker(two, "tip", at=(0, 0, 1), axis="x")
    base = model.marker(g, "base", at=a, orientation={"axis": "z", "angle": 1})
    model.fixed("fixed", g, one)
    model.revolute("revolute", g, one, at=a, axis="y", motion=constant_speed("10 rpm"))
    model.prismatic("prismatic", base, tip)
    model.cylindrical("cylindrical", g, one, at=a, axis="z", motion=constant_speed(1), coordinate="angle")
    model.screw("screw", g, one, at=a, axis="z", lead="5 mm")
    model.universal("universal", one, two, at=b, axes=("y", "z"), position=(0.1, 0.2))
    model.spherical("spherical", one, two, at=b, velocity=(1, 2, 3))
    model.planar("planar", one, two, at=b, axis="z")
    model.free("free", one, two, tree=False)
    model.pin_in_slot("pin", one, two, at=b, axis="z", slot="x")
    model.point_on_line("line", one, two, at=b, line="x")
    model.distance("distance", one, two, at=(a, b))
    model.rolling("rolling", g, two, at=a, normal="z", axis="y", radius=0.3)
    model.force("force", tip, ("sin(t)", 0, "gap"), axes="marker")
    model.spring_damper("spring", g, tip, stiffness=10, damping=1, length=0.1)
    model.joint_spring("torsion", "universal", "angle2", table=[[-1, -2], [1, 2]])
    model.friction("friction", "planar", "x", coulomb=1, transition="1 mm/s")
    model.actuator("actuator", "revolute", effort="2 N*m")
    model.sensor("gap", between=(g, tip))
    model.base(acceleration=(0, "sin(t)", 0), rotation={"axis": "z", "angle": "0.1*t"})
    model.coordinates(absolute=(two,), chords=("planar",))
    model.analysis(end=1, step=1e-3)
    model.output(every=0.01)
    return model


def test_python_model_equals_its_text() -> None:
    model = python_model()
    again = parse_model(model.to_toml())
    assert again.spec == model.spec
    assert model.text == model.to_toml() and again.text == model.text
    assert model.spec.joints["prismatic"].markers == ("ground.base", "two.tip")
    assert model.spec.motions["revolute"].function(1.0) == pytest.approx(math.pi / 3)


def test_python_model_faults_come_together() -> None:
    model = python_model()
    model.rigid("one", mass=1, inertia=(1, 1, 1))
    model.universal("u2", "one", "two", at="B", axes=("x", (1, 1, 0)))
    with pytest.raises(InputError) as caught:
        model.check()
    assert "the name 'one' is used twice in bodies" in str(caught.value)
    assert "joint 'u2': the two axes of a universal joint must be at right angles" in str(caught.value)


def test_every_joint_refuses_foreign_keys() -> None:
    keys = {
        "axis": "z",
        "axes": ["x", "y"],
        "slot": "x",
        "line": "x",
        "normal": "z",
        "lead": 1,
        "length": 1,
        "radius": 1,
    }
    for joint_type in JOINT_TYPES.values():
        own = {*joint_type.directions, *joint_type.numbers, *joint_type.optional}
        body = {"mass": 1, "inertia": [1, 1, 1]}
        joint = {
            "type": joint_type.name,
            "bodies": ["a", "b"],
            "at": [[0, 0, 0]] * 2 if joint_type.at == "pair" else [0, 0, 0],
        }
        tables = {"bodies": {"a": body, "b": body}, "joints": {"j": {**joint, **{key: keys[key] for key in own}}}}
        read_spec(tables)
        with pytest.raises(InputError) as caught:
            read_spec({**tables, "joints": {"j": {**joint, **keys}}})
        assert {fault.path[-1] for fault in caught.value.faults} == keys.keys() - own
        needed = {*joint_type.directions, *joint_type.numbers}
        if needed:
            with pytest.raises(InputError) as caught:
                read_spec({**tables, "joints": {"j": joint}})
            assert {fault.path[-1] for fault in caught.value.faults} == needed


def test_tables_with_numpy_numbers_and_none_are_written_as_toml():
    tables = {
        "bodies": {"b": {"mass": np.float64(1.0), "inertia": np.ones(3), "at": list(np.array([0.0, 0.1, 0.0]))}},
        "joints": {"pin": {"type": "revolute", "bodies": ["ground", "b"], "at": [0, 0, 0], "axis": "z"}},
        "analysis": {"end": 0.1, "step": None, "tolerance": 1e-6, "method": "rk45"},
    }
    model = Model.from_tables(tables)
    again = parse_model(model.to_toml())
    assert again.spec.bodies["b"].at == (0.0, 0.1, 0.0) and again.spec.analysis.step is None
