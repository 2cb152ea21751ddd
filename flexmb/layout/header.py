"""Header of I: counts, places in the workspace W, addresses of the programs, and where the tables of records begin.

Everything else in the flat arrays is found from here. Only `flexmb.system` writes it, and `flexmb.equations.programs`
the addresses.
"""

from __future__ import annotations

from flexmb.layout.bodies import BODY_RECORD, JOINT_MOTION_RECORD, PATH_RECORD
from flexmb.layout.constraints import CHORD_RECORD, MOTION_RECORD, ROW_RECORD, SHARED_RECORD
from flexmb.layout.coordinates import SCALAR_RECORD, SPHERE_RECORD
from flexmb.layout.deformation_fields import FIELD_RECORD, SECTION_RECORD
from flexmb.layout.loads import LOAD_RECORD
from flexmb.layout.markers import MARKER_RECORD
from flexmb.layout.outputs import COPY_RECORD, JOINT_RECORD, SENSOR_RECORD
from flexmb.layout.record import Record

HEADER_RECORD = Record("header", "I", "Counts, places and addresses, at the start of I.")
_value, _place = HEADER_RECORD.value, HEADER_RECORD.place
_program, _table = HEADER_RECORD.program, HEADER_RECORD.table

N_BODIES = _value("n_bodies", "moving bodies; body 0 is ground")
N_Q = _value("n_q", "stored coordinates (quaternions take four)")
N_V = _value("n_v", "velocities")
N_ROWS = _value("n_rows", "constraint rows as the solvers see them: independent")
N_POS_ROWS = _value("n_pos_rows", "rows that hold at position level; the rest (non-holonomic) at velocity level")
N_ALL_ROWS = _value("n_all_rows", "constraint rows that are evaluated; more than n_rows when some depend on others")
N_ALL_POS_ROWS = _value("n_all_pos_rows", "those of them that hold at position level")
N_BASIS = _value("n_basis", "numbers of the basis of the rows; 0: the rows are those of the solvers")
N_POWERS = _value("n_powers", "work channels")
N_OUT = _value("n_out", "length of an output row")
N_MEMORY = _value("n_memory", "numbers that turns are counted by")
N_COUPLINGS = _value("n_couplings", "rows of couplings")
N_TEETH = _value("n_teeth", "those of them that are of teeth")
N_SPHERES = _value("n_spheres", "quaternion blocks")
SPARSE = _value("sparse", "1: only entries of M and G that can differ from zero are stored; 0: full matrices")
N_M = _value("n_M", "stored entries of the mass matrix")
N_G = _value("n_G", "stored entries of the constraint Jacobian")
N_ALL_G = _value("n_all_G", "stored entries of the Jacobian of all rows")

