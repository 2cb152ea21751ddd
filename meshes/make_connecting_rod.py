"""A connecting rod with two bores and an I-section, meshed with tet10 in two densities and three formats.

    python meshes/make_connecting_rod.py [folder]

In millimetres: the centre of the big bore is the origin, the small bore lies at x = 300, both axes along z. The shank
tapers, runs into the ends with fillets and has a pocket from either side, which leaves a web between two flanges. Named
sets: `bore_big`, `bore_small` (surfaces of the bores), `middle` (the cross-section at x = 150), `rod` (all of it);
a .bdf has their numbers 1 to 4 as properties instead.
"""

from __future__ import annotations

import contextlib
import math
import sys
from dataclasses import dataclass
from pathlib import Path

import gmsh


@dataclass(frozen=True)
class Rod:
    """Sizes of the connecting rod [mm]"""

    length: float = 300.0
    """Between the axes of the bores"""
    big_bore: float = 19.0
    big_end: float = 30.0
    small_bore: float = 10.0
    small_end: float = 18.0
    """Radii of bores and ends"""
    big_width: float = 24.0
    small_width: float = 24.0
    shank_width: float = 16.0
    """Along z"""
    web: float = 5.0
    """Thickness of the web along z"""
    big_height: float = 38.0
    small_height: float = 24.0
    """Height of the shank along y, where its sides, prolonged, pass the two axes"""
    flange: float = 5.5
    """Height of a flange along y"""
    blend: float = 40.0
    """Radius of the fillets between shank and ends"""


ROD = Rod()


@dataclass(frozen=True)
class Density:
    """Mesh density of the rod."""

    size: float
    """Size of the cells [mm]; pockets and fillets get smaller ones by their curvature"""
    around: int
    """Cells on a quarter of a bore"""
    across: int
    """Cells along a bore"""


DENSITIES = {"coarse": Density(14.0, 3, 3), "fine": Density(8.3, 5, 4)}
FORMATS = {"coarse": ("msh", "inp", "bdf"), "fine": ("msh",)}


def side_fillet(
    rod: Rod, radius: float, at_big: bool
) -> tuple[tuple[float, float], tuple[float, float], tuple[float, float]]:
    """Points (x, y), y > 0, where a fillet leaves a circle round an axis and meets the side, and its centre.

    The centre has the distance `radius + blend` from the axis and `blend` from the side.
    """
    slope = math.atan2((rod.big_height - rod.small_height) / 2, rod.length)
    along, outwards = (math.cos(slope), -math.sin(slope)), (math.sin(slope), math.cos(slope))
    axis = 0.0 if at_big else rod.length
    height = (rod.big_height if at_big else rod.small_height) / 2
    # From the point of the side above the axis, s along the side and `blend` outwards of it.
    x, y = rod.blend * outwards[0], height + rod.blend * outwards[1]
    b, c = x * along[0] + y * along[1], x * x + y * y - (radius + rod.blend) ** 2
    s = -b + (1 if at_big else -1) * math.sqrt(b * b - c)
    x, y = x + s * along[0], y + s * along[1]
    part = radius / (radius + rod.blend)
    on_circle = (axis + part * x, part * y)
    on_side = (axis + x - rod.blend * outwards[0], y - rod.blend * outwards[1])
    return on_circle, on_side, (axis + x, y)


