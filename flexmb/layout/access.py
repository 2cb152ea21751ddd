"""Accessor kernels: entries of the flat arrays by name. The compiler inlines them, so that they cost nothing.

`..._record(I, number)` is the offset in I of a record; `..._of(I, record)` reads an entry of a record: a number, or the
offset in W of what belongs to it; `..._at(W, block)` reads from a block of W. Frames: w world, p parent, b body,
m marker. `R_wb` takes components in b to components in w; `omega_wb_b` is the angular velocity of b relative to w in
components of b. Accelerations are inertial ones less gravity.
"""

from __future__ import annotations

from flexmb.layout import flat_arrays as L
from flexmb.machine_code.jit import kernel
from flexmb.vectors import load3, load9, store3, store9


@kernel
def set_accelerate(I, W, accelerate):
    """Second argument of the program that is called next: whether the accelerations A of the modes count."""
    W[I[L.X_ACCELERATE]] = 1.0 if accelerate else 0.0


@kernel
def wants_accelerations(I, W):
    """Whether this program is to count the accelerations A of the modes."""
    return W[I[L.X_ACCELERATE]] != 0.0


@kernel
def body_record(I, number):
    """Body `number`; 0 is ground."""
    return I[L.BODIES] + number * L.BODY


@kernel
def parent_record(I, body):
    """The parent of a body that is not ground."""
    return I[L.BODIES] + I[body + L.B_PARENT] * L.BODY


@kernel
def is_on_ground(I, body):
    """Whether the parent of a body is ground."""
    return I[body + L.B_PARENT] == 0


@kernel
def block_of(I, body):
    """Motion and wrench of a body (`BODY_BLOCK`)."""
    return I[body + L.B_W]


@kernel
def wrench_of(I, body):
    """Force, moment and forces on the modes of a body that are to be balanced."""
    return I[body + L.B_W] + L.W_F


@kernel
def n_joint_of(I, body):
    """Number of rates of the tree joint of a body."""
    return I[body + L.B_NJ]


@kernel
def n_modes_of(I, body):
    """Number of elastic coordinates of a body."""
    return I[body + L.B_NF]


@kernel
def n_own_of(I, body):
    """Number of rates that a body adds to the tree: those of its joint, then its elastic ones."""
    return I[body + L.B_NJ] + I[body + L.B_NF]


@kernel
def v_index_of(I, body):
    """Index of the first own rate of a body among the velocities."""
    return I[body + L.B_V]


@kernel
def q_of(I, body):
    """Stored coordinates of the tree joint of a body."""
    return I[L.Q] + I[body + L.B_Q]


@kernel
def v_of(I, body):
    """Own rates of a body: joint, then elastic."""
    return I[L.V] + I[body + L.B_V]


@kernel
def a_of(I, body):
    """Own accelerations of a body: joint, then elastic."""
    return I[L.A] + I[body + L.B_V]


@kernel
def eta_of(I, body):
    """Elastic coordinates of a body."""
    return I[L.Q] + I[body + L.B_ELASTIC_Q]


@kernel
def eta_dot_of(I, body):
    """Elastic rates of a body."""
    return I[L.V] + I[body + L.B_V] + I[body + L.B_NJ]


@kernel
def eta_ddot_of(I, body):
    """Elastic accelerations of a body."""
    return I[L.A] + I[body + L.B_V] + I[body + L.B_NJ]


@kernel
def columns_of(I, body):
    """H: six numbers (v, omega) for each own rate of a body."""
    return I[body + L.B_H]


@kernel
def parent_columns_of(I, body):
    """Elastic columns of A: six numbers (v, omega) for each mode of the parent."""
    return I[body + L.B_ARM]


@kernel
def composite_of(I, body):
    """Composite inertia of a body, (6 + n_modes) x (6 + n_modes)."""
    return I[body + L.B_COMPOSITE]


@kernel
def inertia_of(I, body):
    """Offset in F of mass, first moment, inertia and rotor momentum."""
    return I[body + L.B_INERTIA]


@kernel
def bias_of(I, body):
    """Scratch of a body: velocity forces, energies, or the accelerations of a pass."""
    return I[body + L.B_BIAS]


@kernel
def field_of(I, body):
    """Deformation field of a body; 0: rigid."""
    return I[body + L.B_FIELD]


@kernel
def R_pb_at(W, block):
    """Orientation of a body in its parent."""
    return load9(W, block + L.W_R)


@kernel
def p_pb_at(W, block):
    """Origin of a body in its parent, parent axes."""
    return load3(W, block + L.W_P)


@kernel
def R_wb_at(W, block):
    """Orientation of a body in the world."""
    return load9(W, block + L.W_R_W)


@kernel
def p_wb_at(W, block):
    """Origin of a body in the world."""
    return load3(W, block + L.W_P_W)


@kernel
def omega_wb_b_at(W, block):
    """Angular velocity of a body."""
    return load3(W, block + L.W_OMEGA)


@kernel
def v_wb_b_at(W, block):
    """Velocity of the origin of a body."""
    return load3(W, block + L.W_VEL)


