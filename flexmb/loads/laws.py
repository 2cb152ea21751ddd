"""Force laws: the effort of a load on a length or joint coordinate.

A law reads the numbers of its row of `flexmb.loads.table` at F[p..]; the coordinate (of a pair of markers: their
distance) and its rate enter; effort, power and potential leave in the block of the load at W[out..], zero before:
    effort : in the direction in which the coordinate grows [N, N*m]; between markers positive when it pushes
    power : without the stored part [W];    potential : stored energy [J]
"""

from __future__ import annotations

import math

from flexmb.loads.table import LOAD_TYPES, LoadCode
from flexmb.loads.tables import linear_table
from flexmb.machine_code.jit import kernel

EFFORT, POWER, POTENTIAL = range(3)
"""Places in the block of a load."""
FORCE = int(LoadCode.FORCE)
MARKER, BEAM, PAIR, COORDINATE, SHAPE, AXIS, FRAMES, PATH = range(8)
_SUBJECTS = {
    "marker": MARKER, "beam": BEAM, "pair": PAIR, "coordinate": COORDINATE,
    "shape": SHAPE, "axis": AXIS, "frames": FRAMES, "path": PATH,
}  # fmt: skip
_ACTS_ON = sum(_SUBJECTS[row.acts_on] << 3 * row.code for row in LOAD_TYPES.values())
"""Three bits a code: what the load acts on."""
_SPRING_DAMPER, _JOINT_SPRING = int(LoadCode.SPRING_DAMPER), int(LoadCode.JOINT_SPRING)
_FRICTION = int(LoadCode.FRICTION)
_PAIR_FORCE = int(LoadCode.PAIR_FORCE)
_STOP, _JOINT_STOP, _MARKER_STOP = int(LoadCode.STOP), int(LoadCode.JOINT_STOP), int(LoadCode.MARKER_STOP)


@kernel
def acts_on(code):
    """Target of a load: MARKER, BEAM, PAIR, COORDINATE, SHAPE, AXIS, FRAMES or PATH."""
    return (_ACTS_ON >> 3 * code) & 7


@kernel
def law_into(code, F, p, table, position, rate, applied, W, out):
    """Effort, power and potential of a scalar law. table : place of its table in F, 0 without one; applied : value of
    its expression."""
    if code == _SPRING_DAMPER or code == _JOINT_SPRING:
        spring_into(F, p, table, position, rate, W, out)
    elif code == _FRICTION:
        friction_into(F, p, rate, W, out)
    elif code == _PAIR_FORCE:  # its expression is a tension
        W[out + EFFORT] = -applied
        W[out + POWER] = -applied * rate
    elif code == _STOP or code == _JOINT_STOP or code == _MARKER_STOP:
        stop_into(F, p, position, rate, W, out)
    else:
        W[out + EFFORT] = applied
        W[out + POWER] = applied * rate


@kernel
def spring_into(F, p, table, position, rate, W, out):
    """Linear or tabled spring with a linear damper. Numbers: stiffness, damping, position at rest."""
    deflection = position - F[p + 2]
    if table > 0:
        resistance, _, energy = linear_table(F, table, deflection)
    else:
        resistance = F[p] * deflection
        energy = 0.5 * F[p] * deflection * deflection
    W[out + EFFORT] = -resistance - F[p + 1] * rate
    W[out + POWER] = -F[p + 1] * rate * rate
    W[out + POTENTIAL] = energy


@kernel
def friction_into(F, p, rate, W, out):
    """Viscous and Coulomb friction, the latter smoothed. Numbers: viscous, coulomb, transition.

    effort = -viscous rate - coulomb tanh(rate / transition)
    """
    effort = F[p] * rate
    if F[p + 1] > 0.0:
        effort += F[p + 1] * math.tanh(rate / F[p + 2])
    W[out + EFFORT] = -effort
    W[out + POWER] = -effort * rate


@kernel
def stop_into(F, p, position, rate, W, out):
    """Stop at both ends of a range. Numbers: lower, upper end, stiffness, exponent, damping.

    force = stiffness d^exponent max(0, 1 + damping d_dot), d > 0 the depth beyond an end    [Hunt & Crossley 1975]
    """
    side = 1.0
    depth = F[p] - position
    if position > F[p + 1]:
        side = -1.0
        depth = position - F[p + 1]
    if depth <= 0.0:
        W[out + EFFORT] = 0.0
        return
    approach = -side * rate
    elastic = F[p + 2] * depth ** F[p + 3]
    force = elastic * max(0.0, 1.0 + F[p + 4] * approach)
    W[out + EFFORT] = side * force
    W[out + POWER] = (elastic - force) * approach
    W[out + POTENTIAL] = elastic * depth / (F[p + 3] + 1.0)
