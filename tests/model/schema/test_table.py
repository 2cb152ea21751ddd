"""The reader of tables: values, faults with their places, and tables as objects.

Covers: model.schema.table_parts.
"""

from __future__ import annotations

import copy
import pickle
from typing import Annotated, Any, ClassVar, Literal

import pytest

from flexmb.model.schema.fields import FieldType, field_error
from flexmb.model.schema.table import (
    Detail,
    Discriminator,
    Field,
    MissingError,
    Table,
    Tag,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)


class Double(FieldType):
    """Twice a number."""

    def read(self, value: Any, info: ValidationInfo) -> float:
        if not isinstance(value, (int, float)):
            raise field_error("not a number", "Give one.")
        return 2.0 * value * float(info.context or 1.0)


class Inner(Table):
    type: Literal["inner"] = Field(description="Type.")
    size: Annotated[float, Double()] = Field(1.0, description="Size.")


class Other(Table):
    type: Literal["other"] = Field(description="Type.")


def _kind(raw: Any) -> str | None:
    return "word" if isinstance(raw, str) else raw.get("type") if isinstance(raw, dict) else None


Either = Annotated[
    Annotated[str, Tag("word")] | Annotated[Inner, Tag("inner")] | Annotated[Other, Tag("other")], Discriminator(_kind)
]


class Outer(Table):
    unread: ClassVar[int] = 3
    name: str = Field("", description="Name.")
    start: float = Field(0.0, alias="from")
    on: bool = Field(False)
    choice: Literal[1, 2, "full"] | None = Field(None)
    by_type: Annotated[Inner | Other, Field(discriminator="type")] | None = Field(None)
    either: Either | None = Field(None)
    parts: tuple[Inner, ...] = Field(())
    tables: dict[str, Inner] = Field({})
    end: Annotated[float, Double()] = Field(default_factory=lambda: None, validate_default=True)

    @field_validator("name")
    @classmethod
    def _check_name(cls, name: str) -> str:
        if name == "bad":
            raise field_error("a bad name")
        return name

    @field_validator("end", mode="wrap")
    @classmethod
    def _check_end(cls, end: Any, read: Any, info: ValidationInfo) -> float:
        if end is None and info.data.get("on"):
            raise MissingError
        return 0.0 if end is None else read(end)

    @model_validator(mode="before")
    @classmethod
    def _short(cls, raw: Any) -> Any:
        return {"name": raw} if isinstance(raw, str) else raw

    @model_validator(mode="after")
    def _fits(self) -> Outer:
        if self.start > 10.0:
            raise field_error("starts too late")
        return self


def faults(raw: Any) -> list[tuple[str, tuple[str | int, ...]]]:
    with pytest.raises(ValidationError) as caught:
        Outer.model_validate(raw)
    assert all(isinstance(detail, Detail) for detail in caught.value.details)
    return [(detail.kind, detail.place) for detail in caught.value.details]


def test_values() -> None:
    raw = {
        "name": "a", "from": 1, "on": True, "choice": "full", "by_type": {"type": "inner", "size": 2},
        "either": "steel", "parts": [{"type": "inner"}], "tables": {"x": {"type": "inner", "size": 3}}, "end": 4,
    }  # fmt: skip
    found = Outer.model_validate(raw, context=10.0)
    assert (found.name, found.start, found.on, found.choice, found.end) == ("a", 1.0, True, "full", 80.0)
    assert isinstance(found.by_type, Inner) and found.by_type.size == 40.0
    assert found.either == "steel" and found.parts[0].size == 1.0 and found.tables["x"].size == 60.0
    assert found.model_fields_set == {"name", "start", "on", *list(raw)[3:]}
    assert Outer.model_validate({"start": 2.0}).start == 2.0  # by its name in Python, too
    assert Outer.model_validate("short").name == "short"
    assert Outer.model_validate(found) is found
    assert Outer.model_validate({"by_type": found.by_type}).by_type is found.by_type


def test_all_faults_with_their_places() -> None:
    raw = {
        "name": 1, "from": "x", "on": 1, "choice": True, "by_type": {"type": "none"},
        "either": {"type": "inner", "a": 1},
        "parts": [{"type": "inner"}, {"type": "inner", "size": "big"}, 5], "tables": {"x": {}, "y": []}, "odd": 1,
    }  # fmt: skip
    assert faults(raw) == [
        ("string_type", ("name",)),
        ("float_type", ("from",)),
        ("bool_type", ("on",)),
        ("literal_error", ("choice",)),
        ("union_tag_invalid", ("by_type",)),
        ("extra_forbidden", ("either", "inner", "a")),
        ("flexmb", ("parts", 1, "size")),
        ("model_type", ("parts", 2)),
        ("missing", ("tables", "x", "type")),
        ("model_type", ("tables", "y")),
        ("extra_forbidden", ("odd",)),
    ]
    assert faults({"name": "bad"}) == [("flexmb", ("name",))]
    assert faults({"from": 11.0}) == [("flexmb", ())]
    assert faults({"on": True}) == [("missing", ("end",))]
    assert faults({"by_type": {}, "either": 3}) == [
        ("union_tag_not_found", ("by_type",)),
        ("union_tag_not_found", ("either",)),
    ]
    assert faults({"tables": [], "parts": {}}) == [("tuple_type", ("parts",)), ("dict_type", ("tables",))]
    assert faults(7) == [("model_type", ())]


def test_tables_are_values() -> None:
    one, same = (Outer.model_validate({"name": "a", "tables": {"x": {"type": "inner"}}}) for _ in range(2))
    other = one.model_copy(update={"name": "b"})
    assert one == same and one != other and other.name == "b" and "name" in other.model_fields_set
    assert hash(Inner.model_validate({"type": "inner"})) == hash(Inner.model_validate({"type": "inner"}))
    for copied in (pickle.loads(pickle.dumps(one)), copy.deepcopy(one)):
        assert copied == one and copied.model_fields_set == one.model_fields_set
    with pytest.raises(AttributeError, match="cannot be changed"):
        one.name = "c"  # type: ignore[misc]
    assert dict(one)["name"] == "a" and repr(Other.model_construct(type="other")) == "Other(type='other')"
    first, second = Outer.model_validate({}), Outer.model_validate({})
    assert first.tables is not second.tables and first.tables == {}
