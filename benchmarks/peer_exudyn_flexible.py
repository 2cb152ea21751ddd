"""Exudyn 1.13 on the flexible problems: its module without range checks, one thread, generalized-alpha, no files.

Rod and links are modelled in the three ways Exudyn offers, each as lean as it gets:

- ANCF cable elements. Crank and slider are one-coordinate bodies, the slider's mass sits on the last node; reduced
  integration.
- `ObjectFFRFreducedOrder` by the usual way: a mesh, Hurty-Craig-Bampton modes of its `FEMinterface`, and rigid
  interfaces (`MarkerSuperElementRigid`) where a joint needs an orientation.
- `ObjectFFRFreducedOrder` at its best: matrices integrated here over the chord frame with sine shapes (the shapes of
  flexmb), the mode basis only at the nodes that joints use, joints on single nodes and on the coordinates of the frame.

The floating frame is linear in the deflection: it has no foreshortening, and its error in the slider-crank stays at
0.6 to 0.8 mm (chord frame, one to five sines a plane) or 1.5 mm (frame clamped at A) at every step below 0.3 ms.

Every model runs with Exudyn's own Newton tolerances and with looser ones that leave its error about the same ("loose
Newton"). The figures are those of 4 elements and 1000 steps in two turns: at smaller steps the error passes through
zero and comes to rest at 0.03 mm, at twice the step it is five times as large. Tried and slower: full Newton (1.4 to
3.5 times), a new Jacobian every step (1.2 to 1.7), other contractivities (equal), Newmark with index 2 (equal), a
prescribed path of A by user functions (1.6), frames with a Lie-group node (1.1 to 1.4), a universal joint instead of a
held Euler parameter (1.1), 8 instead of 4 elements (2; error 0.036 mm at this step, 0.005 mm at a quarter of it).
EigenDense is the fastest solver here.

    python benchmarks/peer_exudyn_flexible.py      prints cost, error and description of every model
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from peer_exudyn import Newton, exu, items, settings, solve
from problems_flexible import (
    FLEXIBLE_SLIDER_CRANK,
    Beam,
    FlexibleSliderCrank,
    beam_mesh,
)
from scipy import sparse
from timing import step_costs

from flexmb.arrays import Floats

with contextlib.redirect_stdout(io.StringIO()):
    from exudyn.FEM import FEMinterface, HCBstaticModeSelection, ObjectFFRFreducedOrderInterface
    from exudyn.rigidBodyUtilities import ComputeSkewMatrix

STRICT = Newton(True)
LOOSE_ROD = Newton(True, 1e-3, 1e-5)


class Figures(NamedTuple):
    """What a model costs and what it is worth."""

    seconds: float
    """[s] CPU time of a step."""
    error: float
    """[m] against the reference of the problem."""
    description: str


class Ends(NamedTuple):
    """Position markers on the rod at A, in the middle and at B."""

    A: Any
    middle: Any
    B: Any


@dataclass(frozen=True)
class Way:
    """A model and how its steps are solved; `build` leaves the system to be assembled."""

    build: Callable[..., tuple[Any, Any]]
    newton: Newton
    description: str


def also_loose(loose: Newton, ways: dict[str, Way]) -> dict[str, Way]:
    """Every way twice: as it is, and with tolerances at which it takes one or two iterations a step."""
    tolerances = f"tolerances {loose.relative:g} and {loose.absolute:g}"
    more = {
        f"{name}, loose Newton": replace(way, newton=loose, description=f"{way.description}, {tolerances}")
        for name, way in ways.items()
    }
    return ways | more


def _settings(step: float, steps: int, newton: Newton, solver: str) -> Any:
    simulation = settings(step, steps, newton)
    simulation.linearSolver.solverType = getattr(exu.LinearSolverType, solver)
    return simulation


def spherical(mbs: Any, first: Any, second: Any, axes: tuple[int, int, int] = (1, 1, 1)) -> None:
    mbs.AddObject(items.ObjectJointSpherical(markerNumbers=[first, second], constrainedAxes=list(axes)))


def hold(mbs: Any, node: Any, coordinates: tuple[int, ...]) -> None:
    """Keep coordinates of a node where they are at the start."""
    still = mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=mbs.AddNode(items.NodePointGround()), coordinate=0))
    for coordinate in coordinates:
        marker = mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=node, coordinate=coordinate))
        mbs.AddObject(items.ObjectConnectorCoordinate(markerNumbers=[still, marker]))


def _crank(mbs: Any, problem: FlexibleSliderCrank, scale: float) -> Any:
    """One rotation about the tilted axis at constant speed; gives the marker of its end A."""
    R, rate = problem.crank_axes(), problem.rate * scale
    node = mbs.AddNode(items.Node1D(referenceCoordinates=[0.0], initialCoordinates=[0.0], initialVelocities=[rate]))
    body = mbs.AddObject(items.ObjectRotationalMass1D(inertia=1e-4, nodeNumber=node, referenceRotation=R))
    ground = mbs.AddNode(items.NodePointGround())
    angles = [mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=of, coordinate=0)) for of in (ground, node)]
    mbs.AddObject(items.ObjectConnectorCoordinate(markerNumbers=angles, velocityLevel=True, offset=rate))
    return mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=body, localPosition=R.T @ [problem.crank, 0, 0]))


def _slider(mbs: Any, problem: FlexibleSliderCrank) -> Any:
    """A mass with one coordinate along x; gives its body."""
    node = mbs.AddNode(items.Node1D(referenceCoordinates=[0.0], initialCoordinates=[0.0], initialVelocities=[0.0]))
    B = [problem.crank + problem.rod.length, 0, 0]
    return mbs.AddObject(items.ObjectMass1D(mass=problem.slider_mass, nodeNumber=node, referencePosition=B))


def ancf_slider_crank(elements: int, problem: FlexibleSliderCrank, scale: float) -> tuple[Any, Ends]:
    """The rod as cable elements (no torsion: the universal joint at B is a pin); `elements` is even."""
    mbs = exu.SystemContainer().AddSystem()
    rod, (v_A, omega) = problem.rod, problem.start(scale)
    size, slope = rod.length / elements, np.cross(omega, [1.0, 0.0, 0.0])
    nodes = [
        mbs.AddNode(
            items.NodePointSlope1(
                referenceCoordinates=[problem.crank + k * size, 0, 0, 1, 0, 0],
                initialVelocities=[*(v_A + slope * k * size), *slope],
            )
        )
        for k in range(elements + 1)
    ]
    for pair in zip(nodes[:-1], nodes[1:], strict=True):
        mbs.AddObject(
            items.ObjectANCFCable(
                length=size, massPerLength=rod.line_mass, bendingStiffness=rod.E * rod.second_moment,
                axialStiffness=rod.E * rod.area, nodeNumbers=list(pair), useReducedOrderIntegration=1,
            )
        )  # fmt: skip
    mbs.AddObject(items.ObjectMassPoint(mass=problem.slider_mass, nodeNumber=nodes[-1]))
    hold(mbs, nodes[-1], (1, 2))
    places = (nodes[0], nodes[elements // 2], nodes[-1])
    ends = Ends(*(mbs.AddMarker(items.MarkerNodePosition(nodeNumber=node)) for node in places))
    spherical(mbs, _crank(mbs, problem, scale), ends.A)
    return mbs, ends


def _sines(beam: Beam, planes: dict[int, int], points: Floats) -> Floats:
    """Displacements (3 points, modes) of sin(k pi x/L) along the axes `planes` (axis: count); sections stay square."""
    columns = []
    for axis, count in planes.items():
        for k in np.arange(1, count + 1) * np.pi / beam.length:
            shape = np.zeros_like(points)
            shape[:, axis] = np.sin(k * points[:, 0])
            shape[:, 0] = -points[:, axis] * k * np.cos(k * points[:, 0])
            columns.append(shape.ravel())
    return np.column_stack(columns)


def floating_beam(beam: Beam, planes: dict[int, int], nodes: Floats) -> Any:
    """The data of an `ObjectFFRFreducedOrder` on the chord with sine shapes, known at `nodes` (n, 3) [m] for joints.

    Integrals over the centre line by Gauss points; the section has inertia about the axis of the beam only.
    """
    place, weight = np.polynomial.legendre.leggauss(20)
    x = (place + 1) * beam.length / 2
    points = np.column_stack([x, 0 * x, 0 * x])
    mass = np.repeat(beam.line_mass * weight * beam.length / 2, 3)[:, None]
    Psi, ones = _sines(beam, planes, points), np.tile(np.eye(3), (len(x), 1))
    Psi_skew, x_skew = ComputeSkewMatrix(Psi), ComputeSkewMatrix(points.ravel())
    wave = np.concatenate([np.arange(1, count + 1) * np.pi / beam.length for count in planes.values()])
    body = ObjectFFRFreducedOrderInterface()
    body.rigidBodyNodeType = exu.NodeType.RotationEulerParameters
    body.trigList, body.postProcessingModes = [], {}
    body.nModes, body.modeBasis, body.xRef = Psi.shape[1], _sines(beam, planes, nodes), nodes.ravel()
    body.stiffnessMatrixReduced = np.diag(beam.E * beam.second_moment * wave**4 * beam.length / 2)
    body.massMatrixReduced = np.eye(len(wave)) * beam.line_mass * beam.length / 2
    body.totalMass = beam.line_mass * beam.length
    body.chiU = np.array([beam.length / 2, 0.0, 0.0])
    body.inertiaLocal = x_skew.T @ (mass * x_skew)
    body.inertiaLocal[0, 0] += 2 * beam.density * beam.second_moment * beam.length
    body.mPsiTildePsi = Psi_skew.T @ (mass * Psi)
    body.mPsiTildePsiTilde = Psi_skew.T @ (mass * Psi_skew)
    body.mPhitTPsi = ones.T @ (mass * Psi)
    body.mPhitTPsiTilde = ones.T @ (mass * Psi_skew)
    body.mXRefTildePsi = x_skew.T @ (mass * Psi)
    body.mXRefTildePsiTilde = x_skew.T @ (mass * Psi_skew)
    return body


def node_marker(mbs: Any, body: Any, nodes: list[int]) -> Any:
    weights = [1 / len(nodes)] * len(nodes)
    return mbs.AddMarker(
        items.MarkerSuperElementPosition(bodyNumber=body, meshNodeNumbers=nodes, weightingFactors=weights)
    )


def rigid_interface(mbs: Any, body: Any, nodes: list[int], R: Any = None) -> Any:
    frame = exu.HT(rotation=np.eye(3) if R is None else R, translation=[0, 0, 0])
    return mbs.AddMarker(
        items.MarkerSuperElementRigid(
            bodyNumber=body, meshNodeNumbers=nodes, weightingFactors=[1 / len(nodes)] * len(nodes), localHT=frame
        )
    )


def sine_slider_crank(modes: int, problem: FlexibleSliderCrank, scale: float) -> tuple[Any, Ends]:
    """The rod on its chord, `modes` sines a plane. The frame's origin is A; its spin is held by an Euler parameter,
    as good as by the universal joint for a round rod and cheaper."""
    mbs = exu.SystemContainer().AddSystem()
    rod, (v_A, omega) = problem.rod, problem.start(scale)
    nodes = np.array([[rod.length / 2, 0, 0], [rod.length, 0, 0]])
    made = floating_beam(rod, {1: modes, 2: modes}, nodes).AddObjectFFRFreducedOrder(
        mbs, positionRef=[problem.crank, 0, 0], initialVelocity=v_A, initialAngularVelocity=omega
    )
    body, frame = made["oFFRFreducedOrder"], made["nRigidBody"]
    A = mbs.AddMarker(items.MarkerNodePosition(nodeNumber=frame))
    ends = Ends(A, node_marker(mbs, body, [0]), node_marker(mbs, body, [1]))
    spherical(mbs, _crank(mbs, problem, scale), ends.A)
    spherical(mbs, mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=_slider(mbs, problem))), ends.B)
    hold(mbs, frame, (4,))
    return mbs, ends


def craig_bampton_slider_crank(modes: int, problem: FlexibleSliderCrank, scale: float) -> tuple[Any, Ends]:
    """The rod as mesh of 8 elements, clamped at A: 6 static modes of its end B and `modes` fixed-interface modes."""
    mbs = exu.SystemContainer().AddSystem()
    v_A, omega = problem.start(scale)
    nodes, M, K = beam_mesh(problem.rod, 8)
    at = [list(range(first, first + 4)) for first in (0, len(nodes) // 2 - 2, len(nodes) - 4)]
    fem = FEMinterface()
    fem.nodes = {"Position": nodes}
    fem.massMatrix, fem.stiffnessMatrix = sparse.csr_matrix(M), sparse.csr_matrix(K)
    fem.ComputeHurtyCraigBamptonModes([at[0], at[2]], modes, computationMode=HCBstaticModeSelection.RBE2)
    made = ObjectFFRFreducedOrderInterface(fem).AddObjectFFRFreducedOrder(
        mbs, positionRef=[problem.crank, 0, 0], initialVelocity=v_A, initialAngularVelocity=omega
    )
    body = made["oFFRFreducedOrder"]
    ends = Ends(node_marker(mbs, body, at[0]), node_marker(mbs, body, at[1]), rigid_interface(mbs, body, at[2]))
    spherical(mbs, _crank(mbs, problem, scale), ends.A)
    guided = mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=_slider(mbs, problem)))
    mbs.AddObject(items.ObjectJointGeneric(markerNumbers=[guided, ends.B], constrainedAxes=[1, 1, 1, 1, 0, 0]))
    return mbs, ends


SLIDER_CRANKS: dict[str, Way] = also_loose(
    LOOSE_ROD,
    {
        **{
            f"{n} ANCF cable elements": Way(
                partial(ancf_slider_crank, n),
                STRICT,
                f"{6 * n + 7} coordinates, 6 constraints, reduced integration",
            )
            for n in (4, 6, 8, 16)
        },
        "floating frame, 8 Craig-Bampton modes": Way(
            partial(craig_bampton_slider_crank, 2), STRICT, "17 coordinates, 9 constraints, rigid interface at B"
        ),
        "floating frame, 6 sines": Way(
            partial(sine_slider_crank, 3), STRICT, "15 coordinates, 9 constraints, joints on single nodes"
        ),
    },
)


CURVES = tuple(name for name in SLIDER_CRANKS if "loose" not in name or ("ANCF" in name and not name.startswith("16")))
"""The models of the work-precision diagram, without looser tolerances where the error is not that of the steps
(floating frames) and where eight elements do as well (sixteen)"""


def run(mbs: Any, step: float, steps: int, newton: Newton, solver: str) -> float:
    """CPU seconds of a run that gets to its end."""
    simulation = _settings(step, steps, newton, solver)
    return solve(mbs, simulation)


def run_slider_crank(model: str, problem: FlexibleSliderCrank, step: float, steps: int, scale: float) -> float:
    """CPU seconds of `steps` steps."""
    way = SLIDER_CRANKS[model]
    mbs, _ = way.build(problem, scale)
    mbs.Assemble()
    return run(mbs, step, steps, way.newton, "EigenDense")


def run_recorded(model: str, problem: FlexibleSliderCrank, step: float, steps: int, scale: float) -> Any:
    """Build, assemble and run a model, with the place of the rod's middle kept in memory after every step."""
    way = SLIDER_CRANKS[model]
    mbs, ends = way.build(problem, scale)
    kept = {"outputVariableType": exu.OutputVariableType.Position, "storeInternal": True, "writeToFile": False}
    sensor = mbs.AddSensor(items.SensorMarker(markerNumber=ends.middle, **kept))
    mbs.Assemble()
    simulation = _settings(step, steps, way.newton, "EigenDense")
    simulation.solution.sensors.active = True
    simulation.solution.sensors.writePeriod = step
    solve(mbs, simulation)
    return mbs.GetSensorStoredData(sensor)


