"""The reference of the model file in Markdown, made from its JSON schema: every table with its keys.

One section per table, in the order of a model file; a table inside another one follows the
first that mentions it. docs/reference/model-file.md holds this text; a test compares.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from flexmb.joints.table import JOINT_TYPES
from flexmb.model.expressions.evaluation import FUNCTIONS
from flexmb.model.schema.beams import FlexibleTable
from flexmb.model.schema.joints import joint_keys
from flexmb.model.schema.json_forms import Schema
from flexmb.model.schema.json_schema import model_schema
from flexmb.model.units import UNITS

HEADING = "## "
_KINDS = {
    "Body": "rigid",
    "BeamBody": "a beam",
    "ModalBody": "by matrices",
    "MeshedBody": "from a mesh",
    "MeshBody": "from a body file",
    "BeamMarker": "on a beam",
    "ModalMarker": "on a body by matrices",
}
"""Titles that distinguish tables of the same name, where their `type` does not."""


class _Sections:
    """Tables with their titles, in the order of first mention."""

    def __init__(self, schema: Schema):
        self.tables: Schema = schema["definitions"]
        self.titles: dict[str, str] = {}
        for key, entry in schema["properties"].items():
            self._visit(entry, (key,))

    def _visit(self, schema: Any, path: tuple[str, ...]) -> None:
        names = list(_references(schema))
        if isinstance(schema.get("additionalProperties"), dict):
            path = (*path, "NAME")
        new = [name for name in names if name not in self.titles]
        for name in new:
            self.titles[name] = f"`[{'.'.join(path)}]`{self._kind(name)}"
        for name in new:
            for key, entry in table_of(self.tables[name])["properties"].items():
                self._visit(entry, (*path, key))

    def _kind(self, name: str) -> str:
        type_of = table_of(self.tables[name])["properties"].get("type", {})
        kind = _KINDS.get(name) or (json.dumps(type_of["enum"][0]) if len(type_of.get("enum", ())) == 1 else "")
        return f", {kind}" if kind else ""

    def link(self, name: str, words: str) -> str:
        """A link to the section of a table."""
        return f"[{words}](#{anchor(self.titles[name])})"


def reference() -> str:
    """The whole reference, as Markdown."""
    schema = model_schema()
    sections = _Sections(schema)
    lines = [f"{HEADING}Tables of a model", "", "| table | holds |", "| --- | --- |"]
    for key, entry in schema["properties"].items():
        lines.append(f"| `[{key}]` | {_meaning(entry, '')} {_contents(sections, entry)} |")
    lines += ["", f"{HEADING}Expressions and units", "", *_grammar()]
    for name, title in sections.titles.items():
        lines += ["", f"{HEADING}{title}", "", *_section(sections, name)]
    return "\n".join(lines) + "\n"


def _grammar() -> Iterator[str]:
    """Functions and operators of expressions, and units."""
    yield f"Functions: {', '.join(f'`{name}`' for name in FUNCTIONS)}; constant `pi`; `+ - * / ^` and brackets."
    yield "Comparisons `< <= > >= == !=` and `and`, `or`, `not` are 1 where true, else 0; a number is true above 0."
    yield "`if(c, a, b)` is a where c > 0, else b; `step(x, x0, y0, x1, y1)` goes from y0 to y1 with zero first and"
    yield "second derivatives at both ends; `min` and `max` take two or more."
    yield ""
    yield "`interp('torque.csv', x)` is the monotone curve through two columns of a CSV file or of a table of"
    yield "`[tables]`; the file has a line of headers such as `speed [rpm], torque [N*m]`, below the model's folder."
    yield "`interp('motor.csv', x, 'torque', 'speed')` names the columns, values first; the default for x is the first"
    yield "column. Beyond the ends of the table it keeps their values. A motion by a table must cover the analysis."
    yield ""
    yield f"Units: {', '.join(f'`{name}`' for name in UNITS)}; products, quotients and powers of them, such as"
    yield "`kN/mm` or `kg*m^2`. Hz and rpm are turns per time: an angular speed of `50 Hz` is 314 rad/s."


def _contents(sections: _Sections, entry: Schema) -> str:
    """Links to the tables of a part of the model, or its values in words."""
    names = list(_references(entry))
    if not names:
        return f"Each: {_words(entry['additionalProperties'], sections)}."
    return " · ".join(sections.link(name, sections.titles[name].replace("`", "")) for name in names)


def _section(sections: _Sections, name: str) -> Iterator[str]:
    whole = sections.tables[name]
    table = table_of(whole)
    yield table["description"]
    for rule in table.get("allOf", ()):
        keys = [choice.get("required", ()) for choice in rule.get("oneOf", ())]
        if keys and all(len(each) == 1 for each in keys):
            yield f"Exactly one of {_listed(f'`{key}`' for (key,) in keys)} is required."
    yield from ("", "| key | value | default | meaning |", "| --- | --- | --- | --- |")
    required = table.get("required", [])
    for key in sorted(table["properties"], key=lambda key: (key not in required, key in FlexibleTable.fields())):
        entry = table["properties"][key]
        words = _words(entry, sections)
        default = "required" if key in required else _toml(entry["default"]) if "default" in entry else ""
        yield f"| `{key}` | {words} | {default} | {_meaning(entry, words)} |"
    if name == "Joint":
        yield from ("", *_joint_keys())


def _joint_keys() -> Iterator[str]:
    yield "| type | keys beside `type`, `bodies` and `tree` | coordinates |"
    yield "| --- | --- | --- |"
    units = {"length": "m", "angle": "rad", "rotation": "rad/s"}
    for joint in JOINT_TYPES.values():
        needed, allowed = joint_keys(joint, "bodies")
        common = {"type", "bodies", "tree", "position", "velocity"}
        keys = [f"`{key}`" for key in sorted(needed - common)]
        keys += [f"`{key}` (optional)" for key in sorted(allowed - needed - common)]
        coordinates = [f"`{n}` [{units[kind]}]" for n, kind in zip(joint.coordinates, joint.kinds, strict=True)]
        yield f"| `{joint.name}` | {', '.join(keys)} | {', '.join(coordinates) or 'none'} |"


def table_of(definition: Schema) -> Schema:
    """The table of a definition, which may have a short form beside it."""
    if "properties" in definition:
        return definition
    return next(choice for choice in definition["anyOf"] if "properties" in choice)


def _references(schema: Any) -> Iterator[str]:
    """Names of the tables that a key may hold; not those inside them."""
    if isinstance(schema, dict):
        if "$ref" in schema:
            yield schema["$ref"].rpartition("/")[2]
        for word in ("allOf", "anyOf", "oneOf", "items", "additionalProperties"):
            yield from _references(schema.get(word))
    elif isinstance(schema, list):
        for entry in schema:
            yield from _references(entry)


def _words(schema: Schema, sections: _Sections) -> str:
    """Values of a key, in words."""
    if "x-value" in schema:
        return _escaped(schema["x-value"])
    if "enum" in schema:
        return ", ".join(_toml(choice) for choice in schema["enum"])
    names = list(_references(schema))
    if names:
        many = isinstance(schema.get("additionalProperties"), dict)
        words = "tables by name" if many else "list of tables" if schema.get("type") == "array" else "table"
        links = sections.link(names[0], words)
        others = _short_forms(schema) or _short_forms(sections.tables[names[0]])
        return f"{others} or {links}" if others else links
    return {"boolean": "`true`, `false`", "string": "string", "object": "table"}[schema["type"]]


def _short_forms(schema: Schema) -> str:
    """Short form of a table in words: a name, a number, a word."""
    forms = []
    for choice in [*schema.get("anyOf", ()), *schema.get("oneOf", ())]:
        if "enum" in choice:
            forms += [_toml(word) for word in choice["enum"]]
        elif choice.get("type") in ("number", "string"):
            forms.append({"number": "number", "string": "name"}[choice["type"]])
    return "number" if "number" in forms else " or ".join(forms)


def _meaning(entry: Schema, words: str) -> str:
    """The description, without a unit that the value column already has."""
    shown = words.replace("\\", "")
    text = re.sub(r" \[([^\]]*)\]", lambda unit: "" if unit[0][1:] in shown else unit[0], entry["description"])
    return _escaped(text)


def _toml(value: Any) -> str:
    """A value as written in a model file; whole numbers without a decimal point."""
    if isinstance(value, (list, tuple)):
        return f"`[{', '.join(_toml(entry).strip('`') for entry in value)}]`"
    return f"`{json.dumps(int(value) if isinstance(value, float) and value == int(value) else value)}`"


def _listed(words: Iterator[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def _escaped(text: str) -> str:
    """Escape the characters that Markdown interprets; code in backticks stays."""
    parts = text.replace("|", "\\|").split("`")
    return "`".join(part if k % 2 else part.replace("*", "\\*") for k, part in enumerate(parts))


def anchor(title: str) -> str:
    """Anchor of a heading, after the # of a link."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
