"""Inverse dynamics of a robot with six joints: how fast may it carry its load?

The arm of 09_robot_arm.toml makes the same move in different times; inverse dynamics gives the torques of all motors.
Holding torques do not depend on the time, those of inertia fall with its square.

    python examples/09_robot_arm.py

Expected in 1 s: largest torques 211.1, 217.2 and 67.0 N*m of turret, shoulder and elbow; in 3 s: 23.5, 188.6 and
54.3 N*m.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

import flexmb as fx

MODEL = Path(__file__).with_suffix(".toml")


def largest_torques(seconds: float, folder: Path) -> list[float]:
    """Largest torque of every motor [N*m] for a move in this time [s]."""
    inverse = fx.inverse_model(fx.read_model(MODEL, {"move": str(seconds)}), folder / "robot.h5")
    torques = [float(np.abs(drive.effort).max()) for drive in inverse.drives]
    inverse.result.close()
    return torques


def main(*times: str) -> dict[float, list[float]]:
    """Print and return the largest torques [N*m] for moves of several times [s]."""
    found = {}
    print("move [s]   largest torque of the motors 1 to 6 [N*m]")
    with tempfile.TemporaryDirectory() as folder:
        for seconds in [float(time) for time in times] or [0.7, 1.0, 1.5, 3.0]:
            found[seconds] = largest_torques(seconds, Path(folder))
            print(f"{seconds:8.2f}", *(f"{torque:8.2f}" for torque in found[seconds]))
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
