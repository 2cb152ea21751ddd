"""Records of constraint rows, of couplings, of joints that are chords, and of prescribed motions."""

from __future__ import annotations

from flexmb.layout.bodies import JOINT_KEY_RECORD
from flexmb.layout.record import Record

ROW_POINT, ROW_DOT, ROW_DISTANCE, ROW_SCREW, ROW_TREE, ROW_CHORD, ROW_ROLL, ROW_TURN, ROW_COUPLING, ROW_TEETH = range(
    10
)
"""Kinds of row: component of a distance, cosine of two axes, distance, screw, coordinate of the tree or of a chord,
rolling, component of the rotation vector, sum of joint coordinates, teeth of two wheels."""

COUPLED_RECORD = Record("coupled coordinate", "I", "A joint coordinate in a coupling.")
CC_TREE = COUPLED_RECORD.value("on_tree", "1: the coordinate is one of the tree, 0: of a chord")
CC_Q = COUPLED_RECORD.value("q", "offset in W of the coordinate")
CC_V = COUPLED_RECORD.value("v", "offset in W of its rate")
CC_A = COUPLED_RECORD.value("a", "offset in W of its acceleration")
CC_INDEX = COUPLED_RECORD.value("coordinate", "tree: index among the velocities; chord: number of the coordinate")
CC_CHORD = COUPLED_RECORD.value("chord", "number of the chord; -1: on the tree")
COUPLED = COUPLED_RECORD.size

TEETH_RECORD = Record("teeth", "F", "Two wheels whose teeth mesh, or a rack (the first) and its pinion.")
TH_A = TEETH_RECORD.value(
    "axes_a", "axes of the first in its marker: z along its axis, x to the second", length=9, unit="1"
)
TH_B = TEETH_RECORD.value("axes_b", "the same axes in the marker of the second, as designed", length=9, unit="1")
TH_RACK = TEETH_RECORD.value("is_rack", "1: the first is a rack; its y axis points from the pinion to it", unit="1")
TH_R_A = TEETH_RECORD.value("radius_a", "pitch radius of the first; of a rack 0", unit="m")
TH_R_B = TEETH_RECORD.value("radius_b", "pitch radius of the second, negative: internal teeth", unit="m")
TH_BASE = TEETH_RECORD.value("base_radii", "size of the sum of the base radii", unit="m")
TH_SLANT = TEETH_RECORD.value(
    "slant",
    "sign of the sum of the radii over the cosine of the pressure angle; of a rack the tangent; 0: no slant",
    unit="1",
)
TH_WAY = TEETH_RECORD.value(
    "way", "length along the flanks as designed; of a rack the place of the pinion across it", unit="m"
)
TH_HELIX = TEETH_RECORD.value(
    "helix", "tangent of the helix angle of the first, of the pinion; right-hand positive", unit="1"
)
TH_HEIGHT = TEETH_RECORD.value("height", "height of the second over the first at the teeth, as designed", unit="m")
TH_SLIDE = TEETH_RECORD.value("slide", "place of the pinion along the rack as designed", unit="m")
TEETH = TEETH_RECORD.size
"""Then for every coordinate its parts in the angle of the line of centres and in that of the second wheel."""

ROW_RECORD = Record("row", "I", "One condition between two markers.")
R_KIND = ROW_RECORD.value("kind", "ROW_... value")
R_A = ROW_RECORD.value("marker_a", "first marker")
R_B = ROW_RECORD.value("marker_b", "second marker")
R_I = ROW_RECORD.value("axis_a", "axis of the first marker: 0, 1, 2")
R_J = ROW_RECORD.value("axis_b", "axis of the second marker: 0, 1, 2")
R_FUNCTION = ROW_RECORD.value("function", "start in I of the function of time that is subtracted; 0: none")
R_F = ROW_RECORD.place(
    "parameter",
    "F",
    1,
    "m",
    "length, lead, radius; coupling: constant, coefficients; teeth: their record",
)
R_COORD = ROW_RECORD.value("coordinate", "tree: index among the velocities; chord: number of the chord")
R_SUB = ROW_RECORD.value("sub_index", "tree: index among the stored coordinates; chord: number of the coordinate")
R_W = ROW_RECORD.place("wrench", "W", 6, "1, m", "gradient: force and moment on the second marker, world axes")
R_TERMS = ROW_RECORD.table("coupled", COUPLED_RECORD, "n_coupled", "coordinates of a coupling")
R_N_TERMS = ROW_RECORD.value("n_coupled", "number of these")
R_FLANK = ROW_RECORD.value("flank", "offset in W of the flank that carries the teeth: 1 or -1")
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
