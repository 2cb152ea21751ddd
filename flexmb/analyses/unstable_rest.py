"""Unstable equilibria in which a run stays, because nothing disturbs it: an upright pendulum, a column above its load.

At rest: the stiffness along the motions that the constraints allow has a negative eigenvalue against the mass; the
motion grows by exp(t sqrt(-lowest)). Loads without a potential (a force that follows its beam): a mode of the
linearised equations grows. Steady motion, all rates constant (a body that spins about its middle axis): the same.
Beams that stay straight, or in one plane, while the mechanism moves (a shaft, a strut pushed by a drive, a narrow beam
that would tip sideways): the same for modes in which they leave their line or plane. Other motions are not examined: a
pendulum that passes its upper position is not at rest.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from flexmb.arrays import Floats
from flexmb.errors import ComputationError
from flexmb.layout import flat_arrays as L
from flexmb.results.flexible_findings import flexible_bodies
from flexmb.results.result_file import Result
from flexmb.solvers.body_slices import body_slices
from flexmb.solvers.linearise import linearise
from flexmb.solvers.mechanics import Mechanics
from flexmb.solvers.residual_at_rest import ResidualAtRest, is_symmetric, softest_motion
from flexmb.system.system import System
from flexmb.warning import WarningRecord

RESTING = 1e-9
"""Speed times the duration of the run, and acceleration times its square, as parts of the size of a coordinate: less is
rest."""
STRAIGHT = 1e-6
"""Deflection as a part of the length below which a beam is straight."""
ROUNDING, VISIBLE = 1e-13, 1e-3
"""Round-off of a deflection, and what it may have grown to, as parts of the length: a beam that leaves its line by no
more than its growth makes of round-off is undisturbed."""
NEGATIVE = 1e-7
"""Negative stiffness as a part of the loads and of the largest stiffness that is not round-off."""
STEADY = 1e-6
"""Change of a rate as a part of the largest rate in a motion that is steady."""
GROWS = 5e-3
"""Real part of an eigenvalue as a part of its size above which it is not round-off."""
SLOW = 1e-3
"""Growth as a part of the largest rate of the motion that may be round-off of a neutral mode."""
BENDS = 1e-3
"""Part of the largest coordinate of a mode above which its elastic coordinates count: a rigid mode has none."""
LARGEST, LARGEST_SPARSE = 120, 30
"""Coordinates, in sparse storage degrees of freedom, up to which stability is examined."""
MOST_ROWS = 10_000
"""Rows at the start and at the end of a long result that are read."""
_SAMPLES = 5


def stability_warnings(system: System, result: Result) -> list[WarningRecord]:
    """Warnings about a run that stays in an unstable equilibrium, at most one."""
    if not _is_small(system) or not result.n_rows:
        return []
    q, v, a = (_read(result, f"coordinates/{key}") for key in "qva")
    times = _read(result, "time")[:, 0]
    mechanics = Mechanics(system, system.workspace())
    resting = _resting(v, a, mechanics.scale, float(times[-1] - times[0]))
    try:
        if resting.size and ((found := _at_rest(system, resting, q, times)) or resting.size == len(times)):
            return found
        if result.n_rows > 1 and _is_steady(v, mechanics.scale):
            return _while_moving(system, q[:1], v[:1], times, times[-1] - times[0], None)
        if result.n_rows > 1 and np.any(still := _still_coordinates(system, q, STRAIGHT)):
            if found := _while_moving(system, q, v, times, times[-1] - times[0], still):
                return found
        if result.n_rows > 1 and np.any(grown := _still_coordinates(system, q, VISIBLE) & ~still):
            found = _while_moving(system, q, v, times, times[-1] - times[0], grown | still)
            return [one for one in found if _is_grown_round_off(system, q, times - times[0], grown, one.value)]
    except (ComputationError, np.linalg.LinAlgError):
        pass  # a state that cannot be examined gives no finding
    return []


def _is_small(system: System) -> bool:
    """Whether examining takes little time."""
    if system.pattern is None:
        return 0 < system.n_v <= LARGEST
    return 0 < system.n_v - system.n_rows + len(system.dependent) <= LARGEST_SPARSE


def _read(result: Result, path: str) -> Floats:
    """(rows, n) a channel; of a long result the rows at its start and its end."""
    selection = result.names.find(path)
    ends = [(0, result.n_rows)]
    if result.n_rows > 2 * MOST_ROWS:
        ends = [(0, MOST_ROWS), (result.n_rows - MOST_ROWS, result.n_rows)]
    parts = [result.read(selection, first, last) for first, last in ends]
    return np.concatenate([part.reshape(len(part), -1) for part in parts])


def resting_warnings(system: System, work: Floats) -> list[WarningRecord]:
    """Warning about a start at rest in an unstable equilibrium; `work` holds the assembled start."""
    m = Mechanics(system, work)
    if not _is_small(system):
        return []
    if not _resting(m.v[None], m.a[None], m.scale, 1.0).size:
        return []
    try:
        return _at_rest(system, np.zeros(1, dtype=np.int64), m.q[None].copy(), np.array([m.t]))
    except (ComputationError, np.linalg.LinAlgError):
        return []


def _resting(v: Floats, a: Floats, scale: Floats, span: float) -> NDArray[np.int64]:
    """Rows without velocity and acceleration."""
    span = span if span > 0.0 else 1.0
    quiet = (np.abs(v) * span <= RESTING * scale).all(axis=1) & (np.abs(a) * span**2 <= RESTING * scale).all(axis=1)
    return np.flatnonzero(quiet).astype(np.int64)


def _at_rest(system: System, rows: NDArray[np.int64], q: Floats, times: Floats) -> list[WarningRecord]:
    """The first resting row whose equilibrium is unstable, found by bisection among the resting ones."""
    sampled = rows[np.unique(np.linspace(0, len(rows) - 1, _SAMPLES).astype(int))]
    low = -1
    for row in sampled:
        found = _lowest(system, q[row], float(times[row]))
        if found is not None:
            break
        low = int(np.searchsorted(rows, row))
    else:
        return []
    high = int(np.searchsorted(rows, row))
    while high - low > 1:
        middle = (low + high) // 2
        earlier = _lowest(system, q[rows[middle]], float(times[rows[middle]]))
        low, high, found = (low, middle, earlier) if earlier is not None else (middle, high, found)
    time, (growth, names) = float(times[rows[high]]), found
    text = (
        f"the mechanism rests in an unstable equilibrium from t = {time:.6g} s: a disturbance of {names} would grow by "
        f"exp({growth:.4g} t), but nothing disturbs it, so that the result shows no motion. Give a small initial "
        "deflection, velocity or load across, or reduce the load if the position must hold."
    )
    return [WarningRecord("unstable-equilibrium", text, "", time, growth, "1/s")]


def _lowest(system: System, q: Floats, time: float) -> tuple[float, str] | None:
    """Growth [1/s] of the most unstable motion about a rest and its coordinates, if it grows beyond round-off."""
    W = system.workspace()
    rest = ResidualAtRest(system, W)
    rest.m.t, rest.m.q[:] = time, q
    rest.choose_rows()
    here = rest.look()
    K = rest.stiffness(here)
    if not len(K):
        return None
    if not is_symmetric(K):
        growth, shares, _ = _growing(system, q, np.zeros(system.n_v), time, 0.0, None)
        return (growth, _largest_of(rest.m, shares)) if growth > 0.0 else None
    values = np.linalg.eigvalsh(0.5 * (K + K.T))
    if values[0] >= -max(NEGATIVE * here.load, 1e-12 * abs(values[-1])):
        return None
    lowest, mode, _, _ = softest_motion(K, rest.mass(here.ways), 0)
    return (float(np.sqrt(-lowest)), _largest_of(rest.m, np.abs(here.ways @ mode))) if lowest < 0.0 else None


def _largest_of(m: Mechanics, shares: Floats) -> str:
    """Names of the coordinates with the largest shares of a motion."""
    order = [int(i) for i in np.argsort(-shares, kind="stable") if shares[i] > 0.3 * shares.max()]
    return ", ".join(m.names(order[:3]))


def _is_steady(v: Floats, scale: Floats) -> bool:
    """Whether no rate changes."""
    sizes = np.abs(v) / scale
    return bool((np.abs(v - v[0]) / scale).max(initial=0.0) <= STEADY * sizes.max(initial=0.0))


def _still_coordinates(system: System, q: Floats, least: Floats | float) -> NDArray[np.bool_]:
    """(n_v,) elastic coordinates of beams that stay below a part of the length; none with other flexible bodies.

    least : that part, for all rows or (rows, 1) for each
    """
    still = np.zeros(system.n_v, dtype=bool)
    bodies = flexible_bodies(system.mechanism)
    start, start_v = int(system.ints[L.Q]), int(system.ints[L.V])
    for body in bodies:
        if body.basis is None:
            return np.zeros(system.n_v, dtype=bool)
        slices = body_slices(system)[body.name]
        places, rates = slices[1], slices[2]
        sizes = np.abs(q[:, places.start - start : places.stop - start])
        still[rates.start - start_v : rates.stop - start_v] = (sizes <= least * body.length).all(axis=0)
    return still


def _is_grown_round_off(
    system: System, q: Floats, elapsed: Floats, grown: NDArray[np.bool_], growth: float | None
) -> bool:
    """Whether coordinates are no larger than growth by exp(growth t) makes of round-off."""
    bound = ROUNDING * np.exp(np.minimum((growth or 0.0) * elapsed, 100.0))
    return bool(_still_coordinates(system, q, bound[:, None])[grown].all())


def _growing(
    system: System, q: Floats, v: Floats, time: float, least: float, still: NDArray[np.bool_] | None
) -> tuple[float, Floats, Mechanics]:
    """Growth [1/s] of the worst mode about a state (0: none), the parts of the coordinates in it, the state.

    still : elastic coordinates in which the mode must be, apart from rigid ones, while the others do not take part
    """
    W = system.workspace()
    m = Mechanics(system, W)
    m.t, m.q[:], m.v[:] = time, q, v
    linear = linearise(system, W)
    values, vectors = np.linalg.eig(linear.A_free)
    moved = np.abs(linear.shape_q @ vectors[: linear.n_y]) / m.scale[:, None]
    least = max(least, SLOW * float(np.max(np.abs(m.v) / m.scale, initial=0.0)))
    grows = (values.real > GROWS * np.abs(values)) & (values.real > least)
    if still is not None:
        bends = moved[still].max(axis=0, initial=0.0)
        hidden = bends > BENDS * moved.max(axis=0, initial=0.0)
        hidden &= moved[system.elastic & ~still].max(axis=0, initial=0.0) < BENDS * bends
        seen = float(values.real[grows & ~hidden].max(initial=0.0)) if np.any(system.elastic & ~still) else 0.0
        grows &= hidden & (values.real > 2.0 * seen)  # what also grows in the plane of the motion shows itself
    if not np.any(grows):
        return 0.0, np.zeros(system.n_v), m
    worst = int(np.argmax(np.where(grows, values.real, -np.inf)))
    return float(values[worst].real), moved[:, worst], m


def _while_moving(
    system: System, q: Floats, v: Floats, times: Floats, span: float, still: NDArray[np.bool_] | None
) -> list[WarningRecord]:
    """The first of some rows at which a mode grows; `still`: only modes of these elastic coordinates.

    Beams that bend in one plane are examined in a changing state, so that growth at one of the rows alone says nothing.
    """
    moving = still is not None and bool(np.any(system.elastic & ~still))
    found: list[WarningRecord] = []
    for row in np.unique(np.linspace(0, len(q) - 1, _SAMPLES).astype(int)):
        growth, shares, m = _growing(system, q[row], v[row], float(times[row]), 1.0 / span, still)
        if growth > 0.0:
            name = m.names([int(np.argmax(shares if still is None else np.where(still, shares, -1.0)))])[0].strip("'")
            found.append(_moving_warning(name, float(times[row]), growth, still is not None, moving))
        if len(found) > int(moving):
            return found[:1]
    return []


def _moving_warning(name: str, time: float, growth: float, bending: bool, moving: bool) -> WarningRecord:
    body = name.split(".")[0]
    what = f"beam '{body}' stays straight in a motion in which its straight form is unstable"
    if moving:
        what = f"beam '{body}' bends in one plane only, in a motion in which that is unstable"
    if not bending:
        what = "the steady motion is unstable"
    text = (
        f"{what} (at t = {time:.6g} s): a disturbance of {name} would grow by exp({growth:.4g} t), but nothing "
        "disturbs it. Give a small initial deflection, velocity or load across, or reduce the axial force or the speed."
    )
    return WarningRecord("unstable-motion", text, f"bodies.{body}" if bending else "", time, growth, "1/s")
