"""Inverse dynamics: which torque turns the crank at constant speed, and what do the joints carry?

The slider-crank of Lee et al. 2001 (section 5, Table 1): a universal joint at the crank pin, a spherical joint at the
slider, where the loop is cut. The same model as 05_inverse_slider_crank.toml; with `rigid_rod` the rod does not bend.

    python examples/05_inverse_slider_crank.py

Expected: the torque on the crank lies between -31.94 N*m (at 44.9 ms) and 31.40 N*m (at 4.9 ms), with a rigid rod
between -32.77 and 32.76 N*m; the crank pin carries up to 452.1 N, the slider pin 225.3 N, the guide 103.6 N. Driven by
that torque instead of the motion, the mechanism stays within 3e-8 m of it.
"""

from __future__ import annotations

import sys
from math import pi
from typing import Any

import flexmb as fx
from flexmb.analyses.section_forces import beam_forces
from flexmb.reports.inverse_report import departure_lines

CRANK, ROD = 0.152, 0.305


def _flexible(mass: float) -> dict[str, Any]:
    """Two sines in each plane on the chord A-B; the rod bends without getting longer."""
    return {
        "material": {"E": "200 GPa", "nu": 0.3, "density": mass / (pi / 4 * 0.0064**2 * ROD)},
        "section": fx.circle(diameter=0.0064),
        "shapes": {"family": "modes", "bending": 2},
        "frame": "chord",
        "field": "exact",
    }


def slider_crank(speed: float = 125.7, rod_mass: float = 0.0756, rigid_rod: bool = False, **rod: Any) -> fx.Model:
    """Speed of the crank [rad/s], mass of the rod [kg]; `rod` overrides keys of the flexible rod: field="linear"."""
    model = fx.Model("Inverse slider-crank")
    O, A, B = model.points(O=(0, 0, 0), A=(CRANK, 0, 0), B=(CRANK + ROD, 0, 0))
    model.rigid("crank", mass=0.0378, inertia=(1.9e-7, 7.324e-5, 7.324e-5), center=(CRANK / 2, 0, 0))
    if rigid_rod:
        model.rigid("rod", mass=rod_mass, inertia=(3.8e-7, 5.8533e-4, 5.8533e-4), at=A, center=(ROD / 2, 0, 0))
    else:
        model.beam("rod", along=(A, B), **{**_flexible(rod_mass), **rod})
        model.marker("rod", "middle", along=0.5)
        model.sensor("rod_bending", deflection="rod.middle", component="y", axes="body")
    model.rigid("slider", mass=0.0626, inertia=(4.18e-6, 4.18e-6, 4.18e-6), at=B)

    bearing = model.revolute("bearing", model.ground, "crank", at=O, axis="z")
    model.universal("crank_pin", "crank", "rod", at=A, axes=("z", "y"))
    model.prismatic("guide", model.ground, "slider", at=B, axis="x")
    model.spherical("slider_pin", "slider", "rod", at=B, tree=False)
    drive = model.motion("drive", fx.constant_speed(speed), joint=bearing)

    model.sensor("crank_angle", joint=bearing)
    model.sensor("slider_x", marker="slider", component="x")
    model.sensor("torque", motion=drive)
    model.analysis(end=0.05, step=1e-5)
    model.output(every=1e-4)
    return model


def main(output: str = "inverse_slider_crank.h5") -> dict[str, float]:
    """Solve, print torque and reactions, check them by a forward run; return extremes [N*m] and departure [m]."""
    inverse = fx.inverse_model(slider_crank(), output)
    departure = fx.forward_check(inverse)
    print(fx.inverse_report(inverse, beam_forces(inverse.result, inverse.model)), *departure_lines(departure), sep="\n")
    torque = inverse.drives[0].effort
    largest_departure = max(float(distance.max()) for distance in departure.bodies.values())
    return {"smallest": float(torque.min()), "largest": float(torque.max()), "departure": largest_departure}


if __name__ == "__main__":
    main(*sys.argv[1:])
