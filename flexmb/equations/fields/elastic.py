"""Elastic and damping forces that every deformation field has: K q + 1/2 q K3 q + D q', and their energy and power."""

from __future__ import annotations

from flexmb.layout import flat_arrays as L
from flexmb.layout.access import eta_dot_of, eta_of, n_modes_of
from flexmb.machine_code.jit import kernel


@kernel
def elastic_force_into(I, F, W, body, field, out):
    """W[out + k] = K q + 1/2 q K3 q + D q' of a body record."""
    n = n_modes_of(I, body)
    eta = eta_of(I, body)
    eta_dot = eta_dot_of(I, body)
    stiffness = I[field + L.FD_K]
    damping = I[field + L.FD_D]
    cubic = I[field + L.FD_CUBIC]
    for k in range(n):
        W[out + k] = 0.0
    for m in range(n):  # row by row, as K and D are symmetric: sums that do not wait for each other
        q = W[eta + m]
        for k in range(n):
            W[out + k] += F[stiffness + m * n + k] * q
    if damping > 0:
        for m in range(n):
            v = W[eta_dot + m]
            for k in range(n):
                W[out + k] += F[damping + m * n + k] * v
    if cubic > 0:
        for k in range(n):
            s = 0.0
            for m in range(n):
                t = 0.0
                for j in range(n):
                    t += F[cubic + (k * n + m) * n + j] * W[eta + j]
                s += 0.5 * t * W[eta + m]
            W[out + k] += s


@kernel
def elastic_energy(I, F, W, body, field):
    """1/2 q K q + 1/6 K3 q q q of a body record [J]."""
    n = n_modes_of(I, body)
    eta = eta_of(I, body)
    stiffness = I[field + L.FD_K]
    cubic = I[field + L.FD_CUBIC]
    energy = 0.0
    for k in range(n):
        for m in range(n):
            energy += 0.5 * W[eta + k] * F[stiffness + k * n + m] * W[eta + m]
            if cubic > 0:
                for j in range(n):
                    energy += W[eta + k] * F[cubic + (k * n + m) * n + j] * W[eta + m] * W[eta + j] / 6.0
    return energy


@kernel
def damping_power(I, F, W, body, field):
    """-q' D q' of a body record [W]."""
    n = n_modes_of(I, body)
    eta_dot = eta_dot_of(I, body)
    damping = I[field + L.FD_D]
    power = 0.0
    if damping > 0:
        for k in range(n):
            for m in range(n):
                power -= W[eta_dot + k] * F[damping + k * n + m] * W[eta_dot + m]
    return power
