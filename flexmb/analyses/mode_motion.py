"""Mode of a mechanism as a motion of finite size: rows of outputs over a cycle, with all joints closed.

In: linearised equations, a mode, its size and the phases of the cycle. Out: one row of outputs for every phase, of

    q = q_0 o Re(size shape e^(i phase)),

time and velocities being those of the state. A shape is tangent to the constraints: at a finite size it leaves them by
the square of the size. Independent coordinates stay as the shape has them; dependent ones are moved by Newton's method
on PHI(q, t_0) = 0, q <- q o dq with G_dependent dq = -PHI; motions keep their values at that time.
"""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Floats
from flexmb.layout import flat_arrays as L
from flexmb.results.modal_result import ModalResult
from flexmb.solvers.allowed_motions import SparseMotions
from flexmb.solvers.mechanics import Mechanics
from flexmb.solvers.modal_analysis import Mode

_MOST_STEPS = 20
_CLOSED = 1e-13
"""Newton's last step, as a fraction of the magnitude of a coordinate"""
_BRANCH = 2.0
"""Correction, as a fraction of the motion, beyond which the loops have closed in another configuration"""


def mode_rows(modal: ModalResult, mode: Mode, size: float, phases: Floats) -> Floats | None:
    """(f, n_out) outputs at the phases [rad]; None when the loops do not close at this size.

    size : motion of the coordinate that moves most, whose shape is 1 [rad, fractions of the length scale]
    """
    m = Mechanics(modal.system, modal.linear.work.copy())
    base, q_0 = m.W.copy(), m.q.copy()
    rows = np.zeros((len(phases), len(m.out)))
    for row, phase in enumerate(phases):
        m.W[:] = base
        m.q[:] = q_0
        dq = size * (mode.shape * np.exp(1j * phase)).real
        m.move(dq)
        if not _close(m, modal, float(np.max(np.abs(dq) / m.scale, initial=0.0))):
            return None
        m.equations()
        m.run(L.AT_OUTPUT)
        rows[row] = m.out
    return rows if np.isfinite(rows).all() else None


def state_row(modal: ModalResult) -> Floats:
    """(1, n_out) outputs of the state itself."""
    m = Mechanics(modal.system, modal.linear.work.copy())
    m.equations()
    m.run(L.AT_OUTPUT)
    return m.out[None].copy()


def _close(m: Mechanics, modal: ModalResult, moved: float) -> bool:
    """Bring the dependent coordinates onto the constraints; return whether they did not jump."""
    n = m.n_pos_rows
    if not n:
        return True
    free = list(modal.linear.free_q)
    held = sorted(set(range(m.n_v)) - set(free))
    corrected, step = np.zeros(m.n_v), np.zeros(m.n_v)
    for _ in range(_MOST_STEPS):
        m.jacobian()
        try:
            if m.is_sparse:
                step = SparseMotions(m, np.arange(m.n_rows) < n, free=free).particular(-m.phi[:n, None])[:, 0]
            else:
                step[held] = np.linalg.solve(m.G[:n, held], -m.phi[:n])
        except np.linalg.LinAlgError:
            return False
        part = step / m.scale
        corrected += part
        if not np.max(np.abs(corrected)) <= _BRANCH * max(moved, 1e-12):
            return False
        m.move(step)
        if np.max(np.abs(part)) <= _CLOSED:
            return True
    return bool(np.max(np.abs(part)) <= 1e-10)
