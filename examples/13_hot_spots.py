"""A connecting rod on a shaker: hot spots, and is the stress in the middle that of a beam?

    python examples/13_hot_spots.py

The model of 13_hot_spots.toml in Python. In the middle of the rod, far from bores and fillets, stress is M c/I with the
moment of what is beyond: the weight, the small end and half of the shank, each with its acceleration. At the end of the
pocket it is larger: there are the hot spots.

Expected: 103.6 MPa in the middle, by hand 103.2 MPa; 184.4 MPa at hot spot 1 (node 11) at t = 1.3368 s, when the sweep
has passed the resonance of 39.4 Hz; damage 4.57e-5 a run, 21,900 runs.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import flexmb as fx

MESH = Path(__file__).parent.parent / "meshes" / "connecting_rod_coarse.msh"
LINE = fx.SNLine(sigma_a=120e6, N=1e6, k=5, Rm=500e6)
LENGTH, WEIGHT, DENSITY = 0.3, 2.0, 7850.0
WIDTH, WEB, FLANGE, HEIGHT = 0.016, 0.005, 0.0055, 0.031
"""Of the I-section in the middle: along z, of its web along z, of a flange along y, and of all along y [m]"""


def shaker() -> fx.Model:
    """The rod, its weight and the table."""
    model = fx.Model("Connecting rod on a shaker")
    O, B = model.points(O=(0, 0, 0), B=(LENGTH, 0, 0))
    rod = model.flexible(
        "rod",
        mesh=MESH,
        at=O,
        unit="mm",
        material="steel",
        interfaces=["bore_big", "bore_small"],
        frame="clamped:bore_big",
        damping={"ratio": 0.02},
        stress=True,
    )
    model.rigid("weight", mass=WEIGHT, inertia=(1e-3, 1e-3, 1e-3), at=B)
    sweep = fx.expression("0.1 mm * sin(10 Hz * t + 12.5 Hz/s * t^2)")
    model.prismatic("table", model.ground, rod, at=O, axis="z", motion=sweep)
    model.fixed("seat", rod, "weight", at=B)
    model.analysis(end=2.0, step=2e-4)
    return model


def by_hand(result: fx.Result, row: int) -> float:
    """[Pa] largest stress in the middle at a row, by the moment of the weight and of the outer half of the rod."""
    force, moment = (result[f"joints/seat/{name}"][row] for name in ("force", "moment"))
    acceleration = abs(force[2]) / WEIGHT
    ring = DENSITY * np.pi * (0.018**2 - 0.010**2) * 0.024
    area = 2 * WIDTH * FLANGE + WEB * (HEIGHT - 2 * FLANGE)
    s = np.linspace(0.5, 0.94, 200)  # of the length, to where the small end begins
    shape = s**2 * (3.0 - s) / 2.0  # of a cantilever with a force on its end
    shank = DENSITY * area * LENGTH * np.trapezoid(shape * (s - 0.5) * LENGTH, s)
    M = abs(moment[1]) + (abs(force[2]) + ring * acceleration) * LENGTH / 2 + shank * acceleration
    inertia = (2 * FLANGE * WIDTH**3 + (HEIGHT - 2 * FLANGE) * WEB**3) / 12.0
    return float(M * WIDTH / 2 / inertia)


def main() -> dict[str, float]:
    """Print and return stresses [MPa], the time of the largest [s], and the damage of one run."""
    result = fx.run(shaker())
    found = result.stress("rod", sn=LINE)
    print(f"{'node':>6} {'von Mises':>12} {'at t':>10} {'cycles':>8} {'damage':>10} {'runs':>10}")
    for spot in found.spots:
        numbers = f"{spot.damage.n_cycles:8.0f} {spot.damage.damage:10.3g} {spot.damage.repeats:10.3g}"
        print(f"{spot.node:6d} {1e-6 * spot.von_mises:8.1f} MPa {spot.von_mises_time:8.4f} s {numbers}")
    envelope, first = found.bodies[0].envelope, found.spots[0]
    middle = int(np.argmin(np.linalg.norm(envelope.points - [LENGTH / 2, HEIGHT / 2, WIDTH / 2], axis=1)))
    row = int(np.argmin(np.abs(result.time - envelope.von_mises_time[middle])))
    hand = by_hand(result, row)
    print(f"in the middle {1e-6 * envelope.von_mises[middle]:.1f} MPa, by hand {1e-6 * hand:.1f} MPa")
    return {
        "hot spot": 1e-6 * first.von_mises,
        "time": first.von_mises_time,
        "node": float(first.node or -1),
        "damage": first.damage.damage,
        "middle": 1e-6 * envelope.von_mises[middle],
        "by hand": 1e-6 * hand,
    }


if __name__ == "__main__":
    main()
