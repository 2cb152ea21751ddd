"""Parts of which tables are declared and their faults described: keys, tags of unions, checks, details of a fault."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from flexmb.errors import CarriedError

if TYPE_CHECKING:
    from flexmb.model.schema.table import Table

Location = tuple[str | int, ...]
StrictBool = bool
REQUIRED: Any = object()


@dataclass(frozen=True)
class Detail:
    """One fault: its kind, its place (with the tags of unions), the value found, and words."""

    kind: str
    place: Location = ()
    found: Any = None
    words: Mapping[str, Any] = field(default_factory=dict)


class ValidationError(CarriedError, ValueError):
    """All faults of a table."""

    def __init__(self, details: list[Detail]):
        super().__init__(f"{len(details)} faults")
        self.details = details

    def within(self, part: str | int) -> list[Detail]:
        """The faults as those of the entry `part` of the table around."""
        return [Detail(each.kind, (part, *each.place), each.found, each.words) for each in self.details]


class FieldError(CarriedError, ValueError):
    """A value that a field rejects, in words."""

    def __init__(self, text: str, hint: str = ""):
        super().__init__(text)
        self.text, self.hint = text, hint


class MissingError(ValueError):
    """A key that is missing after all."""


@dataclass
class ValidationInfo:
    """Context of a field while it is read."""

    context: Any = None
    data: dict[str, Any] = field(default_factory=dict)
    """Keys of the same table that were read before."""


Reader = Callable[[Any, ValidationInfo], Any]
ValidatorFunctionWrapHandler = Callable[[Any], Any]


@dataclass(eq=False)
class FieldInfo:
    """A key of a table."""

    default: Any = REQUIRED
    default_factory: Callable[[], Any] | None = None
    alias: str | None = None
    description: str = ""
    discriminator: str = ""
    validate_default: bool = False
    json_schema_extra: Mapping[str, Any] | None = None
    annotation: Any = None

    @property
    def is_required(self) -> bool:
        """Whether it has no default."""
        return self.default is REQUIRED and self.default_factory is None

    def made_default(self) -> Any:
        """The value of a key that is not given."""
        if self.default_factory is not None:
            return self.default_factory()
        return dict(self.default) if isinstance(self.default, dict) else self.default


def Field(
    default: Any = REQUIRED,
    *,
    default_factory: Callable[[], Any] | None = None,
    alias: str | None = None,
    description: str = "",
    discriminator: str = "",
    validate_default: bool = False,
    json_schema_extra: Mapping[str, Any] | None = None,
) -> Any:
    """A key: its default, its name in the file, what it means; in a union: the key that decides."""
    return FieldInfo(default, default_factory, alias, description, discriminator, validate_default, json_schema_extra)


@dataclass(frozen=True)
class Tag:
    """Name of a member of a union."""

    tag: str


@dataclass(frozen=True)
class Discriminator:
    """Function that finds the tag of a raw value in a union."""

    tag_of: Callable[[Any], str | None]


@dataclass(frozen=True)
class WithJsonSchema:
    """JSON schema of a value that is read otherwise."""

    schema: Mapping[str, Any]


@dataclass(frozen=True)
class Hook:
    """A method that takes part in reading: of the whole table, or of the key `name`."""

    function: Any
    mode: str
    name: str = ""

    def call(self, table: type[Table], *arguments: Any) -> Any:
        """Call it with as many arguments as it takes."""
        function = self.function.__func__
        return function(table, *arguments[: function.__code__.co_argcount - 1])

    def finish(self, table: Table, info: ValidationInfo) -> Any:
        """Call it as a method of a table that was read."""
        return self.function(table)


def model_validator(*, mode: Literal["before", "after"]) -> Callable[[Any], Any]:
    """A class method that gets the raw table (before), or a method of the table that was read (after)."""
    return lambda function: Hook(function, mode)


def field_validator(name: str, *, mode: Literal["after", "wrap"] = "after") -> Callable[[Any], Any]:
    """A class method that gets the value of a key that was read; wrap: the raw value and what reads it."""
    return lambda function: Hook(function, mode, name)


def ConfigDict(**settings: Any) -> dict[str, Any]:
    """Settings of a class of tables: json_schema_extra, rules between its keys or a function that makes them."""
    return settings
