"""Elastic rates at the start that nobody gave: the mechanism is locked as long as its bodies are rigid."""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Floats
from flexmb.model.schema.beams import FlexibleTable
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.results.flexible_findings import flexible_bodies
from flexmb.solvers.body_slices import body_slices
from flexmb.solvers.mechanics import Mechanics
from flexmb.system.system import System
from flexmb.warning import WarningRecord

_NOTHING = 1e-9
"""Elastic rate as a part of the largest rate that is round-off."""


def start_rate_warnings(spec: ModelSpec, system: System, work: Floats) -> list[WarningRecord]:
    """Warning about bodies that bend from the start because the given velocities are possible only so; at most one."""
    if spec.analysis is not None and "quasi-static" in (spec.analysis.elastic_start, spec.analysis.start):
        return []
    mechanics = Mechanics(system, work)
    largest = float(np.max(np.abs(mechanics.v) / mechanics.scale, initial=0.0)) * system.length_scale
    rates = {}
    for body in flexible_bodies(system.mechanism):
        table = spec.bodies[body.name]
        if isinstance(table, FlexibleTable) and table.elastic_velocity is None:
            rate = float(np.max(np.abs(work[body_slices(system)[body.name][2]]), initial=0.0))
            if rate > _NOTHING * largest:
                rates[body.name] = rate
    if not rates:
        return []
    worst = max(rates, key=lambda name: rates[name])
    named = ", ".join(f"'{name}'" for name in rates)
    text = (
        f"the mechanism is locked while its bodies are rigid: the velocities at the start are possible only because "
        f"{named} bend{'s' if len(rates) == 1 else ''}. The elastic rates of least elastic energy were chosen, up to "
        f"{rates[worst]:.4g} m/s. Give elastic_velocity if the bodies start otherwise."
    )
    return [WarningRecord("elastic-start-rates", text, f"bodies.{worst}", 0.0, rates[worst], "m/s")]
