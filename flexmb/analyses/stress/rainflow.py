"""Rainflow counting of cycles.

Standard Practices for Cycle Counting in Fatigue Analysis, ASTM E1049-85 (2017): 5.4.4, and for a history that is
repeated 5.4.5, where every cycle is closed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from flexmb.analyses.stress.kernels import count_cycles
from flexmb.arrays import Floats

_ROUND_OFF = 1e-9
"""Amplitudes below this part of the largest magnitude of a history are no cycles."""


def rainflow(history: ArrayLike, repeating: bool = False) -> Floats:
    """(c, 3) amplitude, mean [unit of the history] and count (1 or 1/2) of every cycle, the largest amplitude first.

    history : (r,) any unit; repeating : the history is repeated for ever; then counts are whole
    """
    values = np.asarray(history, dtype=float).ravel()
    if repeating and len(values):
        top = int(np.argmax(values))
        values = np.concatenate([values[top:], values[: top + 1]])
    turns = reversals(values)
    cycles = np.zeros((len(turns), 3))
    found = cycles[: count_cycles(turns, int(repeating), np.zeros(len(turns)), cycles)]
    found[:, 0] *= 0.5
    found = found[found[:, 0] > _ROUND_OFF * np.abs(values).max(initial=0.0)]
    return found[np.lexsort((-found[:, 1], -found[:, 0]))]


def reversals(values: Floats) -> Floats:
    """(k,) peaks and valleys of a history (r,), with its ends, in the unit of the history [any]."""
    values = values[np.concatenate([[True], np.diff(values) != 0.0])] if len(values) else values
    rising = np.diff(values) > 0.0
    turns = (
        np.concatenate([[True], rising[1:] != rising[:-1], [True]]) if len(values) > 1 else np.ones(len(values), bool)
    )
    return np.ascontiguousarray(values[turns])
