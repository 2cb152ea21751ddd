"""Measure flexmb against its peers in one run; print the table and write benchmarks/RESULTS.md.

    python benchmarks/run.py [--quick] [--only NAME ...]

A code that is not installed leaves its cells empty; nothing else changes.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import compile_time
import fe_rows
import flexible_rows
import inverse_rows
import natural_rows
import numpy as np
import symbolic_rows
import turbo_rows
from codes import Codes
from problems import CHAIN_10, CHAIN_100, SLIDER_CRANK, Chain
from report import MISSING, Row, as_text, at_least, at_most, microseconds, ratio, write_results
from timing import best_alternating, cost_at_error, fitted_exponent, step_costs

METHOD = f"""
CPU time of one thread, minimum of repeats, the codes alternating within each repeat, inputs perturbed from repeat to
repeat. A cost per step is a long run minus a short one, over the steps between, so that setting up does not count.
All implicit runs: generalized-alpha, rho = 0.8, fixed step, no output in between. Exudyn: its build without range
checks, its own Newton tolerances (1e-8 relative, 1e-10 absolute), whichever of full and modified Newton is the faster
for the model. "Loose Newton" is its kinematic tree at its best speed: tolerances of 1e-3 and 1e-5 (slider-crank), 1e-4
and 1e-6 (chains), with which it takes about one iteration a step and its error grows as noted.

Slider-crank: error of the slider's position at 2 s against an independent solution good to 1e-11, at steps of 4, 2, 1
and 0.5 ms; "equal error" is the CPU time of the whole 2 s at the step where the error is 3e-5 m, interpolated.
Chains: error of the free end against pinocchio's forward dynamics under an eighth-order method, tolerance 1e-13.

pinocchio is called from Python. The cost of the call itself is the intercept of the line through the times for 2, 4, 8
and 16 links; it is subtracted. flexmb's programs are called by address from a compiled loop.

Compilation: wall time of a fresh process with an empty cache, from its start to the written result of two steps of
examples/02_planar_slider_crank.toml and of examples/spatial_slider_crank.toml; then the same with the cache filled.
{flexible_rows.METHOD}{inverse_rows.METHOD}{fe_rows.METHOD}{symbolic_rows.METHOD}{turbo_rows.METHOD}{natural_rows.METHOD}"""

TARGET_ERROR = 3e-5
"""[m]: the slider-crank's error at which CPU times are compared."""
STEPS_PER_SECOND = (250, 500, 1000, 2000)


def slider_crank(codes: Codes, repeats: int) -> list[Row]:
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
        name: cost_at_error(TARGET_ERROR, list(errors[name].values()), [times[name, count] for count in counts])
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
        texts = ["-" if value is None else f"{value * 1e3:.1f} ms" for value in (ours, peer)]
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
        steps = round(problem.end / problem.step)
        cost = step_costs({name: partial(chain_seconds, runs[name], problem) for name in runs}, steps, repeats)
        errors = dict.fromkeys(("flexmb", "Exudyn", "Exudyn, loose Newton"), "-")
        for name, run in runs.items():
            q = run(problem, problem.step, steps, 0.0)[1]
            errors[name] = f"{np.linalg.norm(problem.tip(q) - problem.tip_end):.1e} m"
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


def tree_kernels(codes: Codes, repeats: int) -> list[Row]:
    """Inverse and forward dynamics of a chain of 100, against pinocchio's C++."""
    rows = []
    ours = codes.ours.ChainPrograms(CHAIN_100) if codes.ours else None
    for algorithm, name in (("inverse", "RNEA"), ("forward", "ABA")):
        tasks: dict[str, Callable[[int], float]] = {}
        if ours:
            tasks["flexmb"] = partial(ours.call_seconds, algorithm, 200)
        if codes.pinocchio:
            tasks["pin"] = partial(codes.pinocchio.call_seconds, algorithm, CHAIN_100, 200)
        best = best_alternating(tasks, 6 * repeats)
        note, peer = "", best.get("pin")
        if peer is not None:
            overhead = codes.pinocchio.call_overhead(algorithm)
            note = f"pinocchio {peer * 1e6:.1f} us from Python, less {overhead * 1e6:.1f} us for the call"
            peer -= overhead
        mine = best.get("flexmb")
        slower = "" if peer is None or mine is None else f"{mine / peer:.2f}x its time"
        case = f"(c) chain of 100, {algorithm} dynamics ({name})"
        target = at_most(1.7, None if peer is None or mine is None else mine / peer, "{:g}x its time".format)
        rows.append(Row(case, microseconds(mine), microseconds(peer), slower, target, note))
    if ours and codes.pinocchio:
        rows.append(_agreement(ours, codes.pinocchio))
    return rows


