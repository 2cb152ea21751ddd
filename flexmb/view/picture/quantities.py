"""Times, lengths and forces as text on pictures, with a unit prefix that gives a convenient number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.arrays import Floats

_TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_LENGTHS = ((1e3, "km"), (1.0, "m"), (1e-3, "mm"), (1e-6, "µm"), (1e-9, "nm"))
_PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"))
_MOST_DECIMALS = 6


@dataclass(frozen=True)
class Clock:
    """Format of the times of a run: a convenient unit, with decimals that distinguish frames."""

    factor: float
    """[s]"""
    unit: str
    decimals: int

    def text(self, time: float) -> str:
        """A time [s] in the unit that suits the whole run."""
        return f"{time / self.factor:.{self.decimals}f} {self.unit}"


def clock_for(time: Floats) -> Clock:
    """The clock for these frames (f,) [s]; runs of less than half a second are shown in milliseconds, and so on."""
    largest = float(np.abs(time[[0, -1]]).max())
    factor, unit = next((pair for pair in _TIMES if largest >= 0.5 * pair[0]), _TIMES[-1 if largest > 0.0 else 0])
    step = float(time[-1] - time[0]) / max(len(time) - 1, 1)
    return Clock(factor, unit, _decimals(step / factor, 1) if step > 0.0 else 3)


def length_text(length: float) -> str:
    """A round length [m]: "200 mm", "5 km" """
    factor, unit = next((pair for pair in _LENGTHS if length >= (1.0 - 1e-9) * pair[0]), _LENGTHS[-1])
    return f"{length / factor:.6g} {unit}"


def value_text(value: float, unit: str) -> str:
    """Three figures: "1.60 kN", "177 N·m", "9.81e-15 N" """
    shown = unit.replace("*", "·")
    # 999.7 is already 1.00 of the next prefix.
    factor, prefix = next((pair for pair in _PREFIXES if value >= 0.9995 * pair[0]), (0.0, ""))
    if not factor:
        return f"{value:.2e} {shown}" if value > 0.0 else f"0 {shown}"
    return f"{value / factor:.{_decimals(max(value / factor, 1.0), 3)}f} {prefix}{shown}"


def tick_text(value: float, largest: float) -> str:
    """A tick of a legend, with as many decimals as the largest one needs for three figures."""
    if not 1e-3 <= largest < 1e5:
        return f"{value:.2e}"
    return f"{value:.{_decimals(largest, 3)}f}"


def _decimals(value: float, figures: int) -> int:
    """Decimals that show this many significant figures of a value above 0"""
    return int(np.clip(figures - 1 - np.floor(np.log10(value) + 1e-9), 0, _MOST_DECIMALS))
