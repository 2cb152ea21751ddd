"""Closure of the loops in a step of generalised-alpha, and what it keeps from step to step."""

from __future__ import annotations

import numpy as np

from flexmb.analyses.preparation import prepare
from flexmb.layout import solver_state as st
from flexmb.solvers.run import Integration
from flexmb.solvers.settings import solver_settings
from flexmb.verification.running import model_of


def advanced(disturbance: float) -> np.ndarray:
    """Coordinates after 0.5 s, with a closure along the free motion added after 20 steps [rad]."""
    model = model_of("A02_double_fourbar", None)
    assert model.spec.analysis is not None
    system = prepare(model).system
    run = Integration(system, solver_settings(model.spec.analysis, None))
    run.start()
    run.advance(20)
    m, K, S = run.mechanics, run.K, run.S
    m.jacobian()
    free = np.linalg.svd(m.G)[2][-1]
    np.testing.assert_allclose(m.G @ free, 0.0, rtol=0, atol=1e-12)
    S[K[st.CLOSURE] : K[st.CLOSURE] + m.n_v] += disturbance * free
    run.advance(480)
    return m.q.copy()


def test_a_closure_along_the_motion_does_not_stay() -> None:
    """No gap shows it, and the next step predicts its closure by that of the last one: after a singular position, where
    it is large, every step moved on by it beside its velocity, and energy drifted for the rest of the run."""
    change = np.abs(advanced(1e-6) - advanced(0.0)).max()
    # It acts in at most eight steps; the shift that they leave grows with the motion, threefold here.
    assert 1e-7 < change < 3 * 8e-6
