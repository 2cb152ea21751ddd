"""forward(inverse) = identity: a model that is driven by the computed efforts follows the prescribed motion.

Covers: solvers.pointers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmb as fx
from flexmb.analyses import forward_check as module
from flexmb.analyses.forward_check import forward_check
from flexmb.analyses.inverse import inverse_model
from flexmb.errors import ComputationError
from flexmb.reports.inverse_report import departure_lines
from flexmb.results.inverse_result import Departure
from tests.support.driven_models import SWAY, cart
from tests.support.example_scripts import script
from tests.support.mechanisms import slider_crank

LEE = script("05_inverse_slider_crank").slider_crank
ALONG_X = {"marker": "cart", "along": "x", "expression": "0.2*sin(3*t)"}


def departure(folder: Path, model: fx.Model) -> tuple[float, float]:
    """Largest distance [m] and angle [rad]."""
    found = forward_check(inverse_model(model, folder / "out.h5"))
    return max(float(x.max()) for x in found.bodies.values()), max(float(x.max()) for x in found.angles.values())


def test_lee_with_a_flexible_rod(tmp_path: Path) -> None:
    # The limit of the published comparison is 1e-5 m. Both runs take the same steps of 10 us; the spline through
    # efforts of 550 Hz is off by (h omega)^4/384 = 4e-9 of the torque, and the slider by less than that of a metre.
    distance, angle = departure(tmp_path, LEE())
    assert distance < 1e-7 and angle < 1e-6


def test_lee_with_a_rigid_rod(tmp_path: Path) -> None:
    # Rows of 0.1 ms, 1/500 of a turn: the spline is off by (2 pi 4/500)^4/384 = 1.6e-8 in the fourth harmonic.
    distance, angle = departure(tmp_path, LEE(rigid_rod=True))
    assert distance < 1e-8 and angle < 1e-7


@pytest.mark.parametrize("kind", ["joint", "absolute"])
def test_planar_loop_with_repeated_rows(tmp_path: Path, kind: str) -> None:
    data = {**slider_crank({"default": kind}), "analysis": {"end": 1.0, "step": 2e-3}}
    # (20 rad/s 2 ms)^4/384 = 7e-9 of the efforts, for a second.
    distance, angle = departure(tmp_path, fx.Model.from_tables(data))
    assert distance < 1e-7 and angle < 1e-7


@pytest.mark.parametrize("motion", [SWAY, ALONG_X], ids=["joint", "marker"])
def test_fewer_drives(tmp_path: Path, motion: dict[str, Any]) -> None:
    # Steps by error control, some 16 ms long: a spline through efforts at up to 6 rad/s is off by 2e-7 of 10 N; the
    # free cart gathers that for two seconds.
    distance, angle = departure(tmp_path, fx.Model.from_tables(cart(sway=motion)))
    assert distance < 1e-6 and angle < 2e-6


def test_the_check_notices_a_wrong_effort(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    true = module.expressions.table
    monkeypatch.setattr(
        module.expressions, "table", lambda points, form: true([(t, 1.01 * x) for t, x in points], form)
    )
    distance, _ = departure(tmp_path, fx.Model.from_tables(cart(sway=SWAY)))
    assert distance > 1e-4


def test_an_interrupted_check_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inverse = inverse_model(fx.Model.from_tables(cart(sway=SWAY)), tmp_path / "out.h5")

    @contextmanager
    def at_once() -> Iterator[Callable[[], bool]]:
        yield lambda: True

    monkeypatch.setattr("flexmb.solvers.march.interrupt_flag", at_once)
    with pytest.raises(ComputationError, match="was interrupted; the result of the inverse analysis is written"):
        forward_check(inverse)


def arm(step: float, **extra: Any) -> dict[str, Any]:
    """A swinging arm with a slider on it, whose tip is driven along the arm."""
    tip = {"tip": {"at": [0.4, 0, 0]}}
    rod = {"mass": 1.0, "inertia": [0.01, 0.02, 0.03], "center": [0.2, 0, 0]}
    return {
        "model": {"name": "arm", "gravity": [0, 0, -9.81]},
        "bodies": {"arm": rod, "slider": {**rod, "at": [0.5, 0, 0], "markers": tip}},
        "joints": {
            "pivot": {"type": "revolute", "bodies": ["ground", "arm"], "at": [0, 0, 0], "axis": "y", "velocity": 0.3},
            "slide": {"type": "prismatic", "bodies": ["arm", "slider"], "at": [0.5, 0, 0], "axis": "x"},
        },
        "motions": {
            "push": {"marker": "slider.tip", "along": "x", "relative_to": "arm", "expression": "0.9 + 0.1*sin(5*t)"}
        },
        "analysis": {"end": 1.0, "step": step},
        **extra,
    }


TURNTABLE = {"rotation": {"axis": "z", "angle": "0.5*t^2"}}


@pytest.mark.parametrize("extra", [{}, {"base": TURNTABLE}, {"coordinates": {"default": "absolute"}}])
def test_a_marker_driven_relative_to_a_moving_body(tmp_path: Path, extra: dict[str, Any]) -> None:
    # Both runs have errors of second order in the step (2e-5 m at 2 ms), which differ as a rule that is held differs
    # from one that is pushed: a quarter at half the step says that the force and its reaction act where they should.
    coarse, fine = (departure(tmp_path, fx.Model.from_tables(arm(step, **extra)))[0] for step in (2e-3, 1e-3))
    assert fine < 5.5e-6  # error of either run at 1 ms in absolute coordinates, against rk45
    assert coarse / fine == pytest.approx(4.0, rel=0.1)


def test_quasi_static_efforts_leave_out_the_vibration(tmp_path: Path) -> None:
    """The deflection of the rod rings about its balance by some tenths of a millimetre, and the crank, which has little
    inertia against it, by less than a milliradian; the report says so. The dynamic check is 1e-7 m."""
    found = forward_check(inverse_model(LEE(), tmp_path / "out.h5", elastic="quasi-static"))
    assert found.leaves_out_vibration
    assert 1e-6 < max(float(x.max()) for x in found.bodies.values()) < 1e-3
    assert "the efforts leave out vibration" in " ".join(" ".join(departure_lines(found)).split())
    rigid = forward_check(inverse_model(LEE(rigid_rod=True), tmp_path / "rigid.h5", elastic="quasi-static"))
    assert not rigid.leaves_out_vibration
    assert max(float(x.max()) for x in rigid.bodies.values()) < 1e-7


def test_lines_name_body_size_and_time() -> None:
    zero = np.zeros(3)
    made = Departure(
        np.array([0.0, 0.1, 0.2]),
        {"a": zero, "b": np.array([0, 2e-6, 1e-6])},
        {"a": np.array([0, 0, 3e-6]), "b": zero},
        7,
    )
    text = " ".join(" ".join(departure_lines(made)).split())
    assert "splines through 7 points" in text
    assert "2e-06 m (b, at t = 0.1 s) and 3e-06 rad (a, at t = 0.2 s)" in text
