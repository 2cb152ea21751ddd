"""Reduced bodies of parts in the user's cache: a part is reduced once, until its files, its request or flexmb change.

A body is found by the hash of the mesh file, of everything in the request that changes it, and of the sources that
reduce it (which include the version of the body file). Files that the mesh refers to (INCLUDE, matrices) are listed in
the body with their hashes, and must still be the same. The folder is `bodies` in the first place that `code_folder`
allows: a folder of this user, so that nobody else can exchange a body, and outside the folder of the model, which may
be shared, write-protected or under version control. Nothing in it is executed or unpickled: a body file is read and
checked like any other, and one that is damaged is made again. Without such a folder bodies are kept until the process
ends.
"""

from __future__ import annotations

import json
import re
import tempfile
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flexmb.bodies.part import Part, Progress, file_hash
from flexmb.errors import CacheWarning, Fault, InputError
from flexmb.machine_code.code_cache import code_folder
from flexmb.machine_code.sources import source_hash
from flexmb.mesh.raw import noted_files

if TYPE_CHECKING:
    from flexmb.bodies.reduced_body import ReducedBody
    from flexmb.mesh.mesh import Mesh

Load = Callable[[Path], "ReducedBody"]

_SOURCES = ("mesh", "elements", "reduction", "bodies")
"""Folders of flexmb that decide the numbers of a body"""
_FILES = "further files"
"""Key of the provenance: files that the mesh refers to, with their hashes, as JSON"""


@dataclass(frozen=True)
class OpenPart:
    """A part whose files have been looked at."""

    part: Part
    path: Path
    """Place of the body in the cache, existing or not"""
    body: ReducedBody | None = None
    """None: it is not in the cache"""
    mesh: Mesh | None = None
    """None: the body is in the cache, or the mesh cannot be read"""
    files: tuple[Path, ...] = ()
    """Files that the mesh consists of"""

    def make(self, *, progress: Progress = None, command: str = "") -> Path:
        """Reduce the part and keep its body."""
        from flexmb.bodies.body_file import write_body

        assert self.mesh is not None
        with noted_files() as noted:
            body = self.part.reduced(self.mesh, progress=progress, command=command)
        others = sorted({*noted, *self.files} - {self.part.mesh})
        if others:
            further = {str(file.absolute()): file_hash(file) for file in others}
            body = replace(body, provenance={**body.provenance, _FILES: json.dumps(further)})
        return write_body(body, self.path)


def open_part(part: Part, load: Load, faults: list[Fault], progress: Progress = None) -> OpenPart | None:
    """Look for the body of a part; if it is not kept, read and check the mesh. None: a file of the part is missing.

    load : reads a body file
    """
    try:
        path = _folder() / f"{re.sub(r'[^A-Za-z0-9_-]+', '_', part.mesh.stem)[:60]}-{_key(part)}.h5"
    except (OSError, ValueError):  # a file is missing, or the path cannot be one
        path = None
    if path is not None and (body := kept_body(path, load)) is not None:
        return OpenPart(part, path, body)
    with noted_files() as files:
        mesh = part.read_mesh(faults, progress)
    part = part.with_usual_field(mesh)
    faults += part.request.faults()
    if mesh is not None:
        faults += part.mesh_faults(mesh)
    return None if path is None else OpenPart(part, path, None, mesh, tuple(files))


def kept_body(path: Path, load: Load) -> ReducedBody | None:
    """The body at a path of the cache, if it is made of the files as they are now; a damaged one is deleted."""
    if not path.is_file():
        return None
    try:
        body = load(path)
        further = json.loads(body.provenance.get(_FILES, "{}"))
        return body if all(_unchanged(Path(file), digest) for file, digest in further.items()) else None
    except (InputError, ValueError, AttributeError):
        with suppress(OSError):
            path.unlink()
        text = f"the body file '{path}' of the cache is damaged; it is made again."
        warnings.warn(text, CacheWarning, stacklevel=2)
        return None


def _unchanged(file: Path, digest: str) -> bool:
    try:
        return _digest(file) == digest
    except OSError:
        return False


def _key(part: Part) -> str:
    """Hash of everything that decides the numbers of the body, as far as it is known before the mesh is read."""
    request = {key: value for key, value in asdict(part.request).items() if key != "damping"}
    words = {
        "sources": _source_hash(),
        "mesh": (_digest(part.mesh), part.mesh.suffix.lower()),
        "unit": part.unit,
        "materials": {name: asdict(material) for name, material in part.materials.items()},
        "section": None if part.section is None else asdict(part.section),
        "y_axis": part.y_axis,
        "thickness": None if part.thickness is None else dict(part.thickness),
        "straighten": part.straighten,
        "request": request,
    }
    return sha256(json.dumps(words, sort_keys=True, default=_plain).encode()).hexdigest()[:16]


def _plain(value: Any) -> Any:
    """A file by its contents, a number of another library as a number."""
    return _digest(value) if isinstance(value, Path) else float(value)


def _digest(path: Path) -> str:
    found = path.stat()
    return _digest_at(str(path), found.st_mtime_ns, found.st_size)


@lru_cache(64)
def _digest_at(path: str, changed: int, size: int) -> str:
    """Hash of a file last `changed` then [ns], of this `size`."""
    return file_hash(Path(path))


@cache
def _source_hash() -> str:
    return source_hash(_SOURCES)


def _folder() -> Path:
    found = code_folder("bodies")
    return Path(_temporary_folder(found.reason).name) if found.path is None else found.path


@cache
def _temporary_folder(reason: str) -> tempfile.TemporaryDirectory[str]:
    """A folder of this process, where there is no cache."""
    text = f"bodies from meshes are not kept, because {reason}; they are reduced again at every start."
    warnings.warn(text, CacheWarning, stacklevel=2)
    return tempfile.TemporaryDirectory(prefix="flexmb-bodies-")
