"""Modes and linearised equations of a model.

In: a model and a state: its start, the static equilibrium near it, or a row of a result. Out: a `ModalResult` with the
linearised equations and the modes (`reports.modes_report` prints it, `results.modal_tables` writes it to files).
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from flexmb.analyses.preparation import prepare
from flexmb.errors import Fault, InputError
from flexmb.model.model import Model
from flexmb.reports.modes_report import growth_warnings
from flexmb.reports.warnings import start_warnings
from flexmb.results.modal_result import ModalResult
from flexmb.results.result_file import Result
from flexmb.solvers.linearise import linearise
from flexmb.solvers.mechanics import Mechanics
from flexmb.solvers.modal_analysis import modes
from flexmb.solvers.quasi_static_start import settle
from flexmb.system.system import System


def modes_of_model(
    model: Model, *, about: str = "start", result: str | os.PathLike[str] | None = None, time: float | None = None
) -> ModalResult:
    """Linearise a model about its start, another state near it, or a row of a result.

    about : "start"; "static": the equilibrium nearby; "steady": the start with the flexible bodies bent as its motion
    requires (quasi-statically), e.g. beams on a rotating shaft.
    """
    if model.spec.coordinates.default == "natural":
        text = "modes cannot be computed in natural coordinates."
        raise InputError([Fault(text, ("coordinates", "default"), 'Use default = "absolute".')])
    ready = prepare(model, sparse=about != "steady")
    system, work = ready.system, ready.work
    state = f"the start of the model, t = {Mechanics(system, work).t:g} s"
    if result is not None:
        state = _take_row(system, work, result, time)
    elif about == "static":
        from flexmb.solvers.statics import equilibrium

        state = "the static equilibrium" if equilibrium(system, work).is_stable else "an unstable static equilibrium"
    elif about == "steady" and system.elastic.any():
        mechanics, analysis = Mechanics(system, work), model.spec.analysis
        span = (analysis.step or 1e-3 * analysis.end) if analysis is not None else 0.0
        settle(mechanics, mechanics.v.copy(), 0.1 * (span or 1e-3))
        state = f"flexible bodies bent as the motion requires, t = {mechanics.t:g} s"
    linear = linearise(system, work)
    found = modes(system, linear)
    if about == "static" and result is None and np.any(Mechanics(system, linear.work).v):
        state += "; the motions keep their rates"
    warnings = (*start_warnings(system, model.spec, ready.warnings), *linear.warnings, *growth_warnings(found))
    return ModalResult(system, linear, found, state, warnings)


def _take_row(system: System, work: Any, path: str | os.PathLike[str], time: float | None) -> str:
    """Load the row of a result nearest to a time, or its last row, into the workspace; return its description."""
    m = Mechanics(system, work)
    with Result(path) as result:
        if not result.n_rows:
            raise InputError(f"'{path}' has no rows.")
        q, v = (np.asarray(result[f"coordinates/{key}"]) for key in "qv")
        if q.shape[1:] != (system.n_q,) or v.shape[1:] != (system.n_v,):
            raise InputError(
                f"'{path}' has {v.shape[1]} velocities per row, the model {system.n_v}: it is the result of another "
                "model or of other coordinates."
            )
        strange = _bodies(system.channels) ^ _bodies(result.channels.values())
        if strange:
            named = ", ".join(f"'{name}'" for name in sorted(strange)[:4])
            raise InputError(f"'{path}' is the result of another model: only one of the two has {named}.")
        times = np.asarray(result.time)
        row = len(times) - 1 if time is None else int(np.argmin(np.abs(times - time)))
        if time is not None and not times[0] - 1e-9 <= time <= times[-1] + 1e-9:
            raise InputError(f"'{path}' covers {times[0]:g} s to {times[-1]:g} s, not t = {time:g} s.")
        m.t, m.q[:], m.v[:] = float(times[row]), q[row], v[row]
    return f"row {row} of {Path(path).name}, t = {m.t:g} s"


def _bodies(channels: Iterable[Any]) -> set[str]:
    """Names of the bodies that have channels."""
    return {channel.path.split("/")[1] for channel in channels if channel.path.startswith("bodies/")}
