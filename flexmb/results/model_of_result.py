"""Model of a result, from the settings in the result file and the body files that the run used.

A result holds elastic coordinates, not shapes: these are in the body files. A file is searched for at its path during
the run, beside the result, and in a folder given by the user; only a file with the same contents is used.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from flexmb.errors import Fault, InputError
from flexmb.model.model import Model
from flexmb.model.schema.geometry import without_lost_files
from flexmb.model.schema.mesh_bodies import load_body
from flexmb.results.memory_result import MemoryResult
from flexmb.results.result_file import Result

_HASH = "sha256:"
_OTHER = "contents differ from those during the run"


def model_of(result: Result, folder: str | os.PathLike[str] | None = None, notes: list[str] | None = None) -> Model:
    """The model that a result was made from; `folder`: another folder to search for body files.

    Raises InputError with every body file that is not found or has changed. Files that are only drawn may be missing: a
    sentence about each of them is added to `notes`.
    """
    if isinstance(result, MemoryResult) and result.model is not None and folder is None:
        return result.model
    tables = result.settings
    faults: list[Fault] = []
    for name, body in tables.get("bodies", {}).items():
        wanted = body.get("file")
        if isinstance(wanted, str) and wanted.startswith(_HASH):
            try:
                body["file"] = str(_find(result, name, wanted.removeprefix(_HASH), folder))
            except InputError as error:
                faults += error.faults
    if faults:
        raise InputError(faults)
    start = result.folder if result.folder and Path(result.folder).is_dir() else str(result.path.absolute().parent)
    tables, lost = without_lost_files(tables, start)
    if notes is not None:
        notes += lost
    return Model.from_tables(tables, result.model_text, None, start)


def _find(result: Result, body: str, wanted: str, folder: str | os.PathLike[str] | None) -> Path:
    """The file of a body with the contents that the run used."""
    seen: dict[Path, str] = {}
    for path in _candidates(result, body, folder):
        path = path.absolute()
        if path in seen or not path.is_file():
            continue
        try:
            found = path.stat()
            if _fingerprint(str(path), found.st_mtime_ns, found.st_size) == wanted:
                return path
            seen[path] = _OTHER
        except InputError as error:
            seen[path] = error.faults[0].text
    named = result.body_files.get(body, "")
    about = f"The file of body '{body}'" + (f" ('{named}')" if named else "")
    hint = "Give the folder that holds it: --bodies FOLDER, or make it again with 'flexmb reduce'."
    namesake = next((path for path in seen if path.name == Path(named).name), None)
    if namesake is not None:
        changed = f"{about} has changed since the run: '{namesake}' is another body."
        text = changed if seen[namesake] == _OTHER else f"{about}: {seen[namesake]}"
        hint = "Run the model again, or give the folder of the old file: --bodies FOLDER."
        raise InputError([Fault(text, hint=hint)])
    places = [result.folder] if result.folder else []
    places += [str(result.path.absolute().parent), *([str(folder)] if folder else [])]
    where = " and ".join(f"'{place}'" for place in dict.fromkeys(places))
    raise InputError([Fault(f"{about}, which the run used, is not found in {where}.", hint=hint)])


def _candidates(result: Result, body: str, folder: str | os.PathLike[str] | None) -> Iterator[Path]:
    """Possible paths of the file of a body, the likeliest first."""
    named = result.body_files.get(body, "")
    places = [Path(folder)] if folder else []
    places += [Path(result.folder)] if result.folder else []
    places.append(result.path.absolute().parent)
    if named:
        for place in places:
            yield place / named
            yield place / Path(named).name
    for place in (places[0], places[-1]):  # under another name
        if place.is_dir():
            yield from sorted(path for path in place.glob("*.h5") if path.absolute() != result.path.absolute())


@lru_cache(64)
def _fingerprint(path: str, changed: int, size: int) -> str:
    """Fingerprint of the body in a file with this modification time [ns] and `size`."""
    from flexmb.bodies.body_file import fingerprint

    return fingerprint(load_body("", path))
