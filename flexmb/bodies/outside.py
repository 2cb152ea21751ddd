"""The outside of a body: points that are drawn and have stress, and the triangles between them.

Solids show the faces that belong to one cell, shells both their faces and their rims, beams their nodes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.elements.fe_model import FEModel
from flexmb.elements.riders import Riders, every_node
from flexmb.mesh.surface import outer_surface

_NO_TRIANGLES = np.zeros((0, 3), dtype=np.int64)


@dataclass(frozen=True)
class Outside:
    """Points on nodes, and triangles between them."""

    riders: Riders
    triangles: Integers
    """(t, 3) points of the riders"""
    of_solids: int
    """The first points are nodes of solids, the others on the faces of shells"""

    def stress(self, model: FEModel, U: Floats) -> Floats:
        """(p, m, 6) stress xx, yy, zz, xy, yz, zx [Pa] at the points for the columns of U : (3 b, m)"""
        parts = []
        if self.of_solids:
            from flexmb.elements.solid.stress import nodal_stress

            parts.append(nodal_stress(model, U)[self.riders.nodes[: self.of_solids]])
        if model.shells is not None:
            from flexmb.elements.shell.faces import face_stress, faces

            parts.append(face_stress(model, faces(model.shells), U))
        return np.concatenate(parts)


def outside_of(model: FEModel) -> Outside:
    """The outside of a model; without a mesh it has none, beams show all nodes."""
    if model.mesh is None:
        return Outside(Riders(np.zeros(0, dtype=np.int64)), _NO_TRIANGLES, 0)
    nodes, numbers = np.unique(outer_surface(model.mesh)[0], return_inverse=True)
    triangles = numbers.reshape(-1, 3).astype(np.int64)
    if model.shells is None:
        if not len(nodes):
            return Outside(every_node(len(model.points)), _NO_TRIANGLES, 0)
        return Outside(Riders(nodes.astype(np.int64)), triangles, len(nodes))
    from flexmb.elements.shell.faces import faces

    made = faces(model.shells)
    own = made.riders
    assert own.arms is not None and own.turning is not None
    arms = np.concatenate([np.zeros((len(nodes), 3)), own.arms])
    turning = np.concatenate([np.full(len(nodes), -1), own.turning])
    riders = Riders(np.concatenate([nodes.astype(np.int64), own.nodes]), arms, turning)
    return Outside(riders, np.concatenate([triangles, len(nodes) + made.triangles]), len(nodes))
