"""A bent sheet as a mesh of shells in the format of Abaqus and CalculiX.

    python meshes/make_sheet_bracket.py [folder]

In millimetres: an upright of 60 x 150 in the plane x = 0 and a shelf of 60 x 100 at its upper edge, of quadrilaterals
with four nodes. Sets: `foot` (lower edge), `tip` (far edge of the shelf), `sheet` (all cells).
"""

from __future__ import annotations

import sys
from pathlib import Path

WIDTH, HEIGHT, DEPTH = 60.0, 150.0, 100.0
ACROSS, UP, OUT = 6, 15, 10
"""Number of cells"""


def main(folder: str = str(Path(__file__).parent)) -> None:
    """Write sheet_bracket.inp."""
    path = [(0.0, HEIGHT * i / UP) for i in range(UP + 1)] + [(DEPTH * (i + 1) / OUT, HEIGHT) for i in range(OUT)]
    lines = ["** bent sheet in mm, by make_sheet_bracket.py", "*NODE"]
    row = ACROSS + 1
    for i, (x, z) in enumerate(path):
        lines += [f"{row * i + j + 1}, {x:g}, {WIDTH * (j / ACROSS - 0.5):g}, {z:g}" for j in range(row)]
    lines.append("*ELEMENT, TYPE=S4, ELSET=sheet")
    for i in range(len(path) - 1):
        for j in range(ACROSS):
            first = row * i + j + 1
            lines.append(f"{ACROSS * i + j + 1}, {first}, {first + 1}, {first + row + 1}, {first + row}")
    for name, begin in (("foot", 1), ("tip", row * (len(path) - 1) + 1)):
        lines += [f"*NSET, NSET={name}", ", ".join(str(begin + j) for j in range(row))]
    (Path(folder) / "sheet_bracket.inp").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
