"""Double pendulum of two uniform bars: the smallest model, built in Python instead of in a model file.

The worked example of Forehand, Cartmell & Khanin's paper on the Roberson-Schwertassek method (eq. 108-109). The same
model as 01_double_pendulum.toml. Run it:

    python examples/01_double_pendulum.py

Expected at 10 s: theta1 = -0.474385196 rad, theta2 = -0.302872040 rad, and an energy that stays -12.2446159 J.
"""

from __future__ import annotations

import sys

import numpy as np

import flexmb as fx


def double_pendulum(l1: float = 1.0, l2: float = 0.8) -> fx.Model:
    """Two bars hanging from the origin, released at rest; lengths in m."""
    model = fx.Model("Double pendulum", gravity=(0, -9.81, 0))

    # The design position, where all joint coordinates are zero: both bars straight down.
    O, A, B = model.points(O=(0, 0, 0), A=(0, -l1, 0), B=(0, -l1 - l2, 0))
    upper = model.rigid("upper", mass=1.0, rod=(O, A))
    lower = model.rigid("lower", mass=0.7, rod=(A, B))
    tip = model.marker(lower, "tip", at=B)

    # From there each joint is moved to where the motion starts. theta2 is relative to the upper bar.
    shoulder = model.revolute("shoulder", model.ground, upper, at=O, axis="z", position=0.5)
    elbow = model.revolute("elbow", upper, lower, at=A, axis="z", position=0.3)

    model.sensor("theta1", joint=shoulder)
    model.sensor("theta2", joint=elbow)
    model.sensor("tip_height", marker=tip, component="y")
    model.analysis(end=10, method="rk45", tolerance=1e-9)
    model.output(every=0.02)
    return model


def main(output: str = "double_pendulum.h5") -> dict[str, float]:
    """Simulate, print and return the results."""
    result = fx.run_model(double_pendulum(), output)
    print(result.report)
    energy = result["energy/kinetic"] + result["energy/potential"]
    found = {
        "theta1": float(result["sensors/theta1"][-1]),
        "theta2": float(result["sensors/theta2"][-1]),
        "energy": float(energy[-1]),
        "energy drift": float(np.ptp(energy)),
    }
    print(f"\ntheta1(10 s) = {found['theta1']:.9f} rad    (expected -0.474385196)")
    print(f"theta2(10 s) = {found['theta2']:.9f} rad    (expected -0.302872040)")
    print(f"energy       = {found['energy']:.7f} J    (drift {found['energy drift']:.1e} J)")
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
