"""Derivatives of the equations along directions of the state, by central differences in one compiled loop.

In: a workspace with a state (q, v, a, lam), directions (dq, dv, da, dlam), and numbers of the workspace that a program
of the system sets. Out: the derivatives of these numbers, (f(h) - f(-h))/(2 h), and the same with 2 h. Nothing is
solved for a direction: a state that the direction leads to need not satisfy the equations.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.layout import flat_arrays as L
from flexmb.machine_code.jit import call, kernel, program
from flexmb.solvers.mechanics import Mechanics
from flexmb.solvers.pointers import address_of, float_pointer, int_pointer
from flexmb.solvers.state_copy import copy_block

AT_I, AT_F, AT_PROGRAM, ARGUMENT, N_COLUMNS, N_STEPS, N_BLOCKS, N_READ, WIDTH, DQ, DV, DA, DLAM, BLOCKS = range(14)
"""K: addresses, counts, length of a direction and places of its parts in it (-1: none), then first place in W and
length of every block that is read, then a place in F for every column (-1: none) that the step is added to. S: q, v, a,
lam, steps, directions, then the derivatives."""
NUMBERS = 2_000_000
"""Numbers of S up to which columns are found together."""


@kernel
def _add(S, here, part, direction, h, W, at, count):
    """W[at..] = the numbers at S[here..], and h times a part of a direction where there is one."""
    for i in range(count):
        W[at + i] = S[here + i]
    if part >= 0:
        for i in range(count):
            W[at + i] += h * S[direction + part + i]


@kernel
def _move(I, F, W, S, K, direction, h):
    """Go from the state in S by h along a direction."""
    n, v = I[L.N_V], I[L.N_Q]
    copy_block(S, 0, W, I[L.QN], I[L.N_Q])
    for i in range(n):
        W[I[L.DQ] + i] = h * S[direction + K[DQ] + i] if K[DQ] >= 0 else 0.0
    _add(S, v, K[DV], direction, h, W, I[L.V], n)
    _add(S, v + n, K[DA], direction, h, W, I[L.A], n)
    _add(S, v + 2 * n, K[DLAM], direction, h, W, I[L.LAM], I[L.N_ROWS])
    call(I[L.AT_COMPOSE], I, F, W, 0)


@program
def differences(K, S, W, arg):
    """Derivatives of the read blocks along all directions; the state is left at the last of them."""
    I, F = int_pointer(K[AT_I]), float_pointer(K[AT_F])
    n, m, count = I[L.N_V], I[L.N_ROWS], K[N_COLUMNS]
    steps = I[L.N_Q] + 2 * n + m
    first, width = steps + count, K[WIDTH]
    out = first + count * width
    places = BLOCKS + 2 * K[N_BLOCKS]
    for c in range(count):
        for s in range(K[N_STEPS]):
            h = (s + 1) * S[steps + c]
            for side in range(2):
                signed = h if side == 0 else -h
                _move(I, F, W, S, K, first + c * width, signed)
                place = K[places + c]
                kept = 0.0
                if place >= 0:
                    kept = F[place]
                    F[place] = kept + signed
                call(K[AT_PROGRAM], I, F, W, K[ARGUMENT])
                if place >= 0:
                    F[place] = kept
                at = out
                for b in range(K[N_BLOCKS]):
                    start = K[BLOCKS + 2 * b]
                    for i in range(K[BLOCKS + 2 * b + 1]):
                        if side == 0:
                            S[at] = W[start + i]
                        else:
                            S[at] = (S[at] - W[start + i]) / (2.0 * h)
                        at += 1
            out += K[N_READ]


class Differences:
    """Derivatives at the state (q, v, a, lam) in the workspace of a mechanism, which is left as it was."""

    def __init__(self, mechanics: Mechanics):
        self.m = mechanics

    def along(
        self,
        slot: int,
        blocks: Sequence[tuple[int, int]],
        steps: Floats,
        dq: Floats | None = None,
        dv: Floats | None = None,
        da: Floats | None = None,
        dlam: Floats | None = None,
        *,
        places: Sequence[int] | None = None,
        argument: int = 0,
        both: bool = True,
    ) -> Floats:
        """(2, n, columns) derivatives along the columns of dq, dv, da (n_v, columns), dlam; without `both` (1, ...).

        slot : place of the program's address in I. blocks : first place in W and length. steps : (columns,) h.
        places : a constant of F that moves too, for every column
        """
        m, count = self.m, len(steps)
        parts = [part for part in (dq, dv, da, dlam) if part is not None]
        directions = np.vstack([np.zeros((0, count)), *parts]).T
        starts = np.cumsum([0, *(0 if part is None else len(part) for part in (dq, dv, da, dlam))])
        at = [-1 if part is None else int(start) for part, start in zip((dq, dv, da, dlam), starts, strict=False)]
        constants = np.full(count, -1) if places is None else np.array(places, dtype=np.int64)
        n_read, n_steps = sum(length for _, length in blocks), 2 if both else 1
        found = np.empty((count, n_steps, n_read))
        together = max(1, NUMBERS // (directions.shape[1] + n_steps * n_read + 1))
        flat, here = [number for block in blocks for number in block], m.state()
        state = np.concatenate([m.q, m.v, m.a, m.lam])
        for first in range(0, count, together):
            some = slice(first, min(count, first + together))
            size = some.stop - first
            head = [address_of(m.I), address_of(m.system.floats), int(m.I[slot]), argument, size, n_steps, len(blocks)]
            head += [n_read, directions.shape[1], *at, *flat, *constants[some]]
            K: Integers = np.array(head, dtype=np.int64)
            S = np.concatenate([state, steps[some], directions[some].ravel(), np.zeros(size * n_steps * n_read)])
            call(differences.address, K, S, m.W, 0)
            found[some] = S[len(S) - size * n_steps * n_read :].reshape(size, n_steps, n_read)
        m.put(here)
        return found.transpose(1, 2, 0)
