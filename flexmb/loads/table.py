"""The force elements of a model: one row each.

A load acts on a marker, along a beam, on the mesh of a body by one of its load shapes, between a pair of markers, or on
a joint coordinate. The first two have three components, given by expressions, a load shape has one value; the others
are a scalar law: the effort on a length or coordinate as a function of its
value, its rate, the numbers of the row and an expression (`flexmb.loads.laws`). Records of the flat arrays, channels of
the result, the edges of the linear graph, checks, drawings, and what symbols, natural coordinates and recursive
reactions cover follow from these rows. Units are SI.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Literal

Subject = Literal["marker", "beam", "pair", "coordinate", "shape", "axis", "frames", "path"]
SUBJECT_KEYS: dict[Subject, tuple[str, ...]] = {
    "marker": ("marker", "axes"),
    "beam": ("body", "axes", "from", "to"),
    "pair": ("markers",),
    "coordinate": ("joint", "coordinate"),
    "shape": ("body", "shape"),
    "axis": ("marker", "along", "relative_to"),
    "frames": ("markers",),
    "path": ("markers",),
}
"""Keys of the model file for the target of a load."""


class LoadCode(IntEnum):
    """Integer code of a load in the flat arrays."""

    FORCE = 0
    TORQUE = 1
    SPRING_DAMPER = 2
    JOINT_SPRING = 3
    FRICTION = 4
    ACTUATOR = 5
    DISTRIBUTED_FORCE = 6
    LOAD_SHAPE = 7
    PAIR_FORCE = 8
    STOP = 9
    JOINT_STOP = 10
    MARKER_STOP = 11
    BUSHING = 12
    CABLE = 13


@dataclass(frozen=True)
class LoadType:
    """One row of the table."""

    name: str
    code: LoadCode
    acts_on: Subject
    expression: Literal["vector", "effort", "value", "length"] | None = None
    """Key of its expressions of t and of sensors: three components, one effort, the value of a load shape, or a length
    of t alone."""
    numbers: tuple[tuple[str, float], ...] = ()
    """Keys of the numbers that its law reads, in this order, with the value of one that is not given."""
    keys_beside: tuple[str, ...] = ()
    """Further keys, from which numbers of its law are computed or its record is made."""
    unit: str | None = None
    """Unit of its effort; None: N on a length, N*m on an angle; of a load shape: that of the shape."""
    is_spring: bool = False
    """Whether it is a spring by a stiffness or a table; what it dissipates is counted if it has damping."""
    is_stop: bool = False
    """Whether it acts only beyond the ends of a range."""
    used: str = ""
    """Adjective of a joint coordinate with this load, for messages: "sprung"."""
    not_in_symbols: str = ""
    """Reason for having no symbolic form; empty: it has one."""
    not_in_natural: str = ""
    """Reason why it cannot be used with natural coordinates; empty: it can."""
    not_in_recursion: str = ""
    """Reason why recursive reactions do not cover it; empty: they do."""

    @property
    def keys(self) -> tuple[str, ...]:
        """All its keys in a model file beside `type`."""
        own = (*SUBJECT_KEYS[self.acts_on], *(key for key, _ in self.numbers), *self.keys_beside)
        return (*own, *((self.expression,) if self.expression else ()), *(("table",) if self.is_spring else ()))


_ONE_SIDED = "its law is not smooth"
_SIZE_ONLY = "a result only has its magnitude"
_STOP: Any = {
    "numbers": (("lower", -math.inf), ("upper", math.inf), ("stiffness", 0.0), ("exponent", 1.0), ("damping", 0.0)),
    "keys_beside": ("restitution", "speed", "formula"),
    "is_stop": True,
    "not_in_symbols": _ONE_SIDED,
}

_TYPES = (
    LoadType("force", LoadCode.FORCE, "marker", "vector", unit="N"),
    LoadType("torque", LoadCode.TORQUE, "marker", "vector", unit="N*m"),
    LoadType(
        "distributed-force",
        LoadCode.DISTRIBUTED_FORCE,
        "beam",
        "vector",
        unit="N/m",
        not_in_natural="it acts on a flexible body",
        not_in_recursion="a result only has its magnitude",
    ),
    LoadType(
        "spring-damper",
        LoadCode.SPRING_DAMPER,
        "pair",
        numbers=(("stiffness", 0.0), ("damping", 0.0), ("length", 0.0)),
        unit="N",
        is_spring=True,
    ),
    LoadType("pair-force", LoadCode.PAIR_FORCE, "pair", "effort", unit="N"),
    LoadType(
        "joint-spring",
        LoadCode.JOINT_SPRING,
        "coordinate",
        numbers=(("stiffness", 0.0), ("damping", 0.0), ("rest", 0.0)),
        is_spring=True,
        used="sprung",
    ),
    LoadType(
        "friction",
        LoadCode.FRICTION,
        "coordinate",
        numbers=(("viscous", 0.0), ("coulomb", 0.0), ("transition", 1.0)),
        used="braked",
    ),
    LoadType("actuator", LoadCode.ACTUATOR, "coordinate", "effort", used="actuated"),
    LoadType(
        "load-shape",
        LoadCode.LOAD_SHAPE,
        "shape",
        "value",
        not_in_symbols="it acts on the mesh of a flexible body",
        not_in_natural="it acts on a flexible body",
        not_in_recursion="its force on a deformed body is not in a result",
    ),
    LoadType("stop", LoadCode.STOP, "pair", unit="N", **_STOP),
    LoadType("joint-stop", LoadCode.JOINT_STOP, "coordinate", used="limited", **_STOP),
    LoadType("marker-stop", LoadCode.MARKER_STOP, "axis", unit="N", not_in_recursion=_SIZE_ONLY, **_STOP),
    LoadType(
        "bushing",
        LoadCode.BUSHING,
        "frames",
        keys_beside=("stiffness", "damping", "preload", "curves"),
        unit="N",
        not_in_symbols="its rotation vector has no closed form that holds at zero rotation",
    ),
    LoadType(
        "cable",
        LoadCode.CABLE,
        "path",
        "length",
        numbers=(("stiffness", 0.0), ("damping", 0.0)),
        unit="N",
        not_in_symbols=_ONE_SIDED,
    ),
)

LOAD_TYPES: dict[str, LoadType] = {load_type.name: load_type for load_type in _TYPES}
