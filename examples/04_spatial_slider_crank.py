"""Spatial slider-crank with a flexible connecting rod.

The third example of Shi & McPhee 2000 (section 5.3, after Jonker), the same model as 04_spatial_slider_crank.toml: a
crank turns at 150 rad/s about an axis that is tilted by 45 degrees, a slider runs along x, the rod between them bends
by one per cent of its length.

    python examples/04_spatial_slider_crank.py

Expected extremes of the rod's middle against the chord (a nonlinear rod of 64 elements): y +2.943 / -3.177 mm,
z +1.191 / -2.866 mm. 04_spatial_slider_crank_variants.py compares fields, frames, shapes and coordinates.
"""

from __future__ import annotations

import sys
from math import pi
from typing import Any

import flexmb as fx

EXPECTED = {"y": (2.943, -3.177), "z": (1.191, -2.866)}
"""Largest and smallest deflection of the middle [mm]."""


def slider_crank(speed: float = 150, turns: float = 2, steps: int = 10000, **rod: Any) -> fx.Model:
    """Speed of the crank [rad/s], its turns, steps in all; `rod` overrides keys of the flexible rod.

    For example slider_crank(frame="end", shapes={"family": "monomials", "bending": 3}, field="quadratic", order=2).
    """
    model = fx.Model("Spatial slider-crank")

    # At t = 0 crank and rod lie along x.
    O, A, B = model.points(O=(0, 0, 0), A=("150 mm", 0, 0), B=("450 mm", 0, 0))
    model.rigid("crank", mass="0.1 kg", rod=(O, A))  # driven at constant speed: its inertia has no influence
    keys: dict[str, Any] = {
        "along": (A, B),
        "material": {"E": "200 GPa", "nu": 0.3, "density": "7870 kg/m^3"},
        "section": fx.general_section(A=2.826e-5, I=6.361e-11),  # a round bar of 6 mm as the paper prints it
        "shapes": {"family": "modes", "bending": 3},  # sin(k pi x/L): six elastic coordinates
        "frame": "chord",
        "field": "exact",
    }
    model.beam("rod", **(keys | rod))
    model.marker("rod", "middle", along=0.5)
    model.rigid("slider", mass="0.0334 kg", inertia=(0, 0, 0), at=B)  # never turns: only its mass counts

    bearing = model.revolute("bearing", model.ground, "crank", at=O, axis=(1, 0, 1))
    model.prismatic("guide", model.ground, "slider", at=B, axis="x")
    model.universal("small_end", "slider", "rod", at=B, axes=("y", "z"))
    # Cut: ten branch coordinates (crank, slider, two angles, six elastic), three loop equations, and the drive.
    model.spherical("big_end", "crank", "rod", at=A, tree=False)
    model.motion("drive", fx.constant_speed(speed), joint=bearing)

    model.sensor("crank_angle", joint=bearing)
    model.deflection("rod_mid_y", "rod.middle", component="y")  # against the middle of the chord A-B, world axes
    model.deflection("rod_mid_z", "rod.middle", component="z")
    model.sensor("slider_x", marker="slider", component="x")
    model.sensor("drive_torque", motion="drive")
    end = 2 * pi * turns / speed
    model.analysis(end=end, step=end / steps)
    model.output(every=end / 1000)
    return model


def main(output: str = "04_spatial_slider_crank.h5") -> dict[str, tuple[float, float]]:
    """Simulate, print and return the extremes of the deflection [mm]."""
    result = fx.run_model(slider_crank(), output)
    print(result.report, end="\n\n")
    found = {}
    print("middle of the rod [mm]   largest   expected    smallest   expected")
    for axis, (largest, smallest) in EXPECTED.items():
        middle = 1e3 * result[f"sensors/rod_mid_{axis}"]
        found[axis] = (float(middle.max()), float(middle.min()))
        print(f"{axis:22s} {found[axis][0]:9.3f}  {largest:9.3f}   {found[axis][1]:9.3f}  {smallest:9.3f}")
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
