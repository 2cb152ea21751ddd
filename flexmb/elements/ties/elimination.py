"""Elimination of unknowns that follow others: u = T u_r exactly, without penalties.

Input: one row per dependent unknown, u_d = sum C_de u_e, from ties of all kinds; an unknown may follow one that follows
others. With C of all rows, u = C u + u_r, so that
    u = P u_r,  P = (1 - C)^-1 = 1 + C + C^2 + ...,  T = the columns of P of the independent unknowns,
and the stiffness of these is T^T K T. A dependent unknown of two ties and a chain that closes are rejected by name.

To second order along shapes k, l a dependent unknown has a motion s_kl of its own (rigid ties: ~w_k ~w_l r), and
u_kl = P (u_r,kl + s_kl).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from flexmb.arrays import Floats, Integers
from flexmb.errors import Fault, InputError

_LONGEST_CHAIN = 200
_NO_FORCE = 1e-9
"""Stiffness of a direction of a node, relative to its others, below which nothing holds it."""


class SecondOrder(Protocol):
    """Second-order motions of the dependent unknowns of a tie."""

    def add(self, blocks: Floats, pairs: Integers, out: Floats) -> None:
        """out (3 b, p) += those along the pairs of the shapes blocks : (b, 3, m)"""


@dataclass(frozen=True)
class TieRows:
    """Dependent unknowns of one tie."""

    name: str
    dependent: Integers
    """(d,) unknowns"""
    row: Integers
    """(e,) entries: number of the dependent unknown, unknown it follows, coefficient"""
    column: Integers
    value: Floats
    second: SecondOrder | None = None
    is_linear: bool = False
    """Whether the row holds for small motions only, so that a finite rotation would violate it"""


@dataclass(frozen=True)
class Elimination:
    """Dependent unknowns of a model, and the others."""

    closure: Any
    """(3 b, 3 b) P"""
    kept: Integers
    """(r,) blocks with an independent unknown"""
    T: Any
    """(3 b, 3 r), columns of dependent unknowns are zero"""
    seconds: tuple[SecondOrder, ...] = ()
    small_only: tuple[str, ...] = ()
    """Names of ties that hold for small motions only"""
    loose: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Nodes of no cell, or with rotations that no cell has: what nothing holds there does not move"""
    dependent: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """(d,) dependent unknowns"""
    roots: dict[int, int] = field(default_factory=dict)
    """Node that moves with another as a rigid body -> that one, the last of its chain"""

    def expand(self, u: Floats) -> Floats:
        """(3 b, k) all unknowns from the independent ones u : (3 r, k)"""
        return np.asarray(self.T @ u)

    def forces(self, f: Floats) -> Floats:
        """(3 r, k) forces on the independent unknowns from f : (3 b, k)"""
        return np.asarray(self.T.T @ f)

    @property
    def kept_rows(self) -> Integers:
        """(3 r,) unknowns of the kept blocks"""
        return (3 * self.kept[:, None] + np.arange(3)).ravel()

    def second_order(self, U: Floats, pairs: Integers, start: Floats) -> Floats:
        """(3 b, p) second-order motions of dependent unknowns along pairs of U : (3 b, m); start : those of others"""
        out = start.copy()
        blocks = U.reshape(-1, 3, U.shape[1])
        for second in self.seconds:
            second.add(blocks, pairs, out)
        return np.asarray(self.closure @ out)

    def stiffness(self, K: Any, rotations: Integers, n_nodes: int) -> tuple[Any, Any]:
        """T^T K T as BSR, and directions (3 r, m) that nothing holds: they have stiffness here, and stay at rest."""
        reduced = sparse.csr_array(self.T.T @ sparse.csr_array(K) @ self.T)
        diagonal = reduced.diagonal()
        size = float(np.median(diagonal[diagonal > 0.0])) if (diagonal > 0.0).any() else 1.0
        empty = np.flatnonzero(diagonal <= 0.0)
        rows, columns, values = [empty], [empty], [np.full(len(empty), size)]
        count = reduced.shape[0]
        free = [sparse.eye_array(count, format="csc")[:, empty]]
        for unknowns in self._loose_unknowns(rotations, n_nodes):
            own = unknowns[diagonal[unknowns] > 0.0]
            if not len(own):
                continue
            scale = np.sqrt(diagonal[own])
            block = reduced[own][:, own].toarray() / np.outer(scale, scale)
            found, axes = np.linalg.eigh(block)
            for axis in axes[:, found < _NO_FORCE].T:
                rows.append(np.repeat(own, len(own)))
                columns.append(np.tile(own, len(own)))
                values.append(np.outer(scale * axis, scale * axis).ravel())
                free.append(sparse.csc_array((axis / scale, (own, np.zeros_like(own))), shape=(count, 1)))
        entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
        whole = (reduced + sparse.coo_array(entries, shape=reduced.shape).tocsr()).tobsr(blocksize=(3, 3))
        whole.sort_indices()
        return whole, sparse.hstack(free, format="csc")

    def _loose_unknowns(self, rotations: Integers, n_nodes: int) -> list[Integers]:
        """Independent unknowns of every loose node, as numbers of columns of T"""
        place = np.full(n_nodes + len(rotations), -1, dtype=np.int64)
        place[self.kept] = np.arange(len(self.kept))
        block_of = np.full(n_nodes, -1, dtype=np.int64)
        block_of[rotations] = n_nodes + np.arange(len(rotations))
        found = []
        for node in self.loose.tolist():
            blocks = [place[block] for block in (node, block_of[node]) if block >= 0 and place[block] >= 0]
            found.append((3 * np.array(blocks, dtype=np.int64)[:, None] + np.arange(3)).ravel())
        return found


