"""Records of the applied forces."""

from __future__ import annotations

from flexmb.layout.record import Record

LOAD_BLOCK_RECORD = Record("load block", "W", "What a load does at present.")
LW_EFFORT = LOAD_BLOCK_RECORD.value("effort", "its size", unit="N, N m, N/m")
LW_POWER = LOAD_BLOCK_RECORD.value("power", "power of what is not stored as energy", unit="W")
LW_POTENTIAL = LOAD_BLOCK_RECORD.value("potential", "stored energy", unit="J")
LW_VECTOR = LOAD_BLOCK_RECORD.value("vector", "force or torque at a marker, world axes", length=3, unit="N, N m")
LW_MOMENT = LOAD_BLOCK_RECORD.value("moment", "of a bushing on its second marker, world axes", length=3, unit="N m")
LW_DISTANCE = LOAD_BLOCK_RECORD.value("distance", "of the two markers of a pair-force", unit="m")
LW_RATE = LOAD_BLOCK_RECORD.value("rate", "of that distance", unit="m/s")
LOAD_BLOCK = LOAD_BLOCK_RECORD.size

SHAPE_CONSTANTS = Record(
    "load shape constants", "F", "A load of value 1 on the mesh of a body with n modes, body axes."
)
LS_FORCE = SHAPE_CONSTANTS.value("force", "on the undeformed body", length=3, unit="N per unit")
LS_MOMENT = SHAPE_CONSTANTS.value("moment", "about the body origin", length=3, unit="N m per unit")
LS_MODES = SHAPE_CONSTANTS.rest(
    "modes",
    "of every mode: force on it, derivatives of force and moment by it",
    length="7 n_modes",
    unit="N, N/m per unit",
)
SHAPE_CONSTANTS.rest(
    "second order",
    "of every pair (k, l): derivative of the force on mode k by l, second derivative of the moment; only with L_AXES",
    length="4 n_modes^2",
    unit="N/m per unit",
)

LOAD_RECORD = Record("load", "I", "An applied force.")
L_KIND = LOAD_RECORD.value("kind", "code of the load type (flexmb.loads.table)")
L_A = LOAD_RECORD.value("marker_a", "first marker; load shape: that of the body frame")
L_B = LOAD_RECORD.value("marker_b", "second marker")
L_AXES = LOAD_RECORD.value(
    "axes",
    "of the vector: 0 world, 1 marker; stop of a marker: number of the axis; load shape: 1 with second-order terms",
)
L_TREE = LOAD_RECORD.value("on_tree", "1: the coordinate is one of the tree, 0: of a chord")
L_Q = LOAD_RECORD.value(
    "q", "offset in W of the coordinate; distributed, cable: in I of markers; bushing: of its curves"
)
L_V = LOAD_RECORD.value("v", "offset in W of its rate; distributed, cable: number of markers")
L_CHORD = LOAD_RECORD.value("chord", "number of the chord; -1: on the tree")
L_COORD = LOAD_RECORD.value("coordinate", "tree: index among the velocities; chord: number of the coordinate")
L_F = LOAD_RECORD.value(
    "parameters",
    "offset in F of its parameters; distributed: of the lengths of its markers; load shape: of its constants",
)
L_FX = LOAD_RECORD.value("function_x", "start in I of the function of the first component or of the effort")
L_FY = LOAD_RECORD.value("function_y", "start in I of the function of the second component")
L_FZ = LOAD_RECORD.value("function_z", "start in I of the function of the third component")
L_POWER = LOAD_RECORD.value("power", "work channel; -1: none")
L_W = LOAD_RECORD.place("block", "W", LOAD_BLOCK_RECORD, "", "effort, power, potential, vector")
L_TABLE = LOAD_RECORD.value("table", "offset in F of a table of the law; 0: none")
LOAD = LOAD_RECORD.size
