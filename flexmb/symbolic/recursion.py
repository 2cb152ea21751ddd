"""Motion of all bodies from the branch coordinates, then M and the bias of the equations, root to leaves.

Every body carries its partial velocities: the columns of its velocity and angular velocity by the rates (body
components). The equations are then sums over bodies (virtual work of inertia, theory 6 and 7; Kane's form):

    M = sum_b V_b^T M_b V_b,    bias = sum_b V_b^T (M_b y'_b + h_b),    y'_b: accelerations at constant rates.

Gravity enters as the acceleration -g of every body, beside its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from flexmb.joints.joint_type import JointType
from flexmb.joints.table import JOINT_TYPES
from flexmb.symbolic.arms import Arm, flexible_arm, rigid_arm
from flexmb.symbolic.engine import Matrix, Scalar, Vector
from flexmb.symbolic.inertia import BodyInertia, body_inertia
from flexmb.symbolic.joints import JointMotion, joint_motion, reverse
from flexmb.symbolic.mechanism import SymbolicBody, SymbolicMechanism
from flexmb.symbolic.orders import add as plus
from flexmb.symbolic.tape import Tape
from flexmb.symbolic.vectors import (
    add,
    apply,
    apply_transposed,
    cross,
    dot,
    identity,
    is_null,
    minus,
    product,
    scale,
    sub,
    transpose,
    zero,
)
from flexmb.system.topology import Branch

Columns = dict[int, tuple[Vector, Vector]]
"""Rate number -> velocity and angular velocity per unit of this rate."""


@dataclass(frozen=True)
class BranchPlace:
    """Places of the coordinates of a branch: those of its joint, then the modes of the body that it carries."""

    branch: Branch
    kind: JointType
    q: int
    v: int
    n_modes: int

    @property
    def elastic_q(self) -> int:
        """Place of the first elastic coordinate of the body."""
        return self.q + self.kind.n_q

    @property
    def elastic_v(self) -> int:
        """Place of the first elastic rate of the body."""
        return self.v + self.kind.n_v

    @property
    def modes(self) -> range:
        """Rates of the modes."""
        return range(self.elastic_v, self.elastic_v + self.n_modes)


def n_modes(body: SymbolicBody) -> int:
    """Number of elastic coordinates; 0 for a rigid body."""
    return body.elastic.n_modes if body.elastic is not None else 0


def branch_places(mechanism: SymbolicMechanism) -> list[BranchPlace]:
    """The branches in the order of the recursion, with the places of their coordinates."""
    places, q, v = [], 0, 0
    for branch in mechanism.topology.branches:
        kind = JOINT_TYPES["free"] if branch.joint is None else mechanism.joints[branch.joint].type
        n = n_modes(mechanism.bodies[branch.body])
        places.append(BranchPlace(branch, kind, q, v, n))
        q, v = q + kind.n_q + n, v + kind.n_v + n
    return places


@dataclass
class Frame:
    """Motion of a body, body components; accelerations are those at constant rates."""

    R_w: Matrix
    p_w: Vector
    v: Vector
    w: Vector
    a: Vector
    alpha: Vector
    columns: Columns = field(default_factory=dict)
    q: list[Scalar] = field(default_factory=list)
    rates: list[Scalar] = field(default_factory=list)
    modes: range = range(0)


@dataclass(frozen=True)
class TreeMotion:
    """Frames of all bodies by their number, and the arms of markers on demand."""

    mechanism: SymbolicMechanism
    frames: dict[int, Frame]
    tape: Tape
    arms: dict[int, Arm] = field(default_factory=dict)

    def arm(self, number: int) -> Arm:
        """A marker relative to its body."""
        if number not in self.arms:
            marker = self.mechanism.markers[number]
            frame = self.frames[marker.body]
            if marker.shapes is None:
                self.arms[number] = rigid_arm(marker.p_b, marker.R_b, len(frame.q))
            else:
                shapes = marker.shapes
                self.arms[number] = flexible_arm(marker.p_b, marker.R_b, shapes, frame.q, frame.rates, self.tape)
        return self.arms[number]


def tree_motion(
    mechanism: SymbolicMechanism, places: list[BranchPlace], q: list[Scalar], v: list[Scalar], tape: Tape
) -> TreeMotion:
    """Frames of all bodies at coordinates q (stored) and rates v."""
    ground = Frame(identity(), zero(), zero(), zero(), zero(), zero())
    motion = TreeMotion(mechanism, {0: ground}, tape)
    for place in places:
        branch = place.branch
        own = Frame([], [], [], [], [], [])
        own.q = q[place.elastic_q : place.elastic_q + place.n_modes]
        own.rates, own.modes = [v[k] for k in place.modes], place.modes
        motion.frames[branch.body] = own
        rates = v[place.v : place.elastic_v]
        if branch.joint is None:
            joint = joint_motion(place.kind, [], q[place.q : place.elastic_q], rates)
            parent_arm, child_arm = rigid_arm(zero(), identity(), 0), rigid_arm(zero(), identity(), place.n_modes)
        else:
            placed = mechanism.joints[branch.joint]
            joint = joint_motion(place.kind, placed.parameters, q[place.q : place.elastic_q], rates)
            ends = placed.first, placed.second
            if branch.reversed:
                joint, ends = reverse(joint, rates), ends[::-1]
            parent_arm, child_arm = motion.arm(ends[0]), motion.arm(ends[1])
        joint = _named(joint, tape)
        _carry(motion.frames[branch.parent], own, place, joint, parent_arm, child_arm, rates, tape)
    return motion


def _named(joint: JointMotion, tape: Tape) -> JointMotion:
    """The motion of a joint with its entries named."""
    return JointMotion(
        tape.matrix(joint.R),
        tape.vector(joint.t),
        tape.vectors(joint.S_w),
        tape.vectors(joint.S_v),
        tape.vector(joint.bias_w),
        tape.vector(joint.bias_v),
        tape.vectors(joint.turns),
        tape.vector(joint.bias_turn),
    )


def _carry(
    parent: Frame, own: Frame, place: BranchPlace, joint: JointMotion, P: Arm, C: Arm, rates: list[Scalar], tape: Tape
) -> None:
    """The motion of a child: through the parent's arm, the joint, and back through its own arm (theory 6)."""
    R = tape.matrix(product(tape.matrix(product(P.R, joint.R)), transpose(C.R)))
    d = tape.vector(apply(P.R, joint.t))
    off = tape.vector(sub(d, apply(R, C.r)))
    r = tape.vector(add(P.r, off))
    turns = tape.vectors([apply(C.R, turn) for turn in joint.turns])
    v_joint, spin = zero(), zero()
    for rate, S_v, turn in zip(rates, joint.S_v, turns, strict=True):
        v_joint, spin = add(v_joint, scale(rate, S_v)), add(spin, scale(rate, turn))
    v_joint, spin = tape.vector(apply(P.R, v_joint)), tape.vector(spin)
    w_P = tape.vector(add(parent.w, P.w))
    v_P = tape.vector(add(parent.v, cross(parent.w, P.r), P.r_dot))
    w_before = tape.vector(apply_transposed(R, w_P))
    own.w = tape.vector(sub(add(w_before, spin), C.w))
    v_m = tape.vector(add(v_P, cross(w_P, d), v_joint))
    own.v = tape.vector(sub(sub(apply_transposed(R, v_m), cross(own.w, C.r)), C.r_dot))
    a_P = add(parent.a, cross(parent.alpha, P.r), P.bias_r)
    a_P = add(a_P, cross(parent.w, add(cross(parent.w, P.r), scale(2, P.r_dot))))
    a_P = tape.vector(a_P)
    alpha_P = tape.vector(add(parent.alpha, cross(parent.w, P.w), P.bias_w))
    alpha_m = add(apply_transposed(R, alpha_P), cross(w_before, spin), apply(C.R, joint.bias_turn))
    a_m = add(a_P, cross(alpha_P, d), cross(w_P, add(cross(w_P, d), scale(2, v_joint))), apply(P.R, joint.bias_v))
    own.alpha = tape.vector(sub(sub(alpha_m, cross(own.w, C.w)), C.bias_w))
    own.a = sub(apply_transposed(R, tape.vector(a_m)), add(cross(own.alpha, C.r), C.bias_r))
    own.a = tape.vector(sub(own.a, cross(own.w, add(cross(own.w, C.r), scale(2, C.r_dot)))))
    own.R_w = tape.matrix(product(parent.R_w, R))
    own.p_w = tape.vector(add(parent.p_w, apply(parent.R_w, r)))
    _carry_columns(parent, own, place, joint, (P, C), (R, r, off), turns)
    own.columns = {k: (tape.vector(column[0]), tape.vector(column[1])) for k, column in own.columns.items()}


