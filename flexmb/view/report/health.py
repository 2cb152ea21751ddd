"""Solver health of a run: every check with a verdict, and what to do if it is not good."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from flexmb.reports.warnings import POOR_BALANCE, POOR_FORCE, POOR_GAP
from flexmb.results.result_file import Result
from flexmb.view.plots.unit_texts import handy_unit, number_text, quantity
from flexmb.warning import WarningRecord

Verdict = Literal["good", "care", "bad", "note"]

GOOD_FORCE, GOOD_BALANCE, GOOD_GAP = 1e-8, 1e-4, 1e-8
"""Errors without a remark: unbalanced force, energy balance (relative), constraints [m, rad]; the limits from which
they are warnings are those of the run."""
JUDGED = {
    "energy-balance": "Energy balance",
    "constraint-error": "Constraint drift",
    "unbalanced-force": "Unbalanced force",
    "unstable-equilibrium": "Stability",
}
"""Warnings that stand in the row of the number they judge."""
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


def checks(result: Result, warnings: Iterable[WarningRecord] = ()) -> list[Check]:
    """All checks of a run; `warnings` are those of the run."""
    found = [_outcome(result), *_numbers(result.summary), *_rows(result)]
    rows = {check.name: number for number, check in enumerate(found)}
    for warning in warnings:
        text = warning.text[:1].upper() + warning.text[1:]
        number = rows.get(JUDGED.get(warning.code, ""))
        if number is None:
            found.append(Check(_title(warning), _value(warning), "care", text))
        elif found[number].verdict != "bad":
            found[number] = replace(found[number], verdict="care", why=text)
        else:
            found[number] = replace(found[number], why=text)
    return found


def _title(warning: WarningRecord) -> str:
    """The code as words: "large-turn" is "Large turn"."""
    return warning.code[:1].upper() + warning.code[1:].replace("-", " ")


def _value(warning: WarningRecord) -> str:
    """Place, number and time of a warning."""
    parts = [warning.place] if warning.place else []
    if warning.value is not None:
        parts.append(quantity(warning.value, warning.unit, 3))
    if warning.time is not None:
        parts.append(f"at t = {quantity(warning.time, 's', 4)}")
    return ", ".join(parts)


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


def _rows(result: Result) -> Iterator[Check]:
    time = result.time
    if len(time) < 2 or not time[-1] > time[0]:
        return
    interval = float(np.median(np.diff(time)))
    factor, unit = handy_unit("s", interval)
    highest = 0.5 / interval if interval > 0.0 else 0.0
    value = f"{result.n_rows} rows, one every {quantity(interval / factor, unit)}"
    yield Check("Output", value, "note", f"Oscillations up to {quantity(highest, 'Hz', 3)} are resolved.")
