"""Beams whose shapes do not suit the joints and forces that act on them: errors, warnings, remedies that were tried.

A beam is rejected only when none of its bending shapes can move in the mechanism, so that it would be rigid. Otherwise
its errors are a warning: 5 % of compliance and 2 % of the first frequency (5 % of the next) are the limits for which a
meshed body, too, is called doubtful (`bodies/body_checks.py`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

import numpy as np

from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.elements.beam_shapes import BENDING
from flexmb.errors import Fault, InputError
from flexmb.model.schema.beams import AUTO_MODES, BeamBody
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.reduction.beam_basis import BeamBasis
from flexmb.system.beam_interfaces import interfaces_of
from flexmb.system.beam_quality import BeamQuality, automatic_basis, quality_with
from flexmb.system.flexible_placement import basis_of, beam_data
from flexmb.system.linear_mechanism import RIGID, LinearMechanism, null_space
from flexmb.system.mechanism import Mechanism
from flexmb.warning import WarningRecord

MOST_COMPLIANCE = 0.05
"""Missing part of the compliance above which a beam gives a warning."""
MOST_FIRST, MOST_NEXT = 0.02, 0.05
"""Relative error of the first and of the next frequencies above which a beam gives a warning."""
_MOST_TRIED = 8
_OTHERS = (("chord", "modes"), ("start", "monomials"))
"""Frames and families that are offered instead, in this order."""
_MOVES = 1e-9
"""Part of a unit motion below which a coordinate does not move."""


def support_faults(spec: ModelSpec, mechanism: Mechanism) -> list[Fault]:
    """Beams of which no bending shape can move."""
    suspects = {name: planes for name, planes in _beams(spec, mechanism) if _may_be_stuck(spec, mechanism, name)}
    if not suspects:
        return []
    linear = LinearMechanism(spec, mechanism)
    motions = null_space(linear.rows)
    faults = []
    for name, basis in suspects.items():
        start = int(linear.starts[mechanism.body_index[name] - 1]) + RIGID
        bending = [start + k for k, shape in enumerate(basis.shapes) if shape.component in BENDING]
        if not motions.size or np.abs(motions[bending]).max(initial=0.0) < _MOVES:
            text = f"body '{name}' would be rigid: its joints leave none of its bending shapes ({_what(basis)}, "
            text += f'frame = "{basis.frame}") any motion.'
            hint = f"Use {' or '.join(remedies(spec, mechanism, name))}."
            faults.append(Fault(text, ("bodies", name, "shapes"), hint))
    return faults


def shape_warnings(spec: ModelSpec, mechanism: Mechanism, qualities: dict[str, BeamQuality]) -> Iterator[WarningRecord]:
    """Beams whose shapes miss compliance or frequencies."""
    for name, quality in qualities.items():
        if is_good(quality):
            continue
        basis = _basis(mechanism, name)
        found, value = [], 0.0
        if quality.compliance > MOST_COMPLIANCE:
            found.append(f"up to {_percent(quality.compliance)} of its compliance is missing at {quality.by}")
            value = quality.compliance
        if not _good_frequencies(quality):
            worst = quality.frequency
            high = f"{_percent(worst)} too high" if math.isfinite(worst) else "missing"
            number = quality.frequencies.index(worst) + 1
            found.append(f"frequency {number} of the mechanism is {high}")
            value = max(value, worst)
        text = f"the shapes of beam '{name}' ({_what(basis)}, frame = \"{basis.frame}\") do not suit what acts on it: "
        text += f"{' and '.join(found)}. Use {' or '.join(remedies(spec, mechanism, name))}."
        yield WarningRecord("beam-shapes", text, f"bodies.{name}.shapes", None, value, "1")


def is_good(quality: BeamQuality) -> bool:
    """Whether the errors of a beam are within the limits."""
    return quality.compliance <= MOST_COMPLIANCE and _good_frequencies(quality)


def _good_frequencies(quality: BeamQuality) -> bool:
    limits = (MOST_FIRST, *[MOST_NEXT] * len(quality.frequencies))
    return all(error <= limit for error, limit in zip(quality.frequencies, limits, strict=False))


def remedies(spec: ModelSpec, mechanism: Mechanism, name: str) -> list[str]:
    """Other choices of shapes that were found to be good on this beam in this model."""
    body, basis = spec.bodies[name], _basis(mechanism, name)
    assert isinstance(body, BeamBody)
    data = beam_data(spec, body)
    found = []
    if is_good(
        quality_with(spec, mechanism, name, automatic_basis(spec, mechanism, name, basis, AUTO_MODES, 1, data.frame))
    ):
        found.append("automatic shapes (leave out 'shapes')")

    def suits(**other: object) -> bool:
        try:
            return is_good(quality_with(spec, mechanism, name, basis_of(data.with_shapes(**other))))  # type: ignore
        except InputError:  # more modes than these elements have
            return False

    counts = [count for count in data.shapes.bending if count]
    if data.shapes.family != "auto" and counts and None not in data.shapes.bending:
        for number in range(min(counts) + 1, _MOST_TRIED + 1):
            if suits(bending=number):
                return [*found, f"{number} bending shapes per plane"]
        for frame, family in _OTHERS:
            if (
                (frame, family) != (data.frame, data.shapes.family)
                and not data.shear
                and suits(family=family, frame=frame)
            ):
                return [*found, f'frame = "{frame}" with family = "{family}"']
    return found or ["several beams in place of this one"]


def _beams(spec: ModelSpec, mechanism: Mechanism) -> Iterator[tuple[str, BeamBasis]]:
    for name, body in spec.bodies.items():
        if isinstance(body, BeamBody) and body.shapes.family != "auto":
            basis = _basis(mechanism, name)
            if any(shape.component in BENDING for shape in basis.shapes):
                yield name, basis


def _may_be_stuck(spec: ModelSpec, mechanism: Mechanism, name: str) -> bool:
    """Whether the joints of a beam hold at least as many motions as it has bending shapes."""
    held = [len(i.forces) + len(i.moments) for i in interfaces_of(spec, mechanism, name) if i.by.startswith("joint")]
    return len([s for s in _basis(mechanism, name).shapes if s.component in BENDING]) <= sum(held)


def _basis(mechanism: Mechanism, name: str) -> BeamBasis:
    body = mechanism.bodies[mechanism.body_index[name]]
    assert isinstance(body, FlexibleBody) and body.basis is not None
    return body.basis


def _what(basis: BeamBasis) -> str:
    count = Counter(shape.component for shape in basis.shapes)
    return ", ".join(f"{count[plane]} bending {plane}" for plane in BENDING if count[plane])


def _percent(ratio: float) -> str:
    return f"{100.0 * ratio:.3g} %"
