"""Cross-sections and materials: integrals over the outline, published torsion constants, refusals with all faults.

Covers: elements.material.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from flexmb.elements.material import MATERIALS, Material
from flexmb.elements.section import Polygon, Section, circle, general, i_section, rectangle, tube
from flexmb.errors import InputError

I_BEAM = {"height": 0.2, "width": 0.1, "flange": 0.0085, "web": 0.0056}


def polygon_moments(section: Section) -> tuple[float, float, float]:
    """A, Iy, Iz of the outline by Gauss quadrature of its edges: int z^2 dA = closed int -z^3/3 dy, and alike.

    Holes run clockwise and subtract. Two Gauss points an edge are exact for these cubics.
    """
    assert section.outline is not None
    point, weight = np.polynomial.legendre.leggauss(2)
    s, w = (1.0 + point) / 2.0, weight / 2.0
    A = Iy = Iz = 0.0
    for polygon in section.outline:
        corners = np.array(polygon)
        for start, step in zip(corners, np.roll(corners, -1, axis=0) - corners, strict=True):
            y, z = start[0] + step[0] * s, start[1] + step[1] * s
            A += float(w @ y) * step[1]
            Iz += float(w @ y**3) / 3.0 * step[1]
            Iy -= float(w @ z**3) / 3.0 * step[0]
    return A, Iy, Iz


@pytest.mark.parametrize(
    "section", [rectangle(0.02, 0.05), rectangle(0.05, 0.02), i_section(**I_BEAM)], ids=["upright", "flat", "I"]
)
def test_straight_edged_sections_are_integrals_of_their_outline(section: Section) -> None:
    assert polygon_moments(section) == pytest.approx((section.A, section.Iy, section.Iz), rel=1e-13)


@pytest.mark.parametrize("section", [circle(0.03), tube(0.03, 0.02)], ids=["circle", "tube"])
def test_round_sections_are_integrals_of_their_outline(section: Section) -> None:
    """A regular n-gon in a circle has sin(a)/a of its area, a = 2 pi/n, and sin(a) (2 + cos(a))/(3 a) of its I."""
    assert section.outline is not None
    a = 2.0 * math.pi / len(section.outline[0])
    A, I = section.A * math.sin(a) / a, section.Iy * math.sin(a) * (2.0 + math.cos(a)) / (3.0 * a)
    assert polygon_moments(section) == pytest.approx((A, I, I), rel=1e-13)
    assert pytest.approx(section.Ip, rel=1e-15) == section.J  # round: no warping


def test_thin_tube_does_not_cancel() -> None:
    """A wall of 1e-9 of the radius: A = 2 pi r t, I = pi r^3 t, k = 1/2, all but for terms of the wall's order."""
    section = tube(1.0, 1.0 - 1e-9)
    # 1e-7: 1 - 1e-9 itself carries the wall to 1e-16/1e-9
    assert section.A == pytest.approx(2.0 * math.pi * 1e-9, rel=1e-7)
    assert section.Iz == pytest.approx(math.pi * 1e-9, rel=1e-7)
    assert section.shear_y == pytest.approx(0.5, rel=1e-7)


@pytest.mark.parametrize(
    ("ratio", "constant"),
    [(1.0, 0.1406), (1.2, 0.166), (1.5, 0.196), (2.0, 0.229), (3.0, 0.263), (4.0, 0.281), (5.0, 0.291), (10.0, 0.312)],
)
def test_torsion_of_rectangles_is_the_published_one(ratio: float, constant: float) -> None:
    """J = k a b^3, table of Timoshenko & Goodier, Theory of Elasticity, section 109, printed to 3 digits."""
    digits = 5e-5 if ratio == 1.0 else 6e-4
    for section in (rectangle(ratio, 1.0), rectangle(1.0, ratio)):
        assert section.J is not None
        assert section.J / ratio == pytest.approx(constant, abs=digits)


def test_torsion_of_rectangles_is_the_whole_series() -> None:
    for a, b in ((1.0, 1.0), (1.3, 1.0), (4.0, 0.7)):
        n = np.arange(1, 4001, 2)
        series = float(np.sum(np.tanh(n * math.pi * a / (2.0 * b)) / n**5.0))
        J = a * b**3 * (1.0 / 3.0 - 64.0 / math.pi**5 * b / a * series)
        # the rest of the sum beyond n = 4000 is 1/(8 n^4) = 5e-16
        assert rectangle(a, b).J == pytest.approx(J, rel=1e-14)


