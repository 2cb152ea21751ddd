"""The rows of rigid mechanisms: the spatial slider-crank and chains of links, implicit, against Exudyn."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from codes import Codes
from problems import CHAIN_10, CHAIN_100, SLIDER_CRANK, Chain
from report import Row, at_least, guarded, microseconds, milliseconds, ratio
from timing import best_alternating, step_costs, time_at_error

SLIDER_CRANK_METHOD = """
Error of the slider's position at 2 s against an independent solution good to 1e-11, at steps from 4 to 0.25 ms;
"equal error" is the CPU time of the whole 2 s at the step where the error is 3e-5 m and below which it stays smaller,
interpolated. Exudyn's model of bodies and joints has 21 coordinates, its kinematic tree the four of flexmb.
"""
CHAINS_METHOD = """
Error of the free end against pinocchio's forward dynamics under an eighth-order method, tolerance 1e-13. Both codes
take the same step and end at the same error; with loose Newton, at the one that is noted.
"""
TARGET_ERROR = 3e-5
"""[m]: the slider-crank's error at which CPU times are compared."""
STEPS_PER_SECOND = (250, 500, 1000, 2000, 4000)


def slider_crank(codes: Codes, repeats: int) -> list[Row]:
    return guarded("(a) slider-crank", lambda: slider_crank_rows(codes, repeats))


def slider_crank_rows(codes: Codes, repeats: int) -> list[Row]:
    """Implicit step and the cost at equal error, against both ways of modelling it in Exudyn."""
    runs: dict[str, Callable[[float, int, float], tuple[float, float]]] = {}
    if codes.ours:
        runs["flexmb"] = partial(codes.ours.run_slider_crank, SLIDER_CRANK)
    if codes.exudyn:
        for model in codes.exudyn.SLIDER_CRANKS:
            runs[model] = partial(codes.exudyn.run_slider_crank, model, SLIDER_CRANK)

    def seconds(name: str, step: float, steps: int, repeat: int) -> float:
        return runs[name](step, steps, 1 + 1e-9 * repeat)[0]

    cost = step_costs({name: partial(seconds, name, 1e-3) for name in runs}, 2000, repeats)
    counts = [round(SLIDER_CRANK.end * rate) for rate in STEPS_PER_SECOND]
    steps = {count: SLIDER_CRANK.end / count for count in counts}
    whole = {(name, count): partial(seconds, name, steps[count], count) for name in runs for count in counts}
    times = best_alternating(whole, repeats)
    errors = {
        name: {count: abs(run(steps[count], count, 1.0)[1] - SLIDER_CRANK.x_end) for count in counts}
        for name, run in runs.items()
    }
    equal = {
        name: time_at_error(TARGET_ERROR, counts, list(errors[name].values()), [times[name, count] for count in counts])
        for name in runs
    }

    def error(name: str) -> str:
        return f"{errors[name][2000]:.1e} m" if name in errors else "-"

    rows = []
    for model in ("bodies and joints", "kinematic tree", "kinematic tree, loose Newton"):
        asked = None if "loose" in model else 5.0
        note = f"error at h = 1 ms: flexmb {error('flexmb')}, Exudyn {error(model)}"
        ours, peer = cost.get("flexmb"), cost.get(model)
        case = f"(a) slider-crank, step, Exudyn {model}"
        rows.append(
            Row(case, microseconds(ours), microseconds(peer), ratio(peer, ours), at_least(asked, peer, ours), note)
        )
        ours, peer = equal.get("flexmb"), equal.get(model)
        texts = [milliseconds(equal[code]) or "not reached" if code in equal else "" for code in ("flexmb", model)]
        note = f"CPU time of {SLIDER_CRANK.end:g} s at an error of {TARGET_ERROR:g} m"
        target = at_least(asked, peer, ours)
        rows.append(Row("      the same at equal error", texts[0], texts[1], ratio(peer, ours), target, note))
    return rows


def chains(codes: Codes, repeats: int) -> list[Row]:
    """Implicit step of chains of revolute links, against Exudyn's kinematic tree."""
    runs: dict[str, Callable[..., tuple[float, Any]]] = {}
    if codes.ours:
        runs["flexmb"] = codes.ours.run_chain
    if codes.exudyn:
        newtons = codes.exudyn.CHAIN_NEWTONS
        runs |= {name: partial(codes.exudyn.run_chain, newton) for name, newton in newtons.items()}
    rows = []
    for problem in (CHAIN_10, CHAIN_100):
        rows += guarded(f"(b) chain of {problem.n}", partial(chain_rows, problem, runs, repeats))
    return rows


def chain_rows(problem: Chain, runs: dict[str, Callable[..., tuple[float, Any]]], repeats: int) -> list[Row]:
    steps = round(problem.end / problem.step)
    cost = step_costs({name: partial(chain_seconds, runs[name], problem) for name in runs}, steps, repeats)
    errors = dict.fromkeys(("flexmb", "Exudyn", "Exudyn, loose Newton"), "-")
    for name, run in runs.items():
        q = run(problem, problem.step, steps, 0.0)[1]
        errors[name] = f"{np.linalg.norm(problem.tip(q) - problem.tip_end):.1e} m"
    rows = []
    for name, asked in (("Exudyn", 5.0), ("Exudyn, loose Newton", None)):
        note = f"h = {problem.step:g} s; error of the free end at {problem.end:g} s: "
        note += f"flexmb {errors['flexmb']}, Exudyn {errors[name]}"
        ours, peer = cost.get("flexmb"), cost.get(name)
        case = f"(b) chain of {problem.n}, implicit step{name.removeprefix('Exudyn')}"
        target = at_least(asked, peer, ours)
        rows.append(Row(case, microseconds(ours), microseconds(peer), ratio(peer, ours), target, note))
    return rows


def chain_seconds(
    run: Callable[..., tuple[float, Any]], problem: Chain, steps: int, repeat: int, **analysis: Any
) -> float:
    """CPU seconds of one run of a chain, its start perturbed by the number of the repeat."""
    return float(run(problem, problem.step, steps, 1e-9 * repeat, **analysis)[0])
