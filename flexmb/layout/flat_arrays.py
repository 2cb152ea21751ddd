"""Where everything stands in the three flat arrays that the compiled kernels work on.

I (int64) holds the structure of a system, F (float64) its constants, W (float64) the workspace. The first `HEADER`
entries of I are the counts, addresses and workspace offsets named here; records of bodies, joints, rows and loads
follow at the offsets that the header gives. Only `flexmb.system.build` writes I and F.
"""

from __future__ import annotations

from itertools import count

_slot = count()


def _next() -> int:
    return next(_slot)


# Counts
N_BODIES = _next()  # moving bodies; body 0 is ground
N_Q = _next()  # stored coordinates (quaternions take four)
N_V = _next()  # velocities
N_ROWS = _next()  # active constraint rows
N_POS_ROWS = _next()  # the first rows hold at position level, the rest (non-holonomic) at velocity level
N_POWERS = _next()  # work channels
N_OUT = _next()  # length of an output row
N_MEMORY = _next()  # numbers that turns are counted by
N_SPHERES = _next()  # quaternion blocks

# Offsets into W
T = _next()  # time [s]
Q = _next()  # coordinates (n_q)
V = _next()  # velocities (n_v)
A = _next()  # accelerations (n_v)
LAM = _next()  # multipliers (n_rows)
QN = _next()  # coordinates at the start of a step (n_q)
DQ = _next()  # increment of a step (n_v)
RES = _next()  # residual of the equations of motion (n_v)
PHI = _next()  # constraint residual (n_rows)
PHI_DOT = _next()  # G v + Phi_t (n_rows)
GAM = _next()  # Phi_ddot = G a + GAM (n_rows)
M = _next()  # mass matrix (n_v, n_v)
G = _next()  # constraint Jacobian (n_rows, n_v)
BIAS = _next()  # h - applied forces (n_v)
Q_DOT = _next()  # time derivative of the stored coordinates (n_q)
Q_DDOT = _next()  # second time derivative of the stored coordinates (n_q)
POWER = _next()  # power of every work channel [W] (n_powers)
WORK = _next()  # work of every work channel [J] (n_powers)
OUT = _next()  # output row (n_out)
# Angles, rates and time of the last accepted state of every joint with angles, to count turns; then POSES (n_memory)
MEMORY = _next()

# Addresses of the programs
AT_COMPOSE = _next()
AT_RATES = _next()
AT_VELOCITIES = _next()
AT_RESIDUAL = _next()
AT_SYSTEM = _next()
AT_JACOBIAN = _next()
AT_ACCELERATION = _next()
AT_POWERS = _next()
AT_OUTPUT = _next()
AT_ACCEPT = _next()
AT_KINEMATICS = _next()
AT_BODY_FORCES = _next()
AT_LOADS = _next()
AT_ROWS = _next()
AT_BACKWARD = _next()
AT_MASS = _next()
AT_ARTICULATED = _next()
AT_CHORDS = _next()
AT_SENSORS = _next()
AT_WRENCHES = _next()
AT_REACTIONS = _next()
AT_BRANCHES = _next()
AT_ARM = _next()
AT_BEAM_ARM = _next()
AT_BEAM_NODES = _next()
AT_BEAM_FORCE = _next()
AT_BEAM_MASS = _next()
AT_POINT_FORCE = _next()
AT_POINT_MASS = _next()
AT_INVARIANT_FORCE = _next()
AT_INVARIANT_MASS = _next()
AT_FIELD_ENERGY = _next()
AT_SECTIONS = _next()
AT_MARKER = _next()
AT_CHORD = _next()
AT_FUNCTION = _next()
AT_JOINT = _next()
AT_PAIR = _next()
AT_WHOLE_RESIDUAL = _next()  # the residual that also leaves motion and wrenches of all bodies: never generated code

# Tables in I: offset of the first record, number of records
BODIES = _next()  # record b of body b, b = 0 (ground) ... N_BODIES
MARKERS = _next()
N_MARKERS = _next()
ROWS = _next()
CHORDS = _next()
N_CHORDS = _next()
LOADS = _next()
N_LOADS = _next()
SCALARS = _next()  # pairs (index in q, index in v) of the plain coordinates
N_SCALARS = _next()
SPHERES = _next()  # triples (index in q, index in v, number of rates 3 or 2) of the quaternion blocks
SENSORS = _next()
N_SENSORS = _next()
N_EARLY_SENSORS = _next()  # the first sensors are needed by expressions, hence before the loads
JOINTS = _next()  # all joints, for the output
N_JOINTS = _next()
MOTIONS = _next()
N_MOTIONS = _next()
FIELDS = _next()  # deformation fields of the flexible bodies, one after the other
N_FIELDS = _next()
SECTIONS = _next()  # cuts of beams whose forces are measured
N_SECTIONS = _next()
FIELD_KINDS = _next()  # which programs of flexible bodies are needed: sum of the KIND_... values

