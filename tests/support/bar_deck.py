"""A bar of bricks as an Abaqus deck, and a model of it, small enough to be reduced in a moment."""

from __future__ import annotations

from pathlib import Path

MODEL = """
[model]
gravity = [0, 0, -9.81]
[parameters]
count = 2
[materials.alloy]
E = "70 GPa"
nu = 0.33
density = 2700
[bodies.bar]
mesh = "bar.inp"
unit = "m"
material = "alloy"
interfaces = ["root", "end=tip:rbe3"]
markers = { half = "middle" }
modes = "$count"
at = [1, 0, 0]
damping = { ratio = 0.01 }
[joints.hinge]
type = "revolute"
bodies = ["ground", "bar"]
at = [1, 0, 0]
axis = "y"
[sensors.sag]
deflection = "bar.half"
chord = ["bar.root", "bar.end"]
component = "z"
[analysis]
end = 0.01
step = 1e-3
"""
"""A hinged bar of the mesh bar.inp, which the model reduces itself"""


def write_bar(path: Path, cells: int = 4, length: float = 0.4, width: float = 0.04, nodes_in: str = "") -> Path:
    """Write a bar along x with the sets root, tip and middle (nodes) and bar (cells); nodes on request in another file.

    length, width : of the bar and of its square section [m]
    """
    half = width / 2.0
    corners = [(-half, -half), (half, -half), (half, half), (-half, half)]
    places = [(length * i / cells, y, z) for i in range(cells + 1) for y, z in corners]
    nodes = "\n".join(f"{k}, {x!r}, {y!r}, {z!r}" for k, (x, y, z) in enumerate(places, 1))
    bricks = [[4 * i + k for k in range(1, 9)] for i in range(cells)]
    rows = "\n".join(f"{i}, {', '.join(map(str, brick))}" for i, brick in enumerate(bricks, 1))
    sets = {"root": 0, "middle": cells // 2, "tip": cells}
    named = "".join(
        f"*NSET, NSET={name}\n{', '.join(str(4 * i + k) for k in range(1, 5))}\n" for name, i in sets.items()
    )
    if nodes_in:
        path.with_name(nodes_in).write_text(f"*NODE\n{nodes}\n")
    first = f"*INCLUDE, INPUT={nodes_in}" if nodes_in else f"*NODE\n{nodes}"
    path.write_text(f"*HEADING\nbar\n{first}\n*ELEMENT, TYPE=C3D8, ELSET=bar\n{rows}\n{named}")
    return path
