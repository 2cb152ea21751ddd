"""Amplitudes of the oscillations in a channel, and the search for a reaction that oscillates faster than rows resolve.

The mean is removed, the samples are put on an even grid and weighted by a Hann window; an oscillation a cos(2 pi f t)
then shows as a peak of height a at f. The resolution is about two over the length of the run.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats
from flexmb.results.channel_columns import is_reaction
from flexmb.results.result_file import Result

_PADDING = 4
"""Zero padding, in lengths of the samples: makes the peaks smooth."""
_MOST_SAMPLES = 2**16
RINGING, FEW_ROWS = 0.05, 8.0
"""Fast oscillation of a reaction as a part of its peak, and rows per oscillation, that give a warning."""
_SMOOTHED, _LEAST_ROWS = 9, 64


@dataclass(frozen=True)
class Ringing:
    """Fast oscillation of the reaction force of a joint."""

    joint: str
    frequency: float
    """[Hz]"""
    rows: float
    """Rows of the result per oscillation."""
    time: float
    """Time of its largest departure from the smoothed force [s]."""


def amplitudes(time: Floats, values: Floats) -> tuple[Floats, Floats]:
    """(m,) frequencies [Hz] and (m,) amplitudes [unit of the values] of values : (r,) at rising times (r,) [s]."""
    known = np.isfinite(values)
    time, values = time[known], values[known]
    n = min(len(time), _MOST_SAMPLES)
    even = np.linspace(time[0], time[-1], n)
    samples = np.interp(even, time, values)
    window = np.hanning(n)
    samples = (samples - np.average(samples, weights=window)) * window
    sizes = 2.0 * np.abs(np.fft.rfft(samples, _PADDING * n)) / window.sum()
    return np.fft.rfftfreq(_PADDING * n, (even[-1] - even[0]) / (n - 1)), sizes


def ringing(result: Result, joint: str = "") -> Ringing | None:
    """Whether the reaction force of a joint oscillates so fast that the rows miss its peaks; None: it does not.

    joint : default: that with the largest force
    """
    paths = [f"joints/{joint}/force"] if joint else [path for path in result.channels if path.endswith("/force")]
    path, force = "", np.zeros(0)
    for one in (one for one in paths if is_reaction(one)):
        size = np.linalg.norm(result[one].reshape(result.n_rows, -1), axis=1)
        if np.isfinite(size).all() and size.max(initial=0.0) > force.max(initial=0.0):
            path, force = one, size
    time = result.time
    if len(force) < _LEAST_ROWS or not time[-1] > time[0]:
        return None
    smooth = np.convolve(np.pad(force, _SMOOTHED // 2, "edge"), np.full(_SMOOTHED, 1.0 / _SMOOTHED), "valid")
    rest = force - smooth
    frequency, size = amplitudes(time, rest)
    hertz = float(frequency[np.argmax(size)])
    rows = result.n_rows / (hertz * float(time[-1] - time[0])) if hertz > 0.0 else np.inf
    if rest.std() < RINGING * force.max() or rows > FEW_ROWS:
        return None
    return Ringing(path.split("/", 1)[1].rsplit("/", 1)[0], hertz, rows, float(time[np.argmax(np.abs(rest))]))
