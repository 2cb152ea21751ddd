"""Estimate of the discretisation error of displacements of a mesh of solids and shells, and of where it arises.

The energy of the error, e^2, is found by recovery (`solid/discretisation`, `shell/discretisation`), cell by cell:

    share = (sum of e^2 + omega^2 times the kinetic energy that cells leave out) / U^T K U.

A mode's omega^2 is too high, and the compliance under a load too low, by about this share. Its density is that of e^2
around a node, relative to the mean energy density of the body, mean of all columns: its average over the volume is the
mean share.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.elements.fe_model import FEModel
from flexmb.elements.shell.discretisation import ShellErrors
from flexmb.elements.solid.discretisation import SolidErrors
from flexmb.elements.solid.elasticity import Elasticity
from flexmb.elements.solid.parallel import Progress
from flexmb.elements.solid.second_order import displacements

METHOD = "the Zienkiewicz-Zhu stress recovery"
_BYTES = 1e8
"""Memory of the recovered fields of the columns that are treated at a time"""


class ErrorEstimate(NamedTuple):
    """Estimated errors of columns of displacements."""

    shares: Floats
    """(m,) share by which the strain energy is wrong"""
    density: Floats
    """(n,) share around every node, mean of the columns; 0 at nodes without cells"""


def can_be_estimated(model: FEModel) -> bool:
    """Whether the model has solid or shell cells."""
    return model.mesh is not None and (model.shells is not None or isinstance(model.elastic, Elasticity))


def discretisation_errors(
    model: FEModel,
    U: Floats,
    loaded: Integers,
    omega_squared: Floats,
    rigid: Integers | None = None,
    progress: Progress | None = None,
) -> ErrorEstimate:
    """Errors of the columns of U : (3 b, m).

    loaded : nodes of the outer surface where forces act; rigid : those of rigid ties; omega_squared : (m,) of modes,
    zero for static shapes
    """
    parts: list[SolidErrors | ShellErrors] = []
    if isinstance(model.elastic, Elasticity):
        parts.append(SolidErrors(model, loaded))
    if model.shells is not None:
        parts.append(ShellErrors(model, np.zeros(0, dtype=np.int64) if rigid is None else rigid))
    volumes = [part.volumes() for part in parts]
    shares, found = np.zeros(U.shape[1]), [[np.zeros(len(v)) for v in own] for own in volumes]
    batch = max(1, int(_BYTES / sum(part.bytes for part in parts)))
    for first in range(0, U.shape[1], batch):
        if progress is not None:
            progress("estimating the discretisation error", first / U.shape[1])
        columns = displacements(model, np.ascontiguousarray(U[:, first : first + batch]))
        energy = np.einsum("im,im->m", columns, np.asarray(model.K @ columns))
        energy = np.where(energy > 0.0, energy, np.inf)
        for part, own in zip(parts, found, strict=True):
            errors, moving = part.errors(columns)
            kinetic = omega_squared[first : first + batch] * np.maximum(moving, 0.0)
            shares[first : first + batch] += (sum(e.sum(axis=0) for e in errors) + kinetic) / energy
            for total, error in zip(own, errors, strict=True):
                total += (error / energy).sum(axis=1) / U.shape[1]
    return ErrorEstimate(shares, _around_nodes(len(model.points), parts, volumes, found))


def _around_nodes(
    n: int, parts: list[SolidErrors | ShellErrors], volumes: list[list[Floats]], found: list[list[Floats]]
) -> Floats:
    """(n,) sum of the values of the cells of a node over the sum of their volumes, times the volume of all"""
    value, volume = np.zeros(n), np.zeros(n)
    for part, sizes, errors in zip(parts, volumes, found, strict=True):
        for nodes, size, error in zip(part.nodes, sizes, errors, strict=True):
            np.add.at(value, nodes, error[:, None])
            np.add.at(volume, nodes, size[:, None])
    total = sum(float(size.sum()) for sizes in volumes for size in sizes)
    return np.divide(total * value, volume, out=np.zeros(n), where=volume > 0.0)
