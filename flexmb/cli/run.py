"""flexmb run: simulate a model, print the run report, write the result."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from flexmb.cli.options import Option


def run(
    model: Path,
    /,
    *,
    output: Annotated[Path | None, Option("--output", "-o")] = None,
    settings: Annotated[list[str] | None, Option("--set")] = None,
    resume: bool = False,
    turbo: bool = False,
    quiet: bool = False,
    json: bool = False,
    strict: bool = False,
) -> int:
    """Simulate a model; prints the run report, writes the result.

    Parameters
    ----------
    model
        Model file (.toml).
    output
        Result file; default: [output] file of the model, else the name of the model with .h5, in the current folder.
    settings
        Change a parameter or a key of the model, e.g. --set rpm=3000 --set analysis.step=1e-4. May be repeated.
    resume
        Continue the unfinished run in the result file; the numbers are those of an uninterrupted run.
    turbo
        Use code generated for this model (up to ten bodies) and cached; the report says if it cannot be used.
    quiet
        Print nothing but errors.
    json
        Print one JSON document instead of the report: headline numbers, warnings, peaks.
    strict
        Exit with code 1 when the run has warnings; the result is written all the same.
    """
    import shlex

    from flexmb.analyses.run import run_model
    from flexmb.cli.json_output import exit_code, print_document, result_document
    from flexmb.cli.loading import load_model
    from flexmb.cli.plain_output import typed_command
    from flexmb.cli.progress import ProgressLine, announce_compilation
    from flexmb.cli.settings import read_settings
    from flexmb.results.result_file import check_result_path

    loaded = load_model(model, read_settings(settings or []), quiet)
    target = output or Path(loaded.spec.output.file or f"{model.stem}.h5")
    check_result_path(target)
    shown = not quiet and sys.stderr.isatty()
    if shown:
        announce_compilation(sys.stderr, loaded.spec.analysis.method if loaded.spec.analysis else "", loaded.spec)
    progress = ProgressLine(sys.stderr) if shown else None
    try:
        result = run_model(loaded, target, resume=resume, turbo=turbo, progress=progress, command=typed_command())
    finally:
        if progress is not None:
            progress.clear()
    with result:
        if json:
            print_document("run", result_document(result))
        elif not quiet:
            print(result.report)
        if result.outcome == "interrupted":
            again = shlex.join(["flexmb", "run", str(model), "-o", str(target), *_set_words(settings), "--resume"])
            raise KeyboardInterrupt(f"interrupted at t = {result.time[-1]:.6g} s; continue with: {again}")
        return exit_code(result.warnings, strict)


def _set_words(settings: list[str] | None) -> list[str]:
    return [word for setting in settings or [] for word in ("--set", setting)]
