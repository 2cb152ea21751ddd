"""Columns of the linearised equations: derivatives of the rates of a point and of its sensors by states and inputs.

Independent increments dy, dw and departures of the motions from their laws move the state to first order by

    G_q dq = departure,   G dv + (d Phi_dot/dq) dq = its rate,
    M da + G^T dlam = -dr,   G da + d Phi_ddot = its acceleration,

with dr and d Phi_ddot the changes of the residual and of the rows along (dq, dv) at constant accelerations and
multipliers: so the curvature of the constraint surface, d(G^T lam)/dq, is in them. They are central differences of two
steps, (4 D(h) - D(2h))/3; |D(h) - D(2h)|/3 is the error of D(h), and the step is changed where that is not small. All
columns are found in one compiled loop and solved with one factorisation.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.errors import ComputationError
from flexmb.layout import flat_arrays as L
from flexmb.solvers.directional_differences import Differences
from flexmb.solvers.linear_inputs import OpenedLoads
from flexmb.solvers.linear_point import Point
from flexmb.solvers.mechanics import Mechanics

STEPS = (1e-4, 1e-5, 1e-3)  # fractions of the magnitude of a coordinate, tried in this order
WANTED = 1e-7  # accepted error of D(h) as a fraction of the largest entry of its column; that of the result is smaller
ROUNDING = 1e-13
NOTHING = 1e-9  # fraction of the largest column below which a column is round-off

Pair = Floats
"""(2, n, k) columns by differences with the steps h and 2 h."""


def by_states(point: Point) -> tuple[Floats, Floats, float, Floats]:
    """A, C, the largest relative error of a column, and the error of every entry of A."""
    p = point
    n, n_m, n_out = p.n_y + p.n_w, len(p.motion_rows), len(p.outputs)
    response = _Response(p, p.m)
    laws = np.zeros((p.m.n_rows, n_m))
    laws[p.motion_rows, np.arange(n_m)] = 1.0
    still, none = np.zeros((p.m.n_v, p.n_y)), np.zeros((p.m.n_v, p.n_w))
    dq = np.hstack([p.R_q, none, p.by_q.particular(laws[: p.n_pos]), np.zeros((p.m.n_v, n_m))])
    dv = np.hstack([still, p.R_v, np.zeros((p.m.n_v, n_m)), p.by_v.particular(laws)])
    sizes = np.concatenate([p.scale_y, p.scale_w, p.scale_m, p.scale_m])

    def pair(some: Integers, steps: Floats) -> Pair:
        return response.of_motion(dq[:, some], dv[:, some], steps)

    columns, errors, left = _extrapolated(response, pair, sizes)
    largest = np.max(np.abs(columns) / response.row_scale[:, None], axis=0, initial=0.0) * sizes
    worst = float(np.max(errors[largest > NOTHING * np.max(largest, initial=0.0)], initial=0.0))
    A, noise, C = np.zeros((n + 2 * n_m, n + 2 * n_m)), np.zeros((n + 2 * n_m, n + 2 * n_m)), columns[n : n + n_out]
    A[:n], noise[:n] = columns[:n], left[:n]
    A[: p.n_y, : p.n_y] -= p.turning
    A[n : n + n_m, n + n_m :] = np.eye(n_m)
    return A, C, worst, noise


def by_inputs(point: Point) -> tuple[tuple[str, ...], Floats, Floats]:
    """Names of the inputs, B and D."""
    p = point
    n, n_m = p.n_y + p.n_w, len(p.motion_rows)
    opened = OpenedLoads(p.system, p.base)
    loaded = _Response(p, Mechanics(opened.system, p.base.copy()))
    values = np.array(opened.values)

    def by_load(some: Integers, steps: Floats) -> Pair:
        return loaded.of_loads([opened.places[int(k)] for k in some], steps)

    columns, _, _ = _extrapolated(loaded, by_load, np.maximum(1.0, np.abs(values)))
    response, laws = _Response(p, p.m), np.zeros((p.m.n_rows, n_m))
    laws[p.motion_rows, np.arange(n_m)] = 1.0

    def by_law(some: Integers, steps: Floats) -> Pair:
        return response.of_accelerations(laws[:, some], steps)

    table = np.hstack([columns, _extrapolated(response, by_law, p.scale_m)[0]])
    B = np.zeros((n + 2 * n_m, table.shape[1]))
    B[:n] = table[:n]
    B[n + n_m :, len(values) :] = np.eye(n_m)
    names = (*opened.names, *(f"{p.system.rows[k].owner}.acceleration" for k in p.motion_rows))
    return names, B, table[n:]


class _Response:
    """Rates (y', w') and sensors that follow from changes of the state of a point."""

    def __init__(self, point: Point, mechanics: Mechanics):
        self.p, self.m = point, mechanics
        mechanics.W[:] = point.base
        sensors = np.zeros(0)
        if point.places:
            mechanics.run(L.AT_OUTPUT)
            sensors = mechanics.out[point.places]
            mechanics.W[:] = point.base
        rates = np.concatenate([point.v0[point.free_q], point.a0[point.free_v], sensors])
        self.differences = Differences(mechanics)
        self.row_scale = np.concatenate([point.scale_y, point.scale_w, np.ones(len(point.places))])
        self.level = float(np.max(np.abs(rates / self.row_scale), initial=0.0))
        """Largest rate or sensor of the point, in its scale: differences lose digits beside it"""

    def _view(self, slot: int, length: int) -> tuple[int, int]:
        return int(self.m.I[slot]), length

    def _combined(self, values: Floats) -> Floats:
        """Rows that the solvers see, of all rows (2, n_all_rows, k)."""
        basis = self.p.basis
        return values if basis is None else basis.Q[:, : self.m.n_rows].T @ values

    def of_motion(self, dq: Floats, dv: Floats, steps: Floats) -> Pair:
        """Columns along increments dq and velocities dv; the velocities that the rows require are added to these."""
        p, m = self.p, self.m
        follow = np.zeros((2, *dv.shape))
        if m.n_rows and np.any(dq) and not p.is_at_rest:
            slot = L.AT_ALL_JACOBIAN if p.basis is not None else L.AT_JACOBIAN
            rates = [self._view(L.PHI_DOT_ALL, m.n_all_rows)]
            slopes = self._combined(self.differences.along(slot, rates, steps, dq, argument=1))
            follow = -np.array([p.by_v.particular(slope) for slope in slopes])
        total = dv + _finer(follow)
        changes = self._changes(steps, dq, total)
        return self._columns(changes, dv + follow, steps, dq, total)

    def of_loads(self, places: list[int], steps: Floats) -> Pair:
        """Columns by constants of F."""
        changes = self._changes(steps, places=places)
        return self._columns(changes, np.zeros((2, self.m.n_v, len(steps))), steps, places=places)

    def of_accelerations(self, laws: Floats, steps: Floats) -> Pair:
        """Columns by accelerations of the rows beyond their laws."""
        n = self.m.n_v
        changes = np.zeros((2, n, len(steps))), np.array([-laws, -laws])
        return self._columns(changes, np.zeros((2, n, len(steps))), steps)

    def _changes(
        self, steps: Floats, dq: Floats | None = None, dv: Floats | None = None, places: list[int] | None = None
    ) -> tuple[Pair, Pair]:
        """Changes of the residual and of the second derivatives of the rows, at constant accelerations, multipliers."""
        m = self.m
        blocks = [self._view(L.RES, m.n_v), self._view(L.GAM_ALL, m.n_all_rows)]
        found = self.differences.along(L.AT_RESIDUAL, blocks, steps, dq, dv, places=places)
        return found[:, : m.n_v], self._combined(found[:, m.n_v :])

    def _columns(
        self,
        changes: tuple[Pair, Pair],
        velocities: Pair,
        steps: Floats,
        dq: Floats | None = None,
        dv: Floats | None = None,
        places: list[int] | None = None,
    ) -> Pair:
        """Rates and sensors, of given changes of the residual and of the rows."""
        p = self.p
        a = np.array([p.accelerations(force, -rows) for force, rows in zip(*changes, strict=True)])
        rates = np.concatenate([velocities[:, p.free_q], a[:, p.free_v]], axis=1)
        if not p.places:
            return np.asarray(rates)
        blocks = [(int(self.m.I[L.OUT]) + place, 1) for place in p.places]
        da = _finer(a)
        dlam = p.multipliers(_finer(changes[0]), da)
        sensors = self.differences.along(L.AT_OUTPUT, blocks, steps, dq, dv, da, dlam, places=places)
        return np.concatenate([rates, sensors], axis=1)


def _finer(pair: Pair) -> Floats:
    """Differences of two steps without their error of second order."""
    return np.asarray((4.0 * pair[0] - pair[1]) / 3.0)


def _extrapolated(
    response: _Response, pair: Callable[[Integers, Floats], Pair], sizes: Floats
) -> tuple[Floats, Floats, Floats]:
    """Columns (n, k), the relative error of each (k,), and the errors of their entries (n, k)."""
    scale, level = response.row_scale[:, None], response.level
    columns, errors = np.zeros((len(scale), len(sizes))), np.full(len(sizes), np.inf)
    lefts, left = np.zeros_like(columns), np.arange(len(sizes))
    for part in STEPS:
        if not left.size:
            break
        h = part * sizes[left]
        found = pair(left, h)
        column, off = _finer(found), np.abs(found[0] - found[1]) / 3.0
        largest = np.max(np.abs(column) / scale, axis=0, initial=0.0)
        excess = np.maximum(0.0, np.max(off / scale, axis=0, initial=0.0) - ROUNDING * level / h)
        with np.errstate(invalid="ignore", divide="ignore"):
            rest = _remaining(off, column, level * scale / h)
            error = np.where(largest == 0.0, 0.0, np.max(rest / scale, axis=0, initial=0.0) / largest)
            is_fine = (largest == 0.0) | (excess / largest <= WANTED)
        better = error < errors[left]
        at = left[better]
        columns[:, at], errors[at], lefts[:, at] = column[:, better], error[better], rest[:, better]
        left = left[~is_fine]
    if not np.all(np.isfinite(errors)) or not np.all(np.isfinite(columns)):
        raise ComputationError("The equations cannot be linearised: near this state they are not finite.")
    return columns, errors, lefts


def _remaining(lefts: Floats, column: Floats, level: Floats) -> Floats:
    """Error of every extrapolated difference: round-off, and of what the extrapolation removes its square.

    lefts : differences of the two steps, an error of order h^2 that is |column| h^2; after it comes |column| h^4
    """
    size = np.abs(column)
    squares = np.divide(lefts**2, size, out=np.zeros_like(size), where=size > 0.0)
    return np.minimum(lefts, squares + ROUNDING * (size + level))
