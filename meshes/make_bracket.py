"""A bracket with two bores as STEP, made by the OpenCASCADE kernel of gmsh.

    python meshes/make_bracket.py [folder]

In millimetres: a plate of 80 x 40 x 10 from x = -20 to 60 with a bore of radius 8 about the z axis (face bore_big) and
one of radius 5 at x = 40 (bore_small). Its mesh was made by

    flexmb mesh make meshes/bracket.step --size 5mm -o meshes/bracket.msh
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import gmsh


def _name_bores(step: Path) -> None:
    """Name the two cylindrical faces as a CAD program does; gmsh writes no names."""
    text = step.read_text()
    bores = re.findall(r"#(\d+) = CYLINDRICAL_SURFACE", text)
    for name, surface in zip(("bore_big", "bore_small"), bores, strict=True):
        text = re.sub(rf"ADVANCED_FACE\(''(,\([^)]*\),#{surface},)", rf"ADVANCED_FACE('{name}'\1", text)
    text = re.sub(r"FILE_NAME\(.*?\);", "FILE_NAME('bracket','',(''),(''),'','','');", text, flags=re.DOTALL)
    step.write_text(text)


def main(folder: str = str(Path(__file__).parent)) -> None:
    """Write bracket.step."""
    gmsh.initialize()
    gmsh.option.setNumber("General.Terminal", 0)
    occ = gmsh.model.occ
    plate = (3, occ.addBox(-20, -20, -5, 80, 40, 10))
    bores = [(3, occ.addCylinder(x, 0, -5, 0, 0, 10, radius)) for x, radius in ((0, 8), (40, 5))]
    occ.cut([plate], bores)
    occ.synchronize()
    step = Path(folder) / "bracket.step"
    gmsh.write(str(step))
    _name_bores(step)
    gmsh.finalize()


if __name__ == "__main__":
    main(*sys.argv[1:])
