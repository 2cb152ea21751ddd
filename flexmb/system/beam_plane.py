"""Beams in a plane mechanism: which of their planes lies in the plane of motion, and warnings where no shape does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from flexmb.arrays import Floats
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.elements.beam_shapes import BENDING
from flexmb.errors import InputError
from flexmb.model.schema.beams import BeamBody
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.reduction.beam_basis import BeamBasis
from flexmb.system.beam_interfaces import planar_normal
from flexmb.system.flexible_placement import basis_of, beam_data
from flexmb.system.linear_mechanism import LinearMechanism, rank
from flexmb.system.mechanism import Mechanism
from flexmb.warning import WarningRecord

_OTHER = {"y": "z", "z": "y"}


def plane_in(R_wb: Floats, normal: Floats) -> str:
    """Bending plane of a beam, "y" or "z", that lies in the plane with this normal; "" when both are inclined to it."""
    for plane, out in (("y", R_wb[:, 2]), ("z", R_wb[:, 1])):
        if abs(abs(out @ normal) - 1.0) < 1e-9:
            return plane
    return ""


def plane_warnings(
    spec: ModelSpec, mechanism: Mechanism, findings: Mapping[str, Any] | None = None
) -> Iterator[WarningRecord]:
    """Beams that bend, but not in the plane of motion; `findings` of a run show where forces push them."""
    normal = planar_normal(spec, mechanism)
    for body in mechanism.bodies:
        if not isinstance(body, FlexibleBody) or body.basis is None:
            continue
        planes = {shape.component for shape in body.basis.shapes if shape.component in BENDING}
        wanted = "" if normal is None else plane_in(body.R_wb, normal)
        pushed = not wanted and findings is not None and body.name in findings
        if pushed and findings is not None:
            wanted = findings[body.name].transverse
        if planes and wanted and wanted not in planes:
            other = _OTHER[wanted]
            text = (
                f"beam '{body.name}' cannot bend in the plane of motion: its shapes deflect along its {other} axis "
                f"({_direction(body.R_wb[:, 1 if other == 'y' else 2])} in the design position), the motion is along "
                f"its {wanted} axis. There it is rigid. Use bending = {{ {wanted} = {_count(body.basis, other)} }}."
                if not pushed
                else f"beam '{body.name}' cannot bend along its {wanted} axis "
                f"({_direction(body.R_wb[:, 1 if wanted == 'y' else 2])} in the design position), although its joints "
                f"push it that way: its shapes deflect along its {other} axis only. Use bending = "
                f"{_count(body.basis, other)}, or leave out 'shapes'."
            )
            yield WarningRecord("rigid-in-plane", text, f"bodies.{body.name}.shapes", None, 0.0, "m")


def _count(basis: BeamBasis, plane: str) -> int:
    return sum(shape.component == plane for shape in basis.shapes)


def _direction(vector: Floats) -> str:
    return "[" + ", ".join(f"{value:.3g}" for value in np.round(vector, 6) + 0.0) + "]"


def twist_advice(spec: ModelSpec, mechanism: Mechanism) -> str:
    """Changes of the beams that determine their reactions, in their own axes and tried on this model; "": none does."""
    beams = {
        body.name: body
        for body in mechanism.bodies
        if isinstance(body, FlexibleBody) and body.basis is not None and isinstance(spec.bodies[body.name], BeamBody)
    }
    missing = rank(LinearMechanism(spec, mechanism).rows)
    found = []
    for name in beams:
        components = {shape.component for shape in beams[name].basis.shapes}  # type: ignore[union-attr]
        if "t" not in components and (twisting := _with_twist(spec, name)) is not None:
            if rank(LinearMechanism(spec, mechanism, {name: twisting}).rows) > missing:
                found.append(name)
    advice = ""
    if found:
        named = ", ".join(f"'{name}'" for name in found)
        advice = f", or add twist to the shapes of beam {named} (torsion = 1, or leave out 'shapes')"
    normal = planar_normal(spec, mechanism)
    listed = []
    for name, body in beams.items():
        inside = "" if normal is None else plane_in(body.R_wb, normal)
        if inside and body.basis is not None and _count(body.basis, inside) and _count(body.basis, _OTHER[inside]):
            count = _count(body.basis, inside)
            listed.append(f"bending = {{ {inside} = {count}, {_OTHER[inside]} = 0 }} for beam '{name}'")
    return f"{advice}, or leave out bending out of the plane: {', '.join(listed)}" if listed else advice


def _with_twist(spec: ModelSpec, name: str) -> BeamBasis | None:
    """The basis of a beam with plain shapes and twist; None when its torsion constant is not known."""
    body = spec.bodies[name]
    assert isinstance(body, BeamBody)
    data = beam_data(spec, body)
    try:
        return basis_of((data.with_plain_shapes() if data.shapes.family == "auto" else data).twisting())
    except InputError:
        return None
