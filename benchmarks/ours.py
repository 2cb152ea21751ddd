"""flexmb on the same problems: models as data, `simulate`, and the compiled programs by their address."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from problems import GRAVITY, Chain, SliderCrank
from timing import cpu_seconds

from flexmb.equations.programs import link as link_programs
from flexmb.equations.programs import link_open_tree
from flexmb.layout import flat_arrays as L
from flexmb.machine_code.jit import call
from flexmb.model.schema import read_spec
from flexmb.solvers.run import simulate
from flexmb.system.build import build_system
from flexmb.system.system import System

RHO = 0.8


class LastRow:
    """A sink that keeps the last row of the output."""

    def __init__(self, system: System) -> None:
        self.channels = {channel.path: channel for channel in system.channels}
        self.row = np.zeros(0)

    def write(self, block: Any, checkpoint: Any) -> None:
        if len(block):
            self.row = block[-1].copy()

    def __getitem__(self, path: str) -> Any:
        channel = self.channels[path]
        return self.row[channel.start : channel.start + int(np.prod(channel.shape, dtype=int))]


def build(spec: Any) -> System:
    """A system ready to run: flat arrays with the addresses of the compiled programs."""
    system = build_system(spec)
    link_programs(system.ints)
    return system


def run(data: dict[str, Any], step: float, steps: int, **analysis: Any) -> tuple[float, LastRow]:
    """CPU seconds of the run alone (not of building the system) and its last output row; output only at the ends."""
    end = step * steps
    method = analysis or {"method": "generalized-alpha", "rho": RHO}
    chosen = {"type": "dynamic", "end": end, "step": step, **method}
    spec = read_spec({**data, "analysis": chosen})
    assert spec.analysis is not None
    system, wanted = build(spec), spec.analysis
    last = LastRow(system)
    return cpu_seconds(lambda: simulate(system, wanted, sink=last, every=end)), last


def slider_crank(problem: SliderCrank, scale: float) -> dict[str, Any]:
    """Slider, universal joint, rod and crank in the tree, the spherical joint at B as chord: 4 coordinates, 3 rows."""
    R_rod, rates = problem.rod_axes(), problem.rates(scale)
    A, B, C = problem.A.tolist(), problem.B.tolist(), problem.C.tolist()
    length = float(np.linalg.norm(problem.C - problem.B))
    crank, rod, slider = problem.masses
    return {
        "model": {"name": "spatial slider-crank", "gravity": [0, 0, -GRAVITY]},
        "bodies": {
            "crank": {"mass": crank, "inertia": list(problem.J_crank), "at": A},
            "rod": {
                "mass": rod, "inertia": list(problem.J_rod), "at": C, "orientation": R_rod.tolist(),
                "center": [-length / 2, 0, 0],
            },
            "slider": {"mass": slider, "inertia": list(problem.J_slider), "at": C},
        },
        "joints": {
            "bearing": {
                "type": "revolute", "bodies": ["ground", "crank"], "at": A, "axis": "x", "velocity": rates["crank"],
            },
            "guide": {
                "type": "prismatic", "bodies": ["ground", "slider"], "at": C, "axis": "x", "velocity": rates["slider"],
            },
            "small_end": {
                "type": "universal", "bodies": ["slider", "rod"], "at": C, "axes": ["x", R_rod[:, 1].tolist()],
                "velocity": [rates["cross_x"], rates["cross_pin"]], "tree": True,
            },
            "big_end": {"type": "spherical", "bodies": ["crank", "rod"], "at": B, "tree": False},
        },
    }  # fmt: skip


def run_slider_crank(problem: SliderCrank, step: float, steps: int, scale: float) -> tuple[float, float]:
    """CPU seconds of the run and the slider position at its end."""
    seconds, last = run(slider_crank(problem, scale), step, steps)
    return seconds, float(last["bodies/slider/position"][0])


def chain(problem: Chain, shift: float) -> dict[str, Any]:
    """The open chain, every joint in the tree."""
    q0, v0 = problem.start(shift)
    bodies, joints, previous = {}, {}, "ground"
    for link in range(problem.n):
        origin = [link * problem.length, 0.0, 0.0]
        bodies[f"link{link}"] = {
            "mass": problem.mass, "inertia": list(problem.J), "at": origin, "center": [problem.length / 2, 0, 0],
        }  # fmt: skip
        joints[f"joint{link}"] = {
            "type": "revolute", "bodies": [previous, f"link{link}"], "at": origin, "axis": problem.axis(link),
            "position": float(q0[link]), "velocity": float(v0[link]),
        }  # fmt: skip
        previous = f"link{link}"
    return {"model": {"name": "chain", "gravity": [0, 0, -GRAVITY]}, "bodies": bodies, "joints": joints}


def run_chain(problem: Chain, step: float, steps: int, shift: float, **analysis: Any) -> tuple[float, Any]:
    """CPU seconds of the run and the joint angles at its end."""
    seconds, last = run(chain(problem, shift), step, steps, **analysis)
    return seconds, np.array([last[f"joints/joint{link}/position"][0] for link in range(problem.n)])


@numba.njit
def _call_often(address: int, ints: Any, floats: Any, work: Any, calls: int, touched: int) -> None:
    """Run one program `calls` times; the entry `touched` of the workspace changes every time."""
    for _ in range(calls):
        work[touched] += 1e-9
        call(address, ints, floats, work, 0)


PROGRAMS = {"inverse": L.AT_RESIDUAL, "forward": L.AT_ACCELERATION}


class ChainPrograms:
    """The inverse and forward dynamics programs of a chain at its start."""

    def __init__(self, problem: Chain) -> None:
        self.system = build(read_spec(chain(problem, 0.0)))
        link_open_tree(self.system.ints)
        self.work = self.system.workspace()

    def call_seconds(self, algorithm: str, calls: int, repeat: int) -> float:
        """CPU seconds of one call, called from compiled code; the state drifts on from repeat to repeat."""
        ints, floats, work = self.system.ints, self.system.floats, self.work
        _call_often(ints[PROGRAMS[algorithm]], ints, floats, work, 1, ints[L.Q])
        loop = cpu_seconds(lambda: _call_often(ints[PROGRAMS[algorithm]], ints, floats, work, calls, ints[L.Q]))
        return loop / calls

    def evaluate(self, q: Any, v: Any, last: Any) -> tuple[Any, Any]:
        """Residual for the accelerations `last` (the efforts they need), and accelerations without effort."""
        ints, floats, work = self.system.ints, self.system.floats, self.work
        n = len(v)
        for offset, values in ((L.Q, q), (L.V, v), (L.A, last)):
            work[ints[offset] : ints[offset] + n] = values
        call(ints[L.AT_RESIDUAL], ints, floats, work, 0)
        efforts = work[ints[L.RES] : ints[L.RES] + n].copy()
        call(ints[L.AT_ACCELERATION], ints, floats, work, 0)
        return efforts, work[ints[L.A] : ints[L.A] + n].copy()
