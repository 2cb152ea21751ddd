"""Smallest and largest values of channels, updated block by block."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.axes import AXES
from flexmb.results.channel_columns import is_reaction


@dataclass
class Extremes:
    """Smallest and largest value of a channel and when they occurred [s]; NaN until a number has been seen."""

    low: float = np.nan
    high: float = np.nan
    low_time: float = np.nan
    high_time: float = np.nan

    def take(self, times: np.ndarray, values: np.ndarray) -> None:
        """Take samples (r,) at times (r,) [s] into account; NaN samples are skipped."""
        numbers = ~np.isnan(values)
        if not numbers.any():
            return
        times, values = times[numbers], values[numbers]
        low, high = int(np.argmin(values)), int(np.argmax(values))
        if not values[low] >= self.low:
            self.low, self.low_time = float(values[low]), float(times[low])
        if not values[high] <= self.high:
            self.high, self.high_time = float(values[high]), float(times[high])


def note_extremes(
    found: dict[str, Extremes], path: str, shape: tuple[int, ...], times: np.ndarray, samples: np.ndarray
) -> None:
    """Take samples (r, *shape) [SI] of a channel into account: of sensors, and the magnitude of joint reactions."""
    if is_reaction(path):
        samples = np.sqrt(np.einsum("ri,ri->r", samples, samples))
    elif not path.startswith("sensors/"):
        return
    elif shape == (3,):  # a vector sensor
        for letter, values in zip(AXES, samples.T, strict=True):
            found.setdefault(f"{path}.{letter}", Extremes()).take(times, values)
        return
    found.setdefault(path, Extremes()).take(times, samples)
