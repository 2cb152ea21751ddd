"""Motion of a machine: consistent rates, integration, and what is compared with flexmb at every output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.integrate import DOP853

from tests.campaigns.oracle.machine import RANK, Machine, Solution

Array = Any


class Unsuitable(Exception):
    """A model that is no fair test: near a singular position, without a motion, or too sensitive."""


@dataclass(frozen=True)
class Sample:
    """The state at an output time."""

    t: float
    x: Array
    y: Array
    solution: Solution
    energies: tuple[float, float]


def project(machine: Machine, t: float, x: Array, y: Array) -> tuple[Array, Array]:
    """The nearest positions and rates that satisfy all rows."""
    x = machine.moved(x, np.zeros(machine.n))
    for _ in range(5):
        at = machine.kinematics(x, y)
        gap = machine.residual(at, t)
        if np.abs(gap).max(initial=0.0) < 1e-15:
            break
        G = machine.jacobian(at)[: machine.n_positions]
        x = machine.moved(x, -np.linalg.pinv(G, rcond=RANK) @ gap)
    G = machine.jacobian(machine.kinematics(x, y))
    if len(G):
        y = y - np.linalg.pinv(G, rcond=RANK) @ (G @ y - machine.rows.drives(t, 1))
    return x, y


def start_rates(machine: Machine, wish: Array) -> Array:
    """Rates of the design position nearest to a wish, elastic rates zero. Raises Unsuitable."""
    G = machine.jacobian(machine.kinematics(machine.start(), np.zeros(machine.n)))
    rigid, rates = G[:, : 6 * machine.n_bodies], machine.rows.drives(0.0, 1)
    wish = wish[: 6 * machine.n_bodies]
    y = wish - np.linalg.pinv(rigid, rcond=RANK) @ (rigid @ wish - rates) if len(G) else wish
    if len(G) and np.abs(rigid @ y - rates).max() > 1e-12:
        raise Unsuitable("no consistent rates")
    return np.concatenate([y, np.zeros(machine.n_elastic)])


def integrate(machine: Machine, y: Array, times: Array, tolerance: float = 1e-12, most: int = 4000) -> list[Sample]:
    """Samples at the output times, the first of which is the start. Raises Unsuitable."""
    x, size = machine.start(), len(machine.start())

    def slope(t: float, state: Array) -> Array:
        if not np.abs(state).max() < 1e3:  # also when it is not a number
            raise Unsuitable("the oracle diverges")
        solution = machine.solve(t, state[:size], state[size:])
        return np.concatenate([machine.rate(state[:size], state[size:]), solution.y_dot])

    samples, step, evaluations = [], None, 0
    for k, t in enumerate(times):
        if k:
            solver = DOP853(slope, times[k - 1], np.concatenate([x, y]), t, rtol=tolerance, atol=tolerance)
            solver.h_abs = min(step or solver.h_abs, t - times[k - 1])
            while solver.status == "running":
                message = solver.step()
                if solver.status == "failed" or solver.nfev + evaluations > most:
                    raise Unsuitable(f"oracle stops at {solver.t:.4f} s: {message or 'too many steps'}")
                step = solver.h_abs
            evaluations += solver.nfev
            x, y = project(machine, t, solver.y[:size], solver.y[size:])
        solution = machine.solve(t, x, y)
        samples.append(Sample(float(t), x, y, solution, machine.energies(t, x, y)))
    return samples


def reactions(machine: Machine, sample: Sample, length: float) -> tuple[Array, Array]:
    """Wrenches of all joints on their second bodies at their markers, then efforts of the motions; and those that the
    model does not determine, as an orthonormal basis.

    Force and moment/length in world axes, six numbers a joint. The force of the multipliers on the system is -G^T lam.
    """
    joints = {joint.name: k for k, joint in enumerate(machine.description.joints)}
    motions = {name: k for k, (name, *_) in enumerate(machine.description.motions)}
    at = sample.solution.kinematics
    table = np.zeros((6 * len(joints) + len(motions), len(machine.rows.rows)))
    forces, moments = machine.rows.wrenches(at.pm, at.Rm)
    for k, row in enumerate(machine.rows.rows):
        if row.motion:
            table[6 * len(joints) + motions[row.motion], k] = 1.0 if row.kind == "slide" else 1.0 / length
            continue
        first = 6 * joints[row.joint.name]
        table[first : first + 3, k], table[first + 3 : first + 6, k] = forces[k], moments[k] / length
    free = table @ sample.solution.null
    U, S, _ = np.linalg.svd(free, full_matrices=False)
    return -table @ sample.solution.lam, U[:, S > 1e-9]
