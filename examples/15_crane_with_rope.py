"""Stops, a cable and a winch: how hard does a trolley hit its buffer, and what does the rope carry?

The crane of 15_crane_with_rope.toml in Python, for two speeds of the trolley. Hung from two falls that lean, the load
pulls with m g / (2 cos a); a buffer without damping would take sqrt(k m) v of the trolley alone.

    python examples/15_crane_with_rope.py

Expected at 1 m/s: 4909 N in the rope at 2 s, and 11.7 kN on the buffer (14.1 kN without damping); 9810 N on the floor.
"""

from __future__ import annotations

from math import hypot, sqrt

import flexmb as fx

LOAD, TROLLEY, G = 1000.0, 400.0, 9.81
FALL, HALF = 5.0, 0.2
BUFFER = 500e3


def crane(speed: float = 1.0) -> fx.Model:
    """The crane, its trolley and its load moving with a speed [m/s]."""
    model = fx.Model("Crane with a rope", gravity=(0, 0, -G))
    T, L = model.points(T=(0, 0, 8), L=(0, 0, 8 - FALL))
    model.rigid("trolley", mass=TROLLEY, inertia=(40, 60, 80), at=T)
    model.marker("trolley", "drum", at=(-HALF, 0, 0))
    model.marker("trolley", "hitch", at=(HALF, 0, 0))
    model.rigid("load", mass=LOAD, inertia=(150, 150, 150), at=L, velocity=(speed, 0, 0))
    model.prismatic(
        "rail",
        model.ground,
        "trolley",
        at=T,
        axis="x",
        velocity=speed,
        limits=(-6, 2.5),
        limit_stiffness=BUFFER,
        limit_damping=0.8,
    )
    length = f"{2 * hypot(FALL, HALF)!r} - 0.12 + 6*step(t, 5, 0, 10, 1)"
    model.cable("rope", "trolley.drum", "load", "trolley.hitch", length=length, stiffness=40e3, damping=2e3)
    model.friction("rolling", "rail", viscous=20)
    model.bushing("tag_line", model.ground, "load", damping=(50, 50, 0, 20, 20, 20))
    model.marker_stop("floor", "load", "z", lower=1.2, stiffness=2e6, damping=2)
    model.sensor("tension", force="rope")
    model.sensor("buffer", force="rail_limits")
    model.sensor("floor", force="floor")
    model.analysis(end=12, tolerance=1e-6)
    model.output(every=0.005)
    return model


def forces(speed: float) -> dict[str, float]:
    """Tension at 2 s, largest force on the buffer, and force on the floor at the end [kN]."""
    result = fx.run(crane(speed))
    row = int(result.time.searchsorted(2.0 - 1e-9))
    found = {
        "rope": result["sensors/tension"][row],
        "buffer": -result["sensors/buffer"].min(),
        "floor": result["sensors/floor"][-1],
    }
    return {name: float(force) / 1e3 for name, force in found.items()}


def main() -> dict[float, dict[str, float]]:
    """Print and return the forces [kN] for two speeds [m/s]."""
    found = {}
    print("  speed    rope at 2 s    buffer    without damping    floor at the end [kN]")
    for speed in (0.9, 1.0):
        found[speed] = forces(speed)
        rope, buffer, floor = found[speed].values()
        print(f"{speed:7.2f}  {rope:13.3f}  {buffer:8.2f}  {sqrt(BUFFER * TROLLEY) * speed / 1e3:17.2f}  {floor:23.3f}")
    return found


if __name__ == "__main__":
    main()
