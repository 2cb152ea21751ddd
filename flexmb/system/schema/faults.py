"""From pydantic's errors to ours: what was found, where, what is allowed, what was probably meant."""

from __future__ import annotations

import re
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from flexmb.errors import Fault
from flexmb.system.schema.loads import FORCE_TYPES
from flexmb.system.suggestions import clipped, did_you_mean

_TYPE_NAMES = {
    "string_type": "a text",
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
    location = details["loc"]
    path = _user_path(location)
    kind = details["type"]
    key = str(path[-1]) if path else ""
    if kind == "flexmb":
        return Fault(f"{key}: {context['text']}", path, context["hint"])
    if kind == "extra_forbidden":
        fields = _keys_at(root, location[:-1])
        table = f"[{'.'.join(str(part) for part in path[:-1])}]" if len(path) > 1 else "a model"
        return Fault(f"'{key[:60]}' is not a key of {table}", path, did_you_mean(key, fields, "Keys"))
    if kind == "missing":
        return Fault(f"'{key}' is missing", path)
    if kind == "literal_error":
        choices = re.findall(r"'([^']+)'", str(context.get("expected", "")))
        text = f"{key} = {clipped(details['input'])} is not one of the choices"
        return Fault(text, path, did_you_mean(str(details["input"]), choices, "Choices"))
    if kind == "union_tag_invalid":
        tag = str(context.get("tag", ""))
        return Fault(
            f"type = '{tag[:60]}' is not one of the choices", (*path, "type"), did_you_mean(tag, FORCE_TYPES, "Choices")
        )
    if kind == "union_tag_not_found":
        if not isinstance(details["input"], dict):
            return Fault(f"{key}: a table is needed, found {clipped(details['input'])}", path)
        return Fault(f"'type' is missing. Choices: {', '.join(FORCE_TYPES)}.", path)
    if kind in _TYPE_NAMES:
        return Fault(f"{key}: {_TYPE_NAMES[kind]} is needed, found {clipped(details['input'])}", path)
    message = details["msg"]
    return Fault(f"{key}: {message[:1].lower()}{message[1:]}", path)


def _user_path(location: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """Without the tag that pydantic puts in for the type of a force."""
    if len(location) > 2 and location[0] == "forces":
        return (*location[:2], *location[3:])
    return location


def _keys_at(root: type[BaseModel], location: tuple[str | int, ...]) -> list[str]:
    """Keys of the table at `location`."""
    present: Any = root
    for part in location:
        if isinstance(present, type) and issubclass(present, BaseModel):
            by_key = {field.alias or name: field for name, field in present.model_fields.items()}
            present = by_key[str(part)].annotation if part in by_key else None
        elif get_origin(present) is dict:
            present = get_args(present)[1]
        elif part in FORCE_TYPES:
            present = FORCE_TYPES[str(part)]
        present = _table_in(present)
    if isinstance(present, type) and issubclass(present, BaseModel):
        return [field.alias or name for name, field in present.model_fields.items()]
    return []


def _table_in(annotation: Any) -> Any:
    """The table class inside `X | None`; anything else as it is."""
    tables = [a for a in get_args(annotation) if isinstance(a, type) and issubclass(a, BaseModel)]
    return tables[0] if len(tables) == 1 and get_origin(annotation) is not dict else annotation
