"""Lines of beams: collinear beams that fixed joints make one, directly or through other bodies.

A link that is divided into several beams is as slender as the whole, not as its parts.
"""

from __future__ import annotations

import numpy as np

from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.system.mechanism import Mechanism

_COLLINEAR = 1e-6
"""Sine of the angle between axes, or distance as a part of the length, that is round-off."""


def line_lengths(mechanism: Mechanism) -> dict[str, float]:
    """Length [m] of the line to which each beam belongs: its own, or that of the beams in a row with it."""
    owner = list(range(len(mechanism.bodies)))

    def root(body: int) -> int:
        while owner[body] != body:
            body = owner[body]
        return body

    for joint in mechanism.joints:
        first, second = (mechanism.markers[marker].body for marker in (joint.first, joint.second))
        if joint.type.name == "fixed" and first and second:
            owner[root(first)] = root(second)
    beams = [
        (number, body)
        for number, body in enumerate(mechanism.bodies)
        if isinstance(body, FlexibleBody) and body.basis is not None
    ]
    lengths = {}
    for number, body in beams:
        along = body.R_wb[:, 0]
        ends = [0.0, body.length]
        for other_number, other in beams:
            if root(other_number) == root(number) and _in_line(body, other):
                start = float(along @ (other.p_wb - body.p_wb))
                ends += [start, start + other.length * float(along @ other.R_wb[:, 0])]
        lengths[body.name] = float(np.ptp(ends))
    return lengths


def _in_line(body: FlexibleBody, other: FlexibleBody) -> bool:
    """Whether two beams have the same axis."""
    along, offset = body.R_wb[:, 0], other.p_wb - body.p_wb
    aside = np.linalg.norm(np.cross(along, offset))
    return bool(
        np.linalg.norm(np.cross(along, other.R_wb[:, 0])) < _COLLINEAR
        and aside < _COLLINEAR * (body.length + other.length)
    )
