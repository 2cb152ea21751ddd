"""Records of what is measured: sensors, joint reactions and the pieces of an output row."""

from __future__ import annotations

from flexmb.layout.record import Record

SENSE_SLOT, SENSE_POSITION, SENSE_VELOCITY, SENSE_ACCELERATION, SENSE_DISTANCE, SENSE_NORM, SENSE_DEFLECTION = range(7)
SENSE_ORIENTATION, SENSE_ORIENTATION_RATE, SENSE_OMEGA, SENSE_ALPHA, SENSE_WORLD = range(7, 12)
"""Kinds of sensor: a number in W; position, velocity, acceleration or distance of two markers; length of a vector in
W; deflection of a marker from a chord of its body; rotation vector of two markers, its rate, relative angular velocity
and acceleration; a vector in W given in the axes of a marker, in world axes. The rate of a kind is the next one."""

SENSOR_RECORD = Record("sensor", "I", "A named number of the state.")
SE_KIND = SENSOR_RECORD.value("kind", "SENSE_... value")
SE_A = SENSOR_RECORD.value("marker_a", "marker that is measured")
SE_B = SENSOR_RECORD.value("marker_b", "marker it is measured from; deflection: start of the chord")
SE_COMPONENT = SENSOR_RECORD.value("component", "0, 1, 2, 3 for the magnitude, 4 for the rate of the magnitude")
SE_AXES = SENSOR_RECORD.value("axes", "0: world; 1: of the second marker or, for a deflection, of the body")
SE_SOURCE = SENSOR_RECORD.value("source", "offset in W of what is copied")
SE_W = SENSOR_RECORD.place("value", "W", 1, "", "value")
SE_C = SENSOR_RECORD.value("marker_c", "deflection: end of the chord")
SE_F = SENSOR_RECORD.place(
    "constants", "F", 7, "1, m",
    "deflection: place on the chord as a part of it, direction of the undeformed chord (3), offset from it (3)",
)  # fmt: skip
SENSOR = SENSOR_RECORD.size

JOINT_RECORD = Record("joint", "I", "A joint, for its reaction in the output.")
JO_BODY = JOINT_RECORD.value("body", "body that it carries in the tree; 0: it is a chord")
JO_CODE = JOINT_RECORD.value("code", "type of the joint (`joints.table.JointCode`)")
JO_A = JOINT_RECORD.value("first", "first marker")
JO_B = JOINT_RECORD.value("second", "second marker")
JO_ROW_LIST = JOINT_RECORD.value("row_list", "offset in I of the numbers of its rows")
JO_ROWS = JOINT_RECORD.value("n_joint_rows", "number of its rows")
JO_F = JOINT_RECORD.value("parameters", "offset in F of its parameters; 0: none")
JO_NV = JOINT_RECORD.value("n_joint", "number of its rates")
JO_REVERSED = JOINT_RECORD.value("reversed", "1: its second marker is on the parent")
JO_W = JOINT_RECORD.place("reaction", "W", 6, "N, N m", "force and moment on the second body, axes of the first marker")
JOINT = JOINT_RECORD.size

COPY_RECORD = Record("piece of an output row", "I", "Numbers of W that are copied to the output row.")
CO_SOURCE = COPY_RECORD.value("source", "offset in W")
CO_LENGTH = COPY_RECORD.value("length", "how many")
COPY = COPY_RECORD.size
