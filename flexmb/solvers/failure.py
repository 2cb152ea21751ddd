"""The sentence for a run that could not go on: when, which joint or coordinate, what to change."""

from __future__ import annotations

import numpy as np

from flexmb.solvers import state as st
from flexmb.solvers.initial import close_loops, gaps
from flexmb.solvers.mechanics import Floats, Mechanics
from flexmb.solvers.settings import Settings


def failure_text(mechanics: Mechanics, settings: Settings, K: np.ndarray, S: Floats, status: int) -> str:
    """Text of the ComputationError for a failed step; W still holds the failed iterate."""
    system = mechanics.system
    where = f"At t = {S[st.T_N]:.6g} s (step {S[st.H]:.3g} s) "
    places = []
    if mechanics.n_pos_rows:
        places.append(_open_rows(mechanics, K, S))
    if settings.method not in ("rk4", "rk45"):
        places.append(f"the largest correction is that of coordinate '{system.coordinates[K[st.WORST_COORDINATE]]}'")
    place = "; ".join(places)
    if status == st.SINGULAR:
        return (
            f"{where}the equations are singular: {place or 'the mass matrix has no inverse'}. The mechanism may be "
            "in a singular position, or a body may have no inertia: change the dimensions or the start, or pass the "
            "position with "
            'method = "generalized-alpha".'
        )
    if status == st.NO_STEP:
        return (
            f"{where}the error of the step cannot be brought below the tolerance {settings.tolerance:g}: "
            f"{place or 'no constraint'}. "
            "A force that jumps asks for a smoother law; otherwise loosen the tolerance."
        )
    if status == st.NOT_CLOSED:
        return f"{where}the loops do not close: {place}. Use a smaller step, or check for a position it cannot pass."
    change = "a looser tolerance" if settings.tolerance is not None else "a smaller step"
    return (
        f"{where}the iteration does not converge: {place or 'no constraint'}. Try {change}, and check whether the "
        "mechanism meets a singular position or a position that it cannot reach there."
    )


def _open_rows(mechanics: Mechanics, K: np.ndarray, S: Floats) -> str:
    """What the rows say at the end of the failed step: the gap that stays when the loops are closed."""
    text = gaps(mechanics, np.nan_to_num(mechanics.phi[: mechanics.n_pos_rows], nan=np.inf))
    mechanics.t = float(S[st.T_E])
    mechanics.q[:] = S[K[st.Q_N] : K[st.Q_N] + mechanics.n_q]
    mechanics.v[:] = S[K[st.V_N] : K[st.V_N] + mechanics.n_v]
    gap = close_loops(mechanics, np.ones(mechanics.n_v, bool))
    return gaps(mechanics, mechanics.phi[: mechanics.n_pos_rows]) if gap > 1e-6 else text
