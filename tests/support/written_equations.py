"""Equations written by hand from the literature, in the shape of `Equations`: printing and code are tested on them.

Double pendulum [RS eq. 108, 109]; planar slider-crank [SM eq. 36, 42, 43] with its two constraint rows.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from flexmb.symbolic.engine import Rational, Symbol, cos, sin

HALF, THIRD = Rational(1, 2), Rational(1, 3)


def _coordinates(names: dict[str, str]) -> list[SimpleNamespace]:
    return [
        SimpleNamespace(
            name=name,
            rate=Symbol(f"{name}_dot"),
            position=Symbol(name),
            unit=unit,
            meaning=f"{'angle' if unit == 'rad' else 'slide'} of joint {name}_joint",
            is_angle=unit == "rad",
            is_elastic=False,
        )
        for name, unit in names.items()
    ]


def _equations(name: str, names: dict[str, str], symbols: dict[str, float | None], **parts: Any) -> SimpleNamespace:
    coordinates = _coordinates(names)
    rows = parts.pop("rows", [])
    empty: dict[str, Any] = {"phi": [], "G": [], "phi_dot": [], "gamma": []}
    made = SimpleNamespace(
        mechanism=SimpleNamespace(name=name, symbols=symbols, bodies=[None, None, None]),
        order=None,
        coordinates=coordinates,
        t=Symbol("t"),
        q=[c.position for c in coordinates],
        v=[c.rate for c in coordinates],
        a=[Symbol(f"{c.name}_ddot") for c in coordinates],
        definitions=[],
        lam=[Symbol(f"lambda_{k}") for k in range(1, len(rows) + 1)],
        q_dot=[c.rate for c in coordinates],
        rows=[SimpleNamespace(owner=owner, text=text) for owner, text in rows],
        angles=[c.position for c in coordinates if c.is_angle],
    )
    made.__dict__.update({**empty, **parts})
    return made


def double_pendulum(name: str = "Double pendulum") -> SimpleNamespace:
    """The recursion's way of writing it: products of single sines and cosines, nothing collected."""
    m1, m2, l1, l2, g, th1, th2, w1, w2 = map(
        Symbol, ("m1", "m2", "l1", "l2", "g", "theta1", "theta2", "theta1_dot", "theta2_dot")
    )
    c1, s1, c2, s2 = cos(th1), sin(th1), cos(th2), sin(th2)
    coupling = m2 * l1 * l2 * c2 * HALF + m2 * l2**2 * THIRD
    s12 = s1 * c2 + c1 * s2
    M = [
        [(m1 * THIRD + m2) * l1**2 * (c1**2 + s1**2) + m2 * l1 * l2 * c2 + m2 * l2**2 * THIRD, coupling],
        [coupling, m2 * l2**2 * THIRD],
    ]
    bias = [
        -(m2 * l1 * l2 * HALF) * (w1 + w2) ** 2 * s2
        + (m1 * HALF + m2) * g * l1 * s1
        + m2 * l1 * l2 * HALF * w1**2 * s2
        + m2 * g * l2 * HALF * s12,
        m2 * l1 * l2 * HALF * w1**2 * s2 + m2 * g * l2 * HALF * s12,
    ]
    symbols: dict[str, float | None] = {"m1": 1.0, "m2": 0.7, "l1": 1.0, "l2": 0.8, "g": 9.81}
    return _equations(name, {"theta1": "rad", "theta2": "rad"}, symbols, M=M, bias=bias)


def slider_crank() -> SimpleNamespace:
    """Three branch coordinates and two rows; symbols whose names differ by their capitals only, and words of C."""
    m, I, l, L, torque, a1, a2, s, w1, w2, ws = map(
        Symbol,
        ("double", "I", "l", "L", "torque", "alpha1", "alpha2", "s", "alpha1_dot", "alpha2_dot", "s_dot"),
    )
    quarter = Rational(1, 4)
    off = I + m * L**2 * quarter - m * l * L * cos(a2) * HALF
    M = [
        [2 * I + m * l**2 * quarter + m * (l**2 + L**2 * quarter) - m * l * L * cos(a2), off, 0],
        [off, I + m * L**2 * quarter, 0],
        [0, 0, 0],
    ]
    bias = [
        m * l * L * HALF * (w2**2 + 2 * w1 * w2) * sin(a2) - torque,
        -m * l * L * HALF * w1**2 * sin(a2),
        0,
    ]
    c12 = cos(a1) * cos(a2) - sin(a1) * sin(a2)
    s12 = sin(a1) * cos(a2) + cos(a1) * sin(a2)
    phi = [l * cos(a1) - L * c12 - s, l * sin(a1) - L * s12]
    G = [[-l * sin(a1) + L * s12, L * s12, -1], [l * cos(a1) - L * c12, -L * c12, 0]]
    phi_dot = [sum((G[r][k] * w for k, w in enumerate((w1, w2, ws))), 0 * w1) for r in range(2)]
    gamma = [
        -l * w1**2 * cos(a1) + L * (w1 + w2) ** 2 * c12,
        -l * w1**2 * sin(a1) + L * (w1 + w2) ** 2 * s12,
    ]
    symbols: dict[str, float | None] = {"double": 0.5, "I": 1e-3, "l": 0.15, "L": 0.35, "torque": None}
    rows = [("slider", "offset along x"), ("slider", "offset along y")]
    names = {"alpha1": "rad", "alpha2": "rad", "s": "m"}
    return _equations(
        "Slider-crank", names, symbols, M=M, bias=bias, rows=rows, phi=phi, G=G, phi_dot=phi_dot, gamma=gamma
    )
