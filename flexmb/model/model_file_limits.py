"""Limits of a TOML text, checked before it is parsed: a parser needs memory with the square of the parts of a key.

In: text that need not be valid. Out: the first place above a limit, with what was found. Only strings, comments, names
and brackets are distinguished. Where the text is not valid TOML the two may disagree, but there the parser ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

MOST_PARTS = 20
"""Parts of a key: "bodies.rod.mass" has three"""
MOST_LEVELS = 20
"""Brackets within brackets: tables and arrays in each other"""
LONGEST_WORD = 1000
"""Characters of a name or a number"""
MOST_NAMES = 500_000
"""Parts of all keys together"""
MOST_VALUES = 1_000_000
"""Entries of all arrays together"""

_STRING = r'"(?:[^"\\\n]++|\\.)*+"' + r"|'[^'\n]*+'"
_PART = rf"(?:[^\s.,=\[\]{{}}#\"']+|{_STRING})"
_TOKEN = re.compile(
    rf"(?P<long>\"\"\"|''')|(?P<words>{_PART}(?:[ \t]*\.[ \t]*{_PART})*)|(?P<sign>[\[\]{{}},=])|(?P<comment>\#[^\n]*)"
)
_PARTS = re.compile(_PART)


class Excess(NamedTuple):
    """A place above a limit."""

    text: str
    line: int


def excess(text: str) -> Excess | None:
    """The first place of `text` above a limit; None: there is none."""
    level = names = values = parts = 0
    sign = fault = ""
    for at, word, is_sign in _tokens(text):
        if not is_sign:
            parts, fault = _parts(word)
        else:
            if word == "=" or (word == "]" and sign == "["):  # what was before is a key, or the title of a table
                names += parts
            level += (word in "[{") - (word in "]}")
            values += word == ","
            parts, sign = 0, word
            fault = _count_fault(level, names, values)
        if fault:
            return Excess(fault, text.count("\n", 0, at) + 1)
    return None


def _tokens(text: str) -> Iterator[tuple[int, str, bool]]:
    """Place and text of names, numbers, one-line strings and signs; whether it is a sign."""
    at = 0
    while (match := _TOKEN.search(text, at)) is not None:
        at = match.end()
        if match.lastgroup == "long":
            at = _end_of_long_string(text, at, match[0])
        elif match.lastgroup != "comment":
            yield match.start(), match[0], match.lastgroup == "sign"


def _end_of_long_string(text: str, at: int, quotes: str) -> int:
    """The place behind a string over several lines."""
    while (end := text.find(quotes, at)) >= 0:
        before = text[max(at, end - LONGEST_WORD) : end]
        is_escaped = quotes[0] == '"' and (len(before) - len(before.rstrip("\\"))) % 2 == 1
        at = end + (1 if is_escaped else len(quotes))
        if not is_escaped:
            while text[at : at + 1] == quotes[0] and at < end + 5:  # up to two quotes belong to the string
                at += 1
            return at
    return len(text)


def _parts(word: str) -> tuple[int, str]:
    """Number of parts of a name (a number with a point has two), and what is wrong with them."""
    if len(word) <= MOST_PARTS:
        return 1 + word.count("."), ""
    parts = _PARTS.findall(word)
    if len(parts) > MOST_PARTS:
        return len(parts), f"a key has {len(parts)} parts; at most {MOST_PARTS} are allowed"
    longest = max((len(part) for part in parts if part[0] not in "\"'"), default=0)
    if longest > LONGEST_WORD:
        return len(parts), f"a name or number has {longest} characters; at most {LONGEST_WORD} are allowed"
    return len(parts), ""


def _count_fault(level: int, names: int, values: int) -> str:
    if level > MOST_LEVELS:
        return f"nested too deeply; at most {MOST_LEVELS} levels of brackets are allowed"
    if names > MOST_NAMES:
        return f"too many keys; at most {MOST_NAMES} are allowed"
    if values > MOST_VALUES:
        return f"too many values in arrays; at most {MOST_VALUES} are allowed"
    return ""
