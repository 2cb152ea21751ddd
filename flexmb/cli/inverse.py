"""flexmb inverse: efforts of the prescribed motions and reactions of all joints."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from flexmb.cli.options import Option

if TYPE_CHECKING:
    from flexmb.model.model import Model
    from flexmb.results.inverse_result import Departure, InverseDynamics


def inverse(
    model: Path,
    /,
    *,
    output: Annotated[Path | None, Option("--output", "-o")] = None,
    settings: Annotated[list[str] | None, Option("--set")] = None,
    elastic: Literal["dynamic", "quasi-static"] = "dynamic",
    more_drives: Literal["refuse", "least-squares"] = "refuse",
    reactions: Literal["multipliers", "recursive"] = "multipliers",
    verify: bool = False,
    csv: Path | None = None,
    quiet: bool = False,
    json: bool = False,
    strict: bool = False,
) -> int:
    """Compute the effort of every motion and the reaction of every joint; prints them, writes a result.

    Parameters
    ----------
    model
        Model file (.toml) with motions.
    output
        Result file; default: [output] file of the model, else the name of the model with .h5, in the current folder.
    settings
        Change a parameter or a key of the model, e.g. --set rpm=3000 --set analysis.step=1e-4. May be repeated.
    elastic
        How flexible bodies deform: dynamic (default: integrated), or quasi-static (in balance with loads and inertia).
    more_drives
        More motions than degrees of freedom: refuse (default: an error), or least-squares (fit, rigid mechanisms only).
    reactions
        Method for reactions: multipliers (default), or recursive, body by body; the report compares the two.
    verify
        Run the model forwards with the computed efforts in place of the motions, and report how far it departs.
    csv
        Table of efforts and of reactions in world axes, one row for every row of the result.
    quiet
        Print nothing but errors.
    json
        Print one JSON document instead of the reports: drives, headline numbers, warnings, peaks.
    strict
        Exit with code 1 when there are warnings, such as reactions that are not unique; the result is written.
    """
    from flexmb.cli.loading import load_model
    from flexmb.cli.settings import read_settings

    loaded = load_model(model, read_settings(settings or []), quiet)
    target = output or Path(loaded.spec.output.file or f"{model.stem}.h5")
    _check(target, csv, verify, more_drives)
    choices = {"elastic": elastic, "more_drives": more_drives, "reactions": reactions}
    found = _computed(loaded, target, choices, quiet)
    return _print_report(found, csv, verify, quiet, json, strict)


def _check(target: Path, csv: Path | None, verify: bool, more_drives: str) -> None:
    """Reject impossible requests before anything is computed."""
    from flexmb.errors import InputError
    from flexmb.output_files import output_path
    from flexmb.results.result_writer import check_result_path

    check_result_path(target)
    if csv is not None:
        output_path(csv, ".csv")
        if csv.resolve() == target.resolve():
            raise InputError(f"--csv {csv}: this is the result file. Choose another name for one of them.")
    if verify and more_drives != "refuse":
        raise InputError("--verify needs one motion per degree of freedom. Leave out --more-drives or --verify.")


def _computed(loaded: Model, target: Path, choices: dict[str, Any], quiet: bool) -> InverseDynamics:
    """Inverse dynamics of a model, with a progress line on a terminal."""
    from flexmb.analyses.inverse import inverse_model
    from flexmb.cli.plain_output import typed_command
    from flexmb.cli.progress import ProgressLine, announce_compilation

    shown = not quiet and sys.stderr.isatty()
    if shown:
        announce_compilation(sys.stderr, loaded.spec.analysis.method if loaded.spec.analysis else "", loaded.spec)
    progress = ProgressLine(sys.stderr) if shown else None
    try:
        return inverse_model(loaded, target, **choices, progress=progress, command=typed_command())
    finally:
        if progress is not None:
            progress.clear()


def _checked_forwards(found: InverseDynamics) -> Departure:
    """Forward check; the result is already written, so a failure here is not an input error."""
    from flexmb.analyses.forward_check import forward_check
    from flexmb.errors import ComputationError, InputError

    try:
        return forward_check(found)
    except InputError as error:
        raise ComputationError(f"The result is written, but the model cannot be run forwards: {error}") from error


def _print_report(found: InverseDynamics, csv: Path | None, verify: bool, quiet: bool, json: bool, strict: bool) -> int:
    """Print the reports, write the table, check forwards."""
    from flexmb.analyses.section_forces import beam_forces
    from flexmb.cli.json_output import departure_document, exit_code, inverse_document, print_document
    from flexmb.reports.inverse_report import departure_lines, inverse_report
    from flexmb.results.reaction_table import write_reactions

    quiet = quiet or json
    with found.result:
        if not quiet:
            print(found.result.report, inverse_report(found, beam_forces(found.result, found.model)), sep="\n\n")
        if csv is not None:
            write_reactions(found, csv)
            if not quiet:
                print("", f"  {'reactions and efforts':<26}{csv}", sep="\n")
        departure = _checked_forwards(found) if verify and found.result.outcome == "finished" else None
        if json:
            print_document("inverse", {**inverse_document(found), **departure_document(departure)})
        if departure is not None and not quiet:
            print("", *departure_lines(departure), sep="\n")
        if found.result.outcome == "interrupted":
            raise KeyboardInterrupt(f"interrupted at t = {found.result.time[-1]:.6g} s")
        return exit_code(found.warnings, strict)