def _carry_columns(
    parent: Frame,
    own: Frame,
    place: BranchPlace,
    joint: JointMotion,
    arms: tuple[Arm, Arm],
    pose: tuple[Matrix, Vector, Vector],
    turns: list[Vector],
) -> None:
    P, C = arms
    R, r, off = pose
    for k, (velocity, turning) in parent.columns.items():
        velocity, turning = add(velocity, cross(turning, r)), turning
        if k in parent.modes:
            mode = k - parent.modes.start
            velocity = add(velocity, P.psi[mode], cross(P.omega[mode], off))
            turning = add(turning, P.omega[mode])
        own.columns[k] = apply_transposed(R, velocity), apply_transposed(R, turning)
    for j, (turn, S_v) in enumerate(zip(turns, joint.S_v, strict=True)):
        velocity = apply_transposed(R, apply(P.R, S_v))
        own.columns[place.v + j] = sub(velocity, cross(turn, C.r)), turn
    for mode, k in enumerate(place.modes):
        own.columns[k] = sub(cross(C.omega[mode], C.r), C.psi[mode]), minus(C.omega[mode])


def equations_of_motion(
    mechanism: SymbolicMechanism, places: list[BranchPlace], motion: TreeMotion, n_v: int
) -> tuple[list[list[Scalar]], list[Scalar]]:
    """M (lower part and diagonal; the upper part mirrored) and the bias of inertia and gravity."""
    tape = motion.tape
    M: list[list[Scalar]] = [[0] * n_v for _ in range(n_v)]
    bias: list[Scalar] = [0] * n_v
    for place in places:
        frame = motion.frames[place.branch.body]
        inertia = body_inertia(mechanism.bodies[place.branch.body], frame.q, frame.rates, frame.w, tape)
        a = tape.vector(sub(frame.a, apply_transposed(frame.R_w, mechanism.gravity)))
        _add_body(frame, a, inertia, M, bias, tape)
    for k in range(n_v):
        for l in range(k):
            M[l][k] = M[k][l]
    return M, bias


