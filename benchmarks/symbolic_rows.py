"""The rows of the equations in symbols: rigid examples against sympy, the flexible example as compiled C."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from c_loop import has_compiler
from codes import Codes
from report import MISSING, Row, at_least, at_most, guarded, microseconds, milliseconds, ratio
from timing import best_alternating, cpu_seconds

METHOD = """
Equations in symbols: every mass, length and acceleration of the rigid examples is a symbol. "Printed" runs from the
text of the model file to the text of the equations (mass matrix, forcing, constraints, rows) in readable form; its peer
derives mass matrix and forcing by sympy's KanesMethod from a hand-written model and simplifies them. "Derived" is the
same without making anything readable, from a model that has been read. sympy's cache is emptied before every
derivation. The slider-crank's dependent rate is eliminated by both; the rotor's servos are torques in sympy and motions
with multipliers in flexmb. Difference: largest one of the accelerations at a state, relative.
Code of the rigid examples: from the text of the model file (flexmb) or the hand-written model (PyDy, which derives by
KanesMethod) to C with common subexpressions eliminated, written to a folder; compiled with cc -O2, an evaluation called
from a loop in C in a file of its own. PyDy's evaluates mass matrix and forcing, flexmb's also the constraints, if any.
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


def timed(work: Callable[[], object], repeat: int) -> float:
    return cpu_seconds(work)


def rigid_rows(example: str, ours: Any, peer: Any, repeats: int) -> list[Row]:
    """Text of a rigid example, and M and forcing alone."""
    model = ours.read(example)
    tasks = {
        ("flexmb", "printed"): partial(timed, partial(ours.printed, example)),
        ("flexmb", "derived"): partial(timed, partial(ours.eliminated, model, example)),
    }
    if peer:
        tasks["sympy", "printed"] = partial(timed, partial(peer.simplified, example))
        tasks["sympy", "derived"] = partial(timed, partial(peer.derive, example))
    best = best_alternating(tasks, repeats)
    mine, theirs = best["flexmb", "printed"], best.get(("sympy", "printed"))
    target = f"{at_most(LONGEST, mine, milliseconds)}, {at_least(ASKED, theirs, mine)}"
    note = "peer: sympy KanesMethod and simplify" + (difference(ours, peer, example) if peer else "")
    case = f"(m) equations of the {example}, printed"
    rows = [Row(case, milliseconds(mine), milliseconds(theirs), ratio(theirs, mine), target, note)]
    mine, theirs = best["flexmb", "derived"], best.get(("sympy", "derived"))
    case = "      mass matrix and forcing derived only"
    target, note = at_least(ASKED, theirs, mine), "peer: sympy KanesMethod"
    return [*rows, Row(case, milliseconds(mine), milliseconds(theirs), ratio(theirs, mine), target, note)]


def code_rows(example: str, ours: Any, pydy: Any, repeats: int) -> list[Row]:
    """C code of a rigid example: time to it, and an evaluation."""
    parameters = ours.accelerations(example, *STATES[example])[1]
    makers: dict[str, Callable[[], Any]] = {"flexmb": lambda: ours.generated(example)[0]}
    if pydy:
        makers["PyDy"] = lambda: pydy.generated(example, parameters)
    codes: dict[str, list[Any]] = {name: [] for name in makers}
    for _ in range(repeats):
        for name, make in makers.items():
            codes[name].append(make())
    made = {name: min(code.made for code in found) for name, found in codes.items()}
    tasks = {name: partial(found[0].evaluation, 20000) for name, found in codes.items()}
    once = best_alternating(tasks, 3 * repeats)
    mine, theirs = made["flexmb"], made.get("PyDy")
    case, note = f"(n) C code of the {example}", "model to code; peer: PyDy"
    rows = [Row(case, milliseconds(mine), milliseconds(theirs), ratio(theirs, mine), "for comparison", note)]
    mine, theirs = once["flexmb"], once.get("PyDy")
    case, peer = "      an evaluation", "" if theirs is None else f"{1e9 * theirs:.3g} ns"
    return [*rows, Row(case, f"{1e9 * mine:.3g} ns", peer, ratio(theirs, mine), "for comparison", "in C")]


def difference(ours: Any, peer: Any, example: str) -> str:
    q, v = STATES[example]
    found, parameters = ours.accelerations(example, q, v)
    wanted = peer.accelerations(example, q, v, parameters)
    largest = max(abs(a - b) for a, b in zip(found, wanted, strict=True)) / max(map(abs, wanted))
    return f"; difference {largest:.0e}"


def flexible_rows(rod: str, ours: Any, repeats: int) -> list[Row]:
    """Code of the flexible slider-crank: time to it, its size, an evaluation."""
    found = [ours.compiled(rod) for _ in range(max(2, repeats // 2))]
    made, compiled = min(code.made for code, _ in found), min(code.compiled for code, _ in found)
    code, operations = found[0]
    evaluation = best_alternating({"": partial(code.evaluation, 20000)}, 3 * repeats)[""]
    whole, size, once = "for comparison", "for comparison", "for comparison"
    if rod == ours.TANGENT:
        whole = at_most(LONGEST_CODE, made + compiled, "{:g} s".format)
        size = at_most(MOST_OPERATIONS, operations, "{:g}".format)
        once = at_most(LONGEST_EVALUATION, evaluation, microseconds)
    note = f"{rod}; {made:.2f} s to the code, {compiled:.2f} s of the compiler"
    return [
        Row("(n) flexible slider-crank, order 2, to C", f"{made + compiled:.2f} s", "", "", whole, note),
        Row("      operations", str(operations), "", "", size, rod),
        Row("      an evaluation", microseconds(evaluation), "", "", once, rod),
    ]


def measure(codes: Codes, repeats: int) -> list[Row]:
    """All rows of the equations in symbols."""
    ours = codes.ours_symbolic
    if not ours:
        return [Row("(m) equations of the rigid examples, printed", MISSING, "", "", f"<= {milliseconds(LONGEST)}")]
    rows = []
    for example in ours.RIGID:
        case = f"(m) equations of the {example}, printed"
        rows += guarded(case, partial(rigid_rows, example, ours, codes.sympy, repeats))
    if not has_compiler():
        return [*rows, Row("(n) code in C", "no C compiler", "", "", "")]
    for example in ours.RIGID:
        rows += guarded(f"(n) C code of the {example}", partial(code_rows, example, ours, codes.pydy, repeats))
    for rod in ours.FLEXIBLE:
        case = f"(n) flexible slider-crank, order 2, to C, {rod}"
        rows += guarded(case, partial(flexible_rows, rod, ours, repeats))
    return rows
