"""More about the published flexible cases than `flexmb verify` tells: other fields and shapes, limits of a linear one.

Models and numbers with their sources stand in flexmb/verification.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from flexmb.errors import ComputationError
from flexmb.verification.flexible_modes import HOLDS, flap_and_lag, rates
from flexmb.verification.running import expected, run, table


def close(found: Any, want: Any, *, rtol: float = 0.0, atol: float = 0.0) -> None:
    np.testing.assert_allclose(found, want, rtol=rtol, atol=atol)


def test_b02a_bends_otherwise_with_foreshortening() -> None:
    # The exact field stiffens: it misses the peaks of the linear one by more than ten times the tolerance of the case.
    found = run("B02a_flexible_crank_rod", {"bodies.rod.field": "exact"})["sensors/mid"].max()
    assert found != pytest.approx(expected("B02a")["max mid"], rel=3e-2)


@pytest.mark.parametrize("order", ["1", "2", "full"])
def test_b03_spin_up_with_truncated_fields(order: str) -> None:
    beam = run("B03_spin_up", {"bodies.beam.field": "quadratic", "bodies.beam.order": order})
    want, time, tip = expected("B03"), beam["time"], beam["sensors/tip"][:, 1]
    assert tip.min() == pytest.approx(want["peak tip (linear+stiffening)"], rel=1e-2)
    assert time[tip.argmin()] == pytest.approx(want["t_peak"], abs=0.02)
    close(tip[np.isin(time, (7.5, 10.0))], [want["tip(7.5)"], want["tip(10)"]], rtol=1e-2)
    assert np.mean(beam["sensors/tip"][time > 19, 0]) - 10.0 == pytest.approx(want["steady axial extension"], rel=1e-2)
    # Straight again at the end, but for a little ringing.
    assert np.max(np.abs(tip[time >= 15])) == pytest.approx(want["residual |tip| after 20 s"], rel=0.1)


def test_b03_linear_field_diverges() -> None:
    # As the linear beam does without stiffening, all the way.
    time, _, _, _, unstiffened = table("spinup_beam")
    tip = run("B03_spin_up", {"bodies.beam.field": "linear", "analysis.end": "12"})["sensors/tip"][:, 1]
    close(tip[::5], unstiffened[time <= 12], rtol=1e-2, atol=1e-4)
    assert abs(tip[-1]) > 1e5
    with pytest.raises(ComputationError, match="does not converge"):
        run("B03_spin_up", {"bodies.beam.field": "linear"})


@pytest.mark.parametrize(
    "shapes", ['{ family = "modes", bending = 6 }', '{ family = "elements", elements = 20, bending = 6 }']
)
def test_b05a_with_shapes_of_the_beam_at_rest(shapes: str) -> None:
    for eta, flap in expected("B05a").items():
        close(flap_and_lag(float(eta), {"bodies.beam.shapes": shapes})[0], flap, rtol=1e-3)


def test_b05a_with_second_order_equations() -> None:
    second = {"bodies.beam.field": "quadratic", "bodies.beam.order": "2"}
    flap, lag = flap_and_lag(6.0, second)
    close(flap, expected("B05a")["6"], rtol=5e-6)
    close(np.hypot(lag, 6.0), expected("B05a")["6"], rtol=5e-6)


def test_b05a_without_stiffening() -> None:
    # The linear field knows no centrifugal stiffening: flapping stays as at rest, lagging falls.
    found = rates("B05a_rotating_cantilever", {"bodies.beam.field": "linear"}, speed=3.0)
    assert np.isclose(found[:, None], expected("B05a")["0"], rtol=1e-5, atol=0.0).any(axis=0).all()


@pytest.mark.parametrize(("theta", "want"), [(0, [0, 0.01072]), (90, [0.16006, 0])])
def test_b17_linear_field(theta: int, want: list[float]) -> None:
    # The entry says what a linear code gives.
    settings = {"theta": f"{theta} deg", "bodies.strip.field": "linear", "analysis.type": "static"}
    close(run("B17_princeton_beam", settings)["sensors/tip"][-1, 1:], want, atol=1e-5)


@pytest.mark.parametrize("supports", ["free-free", "clamped-pinned"])
def test_c14_misses_roots_as_cubic_elements_do(supports: str) -> None:
    """By (beta h)^4/2880: 3.2e-5 at 10.996 with twenty elements, which therefore miss the 1e-5 of the entry there."""
    left, right = (HOLDS[support] for support in supports.split("-"))
    (want,) = (np.array(roots) for names, roots in expected("C14").items() if supports in names.split(" / "))
    found = np.sqrt(rates("C14_beam", {"joints.left.type": left, "joints.right.type": right})[:3])
    close(found, want * (1 + (want / 20) ** 4 / 2880), rtol=2e-6)
