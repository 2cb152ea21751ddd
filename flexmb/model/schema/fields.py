"""Field types of the model: quantities, vectors, places, directions, expressions and lists of names.

A table uses one as `Annotated[float, Scalar("mass")]`; it reads what a user writes, checks it and returns
plain SI numbers. Parameters, joints and sensors of the model come through the validation context.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

from flexmb.axes import AXES, named_direction
from flexmb.joints.joint_type import JointType
from flexmb.joints.table import JOINT_TYPES
from flexmb.model.expressions.expression import Expression, constant
from flexmb.model.expressions.nodes import SymbolicValue
from flexmb.model.expressions.parser import NOTHING, Scope, parse_amount, parse_expression
from flexmb.model.expressions.tokens import TextError
from flexmb.model.schema.json_forms import TEXT, Schema, either, in_unit, listed, quantity
from flexmb.model.schema.table import FieldError, ValidationInfo
from flexmb.model.units import KINDS, Amount, Kind, convert
from flexmb.suggestions import clipped

Vector = tuple[float, float, float]
Matrix = tuple[Vector, Vector, Vector]
Where = str | Vector


@dataclass
class Context:
    """Parts of the model that a field needs while it is read."""

    parameters: Mapping[str, Amount] = field(default_factory=dict)
    sensors: tuple[str, ...] = ()
    joints: Mapping[str, Any] = field(default_factory=dict)
    """Raw joint tables, to look up joint types."""
    kind: str | None = None
    """Kind of the joint coordinate of the current table: "length", "angle" or None (not known)."""
    coordinates: tuple[tuple[str, str], ...] = ()
    """(name, kind) of the coordinates of the current joint."""
    points: tuple[str, ...] = ()
    """Names of points, to distinguish them from strings with a unit."""
    n_shapes: int | None = None
    """Number of shapes of the current modal body, None when unknown."""
    folder: str = ""
    """Folder of the model file, where relative paths start; empty: the current folder."""
    scope: Scope = NOTHING
    """Named expressions and data that expressions use."""
    progress: Callable[[str, float], None] | None = None
    """Called with stage and fraction while meshes are reduced."""

    def coordinate_kind(self, joint: Any, coordinate: Any) -> str | None:
        """Kind of a joint coordinate, None when it is unknown."""
        joint_type = joint_type_of(self.joints, joint)
        if joint_type is None:
            return None
        names = joint_type.coordinates
        if coordinate is None and len(joint_type.drivable) == 1:
            coordinate = joint_type.drivable[0]
        kind = joint_type.kind_of(coordinate) if coordinate in names else None
        return "angle" if kind == "rotation" else kind


def joint_type_of(joints: Mapping[str, Any], name: Any) -> JointType | None:
    """Type of the joint `name` in raw joint tables, None when it is missing or wrong."""
    table = joints.get(name) if isinstance(name, str) else None
    type_name = table.get("type") if isinstance(table, dict) else None
    return JOINT_TYPES.get(type_name) if isinstance(type_name, str) else None


def field_error(text: str, hint: str = "") -> FieldError:
    """The error that a field raises."""
    return FieldError(text, hint)


def context_of(info: ValidationInfo) -> Context:
    """The validation context of the field being read."""
    return info.context if isinstance(info.context, Context) else Context()


LARGEST = 1e60
"""Largest number in a model (SI): products of larger ones would overflow"""


def read_number(value: Any, kinds: Sequence[Kind], info: ValidationInfo) -> float:
    """A finite number in SI, from a number or a string, of the first of `kinds` that fits."""
    if isinstance(value, bool) or not isinstance(value, (Real, str)):
        raise field_error(f"expected a number or a string with a unit, found {clipped(value)}")
    try:
        if isinstance(value, str):
            number = _converted(value, kinds, info)
        else:
            number = value if isinstance(value, SymbolicValue) else float(value)
    except TextError as error:
        raise field_error(error.explanation()) from None
    except OverflowError:
        raise field_error("the number is too large") from None
    if not math.isfinite(number):
        raise field_error(f"expected a finite number, found {clipped(value)}")
    if abs(number) > LARGEST:
        raise field_error(f"expected a number up to {LARGEST:g} (SI), found {clipped(value)}")
    return number


def _converted(text: str, kinds: Sequence[Kind], info: ValidationInfo) -> float:
    """The value of a string in SI, of the first of `kinds` that fits."""
    amount = parse_amount(text, context_of(info).parameters)
    source = f"'{text.strip()[:60]}'"
    for kind in kinds[:-1]:
        try:
            return convert(amount, kind, source)
        except TextError:
            continue
    return convert(amount, kinds[-1], source)


def read_list(value: Any, length: int | tuple[int, ...], read: Callable[[Any], float]) -> tuple[float, ...]:
    """A list of numbers of one of the given lengths; every wrong entry is reported."""
    lengths = (length,) if isinstance(length, int) else length
    if not isinstance(value, (list, tuple)):
        raise field_error(f"expected a list of {_or(lengths)} numbers, found {clipped(value)}")
    if len(value) not in lengths:
        raise field_error(f"expected a list of {_or(lengths)} numbers, found {len(value)}")
    numbers, faults = [], []
    for i, entry in enumerate(value):
        try:
            numbers.append(read(entry))
        except FieldError as error:
            faults.append(f"entry {i + 1}: {error.text}")
    if faults:
        raise field_error("; ".join(faults))
    return tuple(numbers)


def _or(lengths: Sequence[int]) -> str:
    return " or ".join(str(length) for length in lengths)


class FieldType:
    """Reader of a value, with access to the context, and its JSON schema."""

    def read(self, value: Any, info: ValidationInfo) -> Any:
        """Check what a user wrote and return its value; raises `field_error(...)`."""
        raise NotImplementedError

    def json(self) -> Schema:
        """JSON schema of the values that `read` accepts."""
        raise NotImplementedError


def unit_of(kind: str, turning: str = "") -> str:
    """SI unit of a kind; of a joint coordinate, "m or rad"."""
    return KINDS[kind].unit + (f" or {KINDS[turning].unit}" if turning else "")


@dataclass(frozen=True)
class Scalar(FieldType):
    """A number of one kind. For joint coordinates: `kind` when it is a length, `turning` when it is an angle."""

    kind: str
    turning: str = ""
    least: float | None = None
    above: float | None = None
    most: float | None = None

    def kinds(self, info: ValidationInfo) -> tuple[Kind, ...]:
        """Kinds of quantity that the number may have, the one of its joint coordinate when that is known."""
        if not self.turning:
            return (KINDS[self.kind],)
        present = context_of(info).kind
        if present is None:
            return (KINDS[self.kind], KINDS[self.turning])
        return (KINDS[self.turning if present == "angle" else self.kind],)

    def read(self, value: Any, info: ValidationInfo) -> float:
        kinds = self.kinds(info)
        number = read_number(value, kinds, info)
        unit = "" if kinds[0].unit == "1" else f" {kinds[0].unit}"
        if self.above is not None and number <= self.above:
            raise field_error(f"must be greater than {self.above:g}{unit}, found {clipped(value)}")
        if self.least is not None and number < self.least:
            text = "must not be negative" if self.least == 0 else f"must be at least {self.least:g}{unit}"
            raise field_error(f"{text}, found {clipped(value)}")
        if self.most is not None and number > self.most:
            raise field_error(f"must be at most {self.most:g}{unit}, found {clipped(value)}")
        return number

    def json(self) -> Schema:
        return quantity(unit_of(self.kind, self.turning), self.least, self.above, self.most)


@dataclass(frozen=True)
class VectorOf(FieldType):
    """Three numbers of one kind."""

    kind: str
    length: int = 3

    def read(self, value: Any, info: ValidationInfo) -> tuple[float, ...]:
        return read_list(value, self.length, lambda entry: read_number(entry, (KINDS[self.kind],), info))

    def json(self) -> Schema:
        return listed(quantity(KINDS[self.kind].unit), self.length)


@dataclass(frozen=True)
class PlaceField(FieldType):
    """The name of a point, or three lengths [m]. With `pair`: also a list of two of these."""

    pair: bool = False

    def read(self, value: Any, info: ValidationInfo) -> Any:
        if isinstance(value, str):
            if not value:
                raise field_error("expected the name of a point, found an empty string")
            return value
        if self.pair and isinstance(value, (list, tuple)) and len(value) == 2:
            return tuple(PlaceField().read(entry, info) for entry in value)
        if not isinstance(value, (list, tuple)):
            raise field_error(f"expected the name of a point or [x, y, z], found {clipped(value)}")
        return read_list(value, 3, lambda entry: read_number(entry, (KINDS["length"],), info))

    def json(self) -> Schema:
        one = {"anyOf": [TEXT, listed(quantity("m"), 3)]}
        return either(one, listed(one, 2), words="place, or two") if self.pair else either(one, words="place")


@dataclass(frozen=True)
class DirectionField(FieldType):
    """ "x", "-y", ... or three numbers; becomes a unit vector. With `count` = 2: a list of two directions."""

    count: int = 1

    def read(self, value: Any, info: ValidationInfo) -> Any:
        if self.count == 1:
            return self.one(value, info)
        if not isinstance(value, (list, tuple)) or len(value) != self.count:
            raise field_error(f"expected a list of {self.count} directions, found {clipped(value)}")
        return tuple(self.one(entry, info) for entry in value)

    def one(self, value: Any, info: ValidationInfo) -> Vector:
        """Unit vector (3,) of "x", "-y", ... or [x, y, z]."""
        if isinstance(value, str):
            direction = named_direction(value)
            if direction is None:
                raise field_error(f'\'{value[:40]}\' is not a direction: use "x", "-y", ... or [x, y, z]')
            return direction
        numbers = read_list(value, 3, lambda entry: read_number(entry, (KINDS["number"], KINDS["length"]), info))
        size = math.hypot(*numbers)
        if size < 1e-12:
            raise field_error("the direction has zero length")
        x, y, z = (number / size for number in numbers)
        return (x, y, z)

    def json(self) -> Schema:
        names = [sign + axis for axis in AXES for sign in ("", "+", "-")]
        one = either({"enum": names}, listed(quantity(), 3), words="direction")
        return one if self.count == 1 else listed(one, self.count, words="directions")


@dataclass(frozen=True)
class ExpressionField(FieldType):
    """A number or an expression of t (and of sensors). With `count`: a list of them."""

    kind: str
    turning: str = ""
    sensors: bool = False
    count: int = 1
    own: tuple[str, ...] = ()
    """Further names, of what the load itself measures."""

    def read(self, value: Any, info: ValidationInfo) -> Any:
        if self.count == 1:
            return self.one(value, info)
        if not isinstance(value, (list, tuple)) or len(value) != self.count:
            raise field_error(f"expected a list of {self.count} numbers or expressions, found {clipped(value)}")
        return tuple(self.one(entry, info) for entry in value)

    def one(self, value: Any, info: ValidationInfo) -> Expression:
        """Expression from a number or a string."""
        kinds = Scalar(self.kind, self.turning).kinds(info)
        if isinstance(value, Expression):
            return value
        if not isinstance(value, str):
            return constant(read_number(value, kinds, info))
        context = context_of(info)
        try:
            variables = ("t", *self.own, *context.sensors) if self.sensors else ("t",)
            kind = kinds[0] if len(kinds) == 1 else None
            return parse_expression(value, context.parameters, variables, kind, context.scope)
        except TextError as error:
            hint = ""
            if not self.sensors and any(name in value for name in context.sensors):
                hint = " (only t and parameters can be used here)"
            raise field_error(error.explanation().replace("\n", hint + "\n", 1)) from None

    def json(self) -> Schema:
        unit = unit_of(self.kind, self.turning)
        one = {**quantity(unit), "x-value": in_unit("expression", unit)}
        return one if self.count == 1 else listed(one, self.count, words=in_unit("expressions", unit))


@dataclass(frozen=True)
class Names(FieldType):
    """A list of strings, of the given length when there is one."""

    count: int | None = None
    what: str = "names"

    def read(self, value: Any, info: ValidationInfo) -> tuple[str, ...]:
        size = "" if self.count is None else f"{self.count} "
        right = isinstance(value, (list, tuple)) and all(isinstance(entry, str) for entry in value)
        if not right or (self.count is not None and len(value) != self.count):
            raise field_error(f"expected a list of {size}{self.what}, found {clipped(value)}")
        return tuple(value)

    def json(self) -> Schema:
        return listed({"type": "string"}, self.count, words=self.what)
