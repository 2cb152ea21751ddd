"""State of an integrator at the start of a run."""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.layout import flat_arrays as L
from flexmb.layout import solver_state as st
from flexmb.solvers.assembly import assemble, solve_accelerations
from flexmb.solvers.mechanics import Mechanics, stored_scales
from flexmb.solvers.newton_iteration import NEWTON_TOLERANCE
from flexmb.solvers.settings import Settings, set_parameters, set_schedule
from flexmb.solvers.sparse_rows import SparseRows
from flexmb.solvers.sparse_start import added_inertia

LEAST_ENERGY = 1e-9  # unit of the works of a start at rest: fraction of the energy to cross its length in the run


def _begin(mechanics: Mechanics, settings: Settings, K: Integers, S: Floats) -> None:
    """Set the consistent start, scales, schedule and first powers, which all methods need."""
    m = mechanics
    m.t = settings.start
    assemble(m.system, m.W)
    m.run(L.AT_ACCEPT)
    S[K[st.SCALE] : K[st.SCALE] + m.n_v] = m.scale
    S[K[st.SCALE_Q] : K[st.SCALE_Q] + m.n_q] = stored_scales(m)
    S[st.LENGTH] = m.system.length_scale
    if m.is_sparse:
        sizes = [m.system.length_scale if row.unit == "m" else 1.0 for row in m.system.rows]
        S[K[st.ROW_SIZE] : K[st.ROW_SIZE] + m.n_rows] = sizes
        S[K[st.ADDED] : K[st.ADDED] + m.n_v] = added_inertia(m, m.M_entries)
    S[st.LARGEST_PHI] = m.constraint_error
    set_schedule(settings, K, S)
    if m.n_powers:
        m.run(L.AT_POWERS)
        for slot in (st.POWER_N, st.POWER_E):
            S[K[slot] : K[slot] + m.n_powers] = m.power


def start_implicit(mechanics: Mechanics, settings: Settings, K: Integers, S: Floats) -> None:
    """Start of generalised-alpha and its relatives.

    The auxiliary acceleration represents the acceleration at t + (alpha_m - alpha_f) h: it starts as
    v' + (alpha_m - alpha_f) h v'', else the multipliers of the first steps are of first order. The predictor takes the
    same derivatives.
    """
    m = mechanics
    _begin(m, settings, K, S)
    set_parameters(settings, S)
    K[st.SCHEME] = settings.method == "shi-mcphee"
    K[st.PROJECT] = settings.projection or settings.method == "shi-mcphee"
    K[st.TANGENT], K[st.FULL_SPAN] = 1, 1
    S[st.NEWTON_TOLERANCE] = settings.newton_tolerance or NEWTON_TOLERANCE
    S[st.CONTRACTION] = 0.5
    span = settings.end - settings.start
    h = S[st.H_NOMINAL] if K[st.CONTROLLED] == 0 else (settings.step or 1e-3 * span)
    jerk, lam_rate = acceleration_rates(m, 1e-3 * min(h, 1e-3 * span))
    if K[st.CONTROLLED] == 1:
        if settings.step is None:
            constant = abs(S[st.BETA] + 0.5 * (S[st.ALPHA_M] - S[st.ALPHA_F]) - 1.0 / 6.0)
            size = constant * float(np.max(np.abs(jerk) / m.scale, initial=0.0))
            h = min(1e-2 * span, (0.3 * settings.tolerance / (size * span)) ** 0.5 if size > 0.0 else span)  # type: ignore[operator]
        h = min(h, S[st.H_MAX])
        S[st.H_NEXT] = h
    S[st.H_LAST], S[st.H_BEFORE], S[st.H_BEFORE + 1] = h, h, h
    S[K[st.AUX] : K[st.AUX] + m.n_v] = m.a + (S[st.ALPHA_M] - S[st.ALPHA_F]) * h * jerk
    for back in range(3):
        a_p, lam_p = K[st.A_P] + back * m.n_v, K[st.LAM_P] + back * m.n_rows
        S[a_p : a_p + m.n_v] = m.a - (back + 1) * h * jerk
        S[lam_p : lam_p + m.n_rows] = m.lam - (back + 1) * h * lam_rate


def acceleration_rates(mechanics: Mechanics, delta: float) -> tuple[Floats, Floats]:
    """Time derivatives of accelerations and multipliers, by the consistent accelerations a short time later."""
    m = mechanics
    here = m.state()
    m.t = here.t + delta
    m.move(delta * here.v + 0.5 * delta**2 * here.a)
    m.v[:] = here.v + delta * here.a
    solve_accelerations(m)
    jerk, lam_rate = (m.a - here.a) / delta, (m.lam - here.lam) / delta
    m.put(here)
    return jerk, lam_rate


def start_explicit(mechanics: Mechanics, settings: Settings, K: Integers, S: Floats) -> None:
    """Start of the Runge-Kutta methods."""
    from flexmb.solvers.independent import choose_first
    from flexmb.solvers.runge_kutta import set_tableau

    _begin(mechanics, settings, K, S)
    set_tableau(settings.method, K, S)
    span = settings.end - settings.start
    if K[st.CONTROLLED] == 1:
        S[st.H_NEXT] = min(settings.step or 1e-3 * span, S[st.H_MAX])
    speed = float(np.max(np.abs(mechanics.v) / mechanics.scale, initial=0.0))
    S[st.RATE_SEEN] = max(speed, 1.0 / span)
    mechanics.equations()
    if mechanics.is_sparse:
        rows = SparseRows(mechanics)
        diagonal, momentum = rows.diagonal(mechanics.M_entries), rows.metric_times(mechanics.M_entries, mechanics.v)
        K[st.TANGENT], K[st.FULL_SPAN] = 1, 1
    else:
        diagonal, momentum = np.diag(mechanics.M), mechanics.M @ mechanics.v
    least = LEAST_ENERGY * float(diagonal @ (mechanics.scale * S[st.RATE_SEEN]) ** 2)
    S[st.WORK_SEEN] = max(0.5 * float(mechanics.v @ momentum), least)
    choose_first(mechanics, settings, K, S)
