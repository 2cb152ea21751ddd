"""pinocchio (C++) on the chain: inverse dynamics (`rnea`) and forward dynamics (`aba`).

Its functions are called from Python. What the call itself costs (conversion of arguments and result) is estimated on
short chains, where the C++ work is small, and subtracted: it is the intercept at n = 0 of the line through the times
for 2, 4, 8 and 16 links. Chains beyond a few hundred links are not asked for: the `Data` of pinocchio holds arrays of
n^3 numbers (tens of GB at 1000 links).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pinocchio as pin
from problems import GRAVITY, Chain
from timing import best_alternating, cpu_seconds


def forward(model: Any, data: Any, q: Any, v: Any, effort: Any) -> Any:
    """The articulated-body algorithm in world axes where the version has both: a tenth faster than in local ones."""
    return pin.aba(model, data, q, v, effort, *WORLD)


WORLD = (pin.Convention.WORLD,) if hasattr(pin, "Convention") else ()
ALGORITHMS: dict[str, Callable[..., Any]] = {"inverse": pin.rnea, "forward": forward}


def build(problem: Chain) -> tuple[Any, Any]:
    """The chain as pinocchio's model and data."""
    model = pin.Model()
    model.gravity.linear = np.array([0.0, 0.0, -GRAVITY])
    inertia = pin.Inertia(problem.mass, np.array([problem.length / 2, 0.0, 0.0]), np.diag(problem.J))
    parent = 0
    for link in range(problem.n):
        joint = pin.JointModelRZ() if problem.axis(link) == "z" else pin.JointModelRY()
        placement = pin.SE3(np.eye(3), np.array([problem.length if link else 0.0, 0.0, 0.0]))
        parent = model.addJoint(parent, joint, placement, f"joint{link}")
        model.appendBodyToJoint(parent, inertia, pin.SE3.Identity())
    return model, model.createData()


def call_seconds(algorithm: str, problem: Chain, calls: int, repeat: int) -> float:
    """CPU seconds of one call from Python, by a loop of `calls` in which an input changes every time."""
    model, data = build(problem)
    function = ALGORITHMS[algorithm]
    q, v = problem.start(1e-9 * repeat)
    last = np.linspace(-1.0, 1.0, problem.n)

    def loop() -> None:
        for _ in range(calls):
            q[0] += 1e-9
            function(model, data, q, v, last)

    def empty() -> None:
        for _ in range(calls):
            q[0] += 1e-9

    function(model, data, q, v, last)
    return (cpu_seconds(loop) - cpu_seconds(empty)) / calls


def call_overhead(algorithm: str, repeats: int = 20) -> float:
    """Cost of crossing from Python to C++ and back [s]."""
    lengths = (2, 4, 8, 16)
    tasks = {n: partial(call_seconds, algorithm, Chain(n), 500) for n in lengths}
    best = best_alternating(tasks, repeats)
    return max(float(np.polyfit(lengths, [best[n] for n in lengths], 1)[1]), 0.0)


def evaluate(problem: Chain, q: Any, v: Any, last: Any) -> tuple[Any, Any]:
    """rnea(q, v, a=last) and aba(q, v, tau=last)."""
    model, data = build(problem)
    return pin.rnea(model, data, q, v, last).copy(), pin.aba(model, data, q, v, last).copy()


def tip_reference(problem: Chain) -> Any:
    """Free end at `problem.end`, with the error of time integration driven to round-off."""
    from scipy.integrate import solve_ivp

    model, data = build(problem)
    n, no_torque = problem.n, np.zeros(problem.n)

    def rates(_: float, y: Any) -> Any:
        return np.concatenate([y[n:], pin.aba(model, data, y[:n], y[n:], no_torque)])

    tight = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-13}
    end = solve_ivp(rates, (0.0, problem.end), np.concatenate(problem.start()), **tight).y[:n, -1]
    return problem.tip(end)
