"""Names of channels: from the name that a user writes to a dataset and a column of the result file.

A channel has a path ("joints/bearing/position"), and users may write it shorter: the path with dots, the path without
its first part ("bearing.position"), a column of it ("rod.velocity.x", "bearing.angle"), the bare name of a sensor. An
error about an unknown name suggests the nearest known ones, about an ambiguous name the full paths.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from flexmb.axes import AXES
from flexmb.errors import Fault, InputError
from flexmb.suggestions import meant, nearest

_OWNERS = {"sensors", "joints", "bodies", "motions", "forces"}
"""Groups whose members have names."""
_LETTERS = {3: AXES, 4: ("w", *AXES)}


@dataclass(frozen=True)
class ChannelInfo:
    """Path, unit, shape and meaning of a channel of a result file."""

    path: str
    unit: str
    """One unit, or one for every column separated by commas: "m, rad"."""
    shape: tuple[int, ...]
    """Shape of one sample: () for a scalar."""
    text: str
    columns: tuple[str, ...] = ()
    """Names of the columns, e.g. ("slide", "angle"); empty: the usual ones (x y z, w x y z) or numbers."""

    @property
    def width(self) -> int:
        """Number of columns."""
        width = 1
        for extent in self.shape:
            width *= extent
        return width

    @property
    def column_names(self) -> tuple[str, ...]:
        """A name for every column."""
        if self.columns:
            return self.columns
        kind, quantity = self.path.split("/")[0], self.path.rsplit("/", 1)[-1]
        spatial = kind in {"bodies", "sensors"} or quantity in {"force", "moment", "torque"}
        if spatial and self.width in _LETTERS:
            return _LETTERS[self.width]
        return tuple(str(index) for index in range(self.width))

    @property
    def units(self) -> tuple[str, ...]:
        """The unit of every column."""
        units = tuple(unit.strip() for unit in self.unit.split(","))
        return units if len(units) == self.width else (self.unit,) * self.width


@dataclass(frozen=True)
class Selection:
    """A channel, or one column of it."""

    channel: ChannelInfo
    column: int | None = None

    @property
    def label(self) -> str:
        """Short name for headers and legends: "bearing.angle", "tip_height"."""
        parts = self.channel.path.split("/")
        short = ".".join(parts[1:]) if parts[0] in _OWNERS else ".".join(parts)
        column = 0 if self.column is None and not self.channel.shape else self.column
        if parts[0] == "joints" and parts[-1] == "position" and column is not None and self.channel.columns:
            return f"{'.'.join(parts[1:-1])}.{self.channel.columns[column]}"
        return short if self.column is None else f"{short}.{self.channel.column_names[self.column]}"

    @property
    def unit(self) -> str:
        """Unit of the selection."""
        return self.channel.unit if self.column is None else self.channel.units[self.column]

    @property
    def scalars(self) -> list[Selection]:
        """The columns of the selection, one by one."""
        if self.column is not None or not self.channel.shape:
            return [self]
        return [Selection(self.channel, column) for column in range(self.channel.width)]


def _short_names(info: ChannelInfo) -> Iterable[tuple[str, int | None]]:
    """All short names of a channel and its columns; `None` is the whole channel."""
    parts = info.path.split("/")
    dotted = ".".join(parts)
    stems = {dotted, info.path}
    if len(parts) > 1:
        stems |= {".".join(parts[1:]), "/".join(parts[1:])}
    if parts[0] == "motions" and parts[-1] == "effort":
        stems.add(".".join(parts[1:-1]))
    for stem in stems:
        yield stem, None
        if info.shape or info.columns:
            for column, name in enumerate(info.column_names):
                whole = None if not info.shape else column
                yield f"{stem}.{name}", whole
                yield f"{stem}/{name}", whole
    if parts[0] == "joints" and len(parts) > 2:
        joint, quantity = ".".join(parts[1:-1]), parts[-1]
        for column, name in enumerate(info.columns):
            whole = None if not info.shape else column
            if quantity == "position":
                yield f"{joint}.{name}", whole
            yield f"{joint}.{name}.{quantity}", whole


class ChannelNames:
    """All names of the channels of a file."""

    def __init__(self, channels: Mapping[str, ChannelInfo]):
        self.channels = channels

    @cached_property
    def _targets(self) -> dict[str, dict[tuple[str, int | None], Selection]]:
        """Channels and columns by short name; whole paths need none of them."""
        targets: dict[str, dict[tuple[str, int | None], Selection]] = {}
        for info in self.channels.values():
            for name, column in _short_names(info):
                targets.setdefault(name, {})[(info.path, column)] = Selection(info, column)
        return targets

    def find(self, name: str) -> Selection:
        """The channel or column that `name` stands for."""
        if name in self.channels:
            return Selection(self.channels[name])
        targets = list(self._targets.get(name, {}).values())
        sensors = [target for target in targets if target.channel.path.startswith("sensors/")]
        if len(targets) > 1 and len(sensors) == 1:
            targets = sensors
        if len(targets) == 1:
            return targets[0]
        if targets:
            paths = ", ".join(f"'{target.channel.path}'" for target in targets)
            raise InputError([Fault(f"Channel '{name}' is ambiguous.", hint=f"Write one of {paths}.")])
        raise InputError([Fault(f"There is no channel '{name}'.", hint=self._advice(name))])

    def find_all(self, names: Iterable[str]) -> list[Selection]:
        """Channels or columns of several names; all unknown names are reported at once."""
        found: list[Selection] = []
        faults: list[Fault] = []
        for name in names:
            try:
                found.append(self.find(name))
            except InputError as error:
                faults += error.faults
        if faults:
            raise InputError(faults)
        return found

    def _advice(self, name: str) -> str:
        near = nearest(name, [*self.channels, *self._targets], 12)
        distinct: dict[tuple[str, int | None], str] = {}
        for candidate in near:
            for key in self._targets.get(candidate, {(candidate, None): None}):
                distinct.setdefault(key, candidate)
        names = list(dict.fromkeys(distinct.values()))[:3]
        if names:
            return meant(names)
        shown = list(self.channels)[:12]
        more = f", and {len(self.channels) - len(shown)} more" if len(self.channels) > len(shown) else ""
        return f"Channels: {', '.join(shown)}{more}."