def eliminate(
    ties: Sequence[TieRows], n_blocks: int, loose: Integers, roots: dict[int, int] | None = None
) -> Elimination:
    """The elimination of all rows; raises the faults of ties that contradict each other."""
    dependent = np.concatenate([np.zeros(0, dtype=np.int64), *(tie.dependent for tie in ties)])
    owner = np.repeat(np.arange(len(ties)), [len(tie.dependent) for tie in ties])
    _reject_twice(ties, dependent, owner)
    row = np.concatenate([np.zeros(0, dtype=np.int64), *(tie.dependent[tie.row] for tie in ties)])
    column = np.concatenate([np.zeros(0, dtype=np.int64), *(tie.column for tie in ties)])
    value = np.concatenate([np.zeros(0), *(tie.value for tie in ties)])
    size = 3 * n_blocks
    C = sparse.coo_array((value, (row, column)), shape=(size, size)).tocsr()
    C.eliminate_zeros()
    closure, power = sparse.eye_array(size, format="csr"), C
    for _ in range(_LONGEST_CHAIN):
        if not power.nnz:
            break
        closure = closure + power
        power = (power @ C).tocsr()
        power.eliminate_zeros()
    else:
        rows = np.unique(power.nonzero()[0])
        names = dict.fromkeys(ties[owner[i]].name for i in np.flatnonzero(np.isin(dependent, rows)))
        text = f"the ties {', '.join(list(names)[:5])} follow each other in a loop"
        raise InputError([Fault(text, ("ties",), "Tie them in one direction: a dependent node follows its reference.")])
    independent = np.ones(size, dtype=bool)
    independent[dependent] = False
    kept = np.flatnonzero(independent.reshape(-1, 3).any(axis=1))
    rows = (3 * kept[:, None] + np.arange(3)).ravel()
    T = (closure[:, rows] @ sparse.diags_array(independent[rows].astype(float))).tocsr()
    T.eliminate_zeros()
    seconds = tuple(tie.second for tie in ties if tie.second is not None)
    small = tuple(dict.fromkeys(tie.name for tie in ties if tie.is_linear))
    return Elimination(closure, kept, T, seconds, small, loose, dependent, roots or {})


def _reject_twice(ties: Sequence[TieRows], dependent: Integers, owner: Integers) -> None:
    order = np.argsort(dependent, kind="stable")
    same = np.flatnonzero(np.diff(dependent[order]) == 0)
    pairs = {(ties[owner[order[i]]].name, ties[owner[order[i + 1]]].name) for i in same.tolist()}
    if pairs:
        hint = "A node can follow only one tie: take it out of one of them."
        raise InputError(
            [
                Fault(f"the ties '{a[:60]}' and '{b[:60]}' both move a node", ("ties",), hint)
                if a != b
                else Fault(f"the tie '{a[:60]}' moves a node twice", ("ties",), hint)
                for a, b in sorted(pairs)[:10]
            ]
        )
