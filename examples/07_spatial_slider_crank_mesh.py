"""Spatial slider-crank with rods from meshes: a connecting rod with an I-section, and the thin round rod.

    python examples/07_spatial_slider_crank_mesh.py [folder]

Puts each mesh into 07_spatial_slider_crank_mesh.toml, which reduces it to a body with a few elastic coordinates, and
prints how far its middle leaves the line between its ends. The round rod, as tet10 and as hex20 cells, does what the
beam of 04_spatial_slider_crank.toml does, at all times to 2.4 % of the largest deflection; most of that is shear and
rotary inertia, which the beam lacks. The connecting rod is sixteen times as heavy and bends a sixth of that, most of it
along z, its weak direction. Results stay in the folder (default: the current one), bodies in the cache.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import flexmb as fx

HERE = Path(__file__).parent
ROUND: dict[str, Any] = {
    "unit": "m",
    "material": {"E": "200 GPa", "nu": 0.3, "density": 7870},
    "interfaces": ["bore_big=start", "bore_small=end"],
    "modes": 6,
}
RODS: dict[str, dict[str, Any]] = {
    "connecting_rod": {},
    "round_rod": {"mesh": "../meshes/round_rod_tet10.msh", **ROUND},
    "round_rod_hex20": {"mesh": "../meshes/round_rod_hex20.msh", **ROUND},
}
"""Keys of [bodies.rod] that differ from those of the model file"""
BEAM = {"y": (2.943, -3.177), "z": (1.191, -2.866)}
EXPECTED = {
    "connecting_rod": {"y": (0.046, -0.046), "z": (0.213, -0.463)},
    "round_rod": BEAM,
    "round_rod_hex20": BEAM,
}
"""Largest and smallest deflection of the middle [mm]: by the finer mesh of the same part, and by a nonlinear beam"""


def model_with(rod: str) -> fx.Model:
    """The slider-crank with one of the rods."""
    model = fx.read_model(HERE / "07_spatial_slider_crank_mesh.toml")
    return model.with_values({f"bodies.rod.{key}": value for key, value in RODS[rod].items()})


def main(folder: str = ".") -> dict[str, dict[str, tuple[float, float]]]:
    """Simulate, print and return the extremes of the deflection [mm]."""
    found: dict[str, dict[str, tuple[float, float]]] = {}
    beam = fx.run_model(fx.read_model(HERE / "04_spatial_slider_crank.toml"), Path(folder) / "beam_run.h5")
    print("middle of the rod [mm]      largest   expected    smallest   expected")
    for rod, expected in EXPECTED.items():
        result = fx.run_model(model_with(rod), Path(folder) / f"{rod}_run.h5")
        found[rod] = {}
        for axis, (largest, smallest) in expected.items():
            middle = 1e3 * result[f"rod_mid_{axis}"]
            found[rod][axis] = (float(middle.max()), float(middle.min()))
            high, low = found[rod][axis]
            print(f"{rod:20s} {axis:4s} {high:9.3f}  {largest:9.3f}   {low:9.3f}  {smallest:9.3f}")
        if expected is BEAM:
            apart = max(1e3 * abs(result[f"rod_mid_{axis}"] - beam[f"rod_mid_{axis}"]).max() for axis in "yz")
            print(f"{'':20s} at most {apart:.3f} mm from the beam at all times, {apart / 3.177:.1%} of the peak")
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
