"""Expressions in a programming language, and names that are safe in it.

Only checked identifiers and numbers reach the code: names are matched against letters, digits and underscores, made
unique, and kept clear of the words of the language; functions come from a fixed list; text of the model never does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from flexmb.errors import Fault, InputError
from flexmb.symbolic.polynomial import number_of
from flexmb.symbolic.writing import function_name, natural

SUM, PRODUCT, ATOM = range(3)
_COMPARISONS = {"LessThan": "<=", "StrictLessThan": "<", "Le": "<=", "Lt": "<", "Equality": "==", "Eq": "=="}


class Language:
    """Expressions as code; each language overrides what differs."""

    title = ""
    words: frozenset[str] = frozenset()
    """Reserved words"""
    folds_case = False
    longest_name = 60
    functions: Mapping[str, str] = {}
    """Names of the functions that the language has, by their names in the engine"""

    def number(self, value: Fraction | float) -> str:
        """A floating-point number; fractions exactly, or as a quotient of whole numbers."""
        if isinstance(value, Fraction):
            if value.denominator == 1 or float(value) == value:
                return self.literal(float(value))
            return f"({self.literal(float(value.numerator))}/{self.literal(float(value.denominator))})"
        return self.literal(value)

    def literal(self, value: float) -> str:
        """A number."""
        return repr(float(value))

    def power(self, base: str, exponent: int) -> str:
        """A whole power of a base that needs no brackets."""
        return f"{base}**{exponent}"

    def general_power(self, base: str, exponent: str) -> str:
        """Any power."""
        return f"({base})**({exponent})"

    def choose(self, value: str, condition: str, otherwise: str) -> str:
        """One of two values, by a condition."""
        return f"({value} if {condition} else {otherwise})"

    def both(self, conditions: Sequence[str], word: str) -> str:
        """Conditions joined by a word, 'and' or 'or'."""
        return f" {word} ".join(conditions)

    def names(self, symbols: Iterable[Any], reserved: Iterable[str]) -> dict[str, str]:
        """A safe name in the language for every symbol; `reserved`: names that the function itself uses."""
        taken = {self._folded(word) for word in (*self.words, *self.functions.values(), *reserved)}
        found: dict[str, str] = {}
        for symbol in symbols:
            base = re.sub(r"\W", "_", symbol.name, flags=re.ASCII).lstrip("_")[: self.longest_name] or "x"
            base = f"x{base}" if base[0].isdigit() else base
            name, number = base, 2
            while self._folded(name) in taken:
                name, number = f"{base}_{number}", number + 1
            taken.add(self._folded(name))
            found[symbol.name] = name
        return found

    def _folded(self, name: str) -> str:
        return name.lower() if self.folds_case else name

    def write(self, expression: Any, names: Mapping[str, str]) -> str:
        """The code of an expression."""
        return self._write(expression, names)[0]

    def _write(self, x: Any, names: Mapping[str, str]) -> tuple[str, int]:
        if x.is_Number:
            value = number_of(x)
            return self.number(value), ATOM if value >= 0 else SUM
        if x.is_Symbol:
            return names[x.name], ATOM
        if x.is_Add:
            terms = sorted((self._term(part, names) for part in x.args), key=lambda term: (term[0], natural(term[1])))
            text = "".join(f" {'-' if minus else '+'} {term}" for minus, term in terms)
            return text[3:] if text.startswith(" +") else f"-{text[3:]}", SUM
        if x.is_Mul or x.is_Pow:
            minus, text = self._term(x, names)
            return (f"-{text}", SUM) if minus else (text, PRODUCT)
        return self._call(x, names), ATOM

    def _term(self, x: Any, names: Mapping[str, str]) -> tuple[bool, str]:
        """Sign and text of a product, factors with a negative exponent below the line."""
        above: list[str] = []
        below: list[str] = []
        coefficient: Fraction | float = Fraction(1)
        for factor in x.args if x.is_Mul else (x,):
            if factor.is_Number:
                coefficient = number_of(factor)
                continue
            power = factor.args[1] if factor.is_Pow else None
            if power is not None and power.is_Number and float(power) < 0:
                below.append(self._factor(1 / factor, names))
            else:
                above.append(self._factor(factor, names))
        above.sort(key=natural)
        below.sort(key=natural)
        if abs(coefficient) != 1 or not above:
            above.insert(0, self.number(-coefficient if coefficient < 0 else coefficient))
        text = "*".join(above)
        if below:
            text += f"/{below[0]}" if len(below) == 1 else f"/({'*'.join(below)})"
        return coefficient < 0, text

    def _factor(self, x: Any, names: Mapping[str, str]) -> str:
        if x.is_Pow:
            return self._power(x.args[0], x.args[1], names)
        text, tightness = self._write(x, names)
        return f"({text})" if tightness < ATOM else text

    def _power(self, base: Any, exponent: Any, names: Mapping[str, str]) -> str:
        if not base.is_Symbol and str(base) == "E":
            return f"{self.functions['exp']}({self.write(exponent, names)})"
        if exponent.is_Integer:
            return self.power(self._factor(base, names), int(exponent))
        if exponent.is_Rational and int(exponent.q) == 2:
            root = f"{self.functions['sqrt']}({self.write(base, names)})"
            return root if int(exponent.p) == 1 else self.power(root, int(exponent.p))
        return self.general_power(self.write(base, names), self.write(exponent, names))

    def _call(self, x: Any, names: Mapping[str, str]) -> str:
        if not x.args and str(x) == "pi":
            return self.literal(3.141592653589793)
        if not x.args and str(x) == "E":
            return self.literal(2.718281828459045)
        name = function_name(x)
        if name == "piecewise":
            return self._cases(x, names)
        if name not in self.functions:
            raise InputError([Fault(f"the function '{name}' cannot be written in {self.title}.")])
        arguments = [self.write(argument, names) for argument in x.args]
        function = self.functions[name]
        if name in ("max", "min"):  # any number of arguments, by pairs
            text = arguments[-1]
            for argument in reversed(arguments[:-1]):
                text = f"{function}({argument}, {text})"
            return text
        return f"{function}({', '.join(arguments)})"

    def _cases(self, x: Any, names: Mapping[str, str]) -> str:
        pairs = list(zip(x.args[::2], x.args[1::2], strict=True))
        text = self.write(pairs[-1][0], names)
        if str(pairs[-1][1]) != "True":
            raise InputError([Fault("a function by cases needs a final case 'otherwise' to be written as code.")])
        for value, test in reversed(pairs[:-1]):
            text = self.choose(self.write(value, names), self.condition(test, names), text)
        return text

    def condition(self, test: Any, names: Mapping[str, str]) -> str:
        """The code of a comparison."""
        name = type(test).__name__
        if name in _COMPARISONS:
            left, right = (self.write(side, names) for side in test.args)
            return f"({left} {_COMPARISONS[name]} {right})"
        if name in ("And", "Or"):
            return f"({self.both([self.condition(part, names) for part in test.args], name.lower())})"
        raise InputError([Fault(f"the condition '{name}' cannot be written in {self.title}.")])
