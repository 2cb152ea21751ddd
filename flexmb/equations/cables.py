"""Cable: one tension along the straight spans from marker to marker, the inner ones eyes without friction.

With the length l of all spans and the length l_0 of the unloaded cable, which a winch may change,

    T = max(0, k (l - l_0) + c (l_dot - l_0_dot)) where l > l_0, else 0;      V = 1/2 k (l - l_0)^2

Every span pulls its two ends together with T. What is not stored is the power of the damping and of the winch:
-(T - k x) l_dot - k x l_0_dot, x = l - l_0.
"""

from __future__ import annotations

import math

from flexmb.equations.markers import apply_wrench, state_of
from flexmb.layout import flat_arrays as L
from flexmb.layout.access import marker_record, p_wm_at, state_block_of, v_wm_at
from flexmb.machine_code.jit import call, kernel, program
from flexmb.vectors import ZERO, dot, scale, sub


@kernel
def _span(W, a, b):
    """Unit vector from one marker state to the next, and their distance; no direction where they meet."""
    d = sub(p_wm_at(W, b), p_wm_at(W, a))
    length = math.sqrt(dot(d, d))
    return scale(1.0 / length if length > 1e-12 else 0.0, d), length


@program
def cable(I, F, W, load):
    """Apply a cable; its effort is the tension."""
    out = I[load + L.L_W]
    markers = I[load + L.L_Q]
    n = I[load + L.L_V]
    length = 0.0
    rate = 0.0
    a = state_of(I, F, W, I[markers], False)
    for i in range(1, n):
        b = state_of(I, F, W, I[markers + i], False)
        direction, distance = _span(W, a, b)
        length += distance
        rate += dot(direction, sub(v_wm_at(W, b), v_wm_at(W, a)))
        a = b
    call(I[L.AT_FUNCTION], I, F, W, I[load + L.L_FX])
    stretch = length - W[I[L.X_VALUE]]
    paid_out = W[I[L.X_VALUE] + 1]
    W[out + L.LW_EFFORT] = 0.0
    if stretch <= 0.0:
        return
    p = I[load + L.L_F]
    elastic = F[p] * stretch
    tension = max(0.0, elastic + F[p + 1] * (rate - paid_out))
    W[out + L.LW_EFFORT] = tension
    W[out + L.LW_POWER] = (elastic - tension) * rate - elastic * paid_out
    W[out + L.LW_POTENTIAL] = 0.5 * elastic * stretch
    for i in range(1, n):
        a = state_block_of(I, marker_record(I, I[markers + i - 1]))
        b = state_block_of(I, marker_record(I, I[markers + i]))
        direction, _ = _span(W, a, b)
        pull = scale(tension, direction)
        apply_wrench(I, W, I[markers + i - 1], pull, ZERO)
        apply_wrench(I, W, I[markers + i], scale(-1.0, pull), ZERO)
