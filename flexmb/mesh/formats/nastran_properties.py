"""Materials and properties of Nastran: MAT1, MAT2, MAT8, MAT9, PSOLID, PSHELL, PCOMP, PBAR, PBEAM, PROD and their kin.

Input: cards as fields. Output: materials of the deck, and properties by number, still without cells and without what
the element cards say (direction, offset, thickness at corners). In Nastran I1 bends in plane 1, which holds the y axis:
I1 = int y^2 dA is Iz here.
"""

from __future__ import annotations

from collections.abc import Callable
from math import radians

from flexmb.mesh.deck import (
    Anisotropic,
    BeamProperty,
    DeckMaterial,
    Isotropic,
    Lamina,
    Layer,
    PlaneAnisotropic,
    ShellProperty,
    SolidProperty,
)
from flexmb.mesh.formats.nastran_cards import Fields

SHAPES: dict[str, tuple[str, tuple[int, ...]]] = {
    "ROD": ("circle", (0,)),
    "TUBE": ("tube", (0, 1)),
    "BAR": ("rectangle", (1, 0)),
    "BOX": ("box", (1, 0, 2, 3)),
    "I": ("i", (0, 1, 2, 3, 4, 5)),
    "T": ("t", (1, 0, 3, 2)),
    "L": ("l", (1, 0, 3, 2)),
    "CHAN": ("channel", (1, 0, 2, 3)),
}
"""TYPE of PBARL and PBEAML -> shape of `elements/deck_sections.py`, place of each of its dimensions on the card"""


