"""Warnings of a model and of its run: everything that a person should know before trusting the numbers.

`start_warnings` are known before a run (`flexmb check`), `run_warnings` after it. Both are the one place where warnings
are collected: the report prints them, the result file and `--json` store them, `--strict` counts them. A new warning is
a generator of `WarningRecord`s that is called here, or a record in `Preparation.warnings` (of the start),
`RunSummary.warnings` (of the solver) or `Observations.warnings` (of the rows). Codes: docs/reference/warnings.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexmb.model.schema.model_spec import ModelSpec
from flexmb.reports.data_warnings import data_warnings
from flexmb.reports.flexible_report import flexible_warnings
from flexmb.reports.run_report import entry, ill_determined_text, not_unique_text, repeated_text
from flexmb.results.flexible_findings import Findings, flexible_bodies
from flexmb.results.result_file import Result
from flexmb.results.spectrum import Ringing
from flexmb.solvers.statics import Equilibrium
from flexmb.solvers.summary import NaturalSummary, QuasiStaticSummary, RunSummary, StaticSummary, Summary
from flexmb.system.beam_plane import twist_advice
from flexmb.system.system import System
from flexmb.warning import WarningRecord

POOR_BALANCE = 1e-2
"""Error of the energy balance as a part of the peak energy that gives a warning."""
POOR_GAP = 1e-5
"""Constraint error [m, rad]; for mechanisms smaller than 1 m it is a part of their size."""
POOR_FORCE = 1e-4
"""Unbalanced force of an equilibrium as a part of the largest load."""
LARGE_TURN = 0.5
"""Turn of a body in a step [rad]: a dozen steps per turn. At 1 rad the precession of a fast top is 70 % too slow by
generalised-alpha."""
LARGE_VIBRATION = 0.1
"""Vibration that a quasi-static analysis leaves out, as a part of the largest elastic coordinates."""
LARGE_DIFFERENCE = 1e-6
"""Difference between natural and absolute coordinates, as a part of the largest force."""


@dataclass(frozen=True)
class Observations:
    """Findings in the rows of a result; empty: not examined."""

    findings: Findings | None = None
    """Largest deflections of the flexible bodies."""
    strain: str = ""
    """Largest strain energy, as text."""
    ill_determined: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Joints and motions -> components of their reactions that are amplified round-off."""
    not_unique: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Joints and motions -> components that redundant constraints leave open, if they carry load."""
    ringing: Ringing | None = None
    """Reaction or effort that oscillates faster than the rows resolve."""
    energy_time: float | None = None
    """Time of the largest error of the energy balance [s]."""
    turn_time: float | None = None
    """Time of the largest turn of a body in a step [s]."""
    warnings: tuple[WarningRecord, ...] = ()
    """Further findings in the rows."""


NOTHING_SEEN = Observations()


def start_warnings(
    system: System, spec: ModelSpec, prepared: Iterable[WarningRecord] = (), findings: Findings | None = None
) -> Iterator[WarningRecord]:
    """Warnings about a model that is ready to run; `prepared`: those of its preparation."""
    yield from prepared
    yield from data_warnings(spec, system.mechanism)
    yield from flexible_warnings(system.mechanism, findings, spec)


def run_warnings(
    system: System,
    spec: ModelSpec,
    summary: Summary | None,
    seen: Observations = NOTHING_SEEN,
    prepared: Iterable[WarningRecord] = (),
    balance: Equilibrium | None = None,
) -> Iterator[WarningRecord]:
    """All warnings of a run; `summary`: None when it failed before it started; `balance`: equilibrium at its start."""
    yield from start_warnings(system, spec, prepared, seen.findings)
    if balance is not None and not isinstance(summary, StaticSummary):
        yield from equilibrium_warnings(balance, "the static start")
    yield from seen.warnings
    if seen.ill_determined:
        advice = twist_advice(spec, system.mechanism) if flexible_bodies(system.mechanism) else ""
        yield ill_determined_warning(spec, seen.ill_determined, advice)
    if seen.not_unique:
        text = not_unique_text(repeated_text(system.n_redundant), seen.not_unique, bool(system.dependent))
        yield not_unique_warning(spec, system.n_redundant, seen.not_unique, text)
    if summary is None:
        return
    yield from summary.warnings
    yield from _accuracy_warnings(system, spec.analysis, summary, seen)
    if isinstance(summary, StaticSummary):
        yield from equilibrium_warnings(summary.equilibrium, "the equilibrium")
    if isinstance(summary, QuasiStaticSummary) and not summary.left_out <= LARGE_VIBRATION:
        text = (
            f"the quasi-static analysis leaves out vibration that would change the elastic coordinates by about "
            f"{100.0 * summary.left_out:.2g} % of their largest value. Integrate them: --elastic dynamic."
        )
        yield WarningRecord("vibration-left-out", text, "analysis", None, summary.left_out, "1")
    if isinstance(summary, NaturalSummary) and not summary.balance_gap <= LARGE_DIFFERENCE:
        text = (
            f"natural and absolute coordinates disagree: the bodies are off balance by {summary.balance_gap:.2g} of "
            'the largest force. Use a smaller step, or [coordinates] default = "absolute".'
        )
        yield WarningRecord("natural-balance", text, "coordinates", None, summary.balance_gap, "1")
    if seen.ringing is not None:
        yield ringing_warning(seen.ringing)


def _accuracy_warnings(
    system: System, analysis: Any, summary: RunSummary, seen: Observations
) -> Iterator[WarningRecord]:
    """Warnings about energy balance, constraints and turns per step."""
    if not summary.energy_balance <= POOR_BALANCE:
        yield balance_warning(analysis, summary.energy_balance, seen.energy_time)
    gap = summary.largest_constraint_error
    if not gap <= POOR_GAP * min(1.0, system.length_scale):
        text = (
            f"the joints opened by up to {gap:.2g} (m, rad), so the motion is not that of the mechanism. Use a smaller "
            "step or tolerance."
        )
        yield WarningRecord("constraint-error", text, _step_key(analysis), None, gap, "m, rad")
    if summary.largest_turn > LARGE_TURN:
        yield turn_warning(analysis, summary, seen.turn_time)


def balance_warning(analysis: Any, balance: float, time: float | None = None) -> WarningRecord:
    """Warning about a poor energy balance, with the remedy."""
    remedy = "a smaller step"
    if analysis is not None and analysis.type == "kinematic":
        remedy = "a smaller output interval"
    elif analysis is not None and analysis.tolerance is not None:
        remedy = "a smaller tolerance"
    text = (
        f"the energy balance is off by {100.0 * balance:.3g} % of the peak energy, so the motion is inaccurate. "
        f"Use {remedy}, and smoother laws for forces or motions that jump."
    )
    return WarningRecord("energy-balance", text, _step_key(analysis), time, balance, "1")


def turn_warning(analysis: Any, summary: RunSummary, time: float | None = None) -> WarningRecord:
    """Warning about a body that turns far in a step, with the remedy."""
    key = "max_step" if analysis is not None and analysis.tolerance is not None else "step"
    step = LARGE_TURN / summary.largest_turn * summary.turning_step
    text = (
        f"body '{summary.turning_body}' turns by up to {summary.largest_turn:.3g} rad per step. Above "
        f"{LARGE_TURN:g} rad a step does not resolve what turns with it (an unbalance, unequal inertias, the nutation "
        f"of a top), and the energy balance may not show it. Use {key} = {step:.1e} s or less, unless nothing depends "
        "on its angle."
    )
    return WarningRecord("large-turn", text, f"bodies.{summary.turning_body}", time, summary.largest_turn, "rad")


def _step_key(analysis: Any) -> str:
    """Key of the model that decides the accuracy of a run."""
    if analysis is None:
        return "analysis"
    if analysis.type == "kinematic":
        return "output.every"
    return "analysis.tolerance" if analysis.tolerance is not None else "analysis.step"


def equilibrium_warnings(found: Equilibrium, what: str) -> Iterator[WarningRecord]:
    """Warnings about an equilibrium that is unstable or not exact; `what`: "the equilibrium"."""
    if found.n_free and not found.is_stable:
        names = [name.strip("'") for name in found.softest]
        growth = float(np.sqrt(max(-found.lowest, 0.0)))
        way = f"a disturbance of {', '.join(names)} grows by exp({growth:.4g} t)" if growth > 0.0 else "by flutter"
        text = f"{what} is unstable: {way}. A real mechanism leaves this position."
        place = f"coordinates.{names[0]}" if names else "coordinates"
        yield WarningRecord("unstable-equilibrium", text, place, None, growth, "1/s")
    if not found.residual <= POOR_FORCE:
        text = f"{what} is not exact: loads and reactions differ by {found.residual:.2g} of the largest load."
        yield WarningRecord("unbalanced-force", text, "analysis", None, found.residual, "1")


def ill_determined_warning(spec: ModelSpec, components: Mapping[str, tuple[str, ...]], advice: str) -> WarningRecord:
    """Warning about reactions that are amplified round-off; `advice`: that for the beams of this model."""
    text = f"reactions are ill-determined: {ill_determined_text(dict(components), advice)}"
    places = ", ".join(f"{_table_of(spec, name)}.{name}" for name in components)
    return WarningRecord("ill-determined-reactions", text, places, None, sum(map(len, components.values())), "1")


def not_unique_warning(
    spec: ModelSpec, n_repeated: int, components: Mapping[str, tuple[str, ...]], text: str
) -> WarningRecord:
    """Warning about reactions that redundant constraints leave open."""
    places = ", ".join(f"{_table_of(spec, name)}.{name}" for name in components)
    return WarningRecord("reactions-not-unique", f"reactions are not unique: {text}", places, None, n_repeated, "1")


def ringing_warning(found: Ringing) -> WarningRecord:
    """Warning about a reaction or effort whose peaks the rows of the result miss."""
    section, _, name = found.place.partition(".")
    what = "effort of motion" if section == "motions" else "reaction of joint"
    text = (
        f"the {what} '{name}' oscillates at {found.frequency:.3g} Hz, faster than the rows of the "
        f"result resolve ({found.rows:.2g} rows per oscillation): its true peaks may be larger. If a sudden start "
        "excites undamped high modes, give the flexible bodies damping or start smoothly. To see the peaks, write more "
        "rows (output.every)."
    )
    return WarningRecord("ringing", text, found.place, found.time, found.frequency, "Hz")


def energy_error_time(result: Result) -> float | None:
    """Time of the largest error of the energy balance [s]; None: the result has no energies."""
    paths = ("energy/kinetic", "energy/potential", "energy/work/total")
    if not result.n_rows or not all(path in result.channels for path in paths[:2]):
        return None
    energy = result[paths[0]] + result[paths[1]] - (result[paths[2]] if paths[2] in result.channels else 0.0)
    return float(result.time[int(np.argmax(np.abs(energy - energy[0])))])


def turn_time(result: Result, body: str) -> float | None:
    """Time of the largest turn of a body in a step [s]."""
    path = f"bodies/{body}/angular_velocity"
    if not result.n_rows or path not in result.channels or "solver/step" not in result.channels:
        return None
    turns = np.linalg.norm(result[path], axis=1) * result["solver/step"]
    return float(result.time[int(np.argmax(turns))])


def warning_lines(warnings: Iterable[WarningRecord]) -> Iterator[str]:
    """Lines of a report on warnings, one paragraph each."""
    for warning in warnings:
        yield from ("", *entry("WARNING", warning.text))


def _table_of(spec: ModelSpec, name: str) -> str:
    """Table of the model that a part with reactions or efforts is in."""
    return next((table for table in ("motions", "couplings") if name in getattr(spec, table)), "joints")
