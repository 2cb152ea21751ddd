"""The rows of the equations in symbols: rigid examples against sympy, the flexible example as compiled C."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from codes import Codes
from report import MISSING, Row, at_least, at_most, microseconds, ratio
from timing import best_alternating, cpu_seconds

METHOD = """
Equations in symbols: every mass, length and acceleration of the rigid examples is a symbol. "Printed" runs from the
text of the model file to the text of the equations (mass matrix, forcing, constraints, rows) in readable form; its peer
derives mass matrix and forcing by sympy's KanesMethod from a hand-written model and simplifies them. "Derived" is the
same without making anything readable, from a model that has been read. sympy's cache is emptied before every
derivation. The slider-crank's dependent rate is eliminated by both; the rotor's servos are torques in sympy and motions
with multipliers in flexmb. Difference: largest one of the accelerations at a state, relative.
Flexible slider-crank: the example's rod in a field of second order, equations truncated at order 2: mass matrix,
forcing, constraints, their Jacobian and their derivatives in C, common subexpressions eliminated; cc -O2, wall time of
the compiler; an evaluation is called from a loop in C.
"""

LONGEST = 0.15
"""[s] that an example may take from its model file to its printed equations."""
ASKED = 20.0
LONGEST_CODE, MOST_OPERATIONS, LONGEST_EVALUATION = 1.5, 2100, 0.6e-6


def closed_slider_crank(alpha1: float, rate: float) -> tuple[list[float], list[float]]:
    """Coordinates and rates of the planar slider-crank that close its loop; crank 0.15 m, rod 0.35 m."""
    turned = math.pi - math.asin(0.15 * math.sin(alpha1) / 0.35)
    return [alpha1, turned - alpha1], [rate, rate * (0.15 * math.cos(alpha1) / (0.35 * math.cos(turned)) - 1)]


STATES = {
    "double pendulum": ([0.5, 0.3], [1.1, -0.7]),
    "planar slider-crank": closed_slider_crank(0.3, 10.0),
    "pendulating rotor": ([0.2, 0.6, 0.4], [3.0, 0.5, 40.0]),
}
"""Coordinates and rates at which the codes are compared."""


def milliseconds(seconds: float | None) -> str:
    return MISSING if seconds is None else f"{seconds * 1e3:.4g} ms"


def timed(work: Callable[[], object], repeat: int) -> float:
    return cpu_seconds(work)


def rigid_rows(ours: Any, peer: Any, repeats: int) -> list[Row]:
    """Text of the rigid examples, and M and forcing alone."""
    rows = []
    for example in ours.RIGID:
        model = ours.read(example)
        tasks = {
            "printed": partial(timed, partial(ours.printed, example)),
            "derived": partial(timed, partial(ours.eliminated, model, example)),
        }
        best = best_alternating(tasks, 3 * repeats)
        other: dict[str, float] = {}
        if peer:
            slow = {
                "printed": partial(timed, partial(peer.simplified, example)),
                "derived": partial(timed, partial(peer.derive, example)),
            }
            other = best_alternating(slow, max(2, repeats // 2))
        mine, theirs = best["printed"], other.get("printed")
        target = f"{at_most(LONGEST, mine, milliseconds)}, {at_least(ASKED, theirs, mine)}"
        note = "peer: sympy KanesMethod and simplify" + (difference(ours, peer, example) if peer else "")
        case = f"(m) equations of the {example}, printed"
        rows.append(Row(case, milliseconds(mine), milliseconds(theirs), ratio(theirs, mine), target, note))
        mine, theirs = best["derived"], other.get("derived")
        case = "      mass matrix and forcing derived only"
        target = at_least(ASKED, theirs, mine)
        note = "peer: sympy KanesMethod"
        rows.append(Row(case, milliseconds(mine), milliseconds(theirs), ratio(theirs, mine), target, note))
    return rows


def difference(ours: Any, peer: Any, example: str) -> str:
    q, v = STATES[example]
    found, parameters = ours.accelerations(example, q, v)
    wanted = peer.accelerations(example, q, v, parameters)
    largest = max(abs(a - b) for a, b in zip(found, wanted, strict=True)) / max(map(abs, wanted))
    return f"; difference {largest:.0e}"


def flexible_rows(ours: Any, repeats: int) -> list[Row]:
    """Code of the flexible slider-crank: time to it, its size, an evaluation."""
    rows = []
    for rod in ours.FLEXIBLE:
        asked = rod == ours.TANGENT
        found = [ours.compiled(rod) for _ in range(max(2, repeats // 2))]
        made, compiled = min(code.made for code in found), min(code.compiled for code in found)
        code = found[0]
        evaluation = best_alternating({"": partial(code.evaluation, 20000)}, 3 * repeats)[""]
        operations = code.program.operations
        whole, size, once = "for comparison", "for comparison", "for comparison"
        if asked:
            whole = at_most(LONGEST_CODE, made + compiled, "{:g} s".format)
            size = at_most(MOST_OPERATIONS, operations, "{:g}".format)
            once = at_most(LONGEST_EVALUATION, evaluation, microseconds)
        note = f"{rod}; {made:.2f} s to the code, {compiled:.2f} s of the compiler"
        rows.append(Row("(n) flexible slider-crank, order 2, to C", f"{made + compiled:.2f} s", "", "", whole, note))
        rows.append(Row("      operations", str(operations), "", "", size, rod))
        rows.append(Row("      an evaluation", microseconds(evaluation), "", "", once, rod))
    return rows


def measure(codes: Codes, repeats: int) -> list[Row]:
    """All rows of the equations in symbols."""
    ours = codes.ours_symbolic
    if not ours:
        return [Row("(m) equations of the rigid examples, printed", MISSING, "", "", f"<= {milliseconds(LONGEST)}")]
    rows = rigid_rows(ours, codes.sympy, repeats)
    if not ours.has_compiler():
        return [*rows, Row("(n) flexible slider-crank, order 2, to C", "no C compiler", "", "", "")]
    return rows + flexible_rows(ours, repeats)
