"""Equations as text and LaTeX: as printed in the papers, complete, refused when nobody could read them.

Covers: symbolic.equations, symbolic.latex, symbolic.names, symbolic.sheet, symbolic.steps.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

import flexmb as fx
from flexmb.errors import InputError
from flexmb.symbolic.embedding import embedded
from flexmb.symbolic.engine import Integer, Symbol, cos, engine, sin
from flexmb.symbolic.equations import equations_of
from flexmb.symbolic.latex import latex_of
from flexmb.symbolic.sheet import sheet_of
from flexmb.symbolic.steps import Steps, matrix_text
from flexmb.symbolic.text import WIDTH, text_of
from tests.support.places import EXAMPLES
from tests.support.written_equations import double_pendulum, slider_crank


def squeezed(text: str) -> str:
    """Without line breaks and double spaces."""
    return " ".join(text.split())


def test_double_pendulum_as_in_the_paper() -> None:
    """[RS eq. 108, 109], term by term."""
    text = text_of(sheet_of(double_pendulum()))
    flat = squeezed(text)
    for line in (
        "M[1,1] = 1/3*l1^2*m1 + l1^2*m2 + 1/3*l2^2*m2 + l1*l2*m2*cos(theta2)",
        "M[2,1] = 1/3*l2^2*m2 + 1/2*l1*l2*m2*cos(theta2)",
        "M[2,2] = 1/3*l2^2*m2",
        "f[1] = 1/2*l1*l2*m2*theta2'*(2*theta1' + theta2')*sin(theta2) - g*l1*(1/2*m1 + m2)*sin(theta1) "
        "- 1/2*g*l2*m2*sin(theta1 + theta2)",
        "f[2] = -1/2*l1*l2*m2*theta1'^2*sin(theta2) - 1/2*g*l2*m2*sin(theta1 + theta2)",
        "(1/3*l2^2*m2 + 1/2*l1*l2*m2*cos(theta2))*theta1'' + 1/3*l2^2*m2*theta2''",
        "m2 = 0.7",
    ):
        assert line in flat
    assert "Constraints" not in text and "M[1,2]" not in text
    assert max(map(len, text.splitlines())) <= WIDTH + 30  # a note may stand behind an expression


def test_constraints_of_the_slider_crank_as_in_the_paper() -> None:
    """[SM eq. 36, 42, 43]; zeros are counted, not printed."""
    flat = squeezed(text_of(sheet_of(slider_crank())))
    for line in (
        "M a + G^T lambda = f, Phi = 0",
        "Phi[1] = l*cos(alpha1) - s - L*cos(alpha1 + alpha2) (slider: offset along x)",
        "Phi[2] = l*sin(alpha1) - L*sin(alpha1 + alpha2)",
        "f[1] = torque - 1/2*double*L*l*alpha2'*(2*alpha1' + alpha2')*sin(alpha2)",
        "G[1,3] = -1",
        "gamma[1] = L*(alpha1' + alpha2')^2*cos(alpha1 + alpha2) - l*alpha1'^2*cos(alpha1)",
        "torque = ?",
        "(the other entry is zero)",
        "-lambda_1 = 0",
    ):
        assert line in flat


def test_state_space_form() -> None:
    flat = squeezed(text_of(sheet_of(double_pendulum(), "state-space")))
    assert "q'[1] = theta1'" in flat and "M v' = f" in flat
    with pytest.raises(InputError, match="2 constraint rows"):
        sheet_of(slider_crank(), "state-space")


def test_embedding_form_of_the_slider_crank() -> None:
    """The corrected J of [SM eq. 37]: its first row is l11 cos a1/(l12 cos(a1 + a2)) - 1."""
    equations = equations_of(fx.read_model(EXAMPLES / "02_planar_slider_crank.toml"), keep="all")
    flat = squeezed(text_of(sheet_of(equations, "embedding", embedded=embedded(equations))))
    assert "J[1,1] = l11*cos(alpha1)/(l12*cos(alpha1 + alpha2)) - 1" in flat
    assert "0.25*l11*l12*(J[1,1]*alpha1'^2 - 2*alpha1'*alpha2' - alpha2'^2)*sin(alpha2) + torque" in flat


def test_long_equations_are_printed_by_named_parts() -> None:
    equations = double_pendulum()
    x = [Symbol(f"b{k}") for k in range(40)]
    long = Integer(1)
    for k, symbol in enumerate(x):
        long = long * (sin(symbol + k) + cos(symbol) * equations.q[0])
    equations.M[0][0] = long * long.subs({x[0]: x[1]}) + sum(
        (sin(s * k + long) * cos(s) for s in x for k in range(1, 30)), Integer(0)
    )
    sheet = sheet_of(equations)
    text = text_of(sheet)
    assert "Definitions of common subexpressions" in text and re.search(r"^  z1 = ", text, re.MULTILINE)
    assert not re.search(r"\bx\d+\b", text)  # no name of the engine is left
    assert not sheet.rows
    assert r"z_{1} &= " in latex_of(sheet)


def test_too_many_operations_are_refused() -> None:
    equations = double_pendulum()
    equations.M[0][0] = engine.Add(*(sin(Symbol("l1") ** k + k * Symbol("l2")) for k in range(1, 2600)))
    with pytest.raises(InputError, match="operations") as caught:
        sheet_of(equations)
    assert "--code c" in caught.value.faults[0].hint


def test_latex_is_well_formed() -> None:
    equations = slider_crank()
    equations.mechanism.name = "50% of {Crank} & \\slider_#1"
    text = latex_of(sheet_of(equations))
    assert r"50\% of \{Crank\} \& \textbackslash{}slider\_\#1" in text
    assert r"\dot{\alpha}_{1}" in text and r"\ddot{\alpha}_{2}" in text and r"\lambda_{1}" in text
    assert r"\Phi_{1} &= l \cos \alpha_{1} - s - L \cos\left(\alpha_{1} + \alpha_{2}\right)" in text
    plain = re.sub(r"\\[{}]", "", text)
    assert plain.count("{") == plain.count("}") and text.count(r"\left(") == text.count(r"\right)")
    begun, ended = re.findall(r"\\begin\{(.*?)\}", text), re.findall(r"\\end\{(.*?)\}", text)
    assert sorted(begun) == sorted(ended) and begun[0] == "document" == ended[-1]
    assert r"\documentclass" not in latex_of(sheet_of(equations), document=False)


@pytest.mark.parametrize("name", ["02_planar_slider_crank", "03_pendulating_rotor"])
def test_every_formula_can_be_set(name: str) -> None:
    """An independent reader of TeX formulas (matplotlib's) takes every line."""
    from matplotlib.mathtext import MathTextParser

    text = latex_of(sheet_of(equations_of(fx.read_model(EXAMPLES / f"{name}.toml"), keep="all")))
    parser = MathTextParser("path")
    blocks = re.findall(r"\\begin\{align\*\}\n(.*?)\\end\{align\*\}", text, re.DOTALL)
    lines = [line.strip().removesuffix(r"\\").strip() for block in blocks for line in block.splitlines()]
    assert len(lines) > 10
    for line in lines:
        assert line.count("&") == 1
        parser.parse(f"${line.replace('&', '')}$")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex here")
def test_latex_compiles(tmp_path: Path) -> None:
    (tmp_path / "x.tex").write_text(latex_of(sheet_of(slider_crank())), encoding="utf-8")
    done = subprocess.run(["pdflatex", "-interaction=nonstopmode", "x.tex"], cwd=tmp_path, capture_output=True)
    assert done.returncode == 0 and (tmp_path / "x.pdf").exists()


def test_rates_without_coordinates() -> None:
    """The angular velocity of a spherical joint is a rate of nothing: no prime of its own, one for its derivative."""
    model = fx.Model("ball", gravity=(0, 0, -9.81))
    model.rigid("top", mass=1, inertia=(1, 2, 3), center=(0.1, 0, 0))
    model.spherical("ball", model.ground, "top", at=(0, 0, 0))
    text = text_of(sheet_of(equations_of(model), "state-space"))
    assert "ball_wx'" in text and "ball_wx''" not in text
    assert "unit quaternions: ball_p0, ball_p1, ball_p2, ball_p3" in text
    assert "q'[1] = " in text


@pytest.fixture(scope="module")
def crank() -> SimpleNamespace:
    equations = equations_of(fx.read_model(EXAMPLES / "02_planar_slider_crank.toml"), keep="all")
    return SimpleNamespace(equations=equations, sheet=sheet_of(equations))


def test_four_steps(crank: SimpleNamespace) -> None:
    flat = squeezed(Steps(crank.equations, crank.sheet).text())
    for piece in (
        "Step 1: branch transformations",
        "r = (l11*cos(alpha1) - l12*cos(alpha1 + alpha2), l11*sin(alpha1) - l12*sin(alpha1 + alpha2), 0)",
        "omega = (0, 0, alpha1' + alpha2')",
        "Step 2: constraint equations",
        "chord 'slider', circuit: slider",
        "Phi[1] = l11*sin(alpha1) - l12*sin(alpha1 + alpha2) = 0",
        "Step 3: cutset equations",
        "cutset of branch 'crank_pin': crank_pin + body rod + slider",
        "inertia and weight of crank: -0.1*l11^2*alpha1''",
        "applied forces: torque",
        "Step 4: dynamic equations",
    ):
        assert piece in flat


def test_matrices(crank: SimpleNamespace) -> None:
    text = matrix_text(crank.equations)
    assert "Incidence matrix S" in text and "Path matrix T" in text
    assert "crank_pin, alpha2': (0, 0, 1); (0, 0, 0)" in text
