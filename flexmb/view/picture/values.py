"""Colouring of flexible parts: deflection or stress along a ramp, with its range over the whole run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from flexmb.arrays import Floats
from flexmb.axes import AXES
from flexmb.view.colors import is_signed, ramp, stops_for
from flexmb.view.scene import ENVELOPES, MESH_ERROR, Part, Scene

_SHARES = ((0.0, 1e-2, "%"),)
_LENGTHS = ((100.0, 1.0, "m"), (1e-6, 1e-3, "mm"), (1e-9, 1e-6, "µm"), (0.0, 1e-9, "nm"))
_STRESSES = ((1e11, 1e9, "GPa"), (1e3, 1e6, "MPa"), (0.0, 1.0, "Pa"))
"""Smallest value [m, Pa] for a unit, its factor, its name: mm and MPa unless the values are out of range"""


@dataclass(frozen=True)
class Values:
    """Values that colour the flexible parts."""

    coloring: str
    largest: float
    """[m] or [Pa]"""

    @property
    def table(self) -> NDArray[np.uint8]:
        """(256, 3)"""
        return ramp(stops_for(self.coloring))

    @property
    def unit(self) -> str:
        """Unit of the legend."""
        return self._unit[1]

    @property
    def _unit(self) -> tuple[float, str]:
        """Factor of the unit of the legend to [m] or [Pa], and its name"""
        units = {MESH_ERROR: _SHARES, **dict.fromkeys(("stress", *ENVELOPES), _STRESSES)}.get(self.coloring, _LENGTHS)
        return next((factor, name) for least, factor, name in units if self.largest >= least)

    @property
    def label(self) -> str:
        """Title of the legend."""
        words = {"displacement": "deflection |u|", "stress": "von Mises stress", MESH_ERROR: "mesh error, energy"}
        words |= dict(zip(ENVELOPES, ("largest von Mises stress", "largest principal stress"), strict=True))
        return words.get(self.coloring, f"deflection u_{self.coloring}")

    @property
    def shown_range(self) -> tuple[float, float]:
        """Ends of the legend in `unit`"""
        largest = self.largest / self._unit[0]
        return -largest if is_signed(self.coloring) else 0.0, largest

    def of(self, part: Part, frame: int) -> Floats | None:
        """(s,) from 0 to 1; None when the part keeps its own colour"""
        if part.kind != "flexible" or self.largest <= 0.0:
            return None
        if self.coloring == "stress":
            stress = part.von_mises(frame)
            return None if stress is None else stress.astype(float) / self.largest
        if self.coloring == MESH_ERROR:
            return None if part.mesh_error is None else part.mesh_error.astype(float) / self.largest
        if self.coloring in ENVELOPES:
            share = None if part.envelope is None else part.envelope.astype(float) / self.largest
            return 0.5 + 0.5 * share if share is not None and is_signed(self.coloring) else share
        u = part.deflection(frame).astype(float)
        if self.coloring == "displacement":
            return np.sqrt((u * u).sum(axis=1)) / self.largest
        return 0.5 + 0.5 * u[:, AXES.index(self.coloring)] / self.largest


def values_of(scene: Scene, coloring: str) -> Values:
    """The colouring of a scene, with its range over all frames."""
    if coloring == "displacement":
        return Values(coloring, scene.largest_deflection)
    if coloring == "stress":
        return Values(coloring, scene.largest_stress)
    if coloring == MESH_ERROR:
        return Values(coloring, scene.largest_mesh_error)
    if coloring in ENVELOPES:
        return Values(coloring, scene.largest_envelope)
    if coloring == "part":
        return Values(coloring, 0.0)
    axis = AXES.index(coloring)
    sizes = [np.abs(part.deflection(k)[:, axis]).max() for part in scene.flexible for k in range(len(scene.time))]
    return Values(coloring, float(max(sizes, default=0.0)))
