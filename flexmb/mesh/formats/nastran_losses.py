"""Cards of Nastran bulk data that a mesh does not hold: masses, springs, ties, supports, properties of elements.

Input: all cards that `nastran.py` does not read as nodes, elements or systems. Output: the losses, and the name of an
element with its flags of integration (PSOLID), from which `elements/formulations.py` knows its formulation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress

from flexmb.mesh.formats.nastran_cards import real
from flexmb.mesh.formats.nastran_connections import KINDS
from flexmb.mesh.formats.nastran_deck import DeckCards
from flexmb.mesh.losses import Loss

_LOST = {
    "masses": ("CONM", "CMASS", "NSM"),
    "springs": ("CELAS", "CBUSH", "CGAP", "CWELD", "CFAST", "CSEAM", "GENEL"),
    "dampers": ("CDAMP", "CVISC"),
    "ties": ("RBAR", "RBE1", "RROD", "RTRPLT", "RSPLINE", "RSSCON", "RJOINT", "MPC", "BGSET", "BCTABLE", "BCONTACT"),
    "bars": ("CONROD", "CBEND"),
    "shells": ("CSHEAR", "CQUADX", "CTRIAX", "CSHELL"),
    "matrices": ("DMIG", "CSUPER", "CSUPEXT", "SEELT"),
}
"""Kind of loss -> beginnings of its cards"""
_NOT_LOST = (
    *(
        "CORD",
        "CSET",
        "CYAX",
        "CYJOIN",
        "CYSUP",
        "CAERO",
        "CBARAO",
        "CLOAD",
        "CONV",
        "CREEP",
        "CHB",
        "CSSCHD",
        "CMFREE",
    ),
    *("MPCADD", "CONTRLT", "CTABLE", "CMETHOD"),
)
_WHY = {
    "masses": "point masses are not supported: add a rigid body with this mass to the model",
    "springs": "springs and connectors are not supported: add them as forces to the model",
    "dampers": "dampers are not supported: add them as forces to the model, or use --damping",
    "ties": "ties inside a body are not supported: merge the nodes, or tie them by --interface",
    "bars": "these elements are not supported",
    "shells": "shells are not supported: mesh the part with solid cells",
    "matrices": "matrices and superelements in the bulk data are not read",
    "elements": "their type is not known to flexmb",
    "cyclic": "the file holds one sector of a cyclic part: the body is that sector only",
}
_SOLIDS = ("CTETRA", "CPENTA", "CHEXA", "CPYRAM", "CPYRA")
_BARS = ("PBAR", "PBARL", "PBEAM", "PBEAML", "PBCOMP", "PROD", "PTUBE", "PBEAM3", "PBEND")
_SHELLS = ("PSHELL", "PCOMP", "PCOMPG", "PSHEAR", "PLPLANE")
_ANISOTROPIC = ("MAT2", "MAT3", "MAT8", "MAT9", "MAT11")


class LostCards:
    """Collects what is left out."""

    def __init__(self) -> None:
        self.cards: dict[str, Counter[str]] = {}
        self.masses: dict[str, float | None] = {}
        """Card -> sum of its point masses in the unit of the file; None: not known"""
        self.supports = 0
        self.ties: dict[str, list[str]] = {}
        """Card of rigid elements -> names of their node sets"""
        self.solids: dict[int, tuple[int, str]] = {}
        """PSOLID -> material, flags of integration"""
        self.sections: dict[int, int] = {}
        """Property of bars -> material"""
        self.shells: set[int] = set()
        self.materials: dict[int, tuple[str, ...]] = {}
        self.bars: Counter[str] = Counter()
        """Bars with "orientation", "offsets" or "releases" """

    def read(self, card: list[str]) -> None:
        """Take note of a card; one that cannot be read concerns no node and no cell."""
        with suppress(ValueError, IndexError):
            self._read(card)

    def _read(self, card: list[str]) -> None:
        name = card[0]
        if name == "PSOLID":
            values = [*card[2:8], *[""] * 6]
            flags = [
                f"{key}={value}" for key, value in zip(("IN", "ISOP"), (values[2], values[4]), strict=True) if value
            ]
            fluid = ["FCTN=PFLUID"] if values[5].upper() == "PFLUID" else []
            self.solids[int(card[1])] = (_whole(values[0]), ", ".join([*flags, *fluid]))
        elif name in _BARS:
            self.sections[int(card[1])] = _whole(card[2]) if len(card) > 2 else 0
        elif name in _SHELLS:
            self.shells.add(int(card[1]))
        elif name == "MAT1" or name in _ANISOTROPIC:
            self.materials[int(card[1])] = (name, *(f"{real(text):.9g}" for text in card[2:6]))
        elif name in ("SPC", "SPC1", "SPCR"):
            self.supports += 1
        elif not name.startswith(_NOT_LOST):
            self._count(card)

    def _count(self, card: list[str]) -> None:
        name = card[0]
        kind = next((kind for kind, words in _LOST.items() if name.startswith(words)), "")
        if name == "CYSYM":
            kind = "cyclic"
        elif not kind and name[0] == "C" and len(card) > 3:
            kind = "elements"
        if kind:
            self.cards.setdefault(kind, Counter())[name] += 1
        if kind == "masses":
            place = {"CONM2": 4, "CONM1": 4, "CMASS2": 2, "CMASS4": 2}.get(name)
            before = self.masses.get(name, 0.0)
            known = place is not None and len(card) > place and card[place] and before is not None
            self.masses[name] = before + real(card[place]) if known else None  # type: ignore[operator,index]

    def bar(self, card: list[str]) -> None:
        """Take note of what CBAR and CBEAM have beyond two nodes: section axes, pins, offsets."""
        fields = [*card, *[""] * 18]
        for word, part in (("orientation", fields[5:8]), ("releases", fields[9:11]), ("offsets", fields[11:17])):
            if any(text.strip("0.+-") for text in part) or (word == "orientation" and any(part)):
                self.bars[word] += 1

    def element(self, name: str, nodes: int, number: int) -> str:
        """The name of elements of a property, with their flags of integration: "CHEXA8 with IN=3"."""
        if name not in _SOLIDS:
            return name
        flags = self.solids.get(number, (0, ""))[1]
        return f"{name}{nodes}{f' with {flags}' if flags else ''}"

    def losses(self, used: Iterable[int], deck: DeckCards) -> Iterator[Loss]:
        """The losses; used : properties of the cells that were read, deck : what was read of these cards."""
        left = deck.left()
        for kind, counts in self.cards.items():
            for in_deck in dict.fromkeys(KINDS.get(name, "") for name in counts):
                part = Counter({name: n for name, n in counts.items() if KINDS.get(name, "") == in_deck})
                yield self._count_loss(kind, part, in_deck, left)
        for name, sets in self.ties.items():
            shown = ", ".join(sets[:5]) + (", ..." if len(sets) > 5 else "")
            text = f"{len(sets):,} {name} left out: their nodes are the sets {shown}; tie them by --interface"
            yield Loss("ties", text, len(sets), sets=tuple(sets), deck="ties", left=tuple(left.pop(name, ())))
        yield from self._property_losses(set(used))
        if self.supports:
            text = (
                f"{self.supports:,} SPC cards left out: the body is free, and joints of the model hold it. If they are "
            )
            text += "symmetry conditions, the rest of the part is missing"
            broken = (*left.pop("SPC", ()), *left.pop("SPC1", ()))
            yield Loss("supports", text, self.supports, "note", deck="supports", left=broken)
        others = tuple(reason for reasons in left.values() for reason in reasons)
        if others:
            yield Loss("sections", "properties or materials of the file cannot be used", len(others), left=others)

    def _count_loss(self, kind: str, counts: Counter[str], in_deck: str, left: dict[str, list[str]]) -> Loss:
        words = ", ".join(f"{number:,} {name}" for name, number in counts.items())
        masses = [self.masses.get(name) for name in counts] if kind == "masses" else [None]
        mass = None if None in masses else sum(value for value in masses if value is not None)
        total = "" if not mass else f" with a total mass of {mass:.6g} in the units of the file"
        level = "bad" if kind in ("shells", "bars", "elements", "matrices", "cyclic") else "care"
        kept = "geometry" if kind == "cyclic" else kind
        broken = tuple(reason for name in counts for reason in left.pop(name, ()))
        text = f"{words}{total} left out: {_WHY[kind]}"
        return Loss(kept, text, counts.total(), level, mass=mass, deck=in_deck, left=broken)

    def _property_losses(self, used: set[int]) -> Iterator[Loss]:
        numbers = [self.solids[pid][0] for pid in used if pid in self.solids]
        numbers += [self.sections[pid] for pid in used if pid in self.sections]
        materials = {self.materials[number] for number in numbers if number in self.materials}
        if len(materials) > 1:
            text = f"the file has {len(materials)} materials: give each cell set its own by --material SET=..."
            yield Loss("materials", text, len(materials), deck="materials")
        if other := sorted({values[0] for values in materials} - {"MAT1"}):
            text = f"{', '.join(other)}: the file has anisotropic materials, and the body is isotropic"
            yield Loss("materials", text, len(other))
        sections = {pid for pid in used if pid in self.sections}
        if len(sections) > 1:
            text = f"the bars of the file have {len(sections)} properties, and all got the section of --section"
            yield Loss("sections", text, len(sections), deck="beams")
        why = {
            "orientation": "the section axes of {} bars were not read: give --y-axis, unless the section is round",
            "releases": "the released ends (PA, PB) of {} bars were not read: they are rigidly connected here",
            "offsets": "the offsets of {} bars were not read: their axes run from node to node here",
        }
        for word, count in self.bars.items():
            kind = "orientation" if word == "orientation" else "offsets"
            yield Loss(kind, why[word].format(f"{count:,}"), count, deck="beams")


def _whole(text: str) -> int:
    return int(text) if text.strip().isdigit() else 0
