"""The forward check of inverse dynamics: the same model, driven by the computed efforts instead of the motions.

Every motion of a joint becomes an actuator on the same coordinate, every motion of a marker along an axis of the ground
a force on that marker; their efforts are cubic splines of time through the efforts at every step of the driven run (of
a kinematic analysis, through those of its rows). The model starts from the same poses and rates. What departs is the
sum of the errors of both runs, as far as the mechanism amplifies them: nothing holds it to the motion any more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flexmb.errors import ComputationError, Fault, InputError
from flexmb.results.inverse import InverseDynamics
from flexmb.results.preparation import prepare
from flexmb.results.report import entry
from flexmb.solvers.compilation import compile_for
from flexmb.solvers.initial import assemble
from flexmb.solvers.redundancy import redundancy
from flexmb.solvers.reference import body_states, start_system
from flexmb.solvers.run import simulate
from flexmb.system.expressions import parser as expressions
from flexmb.system.placement import place
from flexmb.system.records.fields import field_kinds
from flexmb.system.schema.loads import Actuator, PointForce
from flexmb.system.system import System

Array = NDArray[np.float64]
TOLERANCE = 1e-10
"""Local error of the forward run where the driven one integrates nothing."""


@dataclass(frozen=True)
class Departure:
    """How far the model that is driven by efforts leaves the prescribed motion."""

    time: Array
    bodies: dict[str, Array]
    """(r,) distance of every body's origin from where the motion has it [m]"""
    angles: dict[str, Array]
    """(r,) angle between every body and its prescribed orientation [rad]"""
    n_points: int
    """Points of every effort."""


class _Rows:
    """Collects the rows of a run in memory."""

    def __init__(self, system: System):
        self.system = system
        self.blocks: list[Array] = []

    def write(self, block: Array, checkpoint: Array) -> None:
        self.blocks.append(block)

    def __getitem__(self, path: str) -> Array:
        channel = self.system.channel(path)
        rows = np.concatenate(self.blocks)[:, channel.start : channel.start + max(1, sum(channel.shape))]
        return rows if channel.shape else rows[:, 0]


def forward_check(inverse: InverseDynamics) -> Departure:
    """Drive the model by the efforts found and compare the places of all bodies.

    Raises InputError when a motion cannot be replaced by an effort, ComputationError when the forward run fails.
    """
    spec, result = inverse.model.spec, inverse.result
    check_replaceable(spec, inverse.how)
    ready = prepare(inverse.model)
    time, efforts = result.time, {drive.name: drive.effort for drive in inverse.drives}
    if inverse.how == "dynamic":
        driven = _Rows(ready.system)
        simulate(ready.system, spec.analysis, sink=driven)
        time, efforts = driven["time"], {name: driven[f"motions/{name}/effort"] for name in spec.motions}
    keep = np.append(np.diff(time) > 0.0, True)
    forward = _driven_by(spec, {name: np.column_stack([time, effort])[keep] for name, effort in efforts.items()})
    compile_for(forward.analysis.method, field_kinds(forward))
    rows = _run(forward, body_states(ready.system, ready.work), result.time)
    bodies, angles = {}, {}
    for name in spec.bodies:
        place, turn = f"bodies/{name}/position", f"bodies/{name}/quaternion"
        bodies[name] = np.linalg.norm(_at(rows["time"], rows[place], result.time) - result[place], axis=1)
        angles[name] = _angle(_at(rows["time"], rows[turn], result.time), result[turn])
    return Departure(result.time, bodies, angles, int(keep.sum()))


def _angle(first: Array, second: Array) -> Array:
    """(r,) between orientations given as quaternions, p and -p being the same [rad]."""
    chords = [np.linalg.norm(first - sign * second, axis=1) for sign in (1.0, -1.0)]
    return np.asarray(4.0 * np.arcsin(np.minimum(0.5 * np.minimum(*chords), 1.0)))