class Properties:
    """Collects materials and properties."""

    def __init__(self) -> None:
        self.materials: dict[str, DeckMaterial] = {}
        self.shells: dict[int, ShellProperty] = {}
        self.beams: dict[int, BeamProperty] = {}
        self.solids: dict[int, SolidProperty] = {}
        self.unread: list[tuple[str, str]] = []
        """Card of a property of which a part cannot be used, and the reason"""

    def read(self, fields: Fields) -> bool:
        """Take a card; False if it is no material or property of these."""
        reader = _READERS.get(fields.card[0])
        if reader is None:
            return False
        reader(self, fields)
        return True

    def _material(self, fields: Fields) -> None:
        name = fields.card[0]
        material: DeckMaterial
        if name == "MAT1":
            material = _isotropic(fields)
        elif name == "MAT8":
            material = Lamina(*fields.reals(2, 8))
        elif name == "MAT2":
            a, b, c, d, e, f = fields.reals(2, 7)
            material = PlaneAnisotropic(((a, b, c), (b, d, e), (c, e, f)), fields.real(8, 0.0))
        else:
            values = iter(fields.reals(2, 22))
            C = [[0.0] * 6 for _ in range(6)]
            for i in range(6):
                for j in range(i, 6):
                    C[i][j] = C[j][i] = next(values)
            material = Anisotropic(tuple(tuple(row) for row in C), fields.real(23, 0.0))
        self.materials[f"mat_{fields.whole(1)}"] = material

    def _solid(self, fields: Fields) -> None:
        number, system = fields.whole(1), fields.whole(3, 0)
        frame = "cell" if system == -1 else f"cord_{system}" if system else ""
        self.solids[number] = SolidProperty(f"pid_{number}", {}, _material_name(fields, 2), frame)

    def _shell(self, fields: Fields) -> None:
        number = fields.whole(1)
        bending = None if fields.text(4) == fields.text(2) else _material_name(fields, 4)
        if fields.text(4) == "-1":
            self.unread.append((fields.card[0], f"{fields.title}: plane strain"))
        if fields.whole(11, 0):
            self.unread.append((fields.card[0], f"{fields.title}: coupling of membrane and bending (MID4)"))
        self.shells[number] = ShellProperty(
            f"pid_{number}",
            {},
            _material_name(fields, 2),
            fields.real(3, 0.0),
            nsm=fields.real(8, 0.0),
            bending=bending,
            bending_ratio=fields.real(5, 1.0),
            shear_ratio=fields.real(7, 5.0 / 6.0),
        )

    def _laminate(self, fields: Fields) -> None:
        number, kind = fields.whole(1), fields.text(8)
        step, first = (8, 1) if fields.card[0] == "PCOMPG" else (4, 0)
        layers: list[Layer] = []
        for i in range(9 + first, len(fields.card), step):
            if not any(fields.text(i + k) for k in range(3)):
                continue
            last = layers[-1] if layers else None
            material = _material_name(fields, i) or (last.material if last else "")
            thickness = fields.real(i + 1, last.thickness if last else None)
            layers.append(Layer(material, thickness, radians(fields.real(i + 2, 0.0))))
        if not layers:
            raise ValueError
        if kind == "SYM":
            layers += reversed(layers)
        elif kind:
            self.unread.append((fields.card[0], f"{fields.title}: LAM={kind}"))
        total = sum(layer.thickness for layer in layers)
        offset = fields.real(2, -0.5 * total) + 0.5 * total
        nsm = fields.real(3, 0.0)
        self.shells[number] = ShellProperty(f"pid_{number}", {}, "", total, offset, tuple(layers), nsm=nsm)

    def _bar(self, fields: Fields) -> None:
        A, I1, I2, J, nsm = fields.reals(3, 7)
        K1, K2, I12 = fields.reals(17, 19)
        self._beam(fields, A=A, Iz=I1, Iy=I2, J=J, nsm=nsm, shear_y=K1, shear_z=K2, Iyz=I12)

    def _shaped(self, fields: Fields) -> None:
        word = fields.text(4)
        shape, order = SHAPES.get(word, ("", ()))
        count = len(order)
        if not shape:
            self.unread.append((fields.card[0], f"{fields.title}: the section {word or '(none)'}"))
            self._beam(fields, shape=word.lower() or "(none)")
            return
        sizes = tuple(fields.real(i) for i in range(9, 9 + count))
        dimensions = tuple(sizes[i] for i in order)
        self._beam(fields, shape=shape, dimensions=dimensions, nsm=fields.real(9 + count, 0.0))
        after = 9 + count + 1
        others = [fields.text(i) for i in range(after + 2, after + 2 + count)]
        if any(others) and [fields.real(after + 2 + i, sizes[i]) for i in range(count)] != list(sizes):
            self.unread.append((fields.card[0], f"{fields.title}: its taper"))

    def _tapered(self, fields: Fields) -> None:
        A, I1, I2, I12, J, nsm = fields.reals(3, 8)
        at = 17
        while fields.text(at) in ("YES", "YESA", "NO"):
            values = [fields.real(at + 2 + i, given) for i, given in enumerate((A, I1, I2, I12, J))]
            if values != [A, I1, I2, I12, J]:
                self.unread.append((fields.card[0], f"{fields.title}: its taper"))
            at += 16 if fields.text(at) == "YES" else 8
        shear = (fields.real(at, 1.0), fields.real(at + 1, 1.0))
        self._beam(fields, A=A, Iz=I1, Iy=I2, Iyz=I12, J=J, nsm=nsm, shear_y=shear[0], shear_z=shear[1])

    def _rod(self, fields: Fields) -> None:
        if fields.card[0] == "PTUBE":
            outer, wall = fields.real(3), fields.real(4, 0.0)
            inner = outer / 2.0 - wall if wall else 0.0
            sizes = (outer / 2.0, inner) if inner > 0.0 else (outer / 2.0,)
            shape = "tube" if inner > 0.0 else "circle"
            self._beam(fields, shape=shape, dimensions=sizes, nsm=fields.real(5, 0.0), is_truss=True)
            return
        self._beam(fields, A=fields.real(3, 0.0), J=fields.real(4, 0.0), nsm=fields.real(6, 0.0), is_truss=True)

    def _beam(self, fields: Fields, **values: object) -> None:
        number = fields.whole(1)
        self.beams[number] = BeamProperty(f"pid_{number}", {}, _material_name(fields, 2), **values)  # type: ignore[arg-type]


_READERS: dict[str, Callable[[Properties, Fields], None]] = {
    **dict.fromkeys(("MAT1", "MAT2", "MAT8", "MAT9"), Properties._material),
    "PSOLID": Properties._solid,
    "PSHELL": Properties._shell,
    **dict.fromkeys(("PCOMP", "PCOMPG"), Properties._laminate),
    "PBAR": Properties._bar,
    "PBEAM": Properties._tapered,
    **dict.fromkeys(("PBARL", "PBEAML"), Properties._shaped),
    **dict.fromkeys(("PROD", "PTUBE"), Properties._rod),
}


def _isotropic(fields: Fields) -> Isotropic:
    """MAT1: of E, G and nu two give the third; nu of zero if only one of E and G is given."""
    E, G, density = fields.real(2, 0.0), fields.real(3, 0.0), fields.real(5, 0.0)
    nu = fields.real(4, E / (2.0 * G) - 1.0 if E and G else 0.0)
    if nu <= -1.0:
        raise ValueError
    return Isotropic(E or 2.0 * G * (1.0 + nu), nu, G or E / (2.0 * (1.0 + nu)), density)


def _material_name(fields: Fields, i: int) -> str:
    number = fields.whole(i, 0)
    return f"mat_{number}" if number > 0 else ""
