"""Smallest and largest values of channels, updated block by block."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


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
