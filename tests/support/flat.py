"""Short ways to the compiled equations of a system, for the tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.equations import programs
from flexmb.layout import flat_arrays as L
from flexmb.system.build import build_system


class Flat:
    """A system with a workspace and its quantities as arrays."""

    def __init__(self, spec: Any, **options: Any):
        self.system = build_system(spec, **options)
        programs.link(self.system.ints)
        programs.link_open_tree(self.system.ints)
        self.work = self.system.workspace()
        self.n, self.m = self.system.n_v, self.system.n_rows

    def get(self, slot: int, length: int) -> np.ndarray:
        return self.system.view(self.work, slot, length)

    def run(self, program: Any, arg: int = 0) -> None:
        program(self.system.ints, self.system.floats, self.work, arg)

    def set(
        self, q: np.ndarray | None = None, v: np.ndarray | None = None, a: np.ndarray | None = None, t: float = 0.0
    ) -> None:
        self.get(L.T, 1)[0] = t
        for slot, values in ((L.Q, q), (L.V, v), (L.A, a)):
            if values is not None:
                self.get(slot, len(values))[:] = values

    def moved(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        """q o step."""
        self.get(L.QN, len(q))[:] = q
        self.get(L.DQ, self.n)[:] = step
        self.run(programs.compose)
        return self.get(L.Q, len(q)).copy()

    def evaluate(self, q: np.ndarray, v: np.ndarray, t: float = 0.0) -> dict[str, np.ndarray]:
        """M, h, G, Phi, Phi_dot, gamma."""
        self.set(q, v, t=t)
        self.run(programs.system)
        n, m = self.n, self.m
        return {
            "M": self.get(L.M, n * n).reshape(n, n).copy(),
            "h": self.get(L.BIAS, n).copy(),
            "G": self.get(L.G, m * n).reshape(m, n).copy(),
            "phi": self.get(L.PHI, m).copy(),
            "phi_dot": self.get(L.PHI_DOT, m).copy(),
            "gamma": self.get(L.GAM, m).copy(),
        }

    def residual(
        self, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray | None = None, t: float = 0.0
    ) -> np.ndarray:
        self.set(q, v, a, t)
        if lam is not None:
            self.get(L.LAM, self.m)[:] = lam
        self.run(programs.residual)
        return self.get(L.RES, self.n).copy()

    def output(self) -> dict[str, np.ndarray]:
        """Channels of the present state."""
        self.run(programs.output)
        row = self.get(L.OUT, int(self.system.ints[L.N_OUT]))
        return {c.path: row[c.start : c.start + int(np.prod(c.shape))].copy() for c in self.system.channels}
