"""Records of flexible bodies: deformation fields, arrays over the stations of an exact beam, slices and cuts."""

from __future__ import annotations

from flexmb.layout.record import Record

KIND_ARMS, KIND_BEAM, KIND_POINTS, KIND_INVARIANTS, KIND_SECTIONS = 1, 2, 4, 8, 16
"""Programs of flexible bodies that a system needs; the header keeps their sum."""

FIELD_RECORD = Record("deformation field", "I", "How a flexible body deforms, and by which programs.")
_value, _place = FIELD_RECORD.value, FIELD_RECORD.place
FD_BODY = _value("body", "offset in I of its body record")
FD_NODES = _value("nodes_program", "header slot of the program that prepares it for its markers; 0: none")
FD_FORCE = _value("force_program", "header slot of the program of its force")
FD_MASS = _value("mass_program", "header slot of the program of its mass matrix")
FD_K = _place("K", "F", "n_modes n_modes", "N/m", "stiffness")
FD_D = _place("D", "F", "n_modes n_modes", "N s/m", "damping; 0: none")
FD_CUBIC = _place("K3", "F", "n_modes n_modes n_modes", "N/m^2", "cubic stiffness; 0: none")
FD_POWER = _value("power", "work channel of its damping; -1: none")
FD_N = _value("n_stations", "mass points of the body, or stations of the beam")
FD_F = _value("constants", "offset in F of the constants of its kind")
FD_W = _value("scratch", "offset in W of its arrays")
FD_ORDER = _value("order", "invariants: 0 linear field, 1 or 2 order of the equations")
FD_SEGMENTS = _value("n_segments", "beam: segments; mass points: blocks of them")
FD_LOCAL = _value("n_local", "beam: stations of a segment; mass points: points of a block")
FD_NY = _value("n_y", "beam: bending shapes in y")
FD_NZ = _value("n_z", "beam: bending shapes in z")
FD_NU = _value("n_u", "beam: stretch shapes")
FD_NT = _value("n_t", "beam: torsion shapes")
FD_FROM_END = _value("from_end", "beam: 1 when integrals along it begin at end B")
FD_SHEAR = _value("has_shear", "beam: 1 when the turns of the sections have shapes of their own (Timoshenko)")
FD_UNEQUAL = _value("is_unequal", "beam: 1 when the two bending stiffnesses differ")
FD_ROTARY = _value("rotary", "beam: rotary inertia of its sections; 0: none, 1: equal moments of inertia, 2: any")
FD_SLICES = _value("slices", "beam: offset in I of its slices")
FD_N_SLICES = _value("n_slices", "beam: number of slices")
FIELD = FIELD_RECORD.size

STATION_CONSTANTS = Record(
    "beam station constants", "F",
    "Arrays over the stations. Before them, for every segment: the transposed integration matrix from its start to its "
    "Gauss points and the weights of the whole segment.", each="n_stations",
)  # fmt: skip
ST_MASS = STATION_CONSTANTS.value("mass", "mass of the station", unit="kg")
ST_EIZ = STATION_CONSTANTS.value("EIz", "bending stiffness in y times the weight", unit="N m^3")
ST_EIY = STATION_CONSTANTS.value("EIy", "bending stiffness in z times the weight", unit="N m^3")
ST_X = STATION_CONSTANTS.value("x", "undeformed place", unit="m")
ST_JY = STATION_CONSTANTS.value("Jy", "moment of inertia of the section about y, times the weight", unit="kg m^2")
ST_JZ = STATION_CONSTANTS.value("Jz", "the same about z", unit="kg m^2")
ST_SHAPES = STATION_CONSTANTS.rest("values", "value of every shape", length="n_modes", unit="1")
STATION_CONSTANTS.rest("slopes", "slope of every bending shape", length="n_bending", unit="1/m")
STATION_CONSTANTS.rest("turns", "turn of the section by every bending shape", length="n_bending", unit="1/m")
STATION_CONSTANTS.rest("curvatures", "curvature of every bending shape", length="n_bending", unit="1/m^2")

