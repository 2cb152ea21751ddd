"""Motions that the given shapes of a beam leave out although the mechanism needs them: stretch and twist.

Stretch: a beam between two fixed points that keeps its length cannot bend. Twist: the torque T that joints pass along a
beam would turn its end by T L / GJ, which is compared with the turn by bending.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.model.schema.beams import BeamBody
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.system.beam_choice import can_twist, stretching_beams
from flexmb.system.beam_interfaces import planar_normal
from flexmb.system.flexible_placement import beam_data
from flexmb.system.mechanism import Mechanism
from flexmb.warning import WarningRecord

MOST_TWIST = 0.05
"""Twist that is left out, as a part of the turn by bending, above which there is a warning."""
_ROUND_OFF = 1e-9
"""Twist [rad] that is round-off."""


def left_out_warnings(
    spec: ModelSpec, mechanism: Mechanism, findings: Mapping[str, Any] | None = None
) -> Iterator[WarningRecord]:
    """Beams that cannot stretch where they must; with the `findings` of a run also those that cannot twist."""
    beams = {
        body.name: {shape.component for shape in body.basis.shapes}
        for body in mechanism.bodies
        if isinstance(body, FlexibleBody) and body.basis is not None and isinstance(spec.bodies[body.name], BeamBody)
    }
    stiff = [name for name, components in beams.items() if components & {"y", "z"} and "u" not in components]
    for name in sorted(stretching_beams(spec, mechanism, stiff)):
        text = (
            f"beam '{name}' is held between two fixed points and keeps its length, so that it cannot bend there: only "
            "deflections that are small against its thickness are right. Add stretch to its shapes (axial = 1), or "
            "leave out 'shapes'."
        )
        yield WarningRecord("beam-shapes", text, f"bodies.{name}.shapes", None, 1.0, "1")
    if findings is None or planar_normal(spec, mechanism) is not None:
        return
    for name, components in beams.items():
        if "t" not in components and name in findings:
            yield from _twist_warning(spec, name, findings[name])


def _twist_warning(spec: ModelSpec, name: str, finding: Any) -> Iterator[WarningRecord]:
    body = spec.bodies[name]
    assert isinstance(body, BeamBody)
    if not finding.torque or not can_twist(spec, body):
        return
    data = beam_data(spec, body)
    ends = [data.length if to is None else to for to, _, _ in data.spans]
    parts = np.diff([0.0, *ends])
    twist = finding.torque * float(np.sum(parts / [m.G * s.J for _, s, m in data.spans if s.J is not None]))
    bending = finding.error.slope
    if twist > max(MOST_TWIST * bending, _ROUND_OFF):
        text = (
            f"beam '{name}' cannot twist, but a torque of up to {finding.torque:.3g} N*m passes along it, which would "
            f"turn it by up to {twist:.3g} rad; by bending it turns {bending:.3g} rad. Add twist to its shapes "
            "(torsion = 1), or leave out 'shapes'."
        )
        yield WarningRecord("beam-shapes", text, f"bodies.{name}.shapes", None, twist, "rad")
