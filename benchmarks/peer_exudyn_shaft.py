"""Exudyn 1.13 on the rotating shaft: geometrically exact beams, the disc on the node between them.

The angle of the shaft is that of a very heavy rotor under a constant torque, so that no function of Python is called in
a step. Nodes have Euler parameters (with the Lie-group node the run ends in the first steps). EigenSparse is the faster
solver here, modified Newton the faster iteration; tolerances looser than those below change the motion.

    python benchmarks/peer_exudyn_shaft.py      prints the cost of a step and the place of the disc
"""

from __future__ import annotations

from typing import Any

import numpy as np
from peer_exudyn import Newton, RigidBodyInertia, exu, items, settings, solve
from problems import GRAVITY, SHAFT, Shaft

NEWTONS = {"Exudyn": Newton(True), "Exudyn, loose Newton": Newton(True, 1e-4, 1e-6)}
ELEMENTS = 8
"""Elements of each of the two beams"""
ROTOR = 1e6
"""[kg m^2]"""


def shaft(problem: Shaft, elements: int) -> tuple[Any, Any]:
    """The system, assembled, and the node of the disc."""
    mbs = exu.SystemContainer().AddSystem()
    G = problem.E / (2 * (1 + problem.nu))
    section = exu.BeamSection()
    section.massPerLength = problem.density * problem.area
    section.inertia = problem.density * np.diag([problem.J, problem.I, problem.I])
    shear = problem.shear * G * problem.area
    stiff = [problem.E * problem.area, shear, shear, G * problem.J, problem.E * problem.I, problem.E * problem.I]
    section.stiffnessMatrix = np.diag(stiff)
    size = problem.half / elements
    nodes = [
        mbs.AddNode(items.NodeRigidBodyEP(referenceCoordinates=[k * size, 0, 0, 1, 0, 0, 0]))
        for k in range(2 * elements + 1)
    ]
    for first, second in zip(nodes[:-1], nodes[1:], strict=True):
        beam = mbs.AddObject(
            items.ObjectBeamGeometricallyExact(nodeNumbers=[first, second], length=size, sectionData=section)
        )
        weight = mbs.AddMarker(items.MarkerBodyMass(bodyNumber=beam))
        mbs.AddLoad(items.LoadMassProportional(markerNumber=weight, loadVector=[0, 0, -GRAVITY]))
    disc = RigidBodyInertia(mass=problem.mass, inertiaTensor=np.diag(problem.disc), com=[0, 0, 0])
    disc = disc.Translated([0, 0, problem.eccentricity])
    body = mbs.AddObject(
        items.ObjectRigidBody(
            mass=disc.mass, inertia=disc.GetInertia6D(), centerOfMass=disc.com, nodeNumber=nodes[elements]
        )
    )
    weight = mbs.AddMarker(items.MarkerBodyMass(bodyNumber=body))
    mbs.AddLoad(items.LoadMassProportional(markerNumber=weight, loadVector=[0, 0, -GRAVITY]))
    _bearings(mbs, problem, nodes[0], nodes[-1])
    mbs.Assemble()
    return mbs, nodes[elements]


def _bearings(mbs: Any, problem: Shaft, left: Any, right: Any) -> None:
    """A rotor that drives the left end, and a bearing that leaves the right one free to turn and slide."""
    angle = mbs.AddNode(items.Node1D(referenceCoordinates=[0.0], initialCoordinates=[0.0], initialVelocities=[0.0]))
    x_is_z = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    rotor = mbs.AddObject(items.ObjectRotationalMass1D(inertia=ROTOR, nodeNumber=angle, referenceRotation=x_is_z))
    torque = mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=angle, coordinate=0))
    mbs.AddLoad(items.LoadCoordinate(markerNumber=torque, load=2 * problem.spin * ROTOR))
    turned = exu.HT(rotation=x_is_z.T, translation=[0, 0, 0])
    driven = [
        mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=rotor, localHT=turned)),
        mbs.AddMarker(items.MarkerNodeRigid(nodeNumber=left)),
    ]
    mbs.AddObject(items.ObjectJointGeneric(markerNumbers=driven, constrainedAxes=[1, 1, 1, 1, 1, 1]))
    ground = mbs.CreateGround()
    held = [
        mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=ground, localPosition=[2 * problem.half, 0, 0])),
        mbs.AddMarker(items.MarkerNodeRigid(nodeNumber=right)),
    ]
    mbs.AddObject(items.ObjectJointGeneric(markerNumbers=held, constrainedAxes=[0, 1, 1, 0, 1, 1]))


def run_shaft(newton: str, problem: Shaft, elements: int, steps: int) -> tuple[float, Any]:
    """CPU seconds of the run and the place of the disc [m] at its end."""
    mbs, disc = shaft(problem, elements)
    simulation = settings(problem.step, steps, NEWTONS[newton])
    simulation.linearSolver.solverType = exu.LinearSolverType.EigenSparse
    seconds = solve(mbs, simulation)
    return seconds, np.array(mbs.GetNodeOutput(disc, exu.OutputVariableType.Position))


def main() -> None:
    for newton in NEWTONS:
        long, place = run_shaft(newton, SHAFT, ELEMENTS, 1000)
        short, _ = run_shaft(newton, SHAFT, ELEMENTS, 250)
        print(f"{newton}: step {1e6 * (long - short) / 750:.0f} us, disc at {place}")


if __name__ == "__main__":
    main()
