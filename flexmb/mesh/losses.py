"""Losses of an import: parts of a mesh file that the body does not have, as data for the verdict on the body.

A reader or `mesh/build.py` records a `Loss` where it leaves something out; nothing that carries mass or stiffness may
be left out without one. The sentence gives the number, the share of all elements, and what to do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

LEVELS = ("bad", "care", "note")
"""Worst first: do not trust the body; trust it with care; to be known, no reason against it"""
_LARGE_SHARE = 0.1
"""Share of the elements from which on their loss is bad."""


@dataclass(frozen=True)
class Loss:
    """One kind of thing that was left out, or is computed in another way than the file says."""

    kind: str
    """"shells", "bars", "masses", "springs", "dampers", "ties", "supports", "matrices", "elements", "materials",
    "sections", "orientation", "offsets", "formulation", "geometry", "unit" or "mesh" """
    text: str
    count: int = 0
    level: str = "care"
    """One of LEVELS"""
    share: float | None = None
    """Part of all elements of the file; None: not known"""
    mass: float | None = None
    """Mass that was left out, in the unit of mass of the file; None: not known"""
    sets: tuple[str, ...] = ()
    """Node sets that ties hold: an interface on such a set does the same"""
    deck: str = ""
    """Kind of deck data (`deck.py`) that holds it: no loss where the assembly uses that kind; empty: nothing does"""
    left: tuple[str, ...] = ()
    """Entries that not even the deck holds, with their line and the reason"""

    def as_dict(self) -> dict[str, Any]:
        """The fields of a report."""
        return {key: getattr(self, key) for key in ("kind", "count", "share", "level", "text")}


def lost_elements(kind: str, words: str, count: int, total: int, why: str, deck: str = "") -> Loss:
    """Elements with mass or stiffness that were left out, of `total` in the file; never only a note."""
    share = count / total if total else 1.0
    level = "bad" if share >= _LARGE_SHARE else "care"
    text = f"{count:,} of {total:,} elements were left out ({percent(share)}): {words}; {why}"
    return Loss(kind, text, count, level, share, deck=deck)


def percent(share: float) -> str:
    """Share as text."""
    return f"{100.0 * share:.3g} %" if not 0.999 < share < 1.0 else f"{100.0 * share:.5g} %"


def without_used(losses: Iterable[Loss], uses: frozenset[str]) -> Iterator[Loss]:
    """The losses that remain where the assembly uses some kinds of deck data, with the entries that it cannot use."""
    for loss in losses:
        reasons = f"{'; '.join(loss.left[:3])}{f', and {len(loss.left) - 3} more' if len(loss.left) > 3 else ''}"
        if loss.deck not in uses:
            yield replace(loss, text=f"{loss.text} ({reasons})") if reasons else loss
        elif reasons:
            yield replace(loss, text=f"cannot be used: {reasons}", count=len(loss.left))


def in_order(losses: list[Loss]) -> list[Loss]:
    """The losses, worst first."""
    return sorted(losses, key=lambda loss: LEVELS.index(loss.level))