@kernel
def alpha_wb_b_at(W, block):
    """Angular acceleration of a body."""
    return load3(W, block + L.W_ALPHA)


@kernel
def a_wb_b_at(W, block):
    """Acceleration of the origin of a body, less gravity."""
    return load3(W, block + L.W_ACC)


@kernel
def store_pose_in_parent(W, block, R_pb, p_pb_p):
    store9(W, block + L.W_R, R_pb)
    store3(W, block + L.W_P, p_pb_p)


@kernel
def store_pose(W, block, R_wb, p_wb):
    store9(W, block + L.W_R_W, R_wb)
    store3(W, block + L.W_P_W, p_wb)


@kernel
def store_twist(W, block, v_wb_b, omega_wb_b):
    store3(W, block + L.W_OMEGA, omega_wb_b)
    store3(W, block + L.W_VEL, v_wb_b)


@kernel
def store_accelerations(W, block, a_wb_b, alpha_wb_b):
    store3(W, block + L.W_ACC, a_wb_b)
    store3(W, block + L.W_ALPHA, alpha_wb_b)


@kernel
def marker_record(I, number):
    """Marker `number`."""
    return I[L.MARKERS] + number * L.MARKER


@kernel
def body_of_marker(I, marker):
    """Record of the body of a marker."""
    return I[L.BODIES] + I[marker + L.MK_BODY] * L.BODY


@kernel
def constants_of_marker(I, marker):
    """Offset in F of position, orientation and shapes of a marker."""
    return I[marker + L.MK_F]


@kernel
def state_block_of(I, marker):
    """State of a marker (`MARKER_BLOCK`)."""
    return I[marker + L.MK_W]


@kernel
def is_flexible(I, marker):
    """Whether the deformation of its body moves a marker."""
    return I[marker + L.MK_FLEX] > 0


@kernel
def mode_columns_at(state):
    """Six numbers (Psi, Omega) for each mode, of the marker with this state."""
    return state + L.S_COLUMNS


@kernel
def applied_wrench_at(state, n_modes):
    """Force and moment that act at the marker with this state, on a body with `n_modes` modes."""
    return state + L.S_COLUMNS + 6 * n_modes


@kernel
def p_bm_at(F, constants):
    """Position of a marker in the undeformed body."""
    return load3(F, constants + L.MF_P)


@kernel
def R_bm_at(F, constants):
    """Orientation of a marker in the undeformed body."""
    return load9(F, constants + L.MF_R)


@kernel
def r_at(W, state):
    """Position of a marker in its deformed body, body axes."""
    return load3(W, state + L.S_BODY)


@kernel
def p_wm_at(W, state):
    """Position of a marker."""
    return load3(W, state + L.S_P)


@kernel
def R_wm_at(W, state):
    """Orientation of a marker."""
    return load9(W, state + L.S_R)


@kernel
def v_wm_at(W, state):
    """Velocity of a marker, world axes."""
    return load3(W, state + L.S_V)


@kernel
def omega_wm_at(W, state):
    """Angular velocity of a marker, world axes."""
    return load3(W, state + L.S_W)


@kernel
def a_wm_at(W, state):
    """Acceleration of a marker less gravity, world axes."""
    return load3(W, state + L.S_A)


@kernel
def alpha_wm_at(W, state):
    """Angular acceleration of a marker, world axes."""
    return load3(W, state + L.S_AL)


@kernel
def store_arm(W, state, r, R_bm, r_dot, omega_bm_b, gamma_r, gamma_w):
    """Pose, rates and biases of a marker relative to its flexible body, body axes."""
    store3(W, state + L.S_BODY, r)
    store9(W, state + L.S_ARM_R, R_bm)
    store3(W, state + L.S_ARM_V, r_dot)
    store3(W, state + L.S_ARM_W, omega_bm_b)
    store3(W, state + L.S_ARM_BIAS_R, gamma_r)
    store3(W, state + L.S_ARM_BIAS_W, gamma_w)


@kernel
def chord_record(I, number):
    """Chord `number`."""
    return I[L.CHORDS] + number * L.CHORD


@kernel
def load_record(I, number):
    """Load `number`."""
    return I[L.LOADS] + number * L.LOAD


@kernel
def row_record(I, number):
    """Active constraint row `number`."""
    return I[L.ROWS] + number * L.ROW


@kernel
def joint_record(I, number):
    """Joint `number`, for the output."""
    return I[L.JOINTS] + number * L.JOINT


@kernel
def state_of_marker(I, number):
    """Place in W of the state of marker `number`."""
    return I[I[L.MARKERS] + number * L.MARKER + L.MK_W]


@kernel
def coordinate_wrench_at(chord_block, k):
    """Force and moment on the second marker of a chord by a unit effort on its coordinate k."""
    return chord_block + L.C_WRENCH + 6 * k


@kernel
def S_w_at(W, joint, k):
    """Angular velocity of a joint by its rate k, frame of the parent-side marker."""
    return load3(W, joint + L.J_SW + 3 * k)


@kernel
def S_v_at(W, joint, k):
    """Velocity of a joint by its rate k, frame of the parent-side marker."""
    return load3(W, joint + L.J_SV + 3 * k)
