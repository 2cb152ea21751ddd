"""From a model to a result: build the system, simulate, write, report. Shared by command line and Python."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flexmb.analyses.judging import EndedRun
from flexmb.analyses.preparation import Preparation, may_be_large, prepare
from flexmb.errors import ComputationError, Fault, InputError
from flexmb.model.model import Model
from flexmb.model.schema.analysis import Analysis
from flexmb.reports.run_report import entry, summary_numbers
from flexmb.results.channel_columns import NamedChannel, NamedChannels, named_channels
from flexmb.results.memory_result import MemoryResult, RunEnd, RunRows
from flexmb.results.result_file import Result, check_result_path
from flexmb.results.resuming import open_for_resuming
from flexmb.results.run_identity import RunIdentity, now
from flexmb.solvers.compilation import compile_for
from flexmb.solvers.protocols import Sink
from flexmb.solvers.run import simulate
from flexmb.solvers.summary import Summary
from flexmb.system.records.fields import field_kinds
from flexmb.warning import WarningRecord

if TYPE_CHECKING:
    from flexmb.results.result_writer import ResultWriter  # imported where a file is written: it needs HDF5

Progress = Callable[[float, float, int, int], None]
PATIENCE = 0.3
"""Time for which the first rows are held back [s]: a run that ends before is written at once."""
IN_MEMORY = "in memory"


@dataclass(frozen=True)
class RunRequest:
    """Options of a run."""

    resume: bool = False
    """Continue the unfinished run in the result file."""
    turbo: bool = False
    """Let the integrator run generated code of the model if possible; the report says whether it did."""
    progress: Progress | None = None
    """progress(t, t_end, steps, rejected) is called about five times a second."""
    command: str = ""
    solve: Callable[..., Any] | None = None
    """Function that computes the rows, called like `simulate`, the default."""


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
    """Simulate a model, write its result and return the open result; `flexmb.run` needs no file.

    `output`: the result file; default: [output] file of the model, else its name with ".h5" in the current folder.
    `resume`: continue the unfinished run in `output`. `turbo`: let the integrator run generated code of this model if
    possible; the report says whether it did. `progress(t, t_end, steps, rejected)`: called about five times a second.
    `solve`: function that computes the rows, called like `simulate`, the default. `ready`: the prepared system, if it
    exists already. An interrupted run (Ctrl-C) returns the result so far, with outcome "interrupted". A failed run
    writes everything computed, then raises ComputationError.
    """
    path = Path(output) if output is not None else default_output(model)
    request = RunRequest(resume, turbo, progress, command, solve)
    check_run(model, path, request)
    return execute(model, ready or prepared_system(model, request.turbo), path, request)


def check_run(model: Model, path: Path | None, request: RunRequest) -> None:
    """Raise InputError for what cannot be run or written, before the first compilation."""
    spec = model.spec
    if spec.analysis is None:
        raise InputError(
            [Fault("the model has no analysis to run.", ("analysis",), "Add [analysis] with end and step.")]
        )
    if path is not None:
        check_result_path(path)
    if request.resume:
        if path is None:
            raise InputError("There is nothing to resume without a result file. Give the file of the unfinished run.")
        open_for_resuming(path, identity_of(model, request.command)).close()
    if request.solve is None and spec.coordinates.default == "natural":
        from flexmb.natural.analysis import natural_solver

        natural_solver(spec, request.turbo)


def prepared_system(model: Model, turbo: bool = False) -> Preparation:
    """The system of a model, with everything compiled that a run needs; generated code needs full matrices."""
    spec = model.spec
    assert spec.analysis is not None
    compile_for(spec.analysis.method, field_kinds(spec), may_be_large(spec) and not turbo)
    return prepare(model, sparse=not turbo)


def execute(model: Model, ready: Preparation, path: Path | None, request: RunRequest) -> Result:
    """Run a prepared system; without a path its result is in memory."""
    spec = model.spec
    solve = request.solve or simulate
    if request.solve is None and spec.coordinates.default == "natural":
        from flexmb.natural.analysis import natural_solver

        solve = natural_solver(spec, request.turbo)
    if request.turbo:
        from flexmb.analyses.turbo import use_turbo

        system = replace(ready.system, ints=ready.system.ints.copy())  # generated code is not for other runs
        ready = replace(ready, system=system, turbo=use_turbo(model, system))
    channels = named_channels(ready.system, reactions=spec.output.reactions)
    calculate = partial(_simulate, ready, model, request.progress, solve)
    if path is None:
        return _in_memory(ready, model, channels, calculate, request)
    return _in_file(ready, model, channels, calculate, request, path)


Calculate = Callable[[Sink, Any], Summary]


def _in_memory(
    ready: Preparation, model: Model, channels: list[NamedChannel], calculate: Calculate, request: RunRequest
) -> Result:
    rows, started = RunRows(), now()
    summary = calculate(rows, None)
    if not rows.n_rows and summary.outcome == "interrupted":
        raise KeyboardInterrupt
    ended = EndedRun(ready, model, summary, IN_MEMORY, len(channels))
    end = RunEnd(
        summary.outcome,
        tuple(summary_numbers(summary)),
        lambda result: ended.judge(result if rows.n_rows else None, rows.extremes(channels), rows.n_rows),
    )
    identity = partial(identity_of, model, request.command, started)
    return MemoryResult(rows, channels, identity, end, default_output(model), model=model)


def _in_file(
    ready: Preparation,
    model: Model,
    channels: list[NamedChannel],
    calculate: Calculate,
    request: RunRequest,
    path: Path,
) -> Result:
    from flexmb.results.result_writer import ResultWriter

    identity, analysis = identity_of(model, request.command), model.spec.analysis
    assert analysis is not None
    chunk_rows = _chunk_rows(analysis, model.spec.output.every)
    with ResultWriter(
        path, NamedChannels(channels), identity, resume=request.resume, chunk_rows=chunk_rows, patience=PATIENCE
    ) as writer:
        ended = EndedRun(ready, model, None, path, len(channels))
        try:
            summary = calculate(writer, writer.checkpoint)
        except ComputationError as error:
            numbers = summary_numbers(error.summary) if error.summary is not None else []
            _finish(replace(ended, summary=error.summary, failure=str(error)), writer, channels, "failed", numbers)
            raise
        if writer.n_rows == 0 and summary.outcome == "interrupted":
            raise KeyboardInterrupt
        note = " since it was resumed" if request.resume else ""
        numbers = summary_numbers(summary)
        report, warnings = _finish(
            replace(ended, summary=summary, wall_note=note), writer, channels, summary.outcome, numbers
        )
        rows = writer.rows
    if rows is None:
        return Result(path)
    end = RunEnd(summary.outcome, tuple(numbers), lambda _: (report, warnings))
    return MemoryResult(rows, channels, lambda: identity, end, path, model=model, is_written=True)


def _finish(
    ended: EndedRun, writer: ResultWriter, channels: list[NamedChannel], outcome: str, numbers: list[Any]
) -> tuple[str, list[WarningRecord]]:
    """Judge a run and complete its file."""
    if writer.rows is not None and writer.n_rows:
        end = RunEnd(outcome, tuple(numbers), lambda _: ("", ()))
        result: Result = MemoryResult(writer.rows, channels, lambda: writer.identity, end, writer.path)
        report, warnings = ended.judge(result, writer.rows.extremes(channels), writer.n_rows)
    else:
        writer.flush()
        report, warnings = _judge_file(ended, writer)
    if writer.kept is not None and (ended.failure or outcome != "finished"):
        kept = entry("earlier result", f"{writer.kept}: kept until this run is finished with --resume, or repeated")
        report = "\n".join([report, *kept])
    writer.finish(outcome, report, numbers, warnings)
    return report, warnings


def _judge_file(ended: EndedRun, writer: ResultWriter) -> tuple[str, list[WarningRecord]]:
    if writer.n_rows:
        try:
            with Result(writer.path) as result:
                return ended.judge(result, writer.extremes, writer.n_rows)
        except InputError:  # the file is damaged, which is reported elsewhere
            pass
    return ended.judge(None, writer.extremes, writer.n_rows)


def identity_of(model: Model, command: str = "", started: str = "") -> RunIdentity:
    """Identity of a run of a model."""
    folder = str(Path(model.folder).absolute())
    return RunIdentity(
        model.name, model.complete_text, model.identity, command, folder, model.body_files, started or now()
    )


def default_output(model: Model) -> Path:
    """Default path of the result: [output] file, else the name of the model."""
    if model.spec.output.file:
        return Path(model.spec.output.file)
    stem = re.sub(r"[^\w.-]+", "_", model.name).strip("._") or "result"
    return Path(f"{stem}.h5")


def _simulate(
    ready: Preparation,
    model: Model,
    progress: Progress | None,
    solve: Callable[..., Summary],
    sink: Sink,
    checkpoint: Any,
) -> Summary:
    """Run the analysis."""
    analysis, every = model.spec.analysis, model.spec.output.every
    return solve(ready.system, analysis, sink=sink, progress=progress, resume=checkpoint, every=every)


def _chunk_rows(analysis: Analysis, every: float | None) -> int:
    """Rows per HDF5 chunk: few for a short run, to keep its file small."""
    interval = every or analysis.step
    expected = int(analysis.end / interval) + 1 if interval else 512
    return max(16, min(512, expected))
