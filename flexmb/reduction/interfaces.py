"""Interfaces: markers tied to nodes of a mesh, rigidly (RBE2) or by their average motion (RBE3).

With A_i = [1, -~r_i] the motion of node i, at r_i from the marker, under a rigid motion of the marker (displacement and
rotation vector, 6 numbers), and weights w_i (share of a node in the surface, or equal weights without a surface):
    RBE2    u_i = A_i m                           all nodes follow the marker
    RBE3    m = E u,  E = (sum w A^T A)^-1 A^T w  the marker follows the nodes in the least-squares sense
In both E u is the motion of the marker and E^T the nodal forces of a unit wrench on it: for RBE2 E A = 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.elements.fe_model import FEModel
from flexmb.errors import Fault, InputError
from flexmb.reduction.small_motions import skew_matrices

TIES = ("rbe2", "rbe3", "follower")
"""Ties of a marker: rigid, averaged, or averaged without modes of its own (follower)."""

_FLAT = 1e-6
"""Nodes whose extent across a line is smaller than this part of their extent along it cannot hold a rotation."""


@dataclass(frozen=True)
class Interface:
    """A marker tied to nodes."""

    name: str
    tie: str
    """One of TIES"""
    point: Floats
    """(3,) place of the marker [m]"""
    nodes: Integers
    """Its nodes"""
    blocks: Integers
    """(s,) blocks of unknowns of these nodes: displacements, then rotations of those nodes that have them"""
    A: Floats
    """(3 s, 6) motion of the blocks per unit rigid motion of the marker"""
    E: Floats
    """(6, 3 s) motion of the marker from that of the blocks"""

    @property
    def rows(self) -> Integers:
        """(3 s,) unknowns of the blocks"""
        return (3 * self.blocks[:, None] + np.arange(3)).ravel()

    def motion(self, U: Floats) -> Floats:
        """(6, k) displacement and rotation of the marker for the displacements U : (3 b, k)"""
        return self.E @ U[self.rows]

    def forces(self, n_unknowns: int) -> Floats:
        """(3 b, 6) nodal forces of unit wrenches on the marker"""
        B = np.zeros((n_unknowns, 6))
        B[self.rows] = self.E.T
        return B


def make_interface(
    model: FEModel, name: str, nodes: Any, tie: str = "rbe2", *, point: Any = None, weights: Floats | None = None
) -> Interface:
    """Tie a marker to nodes; default position: their weighted centre.

    weights : (nodes,) share of every node, by default equal
    """
    nodes = np.asarray(nodes, dtype=np.int64)
    place = ("interfaces", name)
    if tie not in TIES:
        raise InputError([Fault(f"there is no tie {tie!r}", place, f"Allowed: {', '.join(TIES)}.")])
    if not len(nodes):
        raise InputError([Fault("the interface has no nodes", place)])
    w = np.ones(len(nodes)) if weights is None else np.asarray(weights, dtype=float)
    w = w / w.sum()
    X = model.points[nodes]
    p = w @ X if point is None else np.asarray(point, dtype=float)
    turning = np.flatnonzero(np.isin(model.rotations, nodes))
    blocks = np.concatenate([nodes, len(model.points) + turning])
    parts = np.zeros((len(blocks), 3, 6))
    parts[: len(nodes), :, :3] = np.eye(3)
    parts[: len(nodes), :, 3:] = -skew_matrices(X - p)
    parts[len(nodes) :, :, 3:] = np.eye(3)
    # A rotation counts like a displacement at the distance of the nodes from the marker, which makes it a length.
    size = np.sqrt(w @ ((X - p) ** 2).sum(axis=1)) or 1.0
    turning_weights = np.full(len(turning), size**2 / max(len(turning), 1))
    A = parts.reshape(-1, 6)
    weighted = (parts * np.concatenate([w, turning_weights])[:, None, None]).reshape(-1, 6)
    normal = A.T @ weighted
    scale = np.array([1.0, 1.0, 1.0, 1.0 / size, 1.0 / size, 1.0 / size])
    if np.linalg.eigvalsh(scale[:, None] * normal * scale)[0] < _FLAT**2:
        text = f"{_count(len(nodes))} on one line cannot hold a rotation about that line"
        if len(nodes) == 1:
            text = "one node without rotations cannot hold a moment"
        raise InputError([Fault(text, place, "Use the nodes of a face, or at least three that do not lie on a line.")])
    E = scale[:, None] * np.linalg.solve(scale[:, None] * normal * scale, scale[:, None] * weighted.T)
    return Interface(name, tie, p, nodes, blocks, A, E)


def overlaps(interfaces: list[Interface]) -> list[Fault]:
    """Faults for nodes that two rigid ties share: they would have to follow both."""
    faults = []
    rigid = [interface for interface in interfaces if interface.tie == "rbe2"]
    for i, first in enumerate(rigid):
        for second in rigid[i + 1 :]:
            shared = np.intersect1d(first.blocks, second.blocks)
            if len(shared):
                text = f"shares {_count(len(shared))} with interface '{second.name}', and both are rigid (rbe2)"
                faults.append(
                    Fault(text, ("interfaces", first.name), "Tie one of them by rbe3, or choose other nodes.")
                )
    return faults


def _count(n: int) -> str:
    return "one node" if n == 1 else f"{n} nodes"
