"""Reactions that a mechanism does not determine: not unique where constraint rows repeat others, ill-determined where
rows nearly repeat others. Only sums of such components are determined by the model.

    G = U sigma V^T:  a multiplier along a column of U changes reactions; with sigma = 0 by any amount, with sigma of
    1e-4 of the largest or less by amplified round-off. A beam without twist in a plane loop is such a case: sigma is
    proportional to its deflection, which passes zero again and again, so that 1e-2 is small there.
Numbers are SI.
"""

from __future__ import annotations

import numpy as np

from flexmb.analyses.preparation import Preparation
from flexmb.arrays import Floats
from flexmb.equations.shared_rows import AS_BEFORE, SHARED
from flexmb.layout import flat_arrays as L
from flexmb.model.schema.model_spec import ModelSpec
from flexmb.results.result_file import Result
from flexmb.solvers.body_slices import body_slices
from flexmb.solvers.initial_state import body_states, start_system
from flexmb.solvers.mechanics import Mechanics
from flexmb.solvers.redundancy import DEPENDENT
from flexmb.solvers.row_rank import rank_of_rows, row_units
from flexmb.solvers.shared_basis import Basis, basis_of, in_all_rows, put_multipliers
from flexmb.system.system import System

COMPONENTS = ("fx", "fy", "fz", "mx", "my", "mz")
WEAK = 1e-4  # singular values of G below this part of the largest, but not zero, amplify round-off by its inverse
BENT = 1e-2  # the same for rows that repeat others while all bodies are straight
UNLOADED = 1e-6  # part of the largest reaction below which a component counts as zero
LARGEST = 250_000
"""Entries of G up to which such reactions are searched for"""


