"""forward(inverse) = identity: a model that is driven by the computed efforts follows the prescribed motion."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mechanisms import slider_crank
from test_examples import script
from test_inverse import SWAY, cart

import flexmb as fx
from flexmb.results import forward_check as module
from flexmb.results.forward_check import Departure, departure_lines, forward_check
from flexmb.results.inverse import inverse_model

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
    true_table = module.expressions.table
    monkeypatch.setattr(module.expressions, "table", lambda points: true_table([(t, 1.01 * x) for t, x in points]))
    distance, _ = departure(tmp_path, fx.Model.from_tables(cart(sway=SWAY)))
    assert distance > 1e-4


def test_what_no_effort_replaces_is_refused_at_once(tmp_path: Path) -> None:
    model = LEE()
    model.motion("push", fx.polynomial(0), marker="slider", along="y", relative_to="crank")
    with pytest.raises(fx.InputError) as caught:
        module.check_replaceable(model.spec, "quasi-static")
    text = " ".join(str(fault) for fault in caught.value.faults)
    assert len(caught.value.faults) == 2
    assert "'push' acts along an axis that moves" in text and "leave out their own inertia" in text
    module.check_replaceable(fx.Model.from_tables(cart(sway=SWAY)).spec, "quasi-static")  # nothing bends


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
