"""The programs that the solvers call (see `flexmb.layout.flat_arrays`), put together from the kernels by address.

Each reads T, Q, V (and A, LAM where said) and sets everything it needs from scratch.
"""

from __future__ import annotations

from flexmb.arrays import Integers
from flexmb.equations.arms import flexible_arm
from flexmb.equations.bushings import bushing
from flexmb.equations.cables import cable
from flexmb.equations.chords import accept, branches, chord, chords, pair
from flexmb.equations.constraints import JACOBIAN, JACOBIAN_AGAIN, MULTIPLIERS, VALUES, rows
from flexmb.equations.coordinates import compose, rates, velocities
from flexmb.equations.couplings import coupling, flanks, teeth
from flexmb.equations.energy import energies_into, powers, powers_into
from flexmb.equations.fields.beam_arm import beam_arm
from flexmb.equations.fields.beam_force import beam_force
from flexmb.equations.fields.beam_mass import beam_mass
from flexmb.equations.fields.beam_nodes import beam_nodes
from flexmb.equations.fields.energy import field_energy
from flexmb.equations.fields.invariants import invariant_force, invariant_mass
from flexmb.equations.fields.points import point_force, point_mass
from flexmb.equations.fields.sections import sections
from flexmb.equations.forces import loads
from flexmb.equations.forward_dynamics import articulated_bodies
from flexmb.equations.functions import evaluate
from flexmb.equations.inertia import body_forces
from flexmb.equations.inverse_dynamics import backward
from flexmb.equations.kinematics import joint_motion, kinematics
from flexmb.equations.least_reactions import share
from flexmb.equations.markers import marker_state
from flexmb.equations.mass_matrix import mass_matrix, path_mass_matrix
from flexmb.equations.reactions import reactions
from flexmb.equations.sensors import sensors
from flexmb.equations.shared_rows import (
    AS_BEFORE,
    SHARED,
    shared_jacobian,
    shared_residual,
    shared_system,
    shared_whole_residual,
)
from flexmb.layout import flat_arrays as L
from flexmb.layout.access import R_wb_at, block_of, body_record, omega_wb_b_at, p_wb_at, v_wb_b_at
from flexmb.loads.table import LoadCode
from flexmb.machine_code.jit import Program, call, kernel, program
from flexmb.vectors import matrix_quaternion, rotate, store3, store4


@program
def function(I, F, W, start):
    """Value and time derivatives of the function that starts at I[start], to X_VALUE."""
    store3(W, I[L.X_VALUE], evaluate(I, F, W, start, W[I[L.T]]))


@program
def wrenches(I, F, W, accelerate):
    """Wrench of inertia and loads on every body, before rows and backward pass; 1: with the accelerations A."""
    call(I[L.AT_KINEMATICS], I, F, W, accelerate)
    if I[L.N_CHORDS] > 0:
        call(I[L.AT_CHORDS], I, F, W, 0)
    call(I[L.AT_BODY_FORCES], I, F, W, accelerate)
    if I[L.N_EARLY_SENSORS] > 0:
        call(I[L.AT_SENSORS], I, F, W, 0)
    if I[L.N_LOADS] > 0:
        call(I[L.AT_LOADS], I, F, W, 0)


@program
def residual(I, F, W, arg):
    """RES = M a + h - Q + G^T lam, PHI and PHI_DOT, at T, Q, V, A, LAM."""
    call(I[L.AT_WRENCHES], I, F, W, 1)
    if I[L.N_ALL_ROWS] > 0:
        call(I[L.AT_ROWS], I, F, W, MULTIPLIERS)
    call(I[L.AT_BACKWARD], I, F, W, I[L.RES])


@program
def system(I, F, W, after_residual):
    """M, BIAS, G, PHI, PHI_DOT, GAM at T, Q, V; 1, after the residual of this state: only M, G, PHI, PHI_DOT."""
    if after_residual == 0:
        call(I[L.AT_WRENCHES], I, F, W, 0)
    if I[L.N_ALL_ROWS] > 0:
        call(I[L.AT_ROWS], I, F, W, JACOBIAN if after_residual == 0 else JACOBIAN_AGAIN)
    call(I[L.AT_MASS], I, F, W, 0)
    if after_residual == 0:
        call(I[L.AT_BACKWARD], I, F, W, I[L.BIAS])


@program
def jacobian(I, F, W, values_only):
    """G, PHI, PHI_DOT at T, Q, V; 1: without G."""
    call(I[L.AT_KINEMATICS], I, F, W, 0)
    if I[L.N_CHORDS] > 0:
        call(I[L.AT_CHORDS], I, F, W, 0)
    if I[L.N_ALL_ROWS] > 0:
        call(I[L.AT_ROWS], I, F, W, VALUES if values_only == 1 else JACOBIAN)


