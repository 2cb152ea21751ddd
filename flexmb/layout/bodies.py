"""Records of the bodies of the tree, and of how a joint is read.

Frames: w world, b body, p parent body. `R_pb` takes components in b to components in p; `omega_wb_b` is the angular
velocity of b relative to w in components of b. Accelerations are inertial ones less gravity.
"""

from __future__ import annotations

from flexmb.layout.record import Record

JOINT_KEY_RECORD = Record("joint key", "I", "How a joint is read; the first part of the records of bodies and chords.")
K_CODE = JOINT_KEY_RECORD.value("code", "type of the joint (`joints.table.JointCode`)")
K_F = JOINT_KEY_RECORD.place("parameters", "F", 0, "", "parameters of the joint (lead, length, radius); 0: none")
K_Q = JOINT_KEY_RECORD.place("q", "W", "n_joint_q", "m, rad, 1", "its coordinates")
K_V = JOINT_KEY_RECORD.place("v", "W", "n_joint", "m/s, rad/s", "its rates")
K_A = JOINT_KEY_RECORD.place("a", "W", "n_joint", "m/s^2, rad/s^2", "its accelerations")
K_N = JOINT_KEY_RECORD.value("n_rates", "number of its rates")
K_FIRST = JOINT_KEY_RECORD.value("first", "number of its first marker")
K_SECOND = JOINT_KEY_RECORD.value("second", "number of its second marker")
K_MEMORY = JOINT_KEY_RECORD.value("memory", "offset in W of the angles that turns are counted by; -1: nearest to zero")
JOINT_KEY = JOINT_KEY_RECORD.size

JOINT_MOTION_RECORD = Record("joint motion", "W", "What `joints` answers: frame of the parent-side marker.")
J_R = JOINT_MOTION_RECORD.value("R_J", "orientation of the other marker", length=9, unit="1")
J_T = JOINT_MOTION_RECORD.value("t_J", "its position", length=3, unit="m")
J_BIAS_W = JOINT_MOTION_RECORD.value("bias_w", "angular acceleration without q''", length=3, unit="rad/s^2")
J_BIAS_V = JOINT_MOTION_RECORD.value("bias_v", "acceleration without q''", length=3, unit="m/s^2")
J_SW = JOINT_MOTION_RECORD.value("S_w", "motion subspace: angular velocity by every rate", length=18, unit="1, 1/m")
J_SV = JOINT_MOTION_RECORD.value("S_v", "motion subspace: velocity by every rate", length=18, unit="1, m")
JOINT_MOTION = JOINT_MOTION_RECORD.size

INERTIA_RECORD = Record("inertia", "F", "Inertia of a rigid body about its origin, body axes.")
F_MASS = INERTIA_RECORD.value("mass", "mass", unit="kg")
F_S = INERTIA_RECORD.value("S", "first moment", length=3, unit="kg m")
F_J = INERTIA_RECORD.value("J", "inertia about the body origin", length=9, unit="kg m^2")
F_ROTOR = INERTIA_RECORD.value("rotor", "constant angular momentum of an internal rotor", length=3, unit="N m s")
INERTIA = INERTIA_RECORD.size

BODY_BLOCK = Record("body block", "W", "Motion of a body and the wrench to be balanced; body axes unless said.")
W_R = BODY_BLOCK.value("R_pb", "orientation in the parent", length=9, unit="1")
W_P = BODY_BLOCK.value("p_pb_p", "origin in the parent, parent axes", length=3, unit="m")
W_OMEGA = BODY_BLOCK.value("omega_wb_b", "angular velocity", length=3, unit="rad/s")
W_VEL = BODY_BLOCK.value("v_wb_b", "velocity of the origin", length=3, unit="m/s")
W_ACC = BODY_BLOCK.value("a_wb_b", "acceleration of the origin less gravity", length=3, unit="m/s^2")
W_ALPHA = BODY_BLOCK.value("alpha_wb_b", "angular acceleration", length=3, unit="rad/s^2")
W_R_W = BODY_BLOCK.value("R_wb", "orientation in the world", length=9, unit="1")
W_P_W = BODY_BLOCK.value("p_wb", "origin in the world, world axes", length=3, unit="m")
W_S = BODY_BLOCK.value("S", "first moment", length=3, unit="kg m")
W_J = BODY_BLOCK.value("J", "inertia about the origin", length=9, unit="kg m^2")
W_F = BODY_BLOCK.value("wrench", "force (3) and moment about the origin (3) to be balanced", length=6, unit="N, N m")
BODY_BLOCK.rest("mode_forces", "forces on the elastic coordinates to be balanced", length="n_modes", unit="N")

