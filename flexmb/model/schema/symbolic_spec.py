"""The model read with parameters kept as symbols.

Enters: the tables of a model and the names to keep; leaves: the same checked `ModelSpec` twice, once with numbers that
carry their formulas (`SymbolicValue`) and once with plain ones, both at the nominal values of the symbols. A symbol
without a value gets a trial value (positive, less than 1, different from all others), so that the geometry is general.
A second reading at other values finds every number that lost its formula (a direction, an orientation): it is rejected
with an error, never silently used as a constant.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np

from flexmb.errors import Fault, InputError
from flexmb.model.expressions.nodes import SymbolicValue
from flexmb.model.expressions.parser import parse_amount
from flexmb.model.schema.beams import BeamBody
from flexmb.model.schema.bodies import Body
from flexmb.model.schema.model_spec import ModelSpec, read_spec
from flexmb.model.schema.parameters import Keep, has_no_value, merged_parameters, resolve_parameters
from flexmb.model.schema.table import Table
from flexmb.model.units import KINDS, Amount, convert
from flexmb.suggestions import did_you_mean

ALL = "all"
"""Instead of names to keep: every parameter that can be a symbol."""
GOLDEN = 0.6180339887498949
TRIAL_SCALES = (1.0, 0.4, 0.05)
"""Trial values are scaled down until the model is valid (a fraction, Poisson's ratio, ...)."""
SHIFT = 1e-3
"""Relative change of the symbols in the second reading: small, so that a valid model stays valid."""
SAME = 1e-9
"""Relative difference of numbers that do not depend on a symbol: far above rounding, far below SHIFT."""
NOT_IN_EQUATIONS = ("analysis", "output", "parameters", "symbols", "geometry", "color", "file")


@dataclass(frozen=True)
class SymbolicSpec:
    """A checked model whose kept parameters are symbols."""

    spec: ModelSpec
    """Numbers that depend on a symbol are `SymbolicValue`"""
    numeric: ModelSpec
    """The same in plain numbers, at the same values"""
    shifted: ModelSpec
    """In plain numbers, all symbols at slightly different values"""
    symbols: dict[str, float | None]
    """Kept names and their values; None: the model gives none"""
    values: dict[str, float]
    """The values that `spec` and `numeric` are read at"""
    tables: Mapping[str, Any]
    folder: str

    def moved(self, name: str) -> ModelSpec:
        """In plain numbers, one symbol at a slightly different value. Raises InputError when it is invalid."""
        return read_spec(self.tables, self.folder, _plain_at({**self.values, name: _shifted(self.values, name)}))


def read_symbolic(tables: Mapping[str, Any], folder: str = "", keep: Collection[str] | str = ()) -> SymbolicSpec:
    """Read and check a model with its symbols, and the parameters named in `keep`, kept as symbols.

    "all" keeps every parameter except those that must be whole numbers.
    """
    raw, owner, _ = merged_parameters(tables)
    wanted = list(raw) if keep == ALL else [keep] if isinstance(keep, str) else list(keep)
    if unknown := [name for name in wanted if name not in raw]:
        known = [did_you_mean(name, raw, "Parameters") for name in unknown]
        texts = [f"cannot keep '{str(name)[:60]}': no such parameter." for name in unknown]
        raise InputError([Fault(text, (), hint) for text, hint in zip(texts, known, strict=True)])
    names = [n for n, value in raw.items() if n in wanted or owner[n] == "symbols" or has_no_value(value)]
    if not names:
        spec = read_spec(tables, folder)
        return SymbolicSpec(spec, spec, spec, {}, {}, tables, folder)
    free = [name for name in names if has_no_value(raw[name])]
    symbols_only = [name for name in names if name in free or owner[name] == "symbols"]
    symbols = _nominal_values(raw, names, free)
    spec, values = _read_at_trials(tables, folder, names, free)
    spec = _with_inertia_formulas(spec, tables, Keep(frozenset(names), {name: values[name] for name in free}))
    if keep == ALL and (counts := _whole_numbers(tables, folder, values, [n for n in names if n not in symbols_only])):
        return read_symbolic(tables, folder, [name for name in names if name not in counts])
    numeric = read_spec(tables, folder, _plain_at(values))
    shifted = _read_shifted(tables, folder, values)
    if faults := list(_lost_formulas(spec, shifted, tables, folder, values)):
        raise InputError(faults)
    return SymbolicSpec(spec, numeric, shifted, symbols, values, tables, folder)


def trial_values(names: Collection[str], scale: float = 1.0) -> dict[str, float]:
    """Values of symbols that have none: between 0.6 and 0.95, no two the same, none the sum of two others."""
    return {name: scale * (0.6 + 0.35 * ((k + 1) * GOLDEN % 1.0)) for k, name in enumerate(names)}


def _nominal_values(raw: Mapping[str, Any], names: list[str], free: list[str]) -> dict[str, float | None]:
    """Values of the kept names; None for those that depend on a symbol without one."""
    amounts, _ = resolve_parameters(raw, keep=Keep(frozenset(free), trial_values(free)))
    values = {name: amounts[name].value for name in names}
    return {name: None if isinstance(value, SymbolicValue) else float(value) for name, value in values.items()}


def _read_at_trials(
    tables: Mapping[str, Any], folder: str, names: list[str], free: list[str]
) -> tuple[ModelSpec, dict[str, float]]:
    """The model with formulas, and the values of the symbols at which it is valid."""
    first: InputError | None = None
    for scale in TRIAL_SCALES if free else (1.0,):
        trial = trial_values(free, scale)
        try:
            spec = read_spec(tables, folder, Keep(frozenset(names), trial))
        except InputError as error:
            first = first or error
            continue
        values = {**spec.parameters, **spec.symbols}
        return spec, {name: values[name] for name in names}
    assert first is not None
    if free:
        tried = ", ".join(f"{name} = {value:.3g}" for name, value in trial_values(free).items())
        note = f"(Symbols without a value were tried at {tried}.)"
        *others, last = first.faults
        raise InputError([*others, Fault(last.text, last.path, f"{last.hint} {note}".strip())])
    raise first


def _plain_at(values: Mapping[str, float]) -> Keep:
    return Keep(frozenset(values), values, formulas=False)


def _shifted(values: Mapping[str, float], name: str) -> float:
    """Another value of a symbol; every symbol changes by a different fraction."""
    share = SHIFT * (1.0 + list(values).index(name) * GOLDEN % 1.0)
    return values[name] * (1.0 + share) if values[name] else share


def _read_shifted(tables: Mapping[str, Any], folder: str, values: Mapping[str, float]) -> ModelSpec:
    try:
        return read_spec(tables, folder, _plain_at({name: _shifted(values, name) for name in values}))
    except InputError as error:
        guilty = [name for name in values if not _is_valid(tables, folder, {**values, name: _shifted(values, name)})]
        what = _quoted(guilty or list(values))
        faults = [
            Fault(f"with {what} slightly changed: {fault.text}", fault.path, _give_number(guilty or list(values)))
            for fault in error.faults
        ]
        raise InputError(faults) from None


def _whole_numbers(tables: Mapping[str, Any], folder: str, values: Mapping[str, float], names: list[str]) -> list[str]:
    """Parameters that only take certain values (a number of shapes) and cannot be symbols."""
    if _is_valid(tables, folder, {name: _shifted(values, name) for name in values}):
        return []
    return [name for name in names if not _is_valid(tables, folder, {**values, name: _shifted(values, name)})]


def _is_valid(tables: Mapping[str, Any], folder: str, values: Mapping[str, float]) -> bool:
    try:
        read_spec(tables, folder, _plain_at(values))
    except InputError:
        return False
    return True


def _quoted(names: Collection[str]) -> str:
    return f"the symbol{'s' if len(names) != 1 else ''} {', '.join(repr(name) for name in names)}"


def _give_number(names: Collection[str]) -> str:
    what = "it a value" if len(names) == 1 else "them values"
    return f"Give {what} in [parameters] and do not keep {'it' if len(names) == 1 else 'them'} as symbols."


def frame_fault(what: str, path: tuple[str | int, ...], names: Collection[str]) -> Fault:
    """Fault of a quantity that must not depend on symbols."""
    return Fault(f"{what} depends on {_quoted(names)}, but has no formula.", path, _give_number(names))


def _lost_formulas(
    spec: ModelSpec, shifted: ModelSpec, tables: Mapping[str, Any], folder: str, values: Mapping[str, float]
) -> Iterator[Fault]:
    """Faults of the numbers that change with a symbol and do not carry their formula."""
    paths = dict.fromkeys(_differences(spec, shifted, ()))
    if not paths:
        return
    guilty: dict[tuple[str | int, ...], list[str]] = {path: [] for path in paths}
    for name in values:
        single = read_spec(tables, folder, _plain_at({**values, name: _shifted(values, name)}))
        for path in _differences(spec, single, ()):
            if path in guilty and name not in guilty[path]:
                guilty[path].append(name)
    for path, names in guilty.items():
        yield frame_fault("this number, direction or orientation", path, names or list(values))


def _differences(one: Any, other: Any, path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    """Paths of the keys whose plain numbers differ."""
    if isinstance(one, float) and isinstance(other, float):
        if not isinstance(one, SymbolicValue) and abs(one - other) > SAME * max(abs(one), abs(other)):
            yield path
    elif isinstance(one, np.ndarray):
        if one.shape != np.shape(other) or not np.allclose(one, other, rtol=SAME, atol=0.0):
            yield path
    elif isinstance(one, Table):
        for key, entry in one:
            if key not in NOT_IN_EQUATIONS:
                yield from _differences(entry, getattr(other, key), (*path, key))
    elif isinstance(one, Mapping):
        for key, entry in one.items():
            yield from _differences(entry, other[key], (*path, key))
    elif isinstance(one, (tuple, list)):
        for entry, partner in zip(one, other, strict=True):
            yield from _differences(entry, partner, path)
    elif is_dataclass(one) and type(one) is type(other):
        for item in fields(one):
            yield from _differences(getattr(one, item.name), getattr(other, item.name), path)


def _with_inertia_formulas(spec: ModelSpec, tables: Mapping[str, Any], keep: Keep) -> ModelSpec:
    """Read the formulas of inertia tensors again: their eigenvalue check leaves plain numbers."""
    raw, _, _ = merged_parameters(tables)
    amounts, _ = resolve_parameters(raw, keep=keep)
    bodies: dict[str, Any] = {}
    for name, body in spec.bodies.items():
        table = tables["bodies"][name]
        changed: dict[str, Any] = {}
        if isinstance(body, Body) and body.inertia is not None:
            changed["inertia"] = _inertia(table["inertia"], amounts)
        if isinstance(body, BeamBody) and body.masses:
            changed["masses"] = tuple(
                lump if lump.inertia is None else lump.model_copy(update={"inertia": _inertia(row["inertia"], amounts)})
                for lump, row in zip(body.masses, table["masses"], strict=True)
            )
        bodies[name] = body.model_copy(update=changed) if changed else body
    return spec.model_copy(update={"bodies": bodies})


def _inertia(value: Any, amounts: Mapping[str, Amount]) -> tuple[tuple[float, ...], ...]:
    """3x3 tensor [kg m^2] with formulas, of a checked value."""

    def number(entry: Any) -> float:
        if isinstance(entry, str):
            return convert(parse_amount(entry, amounts), KINDS["inertia"])
        return float(entry)

    if isinstance(value[0], (list, tuple)):
        rows = [[number(entry) for entry in row] for row in value]
        xx, yy, zz, xy, xz, yz = (rows[i][j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
    else:
        xx, yy, zz, xy, xz, yz = (*map(number, value), 0.0, 0.0, 0.0)[:6]
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
