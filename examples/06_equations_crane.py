"""Symbolic equations: derive them, use them in sympy, and check the result by a run of the same model.

An overhead crane: a load hangs on a rod from a trolley that rolls freely (06_equations_crane.toml). The equations are
printed, linearised about the hanging load, and solved for the frequency of small swings; a run counts the swings.

    python examples/06_equations_crane.py

Expected: omega^2 = (1 + ml/mt) g/L, a period of 3.188520 s; the run swings with 3.188523 s.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import sympy

import flexmb as fx
from flexmb.symbolic.energy import energy_of
from flexmb.symbolic.equations import equations_of
from flexmb.symbolic.sheet import sheet_of
from flexmb.symbolic.sympy_form import sympy_equations
from flexmb.symbolic.text import text_of

MODEL = Path(__file__).with_suffix(".toml")


def small_swings(equations: Any) -> Any:
    """omega^2 of small motions about q = 0 as a formula: the root of det(K - omega^2 M) that is not zero."""
    found = sympy_equations(equations)
    rest = {symbol: 0 for symbol in (*found.q, *found.v)}
    M, K = found.M.subs(rest), -found.f.jacobian(found.q).subs(rest)
    square = sympy.Symbol("omega2")
    roots = sympy.solve((K - square * M).det(), square)
    return next(sympy.simplify(root) for root in roots if root != 0)


def period_of(time: np.ndarray, angle: np.ndarray) -> float:
    """Mean time [s] between upward zero crossings, which are interpolated."""
    before = np.flatnonzero((angle[:-1] < 0) & (angle[1:] >= 0))
    share = -angle[before] / (angle[before + 1] - angle[before])
    crossings = time[before] + share * (time[before + 1] - time[before])
    return float(np.mean(np.diff(crossings)))


def main(output: str = "crane.h5") -> dict[str, float]:
    """Derive, print, solve and compare; return the periods."""
    model = fx.read_model(MODEL)
    equations = equations_of(model)
    print(text_of(sheet_of(equations)))

    energy = energy_of(equations)
    print(f"energy stays constant: {energy.is_constant}")
    print(f"momenta that stay constant: {', '.join(momentum.coordinate for momentum in energy.momenta)}")

    square = small_swings(equations)
    values = sympy_equations(equations).symbols
    found = {"formula": float(2 * sympy.pi / sympy.sqrt(square.subs(values)))}
    result = fx.run_model(model, output)
    found["run"] = period_of(result.time, result["sensors/theta"])
    print(f"small swings: omega^2 = {square}, period {found['formula']:.6f} s; of the run {found['run']:.6f} s")
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
