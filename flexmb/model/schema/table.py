"""Tables of a model file as Python classes: a small reader of typed keys, made for what people write.

A `Table` has annotated keys; `Table.model_validate(raw, context)` reads a dict of plain values and collects every fault
with its place. Keys are read by what their annotation carries: a `FieldType` (`Annotated[float, Scalar("mass")]`),
another table, `dict[str, T]`, `tuple[T, ...]`, `Literal`, `str`, `bool`, `T | None`, or a union that a tag decides.
How a class reads its keys is worked out when it is first used: a model that has no beams pays nothing for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
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

from flexmb.model.schema.table_parts import (
    REQUIRED,
    ConfigDict,
    Detail,
    Discriminator,
    Field,
    FieldError,
    FieldInfo,
    Hook,
    MissingError,
    Reader,
    StrictBool,
    Tag,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WithJsonSchema,
    field_validator,
    model_validator,
)

__all__ = [
    "ConfigDict",
    "Detail",
    "Discriminator",
    "Field",
    "FieldError",
    "FieldInfo",
    "MissingError",
    "StrictBool",
    "Table",
    "Tag",
    "ValidationError",
    "ValidationInfo",
    "ValidatorFunctionWrapHandler",
    "WithJsonSchema",
    "field_validator",
    "model_validator",
    "reader_of",
    "tags_of",
]


@dataclass
class _Plan:
    """Readers of the keys of a class of tables."""

    readers: list[tuple[str, tuple[str, ...], FieldInfo, Reader]]
    """Name of every key, its names in the file, its field and what reads it"""
    known: frozenset[str]
    before: list[Hook]
    after: list[Hook]


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
                info = next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), REQUIRED)
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
        of_keys = [hook for hook in hooks.values() if isinstance(hook, Hook)]
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
    """Read a value; an objection of `read` becomes a fault."""
    try:
        return read(value, info)
    except FieldError as error:
        raise ValidationError([Detail("flexmb", (), value, {"text": error.text, "hint": error.hint})]) from None
    except MissingError:
        raise ValidationError([Detail("missing", (), value)]) from None


def _hooked(table: type[Table], hook: Hook, reader: Reader) -> Reader:
    if hook.mode == "wrap":
        return lambda raw, info: _checked(
            lambda value, _: hook.call(table, value, lambda inner: reader(inner, info), info), raw, info
        )
    return lambda raw, info: _checked(lambda value, _: hook.call(table, value, info), reader(raw, info), info)


def reader_of(annotation: Any) -> Reader:
    """Reader of raw values with this annotation."""
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
    for choice in choices:  # true is no 1; text of NumPy is text
        if isinstance(value, bool) == isinstance(choice, bool) and isinstance(value, type(choice)) and value == choice:
            return choice
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
