"""flexmb body info: the report of a body file."""

from __future__ import annotations

from pathlib import Path


def body_info(body: Path, /) -> int:
    """Print the body report of a body file: its contents and whether to trust it, as flexmb reduce printed it.

    Parameters
    ----------
    body
        Body file (.h5), written by flexmb reduce.
    """
    from flexmb.bodies.body_file import read_body
    from flexmb.bodies.body_report import report_text

    print(report_text(read_body(body)))
    return 0
