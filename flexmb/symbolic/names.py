"""Names of symbols for readers: primes for rates in text, dots, Greek letters and subscripts in LaTeX.

rates of theta1:   theta1', theta1''   and   \\dot{\\theta}_{1}, \\ddot{\\theta}_{1}
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from flexmb.symbolic.code.program import step_names
from flexmb.symbolic.equations import Equations
from flexmb.symbolic.writing import Style

_GREEK = {
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "mu", "nu", "xi",
    "pi", "rho", "sigma", "tau", "phi", "chi", "psi", "omega", "lambda", "Gamma", "Delta", "Theta", "Lambda", "Xi",
    "Pi", "Sigma", "Phi", "Psi", "Omega",
}  # fmt: skip
_SPELLED = {"lam": r"\lambda", "epsilon": r"\varepsilon"}
_ESCAPES = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
}  # fmt: skip

LAST_LETTER = "\u0180"
"""Letters from here on are not known to every LaTeX."""


def latex_name(name: str, dots: int = 0) -> str:
    """The symbol of a name: Greek words as letters, digits and what follows an underscore as subscripts."""
    head, *rest = [part for part in name.split("_") if part] or ["x"]
    match = re.fullmatch(r"(.*?)(\d*)", head, re.DOTALL)
    word, digits = match.groups() if match else (head, "")
    letter = _letter(word or digits)
    if dots:
        letter = rf"\{'d' * dots}ot{{{letter}}}"
    below = ([digits] if word and digits else []) + [_subscript(part) for part in rest]
    return f"{letter}_{{{','.join(below)}}}" if below else letter


def _letter(word: str) -> str:
    if word in _SPELLED:
        return _SPELLED[word]
    if word in _GREEK:
        return f"\\{word}" if word not in ("Alpha", "Beta") else word
    if len(word) == 1 and word.isascii() and word.isalnum():
        return word
    return rf"\mathrm{{{latex_text(word)}}}"


def _subscript(part: str) -> str:
    match = re.fullmatch(r"([A-Za-z]+)(\d*)", part)
    if part.isdigit() or (len(part) == 1 and part.isascii() and part.isalnum()) or match is None:
        return part if part.isascii() and part.isalnum() else rf"\mathrm{{{latex_text(part)}}}"
    return _letter(match[1]) + match[2]


def latex_text(text: str) -> str:
    """Text of a model made safe for LaTeX: special characters escaped, those that LaTeX may not know replaced."""
    clean = "".join(letter if letter.isprintable() else " " for letter in text)
    return "".join(_ESCAPES.get(letter, letter if letter < LAST_LETTER else "?") for letter in clean)


class LatexStyle(Style):
    """Fractions, dots and subscripts."""

    def symbol(self, name: str) -> str:
        return self.names[name] if name in self.names else latex_name(name)

    def number(self, value: float) -> str:
        text = f"{value:.10g}"
        digits, _, exponent = text.partition("e")
        if not exponent:
            return text
        return rf"{digits} \cdot 10^{{{int(exponent)}}}" if digits != "1" else f"10^{{{int(exponent)}}}"

    def fraction(self, p: int, q: int) -> str:
        return rf"\frac{{{p}}}{{{q}}}"

    def power(self, base: str, exponent: str) -> str:
        return f"{base}^{{{exponent}}}"

    def times(self, factors: Sequence[str]) -> str:
        found = ""
        for factor in factors:
            gap = r" \cdot " if found[-1:].isdigit() and factor[:1].isdigit() else " "
            found = f"{found}{gap}{factor}" if found else factor
        return found

    def over(self, above: Sequence[str], below: Sequence[str]) -> str:
        return rf"\frac{{{self.times(above) or '1'}}}{{{self.times(below)}}}"

    def brackets(self, text: str) -> str:
        return rf"\left({text}\right)"

    def function(self, name: str, arguments: Sequence[str]) -> str:
        return self._called(name, "", arguments)

    def function_power(self, name: str, arguments: Sequence[str], exponent: str) -> str:
        if name in ("sin", "cos", "tan"):
            return self._called(name, f"^{{{exponent}}}", arguments)
        return self.power(self.brackets(self.function(name, arguments)), exponent)

    def _called(self, name: str, exponent: str, arguments: Sequence[str]) -> str:
        known = name in ("sin", "cos", "tan", "exp", "log", "sinh", "cosh", "tanh", "max", "min")
        shown = f"\\{name}" if known else rf"\operatorname{{{name}}}"
        if name in ("sin", "cos", "tan") and re.fullmatch(r"\\?[A-Za-z]+(_\{[^{}]*\})?", arguments[0]):
            return f"{shown}{exponent} {arguments[0]}"
        return f"{shown}{exponent}{self.brackets(', '.join(arguments))}"

    def root(self, text: str) -> str:
        return rf"\sqrt{{{text}}}"

    def cases(self, branches: Sequence[tuple[str, str]]) -> str:
        rows = [
            rf"{value} & \text{{{condition}}}" if condition.isalpha() else f"{value} & {_relation(condition)}"
            for value, condition in branches
        ]
        return r"\begin{cases}" + r" \\ ".join(rows) + r"\end{cases}"


def _relation(text: str) -> str:
    signs = {"<=": r"\le", "!=": r"\ne", "==": "=", " and ": r" \wedge ", " or ": r" \vee "}
    for plain, sign in signs.items():
        text = text.replace(plain, sign)
    return text


def styles_of(equations: Equations, definitions: Sequence[tuple[Any, Any]] = ()) -> tuple[Style, LatexStyle]:
    """The two styles for a set of equations: rates with primes and dots, one less where a rate has no coordinate."""
    text: dict[str, str] = {}
    latex: dict[str, str] = {}
    for coordinate, rate, acceleration in zip(equations.coordinates, equations.v, equations.a, strict=True):
        first = 0 if coordinate.position is None else 1
        for symbol, dots in ((rate, first), (acceleration, first + 1)):
            text[symbol.name] = coordinate.name + "'" * dots
            latex[symbol.name] = latex_name(coordinate.name, dots)
    n = range(1, len(equations.v) + 1)
    rates = frozenset(latex)
    latex |= {f"J[{i},{j}]": f"J_{{{i},{j}}}" for i in n for j in n}  # the transformation of the embedding form
    taken = [*(symbol.name for symbol in equations.q), *rates, *equations.mechanism.symbols]
    steps = step_names(definitions, taken)
    text, latex = text | steps, latex | {name: latex_name(shown) for name, shown in steps.items()}
    coordinates = frozenset(symbol.name for symbol in equations.q)
    return Style(text, coordinates, rates), LatexStyle(latex, coordinates, rates, stacked=True)
