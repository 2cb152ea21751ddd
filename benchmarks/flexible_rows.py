"""The rows of the flexible problems: slider-crank with a flexible rod, and a chain of flexible links."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from codes import Codes
from problems_flexible import FLEXIBLE_CHAIN, FLEXIBLE_SLIDER_CRANK
from report import Row, at_least, guarded, microseconds, millimetres, ratio
from timing import loop_seconds, step_costs

METHOD = """
Flexible slider-crank: the example, two turns; its steps differ in cost along the way, so that the cost of a step is
that of the whole run less a run of one step, over the steps. Error: largest difference of either component of the rod's
mid-point deflection (peak 3.18 mm) from a nonlinear rod of 64 elements; costs at equal error stand in the next section.
Exudyn's floating frame is linear in the deflection. It is built by the usual way (a mesh, Craig-Bampton modes of its
own module, a rigid interface) and at its leanest (flexmb's shapes, joints on single nodes, one Euler parameter held).
Flexible chain: ten tubes with four sines each in the plane of motion, revolute joints; error of the free end after
0.5 s against minimal coordinates under an eighth-order method. Plane ANCF cables stretch, which is most of their error.
"""

STEPS = 1000
"""Steps of two turns at which costs are compared; the example itself takes 10000."""
ANCF = "4 ANCF cable elements"
ASKED_RODS = {ANCF: 4.0, "floating frame, 8 Craig-Bampton modes": 15.0, "floating frame, 6 sines": None}
"""How many times faster flexmb is to be than each way of Exudyn; None: for comparison."""
ASKED_CHAINS = {"floating frames, rigid interfaces": 20.0, "floating frames, planar joints": None}


def loose(name: str) -> str:
    return f"{name}, loose Newton"


class Rod(NamedTuple):
    """A code with a model of the rod."""

    run: Callable[[float, int, float], float]
    """(step, steps, scale of the speed) -> CPU seconds"""
    error: Callable[[int], float]
    """steps -> [m]"""

    def seconds(self, step: float, steps: int, repeat: int) -> float:
        return self.run(step, steps, 1 + 1e-9 * repeat)


def rods(module: Any) -> dict[str, Rod]:
    """The models of a code; none when it is not installed."""
    problem = FLEXIBLE_SLIDER_CRANK
    known: dict[tuple[str, int], float] = {}

    def error(name: str, steps: int) -> float:
        if (name, steps) not in known:
            known[name, steps] = module.slider_crank_error(name, problem, steps)
        return known[name, steps]

    names = module.SLIDER_CRANKS if module else ()
    return {name: Rod(partial(module.run_slider_crank, name, problem), partial(error, name)) for name in names}


def step_rows(codes: Codes, repeats: int) -> list[Row]:
    """Cost of a step at equal steps."""
    ours, peers = rods(codes.ours_flexible), rods(codes.exudyn_flexible)
    example = codes.ours_flexible.EXAMPLE if ours else "flexmb"
    every = {name: rod for name, rod in ours.items() if name in codes.ours_flexible.STEPPED}
    every |= {name: rod for name, rod in peers.items() if name in names()}
    step = FLEXIBLE_SLIDER_CRANK.end / STEPS
    runs = {name: partial(rod.seconds, step) for name, rod in every.items()}
    whole = loop_seconds(runs, dict.fromkeys(runs, STEPS), repeats)
    cost = {name: seconds / (STEPS - 1) for name, seconds in whole.items()}
    error = {name: millimetres(every[name].error(STEPS)) if name in every else "-" for name in (example, *names())}
    rows = []
    mine = cost.get(example)
    for name in names():
        asked, peer = ASKED_RODS.get(name), cost.get(name)
        note = f"two turns in {STEPS} steps; largest error: flexmb {error[example]}, Exudyn {error[name]}"
        case = f"(f) flexible slider-crank, step, Exudyn {name}"
        rows.append(
            Row(case, microseconds(mine), microseconds(peer), ratio(peer, mine), at_least(asked, peer, mine), note)
        )
    for name in ours:
        if name in cost and name != example:
            note = f"{name}: error {millimetres(every[name].error(STEPS))}"
            rows.append(Row("      the same, another rod", microseconds(cost[name]), "", "", "for comparison", note))
    if example in ours:
        fine = 10 * STEPS
        run = partial(ours[example].seconds, FLEXIBLE_SLIDER_CRANK.end / fine)
        seconds = loop_seconds({example: run}, {example: fine}, max(2, repeats // 2))[example]
        note = f"two turns in {fine} steps; largest error {millimetres(ours[example].error(fine))}"
        case = "      the same at the example's own step"
        rows.append(Row(case, microseconds(seconds / (fine - 1)), "", "", "for comparison", note))
    return rows


def names() -> list[str]:
    """Exudyn's models of the rod."""
    return [name for way in ASKED_RODS for name in (way, loose(way))]


def chain_rows(codes: Codes, repeats: int) -> list[Row]:
    """Implicit step of the chain of flexible links."""
    problem = FLEXIBLE_CHAIN
    steps = round(problem.end / problem.step)
    runs: dict[str, Callable[..., tuple[float, Any]]] = {}
    if codes.ours_flexible:
        runs["flexmb"] = codes.ours_flexible.run_chain
    if codes.exudyn_chain:
        runs |= {name: partial(codes.exudyn_chain.run_chain, name) for name in codes.exudyn_chain.CHAINS}

    def seconds(name: str, count: int, repeat: int) -> float:
        return runs[name](problem, problem.step, count, 1e-9 * repeat)[0]

    cost = step_costs({name: partial(seconds, name) for name in runs}, steps, repeats)
    errors = {name: problem.tip_error(run(problem, problem.step, steps, 0.0)[1]) for name, run in runs.items()}
    peers = [name for way in ASKED_CHAINS for name in (way, loose(way))]
    peers += [name for name in runs if name != "flexmb" and name not in peers]
    rows = []
    for name in peers:
        mine, peer = cost.get("flexmb"), cost.get(name)
        found = [f"{errors[code]:.1e} m" if code in errors else "-" for code in ("flexmb", name)]
        note = (
            f"h = {problem.step:g} s; error of the free end at {problem.end:g} s: flexmb {found[0]}, Exudyn {found[1]}"
        )
        case = f"(g) chain of {problem.n} flexible links, implicit step, Exudyn {name}"
        asked = at_least(ASKED_CHAINS.get(name), peer, mine)
        rows.append(Row(case, microseconds(mine), microseconds(peer), ratio(peer, mine), asked, note))
    return rows


def measure(codes: Codes, repeats: int) -> list[Row]:
    """All rows of the flexible problems."""
    return guarded("(f) flexible slider-crank, step", lambda: step_rows(codes, repeats)) + guarded(
        "(g) chain of flexible links", lambda: chain_rows(codes, repeats)
    )
