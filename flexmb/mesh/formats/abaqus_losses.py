"""Keywords of Abaqus and CalculiX that a mesh does not hold: masses, springs, ties, supports, sections, materials.

Input: all keyword blocks of a file. Output: the losses of its import.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import suppress

from flexmb.mesh.formats.abaqus_connections import KINDS
from flexmb.mesh.formats.abaqus_text import Block
from flexmb.mesh.losses import Loss

_ELEMENTS = {
    "masses": ("MASS", "ROTARYI"),
    "springs": ("SPRING", "CONN", "GAP", "JOINT", "ITT"),
    "dampers": ("DASHPOT",),
    "ties": ("DCOUP", "DIST", "RB2D", "RB3D", "RAX"),
    "elements": ("U",),
}
"""Kind of loss -> beginnings of element types that are not cells"""
_KEYWORDS = {
    "masses": ("NONSTRUCTURAL MASS",),
    "ties": (
        *(
            "TIE",
            "MPC",
            "EQUATION",
            "COUPLING",
            "KINEMATIC COUPLING",
            "DISTRIBUTING COUPLING",
            "RIGID BODY",
            "FASTENER",
        ),
        *("EMBEDDED ELEMENT", "SHELL TO SOLID COUPLING", "CONTACT PAIR", "CONTACT", "PRE-TENSION SECTION", "RELEASE"),
    ),
    "matrices": ("MATRIX INPUT", "SUBSTRUCTURE PROPERTY", "SUBSTRUCTURE PATH"),
    "geometry": ("IMPERFECTION", "CYCLIC SYMMETRY MODEL", "SYMMETRIC MODEL GENERATION", "MODEL CHANGE"),
    "supports": ("BOUNDARY",),
}
_WHY = {
    "masses": "masses are not supported: add a rigid body with this mass to the model",
    "springs": "springs and connectors are not supported: add them as forces to the model",
    "dampers": "dampers are not supported: add them as forces to the model, or use --damping",
    "ties": "ties and contact inside a body are not supported: merge the nodes, or tie them by --interface",
    "elements": "their type is not known to flexmb",
    "matrices": "matrices and substructures are not read",
    "geometry": "the file changes its part by this, and flexmb reads the part without it",
    "supports": "the body is free, and joints of the model hold it. If these are symmetry conditions, the rest of the "
    "part is missing",
}
_LEVELS = {"elements": "bad", "matrices": "bad", "geometry": "bad", "supports": "note"}
_SHELL_SECTIONS = ("SHELL SECTION", "SHELL GENERAL SECTION", "MEMBRANE SECTION")
_BEAM_SECTIONS = ("BEAM SECTION", "BEAM GENERAL SECTION", "FRAME SECTION", "PIPE SECTION")


class LostKeywords:
    """Collects what is left out."""

    def __init__(self) -> None:
        self.counts: dict[str, Counter[str]] = {}
        self.tied: list[str] = []
        """Sets and surfaces of couplings and rigid bodies"""
        self.masses: dict[str, float] = {}
        """Element set -> mass of each of its elements"""
        self.mass_elements: Counter[str] = Counter()
        self.has_springs = False
        self.solid_sections: dict[str, str] = {}
        """Upper-case element set -> material"""
        self.beam_sections: list[str] = []
        self.has_shell_section = False
        self.oriented = 0
        self.materials: dict[str, list[str]] = {}
        """Upper-case name -> data of elasticity and density"""
        self._material = ""

    def element(self, block: Block, count: int) -> None:
        """Take note of elements that are not cells."""
        word, name = block.name("TYPE").upper(), block.name("ELSET").upper()
        kind = next((kind for kind, words in _ELEMENTS.items() if word.startswith(words)), "elements")
        if word.startswith("HEATCAP"):
            return
        self.counts.setdefault(kind, Counter())[word] += count
        if word.startswith("MASS"):
            self.mass_elements[name] += count

    def read(self, block: Block) -> None:
        """Take note of a keyword."""
        word = block.word
        if word == "MATERIAL":
            self._material = block.name("NAME").upper()
            self.materials[self._material] = []
        elif word in ("ELASTIC", "DENSITY", "HYPERELASTIC") and self._material in self.materials:
            kind = block.name("TYPE").upper()
            kind = "" if kind in ("", "ISOTROPIC", "ISO") else kind
            lines = ["".join(line.split()).upper().rstrip(",") for line in block.lines]
            self.materials[self._material] += [f"{word} {kind}".strip(), *lines]
        elif word == "SOLID SECTION":
            self.solid_sections[block.name("ELSET").upper()] = block.name("MATERIAL").upper()
        elif word in _BEAM_SECTIONS:
            data = [block.name(key).upper() for key in ("SECTION", "MATERIAL")]
            self.beam_sections.append(" ".join([*data, *block.lines[:1]]))
            self.oriented += len(block.lines) > 1
        elif word == "SPRING":
            self.has_springs = True
        elif word in _SHELL_SECTIONS:
            self.has_shell_section = True
        elif word == "MASS" and block.lines:
            with suppress(ValueError):
                self.masses[block.name("ELSET").upper()] = float(block.lines[0].split(",")[0])
        else:
            self._count(block)

    def _count(self, block: Block) -> None:
        for kind, words in _KEYWORDS.items():
            if block.word in words:
                self.counts.setdefault(kind, Counter())[f"*{block.word}"] += 1
                self.tied += [name for key in ("SURFACE", "TIE NSET", "PIN NSET", "NSET") if (name := block.name(key))]

    def has_section(self, kind: str, element: str, name: str) -> bool:
        """Whether shells or lines of an element set have stiffness and mass: a section in this file."""
        if kind.startswith(("tri", "quad")):
            return self.has_shell_section and element.startswith(("S", "M3D")) and not element.startswith("SFM")
        return name.upper() in self.solid_sections if element.startswith("T") else bool(self.beam_sections)

    def losses(self, unusable: list[tuple[str, str]]) -> Iterator[Loss]:
        """The losses of a whole file; unusable : keywords or element types that are not in the deck, and why."""
        left: dict[str, list[str]] = defaultdict(list)
        for word, reason in unusable:
            left[word].append(reason)
        for kind, counts in self.counts.items():
            for deck in dict.fromkeys(KINDS.get(word, "") for word in counts):
                part = Counter({word: count for word, count in counts.items() if KINDS.get(word, "") == deck})
                words = ", ".join(f"{number:,} {name}" for name, number in part.items())
                mass = self._mass() if kind == "masses" else None
                total = f" with a total mass of {mass:.6g} in the units of the file" if mass else ""
                sets = tuple(self.tied) if kind == "ties" and len(self.tied) >= counts.total() else ()
                text = f"{words}{total} left out: {_WHY[kind]}"
                level = _LEVELS.get(kind, "care")
                keys = (*part, *(["SPRING"] if deck == "springs" else []))
                broken = tuple(reason for word in keys for reason in left.pop(word, ()))
                empty = sum(n for name, n in self.mass_elements.items() if name not in self.masses)
                if "MASS" in part and empty:
                    broken += (f"{empty:,} MASS without *MASS",)
                if deck == "springs" and not self.has_springs:
                    broken += (f"{part.total():,} springs without *SPRING",)
                yield Loss(kind, text, part.total(), level, mass=mass, sets=sets, deck=deck, left=broken)
        yield from self._section_losses()
        others = tuple(reason for reasons in left.values() for reason in reasons)
        if others:
            yield Loss("sections", "sections or materials of the file cannot be used", len(others), left=others)

    def _mass(self) -> float | None:
        others = self.counts["masses"].total() - self.mass_elements.total()
        if others or any(name not in self.masses for name in self.mass_elements):
            return None
        return sum(count * self.masses[name] for name, count in self.mass_elements.items())

    def _section_losses(self) -> Iterator[Loss]:
        used = {name for name in self.solid_sections.values() if name in self.materials}
        data = {tuple(self.materials[name]) for name in used}
        if len(data) > 1:
            text = f"the file has {len(data)} materials ({', '.join(sorted(used)[:5])}): give each cell set its own by "
            yield Loss("materials", f"{text}--material SET=...", len(data), deck="materials")
        other = [name for name in sorted(used) if any(_is_other(line) for line in self.materials[name])]
        if other:
            text = (
                f"the material {', '.join(other[:5])} of the file is not isotropic and linear elastic, and the body is"
            )
            yield Loss("materials", text, len(other))
        if len(set(self.beam_sections)) > 1:
            text = f"the beams of the file have {len(set(self.beam_sections))} sections, and all got that of --section"
            yield Loss("sections", text, len(set(self.beam_sections)), deck="beams")
        if self.oriented:
            text = (
                f"the directions of {self.oriented} beam sections were not read: give --y-axis, unless they are round"
            )
            yield Loss("orientation", text, self.oriented, deck="beams")


def _is_other(line: str) -> bool:
    return line.startswith("HYPERELASTIC") or (line.startswith("ELASTIC") and line != "ELASTIC")
