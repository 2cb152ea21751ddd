"""Forward check of inverse dynamics: the same model, driven by the computed efforts instead of the motions.

Every motion of a joint becomes an actuator on the same coordinate. A motion of a marker becomes an actuator on a free
joint between the two markers, which constrains nothing: its force acts at the driven marker along the axis of the other
one, and back on the other body. The efforts are cubic splines of time through those at every step of the driven run (of
a kinematic or quasi-static analysis, through those of its rows). The model starts from the same poses and rates. The
departure is the sum of the errors of both runs, amplified by the mechanism: nothing holds it to the motion. Where the
elastic coordinates of the inverse analysis are in balance (quasi-static), the departure includes the vibration that
this leaves out: the check then shows how good the assumption is.
"""

from __future__ import annotations

from collections.abc import Container

import numpy as np

from flexmb.analyses.preparation import prepare_spec
from flexmb.arrays import Floats
from flexmb.errors import ComputationError, Fault, InputError
from flexmb.model.expressions import expression as expressions
from flexmb.model.schema.analysis import Analysis
from flexmb.model.schema.joints import Joint
from flexmb.model.schema.loads import Actuator
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.results.inverse_result import Departure, InverseDynamics
from flexmb.solvers.assembly import assemble
from flexmb.solvers.compilation import compile_for
from flexmb.solvers.initial_state import body_states, start_system
from flexmb.solvers.redundancy import redundancy
from flexmb.solvers.run import simulate
from flexmb.system.records.fields import field_kinds
from flexmb.system.system import System

TOLERANCE = 1e-10
"""Local error of the forward run when the driven run integrates nothing."""


class _Rows:
    """Collects the rows of a run in memory."""

    def __init__(self, system: System):
        self.system = system
        self.blocks: list[Floats] = []

    def write(self, block: Floats, checkpoint: Floats) -> None:
        self.blocks.append(block)

    def __getitem__(self, path: str) -> Floats:
        channel = self.system.channel(path)
        rows = np.concatenate(self.blocks)[:, channel.start : channel.start + max(1, sum(channel.shape))]
        return rows if channel.shape else rows[:, 0]


def forward_check(inverse: InverseDynamics) -> Departure:
    """Drive the model by the computed efforts and compare the poses of all bodies.

    Raises ComputationError when the forward run fails.
    """
    spec, result = inverse.model.spec, inverse.result
    if result.n_rows < 2:
        raise ComputationError("The forward check needs a motion, but the result has one row only.")
    in_balance = inverse.how == "quasi-static" and bool(field_kinds(spec))
    assert spec.analysis is not None
    start = spec
    if in_balance:  # the forward run starts bent as the motion requires, too
        start = spec.model_copy(update={"analysis": spec.analysis.model_copy(update={"elastic_start": "quasi-static"})})
    ready = prepare_spec(start, sparse=False)
    time, efforts = result.time, {drive.name: drive.effort for drive in inverse.drives}
    if inverse.how == "dynamic":
        driven = _Rows(ready.system)
        _simulate(driven, spec.analysis)
        time, efforts = driven["time"], {name: driven[f"motions/{name}/effort"] for name in spec.motions}
    keep = np.append(np.diff(time) > 0.0, True)
    forward = _driven_by(spec, {name: np.column_stack([time, effort])[keep] for name, effort in efforts.items()})
    assert forward.analysis is not None
    compile_for(forward.analysis.method, field_kinds(forward))
    rows = _run(forward, forward.analysis, body_states(ready.system, ready.work), result.time)
    bodies, angles = {}, {}
    for name in spec.bodies:
        place, turn = f"bodies/{name}/position", f"bodies/{name}/quaternion"
        bodies[name] = np.linalg.norm(_at(rows["time"], rows[place], result.time) - result[place], axis=1)
        angles[name] = _angle(_at(rows["time"], rows[turn], result.time), result[turn])
    return Departure(result.time, bodies, angles, int(keep.sum()), in_balance)


def _angle(first: Floats, second: Floats) -> Floats:
    """Angle (r,) between orientations given as quaternions, p and -p being the same [rad]."""
    chords = [np.linalg.norm(first - sign * second, axis=1) for sign in (1.0, -1.0)]
    return np.asarray(4.0 * np.arcsin(np.minimum(0.5 * np.minimum(*chords), 1.0)))


def _driven_by(spec: ModelSpec, efforts: dict[str, Floats]) -> ModelSpec:
    """The checked model with efforts in place of its motions."""
    forces, joints = dict(spec.forces), dict(spec.joints)
    for name, points in efforts.items():
        motion = spec.motions[name]
        called, joint, coordinate = _unused(name, forces), motion.joint, motion.coordinate
        if motion.about is not None:
            text = f"the forward check has no force that drives an orientation (motion '{name}')."
            raise InputError([Fault(text, ("motions", name), "Leave out the forward check.")])
        if joint is None:
            assert motion.marker is not None
            joint, coordinate = _unused(name, joints), motion.along
            ends = (motion.relative_to, motion.marker)
            joints[joint] = Joint.model_construct(type="free", markers=ends, tree=False)
        forces[called] = Actuator.model_construct(
            type="actuator", joint=joint, coordinate=coordinate, effort=expressions.table(points.tolist(), "spline")
        )
    sensors = {name: sensor for name, sensor in spec.sensors.items() if sensor.motion is None}
    analysis = spec.analysis
    assert analysis is not None
    if analysis.type == "kinematic":
        changes = {"type": "dynamic", "method": "rk45", "tolerance": TOLERANCE, "formulation": "augmented"}
        analysis = analysis.model_copy(update={**changes, "step": None, "independent": ()})
    changes = {"motions": {}, "forces": forces, "joints": joints, "sensors": sensors, "analysis": analysis}
    return spec.model_copy(update=changes)


def _unused(name: str, names: Container[str]) -> str:
    return name if name not in names else f"{name} (motion)"


def _run(spec: ModelSpec, analysis: Analysis, states: dict[str, Floats], times: Floats) -> _Rows:
    """Rows of a run from the given states of the bodies, without constraint rows that repeat others."""
    system = start_system(spec, states)
    work = system.workspace()
    assemble(system, work)
    found = redundancy(system, work)
    if found.redundant:
        system = start_system(spec, states, sharing=found.sharing)
    rows = _Rows(system)
    every = float(times[1] - times[0]) if len(times) > 1 else None
    try:
        _simulate(rows, analysis, every)
    except ComputationError as error:
        raise ComputationError(f"The forward check (run driven by the computed efforts) failed: {error}") from error
    return rows


def _simulate(rows: _Rows, analysis: Analysis, every: float | None = None) -> None:
    if simulate(rows.system, analysis, sink=rows, every=every).outcome == "interrupted":
        raise ComputationError("The forward check was interrupted; the result of the inverse analysis is written.")


def _at(time: Floats, values: Floats, wanted: Floats) -> Floats:
    """Values at other times, by the cubic spline where the rows of two runs do not coincide."""
    if len(time) == len(wanted) and np.allclose(time, wanted, rtol=0, atol=1e-9 * wanted[-1]):
        return values
    from scipy.interpolate import CubicSpline

    keep = np.append(np.diff(time) > 0.0, True)
    return np.asarray(CubicSpline(time[keep], values[keep])(wanted))
