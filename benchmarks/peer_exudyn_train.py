"""Exudyn 1.13 on the closed train of four-bars: rigid bodies of the plane, and of space.

In space the last joint of every loop holds two directions only, so that no row repeats others (with revolute joints
everywhere its matrices are singular). Bodies of space have Euler parameters. EigenSparse is the faster solver for these
sizes, modified Newton the faster iteration.

    python benchmarks/peer_exudyn_train.py      prints set-up, cost of a step and error of 101 bars
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from peer_exudyn import Newton, RigidBodyInertia, exu, items, settings, solve
from problems import GRAVITY, Train
from timing import cpu_seconds

NEWTONS = {"Exudyn": Newton(True), "Exudyn, loose Newton": Newton(True, 1e-4, 1e-6)}


def plane_train(problem: Train) -> tuple[Any, Callable[[], float]]:
    """Three coordinates a bar, two rows a joint; gives the system and a reader of the height of the first tip."""
    mbs = exu.SystemContainer().AddSystem()
    ground = mbs.AddObject(items.ObjectGround())
    bodies: dict[str, Any] = {"ground": ground}
    for name, x, y, angle in problem.bars():
        middle = [x + 0.5 * math.cos(angle), y + 0.5 * math.sin(angle), angle]
        node = mbs.AddNode(items.NodeRigidBody2D(referenceCoordinates=middle))
        body = mbs.AddObject(items.ObjectRigidBody2D(nodeNumber=node, mass=1.0, inertia=1.0 / 12.0))
        weight = mbs.AddMarker(items.MarkerBodyMass(bodyNumber=body))
        mbs.AddLoad(items.LoadMassProportional(markerNumber=weight, loadVector=[0, -GRAVITY, 0]))
        bodies[name] = body

    def marker(body: str, place: Any) -> Any:
        return mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=bodies[body], localPosition=place))

    for joint in problem.joints():
        mbs.AddObject(items.ObjectJointRevolute2D(markerNumbers=[marker(*end) for end in joint.ends(0.5)]))
    mbs.Assemble()
    return mbs, lambda: _height(mbs, bodies["r0"])


def space_train(problem: Train) -> tuple[Any, Callable[[], float]]:
    """Bodies with Euler parameters; feet and first joints of the couplers are revolute, the others hold x and y."""
    mbs = exu.SystemContainer().AddSystem()
    bodies: dict[str, Any] = {"ground": mbs.CreateGround()}
    inertia = RigidBodyInertia(mass=1.0, inertiaTensor=np.diag([0.01, 1 / 12, 1 / 12]), com=[0, 0, 0])
    for name, x, y, angle in problem.bars():
        c, s = math.cos(angle), math.sin(angle)
        bodies[name] = mbs.CreateRigidBody(
            inertia=inertia, nodeType=exu.NodeType.RotationEulerParameters, gravity=[0, -GRAVITY, 0],
            referencePosition=[x + 0.5 * c, y + 0.5 * s, 0.0],
            referenceRotationMatrix=np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]),
        )  # fmt: skip

    def marker(body: str, place: Any) -> Any:
        return mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=bodies[body], localPosition=place))

    for joint in problem.joints():
        markers = [marker(*end) for end in joint.ends(0.5)]
        if joint.closes:
            mbs.AddObject(items.ObjectJointGeneric(markerNumbers=markers, constrainedAxes=[1, 1, 0, 0, 0, 0]))
        else:
            mbs.AddObject(items.ObjectJointRevoluteZ(markerNumbers=markers))
    mbs.Assemble()
    return mbs, lambda: _height(mbs, bodies["r0"])


def _height(mbs: Any, rocker: Any) -> float:
    return float(mbs.GetObjectOutputBody(rocker, exu.OutputVariableType.Position, [0.5, 0, 0])[1])


TRAINS = {"plane": plane_train, "space": space_train}


def run_train(model: str, newton: str, problem: Train, steps: int) -> tuple[float, float, float]:
    """CPU seconds of setting up and of the run, and the error of the height of the first tip at its end [m]."""
    made: list[Any] = []
    set_up = cpu_seconds(lambda: made.append(TRAINS[model](problem)))
    mbs, height = made[0]
    simulation = settings(problem.step, steps, NEWTONS[newton])
    simulation.linearSolver.solverType = exu.LinearSolverType.EigenSparse
    seconds = solve(mbs, simulation)
    return set_up, seconds, abs(height() - problem.tip_height(steps * problem.step))


def main() -> None:
    for model in TRAINS:
        for newton in NEWTONS:
            set_up, long, error = run_train(model, newton, Train(101), 60)
            _, short, _ = run_train(model, newton, Train(101), 15)
            step = 1e6 * (long - short) / 45
            print(f"{model}, {newton}: set-up {set_up:.3f} s, step {step:.0f} us, error {error:.1e} m")


if __name__ == "__main__":
    main()
