"""Amplitudes of the oscillations in a channel, and the search for a reaction that oscillates faster than rows resolve.

The mean is removed, the samples are put on an even grid and weighted by a Hann window; an oscillation a cos(2 pi f t)
then shows as a peak of height a at f. The resolution is about two over the length of the run.
"""

from __future__ import annotations

from collections.abc import Iterable
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
MINOR, ROUND_OFF = 0.1, 1e-9
"""Peaks below this part of the largest, and forces below this part of energy/length, are not examined."""
_SMOOTHED, _LEAST_ROWS = 9, 64


@dataclass(frozen=True)
class Ringing:
    """Fast oscillation of the reaction force of a joint or of the effort of a motion."""

    place: str
    """Key of the joint or motion: "joints.pin"."""
    frequency: float
    """[Hz]"""
    rows: float
    """Rows of the result per oscillation."""
    time: float
    """Time of its largest departure from the smoothed values [s]."""


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


def ringing(
    result: Result, paths: Iterable[str] | None = None, *, energy: float = 0.0, length: float = 1.0
) -> Ringing | None:
    """The largest reaction or drive effort that oscillates so fast that the rows miss its peaks; None: there is none.

    paths : channels to examine; default: all reaction forces, and the efforts of motions. Peaks below a tenth of the
    largest are left out, and those that are round-off for a mechanism of this peak energy [J] and length [m].
    """
    time = result.time
    if len(time) < _LEAST_ROWS or not time[-1] > time[0]:
        return None
    if paths is None:
        paths = [path for path in result.channels if is_reaction(path) and path.endswith("/force")] + efforts(result)
    series = {path: np.linalg.norm(result[path].reshape(len(time), -1), axis=1) for path in paths}
    series = {path: values for path, values in series.items() if np.isfinite(values).all()}
    least = {"N": ROUND_OFF * energy / length, "N*m": ROUND_OFF * energy}
    for path, size in series.items():
        unit = result.channels[path].unit
        least[unit] = max(least.get(unit, 0.0), MINOR * float(size.max()))
    for path in sorted(series, key=lambda path: -float(series[path].max())):
        values = series[path] if is_reaction(path) else result[path]
        if series[path].max() > least[result.channels[path].unit] and (found := _ringing(path, time, values)):
            return found
    return None


def efforts(result: Result) -> list[str]:
    """Channels of the efforts of motions."""
    return [path for path in result.channels if path.startswith("motions/") and path.endswith("/effort")]


def _ringing(path: str, time: Floats, values: Floats) -> Ringing | None:
    smooth = np.convolve(np.pad(values, _SMOOTHED // 2, "edge"), np.full(_SMOOTHED, 1.0 / _SMOOTHED), "valid")
    rest = values - smooth
    if rest.std() < RINGING * np.abs(values).max():
        return None
    frequency, size = amplitudes(time, rest)
    hertz = float(frequency[np.argmax(size)])
    rows = len(time) / (hertz * float(time[-1] - time[0])) if hertz > 0.0 else np.inf
    if rows > FEW_ROWS:
        return None
    section, _, rest_of_path = path.partition("/")
    name = rest_of_path.rpartition("/")[0]
    return Ringing(f"{section}.{name}", hertz, rows, float(time[np.argmax(np.abs(rest))]))
