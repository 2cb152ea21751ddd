"""A step that cannot be taken: why, which constraint is farthest from holding, and what its iteration changed last."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmb.arrays import Floats
from flexmb.errors import ComputationError

if TYPE_CHECKING:
    from flexmb.natural.system import NaturalSystem


class StepFailure(ComputationError):
    """Failure of a step, as the end of a sentence; `at` adds the beginning."""

    def __init__(self, text: str, kind: str = "", correction: Floats | None = None):
        """`kind`: "open" (no position was found), "slow" (no convergence), "singular" (no finite accelerations), or ""
        for a complete text; `correction` (n,): the last change of the moving coordinates, or their accelerations.
        """
        self.kind, self.correction = kind, correction
        super().__init__(text)

    def at(self, t: float, step: float | None = None) -> ComputationError:
        """The whole sentence, for a step [s] from the time t [s], or for the state at that time."""
        size = "" if step is None else f" (step {step:.3g} s)"
        return ComputationError(f"At t = {t:.6g} s{size} {self}")


def worst_row(system: NaturalSystem, x: Floats, t: float) -> str:
    """ "constraint 'a' is off by 0.1" for the row that is farthest from holding; x (n_coordinates,)."""
    rows = system.constraints.joined
    off = np.nan_to_num(np.abs(rows.value(x, t)), nan=np.inf)
    if not off.size:
        return "there are no constraints"
    row = int(np.argmax(off))
    return f"constraint '{rows.names[row]}' is off by {off[row]:.3g}"
