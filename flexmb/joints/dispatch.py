"""Dispatch by joint code: the only place that distinguishes joint types in compiled code. Codes: `flexmb.joints.table`.

Every joint type with coordinates implements the functions of `flexmb.joints.motion` in the file of its name. The
dispatching kernel is built from the table: it halves the range of codes until two types are left.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from flexmb.joints.joint_type import JointType
from flexmb.joints.motion import BIAS_V, BIAS_W, S_V, S_W, R, T
from flexmb.joints.table import JOINT_TYPES, JointCode
from flexmb.machine_code.jit import kernel
from flexmb.vectors import add, cross, load3, load9, rotate_back, scale, store3, store9, sub, transpose

REVOLUTE, SCREW = int(JointCode.REVOLUTE), int(JointCode.SCREW)
_COUNTED = tuple(sum(counted << k for k, counted in enumerate(row.counted)) for row in JOINT_TYPES.values())
"""By code: bit k is set when coordinate k counts turns."""


@kernel
def _no_answer(F, parameters, W, first, second, out):
    """A joint without coordinates leaves its blank record."""


def _split(code_of_second: int, first_half: Any, second_half: Any) -> Any:
    @kernel
    def ask(code, F, parameters, W, first, second, out):
        if code < code_of_second:
            first_half(code, F, parameters, W, first, second, out)
        else:
            second_half(code, F, parameters, W, first, second, out)

    return ask


def _pair(own: int, answer: Any, other: Any) -> Any:
    @kernel
    def ask(code, F, parameters, W, first, second, out):
        if code == own:
            answer(F, parameters, W, first, second, out)
        else:
            other(F, parameters, W, first, second, out)

    return ask


def _asked(question: str, rows: Sequence[JointType]) -> Any:
    """The kernel that asks one of these joint types, by halves."""
    if len(rows) > 2:
        middle = len(rows) // 2
        return _split(int(rows[middle].code), _asked(question, rows[:middle]), _asked(question, rows[middle:]))
    files = [import_module(f"flexmb.joints.{row.name.replace('-', '_')}") if row.n_v else None for row in rows]
    answers = [getattr(file, question, _no_answer) for file in files]
    return _pair(int(rows[0].code), answers[0], answers[-1])


_ROWS = sorted(JOINT_TYPES.values(), key=lambda row: row.code)
motion_into = _asked("motion_into", _ROWS)
"""(code, F, parameters, W, q, v, out): pose, motion subspace and bias at coordinates W[q..] and rates W[v..], to a
blank W[out..]"""
measure_into = _asked("measure_into", _ROWS)
"""(code, F, parameters, W, R, t, out): coordinates from the pose R, t of the second frame in the first, to W[out..]"""


@kernel
def counts_turns(code, k):
    """Whether coordinate k of a joint is an angle that counts turns."""
    return (_COUNTED[code] >> k) & 1 == 1


@kernel
def reverse_into(W, v, n_columns, out):
    """Turn a joint motion round: pose and motion of the first frame seen from the second, same coordinates.

    With R, t, omega, alpha, t_dot, t_ddot of the joint: R' = R^T, t' = -R^T t, omega' = -R^T omega and
    t_ddot' = -R^T (t_ddot - alpha x t - 2 omega x t_dot + omega x (omega x t)).
    """
    pose = load9(W, out + R)
    t = load3(W, out + T)
    omega = (0.0, 0.0, 0.0)
    t_dot = (0.0, 0.0, 0.0)
    for k in range(n_columns):
        s_w = load3(W, out + S_W + 3 * k)
        s_v = load3(W, out + S_V + 3 * k)
        omega = add(omega, scale(W[v + k], s_w))
        t_dot = add(t_dot, scale(W[v + k], s_v))
        store3(W, out + S_W + 3 * k, scale(-1.0, rotate_back(pose, s_w)))
        store3(W, out + S_V + 3 * k, scale(-1.0, rotate_back(pose, add(s_v, cross(t, s_w)))))
    bias_w = load3(W, out + BIAS_W)
    bias_v = sub(load3(W, out + BIAS_V), cross(bias_w, t))
    bias_v = add(bias_v, cross(omega, sub(cross(omega, t), scale(2.0, t_dot))))
    store3(W, out + BIAS_W, scale(-1.0, rotate_back(pose, bias_w)))
    store3(W, out + BIAS_V, scale(-1.0, rotate_back(pose, bias_v)))
    store3(W, out + T, scale(-1.0, rotate_back(pose, t)))
    store9(W, out + R, transpose(pose))
