"""Cross-sections: area, second moments, torsion constant, shear coefficients, and an outline for pictures.

Section axes y and z are principal and centroidal. Iz = int y^2 dA bends in the x-y plane, Iy = int z^2 dA in the x-z
plane. Shear coefficients k (shear area k A) are those of Cowper (J. Appl. Mech. 33, 1966) for solid sections and the
tube, where Poisson's ratio enters weakly, and thin-walled shear flow, k = I^2/(A int Q^2/t ds), for the I.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from flexmb.elements.number_checks import positive
from flexmb.errors import Fault, InputError

Polygon = tuple[tuple[float, float], ...]
"""Corners (y, z) [m], counter-clockwise; clockwise around a hole."""

_CORNERS_OF_A_CIRCLE = 48
_ZETA_5 = 1.0369277551433699263  # sum of 1/n^5


@dataclass(frozen=True)
class Section:
    """A cross-section in its principal, centroidal axes."""

    A: float
    """[m^2]"""
    Iy: float
    """int z^2 dA [m^4]: bending in the x-z plane"""
    Iz: float
    """int y^2 dA [m^4]: bending in the x-y plane"""
    J: float | None = None
    """torsion constant [m^4]; None: not known, so no torsion shapes"""
    shear_y: float | None = None
    """shear coefficient for forces along y; None: not known, so no shear deformation"""
    shear_z: float | None = None
    """shear coefficient for forces along z"""
    outline: tuple[Polygon, ...] | None = None
    """for pictures: outer edge first, then holes"""

    def __post_init__(self) -> None:
        faults = positive("A", self.A, "m^2") + positive("Iy", self.Iy, "m^4") + positive("Iz", self.Iz, "m^4")
        for name, value, unit in (("J", self.J, "m^4"), ("shear_y", self.shear_y, ""), ("shear_z", self.shear_z, "")):
            if value is not None:
                faults += positive(name, value, unit)
        _raise(faults)

    @property
    def Ip(self) -> float:
        """Polar second moment Iy + Iz [m^4]: turning inertia about the axis is density * Ip."""
        return self.Iy + self.Iz


def circle(radius: float, *, poisson: float = 0.0) -> Section:
    """A solid round bar, `radius` [m]."""
    _raise(positive("radius", radius, "m"))
    I = math.pi * radius**4 / 4.0
    k = 6.0 * (1.0 + poisson) / (7.0 + 6.0 * poisson)  # Cowper 1966
    return Section(math.pi * radius**2, I, I, 2.0 * I, k, k, (_circle_polygon(radius),))


def tube(outer: float, inner: float, *, poisson: float = 0.0) -> Section:
    """A round tube with outer and inner radius [m]."""
    faults = positive("outer", outer, "m") + positive("inner", inner, "m")
    if not faults and inner >= outer:
        faults.append(Fault(f"inner = {inner!r} must be smaller than outer = {outer!r}", ("inner",)))
    _raise(faults)
    wall, squares = outer - inner, outer**2 + inner**2
    I = math.pi / 4.0 * wall * (outer + inner) * squares  # without the cancellation of outer^4 - inner^4
    m = inner / outer
    k = 6.0 * (1.0 + poisson) * (1.0 + m * m) ** 2  # Cowper 1966
    k /= (7.0 + 6.0 * poisson) * (1.0 + m * m) ** 2 + (20.0 + 12.0 * poisson) * m * m
    outline = (_circle_polygon(outer), tuple(reversed(_circle_polygon(inner))))
    return Section(math.pi * wall * (outer + inner), I, I, 2.0 * I, k, k, outline)


def rectangle(y: float, z: float, *, poisson: float = 0.0) -> Section:
    """A solid rectangle with edges y and z [m] along the section axes."""
    _raise(positive("y", y, "m") + positive("z", z, "m"))
    k = 10.0 * (1.0 + poisson) / (12.0 + 11.0 * poisson)  # Cowper 1966
    outline = _mirrored(((y / 2.0, z / 2.0),))
    return Section(y * z, y * z**3 / 12.0, z * y**3 / 12.0, _rectangle_torsion(y, z), k, k, (outline,))


def i_section(height: float, width: float, flange: float, web: float) -> Section:
    """An I: `height` along z, `width` of the flanges along y, thickness of the flanges and of the web [m].

    Area and second moments are exact for sharp corners; torsion is the thin-wall sum of (length * thickness^3)/3 over
    the middle lines, shear follows the thin-walled flow (force along y: the flanges alone carry it).
    """
    sizes = {"height": height, "width": width, "flange": flange, "web": web}
    faults = [fault for name, value in sizes.items() for fault in positive(name, value, "m")]
    if not faults and 2.0 * flange >= height:
        faults.append(Fault(f"two flanges of {flange!r} leave no web in height = {height!r}", ("flange",)))
    if not faults and web > width:
        faults.append(Fault(f"web = {web!r} must not be wider than width = {width!r}", ("web",)))
    _raise(faults)
    clear = height - 2.0 * flange
    A = 2.0 * width * flange + clear * web
    Iy = (width * height**3 - (width - web) * clear**3) / 12.0
    Iz = (2.0 * flange * width**3 + clear * web**3) / 12.0
    J = (2.0 * width * flange**3 + (height - flange) * web**3) / 3.0
    shear_y = 5.0 / 6.0 * 2.0 * width * flange / A
    corner = ((width / 2.0, height / 2.0), (width / 2.0, clear / 2.0), (web / 2.0, clear / 2.0))
    return Section(A, Iy, Iz, J, shear_y, _web_shear(height, width, flange, web) / A, (_mirrored(corner),))


def general(
    A: float,
    Iy: float,
    Iz: float,
    J: float | None = None,
    shear_y: float | None = None,
    shear_z: float | None = None,
) -> Section:
    """A section by its properties; J and the shear coefficients may be left out if they are not used."""
    return Section(A, Iy, Iz, J, shear_y, shear_z)


def _raise(faults: list[Fault]) -> None:
    if faults:
        raise InputError(faults)


def _rectangle_torsion(y: float, z: float) -> float:
    """Saint-Venant's series [m^4]: J = a b^3 (1/3 - 64/pi^5 b/a sum over odd n of tanh(n pi a/(2 b))/n^5), a >= b.

    The sum of 1/n^5 over odd n is 31/32 zeta(5); 1 - tanh decays like exp(-n pi), so few terms remain.
    """
    a, b = max(y, z), min(y, z)
    lack = sum(2.0 * _decay(n * math.pi * a / b) / n**5 for n in range(1, 16, 2))
    return a * b**3 * (1.0 / 3.0 - 64.0 / math.pi**5 * b / a * (31.0 / 32.0 * _ZETA_5 - lack))


def _decay(twice: float) -> float:
    """1/(exp(twice) + 1) = (1 - tanh(twice/2))/2 without overflow."""
    return math.exp(-twice) / (1.0 + math.exp(-twice))


def _web_shear(height: float, width: float, flange: float, web: float) -> float:
    """Shear area [m^2] of an I for forces along z: I^2 / int Q^2/t ds over the middle lines."""
    d = (height - flange) / 2.0  # from the axis to the middle line of a flange
    at_web_end = width * flange * d  # Q where the web starts; inside the web it grows by web (d^2 - z^2)/2
    in_flanges = 4.0 * flange * d**2 * (width / 2.0) ** 3 / 3.0
    in_web = 2.0 * d * at_web_end**2 / web + at_web_end * 4.0 * d**3 / 3.0 + web * 4.0 * d**5 / 15.0
    I = 2.0 * width * flange * d**2 + web * (2.0 * d) ** 3 / 12.0
    return I**2 / (in_flanges + in_web)


def _mirrored(corner: Polygon) -> Polygon:
    """The outline, counter-clockwise, whose part in the first quadrant is `corner`, clockwise from the z axis."""
    first = tuple(reversed(corner))  # counter-clockwise: from the y axis up
    second = tuple((-y, z) for y, z in corner)
    return first + second + tuple((-y, -z) for y, z in first) + tuple((-y, -z) for y, z in second)


def _circle_polygon(radius: float) -> Polygon:
    angles = (2.0 * math.pi * number / _CORNERS_OF_A_CIRCLE for number in range(_CORNERS_OF_A_CIRCLE))
    return tuple((radius * math.cos(angle), radius * math.sin(angle)) for angle in angles)
