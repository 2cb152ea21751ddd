"""Equations as plain text: model, coordinates, symbols, then matrices and equations entry by entry.

Enters: a `Sheet`. Leaves: UTF-8 text of at most WIDTH columns where an expression can be broken. Rates carry primes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flexmb.symbolic.engine import as_expression
from flexmb.symbolic.equations import Equations
from flexmb.symbolic.names import styles_of
from flexmb.symbolic.sheet import Entry, Row, Sheet
from flexmb.symbolic.writing import Style, terms_of, write

WIDTH = 108


def text_of(sheet: Sheet) -> str:
    """The whole sheet."""
    equations = sheet.equations
    style, _ = styles_of(equations, sheet.definitions)
    title = f"{one_line(equations.mechanism.name) or 'unnamed model'}: equations of motion, {sheet.form} form"
    lines = [title, "=" * len(title), "", f"  {sheet.relation}", *(f"  {line}" for line in unknowns(sheet, style))]
    lines += [*_order_lines(equations), "", *coordinate_lines(equations, style), *symbol_lines(equations)]
    if sheet.definitions:
        lines += ["", "Definitions of common subexpressions"]
        for symbol, expression in sheet.definitions:
            lines += broken(f"  {style.symbol(symbol.name)} = ", terms_of(expression, style))
    for section in sheet.sections:
        lines += ["", section.title]
        for entry in section.entries:
            lines += entry_lines(entry, style)
        if section.remark:
            lines += [f"  ({section.remark})"]
    if sheet.rows:
        lines += ["", "Equations row by row"]
        for row in sheet.rows:
            lines += [f"  {row.note}:", *row_lines(row, style)]
    return "\n".join(lines) + "\n"


def one_line(text: str) -> str:
    """Printable text without line breaks."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


def unknowns(sheet: Sheet, style: Style) -> Iterator[str]:
    """Meaning of v, a and lambda."""
    for name, symbols in (("v", sheet.equations.v), ("a", sheet.equations.a), sheet.forces):
        if symbols:
            shown = [style.symbol(symbol.name) for symbol in symbols]
            short = shown if len(shown) <= 8 else [*shown[:4], "...", shown[-1]]
            yield f"{name} = ({', '.join(short)})"


def _order_lines(equations: Equations) -> list[str]:
    if equations.order is None:
        return []
    return [f"  truncated at order {equations.order} in the elastic coordinates and their rates"]


def coordinate_lines(equations: Equations, style: Style) -> Iterator[str]:
    """Coordinates, their units and meanings."""
    yield "Coordinates"
    rows = []
    for number, coordinate in enumerate(equations.coordinates, 1):
        rate = style.symbol(coordinate.rate.name)
        name = coordinate.position.name if coordinate.position is not None else "-"
        rows.append((str(number), name, rate, unit_of(coordinate), coordinate.meaning))
    quaternions = [s.name for s in equations.q if not any(c.position == s for c in equations.coordinates)]
    widths = [max(len(row[k]) for row in rows) for k in range(4)] if rows else []
    for row in rows:
        yield "  " + "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=False)) + f"  {row[4]}"
    if quaternions:
        yield f"  unit quaternions: {', '.join(quaternions)}"
    if not rows:
        yield "  none"


def unit_of(coordinate: Any) -> str:
    """Unit of a coordinate; of its rate where there is only a rate."""
    return coordinate.unit if coordinate.position is not None else f"{coordinate.unit}/s"


def symbol_lines(equations: Equations) -> list[str]:
    """Symbols of the model with their nominal values."""
    nominal = equations.mechanism.symbols
    if not nominal:
        return [
            "",
            "Symbols",
            "  none: all quantities are numbers, in SI units (--symbols all keeps parameters as symbols)",
        ]
    width = max(map(len, nominal))
    shown = [f"  {name:<{width}} = {'?' if value is None else f'{value:.10g}'}" for name, value in nominal.items()]
    return ["", "Symbols and their values in the model (SI units)", *shown]


def entry_lines(entry: Entry, style: Style) -> list[str]:
    """M[2,1] = ..., broken between terms."""
    index = ",".join(map(str, entry.index))
    start = f"  {entry.symbol}[{index}] = " if index else f"  {entry.symbol} = "
    lines = broken(start, terms_of(as_expression(entry.expression), style))
    return [*lines[:-1], f"{lines[-1]}   ({entry.note})"] if entry.note else lines


def broken(start: str, terms: list[str], indent: int = 6) -> list[str]:
    """Terms behind `start`, continued on further lines."""
    lines = [start + terms[0]]
    for term in terms[1:]:
        if len(lines[-1]) + 1 + len(term) > WIDTH:
            lines.append(" " * indent + term)
        else:
            lines[-1] += " " + term
    return lines


def row_lines(row: Row, style: Style) -> list[str]:
    """(...)*theta1'' + (...)*theta2'' = ..."""
    pieces: list[str] = []
    for factor, unknown, (symbol, index) in row.terms:
        sign, text = factored(factor, unknown, style)
        if len(text) > WIDTH - 10:
            sign, text = "+", f"{symbol}[{','.join(map(str, index))}]*{style.symbol(unknown.name)}"
        pieces.append(f"{sign} {text}" if pieces else text if sign == "+" else f"-{text}")
    right = terms_of(as_expression(row.right), style)
    pieces = pieces or ["0"]
    whole = broken("    ", [*pieces, f"= {right[0]}", *right[1:]], 8)
    if len(whole) == 1:
        return whole
    return broken("    ", pieces, 8) + broken("        = ", right, 10)


def factored(factor: Any, unknown: Any, style: Style) -> tuple[str, str]:
    """Sign and text of factor * unknown; a sum in brackets."""
    name = style.symbol(unknown.name)
    terms = terms_of(factor, style)
    if len(terms) > 1:
        return "+", style.times([style.brackets(write(factor, style)), name])
    sign, text = ("-", terms[0][1:]) if terms[0].startswith("-") else ("+", terms[0])
    return sign, name if text == "1" else style.times([text, name])
