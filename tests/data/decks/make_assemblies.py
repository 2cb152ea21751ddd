"""Assemblies that CalculiX and flexmb both read, spider_*.inp and plate_on_bar*.inp: python make_assemblies.py

Free bodies of steel in kg, m, N with *FREQUENCY: six rigid and ten elastic modes.
"""

from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent
HEX20 = [[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0], [0, 0, 2], [2, 0, 2], [2, 2, 2], [0, 2, 2]]
HEX20 += [[1, 0, 0], [2, 1, 0], [1, 2, 0], [0, 1, 0], [1, 0, 2], [2, 1, 2], [1, 2, 2], [0, 1, 2]]
HEX20 += [[0, 0, 1], [2, 0, 1], [2, 2, 1], [0, 2, 1]]
QUAD8 = [[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0], [1, 0, 0], [2, 1, 0], [1, 2, 0], [0, 1, 0]]
END = """*MATERIAL, NAME=STEEL
*ELASTIC
2.1e11, 0.3
*DENSITY
7850.0
*STEP
*FREQUENCY
16
*NODE FILE
U
*END STEP
"""


class Deck:
    def __init__(self, title):
        self.lines, self.n_nodes, self.n_elements = ["*HEADING", title], 0, 0

    def add(self, *lines):
        self.lines += lines

    def node(self, place, keyword="*NODE"):
        self.n_nodes += 1
        self.add(*([keyword] if keyword else []), f"{self.n_nodes}, " + ", ".join(f"{x:.10g}" for x in place))
        return self.n_nodes

    def grid(self, name, kind, corner, size, counts, corners, known=None):
        """Cells with these corners (in half steps for quadratic ones); returns the nodes by place"""
        step = int(np.max(corners))
        lows = step * np.stack(np.meshgrid(*(np.arange(n) for n in counts), indexing="ij"), -1).reshape(-1, 3)
        if kind.startswith("S"):
            lows = lows[lows[:, 2] == 0]
        cells = lows[:, None] + np.array(corners)
        places, numbers = np.unique(cells.reshape(-1, 3), axis=0, return_inverse=True)
        points = np.array(corner) + places / (step * np.array(counts)) * size
        by_place = {tuple(np.round(p, 9)): i for i, p in (known or {}).items()}
        found = {}
        self.add("*NODE")
        for number, place in enumerate(points):
            node = by_place.get(tuple(np.round(place, 9)))
            found[number] = self.node(place, "") if node is None else node
        self.add(f"*ELEMENT, TYPE={kind}, ELSET={name}")
        for cell in numbers.reshape(len(cells), -1):
            self.n_elements += 1
            words = [str(self.n_elements), *(str(found[number]) for number in cell)]
            lines = [", ".join(words[i : i + 16]) for i in range(0, len(words), 16)]
            self.add(",\n".join(lines))
        return {node: points[number] for number, node in found.items()}

    def set_where(self, name, nodes, condition):
        chosen = [str(i) for i, p in nodes.items() if condition(p)]
        self.add(f"*NSET, NSET={name}", *(", ".join(chosen[i : i + 12]) for i in range(0, len(chosen), 12)))

    def mass(self, node, value):
        self.n_elements += 1
        self.add("*ELEMENT, TYPE=MASS, ELSET=LUMP", f"{self.n_elements}, {node}", "*MASS, ELSET=LUMP", f"{value}")

    def write(self, name):
        (FOLDER / name).write_text("\n".join(self.lines) + "\n" + END)


def near(axis, value):
    return lambda p: abs(p[axis] - value) < 1e-9


def rigid():
    """Two bars of different cells whose facing ends are one spider, with a point mass at its centre"""
    deck = Deck("Own file: two bars on a rigid spider with a mass (kg, m, N)")
    a = deck.grid("A", "C3D20", (0, 0, 0), (0.3, 0.06, 0.04), (4, 1, 1), HEX20)
    b = deck.grid("B", "C3D8", (0.35, -0.01, 0), (0.25, 0.05, 0.06), (5, 2, 2), np.array(HEX20[:8]) // 2)
    centre = deck.node((0.325, 0.025, 0.02))
    deck.set_where("SPIDERA", a, near(0, 0.3))
    deck.set_where("SPIDERB", b, near(0, 0.35))
    deck.add("*NSET, NSET=SPIDER", "SPIDERA, SPIDERB")
    turn = deck.node((0.325, 0.025, 0.02))
    deck.add(f"*RIGID BODY, NSET=SPIDER, REF NODE={centre}, ROT NODE={turn}")
    deck.mass(centre, 0.8)
    deck.add("*SOLID SECTION, ELSET=A, MATERIAL=STEEL", "*SOLID SECTION, ELSET=B, MATERIAL=STEEL")
    deck.write("spider_rigid.inp")


def offset():
    """A bar with a point mass beside its end, which the end face carries by a kinematic coupling"""
    deck = Deck("Own file: bar with a mass beside its end on a kinematic coupling (kg, m, N)")
    deck.grid("A", "C3D20", (0, 0, 0), (0.3, 0.06, 0.04), (4, 1, 1), HEX20)
    centre = deck.node((0.36, 0.05, 0.03))
    deck.add("*SURFACE, NAME=END, TYPE=ELEMENT", "4, S4")
    deck.add(f"*COUPLING, REF NODE={centre}, SURFACE=END, CONSTRAINT NAME=SPIDER", "*KINEMATIC", "1, 3")
    deck.mass(centre, 0.8)
    deck.add("*SOLID SECTION, ELSET=A, MATERIAL=STEEL")
    deck.write("spider_offset.inp")


def shell(k, name):
    """A plate of shells on the upper face of a solid bar, with the same nodes there; it ends beyond the bar"""
    deck = Deck("Own file: plate of shells on a bar (kg, m, N)")
    bar = deck.grid("A", "C3D20", (0, 0, 0), (0.12, 0.06, 0.04), (4 * k, 2 * k, k), HEX20)
    deck.grid("P", "S8R", (0, 0, 0.04), (0.3, 0.06, 1), (10 * k, 2 * k, 1), QUAD8, known=bar)
    deck.add("*SOLID SECTION, ELSET=A, MATERIAL=STEEL", "*SHELL SECTION, ELSET=P, MATERIAL=STEEL", "0.006")
    deck.write(name)


if __name__ == "__main__":
    rigid()
    offset()
    shell(1, "plate_on_bar.inp")
    shell(2, "plate_on_bar_fine.inp")
