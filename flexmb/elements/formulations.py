"""Elements of a deck that flexmb computes by another formulation: reduced integration, hybrid elements, trusses.

Input: element types of the file (Abaqus names, Nastran cards with the flags of PSOLID) and the choice for hex8.
Output: losses with the sentence and what to do. flexmb integrates all solid cells fully; hex8 have incompatible modes
unless `full` is chosen, shells assumed strains. Sources: Abaqus, element naming convention; MSC Nastran Quick Reference
Guide, PSOLID.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from flexmb.mesh.losses import Loss

_ABAQUS = re.compile(r"(DC3D|AC3D|C3D)(\d+)(\D*)")
_NASTRAN = re.compile(r"(CHEXA|CPENTA|CTETRA|CPYRAM)(\d+)(?: with (.*))?")
_TRUSS = re.compile(r"T[23]D\d.*|CROD|CTUBE")
_SHELL = re.compile(r"(?:S\d|STRI6)(R?)(5?).*")
_FLAT = re.compile(r"(CPS|CPE|CPEG|CAX|DS|DC2D|DCAX|R3D)\d.*")
_OTHER_BEAM = re.compile(r"B[23][12].*|PIPE.*|F3D.*|CBEAM3")


def other_formulations(elements: Mapping[str, int], hex8: str, trusses: bool = False) -> Iterator[Loss]:
    """Losses of the element types that are computed in another way than the deck's program does.

    trusses : whether trusses are computed as such
    """
    for word, count in elements.items():
        if trusses and _TRUSS.fullmatch(word):
            continue
        level, text = _difference(word, hex8)
        if text:
            yield Loss("formulation", f"{count:,} {word} {text}", count, level)


def _difference(word: str, hex8: str) -> tuple[str, str]:
    """Level and text of the difference; empty if there is none."""
    if match := _ABAQUS.fullmatch(word):
        return "care", _abaqus(match.group(1), int(match.group(2)), match.group(3), hex8)
    if match := _NASTRAN.fullmatch(word):
        return _nastran(match.group(1), int(match.group(2)), match.group(3) or "", hex8)
    if _TRUSS.fullmatch(word):
        return "care", "are trusses without bending, and are computed as beams with the section of --section"
    if match := _SHELL.fullmatch(word):
        reduced = (
            "have reduced integration" if match.group(1) else "have five unknowns a node" if match.group(2) else ""
        )
        return "note", f"{reduced}, and are computed with assumed strains (MITC)" if reduced else ""
    if _FLAT.fullmatch(word):
        return "care", "are no shells (plane, axisymmetric or rigid elements, or heat), and are computed as shells"
    if _OTHER_BEAM.fullmatch(word):
        return "note", "are computed as straight beams that are exact in bending under end loads"
    return "note", ""


def _abaqus(family: str, nodes: int, letters: str, hex8: str) -> str:
    if family != "C3D":
        what = "heat conduction" if family == "DC3D" else "acoustics"
        return f"are elements of {what}, and are computed as elastic solids"
    if "R" in letters:
        remedy = "" if nodes != 8 else " with incompatible modes" if hex8 == "incompatible" else " and lock in bending"
        return f"have reduced integration, and are computed with full integration{remedy}"
    if "H" in letters:
        return "are hybrid (with pressure unknowns), and are computed by displacements alone"
    if nodes == 8 and "I" in letters and hex8 == "full":
        return "have incompatible modes, and are computed without: leave out --hex8 full"
    if nodes == 8 and "I" not in letters and hex8 != "full":
        return "are fully integrated, and are computed with incompatible modes: give --hex8 full for those of the deck"
    if set(letters) & set("MVTPE") or (nodes != 8 and "I" in letters):
        return "are a modified or coupled element, and are computed as the plain one of the same nodes"
    return ""


def _nastran(card: str, nodes: int, flags: str, hex8: str) -> tuple[str, str]:
    if "PFLUID" in flags:
        return "care", "are a fluid, and are computed as an elastic solid"
    given = dict(part.split("=", 1) for part in flags.split(", ")) if flags else {}
    rule, shear = given.get("IN", "").upper(), given.get("ISOP", "").upper()
    if card == "CHEXA" and nodes == 8:
        plain = shear in ("1", "FULL")
        if plain == (hex8 == "full") and rule not in ("3", "THREE", "1", "ONE"):
            return "note", ""
        own = "are fully integrated" if plain else "have bubble functions or reduced shear"
        mine = "without incompatible modes" if hex8 == "full" else "with incompatible modes"
        remedy = ": give --hex8 full for those of the deck" if plain and hex8 != "full" else ""
        return "care", f"{own}, and are computed fully integrated {mine}{remedy}"
    full = shear in ("1", "FULL") and (card != "CHEXA" or rule in ("3", "THREE"))
    if flags and not full:
        return "care", "have their own integration rule, and are computed with full integration"
    if not flags and (nodes in (15, 20) or nodes == 6):
        return "note", "have reduced integration or bubble functions by default, and are computed with full integration"
    return "note", ""
