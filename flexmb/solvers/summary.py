"""Summaries of the analyses: outcome and accuracy, and the monitors of energy and turns that collect them.

`Summary` is the union of all kinds; the fields of `RunSummary` are common to all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from flexmb.arrays import Floats
from flexmb.layout import solver_state as st
from flexmb.solvers.mechanics import Solvable
from flexmb.solvers.statics import Equilibrium
from flexmb.warning import WarningRecord

ROUND_OFF = 1e-12  # differences of energies below this fraction of them are noise


@dataclass(frozen=True)
class RunSummary:
    """Outcome and quality of a run."""

    outcome: str
    """"finished", "interrupted" or "failed"."""
    method: str
    steps: int
    rejected: int
    newton_iterations: int
    factorisations: int
    largest_constraint_error: float
    """Largest |PHI| after a step [m, rad]."""
    energy_error: float
    """Largest |E - E0 - (W - W0)| of the rows [J]."""
    peak_energy: float
    """Largest kinetic energy, change of potential energy or work of the rows [J]."""
    wall_time: float
    """[s]"""
    t_reached: float
    """[s]"""
    largest_turn: float = field(default=0.0, kw_only=True)
    """Largest turn of a body in a step of the rows [rad]."""
    turning_body: str = field(default="", kw_only=True)
    """Body with the largest turn."""
    turning_step: float = field(default=0.0, kw_only=True)
    """Step with the largest turn [s]."""
    warnings: tuple[WarningRecord, ...] = field(default=(), kw_only=True)
    """Findings of the solver during the run."""

    @property
    def energy_balance(self) -> float:
        """Energy error as a fraction of the peak energy."""
        return self.energy_error / self.peak_energy if self.peak_energy > 0.0 else 0.0


@dataclass(frozen=True)
class StaticSummary(RunSummary):
    """Outcome of a static analysis."""

    equilibrium: Equilibrium

    @property
    def unbalanced_force(self) -> float:
        """Largest unbalanced generalised force as a fraction of the largest load."""
        return self.equilibrium.residual

    @property
    def lowest_stiffness(self) -> float:
        """Smallest eigenvalue of stiffness against mass [1/s^2]; negative: unstable, infinite: nothing is free."""
        return self.equilibrium.lowest


@dataclass(frozen=True)
class QuasiStaticSummary(RunSummary):
    """Outcome and quality of a quasi-static analysis."""

    left_out: float
    """Change of the elastic coordinates by the inertia of y'', as a fraction of their largest value."""


@dataclass(frozen=True)
class NaturalSummary(RunSummary):
    """Outcome and quality of a run in natural coordinates."""

    n_natural: int
    """Number of natural coordinates: points, vectors and mixed coordinates that move."""
    n_natural_rows: int
    """Number of independent constraint rows between them."""
    balance_gap: float
    """Largest M a + BIAS + G^T lam in absolute coordinates at the rows, as a fraction of its largest term."""


Summary = RunSummary | StaticSummary | QuasiStaticSummary | NaturalSummary
"""Every kind of summary; `RunSummary` itself is that of a dynamic or kinematic run."""


class EnergyBalance:
    """Monitor of kinetic + potential energy - work over the rows of a run; its numbers are in S."""

    def __init__(self, system: Solvable, S: Floats):
        wanted = ("energy/kinetic", "energy/potential", "energy/work/total")
        starts = {channel.path: channel.start for channel in system.channels}
        self.columns = [starts.get(path) for path in wanted]
        forces = [c for c in system.channels if c.unit == "N"]
        self.forces = [c.start + k for c in forces for k in range(math.prod(c.shape))]
        self.length = system.length_scale
        self.S = S

    def add(self, block: Floats) -> None:
        """Take the rows of a block."""
        if self.columns[0] is None or not len(block):
            return
        S, first = self.S, self.S[st.ENERGY_FIRST : st.ENERGY_FIRST + 3]
        energy = np.array([block[:, c] if c is not None else np.zeros(len(block)) for c in self.columns])
        if S[st.ENERGY_SEEN] == 0.0:
            S[st.ENERGY_SEEN] = 1.0
            first[:] = energy[:, 0]
            # Reference energy of a system at rest, besides its potential.
            still = np.max(np.abs(block[0, self.forces]), initial=0.0) * self.length
            S[st.ENERGY_PEAK] = ROUND_OFF * still
        change = energy - first[:, None]
        S[st.ENERGY_ERROR] = max(S[st.ENERGY_ERROR], np.max(np.abs(change[0] + change[1] - change[2])))
        floor = ROUND_OFF * np.max(np.abs(energy))
        S[st.ENERGY_PEAK] = max(S[st.ENERGY_PEAK], np.max(np.abs([energy[0], change[1], change[2]])), floor)


class Turning:
    """Monitor of the turn of a body per step; its numbers are in S.

    The energy balance does not show it: a rotor holds most of the energy, whatever an unbalance, or rates in axes that
    spin with it, do to the rest; every step sees one angle only.
    """

    def __init__(self, system: Solvable, S: Floats):
        starts = {channel.path: channel.start for channel in system.channels}
        paths = [path for path in starts if path.startswith("bodies/") and path.endswith("/angular_velocity")]
        self.names = [path.split("/")[1] for path in paths]
        self.columns = np.array([[starts[path] + i for i in range(3)] for path in paths], int)
        self.step = starts.get("solver/step")
        self.S = S

    def add(self, block: Floats) -> None:
        """Take the rows of a block."""
        if self.step is None or not self.names or not len(block):
            return
        turns = np.linalg.norm(block[:, self.columns], axis=2) * block[:, self.step, None]
        row, body = np.unravel_index(np.argmax(turns), turns.shape)
        if turns[row, body] > self.S[st.TURN]:
            self.S[st.TURN], self.S[st.TURN_BODY], self.S[st.TURN_STEP] = turns[row, body], body, block[row, self.step]

    @property
    def body(self) -> str:
        """Name of the body that turned farthest."""
        return self.names[int(self.S[st.TURN_BODY])] if self.names else ""
