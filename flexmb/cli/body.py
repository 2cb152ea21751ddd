"""flexmb body info: the report of a body file."""

from __future__ import annotations

from pathlib import Path


def body_info(body: Path, /, *, json: bool = False) -> int:
    """Print the body report of a body file: its contents and whether to trust it, as flexmb reduce printed it.

    Parameters
    ----------
    body
        Body file (.h5), written by flexmb reduce.
    json
        Print one JSON document instead of the report: numbers, verdict, warnings.
    """
    from flexmb.bodies.body_file import read_body
    from flexmb.bodies.body_report import report_text
    from flexmb.cli.json_output import body_document, print_document

    found = read_body(body)
    if json:
        print_document("body info", {"file": str(body), **body_document(found)})
    else:
        print(report_text(found))
    return 0
