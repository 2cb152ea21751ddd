"""flexmb's equations in symbols: the rigid examples as text, the flexible one as compiled C.

python benchmarks/ours_symbolic.py      prints the times of every stage
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from c_loop import Compiled, compile_loop
from places import MODELS

from flexmb.model.model_file import parse_model
from flexmb.symbolic import unit_beam
from flexmb.symbolic.code.folder import write_code
from flexmb.symbolic.code.program import Program
from flexmb.symbolic.embedding import Embedded, embedded
from flexmb.symbolic.engine import Symbol, as_expression
from flexmb.symbolic.equations import Equations, equations_of
from flexmb.symbolic.request import code_of
from flexmb.symbolic.sheet import sheet_of
from flexmb.symbolic.text import text_of

RIGID: dict[str, tuple[str, dict[str, str], dict[str, float]]] = {
    "double pendulum": (
        "01_double_pendulum.toml",
        {"[0, -9.81, 0]": '[0, "-$g", 0]', "mass = 1.0": 'mass = "$m1"', "mass = 0.7": 'mass = "$m2"'},
        {"m1": 1.0, "m2": 0.7, "g": 9.81},
    ),
    "planar slider-crank": (
        "02_planar_slider_crank.toml",
        {'"0.3 kg"': '"$m11"', '"0.5 kg"': '"$m12"'},
        {"m11": 0.3, "m12": 0.5},
    ),
    "pendulating rotor": ("03_pendulating_rotor.toml", {"[0, 0, -9.81]": '[0, 0, "-$g"]'}, {"g": 9.81}),
}
"""File of an example, what is replaced so that nothing but symbols is left, and the values of the new symbols."""
CHORD = "the example: chord, 3 sines a plane"
TANGENT = "as in the paper: tangent at B, 3 monomials a plane"
FLEXIBLE = {
    TANGENT: {'family = "modes"': 'family = "monomials"', 'frame = "chord"': 'frame = "end"'},
    CHORD: {},
}
LOOP = """
void repeat(long n, double *q, const double *v, const double *p, OUTPUTS)
{
    for (long k = 0; k < n; k++) {
        q[0] += 1e-9;
        NAME_evaluate(1e-6 * k, q, v, p, ARGUMENTS);
    }
}
"""


def _replaced(file: str, changes: dict[str, str]) -> str:
    text = (MODELS / file).read_text()
    for old, new in changes.items():
        if old not in text:
            raise ValueError(f"{file} has changed: no {old}")
        text = text.replace(old, new)
    return text


def model_text(example: str) -> str:
    """A rigid example in which every mass, length and acceleration is a symbol."""
    file, changes, symbols = RIGID[example]
    added = "\n".join(["[symbols]", *(f"{name} = {value}" for name, value in symbols.items()), "", "[points]"])
    return _replaced(file, changes).replace("[points]", added, 1)


def read(example: str) -> Any:
    return parse_model(model_text(example), keep="all")


def derive(model: Any) -> Equations:
    """M, forcing and constraints of a model that has been read."""
    return equations_of(model, keep="all")


def eliminated(model: Any, example: str) -> tuple[Equations, Embedded | None]:
    """The same, and without the dependent rates of a loop, which KanesMethod eliminates as well."""
    equations = derive(model)
    return equations, embedded(equations) if example == "planar slider-crank" else None


def printed(example: str) -> str:
    """From the text of the model file to the text of the equations."""
    equations, reduced = eliminated(read(example), example)
    return text_of(sheet_of(equations, "embedding" if reduced else "augmented", embedded=reduced))


def accelerations(example: str, q: list[float], v: list[float]) -> tuple[list[float], dict[str, float]]:
    """Accelerations of the same mechanism without its motions, and the values of the symbols."""
    model = read(example)
    equations = derive(model)
    symbols = equations.mechanism.symbols
    values = dict(zip([*equations.q, *equations.v], [*q, *v], strict=True))
    values |= {Symbol(name): value for name, value in symbols.items()}

    def numbers(rows: list[list[Any]]) -> Any:
        return np.array([[float(as_expression(x).subs(values)) for x in row] for row in rows])

    chosen = [k for k, row in enumerate(equations.rows) if not row.is_motion]
    M, bias = numbers(equations.M), numbers([equations.bias])[0]
    if chosen:
        G, gamma = numbers([equations.G[k] for k in chosen]), numbers([[equations.gamma[k] for k in chosen]])[0]
        M = np.block([[M, G.T], [G, np.zeros((len(chosen), len(chosen)))]])
        bias = np.concatenate([bias, gamma])
    found = np.linalg.solve(M, -bias)[: len(v)]
    return [float(x) for x in found], {name: float(value or 0.0) for name, value in symbols.items()}


def forget() -> None:
    """Drop the integrals of beam shapes that flexmb remembers within a process."""
    for found in vars(unit_beam).values():
        if hasattr(found, "cache_clear"):
            found.cache_clear()


def compiled(rod: str, form: str = "augmented") -> tuple[Compiled, int]:
    """The flexible slider-crank of second order as code, and its operations."""
    forget()
    start = time.thread_time()
    model = parse_model(_replaced("04_spatial_slider_crank.toml", FLEXIBLE[rod]), keep=())
    program = code_of(model, order=2, form=form)
    return _compiled(program, start, n_large=4), program.operations


def generated(example: str) -> tuple[Compiled, int]:
    """A rigid example with all its symbols as code, dependent rates eliminated as by KanesMethod."""
    start = time.thread_time()
    form = "embedding" if example == "planar slider-crank" else "augmented"
    program = code_of(read(example), keep="all", form=form)
    return _compiled(program, start), program.operations


def _compiled(program: Program, start: float, n_large: int | None = None) -> Compiled:
    """Write and compile a program whose making began at `start`."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_code(program, "c", folder)
        made = time.thread_time() - start
        outputs = [block.name for block in program.blocks]
        loop = LOOP.replace("NAME", program.name).replace("ARGUMENTS", ", ".join(outputs))
        loop = loop.replace("OUTPUTS", ", ".join(f"double *{name}" for name in outputs))
        values = [float(value or 0.0) for _, value in program.parameters]
        sizes = [int(np.prod(block.shape)) for block in program.blocks]
        counts = len(program.coordinates), len(program.rates)
        return compile_loop(folder, program.name, loop, made, *counts, values, sizes, n_large)


if __name__ == "__main__":
    for name in RIGID:
        start = time.perf_counter()
        text = printed(name)
        print(f"{name}: {(time.perf_counter() - start) * 1e3:.1f} ms, {len(text.splitlines())} lines")
    for rod in FLEXIBLE:
        for form in ("augmented", "embedding"):
            code, operations = compiled(rod, form)
            microseconds = min(code.evaluation(20000, k) for k in range(5)) * 1e6
            cost = f"{code.made:.2f} s + cc {code.compiled:.2f} s, {operations} operations, {microseconds:.3f} us"
            print(f"{rod}, {form}: {cost}")
