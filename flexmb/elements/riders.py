"""Points that ride on nodes: they move and turn with a node, at the end of a rigid arm.

The mass of a shell is that of points on its nodes and on their directors, a lumped mass sits beside its node, and both
faces of a shell are drawn and have stress. With displacement u and rotation th of the node the point moves by
u + th x arm, and to second order along amplitudes of shapes k, l by u_kl + th_kl x arm + sym(th_k x (th_l x arm)).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats, Integers


@dataclass(frozen=True)
class Riders:
    """Points on nodes of a model."""

    nodes: Integers
    """(p,)"""
    arms: Floats | None = None
    """(p, 3) from the node to the point [m]; None: all points are nodes"""
    turning: Integers | None = None
    """(p,) block of the rotation of the node; -1: it has none (its arm is zero)"""

    def places(self, points: Floats) -> Floats:
        """(p, 3) where the points are [m]"""
        return points[self.nodes] if self.arms is None else points[self.nodes] + self.arms

    def first(self, U: Floats) -> Floats:
        """(p, m, 3) motion of the points for the columns of U : (3 b, m)"""
        blocks = U.reshape(-1, 3, U.shape[1])
        moved = blocks[self.nodes].transpose(0, 2, 1)
        if self.arms is None:
            return moved
        return moved + np.cross(self._turns(blocks), self.arms[:, None])

    def second(self, U: Floats, pairs: Integers, G: Floats) -> Floats:
        """(p, pairs, 3) second-order motion, with the shapes U : (3 b, m) and their second order G : (3 b, pairs)"""
        moved = self.first(G)
        if self.arms is None:
            return moved
        turns = self._turns(U.reshape(-1, 3, U.shape[1]))
        swept = np.cross(turns, self.arms[:, None])
        k, l = pairs.T
        return moved + 0.5 * (np.cross(turns[:, k], swept[:, l]) + np.cross(turns[:, l], swept[:, k]))

    def _turns(self, blocks: Floats) -> Floats:
        """(p, m, 3) rotations of the nodes"""
        assert self.turning is not None
        turns = blocks[np.maximum(self.turning, 0)].transpose(0, 2, 1)
        return np.where((self.turning >= 0)[:, None, None], turns, 0.0)


def every_node(n: int) -> Riders:
    """The nodes themselves."""
    return Riders(np.arange(n))


def together(parts: Sequence[Riders]) -> Riders:
    """The points of several riders, one after the other."""
    arms = [np.zeros((len(part.nodes), 3)) if part.arms is None else part.arms for part in parts]
    none = [np.full(len(part.nodes), -1) if part.turning is None else part.turning for part in parts]
    return Riders(np.concatenate([part.nodes for part in parts]), np.concatenate(arms), np.concatenate(none))
