"""Units and dimensions: conversion of `"300 mm"` or `"2 kN*s/m"` to SI.

A dimension is a vector of powers of length, mass, time, angle and temperature (of differences, in K). Any product,
quotient and power of known units is read; the kind of quantity that is expected (a force, a stiffness, ...) is checked
against it. The angle may be left out of a unit ("N*m" for a rotational stiffness, "1/s" for an angular speed) but not
added where it does not belong. Hz and rpm are turns per time, so an angular speed of "50 Hz" is 314 rad/s and a
frequency of "3000 rpm" is 50 Hz.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from flexmb.model.expressions.tokens import TextError, Token, tokenize
from flexmb.suggestions import did_you_mean

Power = int | Fraction


class Dimension(NamedTuple):
    """Powers of the base dimensions."""

    length: Power = 0
    mass: Power = 0
    time: Power = 0
    angle: Power = 0
    temperature: Power = 0

    def times(self, other: Dimension) -> Dimension:
        """Dimension of a product."""
        return Dimension(*(a + b for a, b in zip(self, other, strict=True)))

    def over(self, other: Dimension) -> Dimension:
        """Dimension of a quotient."""
        return Dimension(*(a - b for a, b in zip(self, other, strict=True)))

    def power(self, exponent: Power) -> Dimension:
        """Dimension of a power."""
        return Dimension(*(a * exponent for a in self))

    def without_angle(self) -> Dimension:
        """The dimension with radians left out."""
        return self._replace(angle=0)


NUMBER = Dimension()
_LENGTH, _MASS, _TIME, _ANGLE = Dimension(1), Dimension(0, 1), Dimension(0, 0, 1), Dimension(0, 0, 0, 1)
_SPEED = Dimension(1, 0, -1)
_ACCELERATION = Dimension(1, 0, -2)
_FORCE = Dimension(1, 1, -2)
_TORQUE = Dimension(2, 1, -2)
_STRESS = Dimension(-1, 1, -2)
_ANGULAR_SPEED = Dimension(0, 0, -1, 1)
_TEMPERATURE = Dimension(temperature=1)
_TURN = 2 * math.pi


class Unit(NamedTuple):
    """A unit: how many SI units it is, and of what dimension."""

    factor: float
    dimension: Dimension


def _units() -> dict[str, Unit]:
    table: dict[str, Unit] = {}

    def add(dimension: Dimension, **factors: float) -> None:
        table.update({name: Unit(factor, dimension) for name, factor in factors.items()})

    add(_LENGTH, m=1, km=1e3, dm=0.1, cm=1e-2, mm=1e-3, um=1e-6, nm=1e-9, inch=0.0254, ft=0.3048)
    table["in"] = Unit(0.0254, _LENGTH)
    add(_MASS, kg=1, g=1e-3, mg=1e-6, t=1e3, lb=0.45359237, lbm=0.45359237)
    add(_TIME, s=1, ms=1e-3, us=1e-6, ns=1e-9, min=60, h=3600)
    add(_ANGLE, rad=1, mrad=1e-3, deg=math.pi / 180, turn=_TURN, turns=_TURN, rev=_TURN)
    table["°"] = Unit(math.pi / 180, _ANGLE)
    add(_ANGULAR_SPEED, rpm=_TURN / 60, Hz=_TURN, kHz=1e3 * _TURN, MHz=1e6 * _TURN, mHz=1e-3 * _TURN)
    add(_TEMPERATURE, K=1, mK=1e-3)
    add(_FORCE, N=1, mN=1e-3, kN=1e3, MN=1e6, lbf=4.4482216152605)
    add(_STRESS, Pa=1, hPa=1e2, kPa=1e3, MPa=1e6, GPa=1e9, bar=1e5, psi=6894.757293168)
    add(_TORQUE, J=1, mJ=1e-3, kJ=1e3, MJ=1e6, Nm=1, kNm=1e3, Nmm=1e-3)
    add(Dimension(2, 1, -3), W=1, mW=1e-3, kW=1e3, MW=1e6)
    table["µm"], table["µs"] = table["um"], table["us"]
    table["%"] = Unit(0.01, NUMBER)
    return table


UNITS = _units()


@dataclass(frozen=True)
class Kind:
    """A kind of quantity in a model."""

    name: str
    dimension: Dimension
    unit: str
    """SI unit as text."""
    examples: str = ""
    """Units that a user would write."""
    counts_turns: bool = False
    """Angles are counted in turns, not radians (frequency in Hz, lead in m per turn)."""


def _kinds() -> dict[str, Kind]:
    rows = (
        Kind("number", NUMBER, "1", "none"),
        Kind("length", _LENGTH, "m", "m, mm, cm, in"),
        Kind("mass", _MASS, "kg", "kg, g, t"),
        Kind("time", _TIME, "s", "s, ms, us"),
        Kind("angle", _ANGLE, "rad", "rad, deg, turn"),
        Kind("angular speed", _ANGULAR_SPEED, "rad/s", "rad/s, rpm, deg/s"),
        Kind("frequency", _ANGULAR_SPEED, "Hz", "Hz, kHz, rpm, rad/s", counts_turns=True),
        Kind("speed", _SPEED, "m/s", "m/s, mm/s, km/h"),
        Kind("acceleration", _ACCELERATION, "m/s^2", "m/s^2, mm/s^2"),
        Kind("angular acceleration", Dimension(0, 0, -2, 1), "rad/s^2", "rad/s^2, deg/s^2, rpm/s"),
        Kind("force", _FORCE, "N", "N, kN, lbf"),
        Kind("torque", _TORQUE, "N*m", "N*m, kN*m, N*mm"),
        Kind("stiffness", Dimension(0, 1, -2), "N/m", "N/m, N/mm, kN/mm"),
        Kind("rotational stiffness", _TORQUE.over(_ANGLE), "N*m/rad", "N*m/rad, N*m/deg"),
        Kind("damping", Dimension(0, 1, -1), "N*s/m", "N*s/m, N*s/mm"),
        Kind("rotational damping", Dimension(2, 1, -1, -1), "N*m*s/rad", "N*m*s/rad, N*m/rpm"),
        Kind("inertia", Dimension(2, 1), "kg*m^2", "kg*m^2, kg*mm^2, g*cm^2"),
        Kind("angular momentum", Dimension(2, 1, -1), "N*m*s", "N*m*s, kg*m^2/s"),
        Kind("stress", _STRESS, "Pa", "Pa, MPa, GPa"),
        Kind("pressure", _STRESS, "Pa", "Pa, MPa, bar"),
        Kind("temperature", _TEMPERATURE, "K", "K, mK"),
        Kind("temperature per length", _TEMPERATURE.over(_LENGTH), "K/m", "K/m, K/mm"),
        Kind("thermal expansion", Dimension(temperature=-1), "1/K", "1/K"),
        Kind("density", Dimension(-3, 1), "kg/m^3", "kg/m^3, g/cm^3"),
        Kind("energy", _TORQUE, "J", "J, kJ"),
        Kind("power", Dimension(2, 1, -3), "W", "W, kW"),
        Kind("area", Dimension(2), "m^2", "m^2, mm^2"),
        Kind("volume", Dimension(3), "m^3", "m^3, mm^3"),
        Kind("second moment of area", Dimension(4), "m^4", "m^4, mm^4, cm^4"),
        Kind("force per length", Dimension(0, 1, -2), "N/m", "N/m, N/mm, kN/m"),
        Kind("rate", Dimension(0, 0, -1), "1/s", "1/s"),
        Kind("lead", _LENGTH.over(_ANGLE), "m/turn", "mm, mm/turn, m/rad", counts_turns=True),
    )
    return {kind.name: kind for kind in rows}


KINDS = _kinds()


def derivative(kind: Kind, order: int) -> Kind:
    """The kind of the `order`-th time derivative of `kind`."""
    if order == 0:
        return kind
    dimension = kind.dimension.over(_TIME.power(order))
    unit = f"{kind.unit}/s" if order == 1 else f"{kind.unit}/s^{order}"
    known = next((k for k in KINDS.values() if k.dimension == dimension and not k.counts_turns), None)
    return known or Kind(unit, dimension, unit, unit)


class Amount(NamedTuple):
    """A number in SI with its dimension. None: no unit was given, the number is in the expected SI unit."""

    value: float
    dimension: Dimension | None = NUMBER


def describe(dimension: Dimension) -> str:
    """Name of a dimension for messages, e.g. "a mass" or "a quantity in m^2*kg"."""
    for kind in KINDS.values():
        if kind.dimension == dimension:
            return f"{'an' if kind.name[0] in 'aeiou' else 'a'} {kind.name}"
    names = ("m", "kg", "s", "rad", "K")
    parts = [n if p == 1 else f"{n}^{p}" for n, p in zip(names, dimension, strict=True) if p != 0]
    return f"a quantity in {'*'.join(parts)}"


def convert(amount: Amount, kind: Kind, source: str = "") -> float:
    """The value of `amount` as a `kind` in SI; raises TextError when it is of another kind."""
    value, dimension = amount
    if dimension is None or dimension == NUMBER:
        return value
    if dimension == kind.dimension:
        return value / _TURN ** float(dimension.angle) if kind.counts_turns else value
    if dimension.angle == 0 and dimension == kind.dimension.without_angle():
        return value
    article = "an" if kind.name[0] in "aeiou" else "a"
    raise TextError(
        f"{source + ' is ' if source else ''}{describe(dimension)}, but {article} {kind.name} is needed"
        f" (units: {kind.examples})"
    )


def _plain_name(token: Token) -> str:
    """The name of a unit, with the micro sign for the Greek letter."""
    return token.text.replace("\u03bc", "\u00b5")


def _is_known(token: Token) -> bool:
    return _plain_name(token) in UNITS


def find_unit(token: Token, source: str) -> Unit:
    """The unit that `token` names."""
    unit = UNITS.get(_plain_name(token))
    if unit is None:
        raise TextError(f"unknown unit '{token.text}'", source, token.at, did_you_mean(token.text, UNITS, "Units"))
    return unit


def read_unit(
    tokens: list[Token], at: int, source: str, is_unit: Callable[[Token], bool] = lambda token: True
) -> tuple[Unit, int]:
    """Read a unit (product, quotient, powers) from `tokens[at]` on, as far as names of units go.

    `is_unit` says whether a name after an operator still belongs to the unit (it may be a variable). Returns the unit
    and the index of the first token after it.
    """
    factor, dimension = 1.0, NUMBER
    sign = 1
    if tokens[at].text == "1" and tokens[at + 1].text == "/":
        sign, at = -1, at + 2
    while True:
        if tokens[at].text == "(":
            unit, at = read_unit_in_brackets(tokens, at, source)
        else:
            unit = find_unit(tokens[at], source)
            at += 1
        exponent, at = _read_exponent(tokens, at, source)
        try:
            factor *= unit.factor ** (sign * exponent)
        except OverflowError:
            raise TextError("the unit is too large", source, tokens[at].at) from None
        dimension = dimension.times(unit.dimension.power(sign * exponent))
        token = tokens[at]
        if token.kind == "name" and token.text[0] != "$" and is_unit(token):
            sign = 1
        elif token.text in ("*", "·", "/") and _unit_follows(tokens, at + 1, is_unit):
            sign, at = (-1 if token.text == "/" else 1), at + 1
        else:
            return Unit(factor, dimension), at


def read_unit_in_brackets(tokens: list[Token], at: int, source: str) -> tuple[Unit, int]:
    """Read "(N*m)": tokens[at] is the opening bracket."""
    if tokens[at + 1].kind != "name":
        raise TextError("a unit is expected here", source, tokens[at + 1].at)
    unit, at = read_unit(tokens, at + 1, source)
    if tokens[at].text != ")":
        raise TextError("')' is missing in the unit", source, tokens[at].at)
    return unit, at + 1


def _unit_follows(tokens: list[Token], at: int, is_unit: Callable[[Token], bool]) -> bool:
    if tokens[at].kind == "name":
        return _is_known(tokens[at]) and is_unit(tokens[at]) and tokens[at + 1].text != "("
    names = [token for token in _bracket(tokens, at) if token.kind == "name"]
    return bool(names) and all(_is_known(token) and is_unit(token) for token in names)


def _bracket(tokens: list[Token], at: int) -> list[Token]:
    """Tokens of a simple bracket that opens at `at`; empty when there is none or it holds more than a unit."""
    if tokens[at].text != "(" or tokens[at + 1].kind != "name":
        return []
    for end in range(at + 1, len(tokens)):
        if tokens[end].text == ")":
            return tokens[at + 1 : end]
        if tokens[end].text in ("(", "+", ","):
            break
    return []


def _read_exponent(tokens: list[Token], at: int, source: str) -> tuple[int, int]:
    if tokens[at].text in ("²", "³"):
        return (2 if tokens[at].text == "²" else 3), at + 1
    if tokens[at].text not in ("^", "**"):
        return 1, at
    sign, at = (-1, at + 2) if tokens[at + 1].text == "-" else (1, at + 1)
    token = tokens[at]
    if token.kind != "number" or not token.text.isdigit() or len(token.text) > 1:
        raise TextError("the power of a unit must be a small whole number", source, token.at)
    return sign * int(token.text), at + 1


def parse_unit(text: str) -> Unit:
    """Read a unit such as "kN/mm", "kg m^2" or "1/s"."""
    tokens = tokenize(text)
    if tokens[0].kind == "end":
        raise TextError("a unit is expected here", text, 0)
    unit, at = read_unit(tokens, 0, text)
    if tokens[at].text in ("*", "/", "·") and tokens[at + 1].kind == "name":
        find_unit(tokens[at + 1], text)
    if tokens[at].kind != "end":
        raise TextError("unexpected text in the unit", text, tokens[at].at)
    return unit
