"""The JSON schema of a model file, for editors: every table, key, choice, bound and rule between keys.

Enters: the checked objects of the model (`ModelSpec`); leaves: a plain dict, as `flexmb schema` writes it. pydantic
makes it; this module converts it to the form that drafts 4 to 7 share and that suits TOML, which has no null. Checks
that need the rest of the model (names, units inside strings, geometry) are left to `read_spec`.
"""

from __future__ import annotations

from typing import Any

from flexmb.model.schema.json_forms import Schema
from flexmb.model.schema.model_spec import ModelSpec

DRAFT = "http://json-schema.org/draft-07/schema#"
TITLE = "flexmb model"
_TEMPLATE = "#/definitions/{model}"
_LEFT_OUT = ("title", "discriminator")
"""Keywords of pydantic that no editor uses."""


def model_schema() -> Schema:
    """The JSON schema of a model file as a dict, for `json.dump`."""
    made = ModelSpec.model_json_schema(ref_template=_TEMPLATE)
    tables = {name: _tidy(entry) for name, entry in sorted(made.pop("$defs").items())}
    return {"$schema": DRAFT, "title": TITLE, **_tidy(made), "definitions": tables}


def _tidy(schema: Any) -> Any:
    """Remove null, empty defaults and keywords of other dialects; keep the keywords beside a $ref."""
    if isinstance(schema, list):
        return [_tidy(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    kept: Schema = {}
    for word, value in schema.items():
        if word == "properties":
            kept[word] = {key: _tidy(entry) for key, entry in value.items()}
        elif word == "const":
            kept["enum"] = [value]
        elif word in ("default", "enum"):
            kept[word] = value
        elif word not in _LEFT_OUT:
            kept[word] = _tidy(value)
    if kept.get("default", 0) in (None, {}, [], ()):
        del kept["default"]
    return _with_reference(_without_null(kept))


def _without_null(schema: Schema) -> Schema:
    """X of "X or null"; keywords of the key override those of its type."""
    choices = schema.get("anyOf")
    if not choices or {"type": "null"} not in choices:
        return schema
    others = [choice for choice in choices if choice != {"type": "null"}]
    rest = {word: value for word, value in schema.items() if word != "anyOf"}
    return {**others[0], **rest} if len(others) == 1 else {"anyOf": others, **rest}


def _with_reference(schema: Schema) -> Schema:
    """Wrap a $ref that has other keywords: before draft 2019 they would be ignored."""
    if "$ref" not in schema or len(schema) == 1:
        return schema
    rest = {word: value for word, value in schema.items() if word != "$ref"}
    return {"allOf": [{"$ref": schema["$ref"]}], **rest}
