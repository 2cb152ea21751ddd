"""Names and titles from files as a plot shows them: in one line, not too long, and never taken for formulas."""

from __future__ import annotations

import re
import unicodedata

NAME, HEAD, TITLE = 36, 60, 110
"""Letters of a name in a legend or at an axis, of what stands above a panel, and of the title of a sheet"""

_END = 8


def shortened(text: str, most: int = NAME) -> str:
    """The text in one line of so many letters, with its end; breaks and signs that cannot be printed become a space."""
    printable = "".join(" " if unicodedata.category(sign) in ("Cc", "Cs", "Co", "Cn") else sign for sign in text)
    line = re.sub(r"\s+", " ", printable).strip()
    # Long names often differ in their ends only, such as .x and .y.
    return line if len(line) <= most else f"{line[: most - _END - 1].rstrip()}\u2026{line[-_END:].lstrip()}"


def plain(text: str, most: int = NAME) -> str:
    """The same for matplotlib, which takes what stands between two dollars for a formula."""
    return shortened(text, most).replace("$", r"\$")
