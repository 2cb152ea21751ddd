"""The JSON schema of a model file, for editors: every table, key, choice, bound and rule between keys.

Enters: the tables of the model (`ModelSpec`); leaves: a plain dict, as `flexmb schema` writes it, in the form that
drafts 4 to 7 share and that suits TOML, which has no null. Checks that need the rest of the model (names, units inside
strings, geometry) are left to `read_spec`.
"""

from __future__ import annotations

import inspect
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from flexmb.model.schema.bodies import Strict
from flexmb.model.schema.fields import FieldType
from flexmb.model.schema.json_forms import Schema
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.model.schema.table import FieldInfo, Table, WithJsonSchema, tags_of

DRAFT = "http://json-schema.org/draft-07/schema#"
TITLE = "flexmb model"
_SIMPLE = {str: "string", bool: "boolean", float: "number"}
_EMPTY: tuple[Any, ...] = (None, {}, [], ())


def model_schema() -> Schema:
    """The JSON schema of a model file as a dict, for `json.dump`."""
    tables: dict[str, Schema] = {}
    whole = _table(ModelSpec, tables)
    return {"$schema": DRAFT, "title": TITLE, **whole, "definitions": dict(sorted(tables.items()))}


def _table(table: type[Table], tables: dict[str, Schema]) -> Schema:
    """The schema of a table; those of the tables in it are added to `tables`."""
    keys = {info.alias or name: _key(info, tables) for name, info in table.fields().items()}
    required = [info.alias or name for name, info in table.fields().items() if info.is_required]
    schema: Schema = {"additionalProperties": False, **table.model_config.get("json_schema_extra", {})}
    schema |= {"description": inspect.cleandoc(table.__doc__ or ""), "properties": keys}
    if required:
        schema["required"] = required
    schema["type"] = "object"
    short = table.short if issubclass(table, Strict) else {}
    return {"anyOf": [*short["anyOf"], schema]} if short else schema


def _key(info: FieldInfo, tables: dict[str, Schema]) -> Schema:
    """The schema of a key: its type, default and description."""
    schema = _value(info.annotation, tables)
    rest: Schema = {} if info.default_factory or info.is_required else {"default": info.default}
    rest |= {"description": info.description} if info.description else {}
    rest |= info.json_schema_extra or {}
    if "default" in rest and rest["default"] in _EMPTY:
        del rest["default"]
    if "$ref" in schema and rest:  # before draft 2019 keywords beside a reference would be ignored
        return {"allOf": [schema], **rest}
    return {**schema, **rest}


def _value(annotation: Any, tables: dict[str, Schema]) -> Schema:
    """The schema of values with this annotation."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _annotated(parts[0], parts[1:], tables)
    if origin in (Union, UnionType):
        if tags := tags_of(annotation):
            return {"oneOf": [_value(member, tables) for member in tags.values()]}
        (inner,) = (part for part in parts if part is not NoneType)
        return _value(inner, tables)
    if origin is Literal:
        kinds = {str: "string", int: "integer"}
        kind = {kinds[type(choice)] for choice in parts}
        return {"enum": list(parts), **({"type": kind.pop()} if len(kind) == 1 else {})}
    if origin is dict:
        return {"additionalProperties": _value(parts[1], tables), "type": "object"}
    if origin is tuple:
        return {"items": _value(parts[0], tables), "type": "array"}
    if isinstance(annotation, type) and issubclass(annotation, Table):
        if annotation.__name__ not in tables:
            tables[annotation.__name__] = {}  # a table may hold itself
            tables[annotation.__name__] = _table(annotation, tables)
        return {"$ref": f"#/definitions/{annotation.__name__}"}
    return {"type": _SIMPLE[annotation]}


def _annotated(inner: Any, notes: tuple[Any, ...], tables: dict[str, Schema]) -> Schema:
    for note in notes:
        if isinstance(note, FieldType):
            return note.json()
        if isinstance(note, WithJsonSchema):
            return dict(note.schema)
    return _value(inner, tables)
