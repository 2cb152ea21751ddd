"""Exudyn 1.13 on the slider-crank with a meshed rod: `ObjectFFRFreducedOrder` from the matrices of the mesh.

Hurty-Craig-Bampton modes of its `FEMinterface`, both bores rigid interfaces (RBE2): 6 static modes and as many
fixed-interface modes as give the elastic coordinates of flexmb's rod. Its floating frame is linear in the deflection.

    python benchmarks/peer_exudyn_rod.py      prints the cost of a step
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from peer_exudyn import Newton, exu, items
from peer_exudyn_flexible import (
    FEMinterface,
    HCBstaticModeSelection,
    ObjectFFRFreducedOrderInterface,
    _crank,
    _slider,
    node_marker,
    rigid_interface,
    run,
    spherical,
)
from places import mesh_file
from problems_flexible import FLEXIBLE_SLIDER_CRANK, FlexibleSliderCrank
from scipy import sparse

import flexmb as fx
from flexmb.elements.solid.assemble import assemble

NEWTONS = {"Exudyn": Newton(True), "Exudyn, loose Newton": Newton(True, 1e-3, 1e-5)}
STATIC = 6


@cache
def _mesh() -> tuple[Any, Any, Any, list[list[int]]]:
    """Points [m] from the centre of the big bore along the rod, M and K, and the nodes of the two bores."""
    mesh = fx.read_mesh(mesh_file("connecting_rod_coarse.msh"), unit="mm")
    model = assemble(mesh, fx.MATERIALS["steel"])
    bores = [mesh.node_sets[name].tolist() for name in ("bore_big", "bore_small")]
    points = mesh.points - mesh.points[bores[0]].mean(axis=0)
    return points, sparse.kron(model.M, np.eye(3)).tocsr(), sparse.csr_matrix(model.K), bores


@cache
def _modes(coordinates: int) -> Any:
    """The reduced rod, computed once."""
    points, M, K, bores = _mesh()
    fem = FEMinterface()
    fem.nodes, fem.massMatrix, fem.stiffnessMatrix = {"Position": points}, M, K
    fem.ComputeHurtyCraigBamptonModes(
        bores, coordinates - STATIC, computationMode=HCBstaticModeSelection.RBE2, timerTreshold=10**9
    )
    return fem


def slider_crank(coordinates: int, problem: FlexibleSliderCrank, scale: float) -> Any:
    """The mechanism, assembled: pin at A, the slider held to the rod as by a universal joint at B."""
    mbs = exu.SystemContainer().AddSystem()
    v_A, omega = problem.start(scale)
    made = ObjectFFRFreducedOrderInterface(_modes(coordinates)).AddObjectFFRFreducedOrder(
        mbs, positionRef=[problem.crank, 0, 0], initialVelocity=v_A, initialAngularVelocity=omega
    )
    body, bores = made["oFFRFreducedOrder"], _mesh()[3]
    A, B = node_marker(mbs, body, bores[0]), rigid_interface(mbs, body, bores[1])
    spherical(mbs, _crank(mbs, problem, scale), A)
    guided = mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=_slider(mbs, problem)))
    mbs.AddObject(items.ObjectJointGeneric(markerNumbers=[guided, B], constrainedAxes=[1, 1, 1, 1, 0, 0]))
    mbs.Assemble()
    return mbs


def run_rod(newton: str, coordinates: int, step: float, steps: int, scale: float = 1.0) -> float:
    """CPU seconds of the run."""
    mbs = slider_crank(coordinates, FLEXIBLE_SLIDER_CRANK, scale)
    return run(mbs, step, steps, NEWTONS[newton], "EigenDense")


def main() -> None:
    for coordinates in (18, 50):
        for newton in NEWTONS:
            long, short = (run_rod(newton, coordinates, 8.4e-6, steps) for steps in (200, 50))
            print(f"{coordinates} coordinates, {newton}: step {1e6 * (long - short) / 150:.0f} us")


if __name__ == "__main__":
    main()
