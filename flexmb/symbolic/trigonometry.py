"""Two canonical forms of the sines and cosines in a polynomial.

    Fourier form      cos a cos b - sin a sin b  ->  cos(a + b): a sum over integer combinations of angles
    polynomial form   sin^2 a  ->  1 - cos^2 a  (or the other way round)

Every function is e^(i k.a): a product adds the integer vectors k, and k and -k together are one cosine and one sine
(their coefficients are conjugate, because the whole is real). An argument may itself be an integer combination.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import comb
from typing import Any

from flexmb.symbolic.engine import Integer, cos, sin
from flexmb.symbolic.polynomial import Monomial, Number, Polynomial, Ring, Sums, multiply

Wave = tuple[int, ...]
"""Integer factors of the angles."""


def trigonometric(atom: Any) -> str:
    """'sin', 'cos' or nothing."""
    name = type(atom).__name__
    return name if name in ("sin", "cos") else ""


def wave_of(argument: Any, angles: Sequence[Any]) -> Wave | None:
    """The argument as an integer combination of angles; None when it is not one."""
    if argument.is_Symbol:
        return tuple(int(argument == angle) for angle in angles) if argument in angles else None
    found = [0] * len(angles)
    for term in argument.args if argument.is_Add else (argument,):
        factor, symbol = 1, term
        if term.is_Mul and len(term.args) == 2 and term.args[0].is_Integer:
            factor, symbol = int(term.args[0]), term.args[1]
        if symbol not in angles:
            return None
        found[angles.index(symbol)] += factor
    return tuple(found)


def fourier(ring: Ring, polynomial: Polynomial, angles: Sequence[Any]) -> Polynomial:
    """The sines and cosines of these angles as a linear combination; others stay unchanged."""
    angles = list(angles)
    known = {number: _function(atom, angles) for number, atom in enumerate(ring.atoms)}
    found = Sums()
    for monomial, coefficient in polynomial.items():
        rest: list[tuple[int, Any]] = []
        waves: dict[Wave, tuple[Number, Number]] = {(0,) * len(angles): (coefficient, Fraction(0))}
        for atom, exponent in monomial:
            function = known[atom]
            if function is None or exponent < 0:
                rest.append((atom, exponent))
                continue
            for _ in range(exponent):
                waves = _times(waves, *function)
        for wave, (real, imaginary) in waves.items():
            collect_wave(ring, found, tuple(rest), angles, wave, real, imaginary)
    return found.polynomial()


def _function(atom: Any, angles: list[Any]) -> tuple[str, Wave] | None:
    name = trigonometric(atom)
    wave = wave_of(atom.args[0], angles) if name else None
    return (name, wave) if wave is not None else None


def _times(waves: dict[Wave, tuple[Number, Number]], name: str, wave: Wave) -> dict[Wave, tuple[Number, Number]]:
    """The product with (e^(ia) + e^(-ia))/2 or (e^(ia) - e^(-ia))/(2i)."""
    half = Fraction(1, 2)
    found: dict[Wave, tuple[Number, Number]] = {}
    for old, (real, imaginary) in waves.items():
        for sign in (1, -1):
            new = tuple(k + sign * n for k, n in zip(old, wave, strict=True))
            x, y = (real, imaginary) if name == "cos" else (sign * imaginary, -sign * real)
            before = found.get(new, (Fraction(0), Fraction(0)))
            found[new] = (before[0] + half * x, before[1] + half * y)
    return found


def collect_wave(
    ring: Ring, found: Sums, rest: Monomial, angles: list[Any], wave: Wave, real: Number, imaginary: Number
) -> None:
    """Add 2 Re cos - 2 Im sin for one of the two waves k and -k; the other one says the same."""
    leading = next((k for k in wave if k), 0)
    if leading == 0:
        found.add(rest, real)
        return
    if leading < 0:
        return
    argument = Integer(0)
    for k, angle in zip(wave, angles, strict=True):
        argument += k * angle
    for function, value in ((cos, 2 * real), (sin, -2 * imaginary)):
        if value == 0:
            continue
        atom = function(argument)
        if atom.is_Mul:  # the engine has turned sin(a - b) into -sin(b - a)
            atom, value = -atom, -value
        found.add(multiply(rest, ((ring.atom(atom), 1),)), value)


def along_chain(ring: Ring, polynomial: Polynomial, angles: Sequence[Any]) -> Polynomial:
    """A Fourier form as products of powers over the sums a, a + b, a + b + c, ... of the angles.

    With psi_j = a_1 + ... + a_j, the wave k of the angles is the wave k_j - k_(j+1) of these sums.
    """
    sums = [sum(angles[: j + 1], Integer(0)) for j in range(len(angles))]
    return _as_products(ring, polynomial, list(angles), sums, _differences)


def _differences(wave: Wave) -> list[int]:
    return [k - following for k, following in zip(wave, (*wave[1:], 0), strict=True)]


def by_angles(ring: Ring, polynomial: Polynomial, angles: Sequence[Any]) -> Polynomial:
    """A Fourier form as products of powers of the sines and cosines of the single angles."""
    return _as_products(ring, polynomial, list(angles), list(angles), list)


def _as_products(
    ring: Ring, polynomial: Polynomial, angles: list[Any], sums: list[Any], turns_of: Callable[[Wave], list[int]]
) -> Polynomial:
    known = {number: _function(atom, angles) for number, atom in enumerate(ring.atoms)}
    found = Sums()
    for monomial, coefficient in polynomial.items():
        terms: list[tuple[Monomial, Number]] = [((), coefficient)]
        for atom, exponent in monomial:
            function = known.get(atom)
            if function is None or exponent != 1:
                terms = [(multiply(done, ((atom, exponent),)), value) for done, value in terms]
                continue
            name, wave = function
            parts = _products(ring, sums, turns_of(wave), imaginary=name == "sin")
            terms = [(multiply(done, part), value * factor) for done, value in terms for part, factor in parts.items()]
        for done, value in terms:
            found.add(done, value)
    return found.polynomial()


def _products(ring: Ring, sums: list[Any], turns: list[int], imaginary: bool) -> dict[Monomial, Fraction]:
    """Real or imaginary part of prod_j (cos psi_j + i sin psi_j)^n_j."""
    found: dict[tuple[Monomial, int], Fraction] = {((), 0): Fraction(1)}
    for psi, n in zip(sums, turns, strict=True):
        c, s = ring.atom(cos(psi)), ring.atom(sin(psi))
        made: dict[tuple[Monomial, int], Fraction] = {}
        for (done, power), value in found.items():
            for k in range(abs(n) + 1):
                sign = (-1) ** k if n < 0 else 1
                part = multiply(multiply(done, ((c, abs(n) - k),) if abs(n) > k else ()), ((s, k),) if k else ())
                key = (part, (power + k) % 4)
                made[key] = made.get(key, Fraction(0)) + value * sign * comb(abs(n), k)
        found = made
    result: dict[Monomial, Fraction] = {}
    for (part, power), value in found.items():
        if power % 2 == imaginary:
            result[part] = result.get(part, Fraction(0)) + (value if power < 2 else -value)
    return result


def reduce_squares(ring: Ring, polynomial: Polynomial, name: str) -> Polynomial:
    """Write the squares of all functions `name` ('sin' or 'cos') by the other one."""
    other = cos if name == "sin" else sin
    known = [trigonometric(atom) == name for atom in ring.atoms]
    found = Sums()
    for monomial, coefficient in polynomial.items():
        terms: list[tuple[Monomial, Number]] = [((), coefficient)]
        for atom, exponent in monomial:
            if not (known[atom] and exponent > 1):
                terms = [(multiply(done, ((atom, exponent),)), value) for done, value in terms]
                continue
            odd: Monomial = ((atom, 1),) if exponent % 2 else ()
            half, square = exponent // 2, ring.atom(other(ring.atoms[atom].args[0]))
            terms = [
                (multiply(multiply(done, odd), ((square, 2 * k),) if k else ()), value * (-1) ** k * comb(half, k))
                for done, value in terms
                for k in range(half + 1)
            ]
        for done, value in terms:
            found.add(done, value)
    return found.polynomial()
