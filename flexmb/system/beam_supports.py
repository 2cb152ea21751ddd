"""Check that the shapes of a beam can bend as its joints require; the fault names a remedy.

A joint holds the deflections across the beam unless it slides along them, and the slope unless it turns freely about
that axis (a driven coordinate is held). It supports the beam only where the other body is connected to ground by joints
without the beam: a tip mass is no support. How much another moving body holds is unknown here, so a beam is rejected
only when its shapes fit neither the mechanism with these supports nor the one with those on ground alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from flexmb.arrays import Floats
from flexmb.axes import AXES
from flexmb.errors import Fault, InputError
from flexmb.model.schema.beams import BeamBody
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.reduction.support_check import Support, supported_frequency_error
from flexmb.system.flexible_placement import BeamData, basis_of, beam_data
from flexmb.system.mechanism import Mechanism, PlacedJoint

_MOST_ERROR = 0.10
"""Relative error of the first supported frequency beyond which a beam is rejected."""
_ENOUGH_SHAPES = 4
"""Shapes per plane from which a beam is not checked."""
_MOST_TRIED = 6
_OTHERS = (("chord", "modes"), ("start", "modes"), ("end", "modes"), ("start", "monomials"))
"""Frames and families that are offered instead, in this order."""


def support_faults(spec: ModelSpec, mechanism: Mechanism) -> list[Fault]:
    """Beams with too few shapes for their supports."""
    faults = []
    for name, body in spec.bodies.items():
        if not isinstance(body, BeamBody):
            continue
        counts = [count for count in body.shapes.bending if count]
        if not counts or None in body.shapes.bending or min(counts) >= _ENOUGH_SHAPES:
            continue
        variants = list(dict.fromkeys(_variants(spec, mechanism, name)))
        data = beam_data(spec, body)
        if variants and (error := _least_error(data, variants)) > _MOST_ERROR:
            faults.append(_fault(name, body, data, variants, error))
    return faults


def _least_error(data: BeamData, variants: list[tuple[Support, ...]]) -> float:
    """Smallest error over the ways in which the beam may be held; the rest are skipped once one is good."""
    least = math.inf
    for supports in variants:
        least = min(least, _error(data, supports))
        if least <= _MOST_ERROR:
            break
    return least


@lru_cache(256)
def _error(data: BeamData, supports: tuple[Support, ...]) -> float:
    error = supported_frequency_error(basis_of(data), supports)
    return 0.0 if math.isnan(error) else error  # held so that nothing can bend, in the reference too


def _fault(name: str, body: BeamBody, data: BeamData, variants: list[tuple[Support, ...]], error: float) -> Fault:
    first = min(count for count in body.shapes.bending if count)
    shapes = f'{first} {body.shapes.family} per plane, frame = "{body.frame}"'
    text = f"body '{name}' has too few shapes for its supports ({shapes}): its first bending frequency would be "
    if math.isinf(error):
        text += "infinite, since the supports leave no shape that can move"
    else:
        text += f"{100.0 * error:.0f} % too high"
    return Fault(f"{text}.", ("bodies", name, "shapes"), f"Use {' or '.join(_remedies(data, variants, first))}.")


def _remedies(data: BeamData, variants: list[tuple[Support, ...]], first: int) -> Iterator[str]:
    """More shapes of the same kind, and as many of another kind, that would be accepted."""

    def is_good(other: BeamData) -> bool:
        try:
            return _least_error(other, variants) <= _MOST_ERROR
        except InputError:  # more modes than these elements have
            return False

    enough = next((n for n in range(first + 1, _MOST_TRIED + 1) if is_good(data.with_shapes(bending=n))), None)
    yield f"{enough} bending shapes per plane" if enough else f"more than {_MOST_TRIED} bending shapes per plane"
    for frame, family in _OTHERS:
        if (frame, family) != (data.frame, data.shapes.family) and not data.shear:
            if is_good(data.with_shapes(family=family, frame=frame)):
                yield f'frame = "{frame}" with family = "{family}"'
                return


def _variants(spec: ModelSpec, mechanism: Mechanism, name: str) -> Iterator[tuple[Support, ...]]:
    """Ways in which the joints may hold the beam: all of them, and those on ground alone; none without supports."""
    number = mechanism.body_index[name]
    held = _grounded(mechanism, without=number)
    supports: list[tuple[int, Support]] = []
    for joint in mechanism.joints:
        ends = (joint.first, joint.second)
        bodies = [mechanism.markers[end].body for end in ends]
        for own, other in ((0, 1), (1, 0)):
            if bodies[own] == number and bodies[other] in held:
                support = _support(spec, mechanism, joint, ends[own])
                if support is not None:
                    supports.append((bodies[other], support))
    if supports:
        yield tuple(support for _, support in supports)
        yield tuple(support for body, support in supports if body == 0)


def _grounded(mechanism: Mechanism, without: int) -> set[int]:
    """Bodies that joints connect to ground when one body is removed."""
    found, waiting = {0}, [0]
    while waiting:
        body = waiting.pop()
        for joint in mechanism.joints:
            ends = {mechanism.markers[end].body for end in (joint.first, joint.second)}
            if body in ends and without not in ends and joint.type.conditions:
                waiting += ends - found
                found |= ends
    return found


def _support(spec: ModelSpec, mechanism: Mechanism, joint: PlacedJoint, marker: int) -> Support | None:
    """Support of a beam by a joint at its marker; None when it holds nothing across."""
    placed = mechanism.markers[marker]
    slides, turns = joint.type.free_slides, joint.type.free_turns
    for motion in spec.motions.values():
        if motion.joint == joint.name:
            driven = joint.type.motion_of(spec.coordinate(joint.name, motion.coordinate))
            if driven.type == "slide":
                slides = slides.replace(AXES[driven.axis], "")
            else:
                turns = turns.replace(AXES[driven.axis], "")
    free, turning = _free(placed.R_b, slides), _free(placed.R_b, turns)
    support = Support(float(placed.p_b[0]), not free[1], not free[2], not turning[2], not turning[1])
    return support if any(support[1:]) else None


def _free(R_b: Floats, axes: str) -> list[bool]:
    """Body axes that can move when the given axes of the marker are free."""
    columns = R_b[:, [AXES.index(axis) for axis in axes]]
    return [bool(np.linalg.norm(row) > 0.5) for row in columns]
