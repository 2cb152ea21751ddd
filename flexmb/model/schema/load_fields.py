"""Loads on the mesh of a body and its pre-stress, as keys of the model file and as options of `flexmb reduce`.

loads = ["gas=pressure:piston_top"] or { gas = "pressure:piston_top" }
prestress = ["gas=5 MPa held pin", "spin=300 rad/s about hub:z"] or { gas = "5 MPa held pin" }
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flexmb.axes import named_direction
from flexmb.errors import Fault
from flexmb.model.expressions.parser import parse_quantity
from flexmb.model.expressions.tokens import TextError
from flexmb.model.schema.amplitude_field import KIND_OF_UNIT
from flexmb.model.schema.fields import FieldType, field_error
from flexmb.model.schema.json_forms import TEXT, Schema, either, listed
from flexmb.model.schema.table import ValidationInfo
from flexmb.model.units import KINDS
from flexmb.suggestions import clipped

Place = tuple[str | int, ...]
_SPIN = "spin"
_FORMS = "Write 'LOAD=50 K', 'LOAD=5 MPa held INTERFACE' or 'spin=300 rad/s about INTERFACE:z'."
_HELD = re.compile(r"(.*?)\s+held\s+(\S.*?)\s*")
_ABOUT = re.compile(r"(.*?)\s+about\s+([^\s:]+)\s*:\s*(\S+)\s*")


def read_prestress(word: str, loads: Sequence[Any], place: Place, faults: list[Fault]) -> Any:
    """The `PrestressRequest` of "LOAD=5 MPa held pin" or "spin=300 rad/s about hub:z"; None if it is wrong.

    loads : `LoadRequest`s, for the units of their values
    """
    from flexmb.reduction.load_words import PrestressRequest

    name, equals, text = (part.strip() for part in word.partition("="))
    if not equals or not text:
        faults.append(Fault(f"'{word[:60]}' is not a pre-stress.", place, _FORMS))
        return None
    if name == _SPIN:
        found = _ABOUT.fullmatch(text)
        axis = None if found is None else named_direction(found[3])
        if found is None or axis is None:
            text = f"'{word[:60]}': the axis of the spin is missing, or no axis of the mesh."
            faults.append(Fault(text, place, "Write 'spin=300 rad/s about INTERFACE:z'."))
            return None
        value = _number(found[1], "angular speed", place, faults)
        return None if value is None else PrestressRequest("", value, (found[2],), axis, word.strip())
    found = _HELD.fullmatch(text)
    amount = found[1] if found else text
    held = tuple(part.strip() for part in found[2].split("+")) if found else ()
    units = {load.name: load.unit for load in loads}
    if name not in units:
        return PrestressRequest(name, 0.0, held, None, word.strip())  # the request reports that there is no such load
    value = _number(amount, KIND_OF_UNIT[units[name]], place, faults)
    return None if value is None else PrestressRequest(name, value, held, None, word.strip())


def _number(text: str, kind: str, place: Place, faults: list[Fault]) -> float | None:
    try:
        return parse_quantity(text, KINDS[kind])
    except TextError as error:
        message = error.message if error.message.endswith(".") else f"{error.message}."
        faults.append(Fault(message, place, error.hint))
    except OverflowError:
        faults.append(Fault(f"'{text[:40]}' is too large.", place))
    return None


@dataclass(frozen=True)
class LoadsField(FieldType):
    """["NAME=pressure:SET"] as on the command line, or { NAME = "pressure:SET" }."""

    def read(self, value: Any, info: ValidationInfo) -> tuple[Any, ...]:
        from flexmb.reduction.load_words import LoadRequest, read_load

        return read_words(value, LoadRequest, lambda word, faults: read_load(word, (word,), faults))

    def json(self) -> Schema:
        return _words_json('"NAME=pressure:SET"')


@dataclass(frozen=True)
class PrestressField(FieldType):
    """["LOAD=5 MPa held INTERFACE"] as on the command line, or { LOAD = "5 MPa held INTERFACE" }."""

    def read(self, value: Any, info: ValidationInfo) -> tuple[Any, ...]:
        from flexmb.reduction.load_words import PrestressRequest

        loads = info.data.get("loads", ())
        return read_words(value, PrestressRequest, lambda word, faults: read_prestress(word, loads, (word,), faults))

    def json(self) -> Schema:
        return _words_json('"LOAD=50 K"')


def read_words(value: Any, made: type, read: Callable[[str, list[Fault]], Any]) -> tuple[Any, ...]:
    """Requests from a list of words "NAME=TEXT" or a table of texts; all their faults as one."""
    if isinstance(value, (list, tuple)) and all(isinstance(entry, made) for entry in value):
        return tuple(value)
    words: list[Any] = list(value) if isinstance(value, (list, tuple)) else []
    if isinstance(value, Mapping):
        words = [f"{name}={text}" if isinstance(text, str) else text for name, text in value.items()]
    if not isinstance(value, (list, tuple, Mapping)) or not all(isinstance(word, str) for word in words):
        raise field_error(f'expected ["NAME=TEXT"] or {{ NAME = "TEXT" }}, found {clipped(value)}')
    faults: list[Fault] = []
    found = [read(word, faults) for word in words]
    if faults:
        texts = [f"'{fault.path[0]}': {fault.text.rstrip('.')}. {fault.hint}".strip() for fault in faults]
        raise field_error(" ".join(texts))
    return tuple(request for request in found if request is not None)


def _words_json(example: str) -> Schema:
    table = {"type": "object", "additionalProperties": TEXT}
    name = example.strip('"').split("=")[0]
    text = example.strip('"').split("=", 1)[1]
    return either(listed(TEXT), table, words=f'list of `{example}`, or {{ {name} = "{text}" }}')
