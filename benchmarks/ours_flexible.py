"""flexmb on the flexible problems: the example's model file, and the chain as data.

python benchmarks/ours_flexible.py      prints cost and error of every model of the slider-crank and of the chain
"""

from __future__ import annotations

import tomllib
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from ours import RHO, LastRow, build
from problems_flexible import FLEXIBLE_CHAIN, FLEXIBLE_SLIDER_CRANK, GRAVITY, FlexibleChain, FlexibleSliderCrank
from timing import cpu_seconds, loop_seconds, step_costs

from flexmb.arrays import Floats
from flexmb.model.schema import read_spec
from flexmb.solvers.run import simulate
from flexmb.system.system import System

EXAMPLE = "3 sines a plane"
SECOND_ORDER = "order 2, tangent at B, 3 monomials a plane"

TANGENT = {"frame": "end", "shapes": {"family": "monomials", "bending": 3}, "field": "quadratic", "order": 2}
ORDER_2 = {"field": "quadratic", "order": 2}
IMPLICIT, EXPLICIT = {"method": "generalized-alpha", "rho": RHO}, {"method": "rk4"}


class Way(NamedTuple):
    """What a model changes in the rod of the example, its method, and whether it runs with generated code."""

    rod: dict[str, Any]
    method: dict[str, Any]
    turbo: bool = False


SLIDER_CRANKS = {
    EXAMPLE: Way({}, IMPLICIT),
    SECOND_ORDER: Way(TANGENT, IMPLICIT),
    "2 sines a plane": Way({"shapes": {"family": "modes", "bending": 2}}, IMPLICIT),
    f"{EXAMPLE}, rk4": Way({}, EXPLICIT),
    f"{EXAMPLE}, order 2, turbo": Way(ORDER_2, IMPLICIT, turbo=True),
    f"{EXAMPLE}, order 2, turbo, rk4": Way(ORDER_2, EXPLICIT, turbo=True),
}
STEPPED = (EXAMPLE, SECOND_ORDER)
"""The models that are compared at equal steps"""
CURVES = tuple(name for name in SLIDER_CRANKS if name != SECOND_ORDER)
"""The models of the work-precision diagram"""


class AllRows(LastRow):
    """A sink that keeps every row of the output."""

    def __init__(self, system: System) -> None:
        super().__init__(system)
        self.blocks: list[Floats] = []

    def write(self, block: Any, checkpoint: Any) -> None:
        self.blocks.append(block.copy())

    def column(self, path: str) -> Floats:
        """One number of every row."""
        return np.concatenate(self.blocks)[:, self.channels[path].start]


def slider_crank(model: str, problem: FlexibleSliderCrank, step: float, steps: int, scale: float) -> dict[str, Any]:
    """The example, turning at `scale` times its speed, with the analysis asked for."""
    way = SLIDER_CRANKS[model]
    data = tomllib.loads(problem.model_file.read_text())
    data["parameters"]["speed"] = problem.rate * scale
    data["bodies"]["rod"] |= way.rod
    data["analysis"] = {"type": "dynamic", "end": step * steps, "step": step, **way.method}
    del data["output"]
    return data


@cache
def turbo_system(model: str, problem: FlexibleSliderCrank) -> System:
    """The system with generated code; made once, as the code holds the numbers of the model."""
    from ours_turbo import with_turbo

    return with_turbo(slider_crank(model, problem, problem.end / 1000, 1000, 1.0))


def ready(model: str, problem: FlexibleSliderCrank, step: float, steps: int, scale: float) -> tuple[System, Any]:
    """A system and its analysis. Generated code has the speed in it: its runs are perturbed by their step instead."""
    if SLIDER_CRANKS[model].turbo:
        spec = read_spec(slider_crank(model, problem, step * scale, steps, 1.0))
        return turbo_system(model, problem), spec.analysis
    spec = read_spec(slider_crank(model, problem, step, steps, scale))
    return build(spec), spec.analysis


