"""Forces and moments between markers, from the core's evaluation of stops, bushings and cables.

Enters: a workspace of the core, with the places of markers and the efforts of loads. Leaves: generalised forces, the
same in natural coordinates:
    pull along the spans from marker to marker: T (u_i - u_(i-1)) at marker i
    force F and moment M at one marker; -F and -M at the same point on the body of another one
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from flexmb.arrays import Floats
from flexmb.layout import flat_arrays as L
from flexmb.model.schema import loads as schema
from flexmb.natural.choice import Choice
from flexmb.natural.forces import add_torque, body_axes
from flexmb.natural.layout import Layout, point_of
from flexmb.system.system import System

KINDS = schema.Stop | schema.Cable | schema.MarkerStop | schema.Bushing


class MarkerWrenches:
    """Loads between markers whose sizes the core finds."""

    def __init__(self, choice: Choice, layout: Layout, system: System):
        self.choice, self.layout = choice, layout
        self._ints = system.ints
        self._pulls = list[tuple[int, tuple[int, ...]]]()
        self._pairs = list[tuple[int, int, int, int]]()

    def add(self, force: KINDS, block: int) -> None:
        """A load with its block at W[block]."""
        ends = [self.choice.mechanism.marker_index[end] for end in schema.markers_of(force)]
        if isinstance(force, schema.MarkerStop):
            self._pairs.append((block + L.LW_VECTOR, 0, ends[0], ends[1]))
        elif isinstance(force, schema.Bushing):
            self._pairs.append((block + L.LW_VECTOR, block + L.LW_MOMENT, ends[1], ends[0]))
        else:
            self._pulls.append((block + L.LW_EFFORT, tuple(ends)))

    def apply(self, W: Floats, back: Floats, y: Floats, generalised: Floats) -> None:
        """Add all, W evaluated; `back` (3, 3) turns world axes to those of the base."""
        for slot, markers in self._pulls:
            for a, b in pairwise(markers):
                span = self._place(W, b) - self._place(W, a)
                length = float(np.linalg.norm(span))
                if length > 0.0 and W[slot] != 0.0:
                    pull = back @ span * (W[slot] / length)
                    self._push(a, pull, None, y, generalised)
                    self._push(b, -pull, None, y, generalised)
        for at_force, at_moment, marker, other in self._pairs:
            force = W[at_force : at_force + 3]
            moment = W[at_moment : at_moment + 3] if at_moment else np.zeros(3)
            about = moment + np.cross(self._place(W, marker) - self._place(W, other), force)
            self._push(marker, back @ force, back @ moment, y, generalised)
            self._push(other, back @ -force, back @ -about, y, generalised)

    def _place(self, W: Floats, marker: int) -> Floats:
        record = int(self._ints[L.MARKERS]) + marker * L.MARKER
        place = int(self._ints[record + L.MK_W]) + L.S_P
        return np.array(W[place : place + 3])

    def _push(self, marker: int, force: Floats, moment: Floats | None, y: Floats, generalised: Floats) -> None:
        placed = self.choice.mechanism.markers[marker]
        if placed.body == 0:
            return
        body = self.choice.bodies[placed.body - 1]
        point_of(body, placed.p_b, self.layout).add_force(force, generalised)
        if moment is not None and np.any(moment):
            add_torque(body_axes(body, self.layout), moment, y, generalised)
