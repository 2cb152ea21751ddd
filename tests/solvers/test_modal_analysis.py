"""Zero eigenvalues: only where the error of the eigenvalue says so, however slow a mode is beside the fastest one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from flexmb.solvers.modal_analysis import eigenvalues
from tests.support.linear_models import modes_of

WHEEL = 1000.0
"""Inertia of the wheel [kg m^2]; the rod adds less than 1e-6 of it."""


def wheel_with_rod(stiffness: float, coordinates: str = "joint", damping: float = 0.0) -> dict[str, Any]:
    """A heavy wheel on a soft spring that carries a short stiff rod: 1e-3 Hz beside 2e5 Hz."""
    steel = {"E": 210e9, "nu": 0.3, "density": 7850.0}
    spring = {"type": "joint-spring", "joint": "axle", "stiffness": stiffness, "damping": damping}
    return {
        "bodies": {
            "wheel": {"mass": 1000.0, "inertia": [WHEEL, WHEEL, WHEEL]},
            "rod": {
                "beam": [[0.0, 0.0, 0.0], [0.05, 0.0, 0.0]],
                "section": {"type": "circle", "diameter": 0.04},
                "material": steel,
                "shapes": {"family": "monomials", "bending": 4},
            },
        },
        "joints": {
            "axle": {"type": "revolute", "bodies": ["ground", "wheel"], "at": [0, 0, 0], "axis": "z"},
            "clamp": {"type": "fixed", "bodies": ["wheel", "rod"], "at": [0, 0, 0]},
        },
        "forces": {"soft": spring} if stiffness or damping else {},
        "coordinates": {"default": coordinates},
    }


@pytest.mark.parametrize(
    ("stiffness", "coordinates", "accuracy"),
    # The rod is 4e-7 of the inertia. The QR iteration errs by eps of the fastest eigenvalue, 9e8 and 9e10 of the slow
    # one: 2e-7 and 2e-5 (seen: up to 1.2e-6, by the library of linear algebra). In absolute coordinates the two bodies
    # turn by differences of stiffnesses of 1e12.
    [(0.04, "joint", 1e-6), (4e-6, "joint", 2e-5), (0.04, "absolute", 1e-4)],
)
def test_a_slow_mode_beside_stiff_ones_has_digits(stiffness: float, coordinates: str, accuracy: float) -> None:
    found = modes_of(wheel_with_rod(stiffness, coordinates))
    slow, fast = found[0], found[-1]
    assert not any(mode.is_free for mode in found)
    assert fast.frequency / slow.frequency > 1e8
    exact = np.sqrt(stiffness / WHEEL)
    assert 2.0 * np.pi * slow.frequency == pytest.approx(exact, rel=accuracy)
    assert abs(slow.eigenvalue - 1j * exact) <= 10.0 * slow.error + 1e-6 * exact


@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
def test_a_wheel_that_nothing_holds_is_free(coordinates: str) -> None:
    found = modes_of(wheel_with_rod(0.0, coordinates))
    free = [mode for mode in found if mode.is_free]
    assert len(free) == 2 and all(mode.bodies["wheel"] > 0.99 for mode in free)
    assert min(mode.frequency for mode in found if not mode.is_free) > 1e4


def test_slow_decay_and_a_zero_are_told_apart() -> None:
    """A damper alone: one zero, one real eigenvalue -c/J that is 1e-9 of the fastest."""
    found = modes_of(wheel_with_rod(0.0, damping=1.0))
    assert [mode.is_free for mode in found[:2]] == [True, False]
    assert found[1].eigenvalue == pytest.approx(-1.0 / WHEEL, rel=1e-6)


def test_errors_of_eigenvalues_bound_what_noise_does() -> None:
    """A free double root moves by the root of the noise, a single one by the noise; ten times the estimate is more."""
    rng = np.random.default_rng(2)
    rates = np.array([0.0, 1e-4, 1.0, 1e4]) ** 2
    A = np.block([[np.zeros((4, 4)), np.eye(4)], [-np.diag(rates), np.zeros((4, 4))]])
    noise = 1e-9 * np.abs(A)
    noise[4:, 0] = 1e-14  # of a column that is zero: differences of zero forces
    moved, _, errors = eigenvalues(A + noise * rng.uniform(-1.0, 1.0, A.shape), noise)
    exact = np.sqrt(rates)
    for value, error in zip(moved, errors, strict=True):
        assert np.abs(np.abs(value) - exact).min() <= 10.0 * error
    assert (np.abs(moved) <= 10.0 * errors).sum() == 2, "only the pair of the free motion is zero"
