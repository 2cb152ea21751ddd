"""flexmb's inverse dynamics of the main example: two turns at given speed, every drive effort and joint reaction.

python benchmarks/ours_inverse.py      prints the CPU time of every method
"""

from __future__ import annotations

import tomllib
from typing import Any

from ours import build
from ours_flexible import AllRows
from problems_flexible import FLEXIBLE_SLIDER_CRANK, FlexibleSliderCrank
from timing import cpu_seconds

from flexmb.model.schema import read_spec
from flexmb.solvers.quasi_static_motion import analyse_quasi_static
from flexmb.solvers.run import simulate
from flexmb.solvers.settings import solver_settings

DYNAMIC, QUASI_STATIC, RIGID = "rod integrated", "rod quasi-static", "rigid rod"
METHODS = (DYNAMIC, QUASI_STATIC, RIGID)
ROD_MASS = 7870.0 * 2.826e-5 * 0.3
"""[kg]: density, area and length of the example's rod."""


def model(method: str, problem: FlexibleSliderCrank, instants: int, scale: float) -> dict[str, Any]:
    """The example, turning at `scale` times its speed; the step, if any, is the distance of the rows."""
    data = tomllib.loads(problem.model_file.read_text())
    data["parameters"]["speed"] = problem.rate * scale
    data["analysis"] = {"type": "dynamic", "end": problem.end, "step": problem.end / instants}
    del data["output"]
    if method == RIGID:
        data["analysis"]["type"] = "kinematic"
        data["bodies"]["rod"] = {"mass": ROD_MASS, "rod": ["A", "B"]}
        data["sensors"] = {name: entry for name, entry in data["sensors"].items() if "deflection" not in entry}
    return data


def sweep(method: str, problem: FlexibleSliderCrank, instants: int, scale: float) -> tuple[float, AllRows]:
    """CPU seconds of the sweep, without building the system, and its rows, which stay in memory."""
    spec = read_spec(model(method, problem, instants, scale))
    assert spec.analysis is not None
    system, settings = build(spec), solver_settings(spec.analysis)
    rows = AllRows(system)
    if method == QUASI_STATIC:
        return cpu_seconds(lambda: analyse_quasi_static(system, settings, sink=rows)), rows
    return cpu_seconds(lambda: simulate(system, settings, sink=rows)), rows


def main() -> None:
    for method in METHODS:
        seconds = min(sweep(method, FLEXIBLE_SLIDER_CRANK, 2000, 1 + 1e-9 * repeat)[0] for repeat in range(4))
        print(f"{method:20} {seconds * 1e3:7.1f} ms")


if __name__ == "__main__":
    main()
