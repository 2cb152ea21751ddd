"""Natural coordinates: a scissor lift of any number of stages, without angles.

Every stage is a pair of bars crossed by a pin; a ram pulls the lower ends together and lifts the platform. Points that
bars share are shared coordinates (`default="natural"`): constant mass matrices, a sparse system, one loop per stage.
The same model in joint coordinates must give the same numbers. 10_scissor_lift.toml is the lift with two stages.

    python examples/10_scissor_lift.py

Expected: to hold four stages at the start the ram pushes with -8301.4 N, as virtual work says: the weights lifted by
dh for a ram that moves by -dw = dh tan(angle).
"""

from __future__ import annotations

import sys
import tempfile
from math import cos, radians, sin, tan
from pathlib import Path

import flexmb as fx

BAR, ANGLE = 1.0, radians(20.0)
BAR_MASS, PLATFORM_MASS, ROLLER_MASS, G = 4.0, 60.0, 1.0, 9.81


def scissor_lift(stages: int = 4, coordinates: str = "natural") -> fx.Model:
    """A lift of `stages` stages, in "natural", "joint" or "absolute" coordinates."""
    model = fx.Model("Scissor lift", gravity=(0, 0, -G))
    width, height = BAR * cos(ANGLE), BAR * sin(ANGLE)
    for k in range(stages + 1):
        model.points(**{f"A{k}": (0, 0, k * height), f"B{k}": (width, 0, k * height)})
    for k in range(stages):
        model.points(**{f"C{k}": (width / 2, 0, (k + 0.5) * height)})
        model.rigid(f"rise{k}", mass=BAR_MASS, rod=(f"A{k}", f"B{k + 1}"), color="orange")
        model.rigid(f"fall{k}", mass=BAR_MASS, rod=(f"B{k}", f"A{k + 1}"), color="steel")
        model.revolute(f"cross{k}", f"rise{k}", f"fall{k}", at=f"C{k}", axis="y")
        if k:
            model.revolute(f"left{k}", f"fall{k - 1}", f"rise{k}", at=f"A{k}", axis="y")
            model.revolute(f"right{k}", f"rise{k - 1}", f"fall{k}", at=f"B{k}", axis="y")

    top, last = stages, stages - 1
    deck = {"box": [1.2, 0.7, 0.06], "at": [0.55, 0, 0.12]}
    rollers = dict(mass=ROLLER_MASS, inertia=(0.01, 0.01, 0.01))
    model.rigid("roller", at="B0", **rollers)
    model.rigid("top_roller", at=f"B{top}", **rollers)
    model.rigid("platform", mass=PLATFORM_MASS, inertia=(5, 5, 5), at=f"A{top}", center=(0.5, 0, 0.1), geometry=deck)
    model.revolute("foot", model.ground, "rise0", at="A0", axis="y")
    rail = model.prismatic("rail", model.ground, "roller", at="B0", axis="x")
    model.revolute("heel", "roller", "fall0", at="B0", axis="y")
    model.revolute("hinge", f"fall{last}", "platform", at=f"A{top}", axis="y")
    model.revolute("pin", f"rise{last}", "top_roller", at=f"B{top}", axis="y")
    model.prismatic("guide", "platform", "top_roller", at=f"B{top}", axis="x")

    ram = model.motion("ram", fx.ramp(to=-0.35, over=4.0), joint=rail)
    model.sensor("push", motion=ram)
    model.sensor("height", marker="platform", component="z")
    model.coordinates(default=coordinates)
    model.analysis(end=4.5, step=0.01)
    model.output(every=0.05)
    return model


def holding_force(stages: int) -> float:
    """Force of the ram [N] that holds the lift at the start, by virtual work."""
    bars = sum(2 * BAR_MASS * (k + 0.5) for k in range(stages))
    return -(bars + stages * (PLATFORM_MASS + ROLLER_MASS)) * G / tan(ANGLE)


def main(stages: str = "4") -> dict[str, tuple[float, float]]:
    """Run in natural and in joint coordinates; return initial force [N] and final height [m] of each."""
    found = {}
    print(f"{stages} stages; by virtual work the ram holds them with {holding_force(int(stages)):.4f} N")
    with tempfile.TemporaryDirectory() as folder:
        for coordinates in ("natural", "joint"):
            model = scissor_lift(int(stages), coordinates)
            with fx.run_model(model, Path(folder) / f"{coordinates}.h5") as result:
                found[coordinates] = (float(result["sensors/push"][0]), float(result["sensors/height"][-1]))
            push, height = found[coordinates]
            print(f"{coordinates:8}  push {push:.4f} N at the start, height {height:.9f} m at the end")
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