def _add_body(
    frame: Frame, a: Vector, inertia: BodyInertia, M: list[list[Scalar]], bias: list[Scalar], tape: Tape
) -> None:
    """Virtual work of the inertia of one body; a : acceleration of its origin, less gravity."""
    b = inertia
    force = tape.vector(add(scale(b.mass, a), cross(frame.alpha, b.S), b.h_t))
    moment = tape.vector(add(cross(b.S, a), apply(b.J, frame.alpha), b.h_r))
    first = frame.modes.start
    momenta = {}
    for k, (velocity, turning) in frame.columns.items():
        if is_null(velocity) and is_null(turning) and k not in frame.modes:
            continue
        p = add(scale(b.mass, velocity), cross(turning, b.S))
        L = add(cross(b.S, velocity), apply(b.J, turning))
        modal = [plus(dot(S, velocity), dot(M_wf, turning)) for S, M_wf in zip(b.S_psi, b.M_wf, strict=True)]
        bias[k] = plus(bias[k], plus(dot(velocity, force), dot(turning, moment)))
        if k in frame.modes:
            mode = k - first
            p, L = add(p, b.S_psi[mode]), add(L, b.M_wf[mode])
            modal = [plus(x, b.M_ff[i][mode]) for i, x in enumerate(modal)]
            own = plus(dot(b.S_psi[mode], a), dot(b.M_wf[mode], frame.alpha))
            bias[k] = plus(bias[k], plus(own, b.h_f[mode]))
        momenta[k] = tape.vector(p), tape.vector(L), modal
    for k, (p, L, modal) in momenta.items():
        for l in momenta:
            if l > k:
                continue
            velocity, turning = frame.columns[l]
            value = plus(dot(velocity, p), dot(turning, L))
            if l in frame.modes:
                value = plus(value, modal[l - first])
            M[k][l] = plus(M[k][l], value)