@program
def acceleration(I, F, W, arg):
    """A at T, Q, V of an open tree, O(n)."""
    call(I[L.AT_WRENCHES], I, F, W, 0)
    call(I[L.AT_ARTICULATED], I, F, W, 0)


@kernel
def _body_output_into(I, W, body, last):
    """Pose and velocities of a body for the output row; W[last] is its quaternion in the row before."""
    block = block_of(I, body)
    out = I[body + L.B_OUT]
    R_wb = R_wb_at(W, block)
    store3(W, out + L.BO_POSITION, p_wb_at(W, block))
    p = matrix_quaternion(R_wb)
    if W[last] * p[0] + W[last + 1] * p[1] + W[last + 2] * p[2] + W[last + 3] * p[3] < 0.0:
        p = (-p[0], -p[1], -p[2], -p[3])  # the same orientation, without a jump from the last row
    store4(W, last, p)
    store4(W, out + L.BO_QUATERNION, p)
    store3(W, out + L.BO_VELOCITY, rotate(R_wb, v_wb_b_at(W, block)))
    store3(W, out + L.BO_OMEGA, omega_wb_b_at(W, block))


@program
def output(I, F, W, arg):
    """OUT row at T, Q, V, A, LAM, WORK; of rows that depend on each other the least reactions."""
    is_shared = I[L.N_SHARED] > 0 or I[L.AT_SHARE_PATTERN] > 0
    if is_shared:
        call(I[L.AT_SHARE], I, F, W, SHARED)
    call(I[L.AT_WHOLE_RESIDUAL], I, F, W, 0)
    powers_into(I, F, W)
    energies_into(I, F, W)
    call(I[L.AT_REACTIONS], I, F, W, 0)
    if I[L.N_SECTIONS] > 0:
        call(I[L.AT_SECTIONS], I, F, W, 0)
    call(I[L.AT_KINEMATICS], I, F, W, 1)
    if I[L.N_CHORDS] > 0:
        call(I[L.AT_CHORDS], I, F, W, 1)
    if I[L.N_SENSORS] > 0:
        call(I[L.AT_SENSORS], I, F, W, 1)
    for b in range(1, I[L.N_BODIES] + 1):
        _body_output_into(I, W, body_record(I, b), I[L.POSES] + 4 * (b - 1))
    total = 0.0
    for k in range(I[L.N_POWERS]):
        total += W[I[L.WORK] + k]
    W[I[L.ENERGY] + 2] = total
    place = I[L.OUT]
    for k in range(I[L.N_COPIES]):
        piece = I[L.COPIES] + k * L.COPY
        source = I[piece + L.CO_SOURCE]
        for i in range(I[piece + L.CO_LENGTH]):
            W[place] = W[source + i]
            place += 1
    if is_shared:
        call(I[L.AT_SHARE], I, F, W, AS_BEFORE)


PROGRAMS: dict[int, Program] = {
    L.AT_COMPOSE: compose,
    L.AT_RATES: rates,
    L.AT_VELOCITIES: velocities,
    L.AT_RESIDUAL: residual,
    L.AT_SYSTEM: system,
    L.AT_JACOBIAN: jacobian,
    L.AT_ACCELERATION: acceleration,
    L.AT_POWERS: powers,
    L.AT_OUTPUT: output,
    L.AT_ACCEPT: accept,
    L.AT_KINEMATICS: kinematics,
    L.AT_BODY_FORCES: body_forces,
    L.AT_LOADS: loads,
    L.AT_ROWS: rows,
    L.AT_BACKWARD: backward,
    L.AT_MASS: mass_matrix,
    L.AT_ARTICULATED: articulated_bodies,
    L.AT_CHORDS: chords,
    L.AT_SENSORS: sensors,
    L.AT_BUSHING: bushing,
    L.AT_CABLE: cable,
    L.AT_WRENCHES: wrenches,
    L.AT_REACTIONS: reactions,
    L.AT_BRANCHES: branches,
    L.AT_ARM: flexible_arm,
    L.AT_BEAM_ARM: beam_arm,
    L.AT_BEAM_NODES: beam_nodes,
    L.AT_BEAM_FORCE: beam_force,
    L.AT_BEAM_MASS: beam_mass,
    L.AT_POINT_FORCE: point_force,
    L.AT_POINT_MASS: point_mass,
    L.AT_INVARIANT_FORCE: invariant_force,
    L.AT_INVARIANT_MASS: invariant_mass,
    L.AT_FIELD_ENERGY: field_energy,
    L.AT_SECTIONS: sections,
    L.AT_MARKER: marker_state,
    L.AT_CHORD: chord,
    L.AT_FUNCTION: function,
    L.AT_JOINT: joint_motion,
    L.AT_COUPLING: coupling,
    L.AT_TEETH: teeth,
    L.AT_FLANKS: flanks,
    L.AT_PAIR: pair,
    L.AT_WHOLE_RESIDUAL: residual,
}


