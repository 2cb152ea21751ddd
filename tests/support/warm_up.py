"""Fill the kernel cache: a slider-crank and a pendulum, a few steps by every method and formulation; small meshes."""

from __future__ import annotations

from multiprocessing import Process
from typing import Any

from flexmb.equations.programs import FIELD_PROGRAMS, link
from flexmb.machine_code.jit import compile_ahead
from flexmb.model.schema import read_spec
from flexmb.natural.analysis import natural_solver
from flexmb.solvers import elastic_balance_kernels
from flexmb.solvers.compilation import compile_for
from flexmb.solvers.run import simulate
from flexmb.system.build import build_system

PENDULUM: dict[str, Any] = {
    "model": {"name": "pendulum", "gravity": [0, 0, -9.81]},
    "bodies": {"bob": {"mass": 1.0, "inertia": [0.1, 0.1, 0.1], "center": [1.0, 0, 0]}},
    "joints": {"pivot": {"type": "revolute", "bodies": ["ground", "bob"], "at": [0, 0, 0], "axis": "y"}},
}
SLIDER_CRANK: dict[str, Any] = {
    "model": PENDULUM["model"],
    "points": {"O": [0, 0, 0], "A": [0, 0, 0.1], "B": [0.3, 0, 0]},
    "bodies": {
        "crank": {"mass": 1.0, "inertia": [0.1, 0.1, 0.1], "at": "O"},
        "rod": {"mass": 1.0, "inertia": [0.1, 0.1, 0.1], "at": "B"},
        "slider": {"mass": 1.0, "inertia": [0.1, 0.1, 0.1], "at": "B"},
    },
    "joints": {
        "bearing": {"type": "revolute", "bodies": ["ground", "crank"], "at": "O", "axis": "y"},
        "big_end": {"type": "spherical", "bodies": ["crank", "rod"], "at": "A"},
        "small_end": {"type": "universal", "bodies": ["rod", "slider"], "at": "B", "axes": ["z", "y"]},
        "guide": {"type": "prismatic", "bodies": ["ground", "slider"], "at": "B", "axis": "x"},
    },
}


class Nowhere:
    """A sink that keeps nothing."""

    def write(self, block: Any, checkpoint: Any) -> None:
        pass


def run(data: dict[str, Any], **analysis: Any) -> None:
    spec = read_spec({**data, "analysis": {"type": "dynamic", "end": 0.01, "step": 0.005, **analysis}})
    system = build_system(spec)
    link(system.ints)
    solve = natural_solver(spec) if spec.coordinates.default == "natural" else simulate
    solve(system, spec.analysis, sink=Nowhere())


def reduce_meshes() -> None:
    """Everything that is compiled for meshes, on a few cells."""
    from flexmb.bodies.reduce_mesh import reduce_mesh
    from flexmb.elements.material import MATERIALS
    from flexmb.mesh.checks import reject_bad
    from flexmb.reduction.request import ReductionRequest, TieRequest
    from flexmb.verification.solid_meshes import box_mesh

    ends = (TieRequest("a", "xmin"), TieRequest("b", "xmax", "rbe3"))
    for kind in ("hex8", "tet10"):
        mesh = box_mesh(kind, (3, 1, 1), (3.0, 1.0, 1.0), distort=0.1)
        reject_bad(mesh)
        reduce_mesh(mesh, MATERIALS["steel"], ReductionRequest(interfaces=ends, modes=2, stress=True))


def main() -> None:
    every_field = sum(FIELD_PROGRAMS)
    for method in ("generalized-alpha", "rk45"):
        compile_for(method, every_field)  # two processes share the work
    compile_ahead(list(elastic_balance_kernels.PROGRAMS.values()))
    meshes = Process(target=reduce_meshes)
    meshes.start()
    for method in ("generalized-alpha", "hht", "shi-mcphee"):
        run(SLIDER_CRANK, method=method)
    run(SLIDER_CRANK, method="generalized-alpha", tolerance=1e-4)
    for method in ("rk4", "rk45"):
        run(PENDULUM, method=method)
        run(SLIDER_CRANK, method=method, formulation="embedding")
    driven = {**PENDULUM, "motions": {"drive": {"joint": "pivot", "rate": 1.0}}}
    run(driven, type="kinematic")
    natural = {**SLIDER_CRANK, "coordinates": {"default": "natural"}}
    for method in ("generalized-alpha", "rk4"):
        run(natural, method=method)
    meshes.join()


if __name__ == "__main__":
    main()
