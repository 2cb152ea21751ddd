"""Steel mechanisms with one flexible beam, for the tests of starts and reports."""

from __future__ import annotations

from typing import Any

STEEL: dict[str, Any] = {"E": 2.0e11, "nu": 0.3, "density": 7870.0}
BAR: dict[str, Any] = {"type": "rectangle", "y": 0.01, "z": 0.02}
A, EI, WEIGHT = 2e-4, 2.0e11 * 0.02 * 0.01**3 / 12.0, 7870.0 * 2e-4 * 9.81
"""Of BAR, bending in y: area [m^2], stiffness [N m^2], weight per length [N/m]."""


def slider_crank(**rod: Any) -> dict[str, Any]:
    """The spatial slider-crank of the examples: 0.15 m crank at 150 rad/s about (1, 0, 1), flexible rod of 0.3 m."""
    section = {"type": "general", "A": 2.826e-5, "I": 6.361e-11}
    beam = {"beam": ["A", "B"], "material": STEEL, "section": section, "markers": {"mid": {"along": 0.5}}}
    return {
        "points": {"O": [0, 0, 0], "A": [0.15, 0, 0], "B": [0.45, 0, 0]},
        "bodies": {
            "crank": {"mass": 0.1, "rod": ["O", "A"]},
            "rod": {**beam, "shapes": {"family": "modes", "bending": 3}, **rod},
            "slider": {"mass": 0.0334, "inertia": [1e-6] * 3, "at": "B"},
        },
        "joints": {
            "bearing": {"type": "revolute", "bodies": ["ground", "crank"], "at": "O", "axis": [1, 0, 1]},
            "big_end": {"type": "spherical", "bodies": ["crank", "rod"], "at": "A", "tree": False},
            "small_end": {"type": "universal", "bodies": ["slider", "rod"], "at": "B", "axes": ["y", "z"]},
            "guide": {"type": "prismatic", "bodies": ["ground", "slider"], "at": "B", "axis": "x"},
        },
        "motions": {"drive": {"joint": "bearing", "rate": 150.0}},
        "sensors": {"mid": {"deflection": "rod.mid"}, "torque": {"motion": "drive"}},
        "analysis": {"end": 0.01, "step": 5e-5},
    }


def cantilever(length: float = 1.0, **beam: Any) -> dict[str, Any]:
    """A steel bar clamped at its end A, under gravity along -y."""
    keys = {"beam": ["A", "B"], "material": STEEL, "section": BAR, "frame": "start"}
    return {
        "model": {"gravity": [0, -9.81, 0]},
        "points": {"A": [0, 0, 0], "B": [length, 0, 0]},
        "bodies": {"beam": {**keys, **beam}},
        "joints": {"wall": {"type": "fixed", "bodies": ["ground", "beam"], "at": "A"}},
        "sensors": {"tip": {"marker": "beam.end", "component": "y"}},
        "analysis": {"end": 0.2, "step": 1e-3},
    }


def spinning_beam(radius: float, speed: float, **beam: Any) -> dict[str, Any]:
    """The bar on a hub of some radius [m] that turns at a constant speed [rad/s], without gravity."""
    data = cantilever(**beam)
    data["model"]["gravity"] = [0, 0, 0]
    data["points"]["O"] = [-radius, 0, 0]
    data["bodies"]["hub"] = {"mass": 1.0, "inertia": [0.01] * 3, "at": "O"}
    data["joints"] = {
        "axle": {"type": "revolute", "bodies": ["ground", "hub"], "at": "O", "axis": "z"},
        "root": {"type": "fixed", "bodies": ["hub", "beam"], "at": "A"},
    }
    data["motions"] = {"drive": {"joint": "axle", "rate": speed}}
    data["sensors"] = {"reach": {"between": ["hub.origin", "beam.end"]}}
    data["analysis"] = {"end": 0.05, "step": 1e-4}
    return data