def shank(rod: Rod) -> tuple[int, int]:
    """The tapered bar between the ends, fillets included."""
    occ = gmsh.model.occ
    low = -rod.shank_width / 2
    # Tangents to the ends themselves would leave cells without thickness where the two arcs part.
    big, small = side_fillet(rod, 0.95 * rod.big_end, True), side_fillet(rod, 0.95 * rod.small_end, False)

    def place(point: tuple[float, float], sign: int) -> int:
        return int(occ.addPoint(point[0], sign * point[1], low))

    sides, first, last = [], [], []
    for sign in (1, -1):
        start, begin = place(big[0], sign), place(big[1], sign)
        end, stop = place(small[1], sign), place(small[0], sign)
        leave = occ.addCircleArc(start, place(big[2], sign), begin)
        meet = occ.addCircleArc(end, place(small[2], sign), stop)
        sides.append([leave, occ.addLine(begin, end), meet])
        first.append(start)
        last.append(stop)
    curves = [*sides[0], occ.addLine(*last), *(-curve for curve in reversed(sides[1])), occ.addLine(*reversed(first))]
    face = occ.addPlaneSurface([occ.addCurveLoop(curves)])
    return _solid(occ.extrude([(2, face)], 0, 0, rod.shank_width))


def pocket(rod: Rod, side: int) -> tuple[int, int]:
    """The pocket of the shank on one side (1: z > 0, -1: z < 0): two round ends and their tangents."""
    occ = gmsh.model.occ
    x_big, x_small = rod.big_end + 26.0, rod.length - rod.small_end - 16.0
    slope = (rod.big_height - rod.small_height) / 2 / rod.length
    r_big, r_small = (rod.big_height / 2 - slope * x - rod.flange for x in (x_big, x_small))
    turn = math.asin((r_big - r_small) / (x_small - x_big))
    floor, depth = side * rod.web / 2, side * (rod.shank_width - rod.web) / 2

    def place(x: float, y: float) -> int:
        return int(occ.addPoint(x, y, floor))

    def tangent_point(x: float, r: float, sign: int) -> int:
        return place(x + r * math.sin(turn), sign * r * math.cos(turn))

    corners = [tangent_point(x, r, sign) for x, r in ((x_big, r_big), (x_small, r_small)) for sign in (1, -1)]
    tips = place(x_big - r_big, 0), place(x_small + r_small, 0)
    centres = place(x_big, 0), place(x_small, 0)
    curves = [
        occ.addCircleArc(corners[1], centres[0], tips[0]),
        occ.addCircleArc(tips[0], centres[0], corners[0]),
        occ.addLine(corners[0], corners[2]),
        occ.addCircleArc(corners[2], centres[1], tips[1]),
        occ.addCircleArc(tips[1], centres[1], corners[3]),
        occ.addLine(corners[3], corners[1]),
    ]
    face = occ.addPlaneSurface([occ.addCurveLoop(curves)])
    return _solid(occ.extrude([(2, face)], 0, 0, depth))


def _solid(shapes: list[tuple[int, int]]) -> tuple[int, int]:
    return next(shape for shape in shapes if shape[0] == 3)


def cylinder(x: float, radius: float, width: float, angle: float = 2 * math.pi) -> tuple[int, int]:
    return 3, gmsh.model.occ.addCylinder(x, 0, -width / 2, 0, 0, width, radius, angle=angle)


def quarters(x: float, radius: float, width: float) -> list[tuple[int, int]]:
    """A cylinder of four pieces, each a quarter round."""
    pieces = [cylinder(x, radius, width, math.pi / 2) for _ in range(4)]
    for number, piece in enumerate(pieces):
        gmsh.model.occ.rotate([piece], x, 0, 0, 0, 0, 1, number * math.pi / 2)
    return pieces


