"""`flexmb schema`: the JSON schema takes every model that the reader takes, refuses typical faults, explains each key.

Both drafts between which editors differ must give the same verdict. Random changes of shipped models show that the
schema is true: what it refuses, the reader refuses too.

Covers: cli.schema, model.schema.analysis, model.schema.beams, model.schema.bodies, model.schema.checks,
model.schema.fields, model.schema.json_forms, model.schema.reference_page, model.schema.series_fields.
"""

from __future__ import annotations

import copy
import json
import random
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from flexmb.cli import main
from flexmb.errors import InputError
from flexmb.model.model_file import parse_model
from flexmb.model.schema import read_spec
from flexmb.model.schema.json_schema import model_schema
from flexmb.model.schema.reference_page import reference, table_of
from tests.support.places import ROOT

MODELS = sorted([*(ROOT / "examples").glob("*.toml"), *(ROOT / "flexmb" / "verification" / "models").glob("*.toml")])
SCHEMA = model_schema()

PENDULUM = """
#:schema ./flexmb.schema.json
[model]
gravity = [0, 0, "-9.81 m/s^2"]
[parameters]
l = "800 mm"
[points]
O = [0, 0, 0]
B = ["$l", 0, 0]
[bodies.bar]
mass = "2 kg"
rod = ["O", "B"]
[joints.hinge]
type = "revolute"
bodies = ["ground", "bar"]
at = "O"
axis = "y"
[motions.drive]
joint = "hinge"
rate = "10 rpm"
[forces.push]
type = "force"
marker = "bar"
vector = [0, "2*sin(t)", 0]
[sensors.angle]
joint = "hinge"
[analysis]
end = 1
step = "1 ms"
"""

FAULTS = {
    "unknown table": ("[analysis]", "[analyse]"),
    "misspelt key": ("mass =", "maas ="),
    "misspelt choice": ('"revolute"', '"revolut"'),
    "number as truth": ('mass = "2 kg"', "mass = true"),
    "negative mass": ('mass = "2 kg"', "mass = -2"),
    "no mass": ('mass = "2 kg"\n', ""),
    "two components": ("O = [0, 0, 0]", "O = [0, 0]"),
    "no axis": ('axis = "y"\n', ""),
    "axis of another joint": ('axis = "y"', 'axis = "y"\nslot = "x"'),
    "wrong axis": ('axis = "y"', 'axis = "w"'),
    "two forms of a motion": ('rate = "10 rpm"', 'rate = "10 rpm"\nexpression = "t"'),
    "no form of a motion": ('rate = "10 rpm"\n', ""),
    "no type of a force": ('type = "force"\n', ""),
    "text for a list": ('vector = [0, "2*sin(t)", 0]', 'vector = "2*sin(t)"'),
    "sensor of two things": ('[sensors.angle]\njoint = "hinge"', '[sensors.angle]\njoint = "hinge"\nmarker = "bar"'),
    "no end": ("end = 1\n", ""),
    "zero step": ('step = "1 ms"', "step = 0"),
    "inertia and rod": ('rod = ["O", "B"]', 'rod = ["O", "B"]\ninertia = [1, 1, 1]'),
    "key of a beam": ('mass = "2 kg"', 'mass = "2 kg"\nshapes = 3'),
}


@cache
def validators() -> tuple[Any, Any]:
    """Of both drafts, over the schema."""
    from jsonschema import Draft4Validator, Draft7Validator

    return Draft4Validator(SCHEMA), Draft7Validator(SCHEMA)


def verdict(tables: Any) -> bool:
    """Whether the schema takes a model, the same by both drafts."""
    found = {validator.is_valid(tables) for validator in validators()}
    assert len(found) == 1
    return found.pop()


def test_the_schema_is_one() -> None:
    for validator in validators():
        validator.check_schema(SCHEMA)


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_every_shipped_model_is_valid(path: Path) -> None:
    tables = tomllib.loads(path.read_text())
    for validator in validators():
        assert [f"{list(fault.absolute_path)}: {fault.message}" for fault in validator.iter_errors(tables)] == []