# Constants in F
GRAVITY = _next()  # offset of the gravity vector (3)
BASE_AXIS = _next()  # offset of the axis of the base rotation (3)
# Function programs of the base motion (0: none)
BASE_ANGLE = _next()
BASE_ACCELERATION = _next()  # offset in I of three function starts (0: none)
BASE_POWER = _next()  # work channel of the base, -1: none

# More workspace
EFFORT = _next()  # applied effort on every velocity coordinate (n_v)
BASE = _next()  # base acceleration in inertial axes (3)
ENERGY = _next()  # kinetic, potential (strain included), total work, strain (4)
POSES = _next()  # quaternions of the bodies in the last output row (4 each), at the end of the memory
X_JOINT = _next()  # joint motion scratch
X_VALUE = _next()  # value and derivatives of a function (3)
X_UP = _next()  # wrench scratch of the walks to the root
X_UP2 = _next()  # a second one
X_LARGE = _next()  # rows of a composite inertia on their way to a flexible parent
X_ARTICULATED = _next()  # articulated-body scratch
X_CHORD = _next()  # chord measurement scratch
X_FIELD = _next()  # four arrays over the stations of a beam
COPIES = _next()  # pairs (offset in W, length): the pieces of an output row
N_COPIES = _next()
HEADER = _next() + 1

# How a joint is read: type, parameters in F, places of its coordinates, rates and accelerations in W, number of rates,
# first and second marker, place in W of the angles, rates and time by which turns are counted (-1: nearest to zero).
# Part of the records of bodies and chords.
K_CODE, K_F, K_Q, K_V, K_A, K_N, K_FIRST, K_SECOND, K_MEMORY = range(9)
JOINT_KEY = 9

# Body record: how its tree joint is read, then the rest
(
    B_PARENT, B_REVERSED, B_Q, B_NQ, B_V, B_NJ, B_ELASTIC_Q, B_NF,
    B_PARENT_MARKER, B_CHILD_MARKER, B_INERTIA,
    B_W, B_H, B_ARM, B_OUT, B_COMPOSITE, B_U, B_D, B_BIAS, B_FIELD,
) = range(JOINT_KEY, JOINT_KEY + 20)  # fmt: skip
BODY = JOINT_KEY + 20

# Body block in W
W_R, W_P, W_OMEGA, W_VEL, W_ACC, W_ALPHA, W_R_W, W_P_W, W_S, W_J, W_F = 0, 9, 12, 15, 18, 21, 24, 33, 36, 39, 48

# Inertia record in F: mass, first moment (3), inertia about the body origin (9), rotor momentum (3)
F_MASS, F_S, F_J, F_ROTOR = 0, 1, 4, 13
INERTIA = 16

# Deformation field of a flexible body, record in I (B_FIELD; 0: rigid): its body record, header slots of the programs
# that find its nodes (0: none), its force and its mass; constants in F: stiffness, damping (0: none) and cubic
# stiffness (0: none); work channel of its damping (-1: none); number of points and constants of the kind; scratch in W.
(
    FD_BODY, FD_NODES, FD_FORCE, FD_MASS, FD_K, FD_D, FD_CUBIC, FD_POWER, FD_N, FD_F, FD_W, FD_ORDER,
    FD_SEGMENTS, FD_LOCAL, FD_NY, FD_NZ, FD_NU, FD_NT, FD_FROM_END, FD_SHEAR, FD_UNEQUAL,
    FD_SLICES, FD_N_SLICES,
) = range(23)  # fmt: skip
FIELD = 23
KIND_ARMS, KIND_BEAM, KIND_POINTS, KIND_INVARIANTS, KIND_SECTIONS = 1, 2, 4, 8, 16

# Exact beam, constants in F: for every segment the integration matrix from its start to its Gauss points (transposed)
# and the weights of the whole segment (n_local x n_local + n_local), then arrays over the stations: mass, weighted
# bending stiffness EIz and EIy, undeformed x, value of every shape, then slope, turn and curvature of the bending ones.
ST_MASS, ST_EIZ, ST_EIY, ST_X, ST_SHAPES = range(5)
# Arrays over the stations in W: slopes b, c of the centre line, s = sqrt(1 - b^2 - c^2) and s - 1, rates of b, c, s and
# bias of s; turns of the section, their rates and derivatives along the beam; frame twist tau, its rate and bias; then
# the motion of the centre line and the force, filled by the force program.
(
    ND_B, ND_C, ND_S, ND_DS, ND_B1, ND_C1, ND_S1, ND_S2, ND_BETA, ND_GAMMA, ND_BETA1, ND_GAMMA1, ND_BEND_Y, ND_BEND_Z,
    ND_TAU, ND_TAU1, ND_TAU2, ND_Y, ND_Z, ND_U, ND_Y1, ND_Z1, ND_U1, ND_Y2, ND_Z2, ND_U2, ND_S3, ND_FX, ND_FY, ND_FZ,
    ND_THETA, ND_TWIST, ND_TORSION, ND_PULL,
) = range(34)  # fmt: skip
NODES = 34
# Marker on an exact beam, constants in F after position and orientation: offset from the centre line in section axes
# (3), undeformed x, weights of the stations that integrate to its place, shapes: value (n), slope, turn (n_y + n_z).
MX_OFFSET, MX_X, MX_WEIGHTS = 12, 15, 16
# Slice: a rigid part fixed to a section of a beam; record in I: marker, place in F of mass and inertia (9) about it
SL_MARKER, SL_F = range(2)
SLICE = 2

