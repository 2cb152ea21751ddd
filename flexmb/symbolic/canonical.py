"""Readable forms of expressions, as a person would write them, found in milliseconds.

Enters: an engine expression, the angles and the rates of the model. Leaves: an equal engine expression. Candidates are
the polynomial form (sin^2 -> 1 - cos^2, or cos^2 -> 1 - sin^2), the Fourier form over all angles or over neighbours in
the chain (sin(theta1 + theta2)), and products of both (cos(theta1) cos(theta1 + theta2)). In each, terms with the same
sines and cosines are collected behind their common factors. The form with the fewest operations is used.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Any

from flexmb.symbolic.engine import Integer, as_expression, expand, to_sympy
from flexmb.symbolic.polynomial import Monomial, Number, Polynomial, Ring, common_factor, divide, multiply
from flexmb.symbolic.quaternions import Quaternion, reduce_quaternions
from flexmb.symbolic.trigonometry import along_chain, by_angles, fourier, reduce_squares, trigonometric
from flexmb.symbolic.waves import Budget, WaveReader

LARGEST = 20_000
"""Operations; a larger expression is left as the recursion has built it."""
_NEIGHBOURS = 5
"""Largest number of angles for which neighbours in the chain are also tried separately."""
_PRODUCTS = 60
"""Terms up to which forms other than the complete Fourier form are tried as well"""
_EXPANDED = 200
"""Operations up to which the expression is also tried as it is, expanded"""
_TERMS = 400
"""Terms of a Fourier form beyond which an expression is left as it is."""
_WORTHWHILE = 0.7
"""A factor is taken out of a sum of unlike terms when this part of the operations is left."""

_SAME = 1e-12
"""Relative difference of decimal numbers that is rounding"""
_LARGEST_FACTOR = 8.5
"""0.5 a + 0.25 b is written 0.25 (2 a + b); factors beyond this one are not made"""


def readable(
    expression: Any,
    angles: Sequence[Any] = (),
    rates: Collection[Any] = (),
    simplify: bool = False,
    budget: Budget | None = None,
    quaternions: Sequence[Quaternion] = (),
) -> Any:
    """An equal expression as a person would write it; `simplify` uses sympy instead, which takes seconds.

    `quaternions`: four symbols each, whose squares add up to one.

    An expression that is too large, or that exceeds the shared `budget`, is returned unchanged.
    """
    expression = as_expression(expression)
    if simplify:
        import sympy  # type: ignore[import-untyped]

        return as_expression(sympy.simplify(to_sympy(expression)))
    if operations(expression, LARGEST) > LARGEST:
        return expression
    ring = Ring()
    reader = WaveReader(ring, angles, lambda below: readable(below, angles, rates), budget)
    polynomial = reader.polynomial(expression)
    if polynomial is None or len(polynomial) > _TERMS:
        return expression
    reduced = reduce_quaternions(ring, polynomial, quaternions)
    if not polynomial or not reduced:
        return Integer(0)
    candidates = _candidates(ring, polynomial, angles)
    if reduced != polynomial:
        candidates += _candidates(ring, reduced, angles)
    if operations(expression, _EXPANDED) <= _EXPANDED:
        plain = ring.read(expression, lambda below: readable(below, angles, rates))
        candidates += [plain] if len(plain) <= _PRODUCTS else []
    return min((collect(ring, candidate, set(rates)) for candidate in candidates), key=operations)


def _candidates(ring: Ring, polynomial: Polynomial, angles: Sequence[Any]) -> list[Polynomial]:
    """The canonical forms, each once. Functions in the denominator of any term are taken out of all terms first."""
    lowest = common_factor(polynomial, below=True)
    below = tuple((atom, n) for atom, n in lowest if n < 0 and trigonometric(ring.atoms[atom]))
    above = {divide(monomial, below): value for monomial, value in polynomial.items()}
    used = [angle for angle in angles if angle in _symbols_of_functions(ring, above)]
    forms = [above]
    flat = by_angles(ring, above, used) if len(above) <= _PRODUCTS else above
    if len(flat) <= _PRODUCTS:
        forms += [reduce_squares(ring, flat, "sin"), reduce_squares(ring, flat, "cos")]
        forms += _combined(ring, flat, used)
    elif below:
        forms.append(fourier(ring, above, used))
    found = [{multiply(monomial, below): value for monomial, value in form.items()} for form in forms]
    return list({_key(form): form for form in found}.values())


def _combined(ring: Ring, flat: Polynomial, used: list[Any]) -> list[Polynomial]:
    """Fourier forms over neighbours, and products over the sums of neighbours."""
    forms: list[Polynomial] = []
    together = _angles_together(ring, flat, used)
    for chosen in _runs(used):
        if len(chosen) > 1 and not any(len(met.intersection(chosen)) > 1 for met in together):
            continue  # nothing to be combined
        combined = fourier(ring, flat, chosen)
        forms.append(reduce_squares(ring, combined, "sin") if len(chosen) < len(used) else combined)
        if len(chosen) > 1:
            chain = along_chain(ring, combined, chosen)
            forms += [reduce_squares(ring, chain, "sin"), reduce_squares(ring, chain, "cos")]
    return forms


def _symbols_of_functions(ring: Ring, polynomial: Polynomial) -> set[Any]:
    used = {ring.atoms[atom] for monomial in polynomial for atom, _ in monomial}
    return {symbol for atom in used if trigonometric(atom) for symbol in atom.free_symbols}


def _angles_together(ring: Ring, polynomial: Polynomial, angles: list[Any]) -> set[frozenset[Any]]:
    """Angles whose sines and cosines are multiplied in some term."""
    of_atom = {k: atom.free_symbols for k, atom in enumerate(ring.atoms) if trigonometric(atom)}
    return {
        frozenset(angle for atom, _ in monomial for angle in of_atom.get(atom, ()) if angle in angles)
        for monomial in polynomial
    }


def _runs(angles: list[Any]) -> list[list[Any]]:
    """All angles, and neighbours among them when they are few."""
    if len(angles) < 2 or len(angles) > _NEIGHBOURS:
        return [angles] if angles else []
    n = len(angles)
    return [*([angle] for angle in angles), *(angles[i:j] for i in range(n) for j in range(i + 2, n + 1))]


def operations(expression: Any, limit: int = 10**9) -> int:
    """Number of operations: each +, *, /, power and function is one; counting ends beyond `limit`."""
    count, waiting = 0, [expression]
    while waiting and count <= limit:
        node = waiting.pop()
        arguments = node.args
        if arguments:
            count += len(arguments) - 1 if node.is_Add or node.is_Mul else 1
            waiting += arguments
        elif node.is_Rational and not node.is_Integer:
            count += 1
    return count


def collect(ring: Ring, polynomial: Polynomial, rates: set[Any]) -> Any:
    """The polynomial with common factors in front: of all terms when it pays, else of terms with the same functions."""
    if not polynomial:
        return Integer(0)
    loose = _by_functions(ring, polynomial, rates)
    if len(polynomial) < 2:
        return loose
    factor = common_factor(polynomial)
    if not factor:
        return loose
    inner = {divide(monomial, factor): value for monomial, value in polynomial.items()}
    scale = _content(inner.values(), whole=False)
    tight = ring.product(factor, scale) * _by_functions(ring, _divided(inner, scale), rates)
    return tight if operations(tight) < _WORTHWHILE * operations(loose) else loose


def _by_functions(ring: Ring, polynomial: Polynomial, rates: set[Any]) -> Any:
    """Sum over the degree in the rates (weight and centrifugal force stay apart) and over the sines and cosines."""
    moving = [atom in rates for atom in ring.atoms]
    by_degree: dict[int, Polynomial] = {}
    for monomial, value in polynomial.items():
        degree = sum(exponent for atom, exponent in monomial if moving[atom])
        by_degree.setdefault(degree, {})[monomial] = value
    found = Integer(0)
    for part in by_degree.values():
        found += _shared_factors(ring, part, rates)
    return found


def _shared_factors(ring: Ring, polynomial: Polynomial, rates: set[Any]) -> Any:
    """Sum over the sines and cosines; those with the same factor share it."""
    groups = _split(polynomial, [bool(trigonometric(atom)) for atom in ring.atoms])
    shared: dict[Any, list[tuple[Monomial, Number]]] = {}
    primitive: dict[Any, Polynomial] = {}
    for functions, inner in groups.items():
        form, scale = _primitive(inner)
        key = _key(form)
        primitive[key] = form
        shared.setdefault(key, []).append((functions, scale))
    found = Integer(0)
    for key, parts in shared.items():
        if len(parts) > 1 and len(primitive[key]) > 1:
            scale = _content((value for _, value in parts), whole=True)
            total = Integer(0)
            for functions, value in parts:
                total += ring.product(functions, value / scale)
            found += total * _by_rates(ring, {m: v * scale for m, v in primitive[key].items()}, rates)
        else:
            for functions, _ in parts:
                found += ring.product(functions) * _by_rates(ring, groups[functions], rates)
    return found


def _by_rates(ring: Ring, polynomial: Polynomial, rates: set[Any]) -> Any:
    """Common factors in front, then (parameters) (rates) when it is such a product, else a sum over the rates."""
    factor = common_factor(polynomial)
    inner = {divide(monomial, factor): value for monomial, value in polynomial.items()}
    if len(inner) == 1:
        return ring.product(factor, inner[()])
    groups = _split(inner, [atom in rates for atom in ring.atoms])
    if len(groups) == 1:
        scale = _content(inner.values(), whole=False)
        return ring.product(factor, scale) * ring.write(_divided(inner, scale))
    forms = {moving: _primitive(rest) for moving, rest in groups.items()}
    keys = {_key(form) for form, _ in forms.values()}
    scale = _content((value for _, value in forms.values()), whole=True)
    total = Integer(0)
    if len(keys) == 1:
        for moving, (_, value) in forms.items():
            total += ring.product(moving, value / scale)
        form = next(iter(forms.values()))[0]
        return ring.product(factor, scale) * ring.write(form) * (_square_of_sum(total) or total)
    if all(len(form) == 1 for form, _ in forms.values()):
        scale = _content(inner.values(), whole=True)
        total = ring.write(_divided(inner, scale))
        return ring.product(factor, scale) * (_square_of_sum(total) or total)
    for moving, rest in groups.items():
        total += ring.product(moving) * _by_rates(ring, rest, set())
    return ring.product(factor) * total


def _square_of_sum(total: Any) -> Any:
    """(a + b)^2 for a^2 + 2 a b + b^2; None when it is not a square."""
    squares = [term.args[0] for term in total.args if term.is_Pow and term.args[1] == 2]
    if len(squares) < 2 or len(total.args) != len(squares) * (len(squares) + 1) // 2:
        return None
    first, *others = squares
    found = first
    for other in others:
        found += other if 2 * first * other in total.args else -other
    return found**2 if expand(found**2 - total) == 0 else None


def _split(polynomial: Polynomial, chosen: list[bool]) -> dict[Monomial, Polynomial]:
    """Terms by their factors among the chosen atoms; the rest of every term stays in its polynomial."""
    found: dict[Monomial, Polynomial] = {}
    for monomial, value in polynomial.items():
        outer = tuple(power for power in monomial if chosen[power[0]])
        inner = tuple(power for power in monomial if not chosen[power[0]])
        found.setdefault(outer, {})[inner] = value
    return found


def _primitive(polynomial: Polynomial) -> tuple[Polynomial, Number]:
    """The polynomial over a number, the same for all its multiples, and that number."""
    first = polynomial[min(polynomial)]
    if isinstance(first, float):
        return _divided(polynomial, first), first
    content = _content(polynomial.values(), whole=False)
    scale = content if (content > 0) == (first > 0) else -content
    return _divided(polynomial, scale), scale


def _divided(polynomial: Polynomial, scale: Number) -> Polynomial:
    return {monomial: value / scale for monomial, value in polynomial.items()}


def _key(polynomial: Polynomial) -> Any:
    """Equal for equal polynomials; floats to twelve digits."""
    return frozenset(
        (monomial, f"{value:.12e}" if isinstance(value, float) else value) for monomial, value in polynomial.items()
    )


def _content(values: Iterable[Number], whole: bool) -> Number:
    """The number to stand in front of a sum: what all coefficients share, negative when all of them are.

    whole: the sum is left with whole numbers, 1/2 (2 a b + b^2); else only what all terms share, (m1/2 + m2).
    """
    values = list(values)
    sign = -1 if all(value < 0 for value in values) else 1
    fractions = [value for value in values if isinstance(value, Fraction)]
    if len(fractions) < len(values):
        least = min(abs(float(value)) for value in values)
        ratios = [abs(float(value)) / least for value in values]
        even = all(abs(ratio - round(ratio)) < _SAME * ratio for ratio in ratios)
        return sign * least if even and max(ratios) < (_LARGEST_FACTOR if whole else 1.5) else Fraction(sign)
    numerator = gcd(*(value.numerator for value in fractions))
    denominators = [value.denominator for value in fractions]
    return Fraction(sign * numerator, lcm(*denominators) if whole else gcd(*denominators))
