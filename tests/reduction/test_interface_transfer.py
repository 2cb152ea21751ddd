"""Transfer between interfaces against dense complex solutions of the full model, and the bound of its error."""

from __future__ import annotations

import numpy as np
import pytest

from flexmb.reduction.damping import Damping
from flexmb.reduction.interface_transfer import InterfaceTransfer, transfer
from tests.support.harmonic import dense_transfer
from tests.support.mesh_bodies import tied_bar

TIES = [("rbe2", "rbe2"), ("rbe3", "rbe3"), ("rbe2", "rbe3")]
TOP = 3000.0
HERTZ = np.array([0.0, 100.0, 467.0, 1234.5, 2400.0, 3000.0])


@pytest.mark.parametrize("tied", TIES)
@pytest.mark.parametrize("damping", [None, {"ratio": 0.03}, {"mass": 40.0, "stiffness": 2e-6}])
def test_the_error_is_below_its_bound(tied: tuple[str, str], damping: Damping) -> None:
    """The bound holds with few vectors, and is not many times too large; with enough both are round-off."""
    body = tied_bar(*tied)
    reference = InterfaceTransfer(body, TOP, damping)
    full = np.outer(reference.scale, reference.scale) * dense_transfer(body, HERTZ, damping)
    sizes = np.linalg.norm(full, 2, axis=(1, 2))
    # Round-off of the dense response: eps times the condition of K - omega^2 M, 1.8e8.
    exact = 2e-8 * sizes
    errors, bounds = _after_block(reference, full)
    assert errors[0] < exact[0], "one block is exact at zero frequency"
    assert errors[-1] > 1e-3 * sizes[-1]
    assert (errors <= bounds + exact).all()
    assert bounds[-1] < 4.0 * errors[-1]
    errors, bounds = _after_block(reference, full)
    assert 1e-7 * sizes[-1] < errors[-1] < bounds[-1]
    _after_block(reference, full)
    errors, bounds = _after_block(reference, full)
    assert (errors < exact).all()
    assert (bounds < 1e-10 * sizes).all()


def _after_block(reference: InterfaceTransfer, full: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """True errors and their bounds with one more block"""
    reference.extend()
    return np.linalg.norm(reference.response(HERTZ) - full, 2, axis=(1, 2)), reference.bound(HERTZ)


def test_the_basis_ends_when_the_interfaces_excite_no_more() -> None:
    """A small bar has as many vectors as unknowns: the search ends, and the transfer is that of the dense model."""
    body = tied_bar("rbe2", "rbe2")
    reference = InterfaceTransfer(body, TOP, None)
    for _ in range(40):
        reference.extend()
        if reference.is_complete:
            break
    assert reference.is_complete
    assert len(reference.omega_squared) < body.n
    coordinates = np.eye(len(reference.omega_squared))
    U = reference.vectors(coordinates)
    np.testing.assert_allclose(U.T @ body.model.mass_times(U), coordinates, atol=1e-8)
    motion = reference.scale[:, None] * body.interface_motion(U)
    np.testing.assert_allclose(
        transfer(reference.omega_squared, motion, HERTZ, None), reference.response(HERTZ), rtol=1e-6, atol=1e-8
    )
