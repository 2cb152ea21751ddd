"""Equations of motion against those that SymPy's mechanics derives by Kane's method: pendulums on a cart (D03)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from flexmb.model.model import Model
from flexmb.symbolic.engine import as_expression
from flexmb.symbolic.equations import equations_of
from flexmb.verification.case import Comparison, case, compare

MASSES, LENGTHS, GRAVITY = (2.0, 0.7, 1.1, 0.4), (0.9, 0.5, 0.8), 9.81
"""Masses of the cart and three points [kg]; lengths of three massless links [m]; gravity [m/s^2]."""


def cart_with_pendulums() -> Model:
    """A cart on the x axis that carries a chain of points on links, all upright when their angles are zero."""
    n = len(LENGTHS)
    ends = np.concatenate([[0.0], np.cumsum(LENGTHS)])
    bodies: dict[str, Any] = {"cart": {"mass": MASSES[0], "inertia": [0, 0, 0]}}
    joints: dict[str, Any] = {
        "slide": {"type": "prismatic", "bodies": ["ground", "cart"], "at": [0, 0, 0], "axis": "x"}
    }
    names = ["cart", *[f"link{k}" for k in range(1, n + 1)]]
    for k in range(1, n + 1):
        bodies[names[k]] = {"mass": MASSES[k], "inertia": [0, 0, 0], "at": [0, float(ends[k]), 0]}
        hinge = {"type": "revolute", "bodies": names[k - 1 : k + 1], "at": [0, float(ends[k - 1]), 0], "axis": "z"}
        joints[f"hinge{k}"] = hinge
    return Model.from_tables({"model": {"gravity": [0, -GRAVITY, 0]}, "bodies": bodies, "joints": joints})


def sympy_equations() -> Callable[..., Any]:
    """Mass matrix and right side of SymPy's model as a function of slide and absolute angles, and their rates."""
    from sympy import Symbol, lambdify  # type: ignore[import-untyped]
    from sympy.physics.mechanics.models import n_link_pendulum_on_cart  # type: ignore[import-untyped]

    n = len(LENGTHS)
    kane = n_link_pendulum_on_cart(n, cart_force=False)
    values = {Symbol("g"): GRAVITY}
    values |= {Symbol(f"m{k}"): MASSES[k] for k in range(n + 1)} | {Symbol(f"l{k}"): LENGTHS[k] for k in range(n)}
    return lambdify([*kane.q, *kane.u], [kane.mass_matrix.subs(values), kane.forcing.subs(values)], "numpy")


@case("D03", "Three pendulums on a cart: equations of motion", "SymPy's physics.mechanics, Kane's method")
def pendulums_on_a_cart() -> Comparison:
    # Two derivations of the same equations, evaluated in double precision: rounding. Ours has angles between links,
    # SymPy's absolute ones: q = (slide, T angles), so that M becomes T' M T and the right side T' f.
    equations, theirs = equations_of(cart_with_pendulums()), sympy_equations()
    n = len(LENGTHS)
    T = np.eye(n + 1)
    for k in range(2, n + 1):
        T[k, k - 1] = -1.0
    rng = np.random.default_rng(3)
    wanted, found = [], []
    for q, v in rng.uniform(-2, 2, (5, 2, n + 1)):
        at = dict(zip([*equations.q, *equations.v], [*(T @ q), *(T @ v)], strict=True))
        M = np.array([[float(as_expression(x).subs(at)) for x in row] for row in equations.M])
        bias = np.array([float(as_expression(x).subs(at)) for x in equations.bias])
        found.append((T.T @ M @ T, -T.T @ bias))
        mass, force = theirs(*q, *v)
        wanted.append((np.array(mass), np.ravel(force)))
    pairs = [([sample[k] for sample in wanted], [sample[k] for sample in found]) for k in (0, 1)]
    findings = [
        compare("mass matrix, five random states", "kg, kg*m^2", *pairs[0], of_peak=1e-13),
        compare("right side, five random states", "N, N*m", *pairs[1], of_peak=1e-13),
    ]
    return Comparison(findings)
