"""flexmb reduce MODEL.toml: reduce all meshes of a model file, print their reports, and copy the bodies on request."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from flexmb.cli.reduce import ReduceOptions

if TYPE_CHECKING:
    from flexmb.bodies.reduced_body import ReducedBody

_ALLOWED = ("output", "quiet", "json", "strict")
_NAMES = {"interface": "interfaces", "marker": "markers", "no_compare": "compare"}
"""Options whose key in the model file has another name"""


def reduce_bodies(model: Path, options: ReduceOptions) -> int:
    """Reduce the meshes of a model, unless the cache has them; returns the exit code."""
    from flexmb.bodies.body_file import write_body
    from flexmb.bodies.body_report import report_text
    from flexmb.cli.json_output import body_document, exit_code, print_document

    _check_options(options)
    bodies = _whole_bodies(model, options.quiet) or _whole_bodies(model, options.quiet)
    targets = {name: path for name, (path, _) in bodies.items()}
    if options.output is not None:
        targets = _targets(options.output, list(bodies))
        for name, (_, body) in bodies.items():
            write_body(body, targets[name])
    documents = {name: {"file": str(targets[name]), **body_document(body)} for name, (_, body) in bodies.items()}
    if options.json:
        print_document("reduce", {"file": str(model), "bodies": documents})
    elif not options.quiet:
        print("\n\n".join(f"{report_text(body)}\n\n{targets[name]}" for name, (_, body) in bodies.items()))
    return exit_code([warning for _, body in bodies.values() for warning in body.warnings], options.strict)


def _check_options(options: ReduceOptions) -> None:
    """Reject options that a model file has as keys."""
    from flexmb.errors import Fault, InputError

    faults = []
    for option in fields(options):
        if option.name not in _ALLOWED and getattr(options, option.name) != option.default:
            key = _NAMES.get(option.name, option.name)
            text = f"this option belongs to a mesh; in a model file it is the key '{key}' of the body"
            faults.append(Fault(text, (f"--{option.name.replace('_', '-')}",)))
    if faults:
        raise InputError(faults)


def _whole_bodies(model: Path, quiet: bool) -> dict[str, tuple[Path, ReducedBody]]:
    """Path in the cache and whole contents of every body from a mesh; nothing if one of them was damaged."""
    from flexmb.bodies.body_file import read_body
    from flexmb.bodies.part_cache import kept_body
    from flexmb.cli.loading import load_model
    from flexmb.errors import InputError

    spec = load_model(model, None, quiet).spec
    files = {name: body.file for name, body in spec.bodies.items() if hasattr(body, "file") and body.file.mesh}
    if not files:
        raise InputError(f"{model}: no body of this model has the key 'mesh', so there is nothing to reduce.")
    found = {name: (Path(file.text), kept_body(Path(file.text), read_body)) for name, file in files.items()}
    whole = {name: (path, body) for name, (path, body) in found.items() if body is not None}
    return whole if len(whole) == len(found) else {}


def _targets(folder: Path, names: list[str]) -> dict[str, Path]:
    """Files of the bodies in a folder of the user."""
    from flexmb.bodies.body_file import is_body_file
    from flexmb.errors import Fault, InputError
    from flexmb.output_files import foreign_fault

    if not folder.is_dir():
        raise InputError(
            [Fault(f"'{folder}' is not a folder: all bodies of a model are written there.", ("--output",))]
        )
    targets = {name: folder / f"{name}.h5" for name in names}
    faults = [foreign_fault(target, "a body file of flexmb", is_body_file) for target in targets.values()]
    if any(faults):
        raise InputError([Fault(fault, ("--output",)) for fault in faults if fault])
    return targets
