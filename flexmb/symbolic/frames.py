"""Checks of parts that must not depend on symbols: orientations, and bodies known only by numbers.

The mechanism is placed in numbers at two sets of values of the symbols. A frame that differs has no constant
orientation; it is rejected with the symbols that turn it. So is a flexible body whose mass, inertia or stiffness
differs although its field has no formulas, and a distributed force whose points do not keep their shares of the beam.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.errors import InputError
from flexmb.model.schema.symbolic_spec import SymbolicSpec, frame_fault
from flexmb.system.mechanism import Mechanism, PlacedCoupling
from flexmb.system.placement import place

SAME = 1e-9
"""Difference, relative to size, that is rounding; symbols are moved by 1e-3."""


@dataclass(frozen=True)
class Part:
    """A part of the model that changes: what it is, its place in the model, and its body."""

    words: str
    path: tuple[str, ...]
    body: str
    is_body: bool = False


def check_frames(read: SymbolicSpec, placed: Mechanism) -> None:
    """Reject frames that turn with a symbol; a body represents the frames on it."""
    guilty = _guilty(read, placed, _turned)
    bodies = {frame.body for frame in guilty if frame.is_body}
    faults = [
        frame_fault(f"the orientation of {frame.words}", frame.path, names)
        for frame, names in guilty.items()
        if frame.is_body or frame.body not in bodies
    ]
    if faults:
        raise InputError(faults)


def check_numbers(read: SymbolicSpec, placed: Mechanism, names: list[str]) -> None:
    """Reject flexible bodies of these names, known only by numbers, loads on them and couplings, that change with a
    symbol."""

    def in_numbers(one: Mechanism, other: Mechanism) -> Iterator[Part]:
        return (part for part in _changed(one, other) if part.body in names or not part.is_body)

    faults = [
        frame_fault(f"{part.words}, which is known only by numbers,", part.path, symbols)
        for part, symbols in _guilty(read, placed, in_numbers).items()
    ]
    if faults:
        raise InputError(faults)


def _guilty(
    read: SymbolicSpec, placed: Mechanism, find: Callable[[Mechanism, Mechanism], Iterator[Part]]
) -> dict[Part, list[str]]:
    """Parts that change, and the symbols that change them."""
    guilty: dict[Part, list[str]] = {part: [] for part in find(placed, place(read.shifted))}
    for name in read.values if guilty else ():
        for part in find(placed, place(read.moved(name))):
            if part in guilty and name not in guilty[part]:
                guilty[part].append(name)
    return {part: names or list(read.values) for part, names in guilty.items()}


def _turned(one: Mechanism, other: Mechanism) -> Iterator[Part]:
    """Parts whose orientation differs."""
    for body, partner in zip(one.bodies, other.bodies, strict=True):
        if np.abs(body.R_wb - partner.R_wb).max() > SAME:
            yield Part(f"body '{body.name}'", ("bodies", body.name), body.name, True)
    for marker, twin in zip(one.markers, other.markers, strict=True):
        if np.abs(marker.R_b - twin.R_b).max() > SAME:
            body_name, name = marker.name.split(".", 1)
            name = name.removesuffix(" (joint)")
            if name in one.joint_index:
                yield Part(f"joint '{name}' on body '{body_name}'", ("joints", name), body_name)
            else:
                yield Part(f"marker '{marker.name}'", ("bodies", body_name, "markers", name), body_name)


def _changed(one: Mechanism, other: Mechanism) -> Iterator[Part]:
    """Flexible bodies with other numbers, and distributed forces whose points have other shares."""
    for body, partner in zip(one.bodies, other.bodies, strict=True):
        if isinstance(body, FlexibleBody):
            assert isinstance(partner, FlexibleBody)
            keys = ("mass", "first_moment", "inertia", "stiffness", "damping")
            if any(_differ(getattr(body, key), getattr(partner, key)) for key in keys):
                yield Part(f"body '{body.name}'", ("bodies", body.name), body.name, True)
    for name, points in one.distributed.items():
        if _differ(load_shares(one, points), load_shares(other, other.distributed[name])):
            body_name = one.bodies[one.markers[points[0][0]].body].name
            yield Part(f"the force '{name}'", ("forces", name), body_name)
    for coupling, twin in zip(one.couplings, other.couplings, strict=True):
        if _differ(_coefficients(coupling), _coefficients(twin)):
            yield Part(f"the coupling '{coupling.name}'", ("couplings", coupling.name), "")


def _coefficients(coupling: PlacedCoupling) -> list[float]:
    """Numbers of all rows of a coupling."""
    return [x for row in coupling.rows for x in (row.constant, *(one.coefficient for one in row.coordinates))]


def load_shares(mechanism: Mechanism, points: list[tuple[int, float]]) -> Any:
    """(n, 2) places and lengths of the points of a distributed force, as shares of the part of the beam from its
    first to its last point."""
    places = np.array([mechanism.markers[marker].p_b[0] for marker, _ in points])
    lengths = np.array([length for _, length in points])
    span = lengths.sum()
    return np.column_stack([(places - places[0]) / span, lengths / span])


def _differ(one: Any, other: Any) -> bool:
    one, other = np.asarray(one, dtype=float), np.asarray(other, dtype=float)
    return one.shape != other.shape or bool(np.abs(one - other).max(initial=0.0) > SAME * np.abs(one).max(initial=0.0))