# State and results of the equations
T = _place("t", "W", 1, "s", "time")
Q = _place("q", "W", "n_q", "m, rad, 1", "coordinates")
V = _place("v", "W", "n_v", "m/s, rad/s", "velocities")
A = _place("a", "W", "n_v", "m/s^2, rad/s^2", "accelerations")
LAM = _place("lam", "W", "n_rows", "N, N m", "multipliers")
QN = _place("q_n", "W", "n_q", "m, rad, 1", "coordinates at the start of a step")
DQ = _place("dq", "W", "n_v", "m, rad", "increment of a step")
RES = _place("res", "W", "n_v", "N, N m", "residual of the equations of motion")
PHI = _place("phi", "W", "n_rows", "m, rad", "constraint residual")
PHI_DOT = _place("phi_dot", "W", "n_rows", "m/s, rad/s", "G v + Phi_t")
GAM = _place("gam", "W", "n_rows", "m/s^2, rad/s^2", "gamma in Phi_ddot = G a + gamma")
M = _place("M", "W", "n_M", "kg, kg m, kg m^2", "mass matrix; sparse: by bodies, see `paths`")
G = _place("G", "W", "n_G", "1, m", "constraint Jacobian; sparse: by rows, see `G_columns`")
LAM_ALL = _place("lam_all", "W", "n_all_rows", "N, N m", "multipliers of all rows; the same as lam without basis")
PHI_ALL = _place("phi_all", "W", "n_all_rows", "m, rad", "residual of all rows")
PHI_DOT_ALL = _place("phi_dot_all", "W", "n_all_rows", "m/s, rad/s", "rates of all rows")
GAM_ALL = _place("gam_all", "W", "n_all_rows", "m/s^2, rad/s^2", "gamma of all rows")
G_ALL = _place("G_all", "W", "n_all_G", "1, m", "Jacobian of all rows")
BASIS = _place(
    "basis", "W", "n_basis", "",
    "combinations of the rows (n_all_rows x n_all_rows), coordinates where they were examined last (n_q), distance of "
    "each until the next look (n_q), shift of the multipliers of all rows in an output row (n_all_rows)",
)  # fmt: skip
BIAS = _place("bias", "W", "n_v", "N, N m", "h - applied forces")
Q_DOT = _place("q_dot", "W", "n_q", "m/s, rad/s, 1/s", "time derivative of the stored coordinates")
Q_DDOT = _place("q_ddot", "W", "n_q", "m/s^2, rad/s^2, 1/s^2", "second time derivative of the stored coordinates")
POWER = _place("power", "W", "n_powers", "W", "power of every work channel")
WORK = _place("work", "W", "n_powers", "J", "work of every work channel")
OUT = _place("out", "W", "n_out", "", "output row")
MEMORY = _place(
    "memory", "W", "n_memory", "rad, rad/s, s, 1",
    "angles, rates and time of the last accepted state of every joint with angles, to count turns; then `poses`, and "
    "the flanks of teeth",
)  # fmt: skip

