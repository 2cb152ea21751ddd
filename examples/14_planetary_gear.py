"""Planetary gear: a motor on the sun, a load on the carrier, three planets in a fixed ring.

14_planetary_gear.toml is the same model.

One coupling makes six meshes of teeth. Ideal wheels need only one planet, so that two meshes repeat others: the report
says so, and the planets share the load equally. In absolute coordinates every wheel is free and the bearings are rows
too: the same numbers.

    python examples/14_planetary_gear.py

Expected: sun/carrier = 3.5 (Willis: 1 + 60/24), sun 302.918293 rad/s after 0.1 s, 31.427439 N at the teeth of sun and
planet, 27.687707 N at those of planet and ring.
"""

from __future__ import annotations

from math import cos, pi, sin

import flexmb as fx

TEETH, MODULE = (24, 18, 60), 0.003
ARM = MODULE * (TEETH[0] + TEETH[1]) / 2


def planetary_gear(coordinates: str = "joint") -> fx.Model:
    """The gear in "joint" or "absolute" coordinates."""
    model = fx.Model("Planetary gear")
    points = {f"P{k + 1}": (ARM * cos(2 * pi * k / 3), ARM * sin(2 * pi * k / 3), 0) for k in range(3)}
    model.points(O=(0, 0, 0), **points)
    wheel = {"cylinder": [[0, 0, -0.007], [0, 0, 0.007]]}
    plate = {"cylinder": [[0, 0, -0.018], [0, 0, -0.012]], "radius": 0.072}
    model.rigid("sun", mass=0.8, inertia=(2e-4,) * 3, geometry={**wheel, "radius": 0.033}, color="orange")
    model.rigid("carrier", mass=1.5, inertia=(3e-3,) * 3, geometry=plate, color="steel")
    for k in range(1, 4):
        look = {"geometry": {**wheel, "radius": 0.024}, "color": "blue"}
        model.rigid(f"planet{k}", mass=0.25, inertia=(5e-5,) * 3, at=f"P{k}", **look)
    model.revolute("sun", model.ground, "sun", at="O", axis="z")
    model.revolute("carrier", model.ground, "carrier", at="O", axis="z")
    pins = [model.revolute(f"pin{k}", "carrier", f"planet{k}", at=f"P{k}", axis="z") for k in range(1, 4)]
    model.planetary("train", sun="sun", carrier="carrier", planets=pins, teeth=TEETH)
    model.actuator("motor", "sun", effort=4)
    model.actuator("load", "carrier", effort=-6)
    model.sensor("pin_force", reaction="pin1", component="force")
    model.coordinates(default=coordinates)
    model.analysis(end=0.1, method="rk45", tolerance=1e-9)
    model.output(every=0.25e-3)
    return model


def main() -> dict[str, dict[str, float]]:
    """Run in both coordinates; return ratio, rate of the sun [rad/s], efforts at the teeth and force of a pin [N]."""
    found = {}
    for coordinates in ("joint", "absolute"):
        result = fx.run(planetary_gear(coordinates))
        inner, outer = abs(result["couplings/train/effort"][-1, :2])
        sun, carrier = (float(result[f"joints/{name}/position"][-1]) for name in ("sun", "carrier"))
        found[coordinates] = {
            "ratio": sun / carrier,
            "sun": float(result["joints/sun/velocity"][-1]),
            "inner": float(inner),
            "outer": float(outer),
            "pin": float(result["sensors/pin_force"][0]),
        }
        print(f"{coordinates:8}  " + ", ".join(f"{key} {value:.9g}" for key, value in found[coordinates].items()))
    print("expected  ratio 3.5, sun 302.918293, inner 31.427439, outer 27.687707")
    return found


if __name__ == "__main__":
    main()
