"""Interfaces, markers and frame of a reduction in words, as the command line and the model file spell them.

bore_a    a=bore_a    pin=cylinder(0,0,0, 0,0,1, 10 mm):rbe3    clamped:bore_a    foot:z
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from flexmb.errors import Fault
from flexmb.reduction.attachments import HoldRequest
from flexmb.reduction.request import RIGID_OR_AVERAGED, TieRequest
from flexmb.suggestions import did_you_mean

_COMPONENT = re.compile("r[xyz]|[xyz1-6]")
_COMPONENTS = re.compile(f"(?:{_COMPONENT.pattern})+")
_DIGITS = dict(zip(("x", "y", "z", "rx", "ry", "rz"), "123456", strict=True))


def read_tie(
    word: str, tie: str, place: tuple[str | int, ...], faults: list[Fault], sets: Collection[str] = (), option: str = ""
) -> TieRequest | None:
    """The request of SET or NAME=SELECT, followed by :rbe2 or :rbe3 where it differs from `tie`; None if it is wrong.

    sets : names of node sets, for names that contain "=" or ":" themselves
    place, option : of the word, for messages; option with a space behind it
    """
    text, own_tie = word.strip(), tie
    if text not in sets:
        text, own_tie = _split_tie(text, tie, place, faults)
    name, select = text, text
    at = -1 if text in sets else _outside(text, "=")
    if at >= 0:
        name, select = text[:at].strip(), text[at + 1 :].strip()
    if not name or not select:
        faults.append(Fault("expected a name and a selection.", place, f"Write {option}NAME=SET."))
    elif at < 0 and "(" in text and text not in sets:
        faults.append(Fault("a selection needs a name.", place, f"Write {option}'NAME={text}'."))
    else:
        return TieRequest(name, select, own_tie)
    return None


def _split_tie(text: str, tie: str, place: tuple[str | int, ...], faults: list[Fault]) -> tuple[str, str]:
    """Selection and tie of "SELECT:rbe3"; text after ":" that resembles neither tie belongs to the name."""
    at = _outside(text, ":", last=True)
    word = text[at + 1 :].strip().lower()
    if at < 0 or tie == "follower":
        return text, tie
    if word in RIGID_OR_AVERAGED:
        return text[:at].strip(), word
    if word.startswith("rb"):
        hint = did_you_mean(word, RIGID_OR_AVERAGED, "Choices")
        faults.append(Fault(f"'{word[:60]}' is not a tie.", place, hint))
        return text[:at].strip(), tie
    return text, tie


def _outside(text: str, sign: str, last: bool = False) -> int:
    """Index of the first (or last) `sign` outside brackets; -1 if there is none."""
    depth, found = 0, -1
    for at, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if character == sign and depth <= 0 and (last or found < 0):
            found = at
    return found


def read_hold(word: str, sets: Collection[str] = ()) -> HoldRequest:
    """SET or SET:COMPONENTS such as "foot:z", "foot:xrz"; also digits 1 to 6 as in decks."""
    text = word.strip()
    at = -1 if text in sets else _outside(text, ":", last=True)
    components = text[at + 1 :].strip().lower()
    if at < 0 or not _COMPONENTS.fullmatch(components):
        return HoldRequest(text)
    found = {_DIGITS.get(part, part) for part in _COMPONENT.findall(components)}
    return HoldRequest(text[:at].strip(), "".join(sorted(found)))


def read_frame(word: str, interfaces: Sequence[TieRequest]) -> str:
    """ "clamped:NAME" as "clamped NAME"; the only interface need not be named."""
    kind, _, name = word.strip().replace("=", ":", 1).partition(":")
    if kind.strip() == "clamped" and not name.strip() and len(interfaces) == 1:
        name = interfaces[0].name
    return f"{kind.strip()} {name.strip()}".strip()
