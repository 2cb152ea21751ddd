"""Force laws on scalars: what a spring or a friction gives for a deflection or a rate."""

from __future__ import annotations

import math

from flexmb.jit import kernel


@kernel
def linear_spring(stiffness, deflection):
    """Restoring effort and stored energy of a linear spring."""
    return stiffness * deflection, 0.5 * stiffness * deflection * deflection


@kernel
def friction(viscous, coulomb, transition, rate):
    """Viscous and Coulomb friction, the latter smoothed by tanh(rate / transition)."""
    effort = viscous * rate
    if coulomb > 0.0:
        effort += coulomb * math.tanh(rate / transition)
    return effort
