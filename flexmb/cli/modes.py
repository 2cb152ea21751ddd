"""flexmb modes: linearise a model, print its modes, write its linear equations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from flexmb.cli.options import Option

if TYPE_CHECKING:
    from flexmb.arrays import Floats
    from flexmb.results.modal_result import ModalResult
    from flexmb.warning import WarningRecord


def modes(
    model: Path,
    /,
    *,
    settings: Annotated[list[str] | None, Option("--set")] = None,
    about: Literal["start", "static", "steady"] = "start",
    result: Path | None = None,
    time: float | None = None,
    over: str | None = None,
    frf: str | None = None,
    frequencies: str | None = None,
    most: int = 20,
    output: Annotated[list[Path] | None, Option("--output", "-o")] = None,
    json: bool = False,
    strict: bool = False,
) -> int:
    """Print natural frequencies, damping and mode shapes of a mechanism with loops, drives and flexible bodies.

    Parameters
    ----------
    model
        Model file (.toml).
    settings
        Change a parameter or a key of the model, e.g. --set rpm=3000. May be repeated.
    about
        State to linearise about: start (of a run), static (equilibrium), or steady (deflected by the steady motion).
    result
        Linearise about a row of this result (.h5) of the model instead; default: the last row.
    time
        With --result: time of the row [s].
    over
        Campbell diagram: frequencies over a parameter or key, modes tracked by shape, e.g. --over speed=0:200:21.
    frf
        Frequency response from a force or motion to a sensor: --frf push.x:tip, --frf drive.acceleration:tip.
    frequencies
        Frequencies of --frf [Hz], evenly spaced, e.g. --frequencies 1:1000:500.
    most
        Largest number of modes (with --frf: of rows) to print.
    output
        File to write: .npz or .mat (matrices, eigenvalues, shapes, names) or .csv. May be repeated.
        With --over and --frf: .csv, or a plot (.png, .svg, .pdf).
    json
        Print one JSON document instead of the report: all modes (--over: frequencies; --frf: response), warnings.
    strict
        Exit with code 1 when there are warnings, such as a state that is not an equilibrium.
    """
    from flexmb.analyses.modes import modes_of_model
    from flexmb.cli.json_output import exit_code
    from flexmb.cli.loading import load_model
    from flexmb.cli.modes_files import read_over, read_pair, read_range
    from flexmb.cli.settings import read_settings

    paths = output or []
    _check(about, result, time, over, frf, frequencies, most, paths)
    values = read_settings(settings or [])
    if over is not None:
        return exit_code(_sweep(model, values, *read_over(over), about, most, paths, json), strict)
    wanted = None if frf is None else (read_pair(frf), read_range("--frequencies", frequencies or "", 0.0))
    modal = modes_of_model(load_model(model, values), about=about, result=result, time=time)
    if wanted:
        _respond(modal, *wanted, most, paths, json)
    else:
        _list(modal, most, paths, json)
    return exit_code(modal.warnings, strict)


def _list(modal: ModalResult, most: int, paths: list[Path], json: bool) -> None:
    from flexmb.cli.json_output import modes_document, print_document
    from flexmb.reports.modes_report import modes_text
    from flexmb.results.modal_tables import mode_table, write_matrices, write_table

    if json:
        print_document("modes", modes_document(modal))
    else:
        print(modes_text(modal, most))
    for path in paths:
        if path.suffix.lower() == ".csv":
            write_table(path, *mode_table(modal))
        else:
            write_matrices(modal, path)
        if not json:
            print(path)


def _respond(
    modal: ModalResult, pair: tuple[str, str], frequencies: Floats, most: int, paths: list[Path], json: bool
) -> None:
    from flexmb.cli.json_output import print_document, response_document
    from flexmb.reports.modes_report import response_text
    from flexmb.results.modal_tables import response_table, write_table
    from flexmb.solvers.frequency_response import frequency_response

    response = frequency_response(modal.linear, *pair, frequencies)
    if json:
        print_document("modes", response_document(modal, pair, frequencies, response))
    else:
        print(response_text(modal, pair, frequencies, response, most))
    for path in paths:
        if path.suffix.lower() == ".csv":
            write_table(path, *response_table(frequencies, response))
        else:
            from flexmb.view.plots.mode_plots import draw_response

            draw_response(f"{modal.system.name}: {pair[1]} by {pair[0]}", frequencies, response, path)
        if not json:
            print(path)


def _check(
    about: str,
    result: Path | None,
    time: float | None,
    over: str | None,
    frf: str | None,
    frequencies: str | None,
    most: int,
    paths: list[Path],
) -> None:
    """Reject options that do not go together, all at once."""
    from flexmb.cli.modes_files import PICTURES, check_files
    from flexmb.errors import Fault, InputError

    faults = []
    if time is not None and result is None:
        faults.append(
            Fault("--time selects a row of a result, and no result is given.", hint="Add --result RESULT.h5.")
        )
    if result is not None and about != "start":
        faults.append(
            Fault(f"--result and --about {about} both choose the state to linearise about.", hint="Give one of them.")
        )
    if over is not None and (frf is not None or result is not None):
        faults.append(Fault("--over cannot be combined with --frf or --result.", hint="Give one of them."))
    if (frf is None) != (frequencies is None):
        faults.append(Fault("--frf and --frequencies go together.", hint="Add the other one."))
    if most < 1:
        faults.append(Fault(f"--most {most}: must be 1 or more."))
    endings = (".csv", *PICTURES) if over is not None or frf is not None else (".npz", ".mat", ".csv")
    faults += check_files(paths, endings)
    if faults:
        raise InputError(faults)


def _sweep(
    model: Path,
    settings: dict[str, str],
    name: str,
    values: Floats,
    about: str,
    most: int,
    paths: list[Path],
    json: bool,
) -> tuple[WarningRecord, ...]:
    from flexmb.analyses.modes_sweep import sweep_modes
    from flexmb.cli.json_output import print_document, sweep_document
    from flexmb.reports.modes_report import sweep_text
    from flexmb.results.modal_tables import sweep_table, write_table

    sweep = sweep_modes(model, settings, name, values.tolist(), about, most)
    if json:
        print_document("modes", sweep_document(sweep))
    else:
        print(sweep_text(sweep))
    for path in paths:
        if path.suffix.lower() == ".csv":
            write_table(path, *sweep_table(sweep))
        else:
            from flexmb.view.plots.mode_plots import draw_sweep

            draw_sweep(sweep, path)
        if not json:
            print(path)
    return sweep.warnings
