"""flexmb check: degrees of freedom, constraints and assembly of a model, without running it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from flexmb.cli.options import Option


def check(
    model: Path,
    /,
    *,
    settings: Annotated[list[str] | None, Option("--set")] = None,
    graph: bool = False,
    matrices: bool = False,
    json: bool = False,
    strict: bool = False,
) -> int:
    """Print degrees of freedom, redundant constraints by joint, assembly residual and coordinates; runs nothing.

    Parameters
    ----------
    model
        Model file (.toml).
    settings
        Change a parameter or a key of the model, e.g. --set rpm=3000. May be repeated.
    graph
        Draw the linear graph: the spanning tree and the chords with their circuits.
    matrices
        Print the incidence, path, cutset and circuit matrices.
    json
        Print one JSON document instead of the report: degrees of freedom, redundant constraints, warnings.
    strict
        Exit with code 1 when there are warnings.
    """
    from flexmb.analyses.check import CHECKED_BY, examine_model
    from flexmb.cli.json_output import check_document, exit_code, print_document
    from flexmb.cli.loading import load_model
    from flexmb.cli.progress import announce_compilation
    from flexmb.cli.settings import read_settings

    loaded = load_model(model, read_settings(settings or []))
    if sys.stderr.isatty():
        announce_compilation(sys.stderr, CHECKED_BY, loaded.spec)
    found = examine_model(loaded, graph=graph, matrices=matrices)
    if json:
        print_document("check", check_document(found))
    else:
        print(found.report)
    return exit_code(found.warnings, strict)
