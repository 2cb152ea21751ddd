"""The round connecting rod of the spatial slider-crank as tet10 and as hex20 mesh.

    python meshes/make_round_rod.py [folder]

Length 300 mm along x, diameter 6 mm, in metres. Named sets: `start` (x = 0), `middle` (x = 150 mm), `end` (x = 300 mm),
each a whole cross-section, and `rod`, all of it. Both meshes are extruded from a meshed disc, so that sections are
plane faces of the mesh with their centre on the axis; nodes between the corners lie on the circle.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import gmsh

LENGTH, RADIUS = 300.0, 3.0
"""[mm]"""
SECTORS = 12
"""Cells around the circle"""
CORE = 0.55
"""Half diagonal of the inner square of the disc of quadrilaterals, as part of the radius"""


def sectors() -> list[int]:
    """Surfaces of the disc at x = 0 for tetrahedra: a triangle with a curved side for every sector."""
    geo = gmsh.model.geo
    centre = geo.addPoint(0, 0, 0)
    rim = [rim_point(k / SECTORS) for k in range(SECTORS)]
    spokes = [geo.addLine(centre, point) for point in rim]
    arcs = [geo.addCircleArc(rim[k - 1], centre, rim[k]) for k in range(SECTORS)]
    for curve in spokes + arcs:
        geo.mesh.setTransfiniteCurve(curve, 2)
    loops = [[spokes[k - 1], arcs[k], -spokes[k]] for k in range(SECTORS)]
    return [geo.addPlaneSurface([geo.addCurveLoop(loop)]) for loop in loops]


def square_and_ring() -> list[int]:
    """Surfaces of the disc at x = 0 for hexahedra: a square core and four quadrangles around it."""
    geo = gmsh.model.geo
    centre = geo.addPoint(0, 0, 0)
    rim = [rim_point((k + 0.5) / 4) for k in range(4)]
    inner = [rim_point((k + 0.5) / 4, CORE) for k in range(4)]
    arcs = [geo.addCircleArc(rim[k], centre, rim[(k + 1) % 4]) for k in range(4)]
    sides = [geo.addLine(inner[k], inner[(k + 1) % 4]) for k in range(4)]
    spokes = [geo.addLine(inner[k], rim[k]) for k in range(4)]
    for curves, cells in ((arcs, SECTORS // 4), (sides, SECTORS // 4), (spokes, 1)):
        for curve in curves:
            geo.mesh.setTransfiniteCurve(curve, cells + 1)
    loops = [sides] + [[spokes[k], arcs[k], -spokes[(k + 1) % 4], -sides[k]] for k in range(4)]
    surfaces = [geo.addPlaneSurface([geo.addCurveLoop(loop)]) for loop in loops]
    for surface in surfaces:
        geo.mesh.setTransfiniteSurface(surface)
        geo.mesh.setRecombine(2, surface)
    return surfaces


def rim_point(turn: float, part: float = 1.0) -> int:
    """A point of the disc at x = 0, by its angle in turns and its radius as part of the rod's."""
    radius, angle = part * RADIUS, 2 * math.pi * turn
    return int(gmsh.model.geo.addPoint(0, radius * math.cos(angle), radius * math.sin(angle)))


def make_rod(name: str, hexahedra: bool, layers: int, folder: Path) -> Path:
    """One mesh file of the rod with an even number of layers of cells."""
    gmsh.model.add(name)
    geo, mesh = gmsh.model.geo, gmsh.model.mesh
    sections, volumes = [square_and_ring() if hexahedra else sectors()], []
    for _half in range(2):
        swept = geo.extrude(
            [(2, s) for s in sections[-1]], LENGTH / 2, 0, 0, numElements=[layers // 2], recombine=hexahedra
        )
        # Of every surface swept come its copy, its volume and its sides, in this order.
        starts = [k for k, (dimension, _) in enumerate(swept) if dimension == 3]
        sections.append([swept[k - 1][1] for k in starts])
        volumes += [swept[k][1] for k in starts]
    geo.synchronize()
    for surfaces, place in zip(sections, ("start", "middle", "end"), strict=True):
        gmsh.model.addPhysicalGroup(2, surfaces, name=place)
    gmsh.model.addPhysicalGroup(3, volumes, tag=4, name="rod")

    gmsh.option.setNumber("Mesh.SecondOrderIncomplete", 1)
    mesh.generate(3)
    mesh.setOrder(2)
    gmsh.option.setNumber("Mesh.ScalingFactor", 1e-3)
    gmsh.option.setNumber("Mesh.Binary", 1)
    path = folder / f"{name}.msh"
    gmsh.write(str(path))
    return path


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    gmsh.initialize()
    gmsh.option.setNumber("General.Terminal", 0)
    for name, hexahedra, layers in [("round_rod_tet10", False, 80), ("round_rod_hex20", True, 40)]:
        path = make_rod(name, hexahedra, layers, folder)
        nodes = len(gmsh.model.mesh.getNodesForPhysicalGroup(3, 4)[0])
        print(f"{path}: {nodes} nodes, {path.stat().st_size / 1e3:.0f} kB")
    gmsh.finalize()


if __name__ == "__main__":
    main()
