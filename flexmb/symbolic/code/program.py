"""Input of every language: the equations as straight-line steps after elimination of common subexpressions.

Enters: blocks of expressions (M, f, Phi, G, ...) over time, coordinates, rates and parameters. Leaves: a `Program`:
steps that depend on the parameters alone, then the others, then one expression for every entry that is not zero. The
form is implicit, M a + G^T lam = f: nothing is inverted.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flexmb.symbolic.canonical import operations, readable
from flexmb.symbolic.code.factoring import factored
from flexmb.symbolic.code.language import Language
from flexmb.symbolic.engine import Symbol, as_expression, eliminate

_SMALL = 3000
"""Operations up to which the readable forms are tried as well: they may cost less."""

Step = tuple[Any, Any]
"""A symbol and its expression"""


@dataclass(frozen=True)
class Block:
    """One output: a vector or matrix, or for `symmetric` the lower part of one."""

    name: str
    shape: tuple[int, ...]
    entries: tuple[tuple[tuple[int, ...], Any], ...]
    """Index (from 0) and expression of every entry that is computed; all others are zero."""
    meaning: str
    symmetric: bool = False


@dataclass(frozen=True)
class Program:
    """Inputs, steps and outputs of one function."""

    name: str
    """Identifier: lower case letters, digits and underscores"""
    title: str
    """Name of the model, for the README only"""
    time: Any
    coordinates: tuple[tuple[Any, str], ...]
    """Symbol and meaning with unit of every stored coordinate"""
    rates: tuple[tuple[Any, str], ...]
    parameters: tuple[tuple[Any, float | None], ...]
    constants: tuple[tuple[Any, Any], ...]
    """Steps that depend on the parameters alone"""
    steps: tuple[tuple[Any, Any], ...]
    blocks: tuple[Block, ...]
    relation: str
    """Relation between the outputs"""

    @property
    def operations(self) -> int:
        """Number of operations of one evaluation, constants included."""
        steps = [expression for _, expression in (*self.constants, *self.steps)]
        return sum(map(operations, steps)) + sum(operations(x) for block in self.blocks for _, x in block.entries)

    @property
    def inputs(self) -> list[Any]:
        """Symbols of coordinates, rates and parameters."""
        return [symbol for group in (self.coordinates, self.rates, self.parameters) for symbol, _ in group]

    def names(self, language: Language, reserved: Iterable[str] = ()) -> dict[str, str]:
        """The name of every symbol in a language; `reserved`: further names that the function itself uses."""
        own = ["t", "q", "v", "p", *(block.name for block in self.blocks), *reserved]
        names = language.names(self.inputs, own)
        names |= step_names((*self.constants, *self.steps), [*names.values(), *own])
        return names | {self.time.name: "t"}


def used_names(program: Program) -> set[str]:
    """Names of all symbols that an expression of the program needs."""
    steps = [expression for _, expression in (*program.constants, *program.steps)]
    entries = [expression for block in program.blocks for _, expression in block.entries]
    return {symbol.name for expression in (*steps, *entries) for symbol in expression.free_symbols}


def vector_block(name: str, values: Sequence[Any], meaning: str) -> Block:
    """A vector of expressions."""
    entries = tuple(((i,), as_expression(x)) for i, x in enumerate(values) if not _is_zero(x))
    return Block(name, (len(values),), entries, meaning)


def matrix_block(
    name: str, rows: Sequence[Sequence[Any]], columns: int, meaning: str, symmetric: bool = False
) -> Block:
    """A matrix of expressions; of a symmetric one only the lower part is computed."""
    entries = tuple(
        ((i, j), as_expression(x))
        for i, row in enumerate(rows)
        for j, x in enumerate(row)
        if not _is_zero(x) and not (symmetric and j > i)
    )
    return Block(name, (len(rows), columns), entries, meaning, symmetric)


def _is_zero(value: Any) -> bool:
    return bool(as_expression(value) == 0)


def eliminated(
    blocks: Sequence[Block],
    inputs: Mapping[str, Sequence[Any]],
    angles: Sequence[Any] = (),
    definitions: Sequence[tuple[Any, Any]] = (),
) -> tuple[list[Step], list[Step], tuple[Block, ...]]:
    """Steps of the parameters alone, other steps, and the blocks by them.

    `inputs`: symbols by kind (rates, parameters, ...); `definitions`: intermediate results that have names already.
    """
    flat = [x for block in blocks for _, x in block.entries]
    best = named_steps(flat, definitions)
    if not definitions and small(flat, _SMALL):
        simple = [readable(x, angles, inputs["rates"]) for x in flat]
        best = min(best, named_steps(simple), key=cost)
    steps, reduced = _apart(*_with_factors(best), inputs)
    constant: set[str] = {symbol.name for symbol in inputs["parameters"]}
    fixed, moving = [], []
    for symbol, expression in steps:
        if all(part.name in constant for part in expression.free_symbols):
            constant.add(symbol.name)
            fixed.append((symbol, expression))
        else:
            moving.append((symbol, expression))
    values = iter(reduced)
    made = []
    for block in blocks:
        entries = tuple((index, next(values)) for index, _ in block.entries)
        made.append(Block(block.name, block.shape, entries, block.meaning, block.symmetric))
    return fixed, moving, tuple(made)


def _with_factors(found: tuple[list[Step], list[Any]]) -> tuple[list[Step], list[Any]]:
    """Common factors of sums in front, and a second elimination; or nothing when it saves no operations."""
    steps, reduced = found
    other = named_steps([factored(x) for x in reduced], [(symbol, factored(x)) for symbol, x in steps])
    return min(found, other, key=cost)


def _apart(steps: list[Step], reduced: list[Any], inputs: Mapping[str, Sequence[Any]]) -> tuple[list[Step], list[Any]]:
    """Other symbols for steps named like an input that no expression contains (a cyclic coordinate x1)."""
    taken = {symbol.name for symbols in inputs.values() for symbol in symbols}
    names = {symbol: Symbol(f"{symbol.name}__") for symbol, _ in steps if symbol.name in taken}
    if not names:
        return steps, reduced
    moved = [(names.get(symbol, symbol), x.xreplace(names)) for symbol, x in steps]
    return moved, [x.xreplace(names) for x in reduced]


def cost(found: tuple[list[Step], list[Any]]) -> int:
    """Operations of steps and results."""
    steps, reduced = found
    return sum(operations(expression) for _, expression in steps) + sum(map(operations, reduced))


def named_steps(flat: Sequence[Any], definitions: Sequence[tuple[Any, Any]] = ()) -> tuple[list[Step], list[Any]]:
    """Common subexpressions in order of computation, under symbols of the engine's choice, and what is left."""
    if not flat:
        return [], []
    given = [symbol for symbol, _ in definitions]
    steps, reduced = eliminate([*(as_expression(x) for _, x in definitions), *flat])
    first, last = reduced[: len(given)], reduced[len(given) :]
    return _in_order([*steps, *zip(given, first, strict=True)], last), last


