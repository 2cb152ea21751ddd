"""More about the published rigid cases than `flexmb verify` says: steps, orders, other roads to the same numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from flexmb.equations import programs
from flexmb.layout import flat_arrays as layout
from flexmb.verification.rigid_mechanisms import fourbar_findings
from flexmb.verification.running import Record, expected, model_of, run
from tests.support.flat import Flat

__all__ = ["Record", "close"]
Array = NDArray[np.float64]


def flat(case: str, **parameters: str) -> Flat:
    """The compiled equations of a case."""
    return Flat(model_of(case, parameters).spec)


def close(found: Any, want: Any, *, rtol: float = 0.0, atol: float = 0.0) -> None:
    np.testing.assert_allclose(found, want, rtol=rtol, atol=atol)


@pytest.mark.parametrize("step", [5e-4, 3e-4])
def test_a02_double_fourbar_passes_its_singular_positions(step: float) -> None:
    # A crossing does its harm by how close to it a step lands: there the rank vanishes, and whatever the Newton
    # iteration leaves open is blown up.
    fourbar = run("A02_double_fourbar", step=step)
    for finding in fourbar_findings(fourbar, 1e-6):
        assert finding.agrees, finding
    assert np.ptp(fourbar["joints/foot_left/position"]) > 6  # it does turn over
    assert np.ptp(fourbar.energy()) < 1e-3  # high-precision class of the library


def test_a03_work_of_the_motor() -> None:
    squeezer = run("A03_andrews", end=0.05)
    angle = squeezer["joints/beta/position"]
    close(squeezer["energy/work/motor"], 0.033 * (angle - angle[0]), atol=1e-7 * np.max(squeezer.energy()))


def test_a07_heavy_top_order_two() -> None:
    # A step of 1e-4 s turns the top by 15 mrad, well inside the asymptotic range: half the step, a quarter error.
    want = expected("A07")["com(0.2)"]
    errors = []
    for step in (2e-4, 1e-4):
        top = run("A07_heavy_top", method="generalized-alpha", rho=0.9, tolerance=None, step=step, end=0.2)
        errors.append(float(np.max(abs(top.at(0.2, "sensors/center") - want))))
    assert errors[1] < 1e-3
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.2)


def accelerations(system: Flat, q: Array, v: Array) -> Array:
    """Accelerations of a system without constraints, from its mass matrix and bias."""
    equations = system.evaluate(q, v)
    return np.linalg.solve(equations["M"], -equations["h"])


def test_a11_puma560_forward_of_inverse() -> None:
    arm = flat("A11_puma560")
    q, v, a = np.random.default_rng(11).uniform(-2, 2, (3, 6))
    effort = arm.residual(q, v, a)
    equations = arm.evaluate(q, v)
    close(np.linalg.solve(equations["M"], effort - equations["h"]), a, rtol=1e-10)
    arm.set(q, v)
    arm.run(programs.acceleration)  # the O(n) road
    close(arm.get(layout.A, 6), accelerations(arm, q, v), rtol=1e-9)


def test_a11_puma560_mass_matrix_is_symmetric() -> None:
    arm = flat("A11_puma560", g="0")
    q = np.array([0, np.pi / 4, np.pi, 0, np.pi / 4, 0])
    mass = np.array([arm.residual(q, np.zeros(6), row) for row in np.eye(6)])
    close(mass, mass.T, atol=1e-14)
    close(np.diag(mass), expected("A11")["M_rigid_diag"], atol=1e-7)


def small_motion_frequencies(system: Flat, v: Array) -> Array:
    """Positive imaginary parts [rad/s] of the eigenvalues of the state equations linearised at q = 0, ascending."""
    n, q = system.n, np.zeros(system.n)
    eps = 1e-5  # central differences: truncation 1e-10 of the entries, round-off 1e-11
    step = eps * np.eye(n)
    by_q = [(accelerations(system, q + d, v) - accelerations(system, q - d, v)) / (2 * eps) for d in step]
    by_v = [(accelerations(system, q, v + d) - accelerations(system, q, v - d)) / (2 * eps) for d in step]
    state = np.block([[np.zeros((n, n)), np.eye(n)], [np.array(by_q).T, np.array(by_v).T]])
    frequency = np.linalg.eigvals(state).imag
    return np.sort(frequency[frequency > 1e-2])


@pytest.mark.parametrize(("case", "rates"), [("A14_sleeping_top", [0, 0, 300.0]), ("A14_gyrostat", [0, 0.0])])
def test_a14_sleeping_top_by_differences(case: str, rates: list[float]) -> None:
    # The same two modes for a top that spins and for a body that only carries a rotor: gyroscopic terms of both kinds.
    found = small_motion_frequencies(flat(case), np.array(rates))
    close(found, expected("A14")["rad/s"], rtol=1e-5)
