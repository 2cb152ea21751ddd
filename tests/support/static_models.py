"""Models with a known static equilibrium."""

from __future__ import annotations

from typing import Any

from tests.support.one_body import G

DOWN = [0, 0, -G]


def chain(n: int, links: dict[str, Any] | None = None, **extra: Any) -> dict[str, Any]:
    """n rods of 1 m in all along x, 2 kg in all, hinged to each other and to ground about y."""
    length = 1.0 / n
    names = ["ground", *(f"rod{i}" for i in range(n))]
    rod = {"mass": 2.0 / n, "inertia": [1e-5, 2.0 / n * length**2 / 12, 2.0 / n * length**2 / 12]}
    joints = {
        f"hinge{i}": {"type": "revolute", "bodies": names[i : i + 2], "at": [i * length, 0, 0], "axis": "y"}
        for i in range(n)
    }
    for name, keys in (links or {}).items():
        joints[name] = {**joints.get(name, {}), **keys}
    bodies = {name: {**rod, "at": [i * length, 0, 0], "center": [length / 2, 0, 0]} for i, name in enumerate(names[1:])}
    return {"model": {"name": "chain", "gravity": DOWN}, "bodies": bodies, "joints": joints, **extra}


def column(load: list[float], **beam: Any) -> dict[str, Any]:
    """A clamped beam of 1 m and EI = 1 N m^2 along x that bends in y, with a dead force on its end."""
    section = {"type": "general", "A": 1e-4, "I": 1e-8}
    keys = {"beam": [[0, 0, 0], [1, 0, 0]], "material": {"E": 1e8, "nu": 0.3, "density": 1000.0}, "section": section}
    keys |= {"shapes": {"bending": {"y": 6}}, "y_axis": "y", "frame": "start", **beam}
    return {
        "bodies": {"beam": keys},
        "joints": {"wall": {"type": "fixed", "bodies": ["ground", "beam"], "at": [0, 0, 0]}},
        "forces": {"load": {"type": "force", "marker": "beam.end", "vector": load}},
        "sensors": {"end": {"marker": "beam.end"}},
    }
