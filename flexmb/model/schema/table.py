"""Tables of a model file as Python classes: a small reader of typed keys, made for what people write.

A `Table` has annotated keys; `Table.model_validate(raw, context)` reads a dict of plain values and collects every fault
with its place. Keys are read by what their annotation carries: a `FieldType` (`Annotated[float, Scalar("mass")]`),
another table, `dict[str, T]`, `tuple[T, ...]`, `Literal`, `str`, `bool`, `T | None`, or a union that a tag decides.
How a class reads its keys is worked out when it is first used: a model that has no beams pays nothing for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    NoReturn,
    Self,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

Location = tuple[str | int, ...]
StrictBool = bool
_REQUIRED: Any = object()


@dataclass(frozen=True)
class Detail:
    """One fault: its kind, its place (with the tags of unions), the value found, and words."""

    kind: str
    place: Location = ()
    found: Any = None
    words: Mapping[str, Any] = field(default_factory=dict)


class ValidationError(ValueError):
    """All faults of a table."""

    def __init__(self, details: list[Detail]):
        super().__init__(f"{len(details)} faults")
        self.details = details

    def within(self, part: str | int) -> list[Detail]:
        """The faults as those of the entry `part` of the table around."""
        return [Detail(each.kind, (part, *each.place), each.found, each.words) for each in self.details]


class FieldError(ValueError):
    """A value that a field rejects, in words."""

    def __init__(self, text: str, hint: str = ""):
        super().__init__(text)
        self.text, self.hint = text, hint


class MissingError(ValueError):
    """A key that is missing after all."""


@dataclass
class ValidationInfo:
    """What a field may look at while it is read."""

    context: Any = None
    data: dict[str, Any] = field(default_factory=dict)
    """Keys of the same table that were read before."""


Reader = Callable[[Any, ValidationInfo], Any]
ValidatorFunctionWrapHandler = Callable[[Any], Any]


@dataclass(eq=False)
class FieldInfo:
    """A key of a table."""

    default: Any = _REQUIRED
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
        return self.default is _REQUIRED and self.default_factory is None

    def made_default(self) -> Any:
        """The value of a key that is not given."""
        if self.default_factory is not None:
            return self.default_factory()
        return dict(self.default) if isinstance(self.default, dict) else self.default


def Field(
    default: Any = _REQUIRED,
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
class _Hook:
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
    return lambda function: _Hook(function, mode)


def field_validator(name: str, *, mode: Literal["after", "wrap"] = "after") -> Callable[[Any], Any]:
    """A class method that gets the value of a key that was read; wrap: the raw value and what reads it."""
    return lambda function: _Hook(function, mode, name)


def ConfigDict(**settings: Any) -> dict[str, Any]:
    """Settings of a class of tables: json_schema_extra, rules between its keys or a function that makes them."""
    return settings


@dataclass
class _Plan:
    """How a class of tables is read."""

    readers: list[tuple[str, tuple[str, ...], FieldInfo, Reader]]
    """Name of every key, its names in the file, its field and what reads it"""
    known: frozenset[str]
    before: list[_Hook]
    after: list[_Hook]


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(Field,))
class Table:
    """A table of the model; it does not change once it is read."""

    __slots__ = ("__dict__", "model_fields_set")
    model_config: ClassVar[dict[str, Any]] = {}
    _plan: ClassVar[_Plan | None] = None
    _fields: ClassVar[dict[str, FieldInfo] | None] = None
    model_fields_set: frozenset[str]

    def __init_subclass__(cls) -> None:
        cls._plan = cls._fields = None

    def __init__(self, **raw: Any):
        found = type(self).model_validate(raw)
        self._set(found.__dict__, found.model_fields_set)

    def _set(self, values: Mapping[str, Any], given: frozenset[str]) -> None:
        self.__dict__.update(values)
        object.__setattr__(self, "model_fields_set", given)

    @classmethod
    def fields(cls) -> dict[str, FieldInfo]:
        """The keys of the table, those of its base classes first."""
        if cls._fields is None:
            hints = get_type_hints(cls, include_extras=True)
            found = {}
            for name, annotation in hints.items():
                if get_origin(annotation) is ClassVar or name == "model_fields_set":
                    continue
                info = next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), _REQUIRED)
                info = info if isinstance(info, FieldInfo) else FieldInfo(info)
                found[name] = replace(info, annotation=annotation)
            cls._fields = found
        return cls._fields

    @classmethod
    def model_validate(cls, raw: Any, context: Any = None) -> Self:
        """Read a raw table; raises ValidationError with every fault."""
        return cls.read(raw, ValidationInfo(context))

    @classmethod
    def read(cls, raw: Any, info: ValidationInfo) -> Self:
        """Read a raw table inside another one."""
        plan = cls._plan or cls._planned()
        for hook in plan.before:
            raw = _checked(partial(hook.call, cls), raw, info)
        if isinstance(raw, cls):
            return raw
        if not isinstance(raw, dict):
            raise ValidationError([Detail("model_type", found=raw)])
        own, faults, given = ValidationInfo(info.context), list[Detail](), set[str]()
        for name, keys, key_field, reader in plan.readers:
            key = next((key for key in keys if key in raw), None)
            if key is not None:
                given.add(name)
            elif key_field.is_required:
                faults.append(Detail("missing", (keys[0],), raw))
                continue
            value = key_field.made_default() if key is None else raw[key]
            if key is None and not key_field.validate_default:
                own.data[name] = value
                continue
            try:
                own.data[name] = reader(value, own)
            except ValidationError as error:
                faults += error.within(key or keys[0])
        faults += [Detail("extra_forbidden", (key,), raw[key]) for key in raw if key not in plan.known]
        if faults:
            raise ValidationError(faults)
        found = cls.__new__(cls)
        found._set(own.data, frozenset(given))
        for hook in plan.after:
            found = _checked(hook.finish, found, info)
        return found

    @classmethod
    def _planned(cls) -> _Plan:
        hooks = {name: hook for base in reversed(cls.__mro__) for name, hook in vars(base).items()}
        of_keys = [hook for hook in hooks.values() if isinstance(hook, _Hook)]
        readers: list[tuple[str, tuple[str, ...], FieldInfo, Reader]] = []
        for name, key_field in cls.fields().items():
            reader = reader_of(key_field.annotation)
            for hook in (hook for hook in of_keys if hook.name == name):
                reader = _hooked(cls, hook, reader)
            keys = (name,) if key_field.alias is None else (key_field.alias, name)
            readers.append((name, keys, key_field, reader))
        known = frozenset(key for _, keys, _, _ in readers for key in keys)
        tables = [hook for hook in of_keys if not hook.name]
        cls._plan = _Plan(readers, known, *([h for h in tables if h.mode == mode] for mode in ("before", "after")))
        return cls._plan

    @classmethod
    def model_construct(cls, **values: Any) -> Self:
        """A table of values that are not checked."""
        found = cls.__new__(cls)
        defaults = {name: info.made_default() for name, info in cls.fields().items() if not info.is_required}
        found._set({**defaults, **values}, frozenset(values))
        return found

    def model_copy(self, *, update: Mapping[str, Any] | None = None) -> Self:
        """A copy with other values, which are not checked."""
        found = type(self).__new__(type(self))
        found._set({**self.__dict__, **(update or {})}, self.model_fields_set | set(update or ()))
        return found

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        yield from self.__dict__.items()

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((type(self), *self.__dict__.values()))

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} of a model cannot be changed (key '{name}')")

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (type(self), self.__dict__, self.model_fields_set)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self)})"


def _rebuilt(table: type[Table], values: dict[str, Any], given: frozenset[str]) -> Table:
    found = table.__new__(table)
    found._set(values, given)
    return found


def _checked(read: Reader, value: Any, info: ValidationInfo) -> Any:
    """What `read` makes of a value; its objection becomes a fault."""
    try:
        return read(value, info)
    except FieldError as error:
        raise ValidationError([Detail("flexmb", (), value, {"text": error.text, "hint": error.hint})]) from None
    except MissingError:
        raise ValidationError([Detail("missing", (), value)]) from None


def _hooked(table: type[Table], hook: _Hook, reader: Reader) -> Reader:
    if hook.mode == "wrap":
        return lambda raw, info: _checked(
            lambda value, _: hook.call(table, value, lambda inner: reader(inner, info), info), raw, info
        )
    return lambda raw, info: _checked(lambda value, _: hook.call(table, value, info), reader(raw, info), info)


def reader_of(annotation: Any) -> Reader:
    """What reads a raw value with this annotation."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _annotated(parts[0], parts[1:])
    if origin in (Union, UnionType):
        (inner,) = (part for part in parts if part is not NoneType)
        reader = reader_of(inner)
        return lambda value, info: None if value is None else reader(value, info)
    if origin is Literal:
        return lambda value, _: _one_of(value, parts)
    if origin is dict:
        return _entries(reader_of(parts[1]))
    if origin is tuple:
        return _items(reader_of(parts[0]))
    if isinstance(annotation, type) and issubclass(annotation, Table):
        return annotation.read
    return lambda value, _: _simple(value, annotation)


