"""Pendulating rotor: what torques must two servomotors supply to hold their speeds?

The second example of Shi & McPhee 2000 (section 5.2, after Ginsberg): a post turns about the vertical with psi, a
massless shaft swings on it by theta, a disk spins at its end with phi. Both servos hold their speed; theta is free.
The same model as 03_pendulating_rotor.toml. The torques of the run are compared with the printed equations:

    T1 = 1/2 m R^2 sin(theta) phi' theta' + (2 m L^2 - 1/2 m R^2) sin(theta) cos(theta) psi' theta'
    T2 = 1/2 m R^2 sin(theta) theta' psi'

    python examples/03_pendulating_rotor.py

Expected at 10 s: theta = -0.495683416 rad, T1 = 1.03513811 N m, T2 = 0.0300520988 N m.
"""

from __future__ import annotations

import sys

import numpy as np

import flexmb as fx

MASS, LENGTH, RADIUS = 2.0, 0.5, 0.2  # kg, m, m
PRECESSION, SPIN = 3.0, 40.0  # psi', phi' [rad/s]


def rotor() -> fx.Model:
    """Disk on a swinging shaft; theta is counted from the downward vertical."""
    model = fx.Model("Pendulating rotor", gravity=(0, 0, -9.81))
    A, B = model.points(A=(0, 0, 0), B=(0, 0, -LENGTH))

    # Massless bodies are fine as long as something behind them has inertia.
    post = model.rigid("post", mass=0, inertia=(0, 0, 0), at=A)
    shaft = model.rigid("shaft", mass=0, inertia=(0, 0, 0), at=A)
    across = MASS * RADIUS**2 / 4
    disk = model.rigid("disk", mass=MASS, inertia=(across, across, 2 * across), at=B)

    # The spin axis points from A to the disk: downwards in the design position.
    model.revolute("D", model.ground, post, at=A, axis="z")
    swing = model.revolute("A", post, shaft, at=A, axis="y", position=0.6)
    model.revolute("B", shaft, disk, at=B, axis="-z")
    servo_1 = model.motion("servo_1", fx.constant_speed(PRECESSION), joint="D")
    servo_2 = model.motion("servo_2", fx.constant_speed(SPIN), joint="B")

    model.sensor("theta", joint=swing)
    model.sensor("theta_dot", joint=swing, quantity="velocity")
    model.sensor("T1", motion=servo_1)
    model.sensor("T2", motion=servo_2)
    model.analysis(end=10, method="generalized-alpha", rho=0.8, step=5e-4)
    model.output(every=0.02)
    return model


def printed_torques(theta: np.ndarray, theta_dot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """T1 and T2 [N m] by the first and third of the printed equations [SM 5.2]."""
    disk = 0.5 * MASS * RADIUS**2
    arm = 2 * MASS * LENGTH**2
    T1 = np.sin(theta) * theta_dot * (disk * SPIN + (arm - disk) * np.cos(theta) * PRECESSION)
    T2 = disk * np.sin(theta) * theta_dot * PRECESSION
    return T1, T2


def main(output: str = "pendulating_rotor.h5") -> dict[str, float]:
    """Simulate, print and return the results."""
    result = fx.run_model(rotor(), output)
    print(result.report)
    T1, T2 = printed_torques(result["sensors/theta"], result["sensors/theta_dot"])
    found = {name: float(result[f"sensors/{name}"][-1]) for name in ("theta", "theta_dot", "T1", "T2")}
    found["largest |T1|"] = float(np.max(abs(result["sensors/T1"])))
    found["T1 against the printed equation"] = float(np.max(abs(result["sensors/T1"] - T1)))
    found["T2 against the printed equation"] = float(np.max(abs(result["sensors/T2"] - T2)))
    print()
    for name, value in found.items():
        print(f"{name:32s}{value: .6e}")
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
