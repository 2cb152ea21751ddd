"""Equations as a LaTeX document that compiles as it is (amsmath), or its body for inclusion in another one.

Enters: a `Sheet`. Leaves: LaTeX. Names of the model are escaped; rates carry dots; long sums are broken between terms.
"""

from __future__ import annotations

from collections.abc import Iterator

from flexmb.symbolic.engine import as_expression
from flexmb.symbolic.equations import Equations
from flexmb.symbolic.names import LatexStyle, latex_name, latex_text, styles_of
from flexmb.symbolic.sheet import Row, Section, Sheet
from flexmb.symbolic.text import factored, one_line, unit_of
from flexmb.symbolic.writing import Style, terms_of

_HEAD = r"""\documentclass[a4paper]{article} % Written by flexmb.
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{amsmath}
\usepackage[margin=2cm]{geometry}
\allowdisplaybreaks
\setlength{\parindent}{0pt}
\begin{document}
"""
_LETTERS = 95
"""Visible characters per line, as LaTeX is likely to set them"""
_HEADS = {"Phi": r"\Phi", "gamma": r"\gamma", "q'": r"\dot{q}", "M_i": r"(T^{T} M)", "f_i": r"(T^{T} f)"}
_RELATIONS = {
    "augmented": r"M\,a + G^{T}\lambda = f, \qquad \Phi = 0",
    "open": r"M\,a = f",
    "embedding": r"T^{T} M\,a = T^{T} f, \qquad \Phi = 0",
    "driven": r"T^{T} M\,a + D\,\mu = T^{T} f, \qquad \Phi = 0",
    "state-space": r"\dot{q} = \dot{q}(q, v), \qquad M\,\dot{v} = f",
}


def latex_of(sheet: Sheet, document: bool = True) -> str:
    """The whole sheet; without `document` only the text between \\begin{document} and its end."""
    equations = sheet.equations
    _, style = styles_of(equations, sheet.definitions)
    title = latex_text(one_line(equations.mechanism.name)) or "Unnamed model"
    lines = [rf"\section*{{{title}: equations of motion, {sheet.form} form}}", ""]
    kind = "open" if sheet.form == "augmented" and not equations.phi else sheet.form
    if any(section.title.startswith("Drives") for section in sheet.sections):
        kind = "driven"
    lines += [r"\[", f"  {_RELATIONS[kind]}", r"\]"]
    if equations.order is not None:
        lines += [f"Truncated at order {equations.order} in the elastic coordinates and their rates.", ""]
    lines += [*_coordinates(equations, style), *_symbols(equations)]
    if sheet.definitions:
        lines += [r"\subsection*{Definitions of common subexpressions}", *_aligned(_definitions(sheet, style))]
    for section in sheet.sections:
        lines += [rf"\subsection*{{{_title(section.title)}}}", *_section(section, style)]
    if sheet.rows:
        lines += [r"\subsection*{Equations row by row}", *_aligned([_row(row, style) for row in sheet.rows])]
    body = "\n".join(lines) + "\n"
    return f"{_HEAD}\n{body}\n\\end{{document}}\n" if document else body


def _title(text: str) -> str:
    words = {"Phi'": r"$\dot{\Phi}$", "Phi": r"$\Phi$", "dPhi/dt": r"$\partial\Phi/\partial t$", "gamma:": r"$\gamma$:"}
    words |= {"gamma": r"$\gamma$", "T^T": "$T^{T}$", "mu": r"$\mu$", "q'": r"$\dot{q}$"}
    return " ".join(words.get(word, latex_text(word)) for word in text.split(" "))


def _coordinates(equations: Equations, style: LatexStyle) -> Iterator[str]:
    yield r"\subsection*{Coordinates}"
    yield r"\begin{tabular}{llll}"
    for c in equations.coordinates:
        position = f"${latex_name(c.position.name)}$" if c.position is not None else ""
        yield rf"  {position} & ${style.symbol(c.rate.name)}$ & {unit_of(c)} & {latex_text(c.meaning)} \\"
    yield r"\end{tabular}"


def _symbols(equations: Equations) -> Iterator[str]:
    nominal = equations.mechanism.symbols
    if not nominal:
        return
    yield r"\subsection*{Symbols and their values in the model (SI units)}"
    shown = [
        f"${latex_name(name)} = {'?' if value is None else LatexStyle().number(value)}$"
        for name, value in nominal.items()
    ]
    yield ", \\quad\n".join(shown)


def _definitions(sheet: Sheet, style: Style) -> list[list[str]]:
    return [
        _broken(f"{style.symbol(symbol.name)} &= ", terms_of(expression, style))
        for symbol, expression in sheet.definitions
    ]


def _section(section: Section, style: Style) -> list[str]:
    rows = []
    for entry in section.entries:
        row = _broken(f"{_head(entry.symbol, entry.index)} &= ", terms_of(as_expression(entry.expression), style))
        if entry.note and (entry.symbol == "Phi" or not entry.index):  # joint of a row, or what is constant
            row[-1] += rf" \qquad \text{{({latex_text(entry.note)})}}"
        rows.append(row)
    lines = _aligned(rows)
    return [*lines, f"({section.remark})"] if section.remark else lines


def _head(symbol: str, index: tuple[int, ...]) -> str:
    if not index:
        return latex_name(symbol)
    return f"{_HEADS.get(symbol, symbol)}_{{{','.join(map(str, index))}}}"


def _row(row: Row, style: Style) -> list[str]:
    pieces: list[str] = []
    for factor, unknown, (symbol, index) in row.terms:
        sign, text = factored(factor, unknown, style)
        if _visible(text) > _LETTERS:
            sign, text = "+", f"{_head(symbol, index)} {style.symbol(unknown.name)}"
        pieces.append(f"{sign} {text}" if pieces else text if sign == "+" else f"-{text}")
    right = terms_of(as_expression(row.right), style)
    return _broken("& ", [*(pieces or ["0"]), f"= {right[0]}", *right[1:]])


def _broken(start: str, terms: list[str]) -> list[str]:
    """Lines of one equation; a new line begins between terms."""
    lines, filled = [start + terms[0]], _visible(start + terms[0])
    for term in terms[1:]:
        if filled + _visible(term) > _LETTERS:
            lines.append(rf"&\quad {{}}{term}")
            filled = _visible(term)
        else:
            lines[-1] += f" {term}"
            filled += _visible(term) + 1
    return lines


def _visible(text: str) -> int:
    """Approximate number of visible characters: commands count as one, braces and markers as none."""
    count, i = 0, 0
    while i < len(text):
        if text[i] == "\\":
            i += 1
            while i < len(text) and text[i].isalpha():
                i += 1
            count += 1
            continue
        count += text[i] not in "{}_^ &"
        i += 1
    return count


def _aligned(rows: list[list[str]]) -> list[str]:
    if not rows:
        return []
    lines = [line for row in rows for line in row]
    return [r"\begin{align*}", *(f"  {line} \\\\" for line in lines[:-1]), f"  {lines[-1]}", r"\end{align*}"]
