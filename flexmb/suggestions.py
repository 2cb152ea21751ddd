"""Suggestions of valid names: the last sentence of many error messages."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import islice

_MOST_SHOWN = 12
_MOST_COMPARED = 200_000
"""Names that the misspelt names of one model are compared with: some seconds, and far more than people misspell"""
_left: ContextVar[list[int] | None] = ContextVar("comparisons left", default=None)


@contextmanager
def bounded() -> Iterator[None]:
    """Inside, misspelt names are compared with so many names in all; after that, only with the first of a list."""
    before = _left.set([_MOST_COMPARED])
    try:
        yield
    finally:
        _left.reset(before)


def _considered(choices: Iterable[str]) -> list[str]:
    left = _left.get()
    most = None if left is None else max(left[0], _MOST_SHOWN + 1)
    names = list(dict.fromkeys(map(str, islice(choices, most))))
    if left is not None:
        left[0] -= len(names)
    return names


def nearest(word: str, choices: Iterable[str], most: int = 1) -> list[str]:
    """The nearest of `choices`; none if none is near."""
    return _nearest(word, _considered(choices), most)


def _nearest(word: str, names: list[str], most: int = 1) -> list[str]:
    word = word[:100]
    near = difflib.get_close_matches(word, names, most, 0.6)
    if not near and len(word) > 1:
        near = [name for name in names if name.lower().startswith(word.lower())]
    if not near:
        lower = {name.lower(): name for name in names}
        near = [lower[match] for match in difflib.get_close_matches(word.lower(), lower, most, 0.6)]
    return near[:most]


def meant(near: Iterable[str]) -> str:
    """The question whether one of these names was meant; empty without names."""
    listed = " or ".join(f"'{name}'" for name in near)
    return f"Did you mean {listed}?" if listed else ""


def did_you_mean(word: str, choices: Iterable[str], what: str = "Known") -> str:
    """A sentence with the nearest of `choices`, or with all of them when none is near."""
    names = _considered(choices)
    if near := _nearest(word, names):
        return meant(near)
    if not names:
        return f"{what}: none."
    more = ", ..." if len(names) > _MOST_SHOWN else ""
    return f"{what}: {', '.join(names[:_MOST_SHOWN])}{more}."


def clipped(value: object, width: int = 60) -> str:
    """A short, safe form of an input value for a message."""
    if isinstance(value, (list, tuple)):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return f"a table with {len(value)} keys"
    if isinstance(value, bool):
        return "true" if value else "false"
    text = f"'{value}'" if isinstance(value, str) else f"{value}"
    return text if len(text) <= width else text[: width - 3] + "..."