def _annotated(inner: Any, notes: tuple[Any, ...]) -> Reader:
    for note in notes:
        if hasattr(note, "read"):
            return lambda value, info: _checked(note.read, value, info)
        if isinstance(note, Discriminator):
            return _tagged(inner, note.tag_of)
        if isinstance(note, FieldInfo) and note.discriminator:
            return _tagged(inner, partial(_entry, note.discriminator))
    return reader_of(inner)


def _entry(key: str, raw: Any) -> Any:
    """The key of a raw table that decides its kind; of a table that was read, too."""
    return raw.get(key) if isinstance(raw, dict) else getattr(raw, key, None)


def tags_of(annotation: Any) -> dict[str, Any]:
    """Members of a union that a tag or a `type` distinguishes; empty for anything else."""
    if get_origin(annotation) is Annotated:
        return tags_of(get_args(annotation)[0])
    members = [member for member in get_args(annotation) if member is not NoneType]
    if get_origin(annotation) not in (Union, UnionType) or len(members) < 2:
        return {}
    tags: dict[str, Any] = {}
    for member in members:
        if get_origin(member) is Annotated:
            table, *notes = get_args(member)
            tags.update({note.tag: table for note in notes if isinstance(note, Tag)})
        elif isinstance(member, type) and issubclass(member, Table) and "type" in member.fields():
            tags.update(dict.fromkeys(get_args(member.fields()["type"].annotation), member))
    return tags


