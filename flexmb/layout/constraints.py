"""Records of constraint rows, of joints that are chords, and of prescribed motions."""

from __future__ import annotations

from flexmb.layout.bodies import JOINT_KEY_RECORD
from flexmb.layout.record import Record

ROW_POINT, ROW_DOT, ROW_DISTANCE, ROW_SCREW, ROW_TREE, ROW_CHORD, ROW_ROLL, ROW_TURN = range(8)
"""Kinds of row: component of a distance, cosine of two axes, distance, screw, coordinate of the tree or of a chord,
rolling, component of the rotation vector."""

ROW_RECORD = Record("row", "I", "One condition between two markers.")
R_KIND = ROW_RECORD.value("kind", "ROW_... value")
R_A = ROW_RECORD.value("marker_a", "first marker")
R_B = ROW_RECORD.value("marker_b", "second marker")
R_I = ROW_RECORD.value("axis_a", "axis of the first marker: 0, 1, 2")
R_J = ROW_RECORD.value("axis_b", "axis of the second marker: 0, 1, 2")
R_FUNCTION = ROW_RECORD.value("function", "start in I of the function of time that is subtracted; 0: none")
R_F = ROW_RECORD.place("parameter", "F", 1, "m", "length, lead or radius; 0: none")
R_COORD = ROW_RECORD.value("coordinate", "tree: index among the velocities; chord: number of the chord")
R_SUB = ROW_RECORD.value("sub_index", "tree: index among the stored coordinates; chord: number of the coordinate")
R_W = ROW_RECORD.place("wrench", "W", 6, "1, m", "gradient: force and moment on the second marker, world axes")
R_WATCHED = ROW_RECORD.value("watched", "1: no solver needs it, only its residual is examined, with the Jacobian")
ROW = ROW_RECORD.size

SHARED_RECORD = Record(
    "shared rows", "I", "Joint rows that depend on each other: the solvers see combinations of them."
)
SH_ROW = SHARED_RECORD.value("first", "number of its first combination")
SH_RANK = SHARED_RECORD.value("rank", "combinations that the solvers see")
SH_LEFT = SHARED_RECORD.value("first_left", "column in the basis of its first combination that is left out")
SH_N_LEFT = SHARED_RECORD.value("n_left", "combinations that are left out: they follow from the others")
SHARED = SHARED_RECORD.size

CHORD_BLOCK_RECORD = Record("chord block", "W", "Coordinates of a joint that is a chord, measured from its markers.")
C_Q = CHORD_BLOCK_RECORD.value("q", "coordinates", length=8, unit="m, rad, 1")
C_V = CHORD_BLOCK_RECORD.value("v", "rates", length=6, unit="m/s, rad/s")
C_A = CHORD_BLOCK_RECORD.value("a", "accelerations", length=6, unit="m/s^2, rad/s^2")
C_WRENCH = CHORD_BLOCK_RECORD.value(
    "wrenches", "force and moment on the second marker by a unit effort on every coordinate, world axes", length=36
)
CHORD_BLOCK = CHORD_BLOCK_RECORD.size

CHORD_RECORD = Record("chord", "I", "A joint that closes a loop.", begins_with=JOINT_KEY_RECORD)
CH_NQ = CHORD_RECORD.value("n_joint_q", "number of stored coordinates")
CH_W = CHORD_RECORD.place("block", "W", CHORD_BLOCK_RECORD, "", "coordinates and their wrenches")
CH_NEEDED = CHORD_RECORD.value("needed", "1: rows, loads or early sensors use its coordinates")
CHORD = CHORD_RECORD.size

MOTION_RECORD = Record("motion", "I", "A coordinate that is a given function of time.")
MO_ROW = MOTION_RECORD.value("row", "number of its row as the solvers see it; -1: left out")
MO_POWER = MOTION_RECORD.value("power", "work channel")
MO_FUNCTION = MOTION_RECORD.value("function", "start in I of the function")
MO_W = MOTION_RECORD.place("effort", "W", 1, "N, N m", "effort that the motion takes")
MOTION = MOTION_RECORD.size
