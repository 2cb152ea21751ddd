"""The rows of the tree kernels: inverse and forward dynamics against pinocchio, and how a step grows with the links."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from codes import Codes
from problems import CHAIN_100, Chain
from report import MISSING, Row, at_most, guarded, microseconds, ratio
from rigid_rows import chain_seconds
from timing import best_alternating, fitted_exponent, step_costs

KERNELS_METHOD = """
pinocchio is called from Python, forward dynamics in the convention that is the faster one (world axes). The cost of the
call itself is the intercept of the line through the times for 2, 4, 8 and 16 links; it is subtracted. flexmb's programs
are called by address from a compiled loop. pinocchio is the package of PyPI, compiled for any processor of its kind;
flexmb's kernels are compiled on the machine, for its processor.
"""
GROWTH_METHOD = """
Open chains, RK4 with 0.1 ms, forward dynamics of order n; the exponent is fitted over all sizes given.
"""


def tree_kernels(codes: Codes, repeats: int) -> list[Row]:
    """Inverse and forward dynamics of a chain of 100, against pinocchio's C++."""
    ours = codes.ours.ChainPrograms(CHAIN_100) if codes.ours else None
    rows = []
    for algorithm, name in (("inverse", "RNEA"), ("forward", "ABA")):
        case = f"(c) chain of 100, {algorithm} dynamics ({name})"
        rows += guarded(case, partial(kernel_rows, case, algorithm, ours, codes.pinocchio, repeats))
    if ours and codes.pinocchio:
        rows += guarded("      difference between the codes", lambda: [_agreement(ours, codes.pinocchio)])
    return rows


def kernel_rows(case: str, algorithm: str, ours: Any, pinocchio: Any, repeats: int) -> list[Row]:
    tasks: dict[str, Callable[[int], float]] = {}
    if ours:
        tasks["flexmb"] = partial(ours.call_seconds, algorithm, 200)
    if pinocchio:
        tasks["pin"] = partial(pinocchio.call_seconds, algorithm, CHAIN_100, 200)
    best = best_alternating(tasks, 6 * repeats)
    note, mine, peer = "", best.get("flexmb"), best.get("pin")
    if peer is not None:
        overhead = pinocchio.call_overhead(algorithm)
        note = f"pinocchio {peer * 1e6:.1f} us from Python, less {overhead * 1e6:.1f} us for the call"
        peer -= overhead
    share = None if peer is None or mine is None else mine / peer
    target = at_most(1.7, share, "{:g}x its time".format)
    return [Row(case, microseconds(mine), microseconds(peer), ratio(peer, mine), target, note)]


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
    sizes = [30, 60, 120] if codes.quick else [30, 60, 120, 250, 500, 1000]
    case = f"(d) explicit tree step, {sizes[0]} to {sizes[-1]} links"
    if not codes.ours:
        return [Row(case, MISSING, "", "", "<= n^1.1")]
    return guarded(case, lambda: [growth_row(case, sizes, codes.ours, repeats)])


def growth_row(case: str, sizes: list[int], ours: Any, repeats: int) -> Row:
    costs = []
    for n in sizes:
        run = partial(chain_seconds, ours.run_chain, Chain(n, step=1e-4), method="rk4")
        costs.append(step_costs({"flexmb": run}, 400, repeats)["flexmb"])
    exponent = fitted_exponent(sizes, costs)
    note = ", ".join(f"{n}: {cost * 1e6:.3g} us" for n, cost in zip(sizes, costs, strict=True))
    return Row(case, f"n^{exponent:.3f}", "", "", at_most(1.1, exponent, "n^{:g}".format), note)
