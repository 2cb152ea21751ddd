"""Exudyn 1.13 on the same problems: its module without range checks, one thread, generalized-alpha, no files written.

The slider-crank is modelled twice: as rigid bodies with joints (the usual way, Euler parameters) and as its
`KinematicTree` closed by a spherical joint (4 coordinates, 3 constraints: the tree flexmb uses as well). The trees also
run with a loose Newton tolerance, at which they take one iteration a step: their best speed, at a larger error.
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from problems import GRAVITY, Chain, SliderCrank
from timing import cpu_seconds

sys.exudynFast = True  # type: ignore[attr-defined]  # asks Exudyn for its build without range checks
with contextlib.redirect_stdout(io.StringIO()):
    import exudyn as exu
    import exudyn.itemInterface as items
    from exudyn.rigidBodyUtilities import RigidBodyInertia

RHO = 0.8


@dataclass(frozen=True)
class Newton:
    """How the equations of a step are solved; the tolerances are Exudyn's own unless said otherwise."""

    is_modified: bool
    relative: float = 1e-8
    absolute: float = 1e-10


CHAIN_NEWTONS = {"Exudyn": Newton(True), "Exudyn, loose Newton": Newton(True, 1e-4, 1e-6)}
"""Ways to run the chains; looser still, and the error of the free end is a hundred times that of the step."""


def settings(step: float, steps: int, newton: Newton) -> Any:
    """Generalized-alpha with `steps` fixed steps [s]; nothing written."""
    simulation = exu.SimulationSettings()
    simulation.timeIntegration.numberOfSteps = steps
    simulation.timeIntegration.endTime = step * steps
    simulation.timeIntegration.verboseMode = 0
    simulation.timeIntegration.adaptiveStep = False
    simulation.timeIntegration.generalizedAlpha.spectralRadius = RHO
    simulation.timeIntegration.newton.useModifiedNewton = newton.is_modified
    simulation.timeIntegration.newton.relativeTolerance = newton.relative
    simulation.timeIntegration.newton.absoluteTolerance = newton.absolute
    simulation.solution.file.write = False
    simulation.solution.sensors.active = False
    simulation.parallel.numberOfThreads = 1
    return simulation


def solve(mbs: Any, simulation: Any) -> float:
    """CPU seconds of a run that gets to its end."""
    ended: list[bool] = []
    seconds = cpu_seconds(lambda: ended.append(mbs.SolveDynamic(simulation)))
    if not all(ended):
        raise RuntimeError("Exudyn did not get to the end of the run")
    return seconds


def _rigid_marker(mbs: Any, body: Any, position: Any, R: Any = None) -> Any:
    frame = exu.HT(rotation=np.eye(3) if R is None else R, translation=position)
    return mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=body, localHT=frame))


def slider_crank_bodies(problem: SliderCrank, scale: float) -> tuple[Any, Callable[[], float]]:
    """Three rigid bodies and four joints; gives the system and a reader of the slider position."""
    mbs = exu.SystemContainer().AddSystem()
    R_rod, omega_rod = problem.rod_axes(), problem.rod_rate * scale
    omega_crank = np.array([problem.crank_rate * scale, 0.0, 0.0])
    v_B = np.cross(omega_crank, problem.B - problem.A)
    middle = (problem.B + problem.C) / 2
    half = float(np.linalg.norm(problem.C - problem.B)) / 2

    def body(index: int, J: Any, at: Any, R: Any, v: Any, omega: Any) -> Any:
        inertia = RigidBodyInertia(mass=problem.masses[index], inertiaTensor=np.diag(J), com=[0, 0, 0])
        return mbs.CreateRigidBody(
            inertia=inertia, nodeType=exu.NodeType.RotationEulerParameters, referencePosition=at,
            referenceRotationMatrix=R, initialVelocity=v, initialAngularVelocity=omega, gravity=[0, 0, -GRAVITY],
        )  # fmt: skip

    v_C = v_B + np.cross(omega_rod, problem.C - problem.B)
    crank = body(0, problem.J_crank, problem.A, np.eye(3), np.zeros(3), omega_crank)
    rod = body(1, problem.J_rod, middle, R_rod, v_B + np.cross(omega_rod, middle - problem.B), omega_rod)
    slider = body(2, problem.J_slider, problem.C, np.eye(3), v_C, np.zeros(3))
    ground = mbs.CreateGround()
    z_is_x = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    origin = [0.0, 0.0, 0.0]

    bearing = [_rigid_marker(mbs, ground, problem.A, z_is_x), _rigid_marker(mbs, crank, origin, z_is_x)]
    ball = [_rigid_marker(mbs, crank, problem.B - problem.A), _rigid_marker(mbs, rod, [-half, 0, 0])]
    cross = [_rigid_marker(mbs, slider, origin), _rigid_marker(mbs, rod, [half, 0, 0])]
    guide = [_rigid_marker(mbs, ground, problem.C), _rigid_marker(mbs, slider, origin)]
    mbs.AddObject(items.ObjectJointRevoluteZ(markerNumbers=bearing))
    mbs.AddObject(items.ObjectJointSpherical(markerNumbers=ball))
    # The one rotation equation is x(slider) . y(rod) = 0, the universal joint of the problem.
    mbs.AddObject(items.ObjectJointGeneric(markerNumbers=cross, constrainedAxes=[1, 1, 1, 0, 0, 1]))
    mbs.AddObject(items.ObjectJointPrismaticX(markerNumbers=guide))
    mbs.Assemble()
    return mbs, lambda: float(mbs.GetObjectOutputBody(slider, exu.OutputVariableType.Position, origin)[0])


