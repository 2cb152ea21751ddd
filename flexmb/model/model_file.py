"""Model files: TOML text to a checked `Model`, and faults printed with file, line and excerpt."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flexmb.errors import Fault, InputError
from flexmb.input_files import is_special
from flexmb.model.model import Model
from flexmb.model.model_file_limits import excess
from flexmb.model.model_file_lines import key_lines, line_of
from flexmb.model.model_settings import apply_settings

LARGEST_FILE = 50_000_000
"""Largest model file [bytes]"""


@dataclass(frozen=True)
class LineFault(Fault):
    """A fault of the text itself, which has no keys yet."""

    line: int = 0


class ModelFileError(InputError):
    """Faults of a model file, and its text."""

    def __init__(self, faults: Sequence[Fault] | str, filename: str, text: str = ""):
        super().__init__(faults)
        self.filename = filename
        self.text = text

    def __str__(self) -> str:
        return f"{self.filename}: {super().__str__()}"


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a model file; raises ModelFileError when it cannot be read."""
    name = os.fspath(path)
    try:
        file = Path(path)
        if file.is_dir() or is_special(file):
            what = "a folder" if file.is_dir() else "a device or a pipe"
            raise ModelFileError(f"this is {what}; give a model file (.toml)", name)
        if file.stat().st_size > LARGEST_FILE:
            size = file.stat().st_size / 1e6
            raise ModelFileError(
                f"the file is too large for a model ({size:.0f} MB; at most {LARGEST_FILE / 1e6:.0f} MB)", name
            )
        data = file.read_bytes()
    except FileNotFoundError:
        raise ModelFileError("there is no such file", name) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise ModelFileError(f"the file cannot be read: {reason}", name) from None
    if data.startswith((b"flexmb result", b"\x89HDF")):
        raise ModelFileError(
            "this is a result or body file; give a model file (.toml). Results go to 'flexmb plot' or "
            "'flexmb export', bodies to 'flexmb body info'",
            name,
        )
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ModelFileError([LineFault("the file is not UTF-8 text", line=line)], name) from None


def parse_text(text: str, filename: str = "model") -> dict[str, Any]:
    """Tables of a TOML text; raises ModelFileError with the line of a syntax fault."""
    if found := excess(text):
        raise ModelFileError([LineFault(found.text, line=found.line)], filename, text)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        place = re.search(r"\(at line (\d+), column \d+\)", message)
        line = int(place[1]) if place else text.count("\n") + 1
        message = re.sub(r"\s*\(at .*\)$", "", message)
        if "Cannot overwrite" in message or "Cannot declare" in message or "Cannot mutate" in message:
            message = "this name is defined twice"
        hint = _quotes_hint(text.split("\n")[line - 1])
        fault = LineFault(f"not valid TOML: {message[:200]}", hint=hint, line=line)
        raise ModelFileError([fault], filename, text) from None
    except (RecursionError, ValueError, OverflowError):
        raise ModelFileError("not valid TOML: nested too deeply or a number is too long", filename, text) from None


def _quotes_hint(line: str) -> str:
    """Hint on quotes, which TOML needs around strings and names with other letters than a-z."""
    name = re.match(r"""\s*\[?\[?[^"'#=]*""", line)
    if name is not None and not name[0].isascii():
        return "Put a name with letters other than a-z in quotes."
    value = line.partition("=")[2].partition("#")[0].strip()
    if value in ("True", "False"):
        return f"Write {value.lower()}."
    if not re.search(r"[a-zA-Z$]", value) or re.search(r"""["'=\[{]""", value):
        return ""
    return f'Put strings and numbers with a unit in quotes: "{value[:50]}".'


def read_model(
    path: str | os.PathLike[str],
    settings: Mapping[str, str] | None = None,
    keep: Collection[str] | str | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> Model:
    """Read and check a model file.

    `settings` overrides parameters ("rpm": "3000") and dotted keys ("analysis.step": "1e-4"). With `keep` (names of
    parameters, "all", or none of them) the model is checked for its symbolic equations, where symbols need no value.
    Meshes are reduced where the cache does not have them yet; `progress` is called with the stages. Raises
    ModelFileError (an InputError) with every fault.
    """
    return parse_model(read_text(path), os.fspath(path), settings, str(Path(path).parent), keep, progress)


def parse_model(
    text: str,
    filename: str = "model",
    settings: Mapping[str, str] | None = None,
    folder: str = "",
    keep: Collection[str] | str | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> Model:
    """As `read_model`, from text; paths of body files and meshes start in `folder`."""
    tables = parse_text(text, filename)
    changed, faults = apply_settings(tables, settings or {})
    model = Model.from_tables(tables, text, dict(settings or {}), folder)
    try:
        if keep is None:
            model.check(progress)
        else:
            model.symbolic_spec(keep)
    except InputError as error:
        faults += [_blame_setting(fault, changed) for fault in error.faults]
    if faults:
        raise ModelFileError(faults, filename, text)
    return model


def _blame_setting(fault: Fault, changed: Mapping[tuple[str, ...], str]) -> Fault:
    for path, setting in changed.items():
        if fault.path[: len(path)] == path:
            first, *rest = fault.text.split("\n")
            dot = "." if first.endswith(".") else ""
            text = "\n".join([f"{first.removesuffix('.')} (set by {setting[:60]!r}){dot}", *rest])
            return Fault(text, fault.path, fault.hint)
    return fault


def format_faults(error: InputError, text: str | None = None, filename: str | None = None) -> str:
    """All faults, sorted by line, each with its source line; for printing by the command line."""
    if isinstance(error, ModelFileError):
        text = error.text if text is None else text
        filename = error.filename if filename is None else filename
    text, filename = text or "", filename or "model"
    lines = key_lines(text)
    source = text.split("\n")
    placed = [
        (fault.line if isinstance(fault, LineFault) else line_of(lines, fault.path), fault) for fault in error.faults
    ]
    placed.sort(key=lambda entry: entry[0])
    shown = []
    for line, fault in placed:
        shown.append(_one_fault(line, fault, filename, source))
    count = f"{len(placed)} problem{'s' if len(placed) != 1 else ''}; nothing was run."
    return "\n".join([*shown, count])


def _one_fault(line: int, fault: Fault, filename: str, source: list[str]) -> str:
    first, *rest = fault.text.split("\n")
    sentence = first if first.endswith((".", "?")) else f"{first}."
    place = f"{filename}:{line}" if line else filename
    rows = [f"{place}: {sentence} {fault.hint}".rstrip(), *rest]
    if 0 < line <= len(source) and source[line - 1].strip():
        excerpt = source[line - 1].strip("\r")
        excerpt = excerpt if len(excerpt) <= 110 else excerpt[:107] + "..."
        rows.append(f"   {line:4d} | {excerpt}")
    return "\n".join(rows)
