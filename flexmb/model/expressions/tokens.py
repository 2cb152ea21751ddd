"""Tokens of quantities and expressions, and the error that points at one of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from flexmb.errors import CarriedError

MAX_LENGTH = 10_000
"""Longest text that is read as a quantity or an expression."""

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)"
    r"|(?P<name>\$?[^\W\d²³][^\W²³]*(?:\.[^\W\d²³][^\W²³]*)?|[°%])"
    r"|(?P<string>\"[^\"\n]*\"|'[^'\n]*')"
    r"|(?P<sign>\*\*|<=|>=|==|!=|[-+*/^(),·²³<>]))"
)
WORDS = ("and", "or", "not")
"""Names that are operators."""
_OTHERS = {"=": "==", "&": "and", "|": "or", "!": "not", "≤": "<=", "≥": ">=", "≠": "!="}


class TextError(CarriedError, ValueError):
    """A fault in a quantity or expression, with its position in the text."""

    def __init__(self, message: str, source: str = "", position: int = 0, hint: str = ""):
        self.message, self.source, self.position, self.hint = message, source, position, hint
        super().__init__(self.explanation())

    def explanation(self) -> str:
        """The message, and below it the text with a caret under the fault."""
        first = f"{self.message}. {self.hint}".rstrip() if self.hint else self.message
        if not self.source:
            return first
        start = max(0, self.position - 60)
        excerpt = self.source[start : start + 100].replace("\n", " ").replace("\t", " ")
        return f"{first}\n    {excerpt}\n    {' ' * (self.position - start)}^"


@dataclass(frozen=True)
class Token:
    """A number, name, string (with its quotes) or sign in the text."""

    kind: Literal["number", "name", "string", "sign", "end"]
    text: str
    at: int
    """Position of the first character in the source."""


def tokenize(source: str) -> list[Token]:
    """Split `source` into tokens; the last one is always an "end"."""
    if len(source) > MAX_LENGTH:
        raise TextError(f"the text is too long ({len(source)} characters; at most {MAX_LENGTH})")
    tokens: list[Token] = []
    end = len(source.rstrip())
    at = 0
    while at < end:
        match = _TOKEN.match(source, at)
        if match is None:
            while source[at].isspace():
                at += 1
            known = _OTHERS.get(source[at])
            raise TextError(
                f"unexpected character '{source[at]}'", source, at, f"Write '{known}' instead." if known else ""
            )
        kind = match.lastgroup
        assert kind in ("number", "name", "string", "sign")
        text = match[kind]
        tokens.append(Token("sign" if text in WORDS else kind, text, match.start(kind)))  # type: ignore[arg-type]
        at = match.end()
    tokens.append(Token("end", "", end))
    return tokens
