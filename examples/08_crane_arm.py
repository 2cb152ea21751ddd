"""Statics and modes: what carries the boom of a crane at rest, and how fast does it swing?

The luffing crane of 08_crane_arm.toml, at several angles of the boom: the pull of the pendant in the static
equilibrium, against the moments of a boom that does not bend, and the lowest frequencies about the equilibrium.

    python examples/08_crane_arm.py

Expected at 40 degrees: 64.44 kN (rigid: 64.33 kN), and 0.1534, 0.1877 and 0.9919 Hz.
"""

from __future__ import annotations

import sys
import tempfile
from math import atan2, cos, pi, radians, sin
from pathlib import Path

import flexmb as fx

MODEL = Path(__file__).with_suffix(".toml")
BOOM, LOAD, G = 18.0, 3000.0, 9.81
FOOT, HEAD = (1.5, 2.0), (-2.0, 9.0)


def rigid_pull(luff: float) -> float:
    """Pull of the pendant [N] when the boom does not bend: moments about its foot. luff: angle of the boom [deg]."""
    boom = fx.MATERIALS["steel"].density * pi * (0.150**2 - 0.140**2) * BOOM
    x, z = BOOM * cos(radians(luff)), BOOM * sin(radians(luff))
    direction = atan2(HEAD[1] - FOOT[1] - z, HEAD[0] - FOOT[0] - x)
    arm = x * sin(direction) - z * cos(direction)
    return (LOAD + boom / 2) * G * x / arm


def at_rest(luff: float, folder: Path) -> tuple[float, list[float]]:
    """Pull of the pendant [N] in equilibrium, and the lowest three frequencies about it [Hz]."""
    settings = {"luff": str(luff), "analysis.type": "static"}
    with fx.run_model(fx.read_model(MODEL, settings), folder / "rest.h5") as result:
        pull = float(result["sensors/pull"][-1])
    report = fx.modes_of_model(fx.read_model(MODEL, {"luff": str(luff)}), about="static")
    return pull, [mode.frequency for mode in report.shown[:3]]


def main(*angles: str) -> dict[float, tuple[float, float, list[float]]]:
    """Print and return pull, rigid pull [N] and frequencies [Hz] for angles of the boom [deg]."""
    found = {}
    print("  angle    pull [kN]    rigid [kN]    frequencies [Hz]")
    with tempfile.TemporaryDirectory() as folder:
        for luff in [float(angle) for angle in angles] or [20.0, 40.0, 60.0, 75.0]:
            pull, frequencies = at_rest(luff, Path(folder))
            found[luff] = (pull, rigid_pull(luff), frequencies)
            shown = "  ".join(f"{frequency:.4f}" for frequency in frequencies)
            print(f"{luff:7.1f}  {pull / 1e3:11.2f}  {found[luff][1] / 1e3:12.2f}    {shown}")
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
