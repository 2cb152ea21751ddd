"""A driven motion without vibration as a run with channels."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from flexmb.analyses.preparation import prepare
from flexmb.solvers.quasi_static_motion import QuasiStaticSummary, analyse_quasi_static
from flexmb.solvers.settings import solver_settings
from tests.support.mechanisms import spec_of
from tests.support.runs import Rows, Run


class QuasiStatic(Run):
    """A finished quasi-static analysis: channels by path."""

    summary: QuasiStaticSummary

    def __init__(self, data: dict[str, Any], **analysis: Any):
        spec = spec_of({**data, "analysis": {**data.get("analysis", {}), **analysis}})
        self.ready = prepare(SimpleNamespace(spec=spec))
        self.system = self.ready.system
        self.sink = sink = Rows()
        settings = solver_settings(spec.analysis, spec.output.every)
        self.summary = analyse_quasi_static(self.system, settings, sink=sink)
        self.rows = np.concatenate(sink.blocks)
