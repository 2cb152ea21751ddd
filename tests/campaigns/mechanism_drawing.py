"""Seeded draws of mechanisms that are a fair test, with the motion that the oracle finds for them.

Fair: at least one degree of freedom or motion, a constant rank of the constraint rows well above round-off, angles
within half a turn, beams that bend moderately, and a motion that does not amplify a perturbation much: an error of the
integration would grow with it, on either side, and would say nothing about the equations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.campaigns.mechanism_families import FAMILIES
from tests.campaigns.mechanism_sketch import Sketch
from tests.campaigns.oracle.description import describe
from tests.campaigns.oracle.machine import Machine
from tests.campaigns.oracle.motion import Sample, Unsuitable, integrate, start_rates

Array = Any
OUTPUTS = 6
WORST_CONDITIONING = 3e-3
"""Smallest non-zero singular value of G over the largest."""
LARGEST_GROWTH = 30.0
"""Growth of a perturbation of the start over the run. Integration errors of 1e-10 then stay below 1e-8 of the size."""
LARGEST_SLOPE = 0.12
"""flexmb integrates the foreshortening sqrt(1 - v'^2) at as many Gauss points as its quadratic part needs: at a slope
of 0.27 this leaves 2e-5 of the peak in reactions, and the error falls with its sixth power. (With the same points the
oracle agrees to 1e-10 there.)"""
MOST_EVALUATIONS = 1500
"""Of the oracle's equations in a rough run: faster motions would take too long."""


@dataclass(frozen=True)
class Draw:
    """A model, and the motion that the oracle finds."""

    seed: int
    family: str
    tables: dict[str, Any]
    machine: Machine
    samples: list[Sample]


def draw(seed: int, families: tuple[str, ...] = tuple(FAMILIES), most: int = 60) -> Draw:
    """The first fair mechanism of a seed."""
    for attempt in range(most):
        rng = np.random.default_rng([seed, attempt])
        shares = np.array([FAMILIES[name][0] for name in families])
        # the family belongs to the seed, so that a difficult one is not replaced by an easy one
        family = str(np.random.default_rng(seed).choice(families, p=shares / shares.sum()))
        try:
            return _draw(seed, family, rng)
        except (Unsuitable, np.linalg.LinAlgError):
            continue
    raise Unsuitable(f"seed {seed}: no fair mechanism in {most} draws")


def _draw(seed: int, family: str, rng: np.random.Generator) -> Draw:
    sketch = Sketch(rng, f"{family} {seed}")
    FAMILIES[family][1](sketch)
    sketch.load(int(rng.integers(0, 4)))
    tables = sketch.tables()
    beams = family.startswith("beam")
    end = float(rng.uniform(0.06, 0.12) if beams else rng.uniform(0.2, 0.4))
    machine = Machine(describe(tables))
    start = machine.solve(0.0, machine.start(), np.zeros(machine.n))
    if machine.n - machine.n_elastic == start.rank and not machine.description.motions:
        raise Unsuitable("nothing moves")
    if start.conditioning < WORST_CONDITIONING:
        raise Unsuitable("near a singular position")
    speed = 0.5 if beams else 1.5
    y = start_rates(machine, speed * rng.normal(size=machine.n))
    times = np.linspace(0.0, end, OUTPUTS + 1)
    rough = check_fair(machine, y, times, rng)
    samples = integrate(machine, y, times, 1e-10 if beams else 1e-11)
    if max(np.abs(a.x - b.x).max() for a, b in zip(samples, rough, strict=True)) > 1e-3:
        raise Unsuitable("the oracle disagrees with itself")
    write_start(tables, machine, y)
    tables["sensors"] = {
        f"{body}_{marker}": {"marker": f"{body}.{marker}"}
        for body, table in tables["bodies"].items()
        if "beam" in table
        for marker in table["markers"]
    }
    tables["output"] = {"every": end / OUTPUTS}
    tables["analysis"] = {"end": end, "method": "rk45", "tolerance": 1e-11}
    tables["coordinates"] = {"default": str(rng.choice(["joint", "joint", "absolute"]))}
    if not tables["sensors"]:
        del tables["sensors"]
    return Draw(seed, family, tables, machine, samples)


def check_fair(machine: Machine, y: Array, times: Array, rng: np.random.Generator) -> list[Sample]:
    """A rough motion, after checks of rank, angles, slopes and sensitivity. Raises Unsuitable."""
    rough = integrate(machine, y, times, 1e-6, most=MOST_EVALUATIONS)
    if len({sample.solution.rank for sample in rough}) > 1:
        raise Unsuitable("the rank changes")
    if min(sample.solution.conditioning for sample in rough) < WORST_CONDITIONING:
        raise Unsuitable("passes near a singular position")
    for sample in rough:
        at = sample.solution.kinematics
        angles = machine.loads.positions(at) + list(machine.rows.values(at.pm, at.Rm))
        if max(map(abs, angles), default=0.0) > 2.8:
            raise Unsuitable("turns too far")
        if max((machine.steepest(at)), default=0.0) > LARGEST_SLOPE:
            raise Unsuitable("bends too far")
        if np.abs(at.pm).max() > 20.0 or np.abs(sample.y[: 6 * machine.n_bodies]).max() > 30.0:
            raise Unsuitable("moves too fast")
    size = 1e-3
    other = start_rates(machine, y + size * rng.normal(size=machine.n))
    first = float(np.abs(other - y).max())
    if first > 1e-2 * size:
        moved = integrate(machine, other, times, 1e-6, most=MOST_EVALUATIONS)
        apart = [np.abs(a.y - b.y)[: 6 * machine.n_bodies].max() for a, b in zip(moved, rough, strict=True)]
        if max(apart) > LARGEST_GROWTH * first:
            raise Unsuitable("too sensitive")
    return rough


def write_start(tables: dict[str, Any], machine: Machine, y: Array) -> None:
    """Write rates of the design position into the joints."""
    at = machine.kinematics(machine.start(), y)
    for joint in machine.description.joints:
        a, b = joint.a, joint.b
        R, d = at.Rm[a], at.pm[b] - at.pm[a]
        v = R.T @ (at.vm[b] - at.vm[a] - np.cross(at.wm[a], d))
        w = R.T @ (at.wm[b] - at.wm[a])
        ball = (at.Rm[b].T @ (at.wm[b] - at.wm[a])).tolist()
        rates: dict[str, list[float]] = {
            "revolute": [w[2]],
            "prismatic": [v[2]],
            "cylindrical": [v[2], w[2]],
            "screw": [w[2]],
            "universal": [w[0], w[1]],
            "spherical": ball,
            "planar": [v[0], v[1], w[2]],
            "free": [*v, *ball],
            "pin-in-slot": [v[0], w[2]],
            "point-on-line": [v[2], *ball],
        }
        if joint.type == "distance":
            rates["distance"] = [*_swing(R.T @ d, v), *ball]
        if joint.type in rates:
            tables["joints"][joint.name]["velocity"] = [float(rate) for rate in rates[joint.type]]


def _swing(d: Array, v: Array) -> list[float]:
    """Rates of a rod about y and z of the frame that the shortest turn takes from x to the rod."""
    length = float(np.linalg.norm(d))
    e = d / length
    y = np.array([-e[1], 1.0 - e[1] ** 2 / (1.0 + e[0]), -e[1] * e[2] / (1.0 + e[0])])
    z = np.cross(e, y)
    return [-float(v @ z) / length, float(v @ y) / length]
