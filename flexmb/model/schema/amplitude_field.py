"""The value of a load shape over time: its unit is that of the shape, which is known with its body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flexmb.model.expressions.expression import Expression, constant
from flexmb.model.expressions.parser import parse_expression
from flexmb.model.expressions.tokens import TextError
from flexmb.model.schema.fields import Context, FieldType, context_of, field_error, read_number
from flexmb.model.schema.json_forms import Schema, in_unit, quantity
from flexmb.model.schema.table import ValidationInfo
from flexmb.model.units import KINDS

KIND_OF_UNIT = {"Pa": "pressure", "K": "temperature", "K/m": "temperature per length", "N": "force"}
"""Unit of the value of a load shape -> kind of quantity"""
_UNITS = "Pa, K, K/m or N"


@dataclass(frozen=True)
class AmplitudeField(FieldType):
    """A number or an expression of t and of sensors in the unit of a load shape, which `unit_fault` requires."""

    def read(self, value: Any, info: ValidationInfo) -> Expression:
        if isinstance(value, Expression):
            return value
        if not isinstance(value, str):
            return constant(read_number(value, (KINDS["number"],), info))
        context = context_of(info)
        try:
            return parse_expression(value, context.parameters, ("t", *context.sensors))
        except TextError as error:
            raise field_error(error.explanation()) from None

    def json(self) -> Schema:
        return {**quantity(_UNITS), "x-value": in_unit("expression", _UNITS)}


def unit_fault(expression: Expression, unit: str, context: Context) -> str:
    """Reason why an expression cannot be the value of a load shape with this unit; empty: it can."""
    try:
        parse_expression(expression.text, context.parameters, ("t", *context.sensors), KINDS[KIND_OF_UNIT[unit]])
    except TextError as error:
        return error.message
    return ""
