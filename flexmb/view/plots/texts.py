"""Names and titles from files for plots: on one line, not too long, and never interpreted as formulas."""

from __future__ import annotations

import re
import unicodedata

NAME, HEAD, TITLE = 36, 60, 110
"""Most characters of a name in a legend or at an axis, of the text above a panel, and of the title of a sheet"""

_END = 8


def shortened(text: str, most: int = NAME) -> str:
    """The text on one line of at most `most` characters, keeping its end; unprintable characters become spaces."""
    printable = "".join(" " if unicodedata.category(sign) in ("Cc", "Cs", "Co", "Cn") else sign for sign in text)
    line = re.sub(r"\s+", " ", printable).strip()
    # Long names often differ only at the end, such as .x and .y.
    return line if len(line) <= most else f"{line[: most - _END - 1].rstrip()}\u2026{line[-_END:].lstrip()}"


def plain(text: str, most: int = NAME) -> str:
    """The shortened text for matplotlib, which reads text between two dollars as a formula."""
    return shortened(text, most).replace("$", r"\$")
