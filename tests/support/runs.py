"""Short ways to a run of a model held in memory, for the tests."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from flexmb.analyses.preparation import prepare
from flexmb.solvers.run import simulate
from flexmb.solvers.summary import RunSummary
from tests.support.mechanisms import spec_of


class Rows:
    """Collects the rows of a run."""

    def __init__(self) -> None:
        self.blocks: list[np.ndarray] = []
        self.checkpoint: np.ndarray | None = None

    def write(self, block: np.ndarray, checkpoint: np.ndarray) -> None:
        self.blocks.append(block)
        self.checkpoint = checkpoint


class Run:
    """A finished run: channels by path."""

    def __init__(self, data: dict[str, Any], **analysis: Any):
        spec = spec_of({**data, "analysis": {**data.get("analysis", {}), **analysis}})
        self.ready = prepare(SimpleNamespace(spec=spec))
        self.system = self.ready.system
        sink = Rows()
        self.summary: RunSummary = simulate(self.system, spec.analysis, sink=sink, every=spec.output.every)
        self._keep(sink)

    def _keep(self, sink: Rows) -> None:
        """Rows and checkpoint; a signal to end (of a batch system, `timeout`) must not look like a wrong result."""
        assert self.summary.outcome == "finished"
        self.rows = np.concatenate(sink.blocks)
        self.checkpoint = sink.checkpoint

    def __getitem__(self, path: str) -> np.ndarray:
        channel = self.system.channel(path)
        width = int(np.prod(channel.shape))
        values = self.rows[:, channel.start : channel.start + width]
        return values if channel.shape else values[:, 0]

    @property
    def final_positions(self) -> np.ndarray:
        """Positions of all body origins at the end, one after the other."""
        names = sorted(body.name for body in self.system.mechanism.bodies[1:])
        return np.concatenate([self[f"bodies/{name}/position"][-1] for name in names])
