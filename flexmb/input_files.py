"""Checks before reading a file: a device never ends, and a pipe may wait for ever for a writer."""

from __future__ import annotations

import os
from pathlib import Path

from flexmb.suggestions import clipped


def is_special(path: str | os.PathLike[str]) -> bool:
    """Whether `path` is neither a file nor a folder, but a device or a pipe."""
    file = Path(path)
    return file.exists() and not file.is_file() and not file.is_dir()


def file_fault(path: str | os.PathLike[str], what: str) -> str:
    """Reason why `path` cannot be read as `what` ("result file"), as a sentence; empty if it can."""
    file = Path(path)
    try:
        if not file.exists():
            return f"There is no {what} {clipped(str(file), 200)}."
        if file.is_dir():
            return f"'{file}' is a folder, not a {what}."
        if is_special(file):
            return f"'{file}' is a device or a pipe, not a {what}."
    except OSError as error:  # such as a name that is too long
        return f"There is no {what} {clipped(str(file))}: {error.strerror or error}."
    return "" if os.access(file, os.R_OK) else f"'{file}' cannot be read: permission denied."
