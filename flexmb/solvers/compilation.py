"""Compiled programs that a run needs, and their compilation before it starts."""

from __future__ import annotations

from functools import cache

from flexmb.equations.programs import PROGRAMS, SHARED_PROGRAMS, needless_fields
from flexmb.layout import flat_arrays as L
from flexmb.machine_code.jit import Program, compile_ahead
from flexmb.solvers.settings import EXPLICIT
from flexmb.solvers.small_inverse import LARGEST
from flexmb.solvers.time_stepping import advance, stepping_programs

_OPEN_TREE = {L.AT_ACCELERATION, L.AT_ARTICULATED}


def programs_of(method: str = "generalized-alpha", fields: int = 0) -> list[Program]:
    """Programs that a run by this method may call; `fields`: kinds of deformation field of the flexible bodies."""
    left_out = needless_fields(fields) | (set() if method in EXPLICIT else _OPEN_TREE)
    equations = [entry for slot, entry in PROGRAMS.items() if slot not in left_out]
    small, large = stepping_programs(method), stepping_programs(method, unknowns=LARGEST + 1)
    stepping = {entry.name: entry for entry in [*small.values(), *large.values()]}
    return [*equations, *SHARED_PROGRAMS.values(), *stepping.values(), advance]


def is_compiled(method: str, fields: int = 0) -> bool:
    """Whether a run by this method finds everything in the cache."""
    return all(entry.is_ready for entry in programs_of(method, fields))


@cache
def compile_for(method: str, fields: int = 0) -> None:
    """Compile the programs that a run by this method needs and the cache does not have."""
    compile_ahead(programs_of(method, fields))
