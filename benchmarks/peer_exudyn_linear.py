"""Exudyn on the eigenvalues of a hanging chain: its `KinematicTree`, in joint coordinates.

Bodies with joints have no comparable answer: the stiffness that `ComputeODE2Eigenvalues` takes has no part of the joint
forces, so that all frequencies of the chain are zero.
"""

from __future__ import annotations

import contextlib
import io
import sys
from typing import Any

import numpy as np
from timing import cpu_seconds

sys.exudynFast = True  # type: ignore[attr-defined]  # asks Exudyn for its build without range checks
with contextlib.redirect_stdout(io.StringIO()):
    import exudyn as exu
    import exudyn.itemInterface as items


def chain_modes(n: int, repeats: int) -> tuple[float, float]:
    """CPU time [s] of all eigenvalues with their vectors, and the lowest frequency [Hz]; links of 1 m and 1 kg."""
    mbs = exu.SystemContainer().AddSystem()
    found: list[Any] = []
    zeros = [0.0] * n
    node = mbs.AddNode(
        items.NodeGenericODE2(
            referenceCoordinates=zeros, initialCoordinates=zeros, initialCoordinates_t=zeros, numberOfODE2Coordinates=n
        )
    )
    mbs.AddObject(
        items.ObjectKinematicTree(
            nodeNumber=node, gravity=[9.81, 0, 0], linkParents=list(range(-1, n - 1)),
            jointTypes=[exu.JointType.RevoluteZ] * n,
            jointTransformations=exu.Matrix3DList([np.eye(3)] * n),
            jointOffsets=exu.Vector3DList([[1.0 if link else 0.0, 0, 0] for link in range(n)]),
            linkInertiasCOM=exu.Matrix3DList([np.diag([0.01, 1 / 12, 1 / 12])] * n),
            linkCOMs=exu.Vector3DList([[0.5, 0, 0]] * n),
            linkMasses=[1.0] * n,
        )
    )  # fmt: skip
    mbs.Assemble()

    def solve() -> None:
        found[:] = mbs.ComputeODE2Eigenvalues(useSparseSolver=False, numberOfEigenvalues=0)

    best = min(cpu_seconds(solve) for _ in range(repeats))
    return best, float(np.sqrt(np.min(np.abs(found[0]))) / (2.0 * np.pi))


if __name__ == "__main__":
    print(chain_modes(50, 5))
