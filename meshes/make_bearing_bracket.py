"""A bearing bracket as tet10 mesh: a foot with four bolt holes, and an upright plate with a bearing bore.

    python meshes/make_bearing_bracket.py [folder]

In millimetres: foot 120 x 80 x 10 in the plane z = 0, upright 80 x 10 x 70 at its edge y = 0. Named sets: `bolt_1` to
`bolt_4` (surfaces of the bolt holes, axes along z), `bearing` (surface of the bore, axis along y), `bracket` (all).
"""

from __future__ import annotations

import sys
from pathlib import Path

import gmsh

BOLTS = [(15.0, 25.0), (105.0, 25.0), (15.0, 65.0), (105.0, 65.0)]
BOLT, BEARING = 4.5, 20.0
"""Radii [mm]"""
CENTRE = (60.0, 45.0)
"""x, z of the bore [mm]"""
SIZE = 12.0
"""Edge length of the cells [mm]"""


def make(folder: Path) -> None:
    """Write bearing_bracket.msh."""
    gmsh.initialize()
    gmsh.option.setNumber("General.Terminal", 0)
    occ = gmsh.model.occ
    foot = occ.addBox(0, 0, 0, 120, 80, 10)
    upright = occ.addBox(20, 0, 0, 80, 10, 70)
    whole, _ = occ.fuse([(3, foot)], [(3, upright)])
    holes = [(3, occ.addCylinder(x, y, -1, 0, 0, 12, BOLT)) for x, y in BOLTS]
    holes.append((3, occ.addCylinder(CENTRE[0], -1, CENTRE[1], 0, 12, 0, BEARING)))
    whole, _ = occ.cut(whole, holes)
    occ.synchronize()
    near = 0.1
    boxes = {f"bolt_{k + 1}": (x, y, 5.0, BOLT, BOLT, 5.0) for k, (x, y) in enumerate(BOLTS)}
    boxes["bearing"] = (CENTRE[0], 5.0, CENTRE[1], BEARING, 5.0, BEARING)
    for name, (x, y, z, a, b, c) in boxes.items():
        a, b, c = a + near, b + near, c + near
        faces = gmsh.model.getEntitiesInBoundingBox(x - a, y - b, z - c, x + a, y + b, z + c, 2)
        gmsh.model.addPhysicalGroup(2, [tag for _, tag in faces], name=name)
    gmsh.model.addPhysicalGroup(3, [tag for _, tag in whole], name="bracket")
    for option, value in (("MeshSizeMax", SIZE), ("MeshSizeFromCurvature", 12)):
        gmsh.option.setNumber(f"Mesh.{option}", value)
    gmsh.model.mesh.generate(3)
    gmsh.model.mesh.setOrder(2)
    gmsh.model.mesh.optimize("HighOrder")
    gmsh.option.setNumber("Mesh.Binary", 1)
    gmsh.write(str(folder / "bearing_bracket.msh"))
    gmsh.finalize()


if __name__ == "__main__":
    make(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
