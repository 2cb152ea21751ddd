"""Exudyn 1.13: Hurty-Craig-Bampton modes of its `FEMinterface` from given matrices.

    python benchmarks/peer_exudyn_cb.py MATRICES.npz      prints cost and figures as JSON

Two rigid interfaces (RBE2), its sparse solver; with the first interface as reference 6 static modes and the eigenmodes
of the held body. Counted: `ComputeHurtyCraigBamptonModes` alone, which factorises twice by SciPy's SuperLU.
"""

from __future__ import annotations

import contextlib
import io
import sys

import numpy as np
from own_process import answer, cost_of
from problems_fe import read_craig_bampton

with contextlib.redirect_stdout(io.StringIO()):
    from exudyn.FEM import FEMinterface, HCBstaticModeSelection


def main() -> None:
    problem = read_craig_bampton(sys.argv[1])
    fem = FEMinterface()
    fem.nodes = {"Position": problem.points}
    fem.massMatrix, fem.stiffnessMatrix = problem.mass(), problem.stiffness.tocsr()
    ends = [problem.start.tolist(), problem.end.tolist()]

    def modes() -> None:
        mode = HCBstaticModeSelection.RBE2
        fem.ComputeHurtyCraigBamptonModes(ends, problem.modes, computationMode=mode, timerTreshold=10**9)

    cost, _ = cost_of(modes)
    frequencies = np.sort(np.sqrt(fem.eigenValues)) / (2 * np.pi)
    answer(**cost, unknowns=3 * len(problem.points), frequencies=frequencies.tolist())


if __name__ == "__main__":
    main()
