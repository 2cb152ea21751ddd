"""Rows, counters and checkpoint of an analysis that goes from output time to output time.

Driven motions and runs in natural coordinates put the state of an output time into the workspace and add its row here.
"""

from __future__ import annotations

import time

import numpy as np

from flexmb.arrays import Floats
from flexmb.layout import flat_arrays as L
from flexmb.layout import solver_state as st
from flexmb.solvers.mechanics import Mechanics, Solvable
from flexmb.solvers.settings import Settings
from flexmb.solvers.summary import EnergyBalance, RunSummary

BLOCK_ROWS = 200


def output_times(settings: Settings) -> Floats:
    """Start, multiples of the output interval (else of the step, else a hundredth of the span), end [s]."""
    span = settings.end - settings.start
    interval = settings.every or settings.step or span / 100.0
    count = int(np.floor(span / interval * (1.0 + 1e-12) + 1e-9))
    times = settings.start + np.arange(count + 1) * interval
    if settings.end - times[-1] <= 1e-9 * interval:
        times[-1] = settings.end
        return np.asarray(times, dtype=np.float64)
    return np.asarray(np.append(times, settings.end), dtype=np.float64)


class OutputRows:
    """Rows, counters and checkpoint of one analysis."""

    def __init__(self, system: Solvable, settings: Settings):
        self.settings = settings
        self.began = time.perf_counter()
        self.m = Mechanics(system, system.workspace())
        self.times = output_times(settings)
        self.blocks: list[Floats] = []
        """Rows (r, n_out) that have not been written to the sink"""
        self.done = self.iterations = self.steps = self.rejected = 0
        self.largest = 0.0
        """Largest |PHI| [m, rad]"""
        self.step_before, self.power_before = 0.0, np.zeros(self.m.n_powers)
        """Size of the previous step [s] (0: none) and the powers at its start [W], for the works"""
        self.reserve(0)

    def reserve(self, n_own: int) -> None:
        """Reserve `n_own` numbers of the analysis in the checkpoint, available as `own`."""
        self.numbers = np.zeros(st.S_HEADER + n_own)
        self.own = self.numbers[st.S_HEADER :]
        self.balance = EnergyBalance(self.m.system, self.numbers)

    @property
    def is_done(self) -> bool:
        """Whether every output time has its row."""
        return self.done >= len(self.times)

    @property
    def interval(self) -> float:
        """Shortest time between two rows [s]."""
        return float(np.min(np.diff(self.times)))

    def add(self, step: float, iterations: int) -> None:
        """Add the row of the state in the workspace, reached by a step [s] with these iterations."""
        m, power = self.m, self.m.power.copy()
        m.run(L.AT_OUTPUT)
        m.power[:] = power  # those of the analysis, with actual rates instead of prescribed ones
        row = m.out.copy()
        row[-2:] = step, iterations
        self.blocks.append(row[None])
        self.done += 1

    def add_works(self, h: float, power: Floats) -> None:
        """Add the works of a step [s] from these powers to those in W, by the third-order Adams-Moulton rule."""
        m = self.m
        work = 0.5 * h * (power + m.power)
        if self.step_before > 0.0:
            before, old = self.step_before, self.power_before
            work -= ((m.power - power) / h - (power - old) / before) / (h + before) * h**3 / 6.0
        m.work += work
        self.step_before, self.power_before = h, power

    def note_constraint_error(self, phi: Floats) -> None:
        """Keep the largest |PHI|."""
        self.largest = max(self.largest, float(np.max(np.abs(phi), initial=0.0)))

    def pack(self) -> Floats:
        """Checkpoint: everything that the next rows depend on."""
        counters = [self.done, self.iterations, self.steps, self.rejected, self.largest, self.step_before]
        state = [self.m.W[start : start + size] for start, size in st.workspace_parts(self.m.I)]
        return np.concatenate([counters, self.numbers, self.power_before, self.m.power, *state])

    def unpack(self, checkpoint: Floats) -> bool:
        """Go back to the state of a checkpoint; False when it belongs to another model or method."""
        if checkpoint.size != self.pack().size:
            return False
        parts = [6, self.numbers.size, self.m.n_powers, self.m.n_powers]
        parts += [size for _, size in st.workspace_parts(self.m.I)]
        counters, numbers, before, power, *state = np.split(checkpoint, np.cumsum(parts)[:-1])
        self.done, self.iterations, self.steps, self.rejected = (int(number) for number in counters[:4])
        self.largest, self.step_before, self.power_before = float(counters[4]), float(counters[5]), before.copy()
        self.numbers[:], self.m.power[:] = numbers, power
        for (start, size), values in zip(st.workspace_parts(self.m.I), state):
            self.m.W[start : start + size] = values
        return True

    def position(self) -> tuple[float, float, int, int]:
        """Time reached [s], end [s], steps, rejected steps."""
        return self.m.t, self.settings.end, self.steps, self.rejected

    def summary(self, outcome: str, method: str) -> RunSummary:
        """Outcome and quality so far."""
        return RunSummary(
            outcome=outcome,
            method=method,
            steps=self.steps,
            rejected=self.rejected,
            newton_iterations=self.iterations,
            factorisations=self.iterations,
            largest_constraint_error=self.largest,
            energy_error=float(self.numbers[st.ENERGY_ERROR]),
            peak_energy=float(self.numbers[st.ENERGY_PEAK]),
            wall_time=time.perf_counter() - self.began,
            t_reached=self.m.t,
        )
