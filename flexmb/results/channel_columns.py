"""Names and units for the columns of the channels of a system: joint coordinates, tree coordinates, vector sensors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.joints.joint_type import JointType
from flexmb.joints.table import JOINT_TYPES
from flexmb.system.system import System

_POSITION_UNIT = {"length": "m", "angle": "rad", "rotation": "rad", "elastic": "m", "twist": "rad"}
_RATE = {"velocity": "/s", "acceleration": "/s^2"}
_ELASTIC = {"elastic_position": "", "elastic_velocity": "/s"}


@dataclass(frozen=True)
class NamedChannel:
    """A channel of a system with a name for every column."""

    path: str
    unit: str
    start: int
    shape: tuple[int, ...]
    text: str
    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class NamedChannels:
    """Named channels of a system, as the result writer needs them."""

    channels: Sequence[NamedChannel]


def named_channels(system: System, *, reactions: bool = True) -> list[NamedChannel]:
    """The channels of a system; those of joints and of the tree get their column names and units.

    `reactions`: whether forces and moments of the joints are among them.
    """
    joints = {joint.name: joint.type for joint in system.mechanism.joints}
    wanted = [channel for channel in system.channels if reactions or not is_reaction(channel.path)]
    return [_named(channel, joints, system) for channel in wanted]


def is_reaction(path: str) -> bool:
    """Whether a channel holds the reaction force or moment of a joint."""
    return path.startswith("joints/") and path.endswith(("/force", "/moment"))


def _named(channel: Any, joints: dict[str, JointType], system: System) -> NamedChannel:
    kind, _, rest = channel.path.partition("/")
    name, _, quantity = rest.partition("/")
    columns: list[tuple[str, str]] = []
    if kind == "joints" and quantity == "position":
        columns = list(position_columns(joints[name]))
    elif kind == "joints" and quantity in _RATE:
        columns = list(rate_columns(joints[name].coordinates, joints[name].kinds, _RATE[quantity]))
    elif kind == "bodies" and quantity in _ELASTIC:
        body = system.mechanism.bodies[system.mechanism.body_index[name]]
        assert isinstance(body, FlexibleBody)
        columns = list(rate_columns(body.labels, body.kinds, _ELASTIC[quantity]))
    elif kind == "coordinates" and name == "q":
        columns = list(stored_columns(system))
    elif kind == "coordinates" and name in ("v", "a"):
        per = _RATE["velocity" if name == "v" else "acceleration"]
        columns = list(rate_columns(system.coordinates, system.coordinate_kinds, per))
    shape = tuple(channel.shape)
    if not columns or len(columns) != max(1, sum(shape)):
        return NamedChannel(channel.path, channel.unit, channel.start, shape, channel.text)
    unit = ", ".join(unit for _, unit in columns)
    return NamedChannel(channel.path, unit, channel.start, shape, channel.text, tuple(name for name, _ in columns))


def position_columns(joint: JointType) -> Iterator[tuple[str, str]]:
    """(name, unit) of every stored coordinate: angles and slides, quaternions in place of rotations."""
    for motion in joint.motions:
        if motion.is_quaternion:
            prefix = "rod_" if motion.type == "rod" else "q"
            yield from ((f"{prefix}{letter}", "1") for letter in "wxyz")
        else:
            yield from ((name, _POSITION_UNIT[motion.kind]) for name in motion.names)


def stored_columns(system: System) -> Iterator[tuple[str, str]]:
    """(name, unit) of every stored coordinate of the tree, joint after joint in the order of the recursion."""
    mechanism = system.mechanism
    for branch in system.topology.branches:
        joint = None if branch.joint is None else mechanism.joints[branch.joint]
        owner = mechanism.bodies[branch.body].name if joint is None else joint.name
        for name, unit in position_columns(JOINT_TYPES["free"] if joint is None else joint.type):
            yield f"{owner}.{name}", unit
        body = mechanism.bodies[branch.body]
        if isinstance(body, FlexibleBody):
            yield from rate_columns((f"{body.name}.{label}" for label in body.labels), body.kinds, "")


def rate_columns(names: Any, kinds: Any, per: str) -> Iterator[tuple[str, str]]:
    """(name, unit) of every coordinate or rate."""
    for name, kind in zip(names, kinds, strict=True):
        yield name, _POSITION_UNIT[kind] + per
