"""The rows of a rotating shaft of two beams, and of the slider-crank with a meshed rod."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from codes import Codes
from problems import SHAFT
from report import MISSING, Row, at_most, guarded, microseconds, millimetres, ratio
from timing import fitted_exponent, step_costs

METHOD = """
Rotating shaft in space: two tubes with rotary inertia and torsion on an eccentric disc, from rest, h = 0.2 ms. With 4
modes a plane and one of torsion a beam, and with cubic elements: the coordinates grow with their number. Exudyn: two
times 8 geometrically exact beams, the disc on the node between them. Error: of the place of the disc after 0.2 s (it
sinks by up to 4.5 mm), against 16 elements a beam at a quarter of the step. Meshed rod:
examples/07_spatial_slider_crank_mesh.toml with more normal modes, second-order field, h = 8.4 us. Exudyn:
the same mesh as floating frame with as many Craig-Bampton modes, linear in the deflection (no second-order field).
"""

STEPS, MANY, FEW, LOOKED_AT = 4000, 800, 200, 1000
LONGEST = {18: 60e-6, 50: 900e-6}
"""[s] that a step with a meshed rod may take, by its elastic coordinates."""
LONGEST_SHAFT = 60e-6


def measure(codes: Codes, repeats: int) -> list[Row]:
    """All rows of beams and meshed rods."""
    ours = codes.ours_beams
    case = "(s) rotating shaft in space, two beams"
    if not ours:
        return [Row(case, MISSING, "", "", at_most(LONGEST_SHAFT, None, microseconds))]
    rows = guarded(case, lambda: shaft_rows(case, codes, repeats))
    return rows + guarded("(s) meshed rod", lambda: rod_rows(codes, repeats))


def shaft_rows(case: str, codes: Codes, repeats: int) -> list[Row]:
    """Cost of a step with modes and elements beside Exudyn's beams, and its growth with the number of elements."""
    ours, peer = codes.ours_beams, codes.exudyn_shaft

    def seconds(shapes: dict[str, Any], steps: int, repeat: int) -> float:
        return float(ours.seconds(ours.shaft(shapes, steps)))

    def peer_seconds(newton: str, steps: int, repeat: int) -> float:
        return float(peer.run_shaft(newton, SHAFT, peer.ELEMENTS, steps)[0])

    steps = MANY if codes.quick else STEPS
    fine = ours.disc_place(ours.elements(16), LOOKED_AT, 4)
    shapes = ours.MODES | {"2 elements a beam": ours.elements(2)}
    runs: dict[str, Any] = {name: partial(seconds, chosen) for name, chosen in shapes.items()}
    mine = step_costs(runs, steps, repeats)
    errors = {name: ours.disc_place(chosen, LOOKED_AT) - fine for name, chosen in shapes.items()}
    peers: dict[str, float] = {}
    if peer:
        peers = step_costs(
            {newton: partial(peer_seconds, newton) for newton in peer.NEWTONS}, MANY, max(2, repeats // 2)
        )
        for newton in peer.NEWTONS:
            errors[newton] = peer.run_shaft(newton, SHAFT, peer.ELEMENTS, LOOKED_AT)[1] - fine
    rows = []
    for name in shapes:
        for newton in peers or {"": 0.0}:
            cost = peers.get(newton)
            note = f"error: flexmb {millimetres(float(np.linalg.norm(errors[name])))}"
            note += f", Exudyn {millimetres(float(np.linalg.norm(errors[newton])))}" if newton else ""
            title = f"{case}, {name}" + (f", {newton}, 2x8 exact beams" if newton else "")
            target = at_most(LONGEST_SHAFT, mine[name], microseconds) if name in ours.MODES else "for comparison"
            own, other = microseconds(mine[name]), microseconds(cost)
            rows.append(Row(title, own, other, ratio(cost, mine[name]), target, note))
    sizes = {number: partial(seconds, ours.elements(number)) for number in ours.ELEMENTS}
    costs = step_costs(sizes, MANY, max(2, repeats // 2))
    found = ", ".join(f"{number}: {microseconds(cost)}" for number, cost in costs.items())
    growth = fitted_exponent(list(costs), list(costs.values()))
    rows.append(Row("      elements a beam, growth", f"n^{growth:.2f}", "", "", "for comparison", found))
    return rows


def rod_rows(codes: Codes, repeats: int) -> list[Row]:
    """Cost of a step with a meshed rod, beside Exudyn's floating frame with as many coordinates."""
    ours, peer, few = codes.ours_beams, codes.exudyn_rod, max(2, repeats // 2)

    def seconds(coordinates: int, steps: int, repeat: int) -> float:
        return float(ours.seconds(ours.meshed_rod(coordinates, steps)))

    def peer_seconds(newton: str, coordinates: int, steps: int, repeat: int) -> float:
        return float(peer.run_rod(newton, coordinates, ours.ROD_STEP, steps, 1 + 1e-9 * repeat))

    costs = step_costs({number: partial(seconds, number) for number in LONGEST}, MANY, few)
    rows = []
    for number, cost in costs.items():
        title = f"(s) slider-crank with a meshed rod, {number} elastic coordinates, step"
        target = at_most(LONGEST[number], cost, microseconds)
        if not peer:
            rows.append(Row(title, microseconds(cost), "", "", target))
            continue
        others = step_costs({name: partial(peer_seconds, name, number) for name in peer.NEWTONS}, FEW, few)
        for name, other in others.items():
            own, times = microseconds(cost), ratio(other, cost)
            rows.append(Row(f"{title}, {name}", own, microseconds(other), times, target, "its field is linear"))
            target = "for comparison"
    return rows