def slider_crank_tree(problem: SliderCrank, scale: float) -> tuple[Any, Callable[[], float]]:
    """Tree of slider, cross, rod and crank, closed by a spherical joint at B."""
    mbs = exu.SystemContainer().AddSystem()
    R_rod = problem.rod_axes()
    length = float(np.linalg.norm(problem.C - problem.B))
    rates = problem.rates(scale)
    start = [rates[name] for name in ("slider", "cross_x", "cross_pin", "crank")]
    node = mbs.AddNode(
        items.NodeGenericODE2(
            referenceCoordinates=[0.0] * 4, initialCoordinates=[0.0] * 4, initialCoordinates_t=start,
            numberOfODE2Coordinates=4,
        )
    )  # fmt: skip
    kind, zero = exu.JointType, [0.0, 0.0, 0.0]
    inertias = [problem.J_slider, zero, problem.J_rod, problem.J_crank]
    tree = mbs.AddObject(
        items.ObjectKinematicTree(
            nodeNumber=node, gravity=[0, 0, -GRAVITY], linkParents=[-1, 0, 1, -1],
            jointTypes=[kind.PrismaticX, kind.RevoluteX, kind.RevoluteY, kind.RevoluteX],
            jointTransformations=exu.Matrix3DList([np.eye(3), np.eye(3), R_rod, np.eye(3)]),
            jointOffsets=exu.Vector3DList([problem.C, zero, zero, problem.A]),
            linkInertiasCOM=exu.Matrix3DList([np.diag(J) for J in inertias]),
            linkCOMs=exu.Vector3DList([zero, zero, [-length / 2, 0, 0], zero]),
            linkMasses=[problem.masses[2], 0.0, problem.masses[1], problem.masses[0]],
        )
    )  # fmt: skip
    places = [(2, [-length, 0, 0]), (3, problem.B - problem.A)]
    ball = [
        mbs.AddMarker(items.MarkerKinematicTreeRigid(objectNumber=tree, linkNumber=link, localPosition=place))
        for link, place in places
    ]
    mbs.AddObject(items.ObjectJointSpherical(markerNumbers=ball))
    mbs.Assemble()
    x0 = float(problem.C[0])
    return mbs, lambda: x0 + float(mbs.GetNodeOutput(node, exu.OutputVariableType.Coordinates)[0])


SLIDER_CRANKS: dict[str, tuple[Any, Newton]] = {
    "bodies and joints": (slider_crank_bodies, Newton(True)),
    "kinematic tree": (slider_crank_tree, Newton(False)),
    "kinematic tree, loose Newton": (slider_crank_tree, Newton(False, 1e-3, 1e-5)),
}
"""Model and Newton: modified is the faster choice for the bodies, full for the tree (measured)."""


def run_slider_crank(model: str, problem: SliderCrank, step: float, steps: int, scale: float) -> tuple[float, float]:
    """CPU seconds of the run and the slider position at its end."""
    build, newton = SLIDER_CRANKS[model]
    mbs, position = build(problem, scale)
    simulation = settings(step, steps, newton)
    return solve(mbs, simulation), position()


def run_chain(newton: Newton, problem: Chain, step: float, steps: int, shift: float) -> tuple[float, Any]:
    """CPU seconds of the run and the joint angles at its end."""
    n = problem.n
    q0, v0 = problem.start(shift)
    mbs = exu.SystemContainer().AddSystem()
    node = mbs.AddNode(
        items.NodeGenericODE2(
            referenceCoordinates=[0.0] * n, initialCoordinates=list(q0), initialCoordinates_t=list(v0),
            numberOfODE2Coordinates=n,
        )
    )  # fmt: skip
    kinds = {"z": exu.JointType.RevoluteZ, "y": exu.JointType.RevoluteY}
    mbs.AddObject(
        items.ObjectKinematicTree(
            nodeNumber=node, gravity=[0, 0, -GRAVITY], linkParents=list(range(-1, n - 1)),
            jointTypes=[kinds[problem.axis(link)] for link in range(n)],
            jointTransformations=exu.Matrix3DList([np.eye(3)] * n),
            jointOffsets=exu.Vector3DList([[problem.length if link else 0.0, 0, 0] for link in range(n)]),
            linkInertiasCOM=exu.Matrix3DList([np.diag(problem.J)] * n),
            linkCOMs=exu.Vector3DList([[problem.length / 2, 0, 0]] * n),
            linkMasses=[problem.mass] * n,
        )
    )  # fmt: skip
    mbs.Assemble()
    simulation = settings(step, steps, newton)
    seconds = solve(mbs, simulation)
    return seconds, np.array(mbs.GetNodeOutput(node, exu.OutputVariableType.Coordinates))