def test_i_section_torsion_and_shear() -> None:
    section = i_section(**I_BEAM)
    h, b, tf, tw = I_BEAM.values()
    assert pytest.approx((2 * b * tf**3 + (h - tf) * tw**3) / 3.0, rel=1e-14) == section.J
    # shear along z: flow Q by marching along the middle line, energy by the trapezoidal rule
    d = (h - tf) / 2.0
    s = np.linspace(0.0, b / 2.0, 20001)
    z = np.linspace(-d, d, 20001)
    flange, web = tf * d * s, b * tf * d + tw * (d**2 - z**2) / 2.0
    energy = 4.0 * np.trapezoid(flange**2 / tf, s) + np.trapezoid(web**2 / tw, z)
    I = 2.0 * b * tf * d**2 + tw * (2.0 * d) ** 3 / 12.0
    assert section.shear_z == pytest.approx(I**2 / (section.A * energy), rel=1e-7)  # trapezoids: (1/20000)^2
    assert section.shear_y == pytest.approx(5.0 / 6.0 * 2.0 * b * tf / section.A, rel=1e-14)


def test_shear_coefficients_of_cowper() -> None:
    """G. R. Cowper, J. Appl. Mech. 33 (1966): nu = 0.3 gives 0.886 (circle), 0.850 (rectangle), 0.531 (thin tube)."""
    assert circle(1.0, poisson=0.3).shear_y == pytest.approx(0.886, abs=5e-4)
    assert rectangle(1.0, 2.0, poisson=0.3).shear_z == pytest.approx(0.850, abs=5e-4)
    assert tube(1.0, 1.0 - 1e-6, poisson=0.3).shear_y == pytest.approx(0.531, abs=5e-4)
    # half-way: 6 (1.3) (1.25)^2 / (8.8 (1.25)^2 + 23.6/4)
    assert tube(2.0, 1.0, poisson=0.3).shear_z == pytest.approx(12.1875 / 19.65, rel=1e-14)
    assert rectangle(1.0, 2.0).shear_y == pytest.approx(5.0 / 6.0, rel=1e-15)


def test_outlines_run_counter_clockwise_and_holes_clockwise() -> None:
    def area(polygon: Polygon) -> float:
        y, z = np.array(polygon).T
        return 0.5 * float(np.sum(y * np.roll(z, -1) - z * np.roll(y, -1)))

    for section in (circle(1.0), rectangle(1.0, 2.0), i_section(**I_BEAM)):
        assert section.outline is not None and area(section.outline[0]) > 0.0
    outer, hole = tube(1.0, 0.5).outline or ()
    assert area(outer) > 0.0 > area(hole)
    assert general(1.0, 1.0, 1.0).outline is None


def test_materials() -> None:
    steel = MATERIALS["steel"]
    assert steel.E / (2.0 * steel.G) - 1.0 == pytest.approx(0.3, rel=1e-14)
    assert {"steel", "aluminium", "titanium"} <= set(MATERIALS)
    assert all(name == material.name for name, material in MATERIALS.items())


@pytest.mark.parametrize(
    ("make", "paths"),
    [
        (lambda: circle(-1.0), ["radius"]),
        (lambda: circle(float("nan")), ["radius"]),
        (lambda: rectangle(0.0, -1.0), ["y", "z"]),
        (lambda: tube(0.02, 0.03), ["inner"]),
        (lambda: tube(-0.02, 0.0), ["outer", "inner"]),
        (lambda: i_section(0.1, 0.1, 0.05, 0.01), ["flange"]),
        (lambda: i_section(0.1, 0.01, 0.01, 0.02), ["web"]),
        (lambda: i_section(-1.0, -1.0, -1.0, -1.0), ["height", "width", "flange", "web"]),
        (lambda: general(-1.0, 0.0, float("inf"), -2.0, 0.0, -1.0), ["A", "Iy", "Iz", "J", "shear_y", "shear_z"]),
        (lambda: general("1", 1.0, 1.0), ["A"]),  # type: ignore[arg-type]
        (lambda: Material(-1.0, 0.0, True), ["E", "G", "density"]),
        (lambda: Material.isotropic(2e11, 0.6, -7.0), ["density", "nu"]),
    ],
)
def test_bad_numbers_are_refused_all_at_once(make: object, paths: list[str]) -> None:
    with pytest.raises(InputError) as refused:
        make()  # type: ignore[operator]
    assert [fault.path for fault in refused.value.faults] == [(path,) for path in paths]
    assert all(path in str(refused.value) for path in paths)
