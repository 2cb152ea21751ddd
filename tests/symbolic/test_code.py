"""Generated code: C, Fortran, NumPy and numba give what the expressions give, and hold nothing of the model's text.

Sums of a few dozen terms of order 1 in another order: differences are a few roundings, 1e-13 relative to the largest
entry.
"""

from __future__ import annotations

import ctypes
import importlib.util
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmb as fx
from flexmb.errors import InputError
from flexmb.symbolic.code.c import C
from flexmb.symbolic.code.folder import program_name, program_of, write_code
from flexmb.symbolic.code.fortran import Fortran
from flexmb.symbolic.code.numba_code import Numba
from flexmb.symbolic.code.numpy_code import NumPy
from flexmb.symbolic.code.program import Program
from flexmb.symbolic.code.wrapping import wrapped
from flexmb.symbolic.embedding import embedded
from flexmb.symbolic.engine import Integer, Symbol, as_expression, cos, engine, sin
from flexmb.symbolic.equations import equations_of
from tests.support.places import EXAMPLES
from tests.support.written_equations import double_pendulum, slider_crank

ROUNDING = 1e-13
COMPILERS = {"c": "gcc", "fortran": "gfortran"}
SOURCES = {"c": ".c", "fortran": ".f90"}
LANGUAGES = [
    pytest.param(
        name,
        marks=pytest.mark.skipif(
            name in COMPILERS and shutil.which(COMPILERS[name]) is None, reason=f"no {COMPILERS.get(name)} here"
        ),
    )
    for name in ("c", "fortran", "numpy", "numba")
]


def tricky() -> Any:
    """Every function, cases, time, powers and roots."""
    equations = double_pendulum("tricky")
    x, y = equations.q
    t, g = equations.t, Symbol("g")
    equations.bias[0] += engine.Piecewise((x * g, x < y), (y**3, True)) + engine.Max(x, y, t) * engine.Min(x, g)
    equations.bias[0] += engine.tanh(x) + engine.Abs(x - y) + engine.sign(y - x) * 3 + engine.exp(-t) + engine.log(g)
    equations.bias[1] += engine.sqrt(x**2 + 1) ** 3 + engine.atan2(y, x) + x**5 / (1 + y) ** 2 + engine.pi
    equations.bias[1] += engine.floor(5 * x) + engine.ceiling(-7 * y) + (1 + x**2) ** as_expression(0.3) + g**-2
    equations.bias[1] += engine.asin(x / 4) + engine.acos(y / 4) + engine.atan(x) + engine.tan(y) + engine.sinh(x)
    return equations


def inputs(program: Program, seed: int) -> dict[str, Any]:
    draw = random.Random(seed)
    return {
        "t": draw.uniform(0, 1),
        "q": np.array([draw.uniform(0.1, 1) for _ in program.coordinates]),
        "v": np.array([draw.uniform(-1, 1) for _ in program.rates]),
        "p": np.array([draw.uniform(0.5, 1.5) for _ in program.parameters]),
    }


def direct(equations: Any, program: Program, at: dict[str, Any]) -> dict[str, np.ndarray]:
    """The outputs by putting numbers into the expressions."""
    values = {equations.t: at["t"]}
    for key, group in (("q", program.coordinates), ("v", program.rates), ("p", program.parameters)):
        values |= {symbol: float(x) for (symbol, _), x in zip(group, at[key], strict=True)}
    for symbol, expression in equations.definitions:
        values[symbol] = float(as_expression(expression).subs(values))

    def number(x: Any) -> float:
        return float(as_expression(x).subs(values).n(53, real=True))

    made = {"M": equations.M, "f": [-x for x in equations.bias], "phi": equations.phi, "G": equations.G}
    made |= {"phi_dot": equations.phi_dot, "gamma": equations.gamma, "q_dot": equations.q_dot}
    names = {block.name for block in program.blocks}
    return {
        name: np.vectorize(number, otypes=[float])(np.array(x, dtype=object))
        for name, x in made.items()
        if name in names
    }


