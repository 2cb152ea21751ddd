"""The outside of a body: points that are drawn and have stress, and the triangles between them.

Solids show the faces that belong to one cell, shells both their faces and their rims, beams a prism.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.elements.beam_tubes import tubes
from flexmb.elements.fe_model import FEModel
from flexmb.elements.riders import Riders, together
from flexmb.mesh.surface import outer_surface

_NO_TRIANGLES = np.zeros((0, 3), dtype=np.int64)


@dataclass(frozen=True)
class Outside:
    """Points on nodes, and triangles between them."""

    riders: Riders
    triangles: Integers
    """(t, 3) points of the riders"""
    of_solids: int
    """The first points are nodes of solids, the others on the faces of shells, then on beams"""

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
    """The outside of a model; without a mesh it has none."""
    if model.mesh is None:
        return Outside(Riders(np.zeros(0, dtype=np.int64)), _NO_TRIANGLES, 0)
    nodes, numbers = np.unique(outer_surface(model.mesh)[0], return_inverse=True)
    solids = (Riders(nodes.astype(np.int64)), numbers.reshape(-1, 3).astype(np.int64))
    parts = [solids] if len(nodes) else []
    if model.shells is not None:
        from flexmb.elements.shell.faces import faces

        made = faces(model.shells)
        parts.append((made.riders, made.triangles))
    if model.beams is not None:
        parts.append(tubes(model))
    if len(parts) < 2:
        return Outside(*(parts[0] if parts else solids), len(nodes))
    firsts = np.cumsum([0, *(len(riders.nodes) for riders, _ in parts)])
    triangles = np.concatenate([first + own for first, (_, own) in zip(firsts, parts, strict=False)])
    return Outside(together([riders for riders, _ in parts]), triangles, len(nodes))
