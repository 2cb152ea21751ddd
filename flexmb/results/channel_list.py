"""Entries of the list of channels of a result file, which may come from anywhere."""

from __future__ import annotations

import re
from math import prod
from typing import Any

from flexmb.results.channel_names import ChannelInfo
from flexmb.stored_arrays import Damaged

_NAME = re.compile(r"\w[\w .-]*")
"""Part of the path of a channel, or name of a column: names become labels, headers and names of files"""
_UNIT = re.compile(r"[\w*/^%°, ()-]*")
_WIDEST = 10**6
"""Limit of the columns of a channel, beyond any model that fits into memory"""


def listed_channel(entry: Any) -> ChannelInfo:
    """The channel of an entry; raises Damaged for one that flexmb does not write."""
    path, unit, shape, text, columns = (entry[key] for key in ("path", "unit", "shape", "text", "columns"))
    is_shape = isinstance(shape, list) and all(type(size) is int and size >= 0 for size in shape)
    is_named = isinstance(columns, list) and all(isinstance(name, str) for name in (path, unit, text, *columns))
    if not is_shape or not is_named or (columns and len(columns) != prod(shape)) or prod(shape) > _WIDEST:
        raise Damaged("its table of channels has an invalid entry")
    forged = [name for name in (*path.split("/"), *columns) if not _NAME.fullmatch(name)]
    if forged or not _UNIT.fullmatch(unit) or not text.isprintable():
        found = ascii((forged or [unit])[0][:60])
        raise Damaged(f"its table of channels has an invalid name or unit, {found}; flexmb writes no such names")
    return ChannelInfo(path, unit, tuple(shape), text, tuple(columns))


def listed_start(entry: Any) -> int:
    """First column of a channel in the table of all."""
    start = entry["start"]
    if type(start) is not int or start < 0:
        raise Damaged("its table of channels has an invalid entry")
    return start
