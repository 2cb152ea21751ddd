"""What a result can show of itself: the one door from results to pictures, which load when they are asked for."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from flexmb.view.body_fields import BodyFields, BodySurface


class ResultViews:
    """Pictures and fields of a result."""

    def animate(self: Any, path: str | os.PathLike[str] | None = None, **options: Any) -> Any:
        """Write an animation (.html, .mp4, .gif, .glb) or picture (.png); gives back an `Animation`, usable as a path.

        Options are those of `flexmb animate`: scale, color, view, follow, ghost, arrows, speed, frames, ... Without a
        path a window opens, or where none can the page is written and named after the result.
        """
        from flexmb.view.animate import animate

        return animate(self, path, **options)

    def show(self: Any, **options: Any) -> Any:
        """Watch the motion in a window; in a notebook the page stands below the cell.

        Where no window can open, the page is written and its path given back.
        """
        from flexmb.view.animate import show

        return show(self, **options)

    def surface(self: Any, body: str, folder: str | os.PathLike[str] | None = None) -> BodySurface:
        """Points (s, 3) [m] and triangles of a flexible body, undeformed, in body axes."""
        return self._fields(body, folder).surface

    def displacement(
        self: Any, body: str, t: ArrayLike, folder: str | os.PathLike[str] | None = None
    ) -> NDArray[np.float64]:
        """(s, 3) displacement of the points of `surface(body)` at time t [s], (r, s, 3) for r times [m].

        Body axes, relative to the body frame; `folder`: where else the body file may lie.
        """
        return self._fields(body, folder).displacement(t)

    def _fields(self, body: str, folder: str | os.PathLike[str] | None) -> BodyFields:
        from flexmb.view.body_fields import BodyFields

        known: dict[Any, BodyFields] = self.__dict__.setdefault("_known_fields", {})
        if (body, folder) not in known:
            known[body, folder] = BodyFields(self, body, folder)  # type: ignore[arg-type]
        return known[body, folder]
