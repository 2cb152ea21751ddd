"""The force elements of a model: one row each.

A load acts on a marker, along a beam, on the mesh of a body by one of its load shapes, between a pair of markers, or on
a joint coordinate. The first two have three components, given by expressions, a load shape has one value; the others
are a scalar law: the effort on a length or coordinate as a function of its
value, its rate, the numbers of the row and an expression (`flexmb.loads.laws`). Records of the flat arrays, channels of
the result, the edges of the linear graph, checks, drawings, and what symbols, natural coordinates and recursive
reactions cover follow from these rows. Units are SI.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

Subject = Literal["marker", "beam", "pair", "coordinate", "shape"]
SUBJECT_KEYS: dict[Subject, tuple[str, ...]] = {
    "marker": ("marker", "axes"),
    "beam": ("body", "axes", "from", "to"),
    "pair": ("markers",),
    "coordinate": ("joint", "coordinate"),
    "shape": ("body", "shape"),
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


@dataclass(frozen=True)
class LoadType:
    """One row of the table."""

    name: str
    code: LoadCode
    acts_on: Subject
    expression: Literal["vector", "effort", "value"] | None = None
    """Key of its expressions of t and of sensors: three components, one effort, or the value of a load shape."""
    numbers: tuple[tuple[str, float], ...] = ()
    """Keys of the numbers that its law reads, in this order, with the value of one that is not given."""
    unit: str | None = None
    """Unit of its effort; None: N on a length, N*m on an angle; of a load shape: that of the shape."""
    is_spring: bool = False
    """Whether it stores energy, by a stiffness or a table; what it dissipates is counted if it has damping."""
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
        own = (*SUBJECT_KEYS[self.acts_on], *(key for key, _ in self.numbers))
        return (*own, *((self.expression,) if self.expression else ()), *(("table",) if self.is_spring else ()))


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
)

LOAD_TYPES: dict[str, LoadType] = {load_type.name: load_type for load_type in _TYPES}
