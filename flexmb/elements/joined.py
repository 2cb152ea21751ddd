"""Models of solids, shells and beams on the same points, joined to one body.

Where cells of two models share a node they share its displacement, and its rotation if both have it. A shell or a beam
that ends at a node of a solid is hinged there: ties carry moments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from flexmb.arrays import Integers
from flexmb.elements.fe_model import FEModel
from flexmb.elements.riders import Riders


def joined(models: Sequence[FEModel]) -> FEModel:
    """The sum of models on the same points."""
    if len(models) == 1:
        return models[0]
    n = len(models[0].points)
    rotations = np.unique(np.concatenate([model.rotations for model in models])).astype(np.int64)
    size = 3 * (n + len(rotations))
    K, M = sparse.csr_array((size, size)), sparse.csr_array((size, size))
    for model in models:
        unknowns = _unknowns(model, rotations)
        K += _placed(model.K, unknowns, size)
        M += _placed(_by_direction(model), unknowns, size)
    K, M = K.tobsr(blocksize=(3, 3)), M.tobsr(blocksize=(3, 3))
    K.sort_indices()
    M.sort_indices()
    elastic = next((model.elastic for model in models if model.elastic is not None), None)
    shells = next((model.shells for model in models if model.shells is not None), None)
    if shells is not None:
        shells = shells.renumbered(rotations)
    mesh = next((model.mesh for model in models if model.mesh is not None), None)
    beams = next((model.beams for model in models if model.beams is not None), None)
    return FEModel(models[0].points, K, M, rotations, mesh, elastic, shells, _carriers(models, rotations), beams=beams)


def _unknowns(model: FEModel, rotations: Integers) -> Integers:
    """Place of every unknown of a model among those of the whole"""
    n = len(model.points)
    blocks = np.concatenate([np.arange(n), n + np.searchsorted(rotations, model.rotations)])
    return (3 * blocks[:, None] + np.arange(3)).ravel()


def _by_direction(model: FEModel) -> Any:
    return model.M if model.M.shape[0] == 3 * model.n_blocks else sparse.kron(model.M, sparse.eye_array(3))


def _placed(matrix: Any, unknowns: Integers, size: int) -> Any:
    entries = sparse.coo_array(matrix)
    where = (unknowns[entries.row], unknowns[entries.col])
    return sparse.coo_array((entries.data, where), shape=(size, size)).tocsr()


def _carriers(models: Sequence[FEModel], rotations: Integers) -> tuple[Riders, Any] | None:
    """The points that carry the mass of all models; None if one of them does not tell"""
    found = [model.carriers for model in models]
    masses = [mass for _, mass in found]
    if any(mass is None for mass in masses):
        return None
    nodes = np.concatenate([riders.nodes for riders, _ in found])
    arms = np.concatenate(
        [np.zeros((len(riders.nodes), 3)) if riders.arms is None else riders.arms for riders, _ in found]
    )
    n = len(models[0].points)
    has = np.isin(nodes, rotations)
    turning = np.where(has, n + np.searchsorted(rotations, nodes), -1)
    return Riders(nodes, arms, turning), sparse.csr_array(sparse.block_diag(masses))
