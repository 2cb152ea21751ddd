"""Second-order forces of a model: those of its solid cells and those of its shells."""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.elements.fe_model import FEModel
from flexmb.elements.solid import second_order as solid
from flexmb.elements.solid.elasticity import Elasticity
from flexmb.elements.solid.parallel import Progress


def has_second_order(model: FEModel) -> bool:
    """Whether second-order forces and stress of all cells of a model are known: solids and shells, not beams."""
    if model.mesh is None or model.beams is not None or model.carriers[1] is None:
        return False
    return isinstance(model.elastic, Elasticity) or model.shells is not None


def second_order_forces(model: FEModel, U: Floats, pairs: Integers, *, progress: Progress | None = None) -> Floats:
    """(3 b, p) second derivatives of the internal force [N] by the amplitudes of the columns k, l of U : (3 b, m)."""
    if isinstance(model.elastic, Elasticity):
        forces = solid.second_order_forces(model, U, pairs, progress=progress)
    else:
        forces = np.zeros((3 * model.n_blocks, len(pairs)))
    if model.shells is not None:
        from flexmb.elements.shell.second_order import add_second_order_forces

        add_second_order_forces(model, solid.displacements(model, U), pairs, forces)
    for spring in model.springs:
        spring.add_second(U, pairs, forces)
    return forces