def _tagged(union: Any, tag_of: Callable[[Any], Any]) -> Reader:
    members = tags_of(union)
    readers: dict[str, Reader] = {}

    def read(value: Any, info: ValidationInfo) -> Any:
        tag = tag_of(value)
        if tag is None:
            raise ValidationError([Detail("union_tag_not_found", (), value)])
        if not isinstance(tag, str) or tag not in members:
            raise ValidationError([Detail("union_tag_invalid", (), value, {"tag": str(tag)})])
        if tag not in readers:
            readers[tag] = reader_of(members[tag])
        try:
            return readers[tag](value, info)
        except ValidationError as error:
            raise ValidationError(error.within(tag)) from None

    return read


def _one_of(value: Any, choices: tuple[Any, ...]) -> Any:
    if any(type(value) is type(choice) and value == choice for choice in choices):
        return value
    raise ValidationError([Detail("literal_error", (), value, {"choices": choices})])


def _entries(reader: Reader) -> Reader:
    def read(value: Any, info: ValidationInfo) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise ValidationError([Detail("dict_type", (), value)])
        found, faults = dict[str, Any](), list[Detail]()
        for key, entry in value.items():
            try:
                found[key] = reader(entry, info)
            except ValidationError as error:
                faults += error.within(key)
        if faults:
            raise ValidationError(faults)
        return found

    return read


def _items(reader: Reader) -> Reader:
    def read(value: Any, info: ValidationInfo) -> tuple[Any, ...]:
        if not isinstance(value, (list, tuple)):
            raise ValidationError([Detail("tuple_type", (), value)])
        found, faults = list[Any](), list[Detail]()
        for number, entry in enumerate(value):
            try:
                found.append(reader(entry, info))
            except ValidationError as error:
                faults += error.within(number)
        if faults:
            raise ValidationError(faults)
        return tuple(found)

    return read


_SIMPLE = {str: (str,), bool: (bool,), float: (float, int)}


def _simple(value: Any, kind: Any) -> Any:
    if kind not in _SIMPLE or (isinstance(value, _SIMPLE[kind]) and (kind is bool or not isinstance(value, bool))):
        return float(value) if kind is float and isinstance(value, int) else value
    raise ValidationError([Detail({str: "string_type", bool: "bool_type", float: "float_type"}[kind], (), value)])
