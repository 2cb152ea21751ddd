"""A motor on a bent sheet: how far does the shelf sink, by shells and by two beams?

    python examples/11_shell_bracket.py

The model of 11_shell_bracket.toml in Python, at rest, with and without the weight of the sheet itself. Two thin beams
with a rigid corner sink by F b^2 (a + b/3) / (E I), with a the upright and b the shelf.

Expected: 1.278 mm, of which the motor makes 1.235 mm; two beams give 1.269 mm (a sheet as wide as this is a little
stiffer, as it bends across, too).
"""

from __future__ import annotations

from pathlib import Path

import flexmb as fx

MESH = Path(__file__).parent.parent / "meshes" / "sheet_bracket.inp"
UPRIGHT, SHELF, WIDTH, THICKNESS = 0.15, 0.10, 0.06, 0.003
E, MOTOR, G = 210e9, 2.0, 9.81


def bracket(density: float = 7850.0) -> fx.Model:
    """The bracket with its motor, at rest."""
    model = fx.Model("Motor on a bent sheet", gravity=(0, 0, -G))
    O, T = model.points(O=(0, 0, 0), T=(SHELF, 0, UPRIGHT))
    sheet = model.flexible(
        "bracket",
        mesh=MESH,
        at=O,
        unit="mm",
        material={"E": E, "nu": 0.3, "density": density},
        thickness=THICKNESS,
        interfaces=["foot", "tip"],
        frame="clamped:foot",
        modes=8,
        stress=True,
    )
    model.rigid("motor", mass=MOTOR, inertia=(2e-3, 2e-3, 2e-3), at=T)
    model.fixed("bolts", model.ground, sheet, at=O)
    model.fixed("seat", sheet, "motor", at=T)
    model.sensor("sink", marker="bracket.tip", component="z")
    model.analysis(type="static")
    return model


def sink(density: float) -> float:
    """[m] how far the tip is below its place without weight."""
    return UPRIGHT - float(fx.run(bracket(density))["sensors/sink"][0])


def by_beams() -> float:
    """[m] the same by two thin beams under the weight of the motor."""
    EI = E * WIDTH * THICKNESS**3 / 12.0
    return MOTOR * G * SHELF**2 * (UPRIGHT + SHELF / 3.0) / EI


def main() -> dict[str, float]:
    """Print and return the sink [mm]."""
    found = {"shells": sink(7850.0), "shells without weight": sink(7850.0e-4), "two beams": by_beams()}
    for name, value in found.items():
        print(f"{name:24} {1e3 * value:.3f} mm")
    return {name: 1e3 * value for name, value in found.items()}


if __name__ == "__main__":
    main()
