"""Results of `flexmb modes`: linearised equations with their modes, and frequencies over a parameter."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.solvers.linearise import Linearisation
from flexmb.solvers.mechanics import Mechanics
from flexmb.solvers.modal_analysis import Mode
from flexmb.system.system import System
from flexmb.warning import WarningRecord


@dataclass(frozen=True)
class ModalResult:
    """A linearised model and its modes."""

    system: System
    linear: Linearisation
    modes: list[Mode]
    state: str
    """Description of the state about which the model is linearised."""
    warnings: tuple[WarningRecord, ...] = ()
    """Findings on the model and on the state."""

    @property
    def is_moving(self) -> bool:
        """Whether the state has velocities."""
        return bool(np.any(Mechanics(self.system, self.linear.work).v))

    @property
    def shown(self) -> list[Mode]:
        """Modes without free motions (zero eigenvalues)."""
        return [mode for mode in self.modes if not mode.is_free]


@dataclass(frozen=True)
class Sweep:
    """Frequencies and damping ratios over a parameter, a column for every mode followed by its shape; ordered by first
    frequency; NaN where a mode does not oscillate."""

    name: str
    model: str
    values: Floats
    """(n_values,) values of the parameter, SI or as in the model"""
    frequencies: Floats
    """(n_values, n_modes) [Hz]"""
    ratios: Floats
    """(n_values, n_modes) fractions of critical damping"""
    warnings: tuple[WarningRecord, ...]
    """Findings on the models and states; the sentences begin with the value of the parameter."""
    is_moving: bool = False
    """Whether the mechanism moves in some of the states."""
    real: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    """(n_values, n_real) real eigenvalues [1/s], largest first: motions that do not oscillate; NaN: no more of them"""
    n_free: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """(n_values,) zero eigenvalues: free motions"""
