"""Models of couplings: gear pair, train with an idler, rack, planetary train, geared flexible shafts."""

from __future__ import annotations

from math import cos, pi, sin
from typing import Any

import flexmb as fx

STEEL = {"E": 2.1e11, "nu": 0.3, "density": 7850}


def _finished(model: fx.Model, coordinates: str, end: float, step: float) -> fx.Model:
    model.coordinates(default=coordinates)
    model.analysis(end=end, step=step)
    return model


def wheel(model: fx.Model, name: str, inertia: float, at: Any, axis: Any = "z", **keys: Any) -> None:
    """A wheel that turns on ground in the joint of its name."""
    model.rigid(name, mass=1.0, inertia=(inertia,) * 3, at=at)
    model.revolute(name, model.ground, name, at=at, axis=axis, **keys)


def gear_pair(coordinates: str = "joint", torque: Any = 3.0, *, flip: bool = False, **teeth: Any) -> fx.Model:
    """Two wheels, 40 and 120 mm; `flip`: the axis of the second points the other way."""
    model = fx.Model("gear pair")
    wheel(model, "first", 0.02, (0, 0, 0))
    wheel(model, "second", 0.18, (0.16, 0, 0), "-z" if flip else "z")
    model.gear("teeth", "first", "second", **({} if teeth.keys() & {"teeth", "radii"} else {"ratio": 3}), **teeth)
    model.torque("torque", "first", (0, 0, torque))
    return _finished(model, coordinates, 0.2, 1e-3)


def rack(
    coordinates: str = "joint", torque: float = 1.0, side: float = -0.05, axis: str = "x", **keys: Any
) -> fx.Model:
    """A pinion and a rack that slides `side` [m] beside its axis."""
    model = fx.Model("rack and pinion")
    wheel(model, "pinion", 0.02, (0, 0, 0))
    model.rigid("bar", mass=2.0, inertia=(0.02,) * 3, at=(0.1, side, 0))
    model.prismatic("slide", model.ground, "bar", at=(0.1, side, 0), axis=axis)
    model.rack("teeth", "pinion", "slide", **keys)
    model.torque("torque", "pinion", (0, 0, torque))
    return _finished(model, coordinates, 0.2, 1e-3)


def planetary(coordinates: str = "joint", n_planets: int = 3, ring: str = "", on_sun: float = 4.0) -> fx.Model:
    """24, 18 and 60 teeth of module 3 mm; ring "": fixed, "body": a body fixed to ground, "free": it turns."""
    model, arm = fx.Model("planetary train"), 0.063
    wheel(model, "sun", 2e-4, (0, 0, 0))
    wheel(model, "carrier", 3e-3, (0, 0, 0))
    for k in range(n_planets):
        place = (arm * cos(2 * pi * k / n_planets), arm * sin(2 * pi * k / n_planets), 0)
        model.rigid(f"planet{k}", mass=0.25, inertia=(5e-5,) * 3, at=place)
        model.revolute(f"pin{k}", "carrier", f"planet{k}", at=place, axis="z")
    pins = [f"pin{k}" for k in range(n_planets)]
    if ring == "body":
        model.rigid("ring", mass=1.0, inertia=(8e-3,) * 3)
        model.fixed("mount", model.ground, "ring", at=(0, 0, 0))
        for k, pin in enumerate(pins):
            model.gear(f"inner{k}", "sun", pin, teeth=(24, 18))
            model.gear(f"outer{k}", pin, "mount", teeth=(18, 60), internal=True)
    else:
        if ring == "free":
            wheel(model, "ring", 8e-3, (0, 0, 0))
        keys = {"ring": "ring"} if ring else {}
        model.planetary("train", sun="sun", carrier="carrier", planets=pins, teeth=(24, 18, 60), **keys)
    model.torque("on_sun", "sun", (0, 0, on_sun))
    model.torque("on_carrier", "carrier", (0, 0, -1.5 * on_sun))
    return _finished(model, coordinates, 0.02, 2e-4)


def geared_shafts(coordinates: str = "joint", torque: str = "3*sin(40*t)", step: float = 1e-4) -> fx.Model:
    """Two shafts that bend and twist, each in one bearing, with helical wheels at their free ends."""
    model = fx.Model("geared shafts")
    for k, (x, inertia) in enumerate(((0.0, 0.002), (0.16, 0.018)), start=1):
        shapes = {"bending": 2, "axial": 1, "torsion": 1}
        line = ((x, 0, 0), (x, 0, 0.2))
        model.beam(f"shaft{k}", along=line, material=STEEL, section=fx.circle(0.012), shapes=shapes)
        model.revolute(f"bearing{k}", model.ground, f"shaft{k}", at=(x, 0, 0), axis="z")
        model.rigid(f"wheel{k}", mass=1.0, inertia=(inertia,) * 3, at=(x, 0, 0.2))
        model.fixed(f"hub{k}", f"shaft{k}", f"wheel{k}")
    model.gear("teeth", "bearing1", "bearing2", ratio=3, helix_angle=0.2, markers=("wheel1", "wheel2"))
    model.torque("torque", "wheel1", (0, 0, torque))
    return _finished(model, coordinates, 0.02, step)
