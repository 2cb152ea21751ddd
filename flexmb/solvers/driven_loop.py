"""Python interface to the compiled loop of a driven motion: rows of the next output times, block by block."""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Floats
from flexmb.layout import driven_state as ds
from flexmb.layout import flat_arrays as L
from flexmb.machine_code.jit import Program
from flexmb.solvers import driven_kernels, linear_algebra
from flexmb.solvers.mechanics import Mechanics
from flexmb.solvers.pointers import address_of

PROGRAMS = {
    ds.AT_FACTOR: linear_algebra.factor,
    ds.AT_SOLVE: linear_algebra.solve,
    ds.AT_SOLVE_TRANSPOSED: linear_algebra.solve_transposed,
    ds.AT_CLOSE: driven_kernels.close,
    ds.AT_VALUE: driven_kernels.value,
}
KINEMATIC = {ds.AT_INSTANT: driven_kernels.kinematic_instant}


class DrivenLoop:
    """K and S of the loop over the output times of one analysis, which works on the state in W."""

    def __init__(self, mechanics: Mechanics, times: Floats, split: ds.Split, programs: dict[int, Program]):
        m = self.m = mechanics
        self.times = np.ascontiguousarray(times)
        self.K, self.S = ds.make_driven_state(m.I, m.scale, m.system.elastic, split)
        K, S = self.K, self.S
        self.block = np.zeros((0, int(m.I[L.N_OUT])))
        K[ds.AT_I], K[ds.AT_F] = address_of(m.I), address_of(m.system.floats)
        K[ds.AT_TIMES], K[ds.N_TIMES] = address_of(self.times), len(times)
        S[ds.T_START], S[ds.T_END], S[ds.SHORTEST] = times[0], times[-1], np.min(np.diff(times), initial=np.inf)
        for slot, entry in (PROGRAMS | programs).items():
            K[slot] = entry.address

    def view(self, slot: int, size: int) -> Floats:
        """A block of S."""
        start = int(self.K[slot])
        return self.S[start : start + size]

    def run(self, first: int, most: int) -> tuple[Floats, bool]:
        """Rows of at most `most` output times from number `first` on; False when the next is left to Python."""
        K = self.K
        if most > len(self.block):
            self.block = np.zeros((most, self.block.shape[1]))
            K[ds.AT_ROWS] = address_of(self.block)
        K[ds.NEXT], K[ds.ROW_BUDGET] = first, most
        driven_kernels.advance(K, self.S, self.m.W)
        return self.block[: K[ds.ROWS]].copy(), bool(K[ds.STATUS] == ds.OK)