SHARED_PROGRAMS: dict[int, Program] = {
    L.AT_RESIDUAL: shared_residual,
    L.AT_WHOLE_RESIDUAL: shared_whole_residual,
    L.AT_SYSTEM: shared_system,
    L.AT_JACOBIAN: shared_jacobian,
    L.AT_SHARE: share,
}
"""Programs of a system in which rows repeat others, instead of those above or beside them."""
OF_ALL_ROWS = {
    L.AT_RESIDUAL: L.AT_ALL_RESIDUAL,
    L.AT_WHOLE_RESIDUAL: L.AT_ALL_WHOLE_RESIDUAL,
    L.AT_SYSTEM: L.AT_ALL_SYSTEM,
    L.AT_JACOBIAN: L.AT_ALL_JACOBIAN,
}
"""Slots in which such a system keeps the programs that they call, which evaluate all rows."""


FIELD_PROGRAMS: dict[int, tuple[int, ...]] = {
    L.KIND_ARMS: (L.AT_ARM,),
    L.KIND_BEAM: (L.AT_BEAM_ARM, L.AT_BEAM_NODES, L.AT_BEAM_FORCE, L.AT_BEAM_MASS),
    L.KIND_POINTS: (L.AT_POINT_FORCE, L.AT_POINT_MASS),
    L.KIND_INVARIANTS: (L.AT_INVARIANT_FORCE, L.AT_INVARIANT_MASS),
    L.KIND_SECTIONS: (L.AT_SECTIONS,),
}
"""Programs of every kind of deformation field, by its bit in FIELD_KINDS."""


LOAD_PROGRAMS = {int(LoadCode.BUSHING): L.AT_BUSHING, int(LoadCode.CABLE): L.AT_CABLE}
"""Programs of the loads that have one of their own, by their code."""


def needless_fields(kinds: int) -> set[int]:
    """Programs of flexible bodies that a system with these kinds of deformation field (FIELD_KINDS) does not call."""
    needless = {slot for kind, slots in FIELD_PROGRAMS.items() if not kinds & kind for slot in slots}
    return needless if kinds else needless | {L.AT_FIELD_ENERGY}


def _needless(ints: Integers) -> set[int]:
    """Programs that a system never calls, or only when the solver asks for them (`link_open_tree`)."""
    needless = {L.AT_ACCELERATION, L.AT_ARTICULATED} | needless_fields(int(ints[L.FIELD_KINDS]))
    if ints[L.N_ALL_ROWS] == 0:
        needless |= {L.AT_ROWS}
    if ints[L.N_CHORDS] == 0:
        needless |= {L.AT_CHORDS, L.AT_CHORD}
    if ints[L.N_COUPLINGS] == 0:
        needless |= {L.AT_COUPLING, L.AT_TEETH, L.AT_FLANKS}
    if ints[L.N_LOADS] == 0:
        needless |= {L.AT_LOADS}
    loaded = {int(ints[ints[L.LOADS] + k * L.LOAD + L.L_KIND]) for k in range(ints[L.N_LOADS])}
    needless |= {slot for kind, slot in LOAD_PROGRAMS.items() if kind not in loaded}
    if ints[L.N_SENSORS] == 0:
        needless |= {L.AT_SENSORS}
    return needless


def link(ints: Integers) -> None:
    """Write the addresses of the programs into the header of I; compiles those that are not in the cache."""
    needless = _needless(ints)
    for slot, entry in PROGRAMS.items():
        ints[slot] = 0 if slot in needless else entry.address
    if ints[L.SPARSE]:
        ints[L.AT_MASS] = path_mass_matrix.address
    if ints[L.N_BASIS] == 0:
        return
    for slot, of_all in OF_ALL_ROWS.items():
        ints[of_all] = ints[slot]
    for slot, entry in SHARED_PROGRAMS.items():
        ints[slot] = entry.address


def link_open_tree(ints: Integers) -> None:
    """Add the O(n) forward dynamics, which only explicit methods on open trees call."""
    for slot in (L.AT_ACCELERATION, L.AT_ARTICULATED):
        ints[slot] = PROGRAMS[slot].address