def sampled_rows(result: Result) -> list[int]:
    """Some rows of a result: one position may be singular for an instant, but not all of them."""
    last = len(result) - 1
    return list(dict.fromkeys((last // 2, last // 3, (4 * last) // 5, last, 0)))


def ill_determined(system: System, result: Result) -> dict[str, tuple[str, ...]]:
    """Joints and components of their reactions that are amplified round-off at every sampled row."""
    if not 0 < system.n_rows * system.n_v <= LARGEST or system.dependent:
        return {}
    mechanics = Mechanics(system, system.workspace())
    if system.sharing.n_bent:
        return _shared_when_straight(mechanics, result)
    found, best = dict[str, tuple[str, ...]](), 0.0
    q, v, a = (result[f"coordinates/{name}"].reshape(len(result), -1) for name in ("q", "v", "a"))
    for row in sampled_rows(result):
        mechanics.t = float(result.time[row])
        mechanics.q[:], mechanics.v[:], mechanics.a[:] = q[row], v[row], a[row]
        sides, sigma = _sides(mechanics)
        least = float(sigma[-1] / sigma[0]) if sigma[0] > 0.0 else 0.0
        n_weak = int(np.sum(sigma < WEAK * sigma[0]))
        if WEAK < least <= BENT:
            n_weak = _repeated_when_straight(system, mechanics)
        if not n_weak:
            return {}
        if least > max(best, DEPENDENT):
            best, found = least, moved_by(mechanics, in_all_rows(mechanics, sides[:, -n_weak:]).T, 1e-2)
    return found


def complete_system(spec: ModelSpec, ready: Preparation) -> tuple[System, Floats]:
    """The system with all rows, also those that repeat others, and a workspace in the initial state."""
    system = start_system(spec, body_states(ready.system, ready.work.copy()))
    return system, system.workspace()


def not_unique(spec: ModelSpec, ready: Preparation, result: Result) -> dict[str, tuple[str, ...]]:
    """Joints, motions and components of their reactions that internal loads of redundant constraints change.

    Several rows of the result are examined, because more rows may depend on each other for an instant, in a singular
    position: there the rank is smaller.
    """
    if not ready.system.n_redundant:
        return {}
    if ready.system.dependent:
        return _in_sparse_storage(ready.system, result)
    system, work = complete_system(spec, ready)
    mechanics = Mechanics(system, work)
    rank = min(system.n_rows - ready.system.n_redundant, system.n_v)
    q, v, a = (result[f"coordinates/{name}"].reshape(len(result), -1) for name in ("q", "v", "a"))
    if q.shape[1] != system.n_q:  # those of another choice
        return {}
    for row in sampled_rows(result):
        mechanics.t = float(result.time[row])
        mechanics.q[:], mechanics.v[:], mechanics.a[:] = q[row], v[row], a[row]
        mechanics.jacobian()
        units = row_units(mechanics.G * mechanics.scale, system.rows, system.length_scale)
        G = mechanics.G * mechanics.scale / units[:, None]
        if rank_of_rows(G) == rank:
            return moved_by(mechanics, np.linalg.svd(G)[0][:, rank:].T / units, 1e-6)
    return {}


def _in_sparse_storage(system: System, result: Result) -> dict[str, tuple[str, ...]]:
    """The same without full matrices: any multipliers less the least ones of the same forces are an internal load."""
    mechanics, row = Mechanics(system, system.workspace()), sampled_rows(result)[0]
    mechanics.t = float(result.time[row])
    for name, place in (("q", mechanics.q), ("v", mechanics.v), ("a", mechanics.a)):
        place[:] = result[f"coordinates/{name}"].reshape(len(result), -1)[row]
    any_load = np.random.default_rng(0).standard_normal(system.n_rows)
    mechanics.lam[:] = any_load
    mechanics.run(L.AT_SHARE, SHARED)
    internal = any_load - mechanics.lam
    mechanics.run(L.AT_SHARE, AS_BEFORE)
    return moved_by(mechanics, internal[None], UNLOADED)


def loaded(components: dict[str, tuple[str, ...]], result: Result, length: float) -> bool:
    """Whether some of these reaction components are not zero in the result; `length`: length scale [m]."""
    share, largest = 0.0, 0.0
    for name, parts in components.items():
        for quantity, names in (("force", COMPONENTS[:3]), ("moment", COMPONENTS[3:])):
            if (path := f"joints/{name}/{quantity}") in result.channels:
                sizes = np.abs(result[path]).max(axis=0) * (1.0 if quantity == "force" else 1.0 / length)
                largest = max(largest, float(sizes.max()))
                share = max([share, *(float(size) for size, part in zip(sizes, names, strict=True) if part in parts)])
    return share > UNLOADED * largest


def _shared_when_straight(mechanics: Mechanics, result: Result) -> dict[str, tuple[str, ...]]:
    """Joints and components that rows change which repeat others while the flexible bodies are straight."""
    basis, row = Basis(mechanics), sampled_rows(result)[0]
    mechanics.t = float(result.time[row])
    mechanics.q[:] = result["coordinates/q"].reshape(len(result), -1)[row]
    basis.set()
    n_left = sum(len(rows.rows) - rows.rank for rows in basis.sharing.sets)
    return moved_by(mechanics, basis.Q[:, mechanics.n_rows : mechanics.n_rows + n_left].T.copy(), 1e-2)


def _sides(mechanics: Mechanics) -> tuple[Floats, Floats]:
    """U (rows, k) and sigma (k,) of the scaled Jacobian at the current coordinates."""
    if (basis := basis_of(mechanics)) is not None:
        basis.set()
    mechanics.jacobian()
    sides, sigma, _ = np.linalg.svd(mechanics.G * mechanics.scale, full_matrices=False)
    return sides, sigma


def _repeated_when_straight(system: System, mechanics: Mechanics) -> int:
    """Number of rows that repeat others with all elastic coordinates set to zero; the coordinates are restored."""
    kept = mechanics.q.copy()
    for _, elastic, _ in body_slices(system).values():
        mechanics.W[elastic] = 0.0
    _, sigma = _sides(mechanics)
    mechanics.q[:] = kept
    mechanics.jacobian()
    return int(np.sum(sigma <= DEPENDENT * sigma[0]))


def rank_of(G: Floats) -> int:
    """Rank of a Jacobian (rows, n_v)."""
    sigma = np.linalg.svd(G, compute_uv=False) if G.size else np.zeros(0)
    return int(np.sum(sigma > DEPENDENT * float(sigma.max(initial=1e-300))))


def moved_by(mechanics: Mechanics, multipliers: Floats, least: float) -> dict[str, tuple[str, ...]]:
    """Joints and reaction components that some of the multipliers (k, n_all_rows) change, by more than `least` of the
    largest change."""
    system = mechanics.system
    length = system.length_scale
    touched: dict[str, set[str]] = {}
    places = [channel for channel in system.channels if channel.path.split("/")[-1] in ("force", "moment", "effort")]
    places = [channel for channel in places if channel.path.startswith(("joints/", "motions/"))]

    def outputs(lam: Floats) -> Floats:
        put_multipliers(mechanics, lam)
        if not system.sharing.sets and not mechanics.is_sparse:
            mechanics.run(L.AT_OUTPUT)
            return mechanics.out.copy()
        mechanics.run(L.AT_WHOLE_RESIDUAL)  # an output row would have the least multipliers instead
        mechanics.run(L.AT_REACTIONS)
        I, first = mechanics.I, int(mechanics.I[L.COPIES])
        pieces = I[first : first + int(I[L.N_COPIES]) * L.COPY].reshape(-1, L.COPY)
        parts = [mechanics.W[p[L.CO_SOURCE] : p[L.CO_SOURCE] + p[L.CO_LENGTH]] for p in pieces]
        return np.concatenate([*parts, np.zeros(2)])

    without = outputs(np.zeros(mechanics.n_all_rows))
    for lam in multipliers:
        change = np.abs(outputs(lam) - without)
        sizes = {c.path: change[c.start : c.start + max(1, sum(c.shape))] * _per(c.unit, length) for c in places}
        largest = max(float(size.max()) for size in sizes.values())
        for path, size in sizes.items():
            _, name, quantity = path.split("/")
            names = {"force": COMPONENTS[:3], "moment": COMPONENTS[3:]}.get(quantity, ("effort",))
            hit = {part for part, value in zip(names, size, strict=True) if value > least * largest}
            touched.setdefault(name, set()).update(hit)
    return {name: tuple(c for c in (*COMPONENTS, "effort") if c in hit) for name, hit in touched.items() if hit}


def _per(unit: str, length: float) -> float:
    """Weight of a component: moments count as forces at the length scale."""
    return 1.0 / length if unit == "N*m" else 1.0
