"""Solver health of a run: every check with a verdict, and what to do if it is not good."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from flexmb.reports.run_report import LARGE_TURN
from flexmb.results.result_file import Result
from flexmb.view.plots.channels import reaction_paths
from flexmb.view.plots.spectrum import amplitudes
from flexmb.view.plots.texts import shortened
from flexmb.view.plots.unit_texts import handy_unit, number_text, quantity

Verdict = Literal["good", "care", "bad", "note"]

GOOD_FORCE, POOR_FORCE = 1e-8, 1e-4
"""Unbalanced force as a part of the largest load"""
GOOD_BALANCE, POOR_BALANCE = 1e-4, 1e-2
GOOD_GAP, POOR_GAP = 1e-8, 1e-5
"""[m, rad]"""
RINGING, FEW_ROWS = 0.05, 8.0
"""Fast oscillation of a reaction as a part of its peak, and rows per oscillation, that give a warning."""
_SMOOTHED, _LEAST_ROWS = 9, 64
MANY_REJECTED = 0.2
MANY_ITERATIONS = 6.0


@dataclass(frozen=True)
class Check:
    """One check of a run."""

    name: str
    value: str
    verdict: Verdict
    """"note": a fact that is neither good nor bad"""
    why: str


def is_static(result: Result) -> bool:
    """Whether a result is the equilibrium of a static analysis."""
    return "unbalanced_force" in result.summary


def ringing(result: Result) -> Check | None:
    """Check whether the largest reaction oscillates so fast that the rows of the result miss its peaks; None: no."""
    name, force = "", np.zeros(0)
    for path in reaction_paths(result, "force"):
        size = np.linalg.norm(result[path].reshape(result.n_rows, -1), axis=1)
        if np.isfinite(size).all() and size.max(initial=0.0) > force.max(initial=0.0):
            name, force = path.split("/", 1)[1].rsplit("/", 1)[0], size
    if len(force) < _LEAST_ROWS:
        return None
    smooth = np.convolve(np.pad(force, _SMOOTHED // 2, "edge"), np.full(_SMOOTHED, 1.0 / _SMOOTHED), "valid")
    rest = force - smooth
    frequency, size = amplitudes(result.time, rest)
    hertz = float(frequency[np.argmax(size)])
    rows = result.n_rows / (hertz * float(result.time[-1] - result.time[0])) if hertz > 0.0 else np.inf
    if rest.std() < RINGING * force.max() or rows > FEW_ROWS:
        return None
    value = f"{quantity(hertz, 'Hz', 2)}, {number_text(rows, 2)} rows per oscillation"
    why = (
        f"The reaction of joint {shortened(name)} oscillates faster than the rows of the result resolve: its true "
        "peaks may be larger. If a sudden start excites undamped high modes, give the flexible bodies damping or "
        "start smoothly. To see the peaks, write more rows (output.every)."
    )
    return Check("Ringing", value, "care", why)


def checks(result: Result, warnings: Iterable[str] = ()) -> list[Check]:
    """All checks of a run; `warnings` are sentences about its flexible bodies."""
    found = [_outcome(result), *_numbers(result.summary), *_rows(result)]
    swinging = ringing(result)
    found += [swinging] if swinging is not None else []
    found += [Check("Flexible bodies", "", "care", text[:1].upper() + text[1:]) for text in warnings]
    return found


def worst(found: Iterable[Check]) -> Verdict:
    """The worst verdict."""
    verdicts = {check.verdict for check in found}
    return "bad" if "bad" in verdicts else "care" if "care" in verdicts else "good"


def _outcome(result: Result) -> Check:
    reached = quantity(float(result.time[-1]), "s", 6)
    words: dict[str, tuple[Verdict, str]] = {
        "finished": ("good", f"The run finished at t = {reached}."),
        "interrupted": ("care", f"The run was stopped at t = {reached}. Continue it with 'flexmb run --resume'."),
        "failed": ("bad", f"The run failed after t = {reached}. See the run report for the reason."),
        "running": ("care", f"The result is complete up to t = {reached}. The run is still going, or was killed."),
    }
    if is_static(result):
        words["finished"] = ("good", f"The equilibrium at t = {reached} was found.")
    verdict, why = words.get(result.outcome, ("care", f"Complete up to t = {reached}."))
    return Check("Outcome", result.outcome, verdict, why)


def _numbers(summary: dict[str, float]) -> Iterator[Check]:
    steps, rejected = summary.get("steps", 0.0), summary.get("rejected", 0.0)
    if steps:
        yield _steps(int(steps), int(rejected))
    iterations = summary.get("newton_iterations", 0.0)
    if steps and iterations:
        yield _iterations(iterations / (steps + rejected), int(summary.get("factorisations", 0.0)), int(steps))
    if "unbalanced_force" in summary:
        yield _unbalanced(summary["unbalanced_force"])
    if "lowest_stiffness" in summary:
        yield _stability(summary["lowest_stiffness"])
    if "largest_constraint_error" in summary:
        yield constraint_check(summary["largest_constraint_error"])
    if "energy_balance" in summary:
        yield balance_check(summary["energy_balance"], summary.get("peak_energy", np.nan))
    if summary.get("largest_turn", 0.0) > LARGE_TURN:
        yield turn_check(summary["largest_turn"])
    if summary.get("wall_time", 0.0) > 0.0:
        wall = summary["wall_time"]
        factor, unit = handy_unit("s", wall)
        speed = f"{number_text(steps / wall, 3)} steps per second" if steps else "computation time"
        yield Check("Wall time", quantity(wall / factor, unit, 3), "note", f"{speed[:1].upper()}{speed[1:]}.")


def _unbalanced(force: float) -> Check:
    value = f"{number_text(force, 2)} of the largest load"
    if force <= GOOD_FORCE:
        return Check("Unbalanced force", value, "good", "Loads and reactions balance.")
    verdict: Verdict = "care" if force <= POOR_FORCE else "bad"
    return Check("Unbalanced force", value, verdict, "Loads and reactions do not balance exactly.")


def _stability(lowest: float) -> Check:
    """lowest : smallest eigenvalue of stiffness against mass [1/s^2]"""
    if lowest == np.inf:
        return Check("Stability", "no free coordinates", "note", "Motions and joints hold every coordinate.")
    value = f"smallest stiffness/mass {quantity(lowest, '1/s^2', 3)}"
    if lowest > 0.0:
        hertz = quantity(np.sqrt(lowest) / (2.0 * np.pi), "Hz", 3)
        return Check(
            "Stability", value, "note", f"Every motion has stiffness; the softest has {hertz}. See the run report."
        )
    why = "The mechanism does not return after a small disturbance. See the run report for the motion."
    return Check("Stability", value, "care", why)


def _steps(steps: int, rejected: int) -> Check:
    value = f"{steps} steps, {rejected or 'none'} rejected"
    if rejected <= MANY_REJECTED * steps:
        return Check("Steps", value, "good", f"{'Few steps' if rejected else 'No step'} had to be repeated.")
    why = "Many steps had to be repeated with a smaller step size. Look for jumps in forces or motions, or contacts."
    return Check("Steps", value, "care", why)


def _iterations(mean: float, factorisations: int, steps: int) -> Check:
    value = f"{number_text(mean, 3)} Newton iterations per step"
    work = f"The matrix was factorised {factorisations} times in {steps} steps."
    if mean <= MANY_ITERATIONS:
        return Check("Iterations", value, "good", f"The equations of a step converge quickly. {work}")
    return Check("Iterations", value, "care", f"The steps converge slowly: a smaller step is likely faster. {work}")


def constraint_check(gap: float) -> Check:
    """Verdict on the largest error of the constraints [m, rad]."""
    value = f"{number_text(gap, 2)} m or rad"
    if gap <= GOOD_GAP:
        return Check("Constraint drift", value, "good", "The joints stayed closed at all times.")
    if gap <= POOR_GAP:
        return Check(
            "Constraint drift", value, "care", "The joints opened slightly. Use a smaller step to keep them closed."
        )
    why = "The joints opened, so the motion is not that of the mechanism. Use a smaller step or tolerance."
    return Check("Constraint drift", value, "bad", why)


def balance_check(balance: float, peak: float) -> Check:
    """Verdict on the energy balance, as a part of the peak energy [J]."""
    value = f"{number_text(balance, 2)} of the peak energy"
    about = f"Kinetic + potential energy minus work is constant; the peak energy is {quantity(peak, 'J')}."
    if balance <= GOOD_BALANCE:
        return Check("Energy balance", value, "good", about)
    if balance <= POOR_BALANCE:
        why = "Good enough for most purposes. To see whether it matters, halve the step and compare."
        return Check("Energy balance", value, "care", why)
    why = "Energy is created or lost: the motion is inaccurate. Use a smaller step or tolerance, and smooth any jumps."
    return Check("Energy balance", value, "bad", why)


def turn_check(turn: float) -> Check:
    """Warning about a body that turns far per step [rad]."""
    why = (
        "Effects that turn with the fastest body (an unbalance, unequal inertias, the nutation of a top) are not "
        f"resolved. Use steps of {LARGE_TURN:g} rad or less, unless nothing depends on the angle of that body."
    )
    return Check("Turn per step", f"up to {number_text(turn, 3)} rad", "care", why)


def _rows(result: Result) -> Iterator[Check]:
    time = result.time
    if len(time) < 2 or not time[-1] > time[0]:
        return
    interval = float(np.median(np.diff(time)))
    factor, unit = handy_unit("s", interval)
    highest = 0.5 / interval if interval > 0.0 else 0.0
    value = f"{result.n_rows} rows, one every {quantity(interval / factor, unit)}"
    yield Check("Output", value, "note", f"Oscillations up to {quantity(highest, 'Hz', 3)} are resolved.")