# Programs
AT_COMPOSE = _program("compose", "q = q_n o dq")
AT_RATES = _program("rates", "q_dot and q_ddot from q, v, a")
AT_VELOCITIES = _program("velocities", "v and a from q, q_dot, q_ddot")
AT_RESIDUAL = _program("residual", "residual of the equations of motion and of the rows")
AT_SYSTEM = _program("system", "mass matrix, bias and rows")
AT_JACOBIAN = _program("jacobian", "rows with their Jacobian")
AT_ACCELERATION = _program("acceleration", "accelerations of an open tree, O(n)")
AT_POWERS = _program("powers", "power of every work channel")
AT_OUTPUT = _program("output", "output row")
AT_ACCEPT = _program("accept", "remember angles, so that turns are counted")
AT_KINEMATICS = _program("kinematics", "motion of all bodies")
AT_BODY_FORCES = _program("body_forces", "wrenches that the inertia of the bodies requires")
AT_LOADS = _program("loads", "applied forces")
AT_ROWS = _program("rows", "constraint rows")
AT_BACKWARD = _program("backward", "body wrenches to generalised forces")
AT_MASS = _program("mass_matrix", "mass matrix by the composite-body method")
AT_ARTICULATED = _program("articulated_bodies", "accelerations by the articulated-body method")
AT_CHORDS = _program("chords", "coordinates of the joints that are chords")
AT_SENSORS = _program("sensors", "sensors")
AT_WRENCHES = _program("wrenches", "motion, inertia and loads, before rows and backward pass")
AT_REACTIONS = _program("reactions", "joint reactions")
AT_BRANCHES = _program("branches", "coordinates of the tree joints from poses")
AT_ARM = _program("flexible_arm", "marker on a flexible body with mode shapes")
AT_BEAM_ARM = _program("beam_arm", "marker on an exact beam")
AT_BEAM_NODES = _program("beam_nodes", "slopes and twist at the stations of an exact beam")
AT_BEAM_FORCE = _program("beam_force", "inertia and elastic force of an exact beam (reads x_accelerate)")
AT_BEAM_MASS = _program("beam_mass", "mass matrix of an exact beam")
AT_POINT_FORCE = _program("point_force", "inertia and elastic force of mass points (reads x_accelerate)")
AT_POINT_MASS = _program("point_mass", "mass matrix of mass points")
AT_INVARIANT_FORCE = _program("invariant_force", "inertia and elastic force by invariants (reads x_accelerate)")
AT_INVARIANT_MASS = _program("invariant_mass", "mass matrix by invariants")
AT_FIELD_ENERGY = _program("field_energy", "energies of a flexible body")
AT_SECTIONS = _program("sections", "forces inside beams")
AT_MARKER = _program("marker_state", "state of a marker in world components (reads x_accelerate)")
AT_CHORD = _program("chord", "one chord (reads x_accelerate)")
AT_FUNCTION = _program("function", "value and derivatives of a function of time")
AT_JOINT = _program("joint_motion", "pose, subspace and bias of a joint")
AT_COUPLING = _program("coupling", "row of coupled joint coordinates")
AT_TEETH = _program("teeth", "row of two wheels whose teeth mesh")
AT_FLANKS = _program("flanks", "flanks of teeth that the multipliers press")
AT_PAIR = _program("pair", "coordinates of a joint from the states of its markers")
AT_WHOLE_RESIDUAL = _program(
    "whole_residual", "residual that also leaves motion and wrenches of all bodies: never generated code"
)
AT_ALL_RESIDUAL = _program("all_residual", "residual with all rows, where some depend on others")
AT_ALL_WHOLE_RESIDUAL = _program("all_whole_residual", "the same, never generated code")
AT_ALL_SYSTEM = _program("all_system", "mass matrix, bias and all rows, where some depend on others")
AT_ALL_JACOBIAN = _program("all_jacobian", "all rows with their Jacobian, where some depend on others")
AT_SHARE_PATTERN = _program("share_pattern", "sparse storage: pattern of the least multipliers; 0: all are determined")
AT_FACTOR_FRONTS = _program("factor_fronts", "factorise a sparse system")
AT_SOLVE_FRONTS = _program("solve_fronts", "solve a sparse system")
AT_SHARE = _program("share", "least multipliers of rows that depend on each other")
AT_BUSHING = _program("bushing", "forces of a bushing")
AT_CABLE = _program("cable", "forces of a cable")

# Tables of records in I
BODIES = _table("bodies", BODY_RECORD, "1 + n_bodies", "bodies, ground first")
MARKERS = _table("markers", MARKER_RECORD, "n_markers", "markers")
N_MARKERS = _value("n_markers", "number of markers")
ROWS = _table("rows_table", ROW_RECORD, "n_all_rows", "constraint rows that are evaluated")
OPEN = _place("open", "F", 2, "m, rad", "gap at which rows that no solver sees count as open, length scale; 0: none")
SHARED_ROWS = _table("shared_table", SHARED_RECORD, "n_shared", "sets of rows that depend on each other")
N_SHARED = _value("n_shared", "number of these sets")
CHORDS = _table("chords_table", CHORD_RECORD, "n_chords", "joints that are chords")
N_CHORDS = _value("n_chords", "number of chords")
LOADS = _table("loads_table", LOAD_RECORD, "n_loads", "applied forces")
N_LOADS = _value("n_loads", "number of loads")
SCALARS = _table("scalars", SCALAR_RECORD, "n_scalars", "plain coordinates")
N_SCALARS = _value("n_scalars", "number of plain coordinates")
SPHERES = _table("spheres", SPHERE_RECORD, "n_spheres", "quaternion blocks")
SENSORS = _table("sensors_table", SENSOR_RECORD, "n_sensors", "sensors; first those that expressions use")
N_SENSORS = _value("n_sensors", "number of sensors")
N_EARLY_SENSORS = _value("n_early_sensors", "sensors that expressions use, hence evaluated before the loads")
JOINTS = _table("joints", JOINT_RECORD, "n_joints", "all joints, for the output")
N_JOINTS = _value("n_joints", "number of joints")
MOTIONS = _table("motions", MOTION_RECORD, "n_motions", "prescribed motions")
N_MOTIONS = _value("n_motions", "number of motions")
FIELDS = _table("fields", FIELD_RECORD, "n_fields", "deformation fields of the flexible bodies")
N_FIELDS = _value("n_fields", "number of deformation fields")
SECTIONS = _table("sections_table", SECTION_RECORD, "n_sections", "cuts of beams whose forces are measured")
N_SECTIONS = _value("n_sections", "number of cuts")
FIELD_KINDS = _value("field_kinds", "which programs of flexible bodies are needed: sum of the KIND_... values")

