"""Two brackets from a STEP file: do they swing as the integrals of their geometry say?

    python examples/12_from_step.py

The model of 12_from_step.toml in Python. Mass, centre and inertia of a plate with two bores are known in closed form;
two such brackets, one hanging from the other, have two frequencies. The meshed brackets must swing with the same: that
checks the units of the STEP file, the mesh, the reduction and the joints at once.

Expected: 1.8427 and 3.1230 Hz, both ways.
"""

from __future__ import annotations

from math import pi
from pathlib import Path

import numpy as np

import flexmb as fx

MESH = Path(__file__).parent.parent / "meshes" / "bracket.msh"
G = 9.81


def rigid_frequencies() -> list[float]:
    """[Hz] of small swings of two rigid brackets, by M q'' + K q = 0 for their angles."""
    rho, arm = 7850.0, 0.040
    pieces = [(rho * 0.08 * 0.04 * 0.01, 0.02, (0.08**2 + 0.04**2) / 12)]  # mass, centre, radius of gyration squared
    pieces += [(-rho * pi * r**2 * 0.01, x, r**2 / 2) for r, x in ((0.008, 0.0), (0.005, arm))]
    m, s = sum(mass for mass, _, _ in pieces), sum(mass * x for mass, x, _ in pieces)
    inertia = sum(mass * (x**2 + square) for mass, x, square in pieces)
    M = np.array([[inertia + m * arm**2, s * arm], [s * arm, inertia]])
    K = G * np.diag([s + m * arm, s])
    return [float(value) for value in np.sqrt(np.linalg.eigvals(np.linalg.solve(M, K)).real) / (2 * pi)]


def brackets() -> fx.Model:
    """The two meshed brackets."""
    model = fx.Model("Two brackets", gravity=(G, 0, 0))
    O, A, B = model.points(O=(0, 0, 0), A=("40 mm", 0, 0), B=("40 mm", 0, "12 mm"))
    ends = ["bore_big", "bore_small"]
    for name, place in (("upper", O), ("lower", B)):
        keys = dict(unit="mm", material="steel", interfaces=ends, stress=True)
        model.flexible(name, mesh=MESH, at=place, **keys)
    model.revolute("pivot", model.ground, "upper", at=O, axis="z")
    model.rigid("pin", mass=0, rod=(A, B))
    model.fixed("press_fit", "upper", "pin", at=A)
    model.revolute("link", "pin", "lower", at=B, axis="z")
    return model


def main() -> list[tuple[float, float]]:
    """Print and return the lowest two frequencies: meshed, and rigid in closed form [Hz]."""
    found = sorted(mode.frequency for mode in fx.modes_of_model(brackets(), about="static").shown)[:2]
    rows = list(zip(found, sorted(rigid_frequencies()), strict=True))
    print("meshed [Hz]   closed form [Hz]")
    for meshed, rigid in rows:
        print(f"{meshed:11.4f} {rigid:18.4f}")
    return rows


if __name__ == "__main__":
    main()
