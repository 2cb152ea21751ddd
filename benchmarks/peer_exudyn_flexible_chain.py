"""Exudyn 1.13 on the chain of flexible links: floating frames with four sines each, and plane cables for information.

Floating frames (`ObjectFFRFreducedOrder`) are joined by the usual way, revolute joints between rigid interfaces, and
at their best, three coordinates of each frame held and two equations a pin. Their gravity leaves out the moment of the
deflected mass, 3e-6 m at the free end. EigenSparse is the fastest solver here, by 1.2 to 1.6 times; full Newton takes
3.5 times as long, a new Jacobian every step 1.7 times. See peer_exudyn_flexible.py for the bodies.

    python benchmarks/peer_exudyn_flexible_chain.py      prints cost, error and description of every model
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from peer_exudyn import Newton, exu, items
from peer_exudyn_flexible import (
    STRICT,
    Figures,
    Way,
    also_loose,
    floating_beam,
    hold,
    node_marker,
    print_figures,
    rigid_interface,
    run,
    spherical,
)
from problems_flexible import FLEXIBLE_CHAIN, GRAVITY, FlexibleChain
from timing import step_costs

from flexmb.arrays import Floats

LOOSE = Newton(True, 1e-4, 1e-6)
"""Looser still, and the error of the free end is ten times that of the step."""
ROUND_OFF = Newton(True, 1e-6, 1e-7)
"""For the cables: 10 m from the origin the tension of a tube is known to 1e-7 N, so that 1e-10 is never reached."""


def interface_chain(problem: FlexibleChain, shift: float) -> tuple[Any, Callable[[], Floats]]:
    """Revolute joints between rigid interfaces of four nodes: the usual way."""
    mbs = exu.SystemContainer().AddSystem()
    beam, z_is_y = problem.beam, np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])
    cross = problem.outer * np.array([[0.0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]])
    nodes = np.vstack([cross, cross + [beam.length, 0, 0]])
    link = floating_beam(beam, {2: problem.modes}, nodes)
    frame = exu.HT(rotation=z_is_y, translation=[0, 0, 0])
    last = mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=mbs.AddObject(items.ObjectGround()), localHT=frame))
    for body, _ in _links(mbs, link, problem, shift):
        pins = [last, rigid_interface(mbs, body, [0, 1, 2, 3], z_is_y)]
        mbs.AddObject(items.ObjectJointRevoluteZ(markerNumbers=pins))
        last = rigid_interface(mbs, body, [4, 5, 6, 7], z_is_y)
    return mbs, lambda: np.array(mbs.GetMarkerOutput(last, exu.OutputVariableType.Position))


def planar_chain(problem: FlexibleChain, shift: float) -> tuple[Any, Callable[[], Floats]]:
    """Links held in their plane by three coordinates of their frames, pinned with two equations a joint."""
    mbs = exu.SystemContainer().AddSystem()
    link = floating_beam(problem.beam, {2: problem.modes}, np.array([[problem.length, 0.0, 0.0]]))
    last = mbs.AddMarker(items.MarkerNodePosition(nodeNumber=mbs.AddNode(items.NodePointGround())))
    for body, frame in _links(mbs, link, problem, shift):
        hold(mbs, frame, (1, 4, 6))  # y and the Euler parameters about x and z
        spherical(mbs, last, mbs.AddMarker(items.MarkerNodePosition(nodeNumber=frame)), (1, 0, 1))
        last = node_marker(mbs, body, [0])
    return mbs, lambda: np.array(mbs.GetMarkerOutput(last, exu.OutputVariableType.Position))


def _links(mbs: Any, link: Any, problem: FlexibleChain, shift: float) -> Iterator[tuple[Any, Any]]:
    """Add the bodies one by one: object and frame node of each."""
    for place in problem.placements(shift):
        made = link.AddObjectFFRFreducedOrder(
            mbs, positionRef=place.p, initialVelocity=place.v, rotationMatrixRef=place.R,
            initialAngularVelocity=place.omega, gravity=[0, 0, -GRAVITY],
        )  # fmt: skip
        yield made["oFFRFreducedOrder"], made["nRigidBody"]


def ancf_chain(elements: int, problem: FlexibleChain, shift: float) -> tuple[Any, Callable[[], Floats]]:
    """Plane cable elements, extensible; Exudyn's x-y plane is the x-z plane of the problem."""
    mbs = exu.SystemContainer().AddSystem()
    beam, size, plane = problem.beam, problem.length / elements, [0, 2]
    last = mbs.AddMarker(items.MarkerNodePosition(nodeNumber=mbs.AddNode(items.NodePointGround())))
    for place in problem.placements(shift):
        along, turn = place.R[plane, 0], np.cross(place.omega, place.R[:, 0])[plane]
        nodes = [
            mbs.AddNode(
                items.NodePoint2DSlope1(
                    referenceCoordinates=[*(place.p[plane] + along * x), *along],
                    initialVelocities=[*(place.v[plane] + turn * x), *turn],
                )
            )
            for x in size * np.arange(elements + 1)
        ]
        for pair in zip(nodes[:-1], nodes[1:], strict=True):
            cable = mbs.AddObject(
                items.ObjectANCFCable2D(
                    length=size, massPerLength=beam.line_mass, bendingStiffness=beam.E * beam.second_moment,
                    axialStiffness=beam.E * beam.area, nodeNumbers=list(pair), useReducedOrderIntegration=1,
                )
            )  # fmt: skip
            mass = mbs.AddMarker(items.MarkerBodyMass(bodyNumber=cable))
            mbs.AddLoad(items.LoadMassProportional(markerNumber=mass, loadVector=[0, -GRAVITY, 0]))
        start, end = (mbs.AddMarker(items.MarkerNodePosition(nodeNumber=node)) for node in (nodes[0], nodes[-1]))
        mbs.AddObject(items.ObjectJointRevolute2D(markerNumbers=[last, start]))
        last = end
    place_of = exu.OutputVariableType.Position
    return mbs, lambda: np.array(mbs.GetMarkerOutput(last, place_of))[[0, 2, 1]]


CHAINS: dict[str, Way] = also_loose(
    LOOSE,
    {
        "floating frames, rigid interfaces": Way(interface_chain, STRICT, "110 coordinates, 60 constraints"),
        "floating frames, planar joints": Way(
            planar_chain, STRICT, "110 coordinates, 60 constraints, 30 of them linear"
        ),
    },
) | {"2 plane ANCF cable elements a link": Way(partial(ancf_chain, 2), ROUND_OFF, "120 coordinates, 20 constraints")}


def run_chain(model: str, problem: FlexibleChain, step: float, steps: int, shift: float) -> tuple[float, Floats]:
    """CPU seconds of the run and the position of the free end after it [m]."""
    way = CHAINS[model]
    mbs, tip = way.build(problem, shift)
    mbs.Assemble()
    return run(mbs, step, steps, way.newton, "EigenSparse"), tip()


def measure_chain(model: str, problem: FlexibleChain, repeats: int = 3) -> Figures:
    """Cost of a step and error of the free end at the end of the run."""
    steps = round(problem.end / problem.step)

    def seconds(count: int, repeat: int) -> float:
        return run_chain(model, problem, problem.step, count, 1e-9 * repeat)[0]

    tip = run_chain(model, problem, problem.step, steps, 0.0)[1]
    return Figures(
        step_costs({model: seconds}, steps, repeats)[model], problem.tip_error(tip), CHAINS[model].description
    )


def main() -> None:
    for name in CHAINS:
        print_figures(name, measure_chain(name, FLEXIBLE_CHAIN))


if __name__ == "__main__":
    main()
