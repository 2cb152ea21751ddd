"""The joint table against everything that states the same facts in another way: kernels, symbols, subspaces, methods.

A row says how a joint moves (motions) and what it holds (conditions). Both are checked against the compiled pose at
random coordinates, with the conditions written out once more here.

Covers: joints.joint_type, joints.table.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable

import numpy as np
import pytest

from flexmb.axes import AXES
from flexmb.joints import motion as record
from flexmb.joints.dispatch import counts_turns, measure_into, motion_into
from flexmb.joints.joint_type import JointType
from flexmb.joints.table import JOINT_TYPES, JointCode
from flexmb.model.model_joints import JointMethods
from flexmb.recursive.joint_subspaces import subspace
from flexmb.symbolic.engine import as_expression
from flexmb.symbolic.joints import joint_motion
from flexmb.system.mechanism import PlacedJoint
from flexmb.view.geometry.joint_symbols import DRAWINGS

MOVING = [row for row in JOINT_TYPES.values() if row.n_v]
PARAMETER = 0.37
"""Advance per radian [m], length or radius [m]"""
EPS = 1e-14


def stored(row: JointType, rng: np.random.Generator) -> np.ndarray:
    """Random coordinates with unit quaternions."""
    q = rng.uniform(-1.2, 1.2, row.n_q)
    for block in row.quaternions:
        q[block.q : block.q + 4] /= np.linalg.norm(q[block.q : block.q + 4])
    return q


class Moved:
    """Pose, subspace and bias of a joint by its kernel."""

    def __init__(self, row: JointType, q: np.ndarray, v: np.ndarray):
        W = np.concatenate([q, v, np.zeros(record.SIZE)])
        out = len(q) + len(v)
        record.clear(W, out, row.n_v)
        motion_into(int(row.code), np.array([PARAMETER]), 0, W, 0, len(q), out)
        W = W[out:]
        self.R, self.t = W[record.R : record.R + 9].reshape(3, 3), W[record.T : record.T + 3]
        self.S_w, self.S_v = (W[at : at + 3 * row.n_v].reshape(-1, 3) for at in (record.S_W, record.S_V))
        self.bias_w, self.bias_v = W[record.BIAS_W : record.BIAS_W + 3], W[record.BIAS_V : record.BIAS_V + 3]


def residuals(row: JointType, R: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Conditions of a joint at a pose of its second frame."""
    of_type: dict[str, Callable[[int, int], float]] = {
        "offset": lambda i, j: t[i],
        "angle": lambda i, j: R[i, j],
        "distance": lambda i, j: np.linalg.norm(t) - PARAMETER,
        "advance": lambda i, j: math.sin(math.atan2(R[1, 0], R[0, 0]) - t[2] / PARAMETER),
    }
    return np.array([of_type[condition.type](condition.i, condition.j) for condition in row.conditions])


def turned(R: np.ndarray, w: np.ndarray) -> np.ndarray:
    """R after a turn by the vector w, axes of the first frame."""
    angle = np.linalg.norm(w)
    if angle == 0.0:
        return R
    K = np.cross(np.eye(3), w / angle)  # K x = w x / angle
    return np.asarray((np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K) @ R)


def test_codes_are_the_order_of_the_table_and_of_the_names() -> None:
    assert [row.code for row in JOINT_TYPES.values()] == list(JointCode)
    assert [code.name.lower().replace("_", "-") for code in JointCode] == list(JOINT_TYPES)


@pytest.mark.parametrize("row", JOINT_TYPES.values(), ids=JOINT_TYPES)
def test_a_row_is_complete(row: JointType) -> None:
    types = [motion.type for motion in row.motions]
    assert types == sorted(types, key=lambda name: name != "slide"), "slides come first"
    assert len(set(row.coordinates)) == row.n_v and all(motion.axis in range(3) for motion in row.motions)
    assert row.branch is bool(row.n_v + row.n_rows == 6)
    on_velocity = [condition.on_velocity for condition in row.conditions]
    assert on_velocity == sorted(on_velocity), "conditions at velocity level come last"
    named = {name for names in re.findall(r"\[([\w, ]+)\]", row.text) for name in names.split(", ")} - {"m", "0", "1"}
    assert named <= set(row.coordinates)
    assert row.name in DRAWINGS


