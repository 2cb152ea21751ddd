"""Writes the small meshes of this folder with the gmsh package: a sector of a ring, curved, in every kind and format.

Radius 10 .. 20, 1 rad, height 10. Groups: "body" and "second name" on the volume, "top" on z = 10, one without a name
on z = 0. Run it in this folder; the tests only read what it wrote.
"""

import gmsh

FORMATS = {"hex20": ("msh", "inp", "bdf", "vtk", "med", "unv"), "hex27": ("msh", "med")}
FORMATS |= {"tet10": (*FORMATS["hex20"], "mesh"), "wedge15": FORMATS["hex20"]}


def write_sector(kind: str) -> None:
    gmsh.clear()
    gmsh.model.add("sector")
    occ, is_tet = gmsh.model.occ, kind == "tet10"
    line = occ.addLine(occ.addPoint(10, 0, 0), occ.addPoint(20, 0, 0))
    layers = [] if is_tet or kind == "wedge15" else [2]
    flat = [entity for entity in occ.revolve([(1, line)], 0, 0, 0, 0, 0, 1, 1.0, layers, [], True) if entity[0] == 2]
    occ.extrude(flat, 0, 0, 10, [] if is_tet else [1], [], True)
    occ.synchronize()
    volumes = [tag for _, tag in gmsh.model.getEntities(3)]
    heights = {tag: occ.getCenterOfMass(2, tag)[2] for _, tag in gmsh.model.getEntities(2)}
    gmsh.model.addPhysicalGroup(3, volumes, 7, "body")
    gmsh.model.addPhysicalGroup(3, volumes, 8, "second name")
    gmsh.model.addPhysicalGroup(2, [tag for tag, z in heights.items() if z > 9.999], 5, "top")
    gmsh.model.addPhysicalGroup(2, [tag for tag, z in heights.items() if z < 1e-3], 6)
    for name, value in {"MeshSizeMin": 14, "MeshSizeMax": 14, "ElementOrder": 2, "SaveGroupsOfNodes": 1}.items():
        gmsh.option.setNumber(f"Mesh.{name}", value)
    gmsh.option.setNumber("Mesh.SecondOrderIncomplete", 0 if kind == "hex27" else 1)
    gmsh.model.mesh.generate(3)
    for ending in FORMATS[kind]:
        versions = [(2.2, 0), (2.2, 1), (4.0, 0), (4.1, 0), (4.1, 1)] if ending == "msh" else [(4.1, 0)]
        for version, binary in versions:
            gmsh.option.setNumber("Mesh.MshFileVersion", version)
            gmsh.option.setNumber("Mesh.Binary", binary)
            mark = f"_{version}_{'binary' if binary else 'text'}" if ending == "msh" else ""
            gmsh.write(f"sector_{kind}{mark}.{ending}")


if __name__ == "__main__":
    gmsh.initialize()
    gmsh.option.setNumber("General.Terminal", 0)
    for name in FORMATS:
        write_sector(name)
