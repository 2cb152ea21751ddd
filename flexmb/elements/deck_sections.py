"""Cross-sections of a deck's beams: numbers as they are given, or from a shape and its dimensions.

| shape | dimensions [m] |
| --- | --- |
| circle | radius |
| tube | outer and inner radius |
| rectangle | along y, along z |
| box | along y, along z, walls across y, walls across z |
| i | height along y, width of the lower and the upper flange, web, lower and upper flange; i_z: height along z |
| t | height along y, width of the upper flange, web, flange |
| l | height along y, width along z, upright leg, lying leg |
| channel | height along y, width along z, web, flanges |

Sections of rectangles have exact area and second moments about their centre; torsion is the sum over the rectangles,
of a box that of Bredt, 4 A^2/sum(s/t). Shear coefficients of i, t, l, channel and box count the walls along the force.
"""

from __future__ import annotations

from collections.abc import Callable
from math import atan2, cos, hypot, sin

from flexmb.elements.section import Section, circle, rectangle, tube
from flexmb.errors import Fault, InputError
from flexmb.mesh.deck import BeamProperty

Rectangle = tuple[float, float, float, float]
"""Centre y, z and edges along y, z [m]"""


def deck_section(entry: BeamProperty, poisson: float = 0.0) -> tuple[Section, float]:
    """The section in its principal axes, and the angle [rad] of its y axis from that of the property."""
    sizes = entry.dimensions
    if any(not size > 0.0 for size in sizes):
        raise InputError([Fault(f"the section of '{entry.name[:60]}' has a dimension that is not above zero")])
    if entry.shape == "circle":
        return circle(sizes[0], poisson=poisson), 0.0
    if entry.shape == "tube":
        return tube(sizes[0], sizes[1], poisson=poisson), 0.0
    if entry.shape == "rectangle":
        return rectangle(sizes[0], sizes[1], poisson=poisson), 0.0
    if not entry.shape:
        return _principal(
            entry.A, entry.Iy, entry.Iz, entry.Iyz, entry.J or None, entry.shear_y or None, entry.shear_z or None
        )
    if entry.shape not in _RECTANGLES:
        known = ", ".join(["circle", "tube", "rectangle", *_RECTANGLES])
        raise InputError([Fault(f"the shape '{entry.shape[:20]}' is not known ({known})")])
    parts = _RECTANGLES[entry.shape](*sizes)
    if any(b <= 0.0 or h <= 0.0 for _, _, b, h in parts):
        raise InputError([Fault(f"the walls of the section of '{entry.name[:60]}' are thicker than the section")])
    torsion = _bredt(*sizes) if entry.shape == "box" else None
    return _of_rectangles(parts, torsion)


def _of_rectangles(parts: list[Rectangle], torsion: float | None) -> tuple[Section, float]:
    A = sum(b * h for _, _, b, h in parts)
    cy, cz = (sum(part[i] * part[2] * part[3] for part in parts) / A for i in (0, 1))
    Iz = sum(b**3 * h / 12.0 + b * h * (y - cy) ** 2 for y, _, b, h in parts)
    Iy = sum(b * h**3 / 12.0 + b * h * (z - cz) ** 2 for _, z, b, h in parts)
    Iyz = sum(b * h * (y - cy) * (z - cz) for y, z, b, h in parts)
    J = torsion if torsion is not None else sum(rectangle(b, h).J or 0.0 for _, _, b, h in parts)
    along_y = sum(b * h for _, _, b, h in parts if b >= h)
    along_z = A - along_y
    return _principal(A, Iy, Iz, Iyz, J, 5.0 / 6.0 * along_y / A or None, 5.0 / 6.0 * along_z / A or None)


def _principal(
    A: float, Iy: float, Iz: float, Iyz: float, J: float | None, shear_y: float | None, shear_z: float | None
) -> tuple[Section, float]:
    """The section turned to axes without Iyz; y stays the nearer one of both."""
    if abs(Iyz) <= 1e-12 * (Iy + Iz):
        return Section(A, Iy, Iz, J, shear_y, shear_z), 0.0
    # Axes turned by a about x: Iyz' = Iyz cos 2a - (Iz - Iy)/2 sin 2a = 0; |a| <= 45 degrees keeps y the nearer one.
    half, radius = (Iy + Iz) / 2.0, hypot((Iz - Iy) / 2.0, Iyz)
    sign = 1.0 if Iz >= Iy else -1.0
    angle = 0.5 * atan2(2.0 * sign * Iyz, abs(Iz - Iy))
    larger = half + sign * radius
    c2, s2 = cos(angle) ** 2, sin(angle) ** 2
    turned = [None if a is None or b is None else c2 * a + s2 * b for a, b in ((shear_y, shear_z), (shear_z, shear_y))]
    return Section(A, Iy + Iz - larger, larger, J, turned[0], turned[1]), angle


def _i(height: float, lower: float, upper: float, web: float, t_lower: float, t_upper: float) -> list[Rectangle]:
    clear = height - t_lower - t_upper
    return [
        (t_lower / 2.0, 0.0, t_lower, lower),
        (t_lower + clear / 2.0, 0.0, clear, web),
        (height - t_upper / 2.0, 0.0, t_upper, upper),
    ]


def _i_z(*sizes: float) -> list[Rectangle]:
    return [(z, y, h, b) for y, z, b, h in _i(*sizes)]


def _t(height: float, width: float, web: float, flange: float) -> list[Rectangle]:
    clear = height - flange
    return [(clear / 2.0, 0.0, clear, web), (height - flange / 2.0, 0.0, flange, width)]


def _l(height: float, width: float, upright: float, lying: float) -> list[Rectangle]:
    clear = height - lying
    return [(lying / 2.0, width / 2.0, lying, width), (lying + clear / 2.0, upright / 2.0, clear, upright)]


def _channel(height: float, width: float, web: float, flange: float) -> list[Rectangle]:
    clear = height - 2.0 * flange
    flanges = [(y, width / 2.0, flange, width) for y in (flange / 2.0, height - flange / 2.0)]
    return [*flanges, (height / 2.0, web / 2.0, clear, web)]


def _box(y: float, z: float, wall_y: float, wall_z: float) -> list[Rectangle]:
    clear = y - 2.0 * wall_y
    caps = [(place, 0.0, wall_y, z) for place in (-(y - wall_y) / 2.0, (y - wall_y) / 2.0)]
    return [*caps, *((0.0, place, clear, wall_z) for place in (-(z - wall_z) / 2.0, (z - wall_z) / 2.0))]


def _bredt(y: float, z: float, wall_y: float, wall_z: float) -> float:
    b, h = y - wall_y, z - wall_z
    return 4.0 * (b * h) ** 2 / (2.0 * b / wall_z + 2.0 * h / wall_y)


_RECTANGLES: dict[str, Callable[..., list[Rectangle]]] = {
    "i": _i,
    "i_z": _i_z,
    "t": _t,
    "l": _l,
    "channel": _channel,
    "box": _box,
}
