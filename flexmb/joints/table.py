"""The joint types: one row each. For the fields of a row and the derived properties see `flexmb.joints.joint_type`.

Chord rows, turn counting, supports of beams, keys and JSON schema of the model file, natural coordinates, the motion
subspaces of recursive reactions and the poses in symbols follow from these rows. The kernels of a row with coordinates
are in the file of its name in this folder (`pin_in_slot.py` of "pin-in-slot").
"""

from __future__ import annotations

from enum import IntEnum

from flexmb.joints.joint_type import Condition, JointType, Motion, offsets, right_angles, slide, turn

_BALL = Motion("ball", ("wx", "wy", "wz"))
_ON_AXIS = right_angles("xz", "yz")
"""The z axes are parallel."""
_NO_TURN = right_angles("xy", "xz", "yz")


class JointCode(IntEnum):
    """Integer code of a joint type in the flat arrays."""

    FIXED = 0
    REVOLUTE = 1
    PRISMATIC = 2
    CYLINDRICAL = 3
    SCREW = 4
    UNIVERSAL = 5
    SPHERICAL = 6
    PLANAR = 7
    FREE = 8
    PIN_IN_SLOT = 9
    POINT_ON_LINE = 10
    DISTANCE = 11
    ROLLING = 12


_TYPES = (
    JointType(
        "fixed",
        JointCode.FIXED,
        "No relative motion.",
        conditions=offsets("xyz") + _NO_TURN,
        at="optional",
    ),
    JointType(
        "revolute",
        JointCode.REVOLUTE,
        "Turns about `axis`: [angle].",
        motions=(turn("angle", "z"),),
        conditions=offsets("xyz") + _ON_AXIS,
        directions=("axis",),
    ),
    JointType(
        "prismatic",
        JointCode.PRISMATIC,
        "Slides along `axis`: [slide].",
        motions=(slide("slide", "z"),),
        conditions=offsets("xy") + _NO_TURN,
        directions=("axis",),
    ),
    JointType(
        "cylindrical",
        JointCode.CYLINDRICAL,
        "Slides along and turns about `axis`: [slide, angle].",
        motions=(slide("slide", "z"), turn("angle", "z")),
        conditions=offsets("xy") + _ON_AXIS,
        directions=("axis",),
    ),
    JointType(
        "screw",
        JointCode.SCREW,
        "Turns about `axis` and advances by `lead` [m] per turn: [angle].",
        motions=(Motion("screw", ("angle",)),),
        conditions=(*offsets("xy"), *_ON_AXIS, Condition("advance")),
        directions=("axis",),
        numbers=("lead",),
    ),
    JointType(
        "universal",
        JointCode.UNIVERSAL,
        "Turns about axes[0] (fixed in the first body) and axes[1] (in the second): [angle1, angle2].",
        motions=(turn("angle1", "x"), turn("angle2", "y")),
        conditions=offsets("xyz") + right_angles("xy"),
        directions=("axes",),
    ),
    JointType(
        "spherical",
        JointCode.SPHERICAL,
        "Turns freely about a point: rates [wx, wy, wz].",
        motions=(_BALL,),
        conditions=offsets("xyz"),
    ),
    JointType(
        "planar",
        JointCode.PLANAR,
        "Moves in the plane normal to `axis`: [x, y, angle].",
        motions=(slide("x", "x"), slide("y", "y"), turn("angle", "z")),
        conditions=offsets("z") + _ON_AXIS,
        directions=("axis",),
    ),
    JointType(
        "free",
        JointCode.FREE,
        "Moves freely: [x, y, z] and rates [wx, wy, wz].",
        motions=(slide("x", "x"), slide("y", "y"), slide("z", "z"), _BALL),
        at="optional",
    ),
    JointType(
        "pin-in-slot",
        JointCode.PIN_IN_SLOT,
        "A pin along `axis` in a `slot` of the first body: [slide, angle].",
        motions=(slide("slide", "x"), turn("angle", "z")),
        conditions=offsets("yz") + _ON_AXIS,
        directions=("axis", "slot"),
    ),
    JointType(
        "point-on-line",
        JointCode.POINT_ON_LINE,
        "A point of the second body on a `line` of the first: [slide] and rates [wx, wy, wz].",
        motions=(slide("slide", "z"), _BALL),
        conditions=offsets("xy"),
        directions=("line",),
    ),
    JointType(
        "distance",
        JointCode.DISTANCE,
        "A constant distance between two points, at = (on the first, on the second body).",
        motions=(Motion("rod", ("swing1", "swing2")), _BALL),
        conditions=(Condition("distance"),),
        optional=("length",),
        at="pair",
    ),
    JointType(
        "rolling",
        JointCode.ROLLING,
        "A disc (second body, `axis`, `radius`) that rolls without slip on a plane of the first (`at`, `normal`).",
        conditions=(Condition("contact", 2), Condition("sliding", 0), Condition("sliding", 1)),
        directions=("axis", "normal"),
        numbers=("radius",),
        at="first",
        branch=False,
    ),
)

JOINT_TYPES: dict[str, JointType] = {joint_type.name: joint_type for joint_type in _TYPES}