BODY_OUTPUT = Record("body output", "W", "What an output row says of a body.")
BO_POSITION = BODY_OUTPUT.value("p_wb", "position of the origin, world axes", length=3, unit="m")
BO_QUATERNION = BODY_OUTPUT.value("quaternion", "orientation in the world, w first", length=4, unit="1")
BO_VELOCITY = BODY_OUTPUT.value("v_wb", "velocity of the origin, world axes", length=3, unit="m/s")
BO_OMEGA = BODY_OUTPUT.value("omega_wb_b", "angular velocity, body axes", length=3, unit="rad/s")
BODY_OUT = BODY_OUTPUT.size

BODY_RECORD = Record("body", "I", "A body and the tree joint that carries it.", begins_with=JOINT_KEY_RECORD)
_value, _place = BODY_RECORD.value, BODY_RECORD.place
B_PARENT = _value("parent", "number of the parent body; -1: ground has none")
B_REVERSED = _value("reversed", "1: the second marker of the joint is on the parent")
B_Q = _value("q_index", "index of its first coordinate among the stored ones")
B_NQ = _value("n_joint_q", "stored coordinates of its tree joint")
B_V = _value("v_index", "index of its first rate among the velocities: joint rates, then elastic rates")
B_NJ = _value("n_joint", "rates of its tree joint")
B_ELASTIC_Q = _value("elastic_q_index", "index of its first elastic coordinate among the stored ones")
B_NF = _value("n_modes", "elastic coordinates; 0: rigid")
B_PARENT_MARKER = _value("parent_marker", "marker of the tree joint on the parent")
B_CHILD_MARKER = _value("child_marker", "marker of the tree joint on the body")
B_INERTIA = _place("inertia", "F", INERTIA_RECORD, "", "inertia of the undeformed body")
B_W = _place("block", "W", BODY_BLOCK, "", "motion and wrench")
B_H = _place("H", "W", "6 n_own", "1, m, 1/m", "columns (v, omega) of its velocity by its own rates")
B_ARM = _place("arm", "W", "6 n_parent_modes", "1, 1/m", "columns (v, omega) of its velocity by the parent's modes")
B_OUT = _place("output", "W", BODY_OUTPUT, "", "numbers for the output row")
B_COMPOSITE = _place("composite", "W", "size size", "kg, kg m, kg m^2", "inertia of the body and what it carries")
B_U = _place("U", "W", "size n_own", "kg, kg m, kg m^2", "composite inertia times the columns of its own rates")
B_D = _place("D", "W", "n_own n_own", "kg, kg m, kg m^2", "Cholesky factor of H^T (composite inertia) H")
B_BIAS = _place("bias", "W", "8 + n_modes", "", "scratch: velocity forces, energies, or accelerations of a pass")
B_FIELD = _value("field", "offset in I of its deformation field; 0: rigid")
BODY = BODY_RECORD.size

PATH_RECORD = Record("path", "I", "Sparse storage: rows of the mass matrix that belong to a body.")
PA_AT = PATH_RECORD.value(
    "at", "number of the first entry; a row has the columns of the ancestors, root first, then own"
)
PA_DEPTH = PATH_RECORD.value("depth", "number of columns of its ancestors")
PATH = PATH_RECORD.size
