"""The compiled loop over the instants of a driven motion, against the Python version that it replaces.

Covers: solvers.driven_analysis, solvers.driven_kernels, solvers.driven_loop, solvers.elastic_balance,
solvers.elastic_balance_kernels, solvers.kinematics.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from flexmb.solvers.driven_analysis import DrivenAnalysis
from flexmb.solvers.kinematics import KinematicInstants, analyse
from flexmb.solvers.quasi_static_motion import QuasiStaticInstants
from flexmb.solvers.settings import solver_settings
from tests.support.flexible_mechanisms import slider_crank
from tests.support.mechanisms import slider_crank as planar_slider_crank
from tests.support.mechanisms import spec_of
from tests.support.quasi_static import QuasiStatic
from tests.support.runs import Rows, Run

POSITIONS = ("coordinates/q",)
CHANNELS = (
    *POSITIONS, "coordinates/v", "coordinates/a", "joints/big_end/force", "joints/guide/force", "motions/drive/effort",
    "energy/work/total",
)  # fmt: skip


def rigid_slider_crank(**motion: Any) -> dict[str, Any]:
    """The spatial slider-crank with a rigid rod."""
    data = slider_crank()
    data["bodies"]["rod"] = {"mass": 0.0667, "rod": ["A", "B"]}
    data["motions"]["drive"] = {"joint": "bearing", **(motion or {"rate": 150.0})}
    data["sensors"] = {"torque": {"motion": "drive"}, "slider": {"marker": "slider", "component": "x"}}
    return {**data, "analysis": {"type": "kinematic", "end": 0.05, "step": 5e-5}}


def without_compiled_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every instant by the Python version."""
    for kind in (KinematicInstants, QuasiStaticInstants):
        monkeypatch.setattr(kind, "compiled_loop", lambda self: None)


def assert_close(found: Any, expected: Any, part: float, paths: tuple[str, ...] = CHANNELS) -> None:
    """Channels agree within a part of their peak."""
    for path in paths:
        assert np.abs(found[path] - expected[path]).max() <= part * np.abs(expected[path]).max(), path


def test_kinematic_rows_are_those_of_the_python_version(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Run(rigid_slider_crank())
    without_compiled_loop(monkeypatch)
    expected = Run(rigid_slider_crank())
    # Both close the loops to round-off (some 1e-16); the rows are conditioned to some hundred.
    assert_close(found, expected, 1e-11)
    for name in ("steps", "rejected", "newton_iterations"):
        assert getattr(found.summary, name) == getattr(expected.summary, name)
    assert np.array_equal(found.rows[:, -2:], expected.rows[:, -2:])  # steps and iterations of every row


def test_absolute_coordinates(monkeypatch: pytest.MonkeyPatch) -> None:
    # Quaternions in q, and twice as many rows as in joint coordinates.
    data = planar_slider_crank({"default": "absolute"})
    found = Run(data, type="kinematic", end=1.0, step=0.01)
    without_compiled_loop(monkeypatch)
    expected = Run(data, type="kinematic", end=1.0, step=0.01)
    assert np.abs(found.rows - expected.rows)[:, :-2].max() <= 1e-11 * np.abs(expected.rows).max()


def test_quasi_static_rows_are_those_of_the_python_version(monkeypatch: pytest.MonkeyPatch) -> None:
    found = QuasiStatic(slider_crank(), end=0.004)
    without_compiled_loop(monkeypatch)
    expected = QuasiStatic(slider_crank(), end=0.004)
    # y is found to 1e-12 of itself or better. Its second derivative is a difference over instants 5e-6 s apart, in
    # which the crank turns by 7.5e-4: round-off of 1e-16 of the rod's length, 4e-3 of which is y, becomes 1e-7 of y''.
    assert_close(found, expected, 1e-6)
    assert_close(found, expected, 1e-10, (*POSITIONS, "bodies/rod/elastic_position"))


def test_blocks_leave_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [QuasiStatic(slider_crank(), end=0.004), Run(rigid_slider_crank(), end=0.01)]
    for limit in ("most_gathered", "largest_budget"):
        monkeypatch.setattr(DrivenAnalysis, limit, 7)
    again = [QuasiStatic(slider_crank(), end=0.004), Run(rigid_slider_crank(), end=0.01)]
    for run, other in zip(runs, again, strict=True):
        assert np.array_equal(run.rows, other.rows)


def test_instants_that_the_compiled_loop_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    # The crank swings by 2 rad in 0.1 s; rows 0.024 s apart, of which Newton does not reach all at once.
    swing = rigid_slider_crank(harmonic={"amplitude": 2.0, "frequency": 10.0})
    coarse = Run(swing, end=0.096, step=0.024)
    fine = Run(swing, end=0.096, step=0.001)
    assert coarse.summary.rejected > 0 and fine.summary.rejected == 0
    for path in CHANNELS[:-1]:  # works depend on the step
        assert np.abs(coarse[path] - fine[path][::24]).max() <= 1e-11 * np.abs(fine[path]).max(), path
    without_compiled_loop(monkeypatch)
    expected = Run(swing, end=0.096, step=0.024)
    assert_close(coarse, expected, 1e-11)
    assert coarse.summary.rejected == expected.summary.rejected
    assert coarse.summary.newton_iterations == expected.summary.newton_iterations


def test_resumed_analysis_gives_bitwise_the_same_rows() -> None:
    data = rigid_slider_crank()
    whole, half = Run(data, end=0.02), Run(data, end=0.01)
    sink = Rows()
    settings = solver_settings(spec_of({**data, "analysis": {**data["analysis"], "end": 0.02}}).analysis)
    analyse(half.system, settings, sink=sink, resume=half.checkpoint)
    assert np.array_equal(np.concatenate(sink.blocks), whole.rows[len(half.rows) :])
