"""Faults from pydantic's errors: what was found, where, what is allowed, what was probably meant."""

from __future__ import annotations

import re
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel, Tag, ValidationError
from pydantic_core import ErrorDetails

from flexmb.errors import Fault
from flexmb.model.schema.bodies import Strict
from flexmb.suggestions import clipped, did_you_mean

Path = tuple[str | int, ...]

_TYPE_NAMES = {
    "string_type": "a string",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "dict_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a table",
    "list_type": "a list",
    "tuple_type": "a list",
    "float_type": "a number",
    "int_type": "a whole number",
}


def faults_of(error: ValidationError, root: type[BaseModel]) -> list[Fault]:
    """All faults of a validation error, with paths as the user wrote them."""
    return [_fault(details, root) for details in error.errors(include_url=False)]


def _fault(details: ErrorDetails, root: type[BaseModel]) -> Fault:
    context: dict[str, Any] = details.get("ctx", {}) or {}
    path, found = _walk(root, details["loc"])
    kind = details["type"]
    key = str(path[-1]) if path else ""
    if kind == "flexmb":
        return Fault(f"{key}: {context['text']}", path, context["hint"])
    if kind in ("extra_forbidden", "missing"):
        return _key_fault(kind, path, _walk(root, details["loc"][:-1])[1])
    if kind == "literal_error":
        choices = [text or number for text, number in re.findall(r"'([^']+)'|(\d+)", str(context.get("expected", "")))]
        text = f"{key} = {clipped(details['input'])} is not one of the choices"
        return Fault(text, path, did_you_mean(str(details["input"]), choices, "Choices"))
    types = [tag for tag, table in _tags(found).items() if isinstance(table, type) and "type" in _fields(table)]
    if kind == "union_tag_invalid":
        tag = str(context.get("tag", ""))
        return Fault(
            f"type = '{tag[:60]}' is not one of the choices", (*path, "type"), did_you_mean(tag, types, "Choices")
        )
    if kind == "union_tag_not_found":
        if not isinstance(details["input"], dict):
            wanted = "a name or a table" if "name" in _tags(found) else "a table"
            return Fault(f"{key}: expected {wanted}, found {clipped(details['input'])}", path)
        return Fault(f"'type' is missing. Choices: {', '.join(types)}.", path)
    if kind in _TYPE_NAMES:
        return Fault(f"{key}: expected {_TYPE_NAMES[kind]}, found {clipped(details['input'])}", path)
    message = details["msg"]
    return Fault(f"{key}: {message[:1].lower()}{message[1:]}", path)


def _key_fault(kind: str, path: Path, table: Any) -> Fault:
    """Fault of an unknown key or of a missing one."""
    key = str(path[-1])
    if kind == "missing":
        return Fault(f"'{key}' is missing", path, _value_hint(table, key))
    if _is_strict(table) and key in table.foreign:
        return Fault(f"'{key}' {table.foreign[key]}", path)
    name = f"[{'.'.join(str(part) for part in path[:-1])}]" if len(path) > 1 else "a model"
    return Fault(f"'{key[:60]}' is not a key of {name}", path, did_you_mean(key, _fields(table), "Keys"))


def _walk(root: type[BaseModel], location: Path) -> tuple[Path, Any]:
    """The path as the user wrote it, without pydantic's tags, and the type at its end."""
    path: Path = ()
    present: Any = root
    for part in location:
        if part in (tags := _tags(present)):
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
    fields = table.model_fields.items() if isinstance(table, type) and issubclass(table, BaseModel) else ()
    return next((field.description or "" for name, field in fields if (field.alias or name) == key), "")


def _fields(table: Any) -> dict[str, Any]:
    """Types of a table's keys, as the user writes the keys."""
    if not (isinstance(table, type) and issubclass(table, BaseModel)):
        return {}
    return {field.alias or name: field.annotation for name, field in table.model_fields.items()}


def _tags(annotation: Any) -> dict[str, Any]:
    """Members of a union that a tag or a `type` distinguishes; empty for anything else."""
    if get_origin(annotation) is Annotated:
        return _tags(get_args(annotation)[0])
    tags: dict[str, Any] = {}
    for member in get_args(annotation):
        if get_origin(member) is Annotated:
            table, *notes = get_args(member)
            tags.update({note.tag: table for note in notes if isinstance(note, Tag)})
        elif "type" in _fields(member):
            tags.update(dict.fromkeys(get_args(_fields(member)["type"]), member))
    return tags if get_origin(annotation) is not dict else {}


def _without_none(annotation: Any) -> Any:
    """X of `X | None`; anything else as it is."""
    members = [member for member in get_args(annotation) if member is not type(None)]
    optional = type(None) in get_args(annotation)
    return members[0] if optional and len(members) == 1 else annotation


def _is_strict(table: Any) -> bool:
    return isinstance(table, type) and issubclass(table, Strict)
