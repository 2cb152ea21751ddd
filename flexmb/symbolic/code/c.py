"""The equations as C99: a source file, a header and an example.

    void NAME_evaluate(double t, const double *q, const double *v, const double *p, double *M, double *f, ...)

Matrices are written row by row: M[i*n + j].
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flexmb.symbolic.code.language import Language
from flexmb.symbolic.code.program import Block, Program, used_names
from flexmb.symbolic.code.wrapping import wrapped

_WORDS = """auto break case char const continue default do double else enum extern float for goto if inline int long
register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while _Bool
_Complex _Imaginary asm main abs gamma y0 y1 yn j0 j1 jn signbit isnan isinf nan round rint trunc remainder div erf
lgamma tgamma hypot cbrt exp2 log2 log10 log1p expm1 logb scalb fma pow ldexp frexp modf square printf puts free malloc
NULL NAN INFINITY DOMAIN SING OVERFLOW UNDERFLOW linux unix I""".split()


class C(Language):
    """C99."""

    title = "C"
    words = frozenset(_WORDS)
    functions = {
        "sin": "sin", "cos": "cos", "tan": "tan", "asin": "asin", "acos": "acos", "atan": "atan", "atan2": "atan2",
        "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "exp": "exp", "log": "log", "sqrt": "sqrt", "abs": "fabs",
        "max": "fmax", "min": "fmin", "floor": "floor", "ceil": "ceil", "sign": "sign_of",
    }  # fmt: skip

    def power(self, base: str, exponent: int) -> str:
        if exponent == 1:
            return base
        if exponent % 2 == 0 and exponent <= 8:
            inner = self.power(base, exponent // 2)
            return f"square({inner[1:-1] if inner.startswith('(') and base == inner else inner})"
        return f"pow({base}, {exponent})"

    def general_power(self, base: str, exponent: str) -> str:
        return f"pow({base}, {exponent})"

    def choose(self, value: str, condition: str, otherwise: str) -> str:
        return f"({condition} ? {value} : {otherwise})"

    def both(self, conditions: Sequence[str], word: str) -> str:
        return {"and": " && ", "or": " || "}[word].join(conditions)


def files(program: Program) -> dict[str, str]:
    """File names and their texts."""
    name = program.name
    return {f"{name}.h": _header(program), f"{name}.c": _source(program), "example.c": _example(program)}


def compile_lines(program: Program) -> list[str]:
    """Commands that compile the library and the example."""
    name = program.name
    return [
        f"cc -O2 -shared -fPIC {name}.c -o lib{name}.so -lm",
        f"cc -O2 example.c {name}.c -o example -lm && ./example",
    ]


def signature(program: Program) -> str:
    """The declaration of the function, without its semicolon."""
    outputs = ", ".join(f"double *{block.name}" for block in program.blocks)
    return f"void {program.name}_evaluate(double t, const double *q, const double *v, const double *p,\n    {outputs})"


def _header(program: Program) -> str:
    guard = f"{program.name.upper()}_H"
    lines = ["/* Written by flexmb. */", f"#ifndef {guard}", f"#define {guard}", ""]
    lines += [f"#define {program.name.upper()}_{what} {n}" for what, n in _sizes(program)]
    lines += ["", "#ifdef __cplusplus", 'extern "C" {', "#endif", "", f"{signature(program)};", ""]
    lines += ["#ifdef __cplusplus", "}", "#endif", "", "#endif"]
    return "\n".join(lines) + "\n"


def _sizes(program: Program) -> list[tuple[str, int]]:
    sizes = [("N_Q", len(program.coordinates)), ("N_V", len(program.rates)), ("N_P", len(program.parameters))]
    rows = [block.shape[0] for block in program.blocks if block.name == "phi"]
    return [*sizes, ("N_ROWS", rows[0] if rows else 0)]


def _source(program: Program) -> str:
    language = C()
    names = program.names(language, [f"{program.name}_evaluate"])
    body = list(_body(program, language, names))
    text = "\n".join(body)
    lines = ["/* Written by flexmb. */", f'#include "{program.name}.h"', "", "#include <math.h>", ""]
    if "square(" in text:
        lines += ["static inline double square(double x) { return x * x; }", ""]
    if "sign_of(" in text:
        lines += ["static inline double sign_of(double x) { return (x > 0.0) - (x < 0.0); }", ""]
    return "\n".join([*lines, signature(program), "{", *body, "}"]) + "\n"


def _body(program: Program, language: C, names: dict[str, str]) -> Iterator[str]:
    used = used_names(program)
    for array, group in (("q", program.coordinates), ("v", program.rates), ("p", program.parameters)):
        for i, (symbol, _) in enumerate(group):
            if symbol.name in used:
                yield f"    const double {names[symbol.name]} = {array}[{i}];"
    yield "    (void)t, (void)q, (void)v, (void)p; /* avoids warnings about unused arguments */"
    for title, steps in (("of the parameters alone", program.constants), ("of the state", program.steps)):
        if steps:
            yield f"    /* {title} */"
        for symbol, expression in steps:
            yield from wrapped(f"    const double {names[symbol.name]} = {language.write(expression, names)};")
    for block in program.blocks:
        yield f"    /* {block.name}: {' x '.join(map(str, block.shape))} */"
        yield from _block(block, language, names)


def _block(block: Block, language: C, names: dict[str, str]) -> Iterator[str]:
    size = 1
    for n in block.shape:
        size *= n
    if len(block.entries) < size and not (block.symmetric and 2 * len(block.entries) == size + block.shape[0]):
        yield f"    for (int i = 0; i < {size}; i++) {block.name}[i] = 0.0;"
    for index, expression in block.entries:
        place = _place(block, index)
        yield from wrapped(f"    {block.name}[{place}] = {language.write(expression, names)};")
        if block.symmetric and index[0] != index[1]:
            yield f"    {block.name}[{_place(block, index[::-1])}] = {block.name}[{place}];"


def _place(block: Block, index: tuple[int, ...]) -> int:
    place = 0
    for i, n in zip(index, block.shape, strict=True):
        place = place * n + i
    return place


def _example(program: Program) -> str:
    name = program.name
    values = ", ".join(C().literal(value) if value is not None else "NAN" for _, value in program.parameters) or "0.0"
    lines = ["/* Written by flexmb. The equations at one state. */", f'#include "{name}.h"', ""]
    lines += ["#include <math.h>", "#include <stdio.h>", "", "int main(void)", "{"]
    lines += [f"    double q[{max(1, len(program.coordinates))}], v[{max(1, len(program.rates))}];"]
    lines += [f"    const double p[] = {{{values}}};"]
    for block in program.blocks:
        size = 1
        for n in block.shape:
            size *= n
        lines += [f"    double {block.name}[{max(1, size)}];"]
    lines += [f"    for (int i = 0; i < {len(program.coordinates)}; i++) q[i] = 0.1 * (i + 1);"]
    lines += [f"    for (int i = 0; i < {len(program.rates)}; i++) v[i] = 0.2 * (i + 1);"]
    lines += [f"    {name}_evaluate(0.0, q, v, p, {', '.join(block.name for block in program.blocks)});"]
    for block in program.blocks:
        size = block.shape[0] if len(block.shape) == 1 else block.shape[0] * block.shape[1]
        lines += [f'    puts("{block.name}");']
        lines += [f"    for (int i = 0; i < {size}; i++)"]
        lines += [f"        printf(\"%.15g%c\", {block.name}[i], (i + 1) % {max(1, block.shape[-1])} ? ' ' : '\\n');"]
    return "\n".join([*lines, "    return 0;", "}"]) + "\n"
