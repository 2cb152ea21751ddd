"""Faults of a table in words: what was found, where, what is allowed, what was probably meant."""

from __future__ import annotations

from typing import Annotated, Any, get_args, get_origin

from flexmb.errors import Fault
from flexmb.model.schema.bodies import Strict
from flexmb.model.schema.table import Detail, Table, ValidationError, tags_of
from flexmb.suggestions import clipped, did_you_mean

Path = tuple[str | int, ...]

_TYPE_NAMES = {
    "string_type": "a string",
    "bool_type": "true or false",
    "dict_type": "a table",
    "model_type": "a table",
    "tuple_type": "a list",
    "float_type": "a number",
}


def faults_of(error: ValidationError, root: type[Table]) -> list[Fault]:
    """All faults of a validation error, with paths as the user wrote them."""
    return [_fault(details, root) for details in error.details]


def _fault(details: Detail, root: type[Table]) -> Fault:
    path, present = _walk(root, details.place)
    kind, found = details.kind, details.found
    key = str(path[-1]) if path else ""
    if kind == "flexmb":
        return Fault(f"{key}: {details.words['text']}", path, details.words["hint"])
    if kind in ("extra_forbidden", "missing"):
        return _key_fault(kind, path, _walk(root, details.place[:-1])[1])
    if kind == "literal_error":
        choices = [str(choice) for choice in details.words["choices"]]
        text = f"{key} = {clipped(found)} is not one of the choices"
        return Fault(text, path, did_you_mean(str(found), choices, "Choices"))
    types = [tag for tag, table in tags_of(present).items() if isinstance(table, type) and "type" in _fields(table)]
    if kind == "union_tag_invalid":
        tag = details.words["tag"]
        return Fault(
            f"type = '{tag[:60]}' is not one of the choices", (*path, "type"), did_you_mean(tag, types, "Choices")
        )
    if kind == "union_tag_not_found":
        if not isinstance(found, dict):
            wanted = "a name or a table" if "name" in tags_of(present) else "a table"
            return Fault(f"{key}: expected {wanted}, found {clipped(found)}", path)
        return Fault(f"'type' is missing. Choices: {', '.join(types)}.", path)
    return Fault(f"{key}: expected {_TYPE_NAMES[kind]}, found {clipped(found)}", path)


def _key_fault(kind: str, path: Path, table: Any) -> Fault:
    """Fault of an unknown key or of a missing one."""
    key = str(path[-1])
    if kind == "missing":
        return Fault(f"'{key}' is missing", path, _value_hint(table, key))
    if _is_strict(table) and key in table.foreign:
        return Fault(f"'{key}' {table.foreign[key]}", path)
    name = f"[{'.'.join(str(part) for part in path[:-1])}]" if len(path) > 1 else "a model"
    return Fault(f"'{key[:60]}' is not a key of {name}", path, did_you_mean(key, _fields(table), "Keys"))


def _walk(root: type[Table], location: Path) -> tuple[Path, Any]:
    """The path as the user wrote it, without the tags of unions, and the type at its end."""
    path: Path = ()
    present: Any = root
    for part in location:
        if part in (tags := tags_of(present)):
            present = tags[str(part)]
            continue
        path = (*path, part)
        if get_origin(present) is dict:
            present = get_args(present)[1]
        elif get_origin(present) in (tuple, list):
            present = get_args(present)[0]
        else:
            present = _fields(present).get(str(part))
        present = _without_none(present)
    return path, present


def _value_hint(table: Any, key: str) -> str:
    """Hint on the value of a missing key."""
    if _is_strict(table) and key in table.absent:
        return str(table.absent[key])
    fields = table.fields().items() if isinstance(table, type) and issubclass(table, Table) else ()
    return next((info.description for name, info in fields if (info.alias or name) == key), "")


def _fields(table: Any) -> dict[str, Any]:
    """Types of a table's keys, as the user writes the keys."""
    if not (isinstance(table, type) and issubclass(table, Table)):
        return {}
    return {info.alias or name: _plain(info.annotation) for name, info in table.fields().items()}


def _plain(annotation: Any) -> Any:
    """The type of a key, without what reads it."""
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


def _without_none(annotation: Any) -> Any:
    """X of `X | None`; anything else as it is."""
    members = [member for member in get_args(annotation) if member is not type(None)]
    optional = type(None) in get_args(annotation)
    return members[0] if optional and len(members) == 1 else annotation


def _is_strict(table: Any) -> bool:
    return isinstance(table, type) and issubclass(table, Strict)
