"""The rows of a rotating shaft of two beams, and of the slider-crank with a meshed rod."""

from __future__ import annotations

from functools import partial
from typing import Any

from codes import Codes
from report import MISSING, Row, at_most, guarded, microseconds
from timing import fitted_exponent, step_costs

METHOD = """
Rotating shaft in space: two tubes with rotary inertia and torsion on an eccentric disc, from rest, h = 0.2 ms. With 4
modes a plane and one of torsion a beam, and with cubic elements: the coordinates grow with their number. Meshed rod:
examples/07_spatial_slider_crank_mesh.toml with more normal modes, second-order field, h = 8.4 us.
"""

STEPS, MANY = 4000, 800
LONGEST = {18: 60e-6, 50: 900e-6}
"""[s] that a step with a meshed rod may take, by its elastic coordinates."""
LONGEST_SHAFT = 60e-6


def measure(codes: Codes, repeats: int) -> list[Row]:
    """All rows of beams and meshed rods."""
    ours = codes.ours_beams
    case = "(s) rotating shaft in space, two beams"
    if not ours:
        return [Row(case, MISSING, "", "", at_most(LONGEST_SHAFT, None, microseconds))]
    rows = guarded(case, lambda: shaft_rows(case, ours, repeats))
    return rows + guarded("(s) meshed rod", lambda: rod_rows(ours, repeats))


def shaft_rows(case: str, ours: Any, repeats: int) -> list[Row]:
    """Cost of a step with modes, and its growth with the number of elements."""

    def seconds(shapes: dict[str, Any], steps: int, repeat: int) -> float:
        return float(ours.seconds(ours.shaft(shapes, steps)))

    rows = []
    for name, shapes in ours.MODES.items():
        cost = step_costs({name: partial(seconds, shapes)}, STEPS, repeats)[name]
        target = at_most(LONGEST_SHAFT, cost, microseconds)
        rows.append(Row(f"{case}, {name}", microseconds(cost), "", "", target))
    runs = {number: partial(seconds, ours.elements(number)) for number in ours.ELEMENTS}
    costs = step_costs(runs, MANY, max(2, repeats // 2))
    found = ", ".join(f"{number}: {microseconds(cost)}" for number, cost in costs.items())
    growth = fitted_exponent(list(costs), list(costs.values()))
    rows.append(Row("      elements a beam, growth", f"n^{growth:.2f}", "", "", "for comparison", found))
    return rows


def rod_rows(ours: Any, repeats: int) -> list[Row]:
    """Cost of a step with a meshed rod."""

    def seconds(coordinates: int, steps: int, repeat: int) -> float:
        return float(ours.seconds(ours.meshed_rod(coordinates, steps)))

    runs = {number: partial(seconds, number) for number in LONGEST}
    costs = step_costs(runs, MANY, max(2, repeats // 2))
    return [
        Row(
            f"(s) slider-crank with a meshed rod, {number} elastic coordinates, step",
            microseconds(cost),
            "",
            "",
            at_most(LONGEST[number], cost, microseconds),
        )
        for number, cost in costs.items()
    ]