@pytest.mark.parametrize("row", MOVING, ids=lambda row: row.name)
def test_motions_keep_the_conditions_and_nothing_else_does(row: JointType) -> None:
    """The compiled pose satisfies the conditions at any coordinates, its subspace leaves them, and the gradients of
    the conditions with the subspace span all six directions."""
    rng = np.random.default_rng(int(row.code))
    for _ in range(5):
        q, v = stored(row, rng), rng.normal(size=row.n_v)
        at = Moved(row, q, v)
        assert np.abs(residuals(row, at.R, at.t)).max(initial=0.0) < EPS
        h, gradient = 1e-6, np.zeros((row.n_rows, 6))
        for k, d in enumerate(h * np.eye(6)):
            high = residuals(row, turned(at.R, d[3:]), at.t + d[:3])
            gradient[:, k] = (high - residuals(row, turned(at.R, -d[3:]), at.t - d[:3])) / (2 * h)
        S = np.hstack([at.S_v, at.S_w])
        assert np.abs(gradient @ S.T).max(initial=0.0) < 1e-8  # central differences: h^2
        assert np.linalg.matrix_rank(np.vstack([gradient, S]), tol=1e-3) == 6


@pytest.mark.parametrize("row", MOVING, ids=lambda row: row.name)
def test_coordinates_are_measured_as_they_are_set(row: JointType) -> None:
    rng = np.random.default_rng(5)
    q = stored(row, rng)
    at = Moved(row, q, np.zeros(row.n_v))
    W = np.zeros(row.n_q)
    measure_into(int(row.code), np.array([PARAMETER]), 0, W, tuple(at.R.ravel()), tuple(at.t), 0)
    again = Moved(row, W, np.zeros(row.n_v))
    assert np.allclose(again.R, at.R, rtol=0, atol=EPS) and np.allclose(again.t, at.t, rtol=0, atol=EPS)
    plain = [k for k in range(row.n_q) if not any(block.q <= k < block.q + 4 for block in row.quaternions)]
    assert np.allclose(W[plain], q[plain], rtol=0, atol=EPS)


@pytest.mark.parametrize("row", MOVING, ids=lambda row: row.name)
def test_subspaces_and_symbols_say_what_the_kernels_say(row: JointType) -> None:
    rng = np.random.default_rng(6)
    q, v = stored(row, rng), rng.normal(size=row.n_v)
    at = Moved(row, q, v)
    joint = PlacedJoint("j", row, 0, 0, (PARAMETER,), None, None)
    S = subspace(joint, at.R[None], q[None], v[None])
    for name in ("S_w", "S_v", "bias_w", "bias_v"):
        assert np.allclose(getattr(S, name)[0], getattr(at, name), rtol=0, atol=EPS), name
    symbols = joint_motion(
        row, [as_expression(PARAMETER)], [as_expression(x) for x in q], [as_expression(x) for x in v]
    )
    for name in ("R", "t", "S_w", "S_v", "bias_w", "bias_v"):
        value = np.array(getattr(symbols, name), dtype=float)
        assert np.allclose(value, getattr(at, name), rtol=0, atol=4 * EPS), name
    assert np.allclose(np.array(symbols.turns, dtype=float), at.S_w @ at.R, rtol=0, atol=4 * EPS)
    assert np.allclose(np.array(symbols.bias_turn, dtype=float), at.bias_w @ at.R, rtol=0, atol=4 * EPS)


@pytest.mark.parametrize("row", JOINT_TYPES.values(), ids=JOINT_TYPES)
def test_free_axes_are_those_of_the_motions(row: JointType) -> None:
    """A rod and a rolling disc hold no axis by themselves; a screw does not slide by itself."""
    slides = {AXES[motion.axis] for motion in row.motions_of("slide")}
    turns = {AXES[motion.axis] for motion in row.motions_of("turn", "screw")}
    if row.motions_of("rod") or not row.branch:
        slides = set(AXES)
    if row.motions_of("ball") or not row.branch:
        turns = set(AXES)
    assert set(row.free_slides) == slides and set(row.free_turns) == turns


def test_turns_are_counted_of_turns_but_not_of_screws() -> None:
    counted = {(row.name, n) for row in MOVING for k, n in enumerate(row.coordinates) if counts_turns(int(row.code), k)}
    assert counted == {(row.name, n) for row in MOVING for motion in row.motions_of("turn") for n in motion.names}
    assert {("revolute", "angle"), ("universal", "angle2")} < counted and ("screw", "angle") not in counted


@pytest.mark.parametrize("row", JOINT_TYPES.values(), ids=JOINT_TYPES)
def test_every_joint_is_a_method_of_the_model(row: JointType) -> None:
    """Its keys are those of the row, its help is the sentence of the row."""
    method = getattr(JointMethods, row.name.replace("-", "_"))
    parameters = inspect.signature(method).parameters.values()
    assert [p.name for p in parameters][:4] == ["self", "name", "first", "second"]
    keys = {p.name: p for p in parameters if p.kind is p.KEYWORD_ONLY}
    assert keys.keys() == {"at", *row.directions, *row.parameters}
    assert {name for name, p in keys.items() if p.default is p.empty} == set(row.numbers)
    assert any(p.kind is p.VAR_KEYWORD for p in parameters) is row.branch
    assert inspect.getdoc(method) == row.text
