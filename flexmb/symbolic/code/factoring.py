"""Fewer products: a b + a c -> a (b + c) in every step of a program.

The engine's elimination of common subexpressions finds equal parts, but never takes a factor out of a sum. The symbol
that most terms of a sum share is factored out repeatedly; the brackets may be common to other steps, so that a
second elimination helps again.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from flexmb.symbolic.engine import Integer, engine
from flexmb.symbolic.writing import natural


def factored(expression: Any) -> Any:
    """An equal expression with shared symbols of sums in front."""
    if expression.is_Mul:
        if not any(part.is_Add for part in expression.args):
            return expression
        found = Integer(1)
        for part in expression.args:
            found *= factored(part) if part.is_Add else part
        return found
    return _factored_sum(list(expression.args)) if expression.is_Add else expression


def _factored_sum(terms: list[Any]) -> Any:
    """The terms are split by their most frequent symbol until no two terms share one."""
    found = Integer(0)
    rest = terms
    while rest:
        counts = Counter(symbol for term in rest for symbol in _symbols(term))
        best = max(counts, key=lambda symbol: (counts[symbol], natural(symbol.name)), default=None)
        if best is None or counts[best] < 2:
            break
        inner = [term / best for term in rest if best in _symbols(term)]
        rest = [term for term in rest if best not in _symbols(term)]
        found += best * _factored_sum(inner)
    return found + engine.Add(*rest)


def _symbols(term: Any) -> set[Any]:
    """Symbols that the term is a multiple of."""
    factors = term.args if term.is_Mul else (term,)
    found = {factor for factor in factors if factor.is_Symbol}
    for factor in factors:
        if factor.is_Pow and factor.args[0].is_Symbol and factor.args[1].is_Integer and int(factor.args[1]) > 0:
            found.add(factor.args[0])
    return found
