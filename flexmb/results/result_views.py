"""Methods of a result that call the package: `result.animate(...)` is `flexmb.animate(result, ...)`, and so on.

A result is data and imports no drawing; the functions are looked up in `flexmb` when called.
"""

from __future__ import annotations

import os
from typing import Any

from numpy.typing import ArrayLike

import flexmb
from flexmb.arrays import Floats


class ResultViews:
    """Animations and deformed surfaces of a result."""

    def animate(self, path: str | os.PathLike[str] | None = None, **options: Any) -> Any:
        """Write an animation (.html, .mp4, .gif, .glb) or picture (.png); returns an `Animation`, usable as a path.

        Options are those of `flexmb animate`: scale, color, view, follow, ghost, arrows, speed, frames, ... Without a
        path a window opens; where none can open, the page is written with the name of the result.
        """
        return flexmb.animate(self, path, **options)

    def show(self, **options: Any) -> Any:
        """Watch the motion in a window; in a notebook the page appears below the cell.

        Where no window can open, the page is written and its path returned.
        """
        return flexmb.show(self, **options)

    @property
    def peaks(self) -> Any:
        """Largest deflection, stress, reaction, drive effort and load, each with place, time, value and unit (`Peak`).

        In this order, of each quantity the largest first. Raises InputError when a body file is missing.
        """
        return flexmb.peaks_of(self)

    def stress(self, *bodies: str, **options: Any) -> Any:
        """Largest stress of flexible bodies, when, hot spots, and damage (`flexmb.stress_of`): `StressFindings`.

        Options are those of `flexmb stress`: start, end, spots, apart, off_ties, by, sn.
        """
        return flexmb.stress_of(self, bodies, **options)

    def surface(self, body: str, folder: str | os.PathLike[str] | None = None) -> Any:
        """Points (s, 3) [m] and triangles of a flexible body, undeformed, in body axes."""
        return self._fields(body, folder).surface

    def displacement(self, body: str, t: ArrayLike, folder: str | os.PathLike[str] | None = None) -> Floats:
        """(s, 3) displacement of the points of `surface(body)` at time t [s], (r, s, 3) for r times [m].

        Body axes, relative to the body frame; `folder`: another folder to search for the body file.
        """
        found: Floats = self._fields(body, folder).displacement(t)
        return found

    def _fields(self, body: str, folder: str | os.PathLike[str] | None) -> Any:
        known: dict[Any, Any] = self.__dict__.setdefault("_known_fields", {})
        if (body, folder) not in known:
            known[body, folder] = flexmb.BodyFields(self, body, folder)
        return known[body, folder]
