"""Animations in a notebook: the written file as HTML inside the notebook itself."""

from __future__ import annotations

import html
import sys
from base64 import b64encode
from pathlib import Path

_HEIGHT = 620
"""Pixels of a page"""
_MEDIA = {".mp4": "video/mp4", ".gif": "image/gif", ".png": "image/png"}


def in_notebook() -> bool:
    """Whether a notebook runs this process."""
    return "ipykernel" in sys.modules


def page_frame(page: str) -> str:
    """A page embedded in another one."""
    style = f"width:100%;height:{_HEIGHT}px;border:0"
    return f'<iframe srcdoc="{html.escape(page)}" style="{style}" allowfullscreen></iframe>'


def inline(path: Path) -> str:
    """The page, movie or picture of a file as HTML; for other formats its name."""
    suffix = path.suffix.lower()
    if suffix == ".html":
        return page_frame(path.read_text(encoding="utf-8"))
    if suffix not in _MEDIA:
        return f"<code>{html.escape(str(path))}</code>"
    source = f"data:{_MEDIA[suffix]};base64,{b64encode(path.read_bytes()).decode()}"
    if suffix == ".mp4":
        return f'<video src="{source}" style="max-width:100%" controls loop autoplay muted></video>'
    return f'<img src="{source}" style="max-width:100%" alt="{html.escape(path.name)}">'