def step_names(steps: Sequence[Step], taken: Collection[str]) -> dict[str, str]:
    """z1, z2, ... for the symbols of steps; another letter when a name of this kind is taken."""
    letter = "z"
    while any(re.fullmatch(rf"{letter}\d+", name, re.IGNORECASE) for name in taken):
        letter += "z"
    return {symbol.name: f"{letter}{k}" for k, (symbol, _) in enumerate(steps, 1)}


def small(expressions: Sequence[Any], limit: int) -> bool:
    """Whether expressions have at most `limit` operations together; large ones are not counted to their end."""
    count = 0
    for expression in expressions:
        count += operations(expression, limit - count)
        if count > limit:
            return False
    return True


def _in_order(steps: Sequence[Step], last: Sequence[Any]) -> list[Step]:
    """The steps that are needed, each behind those that it needs."""
    expressions = dict(steps)
    needs = {symbol: [s for s in x.free_symbols if s in expressions] for symbol, x in steps}
    place = {symbol: k for k, (symbol, _) in enumerate(steps)}
    wanted = {symbol for x in last for symbol in x.free_symbols if symbol in expressions}
    found: dict[Any, Any] = {}
    waiting = sorted(wanted, key=lambda symbol: -place[symbol])
    while waiting:
        symbol = waiting[-1]
        missing = [s for s in needs[symbol] if s not in found]
        if symbol in found or not missing:
            waiting.pop()
            found.setdefault(symbol, expressions[symbol])
        else:
            waiting += sorted(missing, key=lambda s: -place[s])
    return list(found.items())
