"""Initial state of a model, independent of its coordinates.

Initial values are given at joints. They are read in a joint tree that holds as many of these joints as possible,
whatever the coordinates of the model; there the loops are closed, and the poses and velocities of all bodies are
found. The coordinates of any other tree are then measured from these poses: every choice starts from the same state.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from flexmb.arrays import Floats
from flexmb.equations.programs import link
from flexmb.errors import ComputationError, Fault, InputError
from flexmb.layout import flat_arrays as L
from flexmb.solvers.assembly import assemble, assemble_velocities, solve_accelerations
from flexmb.solvers.body_slices import body_slices
from flexmb.solvers.field_limits import FieldLimits
from flexmb.solvers.mechanics import Mechanics
from flexmb.solvers.quasi_static_start import settle
from flexmb.solvers.shared_basis import Basis
from flexmb.solvers.statics import Equilibrium, equilibrium
from flexmb.system.build import build_system
from flexmb.system.mechanism import Mechanism
from flexmb.system.records.tree import position_coordinates, quaternion
from flexmb.system.system import NO_SHARING, Sharing, System

if TYPE_CHECKING:
    from flexmb.model.schema import ModelSpec
    from flexmb.model.schema.analysis import Analysis

SETTLING = 1e-4
"""Motion [rad, parts of the size] over which the rates of a quasi-static start are differences; a tenth of a step when
the mechanism rests."""

BodyStates = dict[str, Floats]
"""Position (3), quaternion (4), velocity (3, world axes), angular velocity (3, body axes), elastic coordinates (n) and
their rates (n) of every body."""


def linked_system(
    spec: ModelSpec,
    *,
    dropped: Collection[int] = (),
    sharing: Sharing = NO_SHARING,
    initial_state: bool = False,
    mechanism: Mechanism | None = None,
    known: System | None = None,
    sparse: bool = False,
) -> System:
    """System of a checked model with its programs ready to run; options as those of `build_system`."""
    system = build_system(
        spec,
        dropped=dropped,
        sharing=sharing,
        initial_state=initial_state,
        mechanism=mechanism,
        known=known,
        sparse=sparse,
    )
    link(system.ints)
    return system


def design_states(system: System, work: Floats) -> BodyStates:
    """Bodies in the design position relative to the base at the time in the workspace, at rest."""
    Mechanics(system, work).run(L.AT_KINEMATICS)
    ground = int(system.ints[system.ints[L.BODIES] + L.B_W]) + L.W_R_W
    R_w0 = work[ground : ground + 9].reshape(3, 3).copy()
    elastic = {name: (work[q], work[v]) for name, (_, q, v) in body_slices(system).items()}
    return {
        body.name: np.concatenate([R_w0 @ body.p_wb, quaternion(R_w0 @ body.R_wb), np.zeros(6), *elastic[body.name]])
        for body in system.mechanism.bodies[1:]
    }


def body_states(system: System, work: Floats) -> BodyStates:
    """Poses and velocities of all bodies in a workspace."""
    mechanics = Mechanics(system, work)
    mechanics.run(L.AT_OUTPUT)
    return {name: np.concatenate([work[pose], work[q], work[v]]) for name, (pose, q, v) in body_slices(system).items()}


def measure(system: System, work: Floats, states: BodyStates) -> None:
    """Set the coordinates and rates in a workspace from poses and velocities of the bodies."""
    for name, (pose, q, v) in body_slices(system).items():
        n = q.stop - q.start
        work[pose] = states[name][: L.BODY_OUT]
        work[q], work[v] = states[name][L.BODY_OUT : L.BODY_OUT + n], states[name][L.BODY_OUT + n :]
    Mechanics(system, work).run(L.AT_BRANCHES)


def initial_states(spec: ModelSpec, start: float = 0.0) -> BodyStates:
    """States of all bodies at the start: the user's values, with all loops closed; in balance if requested."""
    return balanced_states(spec, start)[0]


def balanced_states(
    spec: ModelSpec, start: float = 0.0, mechanism: Mechanism | None = None, sparse: bool = False
) -> tuple[BodyStates, Equilibrium | None]:
    """The initial states, and their equilibrium when the analysis is static or has a static start."""
    _, states, found = balanced_system(spec, start, mechanism, sparse)
    return states, found