STATIONS = Record("beam stations", "W", "Arrays over the stations of an exact beam.", each="n_stations")
_array = STATIONS.value
ND_B = _array("b", "slope v' of the centre line", unit="1")
ND_C = _array("c", "slope w' of the centre line", unit="1")
ND_S = _array("s", "sqrt(1 - b^2 - c^2)", unit="1")
ND_DS = _array("s - 1", "shortening by the slopes", unit="1")
ND_B1 = _array("b'", "rate of b", unit="1/s")
ND_C1 = _array("c'", "rate of c", unit="1/s")
ND_S1 = _array("s'", "rate of s", unit="1/s")
ND_S2 = _array("gamma_s", "s'' without q''", unit="1/s^2")
ND_BETA = _array("beta", "turn of the section in y", unit="1")
ND_GAMMA = _array("gamma", "turn of the section in z", unit="1")
ND_BETA1 = _array("beta'", "rate of beta", unit="1/s")
ND_GAMMA1 = _array("gamma'", "rate of gamma", unit="1/s")
ND_BEND_Y = _array("dbeta/dx", "derivative of beta along the beam", unit="1/m")
ND_BEND_Z = _array("dgamma/dx", "derivative of gamma along the beam", unit="1/m")
ND_TAU = _array("tau", "twist of the frame of the centre line", unit="rad/m")
ND_TAU1 = _array("tau'", "rate of tau", unit="rad/m/s")
ND_TAU2 = _array("gamma_tau", "tau'' without q''", unit="rad/m/s^2")
ND_Y = _array("y", "centre line, body axes: y", unit="m")
ND_Z = _array("z", "z", unit="m")
ND_U = _array("x", "x", unit="m")
ND_Y1 = _array("y'", "its velocity: y; later work by the turn gamma", unit="m/s")
ND_Z1 = _array("z'", "z", unit="m/s")
ND_U1 = _array("x'", "x; later work by the turn beta", unit="m/s")
ND_Y2 = _array("y''", "its acceleration: y; later work by the curvature in y", unit="m/s^2")
ND_Z2 = _array("z''", "z; later work by the curvature in z", unit="m/s^2")
ND_U2 = _array("x''", "x; later work by the slope in z", unit="m/s^2")
ND_S3 = _array("s''", "second rate of s; later work by the slope in y", unit="1/s^2")
ND_FX = _array("f_x", "inertia force, body axes: x", unit="N")
ND_FY = _array("f_y", "y", unit="N")
ND_FZ = _array("f_z", "z", unit="N")
ND_THETA = _array("theta", "turn of the section about its normal", unit="rad")
ND_TWIST = _array("torque", "torque on theta", unit="N m")
ND_TORSION = _array("torsion", "torque carried through the integral of tau", unit="N m")
ND_PULL = _array("pull", "axial force times the weight", unit="N m")
ND_THETA1 = _array("theta'", "rate of theta", unit="rad/s")
ND_THETA2 = _array("theta''", "its second rate", unit="rad/s^2")
ND_NX = _array("n_x", "moment of the rotary inertia, body axes: x", unit="N m")
ND_NY = _array("n_y", "y", unit="N m")
ND_NZ = _array("n_z", "z", unit="N m")
ND_ROT_Y = _array("rotary work in y", "work of that moment by the turn beta", unit="N m")
ND_ROT_Z = _array("rotary work in z", "work of that moment by the turn gamma", unit="N m")
NODES = STATIONS.size
STATIONS.rest("psi", "columns of the points, for the mass matrix", length="3 n_modes", unit="1")
STATIONS.rest("om", "turns of the sections, for the mass matrix", length="3 n_modes", unit="1/m")

SLICE_RECORD = Record("slice", "I", "A rigid part fixed to a section of a beam.")
SL_MARKER = SLICE_RECORD.value("marker", "marker that it moves with")
SL_F = SLICE_RECORD.place("inertia", "F", 10, "kg, kg m^2", "mass and inertia (9) about the marker")
SLICE = SLICE_RECORD.size

SECTION_RECORD = Record("section", "I", "A cut of an exact beam whose forces are measured.")
SX_BODY = SECTION_RECORD.value("body", "offset in I of the body record")
SX_MARKER = SECTION_RECORD.value("marker", "marker of the section")
SX_F = SECTION_RECORD.value("constants", "offset in F of x, then the part of every station that is towards B")
SX_MARKERS = SECTION_RECORD.value("markers", "offset in I of the markers towards B")
SX_N_MARKERS = SECTION_RECORD.value("n_markers", "their number")
SX_SLICES = SECTION_RECORD.value("slices", "offset in I of the slices towards B")
SX_N_SLICES = SECTION_RECORD.value("n_slices", "their number")
SX_JOINTS = SECTION_RECORD.value("joints", "offset in I of the tree joints towards B: number, sign")
SX_N_JOINTS = SECTION_RECORD.value("n_joints", "their number")
SX_W = SECTION_RECORD.place("wrench", "W", 6, "N, N m", "force and moment, axes of the section")
SECTION = SECTION_RECORD.size
