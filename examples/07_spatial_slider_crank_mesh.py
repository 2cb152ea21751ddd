"""Spatial slider-crank with rods from meshes: a connecting rod with an I-section, and the thin round rod.

    python examples/07_spatial_slider_crank_mesh.py [folder]

Reduces the meshes to bodies with a few elastic coordinates, puts each into 07_spatial_slider_crank_mesh.toml and prints
how far its middle leaves the line between its ends. The round rod, as tet10 and as hex20 cells, does what the beam of
04_spatial_slider_crank.toml does, at all times to 2.4 % of the largest deflection; most of that is shear and rotary
inertia, which the beam lacks. The connecting rod is sixteen times as heavy and bends a sixth of that, most of it along
z, its weak direction. Body files and results stay in the folder (default: the current one).
"""

from __future__ import annotations

import sys
from pathlib import Path

import flexmb as fx

HERE = Path(__file__).parent
STEELS = {
    "connecting_rod": fx.MATERIALS["steel"],
    "round_rod": fx.Material.isotropic(E=200e9, nu=0.3, density=7870.0),
}
STEELS["round_rod_hex20"] = STEELS["round_rod"]
MESHES = {
    "connecting_rod": ("connecting_rod_coarse.msh", "mm"),
    "round_rod": ("round_rod_tet10.msh", "m"),
    "round_rod_hex20": ("round_rod_hex20.msh", "m"),
}
ENDS = {
    "connecting_rod": ("bore_big", "bore_small"),
    "round_rod": ("start", "end"),
    "round_rod_hex20": ("start", "end"),
}
"""Sets of the meshes that joints hold"""
MODES = {"connecting_rod": 12, "round_rod": 6, "round_rod_hex20": 6}
BEAM = {"y": (2.943, -3.177), "z": (1.191, -2.866)}
EXPECTED = {
    "connecting_rod": {"y": (0.046, -0.046), "z": (0.213, -0.463)},
    "round_rod": BEAM,
    "round_rod_hex20": BEAM,
}
"""Largest and smallest deflection of the middle [mm]: by the finer mesh of the same part, and by a nonlinear beam"""


def reduce(rod: str, folder: Path) -> Path:
    """The body file of a rod: interfaces at its two ends, a marker in the middle, x axis from end to end."""
    file, unit = MESHES[rod]
    mesh = fx.read_mesh(HERE.parent / "meshes" / file, unit=unit)
    ends = [fx.TieRequest(name, select) for name, select in zip(("bore_big", "bore_small"), ENDS[rod], strict=True)]
    request = fx.ReductionRequest(
        interfaces=tuple(ends),
        markers=(fx.TieRequest("middle", "middle", tie="follower"),),
        modes=MODES[rod],
        frame="chord",
        stress=True,
    )
    return fx.write_body(fx.reduce_mesh(mesh, STEELS[rod], request, name=rod), folder / f"{rod}.h5")


def main(folder: str = ".") -> dict[str, dict[str, tuple[float, float]]]:
    """Reduce, simulate, print and return the extremes of the deflection [mm]."""
    found: dict[str, dict[str, tuple[float, float]]] = {}
    beam = fx.run_model(fx.read_model(HERE / "04_spatial_slider_crank.toml"), Path(folder) / "beam_run.h5")
    print("middle of the rod [mm]      largest   expected    smallest   expected")
    for rod, expected in EXPECTED.items():
        body = reduce(rod, Path(folder).resolve())
        model = fx.read_model(HERE / "07_spatial_slider_crank_mesh.toml", {"bodies.rod.file": str(body)})
        result = fx.run_model(model, Path(folder) / f"{rod}_run.h5")
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