def load(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(f"{path.parent.name}_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compiled(program: Program, language: str, folder: Path) -> Any:
    library = folder / "library.so"
    strict = ["-Wall", "-Wextra", "-Werror", "-std=c99", "-pedantic"] if language == "c" else ["-std=f2003", "-Wall"]
    source = folder / f"{program.name}{SOURCES[language]}"
    command = [COMPILERS[language], *strict, "-O1", "-shared", "-fPIC", source, "-o", library, "-lm", "-J", folder]
    done = subprocess.run(command[:-2] if language == "c" else command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return getattr(ctypes.CDLL(str(library)), f"{program.name}_evaluate")


def evaluator(program: Program, language: str, folder: Path) -> Any:
    """A function of the inputs that gives the outputs by name, in this language."""
    write_code(program, language, folder)
    names = [block.name for block in program.blocks]
    if language == "numpy":
        module = load(folder / f"{program.name}.py")
        return lambda at: dict(zip(names, module.evaluate(at["t"], at["q"], at["v"], at["p"]), strict=True))
    run = load(folder / f"{program.name}.py").evaluate if language == "numba" else compiled(program, language, folder)

    def evaluate(at: dict[str, Any]) -> dict[str, np.ndarray]:
        order = "F" if language == "fortran" else "C"
        outputs = [np.full(block.shape, np.nan, order=order) for block in program.blocks]
        if language == "numba":
            run(at["t"], at["q"], at["v"], at["p"], *outputs)
        else:
            arrays = [x.ctypes.data_as(ctypes.c_void_p) for x in (at["q"], at["v"], at["p"], *outputs)]
            run(ctypes.c_double(at["t"]), *arrays)
        return dict(zip(names, outputs, strict=True))

    return evaluate


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("make", [slider_crank, tricky])
def test_code_agrees_with_the_expressions(make: Any, language: str, tmp_path: Path) -> None:
    equations = make()
    program = program_of(equations)
    evaluate = evaluator(program, language, tmp_path / "code")
    for seed in range(3):
        at = inputs(program, seed)
        found, expected = evaluate(at), direct(equations, program, at)
        assert found.keys() == expected.keys()
        for name, value in expected.items():
            np.testing.assert_allclose(
                found[name], value, rtol=0, atol=ROUNDING * max(1, abs(value).max()), err_msg=name
            )


@pytest.mark.parametrize("language", LANGUAGES)
def test_code_of_a_model_with_named_steps(language: str, tmp_path: Path) -> None:
    """The rotor of the examples, drives and all, from named intermediate results and from whole expressions."""
    model = fx.read_model(EXAMPLES / "03_pendulating_rotor.toml")
    whole, named = (equations_of(model, keep="all", named=flag) for flag in (False, True))
    assert named.definitions
    program = program_of(named)
    evaluate = evaluator(program, language, tmp_path / "code")
    at = inputs(program, 4)
    expected = direct(whole, program, at)
    for name, value in evaluate(at).items():
        atol = ROUNDING * max(1, abs(expected[name]).max())
        np.testing.assert_allclose(value, expected[name], rtol=0, atol=atol, err_msg=name)


def test_numpy_takes_many_states_at_once(tmp_path: Path) -> None:
    program = program_of(slider_crank())
    evaluate = evaluator(program, "numpy", tmp_path / "code")
    single = [inputs(program, seed) for seed in range(5)]
    many = {key: np.stack([np.asarray(at[key]) for at in single], axis=-1) for key in ("t", "q", "v")}
    found = evaluate({**many, "p": single[0]["p"]})
    for k, at in enumerate(single):
        one = evaluate({**at, "p": single[0]["p"]})
        for name, value in one.items():
            np.testing.assert_array_equal(found[name][..., k], value)


def test_embedding_code(tmp_path: Path) -> None:
    """T^T (M a + bias) = 0 whatever the multipliers were: T^T G^T = 0, with J from the same code."""
    equations = equations_of(fx.read_model(EXAMPLES / "02_planar_slider_crank.toml"), keep="all")
    reduced = embedded(equations)
    plain, program = program_of(equations), program_of(equations, reduced)
    evaluate, whole = (evaluator(p, "numpy", tmp_path / n) for p, n in ((program, "a"), (plain, "b")))
    at = inputs(program, 1)
    found, full = evaluate(at), whole(at)
    T = np.zeros((len(equations.v), len(reduced.independent)))
    T[list(reduced.independent)] = np.eye(len(reduced.independent))
    T[list(reduced.dependent)] = found["J"]
    np.testing.assert_allclose(full["G"] @ T, 0, atol=ROUNDING)
    np.testing.assert_allclose(found["M"], T.T @ full["M"], atol=ROUNDING)
    np.testing.assert_allclose(found["f"], T.T @ full["f"], atol=ROUNDING)


def test_examples_run(tmp_path: Path) -> None:
    """The examples that are written beside the code do run, as the README says."""
    program = program_of(double_pendulum())
    for language in ("numpy", "numba"):
        write_code(program, language, tmp_path / language)
        done = subprocess.run([sys.executable, "example.py"], cwd=tmp_path / language, capture_output=True, text=True)
        assert done.returncode == 0 and "a =" in done.stdout, done.stderr
    for language in (name for name in COMPILERS if shutil.which(COMPILERS[name])):
        write_code(program, language, tmp_path / language)
        line = next(x for x in (tmp_path / language / "README.md").read_text().splitlines() if "./example" in x)
        done = subprocess.run(line.strip(), shell=True, cwd=tmp_path / language, capture_output=True, text=True)
        assert done.returncode == 0 and done.stdout.startswith("M\n"), done.stderr


@pytest.mark.parametrize("language", ["c", "fortran", "numpy", "numba"])
def test_nothing_of_the_model_reaches_the_code(language: str, tmp_path: Path) -> None:
    equations = double_pendulum('x */ #include "/etc/passwd" \n""" import os\n! end')
    program = program_of(equations)
    paths = write_code(program, language, tmp_path / "code")
    for path in paths:
        if path.name != "README.md":
            assert "passwd" not in path.read_text().replace(program.name, "") and "import os" not in path.read_text()
    assert program.name.isidentifier() and "\n" not in program.title


def test_readme(tmp_path: Path) -> None:
    write_code(program_of(slider_crank()), "c", tmp_path / "code")
    text = (tmp_path / "code" / "README.md").read_text()
    for piece in (
        "M a + G^T lam = f,  phi = 0,  phi_dot = 0,  G a + gamma = 0",
        "void slider_crank_evaluate(double t, const double *q, const double *v, const double *p,",
        "| 2 | s | slide of joint s_joint [m] |",
        "| 0 | alpha1_dot | rate of alpha1 [rad/s] |",
        "| 4 | torque | none in the model |",
        "| G | 2 x 3 |",
        "cc -O2 -shared -fPIC slider_crank.c -o libslider_crank.so -lm",
    ):
        assert piece in text


def test_foreign_files_are_not_replaced(tmp_path: Path) -> None:
    program = program_of(double_pendulum())
    folder = tmp_path / "code"
    write_code(program, "c", folder)
    write_code(program, "c", folder)  # our own files are
    (folder / "example.c").write_text("int main(void) { return 7; }")
    with pytest.raises(InputError, match="example.c"):
        write_code(program, "c", folder)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="is a file"):
        write_code(program, "c", tmp_path / "file")


@pytest.mark.parametrize("language", [C(), Fortran(), NumPy(), Numba()])
def test_names_are_safe(language: Any) -> None:
    words = ["double", "if", "lambda", "end", "M", "m", "I", "i", "q", "x0", "z1", "Z1", "sin", "ä", "a b;", "9"]
    names = language.names(map(Symbol, words), ["q", "M"])
    shown = list(names.values())
    assert all(name.isidentifier() and name.isascii() for name in shown)
    folded = [name.lower() for name in shown] if language.folds_case else shown
    assert len(set(folded)) == len(words)
    assert not {*shown} & {*language.words, *language.functions.values(), "q", "M"}


def test_unknown_functions_are_refused() -> None:
    with pytest.raises(InputError, match="'gamma' cannot be written in C"):
        C().write(engine.gamma(Symbol("x")), {"x": "x"})


def test_long_lines_are_broken() -> None:
    line = "    a = " + " + ".join(f"variable_{k}*cos(z{k})" for k in range(40))
    pieces = wrapped(line, " &")
    assert max(map(len, pieces)) <= 114 and "".join(p.removesuffix(" &").strip() for p in pieces).count("+") == 39


def test_parameter_steps_come_first() -> None:
    """What depends on the parameters alone is computed before the state is looked at."""
    l, m, x = map(Symbol, ("l1", "m1", "theta1"))
    equations = double_pendulum()
    equations.M[0][0] = (l**2 * m + 1) * cos(x) + engine.sqrt(l**2 * m + 1) * sin(x)
    program = program_of(equations)
    parameters = {symbol for symbol, _ in program.parameters}
    assert program.constants
    for symbol, expression in program.constants:
        assert expression.free_symbols <= parameters
        parameters.add(symbol)
    assert all(not expression.free_symbols <= parameters for _, expression in program.steps)


@pytest.mark.parametrize(
    ("title", "name"),
    [("Double pendulum", "double_pendulum"), ("", "model"), ("3 bars", "model_3_bars"), ("if", "model_if")],
)
def test_program_names(title: str, name: str) -> None:
    assert program_name(title) == name


@pytest.mark.parametrize("language", ["numpy", "c"])
def test_cyclic_coordinates_named_as_the_engine_names_steps(language: str, tmp_path: Path) -> None:
    """x0, x1, ... in no expression: the engine takes these names for its steps."""
    model = fx.Model("sliders")
    for k in range(4):
        before = f"b{k - 1}" if k else model.ground
        model.rigid(f"b{k}", mass=1 + k, inertia=(1, 1, 1), center=(0.3, 0.1, 0))
        kind = model.revolute if k == 3 else model.prismatic
        kind(f"x{k}", before, f"b{k}", at=(0, 0, 0), axis=("x", "y", "x", "z")[k])
    equations = equations_of(model)
    program = program_of(equations)
    evaluate = evaluator(program, language, tmp_path / "code")
    at = inputs(program, 2)
    expected = direct(equations, program, at)
    for name, value in evaluate(at).items():
        np.testing.assert_allclose(value, expected[name], rtol=0, atol=20 * ROUNDING, err_msg=name)


def test_zero_entries() -> None:
    equations = double_pendulum()
    equations.bias = [0, Integer(0)]
    block = next(block for block in program_of(equations).blocks if block.name == "f")
    assert block.entries == () and block.shape == (2,)
