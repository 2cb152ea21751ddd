"""Published motions in natural coordinates that are hard on the constraints: through a dead point, and a fast top."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from flexmb.errors import ComputationError
from flexmb.natural.body import BodyPoint, BodyVector, NaturalBody
from flexmb.natural.forces import Gravity
from flexmb.natural.integration import integrate
from flexmb.natural.system import NaturalMechanism, NaturalSystem
from flexmb.verification import DATA


def falling(bodies: list[NaturalBody], mechanism: NaturalMechanism, gravity: Any) -> NaturalSystem:
    return NaturalSystem(mechanism, forces=lambda layout: [Gravity(bodies, layout, gravity)])


def published(identity: str) -> dict[str, Any]:
    cases = json.loads((DATA / "published_cases.json").read_text())
    return next(case for case in cases if case["id"] == identity)


def double_four_bar() -> tuple[NaturalSystem, np.ndarray]:
    def link(name: str, first: int, second: int) -> NaturalBody:
        return NaturalBody(name, 1.0, (0.5, 0), 1 / 12, (BodyPoint(first, (0, 0)), BodyPoint(second, (1, 0))))

    bodies = [*(link(f"upright {k}", k, 3 + k) for k in range(3)), link("first", 3, 4), link("second", 4, 5)]
    points = np.array([(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)], dtype=float)
    system = falling(bodies, NaturalMechanism(bodies, points, np.zeros((0, 2)), fixed_points=[0, 1, 2]), (0, -9.81))
    return system, np.concatenate((np.zeros(6), np.tile((1.0, 0.0), 3)))


@pytest.mark.parametrize("method", ["generalized-alpha", "runge-kutta", "canonical"])
def test_double_four_bar_through_a_dead_point(method: str) -> None:
    """IFToMM A02: at 0.716 s all links are in line and the rows depend on each other; no road changes the branch."""
    expected = published("A02-double-fourbar")["expected"]["B0(1)"]
    system, velocities = double_four_bar()
    motion = integrate(system, 1.0, 2e-3, velocities, method=method, every=100)
    # order 2 at 6 rad/s: (6 * 0.002)^2 / 12 = 1e-5 a radian, over 4.9 rad; order 4: 1e-9 a radian
    assert np.max(np.abs(motion.x[-1, 6:8] - expected)) < (2e-4 if method == "generalized-alpha" else 1e-8)
    assert np.ptp(motion.energy) < (1e-2 if method == "generalized-alpha" else 1e-6)


def test_independent_coordinates_refuse_a_dead_point() -> None:
    system, velocities = double_four_bar()
    with pytest.raises(ComputationError, match="0.7.* dead point"):
        integrate(system, 1.0, 5e-3, velocities, method="independent")


@pytest.mark.parametrize("method", ["runge-kutta", "independent", "canonical"])
def test_heavy_top(method: str) -> None:
    """A07: a fast top on a fixed point, its centre at 0.2 s to the tolerance of the source, and the first reaction."""
    case = published("A07-heavy-top")
    given, expected = case["parameters"], case["expected"]
    points, vectors = np.array([(0, 0, 0), given["com0"]], dtype=float), np.array([(1.0, 0, 0), (0, 0, 1.0)])
    units = tuple(BodyVector(k, vectors[k]) for k in range(2))
    ends = (BodyPoint(0, points[0]), BodyPoint(1, points[1]))
    top = NaturalBody("top", given["m"], given["com0"], np.diag(given["J_com"]), ends, units)
    system = falling([top], NaturalMechanism([top], points, vectors, fixed_points=[0]), (0, 0, -given["g"]))
    omega = np.array(given["omega0"])
    velocities = np.concatenate((np.cross(omega, points).ravel(), np.cross(omega, vectors).ravel()))
    motion = integrate(system, 0.2, 2.5e-4, velocities, method=method, every=800)
    first = motion.state(0)
    force = system.reactions(first.x, first.v, first.a, first.multipliers, 0.0)[:3]
    np.testing.assert_allclose(motion.x[-1, 3:6], expected["com(0.2)"], atol=1e-5)
    np.testing.assert_allclose(motion.energy, expected["E"], rtol=1e-7)
    np.testing.assert_allclose(force, expected["reaction_on_body(0)"], atol=1e-6)
