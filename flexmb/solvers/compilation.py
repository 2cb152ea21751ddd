"""Compiled programs that a run needs, and their compilation before it starts."""

from __future__ import annotations

from functools import cache

from flexmb.equations.mass_matrix import path_mass_matrix
from flexmb.equations.programs import LOAD_PROGRAMS, PROGRAMS, SHARED_PROGRAMS, needless_fields
from flexmb.layout import flat_arrays as L
from flexmb.machine_code.jit import Program, compile_ahead
from flexmb.solvers.directional_differences import differences
from flexmb.solvers.fronts import factor_fronts, solve_fronts
from flexmb.solvers.settings import EXPLICIT
from flexmb.solvers.small_inverse import LARGEST
from flexmb.solvers.sparse_sharing import sparse_share
from flexmb.solvers.time_stepping import advance, stepping_programs

SPARSE_PROGRAMS = (path_mass_matrix, sparse_share, factor_fronts, solve_fronts)
"""Programs of every analysis in sparse storage"""
_OPEN_TREE = {L.AT_ACCELERATION, L.AT_ARTICULATED}


def programs_of(method: str = "generalized-alpha", fields: int = 0, sparse: bool = False) -> list[Program]:
    """Programs that a run by this method may call.

    `fields`: kinds of deformation field of the flexible bodies. `sparse`: the system may have sparse storage.
    """
    left_out = needless_fields(fields) | set(LOAD_PROGRAMS.values()) | (set() if method in EXPLICIT else _OPEN_TREE)
    equations = [entry for slot, entry in PROGRAMS.items() if slot not in left_out]
    small, large = stepping_programs(method), stepping_programs(method, unknowns=LARGEST + 1)
    stepping = [*small.values(), *large.values()]
    if sparse:
        stepping += [*stepping_programs(method, sparse=True).values(), *SPARSE_PROGRAMS]
    found = {entry.name: entry for entry in stepping}
    return [*equations, *SHARED_PROGRAMS.values(), *found.values(), advance, differences]


def is_compiled(method: str, fields: int = 0, sparse: bool = False) -> bool:
    """Whether a run by this method finds everything in the cache."""
    return all(entry.is_ready for entry in programs_of(method, fields, sparse))


@cache
def compile_for(method: str, fields: int = 0, sparse: bool = False) -> None:
    """Compile the programs that a run by this method needs and the cache does not have."""
    compile_ahead(programs_of(method, fields, sparse))
