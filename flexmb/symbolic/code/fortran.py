"""The equations as Fortran 2003: a module with a bind(c) subroutine, and an example.

    call NAME_evaluate(t, q, v, p, M, f, ...)

Arrays have their natural shapes, M(n, n), G(n_rows, n); they are stored column by column.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flexmb.symbolic.code.language import Language
from flexmb.symbolic.code.program import Block, Program
from flexmb.symbolic.code.wrapping import wrapped

_WORDS = """allocatable allocate associate bind block call case character class close common complex contains continue
cycle data deallocate default dimension do double elemental else elsewhere end endif enddo entry enum equivalence exit
external final forall format function generic go goto if implicit import include inquire integer intent interface
intrinsic is kind len logical module namelist nullify only open operator optional parameter pass pause pointer print
private procedure program protected public pure read real recursive result return rewind save select sequence stop
subroutine target then to type use value volatile wait where while write merge matmul sum product size shape index mod
int dble epsilon tiny huge gamma wp c_double c_int i j""".split()


class Fortran(Language):
    """Fortran 2003, free form."""

    title = "Fortran"
    words = frozenset(_WORDS)
    folds_case = True
    functions = {
        "sin": "sin", "cos": "cos", "tan": "tan", "asin": "asin", "acos": "acos", "atan": "atan", "atan2": "atan2",
        "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "exp": "exp", "log": "log", "sqrt": "sqrt", "abs": "abs",
        "max": "max", "min": "min", "sign": "sign_of", "floor": "floor_of", "ceil": "ceiling_of",
    }  # fmt: skip

    def literal(self, value: float) -> str:
        return f"{float(value)!r}_wp"

    def choose(self, value: str, condition: str, otherwise: str) -> str:
        return f"merge({value}, {otherwise}, {condition})"

    def both(self, conditions: Sequence[str], word: str) -> str:
        return f" .{word}. ".join(conditions)


_HELPERS = {
    "sign_of": "merge(1.0_wp, 0.0_wp, x > 0.0_wp) - merge(1.0_wp, 0.0_wp, x < 0.0_wp)",
    "floor_of": "aint(x) - merge(1.0_wp, 0.0_wp, x < aint(x))",
    "ceiling_of": "aint(x) + merge(1.0_wp, 0.0_wp, x > aint(x))",
}


def files(program: Program) -> dict[str, str]:
    """File names and their texts."""
    return {f"{program.name}.f90": _module(program), "example.f90": _example(program)}


def compile_lines(program: Program) -> list[str]:
    """Commands that compile the library and the example."""
    name = program.name
    return [
        f"gfortran -O2 -shared -fPIC {name}.f90 -o lib{name}.so",
        f"gfortran -O2 {name}.f90 example.f90 -o example && ./example",
    ]


def signature(program: Program) -> str:
    """The first line of the subroutine, for the README of the folder."""
    return f"subroutine {program.name}_evaluate({', '.join(_arguments(program))})"


def _arguments(program: Program) -> list[str]:
    return ["t", "q", "v", "p", *(block.name for block in program.blocks)]


def _module(program: Program) -> str:
    language = Fortran()
    names = program.names(language, [f"{program.name}_evaluate", f"{program.name}_equations", "x"])
    body = list(_body(program, language, names))
    helpers = [name for name in _HELPERS if any(f"{name}(" in line for line in body)]
    lines = ["! Written by flexmb.", f"module {program.name}_equations"]
    lines += ["  use, intrinsic :: iso_c_binding, only: c_double", "  implicit none", "  private"]
    lines += [f"  public :: {program.name}_evaluate", "  integer, parameter :: wp = c_double", "contains", ""]
    lines += wrapped(f"  {signature(program)} &", " &", "      ")
    lines += [f'      bind(c, name="{program.name}_evaluate")', "    real(wp), intent(in), value :: t"]
    inputs = (("q", program.coordinates), ("v", program.rates), ("p", program.parameters))
    lines += [f"    real(wp), intent(in) :: {array}({max(1, len(group))})" for array, group in inputs]
    lines += [f"    real(wp), intent(out) :: {block.name}({_shape(block)})" for block in program.blocks]
    lines += [*_declared(program, names), *body, f"  end subroutine {program.name}_evaluate"]
    for name in helpers:
        lines += ["", f"  pure real(wp) function {name}(x)", "    real(wp), intent(in) :: x"]
        lines += [f"    {name} = {_HELPERS[name]}", f"  end function {name}"]
    return "\n".join([*lines, "", f"end module {program.name}_equations"]) + "\n"


def _shape(block: Block) -> str:
    return ", ".join(str(n) for n in block.shape)


def _declared(program: Program, names: dict[str, str]) -> Iterator[str]:
    local = [*program.inputs, *(symbol for symbol, _ in (*program.constants, *program.steps))]
    for first in range(0, len(local), 6):
        yield from _line(f"    real(wp) :: {', '.join(names[symbol.name] for symbol in local[first : first + 6])}")


def _body(program: Program, language: Fortran, names: dict[str, str]) -> Iterator[str]:
    for array, group in (("q", program.coordinates), ("v", program.rates), ("p", program.parameters)):
        for i, (symbol, _) in enumerate(group, 1):
            yield f"    {names[symbol.name]} = {array}({i})"
    for title, steps in (("of the parameters alone", program.constants), ("of the state", program.steps)):
        if steps:
            yield f"    ! {title}"
        for symbol, expression in steps:
            yield from _line(f"    {names[symbol.name]} = {language.write(expression, names)}")
    for block in program.blocks:
        name = block.name
        yield f"    {name} = 0.0_wp"
        for index, expression in block.entries:
            place = ", ".join(str(i + 1) for i in index)
            yield from _line(f"    {name}({place}) = {language.write(expression, names)}")
            if block.symmetric and index[0] != index[1]:
                yield f"    {name}({index[1] + 1}, {index[0] + 1}) = {name}({place})"


def _line(text: str) -> list[str]:
    return wrapped(text, " &")


def _example(program: Program) -> str:
    language = Fortran()
    values = [language.literal(value) if value is not None else "0.0_wp/zero" for _, value in program.parameters]
    lines = ["! Written by flexmb. The equations at one state.", "program example"]
    lines += ["  use, intrinsic :: iso_c_binding, only: c_double"]
    lines += [f"  use {program.name}_equations, only: {program.name}_evaluate", "  implicit none"]
    lines += ["  integer, parameter :: wp = c_double", "  integer :: i"]
    if any(value is None for _, value in program.parameters):
        lines += ["  real(wp) :: zero = 0.0_wp"]
    for array, group in (("q", program.coordinates), ("v", program.rates), ("p", program.parameters)):
        lines += [f"  real(wp) :: {array}({max(1, len(group))})"]
    lines += [f"  real(wp) :: {block.name}({_shape(block)})" for block in program.blocks]
    lines += [f"  p({i}) = {value}" for i, value in enumerate(values, 1)]
    lines += ["  q = [(0.1_wp*i, i = 1, size(q))]", "  v = [(0.2_wp*i, i = 1, size(v))]"]
    lines += wrapped(f"  call {program.name}_evaluate(0.0_wp, q, v, p, {', '.join(_arguments(program)[4:])})", " &")
    for block in program.blocks:
        name = block.name
        lines += [f'  print "(a)", "{name}"']
        if len(block.shape) == 1:
            lines += [f'  print "(*(es24.15))", {name}']
        else:
            lines += [f"  do i = 1, {block.shape[0]}", f'    print "(*(es24.15))", {name}(i, :)', "  end do"]
    return "\n".join([*lines, "end program example"]) + "\n"
