"""Force laws: the effort of a load on a length or joint coordinate.

A law reads the numbers of its row of `flexmb.loads.table` at F[p..]; the coordinate (of a pair of markers: their
distance) and its rate enter; effort, power and potential leave:
    effort : in the direction in which the coordinate grows [N, N*m]; between markers positive when it pushes
    power : without the stored part [W];    potential : stored energy [J]
"""

from __future__ import annotations

import math

from flexmb.jit import kernel
from flexmb.loads.table import LOAD_TYPES, LoadCode
from flexmb.loads.tables import linear_table

FORCE = int(LoadCode.FORCE)
MARKER, BEAM, PAIR, COORDINATE = range(4)
_ACTS_ON = tuple(
    ("marker", "beam", "pair", "coordinate").index(row.acts_on)
    for row in sorted(LOAD_TYPES.values(), key=lambda row: row.code)
)
_SPRING_DAMPER, _JOINT_SPRING = int(LoadCode.SPRING_DAMPER), int(LoadCode.JOINT_SPRING)
_FRICTION = int(LoadCode.FRICTION)


@kernel
def acts_on(code):
    """Target of a load: MARKER, BEAM, PAIR or COORDINATE."""
    return _ACTS_ON[code]


@kernel
def effort_of(code, F, p, table, position, rate, applied):
    """Effort, power and potential of a scalar law. table : place of its table in F, 0 without one; applied : value of
    its expression."""
    if code == _SPRING_DAMPER or code == _JOINT_SPRING:
        return spring(F, p, table, position, rate)
    if code == _FRICTION:
        return friction(F, p, rate)
    return applied, applied * rate, 0.0


@kernel
def spring(F, p, table, position, rate):
    """Linear or tabled spring with a linear damper. Numbers: stiffness, damping, position at rest."""
    deflection = position - F[p + 2]
    if table > 0:
        resistance, _, energy = linear_table(F, table, deflection)
    else:
        resistance = F[p] * deflection
        energy = 0.5 * F[p] * deflection * deflection
    return -resistance - F[p + 1] * rate, -F[p + 1] * rate * rate, energy


@kernel
def friction(F, p, rate):
    """Viscous and Coulomb friction, the latter smoothed. Numbers: viscous, coulomb, transition.

    effort = -viscous rate - coulomb tanh(rate / transition)
    """
    effort = F[p] * rate
    if F[p + 1] > 0.0:
        effort += F[p + 1] * math.tanh(rate / F[p + 2])
    return -effort, -effort * rate, 0.0
