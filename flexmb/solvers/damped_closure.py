"""Loops closed by damped Gauss-Newton steps, whatever solves for a step: full or sparse matrices.

A step that opens the loops further is taken back and tried again with more damping (Levenberg and Marquardt).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from flexmb.arrays import Floats
from flexmb.solvers.mechanics import Mechanics

Step = tuple[Floats, float]
"""Changes of the coordinates (n_v,), and the largest of them by their scales"""


def close_damped(
    mechanics: Mechanics, gauge: Floats, tolerance: float, iterations: int, step: Callable[[float], Step | None]
) -> None:
    """Move the coordinates by `step(damping)` until the rows times `gauge` are below the tolerance in norm, or until
    no step (None) closes them further. The Jacobian is that of the position at the end."""
    m, n = mechanics, len(gauge)
    damping, best_q, polished = 0.0, m.q.copy(), False
    m.jacobian()
    size = float(np.linalg.norm(m.phi[:n] * gauge))
    for _ in range(iterations):
        if not np.isfinite(size):
            break
        if size <= tolerance:
            if polished or size == 0.0:
                break
            polished = True  # one more step costs little and brings PHI to round-off
        found = step(damping)
        if found is None or found[1] < 1e-15:  # nothing that moves can close them further
            break
        m.move(found[0] * min(1.0, 0.5 / found[1]))  # at most half a radian per step
        m.jacobian()
        new = float(np.linalg.norm(m.phi[:n] * gauge))
        if new < size or (polished and new <= tolerance):
            damping *= 0.1 if new < 0.5 * size else 0.7
            damping = damping if damping > 1e-3 else 0.0
            size, best_q = new, m.q.copy()
            continue
        m.q[:] = best_q
        m.jacobian()
        if polished or damping > 1e4:
            break
        damping = max(1e-3, 4.0 * damping)
    m.jacobian()
