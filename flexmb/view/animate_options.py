"""Options of an animation, from Python or the command line, and their faults.

Input: options as given, numbers as numbers or as text ("5 ms", "1280x720"); None and False mean "not given". Output:
`AnimateOptions`, and in a list all faults, each with the name of its option.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from flexmb.errors import Fault
from flexmb.model.expressions.parser import parse_quantity
from flexmb.model.expressions.tokens import TextError
from flexmb.model.units import KINDS
from flexmb.suggestions import clipped, did_you_mean
from flexmb.view.camera import VIEWS
from flexmb.view.scene import COLORINGS, Look

SCALES = (1.0, 1000.0)
SPEEDS = (1e-9, 1e6)
FPS = (1, 120)
FRAMES = (2, 20000)
PIXELS = (64, 4096)
ABOUT = ("start", "static", "steady")
RENDERERS = ("auto", "vtk", "flexmb")
_COLOR_WORDS = {
    "u": "displacement", "deflection": "displacement", "magnitude": "displacement", "ux": "x", "uy": "y", "uz": "z",
    "mesh_error": "mesh-error", "error": "mesh-error",
    "mises": "stress", "von mises": "stress", "von-mises": "stress", "von_mises": "stress", "vonmises": "stress",
    "none": "part", "body": "part",
}  # fmt: skip
"""Names of colourings in other programs -> ours, for suggestions"""
_LOOK_WORDS = tuple(entry.name for entry in fields(Look))


@dataclass(frozen=True)
class AnimateOptions:
    """The requested options; None: not given."""

    look: Look = Look()
    show: bool = False
    """Open a window"""
    frames: int | None = None
    start: float | None = None
    """[s]"""
    end: float | None = None
    at: float | None = None
    """Time of a picture [s]"""
    channels: tuple[str, ...] = ()
    modes: tuple[int | str, ...] = ()
    field: bool = False
    about: str | None = None
    """State about which a model oscillates: one of ABOUT"""
    settings: Mapping[str, str] | None = None
    """Changed parameters and keys of a model"""
    bodies: str | None = None
    """Folder of the body files"""
    renderer: str | None = None
    """Renderer of pictures and movies: one of RENDERERS"""
    given: frozenset[str] = frozenset()
    """Names of all given options"""


def read_options(words: Mapping[str, Any], faults: list[Fault]) -> AnimateOptions:
    """Read options; `look` sets a whole look, the others change it."""
    known = [*(entry.name for entry in fields(AnimateOptions) if entry.name != "given"), *_LOOK_WORDS]
    look = words.get("look") or Look()
    values: dict[str, Any] = {}
    changed: dict[str, Any] = {}
    for name, value in words.items():
        if name not in known:
            faults.append(Fault("there is no such option.", (name[:60],), did_you_mean(name, known, "Options")))
        elif name == "look":
            if not isinstance(look, Look):
                faults.append(Fault(f"expected a Look, found {clipped(value)}.", ("look",)))
                look = Look()
        elif isinstance(value, str) and not value.strip():
            faults.append(Fault("the value is empty.", (name,), "Give a value, or leave it out."))
        elif value is not None and not (isinstance(value, Sequence) and len(value) == 0):
            (changed if name in _LOOK_WORDS else values)[name] = _READERS[name](name, value, faults)
    _check_order(values, faults)
    read = {**values, **changed}
    given = frozenset(name for name, value in read.items() if not (value is None or value is False or value == ()))
    look = replace(look, **{name: value for name, value in changed.items() if value is not None})
    return AnimateOptions(look=look, given=given, **values)


def _check_order(values: Mapping[str, Any], faults: list[Fault]) -> None:
    start, end = values.get("start"), values.get("end")
    if start is not None and end is not None and start >= end:
        text = f"the end at {end:g} s is not after the start at {start:g} s."
        faults.append(Fault(text, ("end",), "Give a later end, or an earlier start."))


def _number(name: str, value: Any, faults: list[Fault], kind: str = "number") -> float | None:
    """A finite number in SI; the text of a time may carry a unit."""
    example = " Write it as 0.02 or '20 ms'." if kind == "time" else ""
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        is_plain = kind == "number" or not isinstance(value, str)
        number = float(value) if is_plain else parse_quantity(value, KINDS[kind])
    except TextError as error:
        faults.append(Fault(f"{error.message.rstrip('.')}.", (name,), f"{error.hint}{example}".strip()))
        return None
    except (TypeError, ValueError):
        faults.append(Fault(f"expected a number, found {clipped(value)}.", (name,)))
        return None
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        faults.append(Fault(f"the number is not finite: {clipped(value)}.", (name,)))
        return None
    return number


def _within(low: float, high: float, *, whole: bool = False) -> Callable[[str, Any, list[Fault]], float | int | None]:
    """A reader of a number between two limits."""

    def read(name: str, value: Any, faults: list[Fault]) -> float | int | None:
        number = _number(name, value, faults)
        if number is None:
            return None
        if not low <= number <= high or (whole and number != round(number)):
            what = "a whole number" if whole else "a number"
            faults.append(Fault(f"expected {what} from {low:g} to {high:g}, found {number:g}.", (name,)))
            return None
        return round(number) if whole else number

    return read


def _time(name: str, value: Any, faults: list[Fault]) -> float | None:
    return _number(name, value, faults, "time")


def _flag(name: str, value: Any, faults: list[Fault]) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        faults.append(Fault(f"expected true or false, found {clipped(value)}.", (name,)))
    return bool(value)


def _choice(choices: Sequence[str], others: Mapping[str, str]) -> Callable[[str, Any, list[Fault]], str | None]:
    def read(name: str, value: Any, faults: list[Fault]) -> str | None:
        word = str(value).strip().lower()
        if word in choices:
            return word
        near = f"Did you mean '{others[word]}'?" if word in others else did_you_mean(word, choices, "Choices")
        listed = "" if near.startswith("Choices") else f" Choices: {', '.join(choices)}."
        faults.append(Fault(f"there is no {name} {clipped(str(value))}.", (name,), near + listed))
        return None

    return read


def _size(name: str, value: Any, faults: list[Fault]) -> tuple[int, int] | None:
    """Width and height of "1280x720" or (1280, 720)."""
    low, high = PIXELS
    parts = re.split(r"\s*[x×*, ]\s*", value.strip().lower()) if isinstance(value, str) else value
    try:
        width, height = (int(part) for part in parts)
    except (TypeError, ValueError, OverflowError):
        text = f"expected width and height in pixels, found {clipped(value)}."
        faults.append(Fault(text, (name,), "Write for example 1280x720."))
        return None
    if not (low <= width <= high and low <= height <= high):
        text = f"width and height must be {low} to {high} pixels, found {clipped(f'{width}x{height}')}."
        faults.append(Fault(text, (name,), "Write for example 1280x720."))
        return None
    return width, height


def _texts(name: str, value: Any, faults: list[Fault]) -> tuple[str, ...]:
    words = [value] if isinstance(value, str) else value
    if not isinstance(words, Sequence) or not all(isinstance(word, str) for word in words):
        faults.append(Fault(f"expected names, found {clipped(value)}.", (name,)))
        return ()
    return tuple(words)


def _modes(name: str, value: Any, faults: list[Fault]) -> tuple[int | str, ...]:
    """Numbers and names, checked later against the body file."""
    words = [value] if isinstance(value, (str, int, np.integer)) else value
    if not isinstance(words, (Sequence, np.ndarray)) or not all(isinstance(w, (str, int, np.integer)) for w in words):
        faults.append(Fault(f"expected numbers or names of mode shapes, found {clipped(value)}.", (name,)))
        return ()
    return tuple(word if isinstance(word, str) else int(word) for word in words)


def _settings(name: str, value: Any, faults: list[Fault]) -> dict[str, str] | None:
    """Names and values, checked later against the model."""
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        faults.append(Fault(f"expected names with values, found {clipped(value)}.", (name,)))
        return None
    return {key: str(word) for key, word in value.items()} or None


def _folder(name: str, value: Any, faults: list[Fault]) -> str | None:
    if not isinstance(value, (str, os.PathLike)):
        faults.append(Fault(f"expected the path of a folder, found {clipped(value)}.", (name,)))
        return None
    if not os.path.isdir(value):  # false, too, for a name that is too long
        what = "it is a file" if os.path.exists(value) else "there is no such folder"
        faults.append(Fault(f"{what}: {clipped(str(value))}.", (name,), "Give the folder of the body files."))
    return os.fspath(value)


def _name(name: str, value: Any, faults: list[Fault]) -> str | None:
    """The name of a body; empty for ground, which does not move."""
    if not isinstance(value, str):
        faults.append(Fault(f"expected the name of a body, found {clipped(value)}.", (name,)))
        return None
    return "" if value.strip() == "ground" else value.strip()


_READERS: dict[str, Callable[[str, Any, list[Fault]], Any]] = {
    "scale": _within(*SCALES),
    "color": _choice(COLORINGS, _COLOR_WORDS),
    "view": _choice(tuple(VIEWS), {}),
    "follow": _name,
    "ghost": _flag,
    "symbols": _flag,
    "arrows": _flag,
    "dark": _flag,
    "size": _size,
    "fps": _within(*FPS, whole=True),
    "speed": _within(*SPEEDS),
    "show": _flag,
    "frames": _within(*FRAMES, whole=True),
    "start": _time,
    "end": _time,
    "at": _time,
    "channels": _texts,
    "modes": _modes,
    "field": _flag,
    "about": _choice(ABOUT, {"equilibrium": "static", "initial": "start", "stationary": "steady"}),
    "settings": _settings,
    "bodies": _folder,
    "renderer": _choice(RENDERERS, {"pyvista": "vtk", "own": "flexmb", "rasteriser": "flexmb", "software": "flexmb"}),
}