def test_models_meet_nearly_all_tables_of_the_schema() -> None:
    # The models above would prove little if they used only a part of it.
    text = "".join(path.read_text() for path in MODELS)
    assert len(MODELS) >= 25
    assert {key for key in SCHEMA["properties"] if f"[{key}" not in text} <= {"base"}


def test_the_pendulum_with_the_line_for_editors_is_valid() -> None:
    parse_model(PENDULUM)
    assert verdict(tomllib.loads(PENDULUM))


@pytest.mark.parametrize("name", FAULTS)
def test_typical_faults_are_refused_by_schema_and_reader(name: str) -> None:
    old, new = FAULTS[name]
    assert PENDULUM.count(old) == 1
    text = PENDULUM.replace(old, new)
    assert not verdict(tomllib.loads(text))
    with pytest.raises(InputError):
        parse_model(text)


REPLACEMENTS: tuple[Any, ...] = (
    True,
    -1,
    0,
    3,
    2.5,
    "",
    "abc",
    "2 mm",
    "x",
    [],
    [1, 2, 3],
    [[1, 2], [3, 4]],
    {},
    {"a": 1},
)


def places(tables: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths of all keys and entries."""
    entries = tables.items() if isinstance(tables, dict) else enumerate(tables) if isinstance(tables, list) else ()
    for key, value in entries:
        yield (*path, key)
        yield from places(value, (*path, key))


def changed(tables: dict[str, Any], random_numbers: random.Random) -> dict[str, Any]:
    """A model with one key dropped, renamed or replaced."""
    new = copy.deepcopy(tables)
    *path, key = random_numbers.choice(list(places(new)))
    parent: Any = new
    for step in path:
        parent = parent[step]
    how = random_numbers.choice(("drop", "rename", "replace", "replace"))
    if how == "drop":
        del parent[key]
    elif how == "rename" and isinstance(parent, dict):
        parent[f"{key}x"] = parent.pop(key)
    else:
        parent[key] = random_numbers.choice(REPLACEMENTS)
    return new


@pytest.mark.long
def test_what_the_schema_refuses_the_reader_refuses() -> None:
    random_numbers = random.Random(7)
    models = [(path.parent, tomllib.loads(path.read_text())) for path in MODELS if "mesh" not in path.stem]
    refused = 0
    for _ in range(400):
        folder, tables = random_numbers.choice(models)
        tables = changed(tables, random_numbers)
        if not verdict(tables):
            refused += 1
            with pytest.raises(InputError):
                read_spec(tables, str(folder))
    assert refused > 200  # most changes of a kind that an editor can see are seen


def test_every_key_is_described_with_its_unit() -> None:
    for name, definition in SCHEMA["definitions"].items():
        table = table_of(definition)
        assert table["additionalProperties"] is False, name
        assert len(table["description"]) > 5, name
        for key, entry in table["properties"].items():
            assert entry.get("description", "").endswith((".", "...")), (name, key)
            unit = entry.get("x-unit", "1")
            if unit != "1":
                assert f"[{unit}]" in entry["x-value"] or unit in entry["description"], (name, key)


def test_defaults_are_valid() -> None:
    from jsonschema import Draft7Validator

    for name, definition in SCHEMA["definitions"].items():
        for key, entry in table_of(definition)["properties"].items():
            if "default" in entry:
                one = {**entry, "definitions": SCHEMA["definitions"]}
                assert Draft7Validator(one).is_valid(json.loads(json.dumps(entry["default"]))), (name, key)


def test_command_prints_and_writes_the_schema(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(SCHEMA))
    assert main(["schema", "-o", str(tmp_path / "flexmb.schema.json")]) == 0
    assert json.loads((tmp_path / "flexmb.schema.json").read_text()) == json.loads(json.dumps(SCHEMA))
    assert main(["schema", "-o", str(tmp_path / "missing" / "x.json")]) == 2
    assert "there is no folder" in capsys.readouterr().err


def test_the_command_prints_what_the_reference_page_holds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "--markdown"]) == 0
    printed = capsys.readouterr().out
    assert printed == reference()
    page = (ROOT / "docs" / "reference" / "model-file.md").read_text()
    assert page.endswith(printed), "run: python docs/make_reference.py"
