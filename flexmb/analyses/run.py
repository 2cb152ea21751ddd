"""From a model to a result: build the system, simulate, write, report. Shared by command line and Python."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from flexmb.analyses.ill_determined import ill_determined
from flexmb.analyses.preparation import Preparation, prepare
from flexmb.analyses.unstable_rest import stability_warnings
from flexmb.errors import ComputationError, Fault, InputError
from flexmb.model.model import Model
from flexmb.model.schema.analysis import Analysis
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.reports.contact_warnings import contact_warnings
from flexmb.reports.flexible_report import strain_text
from flexmb.reports.run_report import entry, run_report, summary_numbers
from flexmb.reports.warnings import NOTHING_SEEN, Observations, energy_error_time, run_warnings, turn_time
from flexmb.results.channel_columns import NamedChannel, is_reaction, named_channels
from flexmb.results.flexible_findings import flexible_bodies, flexible_findings
from flexmb.results.result_creation import RunIdentity
from flexmb.results.result_file import Result
from flexmb.results.result_writer import ResultWriter, check_result_path
from flexmb.results.resuming import open_for_resuming
from flexmb.results.spectrum import efforts, ringing
from flexmb.solvers.compilation import compile_for
from flexmb.solvers.run import simulate
from flexmb.solvers.summary import NaturalSummary, QuasiStaticSummary, StaticSummary, Summary
from flexmb.system.records.fields import field_kinds
from flexmb.system.system import System
from flexmb.warning import WarningRecord

Progress = Callable[[float, float, int, int], None]
_MOST_JOINTS = 20
"""Joints whose reactions are examined for fast oscillations, those with the largest forces."""


@dataclass(frozen=True)
class _Named:
    """Named channels of a system, as the result writer needs them."""

    channels: list[NamedChannel]


def run_model(
    model: Model,
    output: str | os.PathLike[str] | None = None,
    *,
    resume: bool = False,
    turbo: bool = False,
    progress: Progress | None = None,
    command: str = "",
    solve: Callable[..., Any] | None = None,
    ready: Preparation | None = None,
) -> Result:
    """Simulate a model, write its result and return the open result.

    `output`: the result file; default: [output] file of the model, else its name with ".h5" in the current folder.
    `resume`: continue the unfinished run in `output`. `turbo`: let the integrator run generated code of this model if
    possible; the report says whether it did. `progress(t, t_end, steps, rejected)`: called about five times a second.
    `solve`: function that computes the rows, called like `simulate`, the default. `ready`: the prepared system, if it
    exists already. An interrupted run (Ctrl-C) returns the result so far, with outcome "interrupted". A failed run
    writes everything computed, then raises ComputationError.
    """
    spec = model.spec
    if spec.analysis is None:
        raise InputError(
            [Fault("the model has no analysis to run.", ("analysis",), "Add [analysis] with end and step.")]
        )
    path = Path(output) if output is not None else default_output(model)
    folder = str(Path(model.folder).absolute())
    identity = RunIdentity(model.name, model.text, model.identity, command, folder, model.body_files)
    check_result_path(path)
    if resume:
        open_for_resuming(path, identity).close()  # reports faults before the first compilation
    if solve is None and spec.coordinates.default == "natural":
        from flexmb.natural.analysis import natural_solver

        solve = natural_solver(spec, turbo)
    compile_for(spec.analysis.method, field_kinds(spec))
    ready = ready or prepare(model, sparse=not turbo)
    if turbo:
        from flexmb.analyses.turbo import use_turbo

        ready = replace(ready, turbo=use_turbo(model, ready.system))
    named = _Named(named_channels(ready.system, reactions=spec.output.reactions))
    with ResultWriter(
        path, named, identity, resume=resume, chunk_rows=_chunk_rows(spec.analysis, spec.output.every)
    ) as writer:
        summary = _simulate(ready, model, writer, progress, solve or simulate)
        writer.flush()
        if writer.n_rows == 0 and summary.outcome == "interrupted":
            raise KeyboardInterrupt
        report, warnings = _report(ready, model, writer, summary, wall_note=" since it was resumed" if resume else "")
        writer.finish(summary.outcome, report, summary_numbers(summary), warnings)
    return Result(path)


def _report(
    ready: Preparation,
    model: Model,
    writer: ResultWriter,
    summary: Summary | None,
    failure: str = "",
    wall_note: str = "",
) -> tuple[str, list[WarningRecord]]:
    """The report and the warnings of a run."""
    seen = _look_into(ready.system, model.spec, writer, summary) if writer.n_rows else NOTHING_SEEN
    warnings = list(run_warnings(ready.system, model.spec, summary, seen, ready.warnings, ready.balance))
    text = run_report(
        ready.system,
        model,
        summary,
        n_dof=ready.n_dof,
        extremes=writer.extremes,
        output=writer.path,
        n_rows=writer.n_rows,
        n_channels=writer.n_channels,
        failure=failure,
        wall_note=wall_note,
        balance=ready.balance,
        turbo=ready.turbo,
        findings=seen.findings,
        strain=seen.strain,
        warnings=warnings,
    )
    if writer.kept is not None and (failure or summary is None or summary.outcome != "finished"):
        kept = entry("earlier result", f"{writer.kept}: kept until this run is finished with --resume, or repeated")
        text = "\n".join([text, *kept])
    return text, warnings


def _look_into(system: System, spec: ModelSpec, writer: ResultWriter, summary: Summary | None) -> Observations:
    """Findings in the rows so far: flexible bodies, ill-determined reactions, fast oscillations, times of errors."""
    forces = {path: found.high for path, found in writer.extremes.items() if is_reaction(path) and found.high > 0.0}
    largest = sorted((path for path in forces if path.endswith("/force")), key=lambda path: -forces[path])
    energy = summary.peak_energy if summary is not None else 0.0
    try:
        with Result(writer.path) as result:
            seen = Observations(
                ringing=ringing(
                    result, [*largest[:_MOST_JOINTS], *efforts(result)], energy=energy, length=system.length_scale
                ),
                energy_time=energy_error_time(result),
                turn_time=turn_time(result, summary.turning_body) if summary is not None else None,
                warnings=(*_stability(system, result, summary), *_contacts(system, spec, result, summary)),
            )
            if not flexible_bodies(system.mechanism):
                return seen
            findings, weak = flexible_findings(system.mechanism, result), ill_determined(system, result)
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


def default_output(model: Model) -> Path:
    """Default path of the result: [output] file, else the name of the model."""
    if model.spec.output.file:
        return Path(model.spec.output.file)
    stem = re.sub(r"[^\w.-]+", "_", model.name).strip("._") or "result"
    return Path(f"{stem}.h5")


def _simulate(
    ready: Preparation, model: Model, writer: ResultWriter, progress: Progress | None, solve: Callable[..., Summary]
) -> Summary:
    """Run the analysis; a failure is written to the result file, then raised."""
    analysis, every = model.spec.analysis, model.spec.output.every
    try:
        return solve(ready.system, analysis, sink=writer, progress=progress, resume=writer.checkpoint, every=every)
    except ComputationError as error:
        writer.flush()
        numbers = summary_numbers(error.summary) if error.summary is not None else ()
        report, warnings = _report(ready, model, writer, error.summary, str(error))
        writer.finish("failed", report, numbers, warnings)
        raise


def _chunk_rows(analysis: Analysis, every: float | None) -> int:
    """Rows per HDF5 chunk: few for a short run, to keep its file small."""
    interval = every or analysis.step
    expected = int(analysis.end / interval) + 1 if interval else 512
    return max(16, min(512, expected))
