"""Error against CPU time of the flexible slider-crank, the main example: flexmb, Exudyn's cables and floating frames.

Every code runs two turns with steps of a wide range; the error is the same quantity for all of them. Where a curve
stops falling, the error of the model is left, and not that of the steps.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from codes import Codes
from problems_flexible import FLEXIBLE_SLIDER_CRANK
from report import Row, at_least, at_most, guarded, millimetres, milliseconds, ratio
from timing import loop_seconds, time_at_error
from work_precision_table import Found, Point, curves

METHOD = """
![CPU time and error of two turns of the flexible slider-crank](work_precision.svg)

Two turns of examples/04_spatial_slider_crank.toml, undeformed at the start. Error: the largest difference of either
component of the rod's mid-point deflection (peak 3.18 mm) from a nonlinear extensible rod of 64 elements (steps of
0.5 us; two independent codes agree to 1e-6 m), at 501 instants, by a cubic spline through the steps. CPU time: whole
runs less a run of one step, models built before. "Small steps": the error with 32000 steps (rk4: 4000; half as
many where Exudyn's iterations end in round-off), which is that of the model.

What the codes converge to: flexmb's example to a rod that does not stretch, three sines a plane; "order 2" to its
equations truncated at second order, which is what code is generated for (`--turbo`; a second or two to generate and
compile once, not counted here). Exudyn's cables stretch as the reference does, but bend too stiffly when they are few.
Its floating frames are linear in the deflection: they converge to another rod, 0.8 mm (chord) or 1.5 mm (clamped at
A) from this one. Their curves are drawn for the sake of their times. The plateau between 1400 and 4000 steps is the
third bending vibration of the rod, whose phase is lost there; every code has it.

"Kept": the time at which the error gets to a bound and below which it stays at smaller steps, interpolated; of Exudyn
the best number of elements. "Fastest run": the fastest single run within the bound, which may be one where the errors
of steps and elements cancel: four elements pass through zero near 1400 steps and come to rest at 0.03 mm.
"""

COUNTS = (500, 700, 1000, 1400, 2000, 2800, 4000, 5600, 8000)
EXPLICIT_COUNTS = (250, 350, 500, 700, 1000, 1400, 2000)
FINE, EXPLICIT_FINE = 32000, 4000
QUICK = 1000
"""Most steps of a quick run"""
SMALL_ERROR, EQUAL_ERROR = 2e-5, 3e-5
"""[m]"""
ASKED = 4.0
"""How many times faster than Exudyn's cables at the larger error"""
LONGEST = 0.030
"""[s] of CPU time that two turns at the smaller error may take"""
Key = tuple[str, str, int]
"""Code, model, steps"""


def measure(codes: Codes, repeats: int) -> Found:
    """Points of all models, and the rows that are read from them."""
    points = measured_points(codes, repeats)
    return Found(guarded("(q) flexible slider-crank at equal error", lambda: rows(points)), points)


def measured_points(codes: Codes, repeats: int) -> list[Point]:
    modules = {"flexmb": codes.ours_flexible, "Exudyn": codes.exudyn_flexible}
    errors: dict[Key, float] = {}
    fine: dict[Key, float] = {}
    runs: dict[Key, Callable[[int, int], float]] = {}
    for code, module in modules.items():
        for model in module.CURVES if module else ():
            for steps in counts(model, codes.quick):
                error = error_of(module, model, steps)
                if error is not None:
                    errors[code, model, steps] = error
                    runs[code, model, steps] = partial(seconds, module, model, FLEXIBLE_SLIDER_CRANK.end / steps)
            for steps in finest(model, codes.quick):
                error = error_of(module, model, steps)
                if error is not None:
                    fine[code, model, steps] = error
                    break
    times = loop_seconds(runs, {key: key[2] for key in runs}, repeats)
    timed = [Point(*key, error, times[key]) for key, error in errors.items()]
    return timed + [Point(*key, error, None) for key, error in fine.items()]


def counts(model: str, quick: bool) -> tuple[int, ...]:
    wanted = EXPLICIT_COUNTS if "rk4" in model else COUNTS
    return tuple(count for count in wanted if not quick or count <= QUICK)


def finest(model: str, quick: bool) -> tuple[int, int]:
    """Steps that show what a model converges to; fewer, where its Newton iterations end in round-off."""
    most = (EXPLICIT_FINE if "rk4" in model else FINE) // (4 if quick else 1)
    return most, most // 2


def seconds(module: Any, model: str, step: float, steps: int, repeat: int) -> float:
    return float(module.run_slider_crank(model, FLEXIBLE_SLIDER_CRANK, step, steps, 1 + 1e-9 * repeat))


def error_of(module: Any, model: str, steps: int) -> float | None:
    """[m]; None, and a word about it, when the run does not get to its end."""
    try:
        return float(module.slider_crank_error(model, FLEXIBLE_SLIDER_CRANK, steps))
    except Exception as error:
        print(f"{model}, {steps} steps: {error}", file=sys.stderr)
        return None


Rule = Callable[[list[Point], float], float | None]


def kept(curve: list[Point], target: float) -> float | None:
    """CPU time at which the error of a model gets to the target and stays below it; None when it does not."""
    timed = [point for point in curve if point.seconds is not None]
    if not timed or any(point.error > target for point in curve if point.seconds is None):
        return None
    steps, errors = [point.steps for point in timed], [point.error for point in timed]
    return time_at_error(target, steps, errors, [point.seconds or 0.0 for point in timed])


def fastest(curve: list[Point], target: float) -> float | None:
    """CPU time of the fastest run whose error is within the target."""
    return min((point.seconds for point in curve if point.error <= target and point.seconds is not None), default=None)


RULES: dict[str, Rule] = {"kept": kept, "fastest run": fastest}


def rows(points: list[Point]) -> list[Row]:
    """CPU time at two errors: every way of flexmb against the best of Exudyn's cables."""
    every = curves(points)
    ours = {model: curve for (code, model), curve in every.items() if code == "flexmb" and "2 sines" not in model}
    cables = {model: curve for (code, model), curve in every.items() if code == "Exudyn" and "ANCF" in model}
    found = []
    for target in (EQUAL_ERROR, SMALL_ERROR):
        for rule in RULES:
            strict = best({m: c for m, c in cables.items() if "loose" not in m}, RULES[rule], target)
            loose = best({m: c for m, c in cables.items() if "loose" in m}, RULES[rule], target)
            for model, curve in ours.items():
                mine = RULES[rule](curve, target)
                found.append(row(model, mine, target, rule, strict, loose, bool(cables)))
    return found


def best(models: dict[str, list[Point]], rule: Rule, target: float) -> tuple[str, float | None]:
    """The model with the least time at the target."""
    times = {model: time for model, curve in models.items() if (time := rule(curve, target)) is not None}
    name = min(times, key=lambda model: times[model], default="")
    return name, times.get(name)


def row(
    model: str, mine: float | None, target: float, rule: str,
    strict: tuple[str, float | None], loose: tuple[str, float | None], installed: bool,
) -> Row:  # fmt: skip
    peer_model, peer = strict
    asked = at_least(ASKED, peer, mine)
    if target == SMALL_ERROR:
        asked = at_most(LONGEST, mine, milliseconds)
    elif "rk4" in model:
        asked = "for comparison"
    note = f"Exudyn with {peer_model}" if peer is not None else ""
    if loose[1] is not None and mine is not None:
        note += f"; loose Newton, {loose[0].split(',')[0]}: {milliseconds(loose[1])}, {ratio(loose[1], mine)}"
    case = f"(q) two turns at an error of {millimetres(target)}, {rule}: {model}"
    missing = "not reached" if installed else ""
    return Row(case, milliseconds(mine) or "not reached", milliseconds(peer) or missing, ratio(peer, mine), asked, note)
