"""Slices of a workspace by body: its output block, its elastic coordinates and their rates."""

from __future__ import annotations

from flexmb.layout import flat_arrays as L
from flexmb.system.system import System


def body_slices(system: System) -> dict[str, tuple[slice, slice, slice]]:
    """Body -> slices of W: output block (pose and velocities), elastic coordinates, their rates."""
    ints, names = system.ints, [body.name for body in system.mechanism.bodies]
    places = {}
    for flat, branch in enumerate(system.topology.branches, start=1):
        record = int(ints[L.BODIES]) + flat * L.BODY
        n, out = int(ints[record + L.B_NF]), int(ints[record + L.B_OUT])
        q = int(ints[L.Q] + ints[record + L.B_ELASTIC_Q])
        v = int(ints[L.V] + ints[record + L.B_V] + ints[record + L.B_NJ])
        places[names[branch.body]] = (slice(out, out + L.BODY_OUT), slice(q, q + n), slice(v, v + n))
    return places
