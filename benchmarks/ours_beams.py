"""flexmb on a rotating shaft of two beams, and on the slider-crank with a meshed rod.

python benchmarks/ours_beams.py      prints the cost of a step of every model
"""

from __future__ import annotations

import tempfile
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from ours import RHO, LastRow, build
from places import MODELS, mesh_file
from problems import GRAVITY, SHAFT
from timing import cpu_seconds, step_costs

import flexmb as fx
from flexmb.model.schema import read_spec
from flexmb.solvers.run import simulate

ROD_STEP = 8.4e-6
MODES = {"4 + 4 + 1 modes a beam": {"family": "modes", "supports": "clamped-free", "bending": 4, "torsion": 1}}
ELEMENTS = (2, 4, 8, 16)
ROD_MODES = {18: 12, 50: 44}
"""Elastic coordinates of the rod, and the normal modes asked for"""


def elements(number: int) -> dict[str, Any]:
    return {"family": "elements", "elements": number, "bending": "all", "torsion": "all"}


def shaft(shapes: dict[str, Any], steps: int, step: float = SHAFT.step) -> dict[str, Any]:
    """The two tubes with rotary inertia on the eccentric disc, in bearings."""
    of = SHAFT
    tube = {"type": "general", "A": of.area, "I": of.I, "J": of.J, "shear_y": of.shear, "shear_z": of.shear}
    steel = {"E": of.E, "nu": of.nu, "density": of.density}
    beam = {
        "material": steel, "section": tube, "shapes": shapes, "frame": "start", "rotary_inertia": True, "y_axis": "y",
        "shear": shapes["family"] == "elements",
    }  # fmt: skip
    O, M, P = [0, 0, 0], [of.half, 0, 0], [2 * of.half, 0, 0]
    return {
        "model": {"name": "rotating shaft", "gravity": [0, 0, -GRAVITY]},
        "bodies": {
            "first": {"beam": [O, M], **beam},
            "disc": {"mass": of.mass, "inertia": list(of.disc), "at": M, "center": [0, 0, of.eccentricity]},
            "second": {"beam": [P, M], **beam},
        },
        "joints": {
            "left": {"type": "revolute", "bodies": ["ground", "first"], "at": O, "axis": "x"},
            "to_disc": {"type": "fixed", "bodies": ["first", "disc"], "at": M},
            "from_disc": {"type": "fixed", "bodies": ["disc", "second"], "at": M},
            "right": {"type": "cylindrical", "bodies": ["ground", "second"], "at": P, "axis": "x"},
        },
        "motions": {"spin": {"joint": "left", "expression": f"{of.spin}*t^2"}},
        "analysis": {
            "type": "dynamic", "method": "generalized-alpha", "rho": RHO, "step": step, "end": steps * step,
        },
    }  # fmt: skip


def disc_place(shapes: dict[str, Any], steps: int, finer: int = 1) -> Any:
    """Place of the disc [m] after so many steps, each divided into `finer` ones."""
    spec = read_spec(shaft(shapes, finer * steps, SHAFT.step / finer))
    assert spec.analysis is not None
    system = build(spec)
    last = LastRow(system)
    simulate(system, spec.analysis, sink=last, every=spec.analysis.end)
    return last["bodies/disc/position"].copy()


@cache
def rod_file(coordinates: int) -> Path:
    """Body file of the connecting rod; made once, kept as long as this process."""
    global _folder
    _folder = _folder or tempfile.TemporaryDirectory()
    mesh = fx.read_mesh(mesh_file("connecting_rod_coarse.msh"), unit="mm")
    ends = tuple(fx.TieRequest(name, name) for name in ("bore_big", "bore_small"))
    middle = fx.TieRequest("middle", "middle", tie="follower")
    request = fx.ReductionRequest(interfaces=ends, markers=(middle,), modes=ROD_MODES[coordinates], frame="chord")
    body = fx.reduce_mesh(mesh, fx.MATERIALS["steel"], request, name="connecting_rod")
    return fx.write_body(body, Path(_folder.name) / f"rod{coordinates}.h5")


_folder: tempfile.TemporaryDirectory[str] | None = None


def meshed_rod(coordinates: int, steps: int) -> dict[str, Any]:
    """The example with the meshed rod; it starts in the undeformed position."""
    data = tomllib.loads((MODELS / "07_spatial_slider_crank_mesh.toml").read_text())
    data["bodies"]["rod"] = {"file": str(rod_file(coordinates)), "at": "A"}
    data["analysis"] = {
        "type": "dynamic", "method": "generalized-alpha", "rho": RHO, "step": ROD_STEP, "end": steps * ROD_STEP,
    }  # fmt: skip
    del data["output"]
    return data


def seconds(data: dict[str, Any]) -> float:
    """CPU seconds of the steps, without building the system; output only at the ends."""
    spec = read_spec(data)
    assert spec.analysis is not None
    system, analysis = build(spec), spec.analysis
    return cpu_seconds(lambda: simulate(system, analysis, sink=LastRow(system), every=analysis.end))


def main() -> None:
    runs: dict[str, Any] = {}
    for name, shapes in (MODES | {f"{n} elements a beam": elements(n) for n in ELEMENTS}).items():
        runs[f"shaft, {name}"] = lambda steps, _, shapes=shapes: seconds(shaft(shapes, steps))
    for n in ROD_MODES:
        runs[f"meshed rod, {n} elastic coordinates"] = lambda steps, _, n=n: seconds(meshed_rod(n, steps))
    for name, run in runs.items():
        print(f"{name:40} {step_costs({name: run}, 800, 3)[name] * 1e6:8.1f} us a step", flush=True)


if __name__ == "__main__":
    main()
