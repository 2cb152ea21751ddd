"""Turbo: the integrator runs code that is generated from the equations of the model, instead of the general kernels.

In: a model and its system. The symbolic equations (derived independently from the same model) become C, the C compiler
of the machine makes a library, and its functions replace residual, system, jacobian and acceleration in the header of
the system. Out: `Turbo`, with what was done, or why not. Output rows, reactions and energies remain those of the
kernels. Before it is used, the code is compared with the kernels at states near the start.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import flexmb
from flexmb.analyses.turbo_library import PREFIX, Library, library
from flexmb.arrays import Floats
from flexmb.equations.programs import OF_ALL_ROWS, PROGRAMS, SHARED_PROGRAMS, link_open_tree
from flexmb.errors import InputError
from flexmb.layout import flat_arrays as L
from flexmb.machine_code import jit
from flexmb.model.model import Model
from flexmb.solvers.mechanics import Mechanics
from flexmb.solvers.settings import EXPLICIT
from flexmb.system.system import System

LARGEST = 10
"""Number of moving bodies up to which generated code is faster."""
MOST_OPERATIONS = 20000
"""Limit of operations in all functions together, for which a C compiler takes some five seconds."""
MOST_COLUMNS = 1000
"""Limit of the sum over the bodies of the squared number of rates that move a body: a chain of ten revolute joints has
385. The code grows with it, some 30 operations each; above the limit it is not generated."""
AGREEMENT = 1e-9
"""Largest difference from the kernels as a fraction of the largest entry; correct code differs by round-off, 1e-13."""
_SLOTS = {
    "residual": L.AT_RESIDUAL,
    "system": L.AT_SYSTEM,
    "jacobian": L.AT_JACOBIAN,
    "powers": L.AT_POWERS,
    "acceleration": L.AT_ACCELERATION,
}
_COMPARED = {
    "residual": (("RES", 1), ("PHI", 0), ("PHI_DOT", 0)),
    "system": (("M", 2), ("BIAS", 1), ("G", 3), ("PHI", 0), ("PHI_DOT", 0), ("GAM", 0)),
    "jacobian": (("G", 3), ("PHI", 0), ("PHI_DOT", 0)),
    "powers": (("POWER", 4),),
    "acceleration": (("A", 1),),
}
"""Outputs of every function with their sizes: 0 rows, 1 rates, 2 rates x rates, 3 rows x rates, 4 work channels."""


@dataclass(frozen=True)
class Turbo:
    """Whether generated code is used, and why or why not."""

    is_used: bool
    text: str
    """Text for the report: compiler and time, or why it is not used"""


def use_turbo(model: Model, system: System) -> Turbo:
    """Put generated code into the header of `system` where that is possible and worth its cost."""
    if reason := _obstacle(model, system):
        return _without(reason)
    assert model.spec.analysis is not None
    names = _function_names(model.spec.analysis.method, system)
    try:
        found = _library(model, system, names)
    except ImportError:
        return _without("the symbolic engine (symengine) is not installed.")
    except InputError as error:
        return _without(" ".join(fault.text for fault in error.faults))
    except OSError as error:
        return _without(f"its code cannot be kept ({error.strerror or error}).")
    if "acceleration" in names:
        link_open_tree(system.ints)
    for name in names:
        if not _agrees(system, name, found.addresses[name]):
            return _without(f"the generated code disagrees with the kernels ({name}). Please report this model.")
    for name in names:
        slot = _SLOTS[name]
        system.ints[OF_ALL_ROWS.get(slot, slot) if system.n_redundant else slot] = found.addresses[name]
    cost = f"generated in {found.generated:.2g} s, compiled by {found.made_by} in {found.compiled:.2g} s"
    if found.is_from_cache:
        cost = f"compiled by {found.made_by}, from the cache"
    return Turbo(True, f"turbo: code of this model, {cost}")


def _without(reason: str) -> Turbo:
    return Turbo(False, f"not used: {reason}")


def _obstacle(model: Model, system: System) -> str:
    """Reason against generated code that is known before it is made; empty: none."""
    analysis, n = model.spec.analysis, int(system.ints[L.N_BODIES])
    if jit.DISABLED:
        return "compilation is switched off (NUMBA_DISABLE_JIT)."
    if analysis is None or analysis.type != "dynamic":
        return "it speeds up dynamic analyses only."
    if n > LARGEST:
        return f"the model has {n} moving bodies; above {LARGEST} generated code is slow to make and hardly faster."
    if (columns := _columns(system)) > MOST_COLUMNS:
        return f"too many coordinates move the bodies: sum of squares {columns}, limit {MOST_COLUMNS}."
    return ""


def _columns(system: System) -> int:
    """Sum over the bodies of the squared number of rates that move a body, including its elastic ones."""
    ints, moved = system.ints, [0]
    for number in range(1, int(ints[L.N_BODIES]) + 1):
        record = ints[L.BODIES] + number * L.BODY
        moved.append(moved[ints[record + L.B_PARENT]] + int(ints[record + L.B_NJ] + ints[record + L.B_NF]))
    return sum(count**2 for count in moved)


def _function_names(method: str, system: System) -> tuple[str, ...]:
    """The functions that the method calls at every step; `powers` where loads make it costly."""
    names = ["residual", "system", "jacobian"]
    if method in EXPLICIT:
        names = ["system", "jacobian"] if system.n_rows else ["acceleration"]
    if system.n_redundant:  # multipliers of all rows are known to residuals only
        return tuple(names)
    return (*names, "powers") if system.ints[L.N_LOADS] else tuple(names)


def _work_channels(system: System) -> list[tuple[str, Any] | None]:
    """Source of every work channel: a constraint row, a load by name, or the damping of a body by its number."""
    ints = system.ints
    found: list[tuple[str, Any] | None] = [None] * int(ints[L.N_POWERS])
    for k in range(ints[L.N_MOTIONS]):
        record = ints[L.MOTIONS] + k * L.MOTION
        if ints[record + L.MO_ROW] >= 0:
            found[ints[record + L.MO_POWER]] = "row", int(ints[record + L.MO_ROW])
    for k in range(ints[L.N_LOADS]):
        channel = ints[ints[L.LOADS] + k * L.LOAD + L.L_POWER]
        if channel >= 0:
            found[channel] = "load", system.forces[k]
    for k in range(ints[L.N_FIELDS]):
        record = ints[L.FIELDS] + k * L.FIELD
        if ints[record + L.FD_POWER] >= 0:
            number = (ints[record + L.FD_BODY] - ints[L.BODIES]) // L.BODY
            found[ints[record + L.FD_POWER]] = "damping", system.topology.branches[number - 1].body
    return found


def _library(model: Model, system: System, names: tuple[str, ...]) -> Library:
    """The compiled code of a model, from the cache if it has been made before."""

    def write(language: str) -> tuple[str, float]:
        from flexmb.symbolic.code.addressed import INPUTS, OUTPUTS, code_of, source
        from flexmb.symbolic.equations import equations_of

        began = time.perf_counter()
        equations = equations_of(model, rows=system.row_numbers, named=True)
        code = code_of(equations, names, _work_channels(system))
        if code.operations > MOST_OPERATIONS:
            found = f"the code would have {code.operations} operations"
            raise InputError(f"{found}; above {MOST_OPERATIONS} it takes long to compile.")
        slots = {name: getattr(L, f"{name}_ALL", getattr(L, name)) for name in (*INPUTS, *OUTPUTS)}
        return source(code, slots, language, PREFIX), time.perf_counter() - began

    return library(f"{_key(system)} {' '.join(names)}", names, write)


def _key(system: System) -> str:
    """Hash of everything the code depends on: the flat arrays of the system and the sources of the generator."""
    ints = system.ints.copy()
    ints[[*PROGRAMS, *SHARED_PROGRAMS, *OF_ALL_ROWS.values()]] = 0  # addresses change from process to process
    digest = hashlib.sha256(ints.tobytes() + system.floats.tobytes())
    package = Path(flexmb.__file__).parent
    for path in sorted([*(package / "symbolic").rglob("*.py"), *(package / "layout").rglob("*.py"), Path(__file__)]):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def _agrees(system: System, name: str, address: int) -> bool:
    """Whether a generated function agrees with the kernel, at the start and at three states near it."""
    random = np.random.default_rng(1)
    for distance in (0.0, 1.0, 1.0, 1.0):
        state = _state_near_start(system, random, distance)
        found = []
        for function in (PROGRAMS[_SLOTS[name]].address, address):
            work = state.copy()
            jit.call(function, system.ints, system.floats, work, 0)
            found.append(work)
        for entry, size in _COMPARED[name]:
            rows, rates = len(system.evaluated), system.n_v
            n = (rows, rates, rates**2, rows * rates, int(system.ints[L.N_POWERS]))[size]
            slot = getattr(L, f"{entry}_ALL", getattr(L, entry))
            kernel, generated = (system.view(work, slot, n) for work in found)
            if rows and size in (0, 3):  # rows that are only watched have no Jacobian, and no residual beside it
                kernel, generated = (values.reshape(rows, -1)[_seen_rows(system)] for values in (kernel, generated))
            largest = float(np.max(np.abs(kernel), initial=1e-3))
            allowed = AGREEMENT * largest * (1e3 if name == "acceleration" else 1.0)  # it solves with a matrix
            if not np.max(np.abs(kernel - generated), initial=0.0) <= allowed:
                return False
    return True


def _seen_rows(system: System) -> list[int]:
    """Rows that the solvers need."""
    ints = system.ints
    return [k for k in range(len(system.evaluated)) if not ints[ints[L.ROWS] + k * L.ROW + L.R_WATCHED]]


def _state_near_start(system: System, random: np.random.Generator, distance: float) -> Floats:
    """A workspace with random accelerations and multipliers, `distance` away from the start; loops are not closed."""
    work = system.workspace()
    mechanics = Mechanics(system, work)
    n = system.n_v
    share = distance * np.where(system.elastic, 1e-3, 1e-2)
    mechanics.move(share * system.scales * random.uniform(-1.0, 1.0, n))
    mechanics.v += share * system.scales * random.uniform(-1.0, 1.0, n)
    mechanics.a[:] = system.scales * random.uniform(-1.0, 1.0, n)
    mechanics.lam_all[:] = random.uniform(-1.0, 1.0, mechanics.n_all_rows)
    mechanics.t = float(random.uniform(0.0, 0.01))
    return work
