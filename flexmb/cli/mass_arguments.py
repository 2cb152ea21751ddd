"""Masses at markers as they are typed: "tip=2 kg", "tip=2 kg, 0.01, 0.01, 0.02 offset=0, 0, 5 mm"."""

from __future__ import annotations

from collections.abc import Sequence

from flexmb.cli.reduce_arguments import key_values, read_number
from flexmb.errors import Fault
from flexmb.reduction.attachments import MassRequest


def read_masses(words: Sequence[str], faults: list[Fault]) -> tuple[MassRequest, ...]:
    """The requests of all words of --mass."""
    found = []
    for word in words:
        place, before = (f"--mass {word}",), len(faults)
        name, equals, text = word.partition("=")
        values, keys = key_values(text)
        mass, *inertia = [part.strip() for part in values.split(",")]
        offset = [part.strip() for part in keys.pop("offset", "0,0,0").split(",")]
        if not equals or keys or len(inertia) not in (0, 3) or len(offset) != 3:
            hint = "Write 'MARKER=2 kg', or 'MARKER=2 kg, Ixx, Iyy, Izz offset=x, y, z'."
            hint += " A mass matrix needs --stiffness." if not equals else ""
            faults.append(Fault("expected a marker with its mass.", place, hint))
            continue
        kinds = [(mass, "mass"), *((part, "inertia") for part in inertia), *((part, "length") for part in offset)]
        numbers = [read_number("--mass", part, kind, faults) for part, kind in kinds]
        known = [number for number in numbers if number is not None]
        if len(faults) == before:
            J = (known[1], known[2], known[3]) if inertia else (0.0, 0.0, 0.0)
            found.append(MassRequest(name.strip(), known[0], J, (known[-3], known[-2], known[-1])))
    return tuple(found)
