"""Records of the markers. Frames: w world, b body, m marker; `r`, `R_bm` and the rates of an arm are relative to b."""

from __future__ import annotations

from flexmb.layout.record import Record

MARKER_CONSTANTS = Record("marker constants", "F", "Place of a marker in the undeformed body, then its mode shapes.")
MF_P = MARKER_CONSTANTS.value("p_bm", "position in the body", length=3, unit="m")
MF_R = MARKER_CONSTANTS.value("R_bm", "orientation in the body", length=9, unit="1")
MF_SHAPES = MARKER_CONSTANTS.rest(
    "Phi, Theta", "mode shapes of position and rotation vector (flexible)", length="6 n_modes", unit="1, 1/m"
)
MARKER_CONSTANTS.rest(
    "G, Gamma", "second-order shapes of the same (order 2)", length="6 n_modes n_modes", unit="1/m, 1/m^2"
)

BEAM_MARKER = Record("beam marker constants", "F", "Marker on an exact beam: place, then what its section is found by.")
BEAM_MARKER.value("p_bm", "position in the undeformed body", length=3, unit="m")
BEAM_MARKER.value("R_bm", "orientation in the undeformed body", length=9, unit="1")
MX_OFFSET = BEAM_MARKER.value("offset", "from the centre line, section axes", length=3, unit="m")
MX_X = BEAM_MARKER.value("x", "undeformed place along the beam", unit="m")
MX_WEIGHTS = BEAM_MARKER.rest("weights", "of the stations: integral up to x", length="n_stations", unit="m")
BEAM_MARKER.rest("values", "of the shapes at x", length="n_modes", unit="1")
BEAM_MARKER.rest("slopes", "of the bending shapes at x", length="n_bending", unit="1/m")
BEAM_MARKER.rest("turns", "of the section by the bending shapes at x", length="n_bending", unit="1/m")

MARKER_BLOCK = Record("marker block", "W", "State of a marker: world axes, then its arm in body axes.")
S_P = MARKER_BLOCK.value("p_wm", "position", length=3, unit="m")
S_R = MARKER_BLOCK.value("R_wm", "orientation", length=9, unit="1")
S_V = MARKER_BLOCK.value("v_wm", "velocity", length=3, unit="m/s")
S_W = MARKER_BLOCK.value("omega_wm", "angular velocity", length=3, unit="rad/s")
S_A = MARKER_BLOCK.value("a_wm", "acceleration less gravity", length=3, unit="m/s^2")
S_AL = MARKER_BLOCK.value("alpha_wm", "angular acceleration", length=3, unit="rad/s^2")
S_BODY = MARKER_BLOCK.value("r", "position in the body, body axes", length=3, unit="m")
RIGID_MARKER = MARKER_BLOCK.size  # a marker on a rigid body ends here
S_ARM_R = MARKER_BLOCK.value("R_bm", "orientation in the body", length=9, unit="1")
S_ARM_V = MARKER_BLOCK.value("r_dot", "velocity relative to the body, body axes", length=3, unit="m/s")
S_ARM_W = MARKER_BLOCK.value("omega_bm_b", "angular velocity relative to the body, body axes", length=3, unit="rad/s")
S_ARM_BIAS_R = MARKER_BLOCK.value("gamma_r", "r'' without q''", length=3, unit="m/s^2")
S_ARM_BIAS_W = MARKER_BLOCK.value("gamma_w", "angular acceleration without q''", length=3, unit="rad/s^2")
S_COLUMNS = MARKER_BLOCK.rest("columns", "(Psi, Omega) of every mode", length="6 n_modes", unit="1, 1/m")
MARKER_BLOCK.rest("applied", "force and moment applied there, body axes", length=6, unit="N, N m")

MARKER_RECORD = Record("marker", "I", "A point with axes on a body.")
MK_BODY = MARKER_RECORD.value("body", "number of its body")
MK_F = MARKER_RECORD.place("constants", "F", 12, "m, 1", "position (3) and orientation (9) in the body, then shapes")
MK_FLEX = MARKER_RECORD.value("arm", "header slot of the program that finds its arm; 0: rigid")
MK_W = MARKER_RECORD.place("block", "W", MARKER_BLOCK, "", "state")
MK_ORDER = MARKER_RECORD.value("order", "order of its shapes: 1 linear, 2 second order")
MARKER = MARKER_RECORD.size
