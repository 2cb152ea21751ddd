"""Copies of the state: the blocks of a solver are in the order that the copying kernels take them for."""

from __future__ import annotations

import numpy as np

from flexmb.layout import driven_state as ds
from flexmb.layout import solver_state as st
from flexmb.solvers.settings import Settings, solver_settings
from flexmb.solvers.time_stepping import stepping_programs
from tests.support import toy_systems as toys


def test_blocks_of_a_state_are_consecutive() -> None:
    for first in ("N", "E"):
        slots = [getattr(st, f"{part}_{first}") for part in ("Q", "V", "A", "LAM", "WORK")]
        assert slots == list(range(slots[0], slots[0] + 5))
    slots = [ds.Q_N, ds.V_N, ds.A_N, ds.LAM_N]
    assert slots == list(range(slots[0], slots[0] + 4))


def test_state_of_the_mechanics_comes_back() -> None:
    from flexmb.solvers.mechanics import Mechanics

    system = toys.pendulum()
    m = Mechanics(system, system.workspace())
    m.t = 0.5
    m.q[:], m.v[:], m.a[:], m.lam[:] = 1.0, 2.0, 3.0, 4.0
    kept, here = m.W.copy(), m.state()
    m.t, m.q[:], m.v[:], m.a[:], m.lam[:] = 0.0, 0.0, 0.0, 0.0, 0.0
    assert not np.array_equal(m.W, kept)
    m.put(here)
    assert np.array_equal(m.W, kept)


def test_settings_of_the_solvers_are_taken_as_they_are() -> None:
    wanted = Settings(end=1.0, step=0.1)
    assert solver_settings(wanted) is wanted
    assert solver_settings(wanted, every=0.5).every == 0.5


def test_methods_share_what_they_can() -> None:
    implicit, explicit = stepping_programs("hht"), stepping_programs("rk45")
    assert implicit[st.AT_WRITE_ROW] is explicit[st.AT_WRITE_ROW]
    assert implicit[st.AT_STEP] is not explicit[st.AT_STEP]
