"""A window in which a scene is turned and played."""

from __future__ import annotations

import importlib.util

from flexmb.errors import InputError
from flexmb.view.picture.checks import check
from flexmb.view.picture.gl_probe import window_fault
from flexmb.view.scene import Look, Scene


def can_show() -> str:
    """Why no window can open; empty when one can."""
    if importlib.util.find_spec("pyvista") is None:
        return "pyvista is not installed"
    return window_fault()


def show(scene: Scene, look: Look | None = None) -> None:
    """Open a window and wait until it is closed."""
    look = look or Look()
    check(scene, look)
    reason = can_show()
    if reason:
        raise InputError(f"No window can open: {reason}. Write a page instead (.html), which any browser shows.")
    raise InputError("No window can open: not written yet.")