def _agreement(ours: Any, pinocchio: Any) -> Row:
    """Largest relative difference between the two codes at the chain's start."""
    q, v = CHAIN_100.start()
    last = np.linspace(-1.0, 1.0, CHAIN_100.n)
    efforts, _ = ours.evaluate(q, v, last)
    want_efforts, _ = pinocchio.evaluate(CHAIN_100, q, v, last)
    _, accelerations = ours.evaluate(q, v, np.zeros(CHAIN_100.n))
    _, want_accelerations = pinocchio.evaluate(CHAIN_100, q, v, np.zeros(CHAIN_100.n))
    pairs = ((efforts, want_efforts), (accelerations, want_accelerations))
    differences = [float(np.max(abs(got - want)) / np.max(abs(want))) for got, want in pairs]
    return Row(
        "      difference between the codes", f"{differences[0]:.0e}, {differences[1]:.0e}", "", "", "", "relative"
    )


def growth(codes: Codes, repeats: int) -> list[Row]:
    """Cost of an explicit step (RK4, O(n) forward dynamics) against the number of links."""
    if not codes.ours:
        return [Row("(d) explicit tree step, 30 to 1000 links", MISSING, "", "", "<= n^1.1")]
    sizes = [30, 60, 120, 250, 500, 1000]
    costs = []
    for n in sizes:
        run = partial(chain_seconds, codes.ours.run_chain, Chain(n, step=1e-4), method="rk4")
        costs.append(step_costs({"flexmb": run}, 400, repeats)["flexmb"])
    exponent = fitted_exponent(sizes, costs)
    note = ", ".join(f"{n}: {cost * 1e6:.3g} us" for n, cost in zip(sizes, costs, strict=True))
    target = at_most(1.1, exponent, "n^{:g}".format)
    return [Row("(d) explicit tree step, 30 to 1000 links", f"n^{exponent:.3f}", "", "", target, note)]


def compilation(codes: Codes, repeats: int) -> list[Row]:
    """What a user waits for: with rigid bodies, and with the flexible rod of the main example."""
    rows = []
    for name, model in compile_time.MODELS.items():
        first = f"(e) first compilation, empty cache, {name}"
        if not codes.ours:
            rows.append(Row(first, MISSING, "", "", "<= 25 s"))
            continue
        (wall, cpu), (wall_2, cpu_2) = compile_time.measure(model, repeats)
        rows.append(Row(first, f"{wall:.1f} s", "", "", at_most(25.0, wall, "{:g} s".format), f"CPU {cpu:.1f} s"))
        second = "      second process to its first step"
        rows.append(Row(second, f"{wall_2:.2f} s", "", "", "about 1 s", f"CPU {cpu_2:.2f} s"))
    return rows


MEASUREMENTS: dict[str, Callable[[Codes, int], list[Row]]] = {
    "slider-crank": slider_crank,
    "chains": chains,
    "kernels": tree_kernels,
    "growth": growth,
    "compilation": compilation,
    "flexible": flexible_rows.measure,
    "inverse": inverse_rows.measure,
    "meshes": fe_rows.measure,
    "symbolic": symbolic_rows.measure,
    "turbo": turbo_rows.measure,
    "natural": natural_rows.measure,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer repeats")
    parser.add_argument("--only", nargs="+", choices=list(MEASUREMENTS), help="only these; writes no RESULTS.md")
    chosen = parser.parse_args()
    codes = Codes()
    rows: list[Row] = []
    for name in chosen.only or MEASUREMENTS:
        rows += MEASUREMENTS[name](codes, 2 if chosen.quick else 5)
        print(f"measured: {name}", flush=True)
    print(as_text(rows))
    if not chosen.only:
        write_results(Path(__file__).with_name("RESULTS.md"), rows, METHOD)


if __name__ == "__main__":
    main()
