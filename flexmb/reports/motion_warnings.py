"""Warnings about prescribed motions: splines that overshoot, tables too sudden for the steps, jumps.

Enters: a checked model; leaves: `WarningRecord`s, known before the run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from flexmb.model.expressions.evaluation import OPERATORS
from flexmb.model.expressions.interpolation import Overshoot, overshoot, pieces
from flexmb.model.expressions.nodes import Binary, Call, Negative, Node, Table
from flexmb.model.expressions.tokens import TextError
from flexmb.model.schema.analysis import Analysis
from flexmb.model.schema.joints import Motion
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.reports.motion_report import motion_unit
from flexmb.warning import WarningRecord

OVERSHOOT = 1e-3  # of the range of a table: what a spline may add without a warning
MOVES = 1e-3  # of the range of a table: a piece that moves less is not sudden
STEPS = 4  # fewest steps in a piece of a table
LARGEST_STEP = 0.02  # of the time span: length of a rest that error control may cross in one step
PLACES = 1000
HALVINGS = 40
CASES = frozenset(("if", "sign", "abs", "min", "max", *OPERATORS))
"""Functions by which a motion can jump or have a kink."""


def motion_warnings(spec: ModelSpec) -> Iterator[WarningRecord]:
    """Warnings about the motions of a model."""
    for name, motion in spec.motions.items():
        unit = motion_unit(spec, motion)
        if motion.table is not None:
            yield from _table_warnings(name, motion, spec.analysis, unit)
        elif motion.expression is not None and spec.analysis is not None and spec.analysis.end > 0.0:
            yield from _jump_warnings(name, motion, spec.analysis.end, unit)


def _table_warnings(name: str, motion: Motion, analysis: Analysis | None, unit: str) -> Iterator[WarningRecord]:
    table = motion.function.node
    assert isinstance(table, Table)
    if table.form == "spline" and motion.smoothing is None:
        found = overshoot(table.points, table.form)
        if found.share > OVERSHOOT:
            yield _overshoot_warning(name, found, unit)
    if analysis is None or analysis.type == "static":
        return
    sudden = _sudden(table, analysis)
    if sudden is not None:
        at, duration, change, acceleration = sudden
        with_control = analysis.tolerance is not None
        steps = "steps of error control can pass over it" if with_control else f"a step is {analysis.step:.3g} s"
        yield WarningRecord(
            "sudden-motion",
            f"motion '{name}' moves by {change:.4g} {unit} within {duration:.3g} s, with accelerations of up to "
            f"{acceleration:.3g} {unit}/s^2; {steps}. Use {'max_step' if with_control else 'step'} = "
            f"{duration / 10.0:.2g} s or less, or more time for this change.",
            f"motions.{name}",
            at,
            acceleration,
            f"{unit}/s^2",
        )


def _overshoot_warning(name: str, found: Overshoot, unit: str) -> WarningRecord:
    return WarningRecord(
        "table-overshoot",
        f"the spline of motion '{name}' overshoots the points of its table by {found.size:.4g} {unit} at t = "
        f"{found.at:.6g} s, {100.0 * found.share:.3g} % of their range. Leave out 'interpolation' for a curve that "
        "stays between its points, or give more points there.",
        f"motions.{name}",
        found.at,
        found.size,
        unit,
    )


def _sudden(table: Table, analysis: Analysis) -> tuple[float, float, float, float] | None:
    """Start, duration, change and largest acceleration of the most sudden piece that the steps do not resolve."""
    x, y = np.array(table.points).T
    h, change = np.diff(x), np.abs(np.diff(y))
    moves = change > MOVES * np.ptp(y)
    if analysis.tolerance is None:
        unresolved = h < STEPS * (analysis.step or 0.0)
    else:
        rest = ~moves
        beside_rest = np.append(rest[1:], False) | np.append(False, rest[:-1])
        unresolved = beside_rest & (h < (analysis.max_step or LARGEST_STEP * analysis.end))
    found = np.array(pieces(table.points, table.form))
    s = np.linspace(0.0, 1.0, 9)[None, :] * h[:, None]
    second = sum(k * (k - 1) * found[:, k, None] * s ** (k - 2) for k in range(2, 6))
    largest = np.abs(np.asarray(second)).max(axis=1)
    unresolved &= moves & (largest * h * h > change) & (x[1:] > 0.0) & (x[:-1] < analysis.end)
    if not np.any(unresolved):
        return None
    worst = int(np.argmax(np.where(unresolved, largest, 0.0)))
    return float(x[worst]), float(h[worst]), float(change[worst]), float(largest[worst])


def _jump_warnings(name: str, motion: Motion, end: float, unit: str) -> Iterator[WarningRecord]:
    """Jumps of position or velocity of an expression with cases."""
    function = motion.function
    if not _has_cases(function.node):
        return
    try:
        t = np.linspace(0.0, end, PLACES + 1)
        x = np.array([function(place) for place in t])
        jump = largest_jump(function, t, x)
        kink = largest_kink(function, t, x)
    except TextError:  # not finite somewhere, which the run reports with its time
        return
    for what, found, per, cure in (
        ("position", jump, "", "no force can follow; use step(t, t0, x0, t1, x1)"),
        ("velocity", kink, "/s", "the impulse of this is not in the results; use step(t, t0, x0, t1, x1)"),
    ):
        if found is not None:
            yield WarningRecord(
                "motion-jump",
                f"motion '{name}' has a jump in {what} of {found[1]:.4g} {unit}{per} at t = {found[0]:.6g} s: {cure}.",
                f"motions.{name}",
                found[0],
                found[1],
                f"{unit}{per}",
            )
            return


def _has_cases(node: Node) -> bool:
    if isinstance(node, Call):
        return node.function in CASES or any(map(_has_cases, node.arguments))
    if isinstance(node, Binary):
        return _has_cases(node.left) or _has_cases(node.right)
    return isinstance(node, (Negative, Table)) and _has_cases(node.argument)


Function = Callable[[float], float]


def largest_jump(function: Function, t: np.ndarray, x: np.ndarray) -> tuple[float, float] | None:
    """Time and size of the largest jump of a function, known at the places t with the values x."""
    i = int(np.argmax(np.abs(np.diff(x))))
    a, b = float(t[i]), float(t[i + 1])
    for _ in range(HALVINGS):
        middle = 0.5 * (a + b)
        left, right = abs(function(middle) - function(a)), abs(function(b) - function(middle))
        a, b = (a, middle) if left > right else (middle, b)
    size = abs(function(b) - function(a))
    return (b, size) if size > 1e-6 * np.ptp(x) and size > 0.0 else None


def largest_kink(function: Function, t: np.ndarray, x: np.ndarray) -> tuple[float, float] | None:
    """Time and size of the largest jump of the slope of a continuous function."""
    bends = np.abs(np.diff(x, 2))
    i = int(np.argmax(bends))
    a, width = float(t[i]), float(t[i + 2] - t[i])
    speed = float(np.abs(np.diff(x)).max()) / float(t[1] - t[0])

    def bend(start: float, size: float) -> float:
        first, middle, last = function(start), function(start + 0.5 * size), function(start + size)
        return abs(last - 2.0 * middle + first) / (0.5 * size)

    for _ in range(HALVINGS // 3):  # to 1e-4 of a place: differences keep their digits
        width *= 0.5
        a = max((a, a + 0.5 * width, a + width), key=lambda start: bend(start, width))
    size = bend(a, width)
    # Of a smooth curve the bend falls with the width; a kink keeps at least half of its size in the best window.
    return (a + 0.5 * width, size) if size > 1e-2 * speed else None
