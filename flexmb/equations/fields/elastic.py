"""Elastic and damping forces that every deformation field has: K q + 1/2 q K3 q + D q', and their energy and power."""

from __future__ import annotations

from flexmb.jit import kernel
from flexmb.layout import flat_arrays as L


@kernel
def elastic_force_into(I, F, W, e, field, out):
    """W[out + k] = K q + 1/2 q K3 q + D q' of the body with record e."""
    n = I[e + L.B_NF]
    q = I[L.Q] + I[e + L.B_ELASTIC_Q]
    v = I[L.V] + I[e + L.B_V] + I[e + L.B_NJ]
    stiffness = I[field + L.FD_K]
    damping = I[field + L.FD_D]
    cubic = I[field + L.FD_CUBIC]
    for k in range(n):
        s = 0.0
        for m in range(n):
            s += F[stiffness + k * n + m] * W[q + m]
        if damping > 0:
            for m in range(n):
                s += F[damping + k * n + m] * W[v + m]
        if cubic > 0:
            for m in range(n):
                t = 0.0
                for j in range(n):
                    t += F[cubic + (k * n + m) * n + j] * W[q + j]
                s += 0.5 * t * W[q + m]
        W[out + k] = s


@kernel
def elastic_energy(I, F, W, e, field):
    """1/2 q K q + 1/6 K3 q q q of the body with record e [J]."""
    n = I[e + L.B_NF]
    q = I[L.Q] + I[e + L.B_ELASTIC_Q]
    stiffness = I[field + L.FD_K]
    cubic = I[field + L.FD_CUBIC]
    energy = 0.0
    for k in range(n):
        for m in range(n):
            energy += 0.5 * W[q + k] * F[stiffness + k * n + m] * W[q + m]
            if cubic > 0:
                for j in range(n):
                    energy += W[q + k] * F[cubic + (k * n + m) * n + j] * W[q + m] * W[q + j] / 6.0
    return energy


@kernel
def damping_power(I, F, W, e, field):
    """-q' D q' of the body with record e [W]."""
    n = I[e + L.B_NF]
    v = I[L.V] + I[e + L.B_V] + I[e + L.B_NJ]
    damping = I[field + L.FD_D]
    power = 0.0
    if damping > 0:
        for k in range(n):
            for m in range(n):
                power -= W[v + k] * F[damping + k * n + m] * W[v + m]
    return power
