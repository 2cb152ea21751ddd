"""Shape functions of a beam: roots and modes in closed form, derivatives, high modes, polynomials of any degree.

Covers: elements.beam_modes.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from flexmb.elements.beam_modes import SUPPORTS, beam_modes, beam_roots, held, rod_modes
from flexmb.elements.beam_shapes import BeamShape, Curve, PolynomialCurve, monomial_curves

LENGTH = 0.7

ROOTS = {
    "clamped-free": [1.87510407, 4.69409113, 7.85475744, 10.9955407, 14.1371684],
    "free-free": [4.73004074, 7.85320462, 10.9956078, 14.1371655, 17.2787597],
    "clamped-clamped": [4.730040745, 7.853204624, 10.995607838],
    "pinned-free": [3.92660231, 7.06858275, 10.2101761, 13.3517688, 16.4933614],
    "clamped-pinned": [3.926602312, 7.068582746, 10.210176123],
    "pinned-pinned": [math.pi, 2.0 * math.pi, 3.0 * math.pi],
}
"""beta L of uniform beams, textbook values to 9 digits (case C14)."""


def mirrored(supports: str) -> str:
    return "-".join(reversed(supports.split("-")))


@pytest.mark.parametrize("supports", ROOTS)
def test_roots_are_the_published_ones(supports: str) -> None:
    for name in (supports, mirrored(supports)):
        assert beam_roots(name, len(ROOTS[supports])) == pytest.approx(ROOTS[supports], rel=5e-9)  # printed digits


@pytest.mark.parametrize("supports", SUPPORTS)
def test_modes_meet_their_end_conditions(supports: str) -> None:
    """All pairs of ends, up to the 40th mode, where cosh would be 1e54: value, slope, moment, shear as the ends say."""
    for number, mode in enumerate(beam_modes(supports, 40, LENGTH), start=1):
        ends = mode.values(np.array([0.0, LENGTH]))
        third = third_derivative(mode)
        for at, (value, turn) in enumerate(held(supports)):
            zeros = [ends[at, 0] if value else third[at], ends[at, 1] / mode.k if turn else ends[at, 3] / mode.k**2]
            # the root is known to 1e-16 b, so the conditions hold to about that
            assert np.abs(zeros).max() < 1e-14 * (number + 3) * math.pi, (number, at)


def third_derivative(mode: Curve) -> list[float]:
    """Third derivative over k^3 at both ends, from the closed form of a `WaveCurve`."""
    k, (a, b, c, d) = mode.k, mode.coefficients  # type: ignore[attr-defined]
    return [
        a * math.sin(k * x) - b * math.cos(k * x) - c * math.exp(-k * x) + d * math.exp(-k * (LENGTH - x))
        for x in (0.0, LENGTH)
    ]


@pytest.mark.parametrize("supports", ["clamped-free", "free-free", "clamped-pinned", "guided-free"])
def test_modes_are_orthogonal_and_high_ones_are_clean(supports: str) -> None:
    modes = beam_modes(supports, 60, 1.0)
    point, weight = np.polynomial.legendre.leggauss(300)
    x, dx = (1.0 + point) / 2.0, weight / 2.0
    sampled = np.array([mode.values(x) for mode in modes])
    for column in (0, 3):
        rows = sampled[:, :, column] / np.array([mode.k if column else 1.0 for mode in modes])[:, None] ** 2
        gram = (rows * dx) @ rows.T
        size = np.sqrt(np.diag(gram))
        assert np.abs(gram / np.outer(size, size) - np.eye(60)).max() < 1e-12  # round-off of 300 terms, root to 1e-16 b


def test_free_end_is_twice_the_root_mean_square() -> None:
    """At a free end every clamped-free or free-free mode is 2 when its mean square is 1 (textbook identity)."""
    point, weight = np.polynomial.legendre.leggauss(300)
    for supports in ("clamped-free", "free-free"):
        for mode in beam_modes(supports, 50, 1.0):
            square = float(weight / 2.0 @ mode.values((1.0 + point) / 2.0)[:, 0] ** 2)
            assert mode.values(np.array([1.0]))[0, 0] ** 2 == pytest.approx(4.0 * square, rel=1e-12)


def test_pinned_modes_are_sines_and_nothing_else() -> None:
    x = np.linspace(0.0, LENGTH, 50)
    for number, mode in enumerate(beam_modes("pinned-pinned", 12, LENGTH), start=1):
        assert mode.coefficients[0] == mode.coefficients[2] == mode.coefficients[3] == 0.0
        sine = np.sin(number * math.pi * x / LENGTH)
        assert mode.values(x)[:, 0] * mode.coefficients[1] == pytest.approx(sine, abs=1e-14)


def test_rod_modes() -> None:
    x = np.linspace(0.0, LENGTH, 9)
    for number in (1, 2, 5):
        k = (number - 0.5) * math.pi / LENGTH
        at_a, at_b, free = (rod_modes(end, number, LENGTH)[-1].values(x) for end in ("A", "B", None))
        assert at_a[:, 0] == pytest.approx(np.sin(k * x), abs=1e-14)
        assert at_b[:, 0] == pytest.approx(np.cos(k * x), abs=1e-14)
        assert free[:, 1] == pytest.approx(
            -number * math.pi / LENGTH * np.sin(number * math.pi * x / LENGTH), abs=1e-12
        )
        assert not at_a[:, 2:].any()


def curves() -> list[Curve]:
    found: list[Curve] = [*beam_modes("clamped-free", 3, LENGTH), *beam_modes("guided-pinned", 2, LENGTH)]
    found += [*rod_modes("A", 2, LENGTH), *rod_modes(None, 2, LENGTH)]
    found += [curve for count in (4, 9) for curve in monomial_curves("y", count, LENGTH, from_end=False)]
    return found + [curve for count in (3, 7) for curve in monomial_curves("t", count, LENGTH, from_end=True)]


@pytest.mark.parametrize("number", range(len(curves())))
def test_slopes_and_curvatures_are_derivatives(number: int) -> None:
    """Against central differences of a shape with a rigid part taken out and a factor."""
    curve = curves()[number]
    bends = curve.bends  # type: ignore[attr-defined]
    shape = BeamShape("y" if bends else "u", "s", curve, offset=0.3, tilt=1.7 if bends else 0.0, factor=-2.5)
    x, h = np.linspace(0.05, 0.65, 7), 1e-4
    at, after, before = shape.values(x), shape.values(x + h), shape.values(x - h)
    third = np.abs(at).max() * (30.0 / LENGTH) ** 3  # no curve here varies faster than exp(i 30 x/L)
    assert at[:, 1] == pytest.approx((after - before)[:, 0] / (2.0 * h), abs=third * h**2)
    if bends:
        assert np.array_equal(at[:, 2], at[:, 1])  # Euler-Bernoulli
        assert at[:, 3] == pytest.approx((after - before)[:, 2] / (2.0 * h), abs=third * h**2 * 30.0 / LENGTH)
    else:
        assert not at[:, 2:].any()


@pytest.mark.parametrize("from_end", [False, True])
def test_monomials_are_powers(from_end: bool) -> None:
    x = np.linspace(0.0, LENGTH, 11)
    s = 1.0 - x / LENGTH if from_end else x / LENGTH
    for component, first in (("y", 2), ("z", 2), ("u", 1), ("t", 1)):
        for number, curve in enumerate(monomial_curves(component, 4, LENGTH, from_end)):
            assert curve.values(x)[:, 0] == pytest.approx(s ** (first + number), abs=1e-14)


@pytest.mark.parametrize("from_end", [False, True])
@pytest.mark.parametrize(("component", "column"), [("y", 3), ("u", 1)])
def test_many_monomials_are_the_same_space_with_orthogonal_strains(component: str, column: int, from_end: bool) -> None:
    count = 9
    recombined = monomial_curves(component, count, LENGTH, from_end)
    point, weight = np.polynomial.legendre.leggauss(20)
    x = LENGTH * (1.0 + point) / 2.0
    strain = np.array([curve.values(x)[:, column] for curve in recombined])
    gram = (strain * weight) @ strain.T
    size = np.sqrt(np.diag(gram))
    assert np.abs(gram / np.outer(size, size) - np.eye(count)).max() < 1e-12
    # same space: each power is a combination of them, found by least squares and left to round-off
    s = 1.0 - x / LENGTH if from_end else x / LENGTH
    powers = np.array([s ** (order + (2 if component == "y" else 1)) for order in range(count)]).T
    columns = np.array([curve.values(x)[:, 0] for curve in recombined]).T
    rest = powers - columns @ np.linalg.lstsq(columns, powers, rcond=None)[0]
    assert np.abs(rest).max() < 1e-12


def test_degree_forty_is_still_accurate() -> None:
    """The curvature of the last of 39 recombined monomials is the Legendre polynomial P_38, bounded by 1."""
    curve = monomial_curves("y", 39, 2.0, from_end=False)[-1]
    assert isinstance(curve, PolynomialCurve)
    x = np.linspace(0.0, 2.0, 201)
    exact = np.polynomial.legendre.Legendre.basis(38)(x - 1.0)
    assert np.abs(curve.values(x)[:, 3] - exact).max() < 1e-10  # two integrations and two derivatives of degree 40