def balanced_system(
    spec: ModelSpec, start: float = 0.0, mechanism: Mechanism | None = None, sparse: bool = False
) -> tuple[System, BodyStates, Equilibrium | None]:
    """The system in which the initial states are found, these states, and their equilibrium if requested."""
    system = linked_system(spec, initial_state=True, mechanism=mechanism, sparse=sparse)
    work = system.workspace()
    mechanics = Mechanics(system, work)
    mechanics.t = start
    q_user, v_user = mechanics.q.copy(), mechanics.v.copy()
    measure(system, work, design_states(system, work))
    for flat, branch in enumerate(system.topology.branches, start=1):
        joint = None if branch.joint is None else system.mechanism.joints[branch.joint]
        if joint is not None and joint.position is not None:
            record = int(system.ints[L.BODIES]) + flat * L.BODY
            first, n = int(system.ints[record + L.B_Q]), joint.type.n_q
            mechanics.q[first : first + n] = q_user[first : first + n]
    mechanics.v[:] = v_user
    try:
        assemble(system, work)
    except ComputationError as error:
        beyond = FieldLimits(system).fault_of(mechanics)
        raise ComputationError(f"At the start {beyond}") if beyond else error from None
    analysis = spec.analysis
    if analysis is not None and "static" in (analysis.type, analysis.start):
        mechanics.run(L.AT_OUTPUT)
        _check_chords(system, mechanics)  # for a static start the given values only begin the search
        found = equilibrium(system, work)
        mechanics.v[:] = v_user
        if mechanics.n_rows:
            assemble_velocities(mechanics)
        solve_accelerations(mechanics)
        _settle(analysis, mechanics, v_user)
        return system, body_states(system, work), found
    _settle(analysis, mechanics, v_user)
    states = body_states(system, work)
    _check_chords(system, mechanics)
    return system, states, None


def _settle(analysis: Analysis | None, mechanics: Mechanics, v_user: Floats) -> None:
    """Bend flexible bodies as the motion at the start requires, if the analysis requests it."""
    if analysis is None or analysis.type == "static" or analysis.elastic_start != "quasi-static":
        return
    if mechanics.system.elastic.any():
        speed = float(np.max(np.abs(mechanics.v) / mechanics.scale, initial=0.0))
        time = 0.1 * (analysis.step or 1e-3 * analysis.end)
        if speed > 0.0:
            time = min(1e-3 * analysis.end, SETTLING / speed)
        settle(mechanics, v_user, time)


def _check_chords(system: System, mechanics: Mechanics) -> None:
    """Raise InputError for initial values at joints outside the tree that the assembled mechanism does not meet."""
    faults = []
    for number in system.topology.chords:
        joint = system.mechanism.joints[number]
        for key, given in (("position", joint.position), ("velocity", joint.velocity)):
            if given is None or not joint.type.n_v:
                continue
            channel = system.channel(f"joints/{joint.name}/{key}")
            found = mechanics.out[channel.start : channel.start + max(1, int(np.prod(channel.shape)))]
            wanted = position_coordinates(joint.type, given) if key == "position" else np.asarray(given)
            gap = np.abs(found - wanted)
            if key == "position" and joint.type.n_q > joint.type.n_v:
                gap = np.minimum(gap, np.abs(found + wanted))  # p and -p are the same orientation
            if gap.max() > 1e-6 * max(1.0, float(np.abs(wanted).max())):
                shown = np.array2string(found, precision=6)
                text = f"the other initial values and the loops determine {shown}, not the given value"
                faults.append(
                    Fault(text, ("joints", joint.name, key), "Give fewer initial values, or make them agree.")
                )
    if faults:
        raise InputError(faults)


def start_system(
    spec: ModelSpec,
    states: BodyStates,
    dropped: Collection[int] = (),
    start: float = 0.0,
    sharing: Sharing = NO_SHARING,
    mechanism: Mechanism | None = None,
    known: System | None = None,
    sparse: bool = False,
) -> System:
    """System in the coordinates of the model, with `states` as its initial state; options as of `build_system`."""
    system = linked_system(spec, dropped=dropped, sharing=sharing, mechanism=mechanism, known=known, sparse=sparse)
    work = system.workspace()
    work[system.ints[L.T]] = start
    measure(system, work, states)
    free = np.zeros(system.n_v, dtype=bool)
    mechanics = Mechanics(system, work)
    q, v = mechanics.q.copy(), mechanics.v.copy()
    if system.ints[L.N_BASIS]:
        Basis(mechanics).set()
    basis = system.view(work, L.BASIS, int(system.ints[L.N_BASIS])).copy()
    return replace(system, q0=q, v0=v, fixed_q=free, fixed_v=free, basis0=basis)
