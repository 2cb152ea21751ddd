"""Power of everything that adds or removes energy, in symbols: loads, motions, damping of flexible bodies.

load     -sum over rates of what it adds to the bias; of springs only what their dampers take
motion   -lam f'(t), with f' = G v - Phi' of its row
damping  -q' D q' of the elastic rates of a body
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from flexmb.symbolic.engine import Scalar
from flexmb.symbolic.equations import Equations
from flexmb.symbolic.loads import LoadMaker
from flexmb.symbolic.orders import add as plus
from flexmb.symbolic.orders import multiply, negative, subtract
from flexmb.symbolic.recursion import TreeMotion
from flexmb.symbolic.rows import RowMaker
from flexmb.symbolic.vectors import dot


def power_of_load(equations: Equations, name: str) -> Scalar:
    """Power of the force `name` of the model, without the energy that a spring stores."""
    motion: TreeMotion = equations.parts.motion
    spec = motion.mechanism.spec
    force = spec.forces[name]
    if getattr(force, "stiffness", None) is not None:
        force = force.model_copy(update={"stiffness": 0.0})
    alone = replace(motion.mechanism, spec=spec.model_copy(update={"forces": {name: force}}))
    rows = RowMaker(replace(motion, mechanism=alone), equations.parts.places, equations.q, equations.v, equations.t)
    bias: list[Scalar] = [0] * equations.n_v
    LoadMaker(rows, bias).add_all()
    return negative(dot(bias, equations.v))


def power_of_row(equations: Equations, row: int) -> Scalar:
    """Power of the motion that a constraint row prescribes."""
    speed = subtract(dot(equations.G[row], equations.v), equations.phi_dot[row])
    return negative(multiply(equations.lam[row], speed))


def power_of_damping(equations: Equations, body: int) -> Scalar:
    """Power of the elastic damping of a body, by its number in the mechanism."""
    frame = equations.parts.motion.frames[body]
    found: Scalar = 0
    for (k, l), value in equations.mechanism.bodies[body].elastic.damping.items():
        found = plus(found, multiply(value, multiply(frame.rates[k], frame.rates[l])))
    return negative(found)


POWERS: dict[str, Callable[[Any, Any], Scalar]] = {
    "load": power_of_load,
    "row": power_of_row,
    "damping": power_of_damping,
}
"""Kind of a work channel -> function of the equations and of its name or number that returns its power."""
