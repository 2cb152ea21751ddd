"""Prisms along the beams of a model, for pictures: rectangles of the same area and second moments as their sections.

A rectangle has the edges sqrt(12 Iz/A) along y and sqrt(12 Iy/A) along z; its corners ride on the nodes.
"""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Integers
from flexmb.elements.fe_model import FEModel
from flexmb.elements.line_beams import BeamData
from flexmb.elements.riders import Riders

_SIDES = [(0, 1, 5), (0, 5, 4), (1, 2, 6), (1, 6, 5), (2, 3, 7), (2, 7, 6), (3, 0, 4), (3, 4, 7)]
_CAPS = [(0, 2, 1), (0, 3, 2), (4, 5, 6), (4, 6, 7)]
_CORNERS = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])


def tubes(model: FEModel) -> tuple[Riders, Integers]:
    """Corners of the prisms, eight for each beam, and (t, 3) triangles between them, normals outwards"""
    data: BeamData = model.beams
    edges = np.array([(np.sqrt(12.0 * s.Iz / s.A), np.sqrt(12.0 * s.Iy / s.A)) for s in data.sections])
    corners = _CORNERS * edges[:, None]
    arms = np.einsum("eck,eki->eci", corners, data.axes[:, 1:])
    both = np.stack([arms, arms], axis=1)
    if data.offsets is not None:
        both = both + data.offsets[:, :, None]
    nodes = np.repeat(data.nodes, 4)
    has = np.isin(nodes, model.rotations)
    turning = np.where(has, len(model.points) + np.searchsorted(model.rotations, nodes), -1)
    first = 8 * np.arange(len(data.nodes))
    triangles = first[:, None, None] + np.array([*_SIDES, *_CAPS])
    return Riders(nodes, both.reshape(-1, 3), turning), triangles.reshape(-1, 3)
