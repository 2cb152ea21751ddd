"""Residual of the equations at given accelerations and multipliers: RES = M a + bias + G^T lam, without M.

Enters: equations with named intermediate results. Leaves: one expression for every rate, on the same names. The
accelerations of every body frame are those at constant rates and its partial velocities times the accelerations of the
coordinates; their force and moment work on the partial velocities (Kane's form, theory 6 and 7):

    RES = sum_b V_b^T (M_b (y'_b + V_b a) + h_b) - loads + sum over rows of lam grad(row)

The work grows with the number of partial velocities, not with its square as the mass matrix does.
"""

from __future__ import annotations

from typing import Any

from flexmb.symbolic.engine import Scalar, Vector
from flexmb.symbolic.equations import Equations
from flexmb.symbolic.inertia import BodyInertia, body_inertia
from flexmb.symbolic.loads import LoadMaker
from flexmb.symbolic.orders import add as plus
from flexmb.symbolic.orders import multiply
from flexmb.symbolic.recursion import Frame, TreeMotion
from flexmb.symbolic.rows import RowMaker
from flexmb.symbolic.vectors import add, apply, apply_transposed, cross, dot, is_null, scale, sub


def residual(equations: Equations) -> list[Scalar]:
    """RES of complete equations (no order), whose tape is on; new names are added to `equations.definitions`."""
    motion: TreeMotion = equations.parts.motion
    found: list[Scalar] = [0] * equations.n_v
    for place in equations.parts.places:
        frame = motion.frames[place.branch.body]
        body = motion.mechanism.bodies[place.branch.body]
        inertia = body_inertia(body, frame.q, frame.rates, frame.w, motion.tape)
        _add_body(frame, inertia, motion, equations.a, found)
    LoadMaker(RowMaker(motion, equations.parts.places, equations.q, equations.v, equations.t), found).add_all()
    for row, multiplier in zip(equations.G, equations.lam, strict=True):
        for k, entry in enumerate(row):
            found[k] = plus(found[k], multiply(entry, multiplier))
    return found


def _add_body(frame: Frame, b: BodyInertia, motion: TreeMotion, rates: list[Any], found: list[Scalar]) -> None:
    """Virtual work of the inertia of one body at the accelerations of the coordinates."""
    tape, modes = motion.tape, frame.modes
    a = sub(frame.a, apply_transposed(frame.R_w, motion.mechanism.gravity))
    alpha = frame.alpha
    for k, (velocity, turning) in frame.columns.items():
        a, alpha = add(a, scale(rates[k], velocity)), add(alpha, scale(rates[k], turning))
    a, alpha = tape.vector(a), tape.vector(alpha)
    force = add(scale(b.mass, a), cross(alpha, b.S), b.h_t)
    moment = add(cross(b.S, a), apply(b.J, alpha), b.h_r)
    for mode, k in enumerate(modes):
        force, moment = add(force, scale(rates[k], b.S_psi[mode])), add(moment, scale(rates[k], b.M_wf[mode]))
    force, moment = tape.vector(force), tape.vector(moment)
    for k, (velocity, turning) in frame.columns.items():
        if k in modes:
            found[k] = plus(found[k], _modal(k - modes.start, b, a, alpha, rates[modes.start : modes.stop]))
        if not (is_null(velocity) and is_null(turning)):
            found[k] = plus(found[k], plus(dot(velocity, force), dot(turning, moment)))


def _modal(mode: int, b: BodyInertia, a: Vector, alpha: Vector, rates: list[Any]) -> Scalar:
    """Force of a mode in its own body."""
    value = plus(plus(dot(b.S_psi[mode], a), dot(b.M_wf[mode], alpha)), b.h_f[mode])
    for other, rate in enumerate(rates):
        value = plus(value, multiply(b.M_ff[mode][other], rate))
    return value
