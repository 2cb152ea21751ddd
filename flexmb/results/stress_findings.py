"""Stress of flexible bodies over a run, as `analyses.stress` finds it: envelopes, hot spots, damage.

Stress is first order in the elastic coordinates, at the rows of the result. At the nodes of a mesh it is the average
over the cells of a node, of one material, thickness and side alone (`elements/solid/stress`, `elements/shell/faces`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.warning import WarningRecord

MISES, PRINCIPAL = "von-mises", "principal"
MEASURES = (MISES, PRINCIPAL)
"""Stresses by which hot spots are found and cycles counted"""
CLASSES = 32
"""Classes of amplitudes in a table of counts"""


@dataclass(frozen=True)
class Envelope:
    """Largest stresses of every point of a body over the rows, and when; s points."""

    body: str
    position: Floats
    """(3,) of the body axes at the first row, world axes [m]"""
    R_wb: Floats
    """(3, 3) orientation of the body axes there"""
    points: Floats
    """(s, 3) body axes [m]"""
    triangles: Integers
    """(t, 3)"""
    nodes: Integers | None
    """(s,) numbers in the mesh; None for a beam"""
    sides: tuple[str, ...]
    """Side of a shell, "bottom" or "top", of every point; empty elsewhere"""
    von_mises: Floats
    """(s,) largest stress of von Mises [Pa]"""
    von_mises_time: Floats
    """(s,) [s]"""
    tension: Floats
    """(s,) largest principal stress: the strongest tension, or the weakest compression [Pa]"""
    tension_time: Floats
    """(s,) [s]"""
    compression: Floats
    """(s,) smallest principal stress [Pa]"""
    compression_time: Floats
    """(s,) [s]"""

    @property
    def principal(self) -> Floats:
        """(s,) principal stress of the largest magnitude, with its sign [Pa]"""
        return np.where(self.tension >= -self.compression, self.tension, self.compression)

    @property
    def principal_time(self) -> Floats:
        """(s,) when [s]"""
        return np.where(self.tension >= -self.compression, self.tension_time, self.compression_time)

    def sizes(self, measure: str) -> Floats:
        """(s,) largest magnitude of one of `MEASURES` [Pa]"""
        return self.von_mises if measure == MISES else np.abs(self.principal)


@dataclass(frozen=True)
class Damage:
    """Rainflow cycles at a place and their damage by an S-N line; the run is taken as repeated, so that all close."""

    cycles: Floats
    """(c, 3) amplitude, mean [Pa] and count of every cycle, the largest amplitude first"""
    damage: float
    """Sum of n/N for one run [Miner]"""

    @property
    def classes(self) -> Floats:
        """(CLASSES, 3) lowest and highest amplitude [Pa] and number of cycles of equal classes"""
        edges = np.linspace(0.0, self.cycles[:, 0].max(initial=0.0), CLASSES + 1)
        counts = np.histogram(self.cycles[:, 0], edges if edges[-1] > 0.0 else CLASSES, weights=self.cycles[:, 2])[0]
        return np.column_stack([edges[:-1], edges[1:], counts])

    @property
    def n_cycles(self) -> float:
        """Number of cycles of one run."""
        return float(self.cycles[:, 2].sum())

    @property
    def repeats(self) -> float:
        """Runs until the damage is 1; infinite without damage."""
        return 1.0 / self.damage if self.damage > 0.0 else np.inf


@dataclass(frozen=True)
class HotSpot:
    """A local maximum of the envelope of a body."""

    body: str
    point: int
    """Number of the point in the envelope"""
    node: int | None
    """Number in the mesh; None on a beam"""
    side: str
    """"bottom" or "top" of a shell, else empty"""
    position: tuple[float, float, float]
    """Body axes [m]"""
    interface: str
    """Interface whose tie holds this node; empty: none"""
    von_mises: float
    """[Pa]"""
    von_mises_time: float
    """[s]"""
    principal: float
    """Principal stress of the largest magnitude [Pa]"""
    principal_time: float
    damage: Damage | None = None

    def as_dict(self) -> dict[str, Any]:
        """The fields, for JSON."""
        found = {name: value for name, value in vars(self).items() if name not in ("point", "damage")}
        if self.damage is None:
            return found
        counts = {"cycles": self.damage.n_cycles, "classes": self.damage.classes}
        return {**found, "damage": self.damage.damage, "repeats": self.damage.repeats, **counts}


@dataclass(frozen=True)
class BodyStress:
    """Envelope and hot spots of a body."""

    envelope: Envelope
    spots: tuple[HotSpot, ...]
    """The largest first"""
    apart: float
    """Least distance between hot spots [m]"""


@dataclass(frozen=True)
class StressFindings:
    """Stress of the flexible bodies of a run."""

    name: str
    """Name of the model"""
    start: float
    """Time of the first row that was examined [s]"""
    end: float
    """That of the last one [s]"""
    n_rows: int
    measure: str
    """One of `MEASURES`"""
    line: str
    """The S-N line as text; empty: none"""
    bodies: tuple[BodyStress, ...]
    warnings: tuple[WarningRecord, ...]
    notes: tuple[str, ...]
    """Remarks on the numbers"""

    @property
    def spots(self) -> tuple[HotSpot, ...]:
        """Hot spots of all bodies, in the order of the bodies."""
        return tuple(spot for body in self.bodies for spot in body.spots)

    def as_dict(self) -> dict[str, Any]:
        """Numbers for JSON, without the envelopes and the warnings."""
        bodies = [
            {
                "body": body.envelope.body,
                "largest_von_mises": float(body.envelope.von_mises.max()),
                "apart": body.apart,
                "spots": [spot.as_dict() for spot in body.spots],
            }
            for body in self.bodies
        ]
        head = {"model": self.name, "start": self.start, "end": self.end, "rows": self.n_rows, "by": self.measure}
        return {**head, "sn": self.line or None, "bodies": bodies, "notes": list(self.notes)}
