"""Flat records of the cuts of beams whose inner forces are measured."""

from __future__ import annotations

import numpy as np

from flexmb.bodies.exact_beam import ExactBeam, ExactShapes
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.layout import flat_arrays as L
from flexmb.system.mechanism import Mechanism
from flexmb.system.records.packing import Packer
from flexmb.system.records.tree import TreeRecords


def pack_section(pack: Packer, mechanism: Mechanism, tree: TreeRecords, marker: int) -> list[int]:
    """Record of a cut at the section of a marker: everything that stands on the part of the beam towards B."""
    number = mechanism.markers[marker].body
    body = mechanism.bodies[number]
    assert isinstance(body, FlexibleBody) and isinstance(body.field, ExactBeam)
    field = body.field
    here = field.marker(mechanism.markers[marker].p_b)

    def beyond(x: float) -> bool:
        return x >= here.x if here.x > 0.0 else x > 0.0

    to_end = field.marker(np.array([body.length, 0.0, 0.0])).weights
    parts = (to_end - here.weights) / field.weights.ravel()
    if field.basis.from_end and here.x == body.length:
        parts[:] = 0.0
    markers = [
        k for k, m in enumerate(mechanism.markers)
        if m.body == number and isinstance(m.shapes, ExactShapes) and beyond(m.shapes.x)
    ]  # fmt: skip
    joints = []
    for joint in tree.branch_of_joint:
        placed = mechanism.joints[joint]
        joints += [(joint, sign) for end, sign in ((placed.second, 1), (placed.first, -1)) if end in markers]
    slices = [tree.slices[number] + k * L.SLICE for k, part in enumerate(field.lumps) if beyond(part.place.x)]
    record = [0] * L.SECTION
    record[L.SX_BODY] = pack.ints[L.BODIES] + tree.flat_body[number] * L.BODY
    record[L.SX_MARKER] = marker
    record[L.SX_F] = pack.put([here.x, *parts])
    record[L.SX_MARKERS], record[L.SX_N_MARKERS] = pack.put_ints(markers), len(markers)
    record[L.SX_SLICES], record[L.SX_N_SLICES] = pack.put_ints(slices), len(slices)
    record[L.SX_JOINTS] = pack.put_ints(x for pair in joints for x in pair)
    record[L.SX_N_JOINTS] = len(joints)
    record[L.SX_W] = pack.take(6)
    return record