# Section: a cut of an exact beam whose forces are measured; record in I: body record, marker, constants in F (x, then
# the part of every station that lies towards B), lists in I of the markers, slices (with their parts in F) and tree
# joints (joint, sign) on that side, block in W (force, moment).
(
    SX_BODY, SX_MARKER, SX_F, SX_MARKERS, SX_N_MARKERS, SX_SLICES, SX_N_SLICES, SX_PARTS, SX_JOINTS, SX_N_JOINTS, SX_W,
) = range(11)  # fmt: skip
SECTION = 11

# Joint motion scratch in W: pose, bias and motion subspace in the frame of the parent-side marker
J_R, J_T, J_BIAS_W, J_BIAS_V, J_SW, J_SV = 0, 9, 12, 15, 18, 36
JOINT_MOTION = 54

# Marker record in I: body, place in F (position 3 and orientation 9 in the body, then the shapes of a flexible one),
# header slot of the program that finds its arm (0: rigid), block in W, order of its shapes (1: linear, 2: second order)
MK_BODY, MK_F, MK_FLEX, MK_W, MK_ORDER = range(5)
MARKER = 5

# Marker block in W. World components: position, orientation, velocity, angular velocity, acceleration, angular
# acceleration. Body components: position; on flexible bodies also orientation, rates (velocity, angular velocity) and
# biases of both relative to the body, then six columns of every mode, then the wrench applied there (force, moment).
S_P, S_R, S_V, S_W, S_A, S_AL, S_BODY = 0, 3, 12, 15, 18, 21, 24
S_ARM_R, S_ARM_V, S_ARM_W, S_ARM_BIAS_R, S_ARM_BIAS_W, S_COLUMNS = 27, 36, 39, 42, 45, 48
RIGID_MARKER = 27

# Row record: kind, markers, axes, function program, float parameter, coordinate (tree: index in v; chord: number of the
# chord), second index (tree: index in q; chord: number of the coordinate)
R_KIND, R_A, R_B, R_I, R_J, R_FUNCTION, R_F, R_COORD, R_SUB, R_W = range(10)
ROW = 10
ROW_POINT, ROW_DOT, ROW_DISTANCE, ROW_SCREW, ROW_TREE, ROW_CHORD, ROW_ROLL = range(7)
# Row block in W: wrench on the second marker (force, moment), world axes
ROW_WRENCH = 6

# Chord record: how it is read, number of stored coordinates, block in W, whether rows or loads need it
CH_NQ, CH_W, CH_NEEDED = range(JOINT_KEY, JOINT_KEY + 3)
CHORD = JOINT_KEY + 3
# Chord block in W: coordinates (8), rates (6), accelerations (6), wrench of each coordinate (6 x 6)
C_Q, C_V, C_A, C_WRENCH = 0, 8, 14, 20
CHORD_BLOCK = 56

# Load record: kind (flexmb.loads.table), markers, axes (0 world, 1 marker), coordinate reference (5), parameters,
# functions, channels
L_KIND, L_A, L_B, L_AXES, L_TREE, L_Q, L_V, L_CHORD, L_COORD, L_F, L_FX, L_FY, L_FZ, L_POWER, L_W, L_TABLE = range(16)
LOAD = 16
# Load block in W: effort, power, potential, and the vector of a force or torque at a marker, world axes (3)
LW_EFFORT, LW_POWER, LW_POTENTIAL, LW_VECTOR = range(4)
LOAD_BLOCK = 6

# Sensor record; a deflection of A from the chord B to C has at SE_F: place on the chord as a part of it, direction of
# the undeformed chord (3) and offset of A from it (3), body axes
SE_KIND, SE_A, SE_B, SE_COMPONENT, SE_AXES, SE_SOURCE, SE_W, SE_C, SE_F = range(9)
SENSOR = 9
SENSE_SLOT, SENSE_POSITION, SENSE_VELOCITY, SENSE_ACCELERATION, SENSE_DISTANCE, SENSE_NORM, SENSE_DEFLECTION = range(7)

# Joint record for the output: tree body (0: chord), type, markers first/second, list of its rows, float parameters,
# n_q, n_v, W block of the reaction (force 3, moment 3)
JO_BODY, JO_CODE, JO_A, JO_B, JO_ROW_LIST, JO_ROWS, JO_F, JO_NV, JO_REVERSED, JO_W = range(10)
JOINT = 10

# Output block of a body in W: position (3), quaternion (4), velocity (3), angular velocity in body axes (3)
BODY_OUT = 13

# Motion record: row (-1: dropped), work channel, function, W slot of the effort
MO_ROW, MO_POWER, MO_FUNCTION, MO_W = range(4)
MOTION = 4
