"""Pictures (.png), movies (.mp4, .gif) and windows of a scene.

The names are imported on first use: checking whether a window can open must not cost as much as drawing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flexmb.view.picture.movie import write_movie
    from flexmb.view.picture.still import write_picture
    from flexmb.view.picture.window import can_show, show

__all__ = ["can_show", "show", "write_movie", "write_picture"]

_MODULES = {"can_show": "window", "show": "window", "write_movie": "movie", "write_picture": "still"}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