def departure_lines(departure: Departure) -> list[str]:
    """The forward check as lines of the report."""
    parts = []
    for values, unit in ((departure.bodies, "m"), (departure.angles, "rad")):
        name = max(values, key=lambda body: float(values[body].max()))
        row = int(values[name].argmax())
        parts.append(f"{values[name][row]:.3g} {unit} ({name}, at t = {departure.time[row]:.6g} s)")
    return entry(
        "forward check",
        f"driven by the efforts alone (splines through {departure.n_points} points) the bodies depart from the motion "
        f"by at most {' and '.join(parts)}",
    )


def check_replaceable(spec: Any, how: str = "dynamic") -> None:
    """Refuse models whose motions no effort can replace, all faults at once; `how` elastic coordinates are found."""
    faults = []
    if how == "quasi-static" and field_kinds(spec):
        text = "elastic coordinates in balance leave out their own inertia: a forward run would not follow them."
        faults.append(Fault(text, hint="Check with the elastic coordinates integrated (dynamic)."))
    for name, motion in spec.motions.items():
        if motion.marker is None:
            continue
        moves = spec.base is not None and spec.base.rotation is not None
        if motion.relative_to.split(".")[0] != "ground" or moves:
            text = f"the effort of motion '{name}' acts along an axis that moves: no force of the model can replace it."
            faults.append(Fault(text, ("motions", name, "relative_to"), "Drive a joint, or run without the check."))
    if faults:
        raise InputError(faults)


def _driven_by(spec: Any, efforts: dict[str, Array]) -> Any:
    """The checked model with efforts in place of its motions."""
    forces, mechanism = dict(spec.forces), place(spec)
    for name, points in efforts.items():
        motion = spec.motions[name]
        called = name if name not in forces else f"{name} (motion)"
        if motion.joint is not None:
            effort = expressions.table(points.tolist())
            forces[called] = Actuator.model_construct(
                type="actuator", joint=motion.joint, coordinate=motion.coordinate, effort=effort
            )
            continue
        axis = mechanism.markers[mechanism.marker_index[motion.relative_to]].R_b[:, "xyz".index(motion.along)]
        x, y, z = (expressions.table((points * [1.0, part]).tolist()) for part in axis)
        forces[called] = PointForce.model_construct(type="force", marker=motion.marker, vector=(x, y, z), axes="world")
    sensors = {name: sensor for name, sensor in spec.sensors.items() if sensor.motion is None}
    analysis = spec.analysis
    if analysis.type == "kinematic":
        changes = {"type": "dynamic", "method": "rk45", "tolerance": TOLERANCE, "formulation": "augmented"}
        analysis = analysis.model_copy(update={**changes, "step": None, "independent": ()})
    return spec.model_copy(update={"motions": {}, "forces": forces, "sensors": sensors, "analysis": analysis})


def _run(spec: Any, states: dict[str, Array], times: Array) -> _Rows:
    """Rows of a run from the given states of the bodies, without constraint rows that repeat others."""
    system = start_system(spec, states)
    work = system.workspace()
    assemble(system, work)
    repeated = redundancy(system, work).redundant
    if repeated:
        system = start_system(spec, states, [system.row_numbers[row] for row in repeated])
    rows = _Rows(system)
    every = float(times[1] - times[0]) if len(times) > 1 else None
    try:
        simulate(system, spec.analysis, sink=rows, every=every)
    except ComputationError as error:
        raise ComputationError(f"The forward check, driven by the computed efforts, failed: {error}") from error
    return rows


def _at(time: Array, values: Array, wanted: Array) -> Array:
    """Values at other times, by the cubic spline where the rows of two runs do not coincide."""
    if len(time) == len(wanted) and np.allclose(time, wanted, rtol=0, atol=1e-9 * wanted[-1]):
        return values
    from scipy.interpolate import CubicSpline

    keep = np.append(np.diff(time) > 0.0, True)
    return np.asarray(CubicSpline(time[keep], values[keep])(wanted))
