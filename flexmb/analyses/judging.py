"""Report and warnings of a run, from its rows: the last stage of a run, or of reading its result in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from flexmb.analyses.ill_determined import ill_determined, loaded, not_unique
from flexmb.analyses.left_out_modes import left_out_shares
from flexmb.analyses.preparation import Preparation
from flexmb.analyses.unstable_rest import stability_warnings
from flexmb.errors import InputError
from flexmb.model.model import Model
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.reports.contact_warnings import contact_warnings
from flexmb.reports.flexible_report import strain_text
from flexmb.reports.run_report import run_report
from flexmb.reports.stop_report import stop_texts
from flexmb.reports.warnings import NOTHING_SEEN, Observations, energy_error_time, run_warnings, turn_time
from flexmb.results.channel_columns import is_reaction
from flexmb.results.extremes import Extremes
from flexmb.results.flexible_findings import flexible_bodies, flexible_findings
from flexmb.results.result_file import Result
from flexmb.results.spectrum import efforts, ringing
from flexmb.solvers.summary import NaturalSummary, QuasiStaticSummary, StaticSummary, Summary
from flexmb.system.system import System
from flexmb.warning import WarningRecord

_MOST_JOINTS = 20
"""Joints whose reactions are examined for fast oscillations, those with the largest forces."""


@dataclass(frozen=True)
class EndedRun:
    """A run that has ended, finished or not: what its report is made of, beside its rows."""

    ready: Preparation
    model: Model
    summary: Summary | None
    """None: it failed before it started."""
    output: Path | str
    """Its result file, or a sentence why there is none."""
    n_channels: int
    failure: str = ""
    wall_note: str = ""

    def judge(
        self, result: Result | None, extremes: Mapping[str, Extremes], n_rows: int
    ) -> tuple[str, list[WarningRecord]]:
        """Report and warnings; `result`: None when there are no rows."""
        ready, model, summary = self.ready, self.model, self.summary
        seen = NOTHING_SEEN
        if result is not None:
            seen = _observations(ready, model.spec, result, extremes, summary)
        warnings = list(run_warnings(ready.system, model.spec, summary, seen, ready.warnings, ready.balance))
        text = run_report(
            ready.system,
            model,
            summary,
            n_dof=ready.n_dof,
            extremes=extremes,
            output=self.output,
            n_rows=n_rows,
            n_channels=self.n_channels,
            failure=self.failure,
            wall_note=self.wall_note,
            balance=ready.balance,
            turbo=ready.turbo,
            findings=seen.findings,
            strain=seen.strain,
            stops=() if result is None else tuple(stop_texts(model.spec, result)),
            warnings=warnings,
        )
        return text, warnings


def _observations(
    ready: Preparation, spec: ModelSpec, result: Result, extremes: Mapping[str, Extremes], summary: Summary | None
) -> Observations:
    """Findings in the rows so far: flexible bodies, reactions that are not determined, fast oscillations, times of
    errors."""
    system = ready.system
    forces = {path: found.high for path, found in extremes.items() if is_reaction(path) and found.high > 0.0}
    largest = sorted((path for path in forces if path.endswith("/force")), key=lambda path: -forces[path])
    energy = summary.peak_energy if summary is not None else 0.0
    try:
        seen = Observations(
            ringing=ringing(
                result, [*largest[:_MOST_JOINTS], *efforts(result)], energy=energy, length=system.length_scale
            ),
            energy_time=energy_error_time(result),
            turn_time=turn_time(result, summary.turning_body) if summary is not None else None,
            warnings=(*_stability(system, result, summary), *_contacts(system, spec, result, summary)),
        )
        undetermined = {} if system.sharing.n_bent else not_unique(spec, ready, result)
        if loaded(undetermined, result, system.length_scale):
            seen = replace(seen, not_unique=undetermined)
        if not flexible_bodies(system.mechanism):
            return seen
        findings, weak = flexible_findings(system.mechanism, result), ill_determined(system, result)
        shares = left_out_shares(system, result)
        findings = {name: replace(found, left_out=shares.get(name)) for name, found in findings.items()}
        return replace(seen, findings=findings, strain=strain_text(result), ill_determined=weak)
    except InputError:  # the file is damaged, which is reported elsewhere
        return NOTHING_SEEN


def _stability(system: System, result: Result, summary: Summary | None) -> tuple[WarningRecord, ...]:
    """Warning about a run that rests in an unstable equilibrium."""
    if isinstance(summary, (StaticSummary, NaturalSummary, QuasiStaticSummary)):
        return ()  # a static equilibrium has a warning of its own
    return tuple(stability_warnings(system, result))


def _contacts(system: System, spec: ModelSpec, result: Result, summary: Summary | None) -> Iterator[WarningRecord]:
    """Warnings about one-sided springs."""
    if summary is not None:
        energies = (getattr(summary, key, 0.0) for key in ("energy_error", "peak_energy"))
        yield from contact_warnings(spec, system, result, *energies)
