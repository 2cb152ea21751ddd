"""Second-order forces of shells: the second derivatives of their internal force along pairs of shapes."""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.elements.fe_model import FEModel
from flexmb.elements.shell.assemble import ShellData, cell_arguments, table_arguments
from flexmb.elements.shell.kernels import nonlinear
from flexmb.elements.solid.parallel import over_chunks


def add_second_order_forces(model: FEModel, U: Floats, pairs: Integers, forces: Floats) -> None:
    """forces (3 b, p) += those of the shell cells for the columns of U : (3 b, m)"""
    data: ShellData = model.shells
    pairs = np.ascontiguousarray(pairs, dtype=np.int64)
    for block in data.blocks:
        arguments = (model.points, *cell_arguments(block, data), *table_arguments(block.tables))
        over_chunks(nonlinear.second_order_chunks, block.chunks, *arguments, data.rotation, U, pairs, forces)