def connecting_rod(rod: Rod) -> None:
    """The solid in the current gmsh model, with its named sets."""
    occ = gmsh.model.occ
    ends = [cylinder(0, rod.big_end, rod.big_width), cylinder(rod.length, rod.small_end, rod.small_width)]
    whole, _ = occ.fuse([shank(rod)], ends)
    bores = quarters(0, rod.big_bore, rod.big_width) + quarters(rod.length, rod.small_bore, rod.small_width)
    whole, _ = occ.cut(whole, [*bores, pocket(rod, 1), pocket(rod, -1)])
    size = rod.big_height + rod.small_height
    section = occ.addRectangle(-size / 2, -size / 2, 0, size, size)
    occ.rotate([(2, section)], 0, 0, 0, 0, 1, 0, math.pi / 2)
    occ.translate([(2, section)], rod.length / 2, 0, 0)
    # The section cuts the solid in two halves that share its face.
    occ.fragment(whole, [(2, section)])
    occ.synchronize()

    halves = [tag for _, tag in gmsh.model.getEntities(3)]
    faces = gmsh.model.getBoundary([(3, tag) for tag in halves], combined=False, oriented=False)
    shared = {tag for _, tag in faces if faces.count((2, tag)) == 2}
    outside = [shape for shape in gmsh.model.getEntities(2) if shape not in faces]
    occ.remove(outside, recursive=True)
    occ.synchronize()
    groups = {"bore_big": bore_faces(0, rod.big_bore), "bore_small": bore_faces(rod.length, rod.small_bore)}
    for name, tags in {**groups, "middle": sorted(shared)}.items():
        gmsh.model.addPhysicalGroup(2, tags, name=name)
    gmsh.model.addPhysicalGroup(3, halves, name="rod")


def bore_faces(x: float, radius: float) -> list[int]:
    """The four faces of a bore: nothing else lies within the cylinder."""
    found = []
    for _, tag in gmsh.model.getEntities(2):
        x0, y0, _, x1, y1, _ = gmsh.model.getBoundingBox(2, tag)
        if max(x - x0, x1 - x, -y0, y1) < radius + 1e-3:
            found.append(tag)
    return found


def mesh_bores(density: Density) -> None:
    """Regular meshes on the bores, whose nodes then have their centre on the axis to round-off."""
    mesh = gmsh.model.mesh
    for group in (1, 2):
        for face in gmsh.model.getEntitiesForPhysicalGroup(2, group):
            for _, curve in gmsh.model.getBoundary([(2, face)], oriented=False):
                _, _, z0, _, _, z1 = gmsh.model.getBoundingBox(1, curve)
                mesh.setTransfiniteCurve(curve, 1 + (density.across if z1 - z0 > 1 else density.around))
            mesh.setTransfiniteSurface(face)


def write_meshes(rod: Rod, name: str, folder: Path) -> list[Path]:
    """The mesh of one density in its formats."""
    gmsh.model.add(f"connecting_rod_{name}")
    connecting_rod(rod)
    density = DENSITIES[name]
    mesh_bores(density)
    gmsh.option.setNumber("Mesh.MeshSizeMax", density.size)
    gmsh.option.setNumber("Mesh.MeshSizeFromCurvature", 120 / density.size)
    gmsh.option.setNumber("Mesh.MeshSizeMin", density.size / 3)
    gmsh.model.mesh.generate(3)
    gmsh.model.mesh.setOrder(2)
    gmsh.option.setNumber("Mesh.Binary", 1)
    gmsh.option.setNumber("Mesh.SaveGroupsOfNodes", 1)
    gmsh.option.setNumber("Mesh.BdfFieldFormat", 0)  # commas: the shortest file; coordinates have eight characters
    gmsh.option.setNumber("Mesh.SaveElementTagType", 2)  # the property number of a .bdf is that of the named set
    paths = [folder / f"connecting_rod_{name}.{ending}" for ending in FORMATS[name]]
    for path in paths:
        # A name without its folder: an .inp quotes it.
        with contextlib.chdir(folder):
            gmsh.write(path.name)
    return paths


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    gmsh.initialize()
    gmsh.option.setNumber("General.Terminal", 0)
    for name in DENSITIES:
        for path in write_meshes(ROD, name, folder):
            nodes = len(gmsh.model.mesh.getNodesForPhysicalGroup(3, 4)[0])
            print(f"{path}: {nodes} nodes, {path.stat().st_size / 1e3:.0f} kB")
    gmsh.finalize()


if __name__ == "__main__":
    main()