# Sparse storage
PATHS = _table("paths", PATH_RECORD, "1 + n_bodies", "sparse: places of the bodies in the mass matrix")
G_STARTS = _place("G_starts", "I", "n_G_rows", "", "sparse: first stored entry of every row of G, and n_G")
N_G_ROWS = _value("n_G_rows", "length of that list: rows and one, or 0")
G_COLUMNS = _place("G_columns", "I", "n_G_columns", "", "sparse: column of every stored entry of G")
N_G_COLUMNS = _value("n_G_columns", "length of that list: n_G, or 0")
X_ROW = _place("x_row", "W", "n_x_row", "1, m", "scratch: one full row of G")
N_X_ROW = _value("n_x_row", "length of that scratch: n_v, or 0")

# Gravity and base motion
GRAVITY = _place("gravity", "F", 3, "m/s^2", "gravity vector, world axes")
BASE_AXIS = _place("base_axis", "F", 3, "1", "axis of the base rotation")
BASE_ANGLE = _value("base_angle", "start in I of the function of the base angle; 0: none")
BASE_ACCELERATION = _value("base_acceleration", "offset in I of three function starts; 0: none")
BASE_POWER = _value("base_power", "work channel of the base; -1: none")

# More workspace
EFFORT = _place("effort", "W", "n_v", "N, N m", "applied effort on every velocity coordinate")
BASE = _place("base", "W", 3, "m/s^2", "base acceleration in inertial axes")
ENERGY = _place("energy", "W", 4, "J", "kinetic, potential (strain included), total work, strain")
POSES = _place("poses", "W", "4 n_bodies", "1", "quaternions of the bodies in the last output row; end of the memory")
X_JOINT = _place("x_joint", "W", JOINT_MOTION_RECORD, "", "scratch: motion of a joint")
X_VALUE = _place("x_value", "W", 3, "", "scratch: value and two derivatives of a function")
X_ACCELERATE = _place(
    "x_accelerate",
    "W",
    1,
    "1",
    "argument of a program beside its number: 1 with the mode accelerations a",
)
X_UP = _place("x_up", "W", "6 + most_modes", "N, N m", "scratch: wrench on its way to the root")
X_UP2 = _place("x_up2", "W", "6 + most_modes", "N, N m", "scratch: a second one")
X_LARGE = _place("x_large", "W", "36 + 6 most_modes", "", "scratch: composite inertia for a flexible parent, by rows")
X_ARTICULATED = _place("x_articulated", "W", "48 + 7 most_modes", "", "scratch of the articulated-body method")
X_CHORD = _place("x_chord", "W", 54, "", "scratch of a chord: relative motion (12), S^T S (36), unit effort (6)")
X_SHARE = _place("x_share", "W", "n_share", "", "scratch: orthogonal basis of combined rows, internal loads, reactions")
N_SHARE = _value("n_share", "length of that scratch")
X_FIELD = _place(
    "x_field", "W", "4 most_stations + 6 most_modes", "", "scratch of arms: arrays over stations, or columns of modes"
)
COPIES = _table("copies", COPY_RECORD, "n_copies", "pieces of an output row")
N_COPIES = _value("n_copies", "number of pieces")
HEADER = HEADER_RECORD.size