def run_slider_crank(model: str, problem: FlexibleSliderCrank, step: float, steps: int, scale: float) -> float:
    """CPU seconds of `steps` steps, without building the system; output only at the ends."""
    system, analysis = ready(model, problem, step, steps, scale)
    return cpu_seconds(lambda: simulate(system, analysis, sink=LastRow(system), every=analysis.end))


def slider_crank_error(model: str, problem: FlexibleSliderCrank, steps: int) -> float:
    """Largest error of the deflection [m] over two turns in `steps` steps, a row at least every end/1000; not timed."""
    step = problem.end / steps
    system, analysis = ready(model, problem, step, steps, 1.0)
    rows = AllRows(system)
    simulate(system, analysis, sink=rows, every=min(step, problem.end / 1000))
    return problem.largest_error(*(rows.column(path) for path in ("time", "sensors/rod_mid_y", "sensors/rod_mid_z")))


def chain(problem: FlexibleChain, shift: float) -> dict[str, Any]:
    """The hanging tubes, every joint in the tree; each bends along its own z axis over its chord."""
    angles, rates = problem.start(shift)
    bodies: dict[str, Any] = {}
    joints: dict[str, Any] = {}
    previous = "ground"
    for link in range(problem.n):
        A, B = [link * problem.length, 0.0, 0.0], [(link + 1) * problem.length, 0.0, 0.0]
        bodies[f"link{link}"] = {
            "beam": [A, B], "y_axis": "y", "frame": "chord", "field": "exact", "rotary_inertia": False,
            "material": {"E": problem.E, "nu": 0.3, "density": problem.density},
            "section": {"type": "tube", "outer": problem.outer, "inner": problem.inner},
            "shapes": {"family": "modes", "bending": {"y": 0, "z": problem.modes}, "supports": "pinned-pinned"},
        }  # fmt: skip
        joints[f"joint{link}"] = {
            "type": "revolute", "bodies": [previous, f"link{link}"], "at": A, "axis": "y",
            "position": float(angles[link]), "velocity": float(rates[link]),
        }  # fmt: skip
        previous = f"link{link}"
    bodies[previous]["markers"] = {"tip": {"along": 1.0}}
    tip = {f"tip_{axis}": {"marker": f"{previous}.tip", "component": axis} for axis in "xyz"}
    model = {"name": "chain of tubes", "gravity": [0, 0, -GRAVITY]}
    return {"model": model, "bodies": bodies, "joints": joints, "sensors": tip}


def run_chain(problem: FlexibleChain, step: float, steps: int, shift: float) -> tuple[float, Floats]:
    """CPU seconds of the run and the position of the free end after it [m]."""
    analysis = {"type": "dynamic", "end": step * steps, "step": step, **IMPLICIT}
    spec = read_spec({**chain(problem, shift), "analysis": analysis})
    assert spec.analysis is not None
    system, wanted = build(spec), spec.analysis
    last = LastRow(system)
    seconds = cpu_seconds(lambda: simulate(system, wanted, sink=last, every=step * steps))
    return seconds, np.array([last[f"sensors/tip_{axis}"][0] for axis in "xyz"])


def main() -> None:
    problem, steps = FLEXIBLE_SLIDER_CRANK, 1000
    for model in SLIDER_CRANKS:
        whole = loop_seconds({model: partial(_perturbed, model, problem.end / steps)}, {model: steps}, 3)[model]
        error = slider_crank_error(model, problem, steps)
        print(f"{model:50} {whole / steps * 1e6:7.2f} us a step   error {error:.2e} m")
    links = FLEXIBLE_CHAIN
    count = round(links.end / links.step)
    cost = step_costs({"chain": lambda steps, k: run_chain(links, links.step, steps, 1e-9 * k)[0]}, count, 3)["chain"]
    error = links.tip_error(run_chain(links, links.step, count, 0.0)[1])
    print(f"{'chain of flexible links':50} {cost * 1e6:7.2f} us a step   error {error:.2e} m")


def _perturbed(model: str, step: float, steps: int, repeat: int) -> float:
    return run_slider_crank(model, FLEXIBLE_SLIDER_CRANK, step, steps, 1 + 1e-9 * repeat)


if __name__ == "__main__":
    main()
