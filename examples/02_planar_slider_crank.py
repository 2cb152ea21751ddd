"""Planar slider-crank under a constant crank torque, with multipliers and without.

The first example of Shi & McPhee 2000 (section 5.1), in the coordinates of its eq. 36: crank angle alpha1, rod angle
alpha2 against the crank, slide s. The same model as 02_planar_slider_crank.toml, run twice:

- augmented: the equation of the loop stays, with its multiplier, and an implicit method integrates the whole;
- embedding: alpha1 is kept as the only independent coordinate (eq. 44-45), and an explicit method integrates it.

    python examples/02_planar_slider_crank.py

Expected at 2 s: alpha1 = 27.654153816 rad, alpha2 = -24.764289165 rad, s = 0.2169031384 m.
"""

from __future__ import annotations

import sys
from math import asin, pi, sin
from pathlib import Path
from typing import Any

import flexmb as fx

AUGMENTED = {"method": "generalized-alpha", "rho": 0.8, "step": "0.1 ms"}
EMBEDDING = {"method": "rk45", "formulation": "embedding", "independent": ["bearing.angle"], "tolerance": 1e-10}


def slider_crank(
    crank: float = 0.15, rod: float = 0.35, torque: float = 0.05, start: float = 0.3, **how: Any
) -> fx.Model:
    """Crank and rod [m], torque [N m], initial crank angle [rad]; `how` it is integrated."""
    model = fx.Model("Planar slider-crank")

    # Eq. 36 counts alpha1 + alpha2 from the rod pointing along +x from the slider to the crank: with all coordinates
    # zero the rod lies folded back over the crank, and B behind O.
    O, A, B = model.points(O=(0, 0, 0), A=(crank, 0, 0), B=(crank - rod, 0, 0))
    model.rigid("crank", mass=0.3, rod=(O, A))
    model.rigid("rod", mass=0.5, rod=(B, A))
    pin = model.marker("rod", "pin", at=B)

    stretched = pi - start - asin(crank * sin(start) / rod)  # the branch with the slider on the right
    bearing = model.revolute("bearing", model.ground, "crank", at=O, axis="z", position=start, velocity=10)
    crank_pin = model.revolute("crank_pin", "crank", "rod", at=A, axis="z", position=stretched)
    # The slider has no mass, so it needs no body: a pin of the rod slides and turns in a slot along x.
    slider = model.pin_in_slot("slider", model.ground, pin, tree=False)
    model.actuator("motor", bearing, effort=torque)

    model.sensor("alpha1", joint=bearing)
    model.sensor("alpha2", joint=crank_pin)
    model.sensor("crank_speed", joint=bearing, quantity="velocity")
    model.sensor("slider_position", marker=pin, component="x")
    model.sensor("slider_speed", marker=pin, quantity="velocity", component="x")
    model.sensor("slot_force", reaction=slider, component="force")
    model.analysis(end=2, **(how or AUGMENTED))
    model.output(every=0.004)
    return model


def main(output: str = "planar_slider_crank.h5") -> dict[str, dict[str, float]]:
    """Simulate in both formulations, print and return the results."""
    found = {}
    for formulation, how in {"augmented": AUGMENTED, "embedding": EMBEDDING}.items():
        path = Path(output)
        result = fx.run_model(slider_crank(**how), path.with_stem(f"{path.stem}_{formulation}"))
        names = ("alpha1", "alpha2", "slider_position", "crank_speed")
        found[formulation] = {name: float(result[f"sensors/{name}"][-1]) for name in names}
        print(result.report, end="\n\n")

    print("at 2 s          augmented        embedding         expected")
    for name, expected in (("alpha1", 27.654153816), ("alpha2", -24.764289165), ("slider_position", 0.2169031384)):
        values = (found["augmented"][name], found["embedding"][name], expected)
        print(f"{name:15s}" + "".join(f"{value:15.9f}  " for value in values))
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