def slider_crank_error(model: str, problem: FlexibleSliderCrank, steps: int) -> float:
    """Largest error of the deflection [m] over two turns in `steps` steps; not timed, as it records."""
    way = SLIDER_CRANKS[model]
    mbs, ends = way.build(problem, 1.0)
    position = exu.OutputVariableType.Position
    kept = {"outputVariableType": position, "storeInternal": True, "writeToFile": False}
    sensors = [mbs.AddSensor(items.SensorMarker(markerNumber=end, **kept)) for end in ends]
    mbs.Assemble()
    simulation = _settings(problem.end / steps, steps, way.newton, "EigenDense")
    simulation.solution.sensors.active = True
    simulation.solution.sensors.writePeriod = problem.end / steps
    solve(mbs, simulation)
    A, middle, B = (np.array(mbs.GetSensorStoredData(sensor)) for sensor in sensors)
    off = middle[:, 1:] - (A[:, 1:] + B[:, 1:]) / 2
    return problem.largest_error(A[:, 0], off[:, 1], off[:, 2])


def measure_slider_crank(model: str, problem: FlexibleSliderCrank, steps: int = 1000, repeats: int = 3) -> Figures:
    """Cost of a step and error of two turns in `steps` steps."""

    def seconds(count: int, repeat: int) -> float:
        return run_slider_crank(model, problem, problem.end / steps, count, 1 + 1e-9 * repeat)

    cost = step_costs({model: seconds}, steps, repeats)[model]
    return Figures(cost, slider_crank_error(model, problem, steps), SLIDER_CRANKS[model].description)


def print_figures(name: str, figures: Figures) -> None:
    print(f"{name:56} {figures.seconds * 1e6:7.1f} us a step   error {figures.error:.2e} m   {figures.description}")


def main() -> None:
    for name in SLIDER_CRANKS:
        print_figures(name, measure_slider_crank(name, FLEXIBLE_SLIDER_CRANK))


if __name__ == "__main__":
    main()
