"""Damage of text files, by lines and words: for models, meshes and matrices in text."""

from __future__ import annotations

import re
from random import Random

from tests.campaigns.fuzzing.values import any_number, any_text

_NUMBER = re.compile(r"[-+]?\b\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")
_WORD = re.compile(r"[A-Za-z_]\w+")
_COUNTS = ("-1", "0", "1", "7", "1000000000000", "999999999", "2147483648", "18446744073709551616", "1e12", "nan", "")


def damage_text(text: str, random: Random) -> str:
    """The text with one to three faults."""
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        text = random.choice(_DAMAGES)(text, random)
    return text


def _drop_line(text: str, random: Random) -> str:
    lines = text.split("\n")
    start = random.randrange(len(lines))
    del lines[start : start + random.choice((1, 1, 1, 3))]
    return "\n".join(lines)


def _double_line(text: str, random: Random) -> str:
    lines = text.split("\n")
    lines.insert(random.randrange(len(lines) + 1), random.choice(lines))
    return "\n".join(lines)


def _swap_lines(text: str, random: Random) -> str:
    lines = text.split("\n")
    i, j = random.randrange(len(lines)), random.randrange(len(lines))
    lines[i], lines[j] = lines[j], lines[i]
    return "\n".join(lines)


def _replace_number(text: str, random: Random) -> str:
    found = list(_NUMBER.finditer(text))
    if not found:
        return text
    match = random.choice(found)
    new = random.choice((str(any_number(random)), random.choice(_COUNTS), any_text(random)[:40]))
    return text[: match.start()] + new + text[match.end() :]


def _replace_word(text: str, random: Random) -> str:
    found = list(_WORD.finditer(text))
    if not found:
        return text
    match = random.choice(found)
    new = random.choice(
        (random.choice(found)[0], any_text(random)[:60], match[0] + "x", match[0][:-1], match[0].upper())
    )
    return text[: match.start()] + new + text[match.end() :]


def _count(text: str, random: Random) -> str:
    """The sizes in the heads of meshes stand alone or first on a line."""
    lines = text.split("\n")
    heads = [i for i, line in enumerate(lines) if re.fullmatch(r"\s*\d+(\s+\d+){0,3}\s*|[A-Z_]+ \d+.*", line)]
    if not heads:
        return _replace_number(text, random)
    i = random.choice(heads[:20])
    lines[i] = re.sub(r"\d+", random.choice(_COUNTS), lines[i], count=random.choice((1, 1, 0)))
    return "\n".join(lines)


def _insert_text(text: str, random: Random) -> str:
    at = random.randrange(len(text) + 1)
    return text[:at] + any_text(random)[:2000] + text[at:]


def _nest(text: str, random: Random) -> str:
    opening, closing = random.choice(("[]", "{}", "()", "''", '""', "<>"))
    count = random.choice((10, 300, 5000, 60_000))
    at = random.randrange(len(text) + 1)
    return text[:at] + opening * count + (closing * count if random.random() < 0.5 else "") + text[at:]


def _line_ends(text: str, random: Random) -> str:
    return text.replace("\n", random.choice(("\r\n", "\r", "\n\n", " ", "\u2028", "\x0b", "\x85")))


_DAMAGES = (
    *(_drop_line, _double_line, _swap_lines, _replace_number, _replace_number, _replace_number),
    *(_replace_word, _replace_word, _count, _insert_text, _nest, _line_ends),
)
