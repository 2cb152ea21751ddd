"""flexmb stress: largest stress over a run, hot spots, rainflow counts and damage."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from flexmb.cli.options import Option

if TYPE_CHECKING:
    from flexmb.results.stress_findings import StressFindings

_OPTIONS: dict[str | int, str | int] = {
    "end": "--to",
    **{name: f"--{name}" for name in ("spots", "apart", "by", "sn", "body", "bodies")},
}
"""Options by the names that the library knows"""


def stress(
    result: Path,
    /,
    *,
    output: Annotated[list[Path] | None, Option("--output", "-o")] = None,
    body: list[str] | None = None,
    start: Annotated[str | None, Option("--from")] = None,
    end: Annotated[str | None, Option("--to")] = None,
    spots: int = 10,
    apart: str | None = None,
    off_ties: bool = False,
    by: Literal["von-mises", "principal"] = "von-mises",
    sn: str | None = None,
    bodies: Path | None = None,
    json: bool = False,
    strict: bool = False,
) -> int:
    """Find the largest stress of flexible bodies over a run: hot spots, when, and their damage by an S-N line.

    flexmb stress RESULT.h5 -o envelope.png --sn "sigma_a = 160 MPa, N = 2e6, k = 5"

    Parameters
    ----------
    result
        Result file (.h5). Bodies from meshes need stress: flexmb reduce --stress, or stress = true in the model file.
    output
        File to write: .png (envelope with numbered hot spots), .vtu (envelope for ParaView), .csv (hot spots). May be
        repeated.
    body
        Body to look at. May be repeated. Default: all flexible bodies with stress.
    start
        Start time, e.g. 0.02 or '20 ms'.
    end
        End time.
    spots
        Most hot spots of a body.
    apart
        Least distance between hot spots, e.g. '5 mm'. Default: a twentieth of the size of the body.
    off_ties
        Leave out what is nearer than this distance to the nodes of interfaces.
    by
        What hot spots are and cycles are counted of: von-mises (default), or principal (of the largest magnitude).
    sn
        S-N line of amplitudes, e.g. 'sigma_a = 160 MPa, N = 2e6, k = 5'. Also k2 (slope below sigma_a), limit (no
        damage up to it), Rm (mean stress by Goodman).
    bodies
        Folder of the body files, if they were moved since the run.
    json
        Print one JSON document instead of the report: hot spots, counts, damage, warnings.
    strict
        Exit with code 1 when there are warnings, such as rows that do not resolve the stress.
    """
    from flexmb.cli.json_output import exit_code, listed, print_document
    from flexmb.reports.stress_report import stress_report
    from flexmb.view.stress import write_stress

    found = _found(result, body, (start, end, apart), output or [], json, spots, off_ties, by, sn, bodies)
    for path in output or []:
        write_stress(found, path)
    if json:
        print_document("stress", {**found.as_dict(), "warnings": listed(found.warnings), "files": output or []})
    else:
        print(stress_report(found), *(f"  {'file':<26}{path}" for path in output or []), sep="\n")
    return exit_code(found.warnings, strict)


def _found(
    result: Path,
    body: list[str] | None,
    numbers: tuple[str | None, str | None, str | None],
    output: list[Path],
    quiet: bool,
    spots: int,
    off_ties: bool,
    by: str,
    sn: str | None,
    bodies: Path | None,
) -> StressFindings:
    """Findings, with a progress line on a terminal; faults have the names of the options."""
    from flexmb.cli.progress import StageLine
    from flexmb.cli.reduce_arguments import read_number
    from flexmb.errors import Fault, InputError
    from flexmb.results.result_file import Result
    from flexmb.view.stress import stress_of
    from flexmb.view.stress.files import target_faults

    faults: list[Fault] = []
    start, end = (read_number(*given, "time", faults) for given in zip(("--from", "--to"), numbers, strict=False))
    apart = read_number("--apart", numbers[2], "length", faults)
    faults += target_faults(output)
    line = StageLine(sys.stderr) if sys.stderr is not None and sys.stderr.isatty() and not quiet else None
    try:
        if faults:
            raise InputError(faults)
        with Result(result) as loaded:
            return stress_of(
                loaded, body or (), start=start, end=end, spots=spots, apart=apart, off_ties=off_ties, by=by, sn=sn,
                folder=bodies, progress=line,
            )  # fmt: skip
    except InputError as error:
        raise InputError(
            [replace(fault, path=tuple(_OPTIONS.get(p, p) for p in fault.path)) for fault in error.faults]
        ) from error
    finally:
        if line is not None:
            line.clear()
