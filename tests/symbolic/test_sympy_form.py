"""Equations as sympy objects, and the example that goes on with them."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from flexmb.errors import InputError
from flexmb.model.model_file import parse_model
from flexmb.symbolic.equations import equations_of
from flexmb.symbolic.sympy_form import sympy_equations
from tests.support.places import ROOT
from tests.support.symbolic_identities import made
from tests.support.symbolic_models import DOUBLE_PENDULUM, FREE, ROTOR, SERVOS

EXAMPLE = ROOT / "examples" / "06_equations_crane.py"


def test_matrices_of_sympy() -> None:
    """[RS eq. 109] in sympy, whose own simplify finds no difference."""
    import sympy

    found = sympy_equations(made(DOUBLE_PENDULUM))
    m2, l1, l2, g = sympy.symbols("m2 l1 l2 g")
    t1, t2 = found.q
    assert found.M.shape == (2, 2) and found.M == found.M.T
    assert sympy.simplify(found.M[1, 0] - m2 * l1 * l2 / 2 * sympy.cos(t2) - m2 * l2**2 / 3) == 0
    weight = m2 * g * l2 / 2 * sympy.sin(t1 + t2)
    assert sympy.simplify(found.f[1] + m2 * l1 * l2 / 2 * found.v[0] ** 2 * sympy.sin(t2) + weight) == 0
    assert found.Phi.shape == (0, 1) and found.G.shape == (0, 2)
    assert found.symbols == {sympy.Symbol(name): None for name in ("m1", "m2", "l1", "l2", "g")}


def test_constraints_and_quaternions() -> None:
    import sympy

    rotor = sympy_equations(made(ROTOR + SERVOS))
    assert rotor.G == sympy.Matrix([[1, 0, 0], [0, 0, 1]]) and rotor.gamma == sympy.zeros(2, 1)
    assert rotor.Phi.diff(rotor.t) == -sympy.Matrix([sympy.Symbol("precession"), sympy.Symbol("spin")])
    body = sympy_equations(made(FREE))
    # p . p' = 0: the stored rates keep the length of the quaternion
    p, rates = sympy.Matrix(body.q[3:]), body.q_dot[3:, 0]
    assert sympy.expand(p.dot(rates)) == 0


def test_named_results_are_refused() -> None:
    with pytest.raises(InputError, match="without named intermediate results"):
        sympy_equations(equations_of(parse_model(DOUBLE_PENDULUM, keep=()), named=True))


def test_example(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """omega^2 = (1 + ml/mt) g/L. A swing of 0.05 degrees is longer by its square, 8e-7, which the run shows."""
    import sympy

    spec = importlib.util.spec_from_file_location("example_06", EXAMPLE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = module.main(str(tmp_path / "crane.h5"))
    assert found["formula"] == pytest.approx(2 * sympy.pi.n() / ((1 + 1500 / 400) * 9.81 / 12) ** 0.5, rel=1e-14)
    assert found["run"] == pytest.approx(found["formula"], rel=2e-6)
    shown = capsys.readouterr().out
    assert "omega^2 = g*(ml + mt)/(L*mt)" in shown and "momenta that stay constant: x\n" in shown
    assert "L*ml*cos(theta)*x'' + L^2*ml*theta'' = -g*L*ml*sin(theta)" in shown
