"""Markers on flexible bodies: the arm kernel against differences of its own pose (theory 5).

Covers: equations.markers.
"""

from __future__ import annotations

import numpy as np
import pytest

from flexmb.equations.arms import flexible_arm
from flexmb.layout import flat_arrays as L

N_MODES = 5  # four that are summed at a time, and one


class Arm:
    """One marker with random shapes on a body that has nothing but modes."""

    def __init__(self, order: int, size: float):
        rng = np.random.default_rng(order)
        self.ints = np.zeros(L.HEADER + L.BODY + L.MARKER, dtype=np.int64)
        self.ints[L.BODIES], self.ints[L.MARKERS] = L.HEADER, L.HEADER + L.BODY
        self.ints[L.HEADER + L.B_NF] = N_MODES
        self.ints[L.Q], self.ints[L.V] = 0, N_MODES
        record = L.HEADER + L.BODY
        self.ints[record + L.MK_ORDER], self.ints[record + L.MK_W] = order, 2 * N_MODES
        shapes = size * rng.normal(size=(N_MODES, 6))
        second = rng.normal(size=(N_MODES, N_MODES, 6))
        second = 0.5 * size * (second + second.transpose(1, 0, 2))
        position, orientation = rng.normal(size=3), np.linalg.qr(rng.normal(size=(3, 3)))[0]
        self.floats = np.concatenate([position, orientation.ravel(), shapes.ravel(), second.ravel()])
        self.ints[L.X_FIELD] = 2 * N_MODES + L.S_COLUMNS + 6 * N_MODES
        self.work = np.zeros(self.ints[L.X_FIELD] + 6 * N_MODES)

    def at(self, q: np.ndarray, v: np.ndarray) -> dict[str, np.ndarray]:
        self.work[:N_MODES], self.work[N_MODES : 2 * N_MODES] = q, v
        flexible_arm(self.ints, self.floats, self.work, 0)
        out = self.work[2 * N_MODES :]
        return {
            "r": out[L.S_BODY : L.S_BODY + 3].copy(),
            "R": out[L.S_ARM_R : L.S_ARM_R + 9].reshape(3, 3).copy(),
            "v": out[L.S_ARM_V : L.S_ARM_V + 3].copy(),
            "w": out[L.S_ARM_W : L.S_ARM_W + 3].copy(),
            "bias_r": out[L.S_ARM_BIAS_R : L.S_ARM_BIAS_R + 3].copy(),
            "bias_w": out[L.S_ARM_BIAS_W : L.S_ARM_BIAS_W + 3].copy(),
            "columns": out[L.S_COLUMNS : L.S_COLUMNS + 6 * N_MODES].reshape(N_MODES, 6).copy(),
        }


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("size", [0.3, 1e-5])  # the second one takes the series of small rotations
def test_rates_and_biases_are_derivatives_of_the_pose(order: int, size: float) -> None:
    arm, rng = Arm(order, size), np.random.default_rng(9)
    q, v = rng.normal(size=N_MODES), rng.normal(size=N_MODES)
    here = arm.at(q, v)
    assert np.allclose(here["R"].T @ here["R"], np.eye(3), atol=1e-14)
    assert np.allclose(here["columns"][:, :3].T @ v, here["v"], atol=1e-14)
    assert np.allclose(here["columns"][:, 3:].T @ v, here["w"], atol=1e-14)
    h = 1e-5
    ahead, behind = arm.at(q + h * v, v), arm.at(q - h * v, v)
    assert np.allclose((ahead["r"] - behind["r"]) / (2 * h), here["v"], atol=1e-9 * size)
    spin = (ahead["R"] - behind["R"]) / (2 * h) @ here["R"].T
    omega = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
    # Differences of R carry its round-off, 1e-16 / h.
    assert np.allclose(omega, here["w"], atol=1e-9 * size + 1e-11)
    # With q'' = 0 the accelerations are the biases.
    assert np.allclose((ahead["v"] - behind["v"]) / (2 * h), here["bias_r"], atol=1e-9 * size)
    assert np.allclose((ahead["w"] - behind["w"]) / (2 * h), here["bias_w"], atol=1e-8 * size)
