"""Sections of a deck: shapes against exact integrals over a fine grid, principal axes, published values."""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np
import pytest

from flexmb.elements.deck_sections import _RECTANGLES, deck_section
from flexmb.elements.section import i_section
from flexmb.errors import InputError
from flexmb.mesh.deck import BeamProperty

SHAPES = {
    "box": (0.1, 0.06, 0.004, 0.005),
    "i": (0.1, 0.08, 0.06, 0.005, 0.008, 0.006),
    "i_z": (0.1, 0.08, 0.06, 0.005, 0.008, 0.006),
    "t": (0.1, 0.08, 0.005, 0.008),
    "l": (0.1, 0.06, 0.005, 0.008),
    "channel": (0.1, 0.06, 0.005, 0.008),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_against_sums_over_a_grid(shape: str) -> None:
    section, angle = deck_section(BeamProperty("p", {}, "m", shape=shape, dimensions=SHAPES[shape]))
    # midpoints of a grid of 0.25 mm: all dimensions are multiples, so areas are exact, second moments to (h/t)^2
    h = 2.5e-4
    grid = np.arange(-400, 401) * h + h / 2.0
    y, z = (axis.ravel() for axis in np.meshgrid(grid, grid, indexing="ij"))
    inside = np.zeros(len(y), dtype=bool)
    for cy, cz, b, w in _RECTANGLES[shape](*SHAPES[shape]):
        inside |= (np.abs(y - cy) < b / 2.0) & (np.abs(z - cz) < w / 2.0)
    y, z = y[inside], z[inside]
    y, z = y - y.mean(), z - z.mean()
    assert section.A == pytest.approx(len(y) * h * h, rel=1e-9)
    turned_y, turned_z = cos(angle) * y + sin(angle) * z, -sin(angle) * y + cos(angle) * z
    assert section.Iz == pytest.approx((turned_y**2).sum() * h * h, rel=1e-3)
    assert section.Iy == pytest.approx((turned_z**2).sum() * h * h, rel=1e-3)
    assert abs((turned_y * turned_z).sum() * h * h) < 1e-9 * (section.Iy + section.Iz), "principal axes"
    assert (abs(angle) > 0.1) == (shape == "l")


def test_torsion_of_a_thin_box_is_that_of_bredt() -> None:
    section, _ = deck_section(BeamProperty("p", {}, "m", shape="box", dimensions=(0.1, 0.1, 0.001, 0.001)))
    assert section.J == pytest.approx(0.099**3 * 0.001, rel=1e-12)  # a^3 t of a square tube


def test_an_i_is_that_of_the_beams() -> None:
    sizes = (0.1, 0.06, 0.06, 0.005, 0.008, 0.008)
    section, _ = deck_section(BeamProperty("p", {}, "m", shape="i_z", dimensions=sizes))
    other = i_section(0.1, 0.06, 0.008, 0.005)
    assert (section.A, section.Iy, section.Iz) == pytest.approx((other.A, other.Iy, other.Iz))
    assert section.J == pytest.approx(other.J, rel=0.1), "both are sums over thin walls, one without the ends"


def test_numbers_and_round_shapes() -> None:
    section, angle = deck_section(BeamProperty("p", {}, "m", A=4.0, Iy=1.0, Iz=2.0, J=0.5, shear_y=0.8))
    assert (section.A, section.Iy, section.Iz, section.J, section.shear_y) == (4.0, 1.0, 2.0, 0.5, 0.8)
    assert angle == 0.0 and section.shear_z is None
    section, angle = deck_section(BeamProperty("p", {}, "m", A=1.0, Iy=2.0, Iz=2.0, Iyz=1.0))
    assert abs(angle) == pytest.approx(pi / 4.0) and sorted((section.Iy, section.Iz)) == pytest.approx([1.0, 3.0])
    section, _ = deck_section(BeamProperty("p", {}, "m", shape="tube", dimensions=(0.02, 0.015)))
    assert section.A == pytest.approx(pi * (0.02**2 - 0.015**2))


def test_impossible_sections() -> None:
    with pytest.raises(InputError, match="a dimension that is not above zero"):
        deck_section(BeamProperty("p", {}, "m", shape="circle", dimensions=(0.0,)))
    with pytest.raises(InputError, match="are thicker than the section"):
        deck_section(BeamProperty("p", {}, "m", shape="box", dimensions=(0.1, 0.1, 0.06, 0.01)))
