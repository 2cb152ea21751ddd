"""Consistent start: positions that close every loop, velocities and accelerations that keep them closed.

Positions: Gauss-Newton steps of least change (weighted by the magnitude of the coordinates) with Levenberg damping when
they do not help, and a few deterministic disturbances to leave a singular start. Velocities: least change in the metric
of the mass matrix. Values set by the user stay, and flexible bodies keep their shape (by default undeformed) as long as
the loops close without bending them; else they bend with the least elastic energy, in positions and rates.
Accelerations and multipliers: M a + G^T lam = -BIAS, G a = -GAM.
"""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Flags, Floats
from flexmb.bodies.flexible_body import FlexibleBody
from flexmb.errors import ComputationError, Fault, InputError
from flexmb.layout import flat_arrays as L
from flexmb.solvers.body_slices import body_slices
from flexmb.solvers.damped_closure import Step, close_damped
from flexmb.solvers.mechanics import Mechanics, Solvable
from flexmb.solvers.mobility import freedom, near_note, no_motion_text
from flexmb.solvers.row_rank import INDEPENDENT, RANK, combinations, in_range, row_units
from flexmb.solvers.sparse_start import (
    checked_mass,
    close_loops_sparse,
    close_velocities_sparse,
    least_strain_sparse,
    solve_accelerations_sparse,
)
from flexmb.system.system import System

CLOSED = 1e-12  # accepted |PHI| as a fraction of the length scale (m) or of 1 (rad): some hundred times round-off
TINY = 1e-10  # singular values, in the metric of the mass matrix, of rows that are independent otherwise
MISFIT = 1e-8  # accepted |PHI| of rows that repeat others and do not quite fit, as a fraction of the same
LITTLE = 1e-6  # part of the mass matrix in the metric of elastic rates, compared with the softest shape
SAFE, POSITIVE = 1e-4, 1e-7  # margin of a mass matrix to be used as it is; below the second it counts as singular


def assemble(system: Solvable, W: Floats) -> None:
    """Bring the state in W (time, q, v) to a consistent one and set accelerations and multipliers."""
    mechanics = Mechanics(system, W)
    if mechanics.n_rows:
        assemble_positions(mechanics)
        assemble_velocities(mechanics)
    solve_accelerations(mechanics)


def close_loops(mechanics: Mechanics, free: Flags, iterations: int = 100, misfit: float = MISFIT) -> float:
    """Move the free coordinates until PHI vanishes; return the largest |PHI| left, angles times the scale of a gap.

    What rows that repeat others leave whatever moves does not count up to `misfit`, a fraction of the scale of a gap.
    """
    if not mechanics.n_pos_rows:
        return 0.0
    if mechanics.is_sparse:
        return close_loops_sparse(mechanics, free, iterations, misfit)
    rows = slice(0, mechanics.n_pos_rows)
    ways, names = _ways(mechanics, free), mechanics.system.rows[rows]
    gauge = np.array([mechanics.row_scale if row.unit == "rad" else 1.0 for row in names])
    tolerance = CLOSED * mechanics.row_scale

    def step(damping: float) -> Step:
        G = mechanics.G[rows] @ ways
        units = row_units(G, names, mechanics.system.length_scale)
        left, sigma, right = np.linalg.svd(G / units[:, None], full_matrices=False)
        inverse = np.where(
            sigma > RANK * max(sigma[0], 1.0), sigma / (sigma**2 + (damping * sigma[0]) ** 2 + 1e-300), 0.0
        )
        found = -(right.T @ (inverse * (left.T @ (mechanics.phi[rows] / units))))
        return ways @ found, float(np.max(np.abs(found), initial=0.0))

    close_damped(mechanics, gauge, tolerance, iterations, step)
    gap = float(np.max(np.abs(mechanics.phi[rows]) * gauge, initial=0.0))
    if not tolerance < gap <= misfit * mechanics.row_scale:
        return gap
    return in_range(mechanics.G[rows] @ ways, names, mechanics.phi[rows], mechanics.system.length_scale)


def _ways(mechanics: Mechanics, free: Flags) -> Floats:
    """(n_v, n_v) motions of unit size: free coordinates by their magnitude, elastic ones by their elastic energy."""
    ways = np.diag(mechanics.scale * free)
    moving = np.flatnonzero(free & mechanics.system.elastic)
    if moving.size and (K := elastic_stiffness(mechanics)) is not None:
        block = K[np.ix_(moving, moving)]
        softest = float(np.min(np.diag(block)))
        # x = ways y with y^T y proportional to x^T K x; a unit of y is the magnitude of the softest shape
        lower = np.linalg.cholesky(block / softest)
        ways[np.ix_(moving, moving)] = np.linalg.inv(lower).T * float(np.max(mechanics.scale[moving]))
    return ways


def elastic_stiffness(mechanics: Mechanics) -> Floats | None:
    """(n_v, n_v) stiffness of the elastic coordinates of the undeformed bodies; None for a system without bodies."""
    system = mechanics.system
    if not isinstance(system, System):
        return None
    K, start, slices = np.zeros((mechanics.n_v, mechanics.n_v)), int(mechanics.I[L.V]), body_slices(system)
    for body in system.mechanism.bodies:
        if isinstance(body, FlexibleBody) and body.n_modes:
            rates = slices[body.name][2]
            place = slice(rates.start - start, rates.stop - start)
            K[place, place] = body.stiffness
    return K


def assemble_positions(mechanics: Mechanics) -> None:
    """Close the loops with the least change of the coordinates that the user left open.

    Elastic coordinates move only when the rigid mechanism cannot be closed, and are never disturbed.
    """
    accepted = 1e-9 * mechanics.row_scale
    fixed, elastic = mechanics.system.fixed_q, mechanics.system.elastic
    start = mechanics.q.copy()
    best, best_q = np.inf, start
    rng = np.random.default_rng(0)
    for free in [~(fixed | elastic), ~fixed] if elastic.any() else [~fixed]:
        for size in (0.0, 0.01, 0.1, 0.3, 0.6, 1.0):
            mechanics.q[:] = start
            if size > 0.0:
                mechanics.move(size * mechanics.scale * ~(fixed | elastic) * rng.uniform(-1.0, 1.0, mechanics.n_v))
            gap = close_loops(mechanics, free)
            if gap <= accepted:
                return
            if gap < best:
                best, best_q = gap, mechanics.q.copy()
    hint = "Check the points, lengths and axes of these joints."
    if fixed.any():
        mechanics.q[:] = start
        if close_loops(mechanics, ~elastic) <= accepted:
            names = mechanics.names(np.flatnonzero(fixed))
            hint = f"It can be assembled if these initial positions may change: {', '.join(names)}."
    mechanics.q[:] = best_q
    mechanics.jacobian()
    raise ComputationError(f"The mechanism cannot be assembled: {gaps(mechanics, mechanics.phi_all)}. {hint}")


def gaps(mechanics: Mechanics, values: Floats, per: str = "") -> str:
    """Joints and motions whose rows have the largest values, worst first: "joint 'c' stays open by 1 m"."""
    sizes: dict[tuple[str, str], float] = {}
    for row, value in zip(mechanics.system.evaluated, values):
        key = (f"{row.kind} '{row.owner}'", row.unit)
        sizes[key] = float(np.hypot(sizes.get(key, 0.0), value))
    if lost := [name for (name, _), size in sizes.items() if not np.isfinite(size)]:
        return ", ".join(f"{name} has no finite value" for name in dict.fromkeys(lost[:5]))
    worst = sorted(sizes.items(), key=lambda item: -item[1])[:5]
    limit = 1e-3 * worst[0][1]
    return ", ".join(f"{name} stays open by {size:.3g} {unit}{per}" for (name, unit), size in worst if size >= limit)


def positive_mass(mechanics: Mechanics) -> tuple[Floats, Floats]:
    """Positive definite mass matrix (in sparse storage: its stored entries) and its bias.

    A coordinate without inertia is allowed when the constraints hold it: adding s G^T G to M and s G^T GAM to the bias
    changes neither accelerations nor multipliers, since G a = -GAM.
    """
    if mechanics.is_sparse:
        return checked_mass(mechanics), mechanics.bias.copy()
    M, bias = mechanics.M.copy(), mechanics.bias.copy()
    found = margin(M)
    if found > SAFE:
        return M, bias
    if mechanics.n_rows and np.all(np.isfinite(M)):
        # in scaled coordinates: a mass and an inertia of micrometres differ by fifteen digits
        size = float(np.mean(np.diag(M) * mechanics.scale**2)) or 1.0
        lengths = np.maximum(np.linalg.norm(mechanics.G * mechanics.scale, axis=1), 1e-300)
        rows = mechanics.G / lengths[:, None]
        held = M + size * rows.T @ rows
        if margin(held) > max(10.0 * found, POSITIVE):
            return held, bias + size * rows.T @ (mechanics.gam / lengths)
    if found > POSITIVE:
        return M, bias
    diagonal = np.diag(M)
    if np.all(np.isfinite(M)) and np.all(diagonal > 0.0):
        root = np.sqrt(diagonal)
        weights = np.abs(np.linalg.eigh(M / np.outer(root, root))[1][:, 0])
    else:
        weights = np.where(diagonal > 0.0, 0.0, 1.0)
    names = mechanics.names(np.flatnonzero(weights > 0.3 * weights.max()))
    beams = ""
    if mechanics.system.elastic.any():
        beams = " A beam has inertia about its own axis with rotary_inertia = true."
    raise ComputationError(
        f"No inertia resists the motion of {', '.join(names)}: the mass matrix is singular. "
        "Give mass and inertia to the bodies that these coordinates move."
        f"{beams}"
    )


def margin(M: Floats) -> float:
    """Margin of a symmetric matrix against losing definiteness, independent of the units of its rows; 1: diagonal.

    The smallest diagonal of the Cholesky factor of M with unit diagonal; 0 when M is not positive definite.
    """
    diagonal = np.diag(M)
    if not (np.all(np.isfinite(M)) and np.all(diagonal > 0.0)):
        return 0.0
    try:
        root = np.sqrt(diagonal)
        factor = np.linalg.cholesky(M / root[:, None] / root)
    except np.linalg.LinAlgError:
        return 0.0
    return float(np.min(np.diag(factor), initial=1.0))


def assemble_velocities(mechanics: Mechanics) -> None:
    """Satisfy G v + Phi_t = 0 with the least change in the metric of the mass matrix; rates that the user set stay."""
    mechanics.equations()
    M, _ = positive_mass(mechanics)
    wanted = mechanics.v.copy()
    fixed = mechanics.system.fixed_v
    marked = bool(fixed.any())
    if not marked:
        fixed = wanted != 0.0
    size = float(np.max(np.abs(wanted) / mechanics.scale, initial=0.0)) + float(
        np.max(np.abs(mechanics.phi_dot), initial=0.0)
    )
    accepted = 1e-9 * max(size, 1e-3)
    elastic = mechanics.system.elastic
    choices = [fixed, np.zeros_like(fixed)]
    if elastic.any():
        choices = [fixed | elastic, fixed, elastic, np.zeros_like(fixed)]
    for held in choices:
        mechanics.v[:] = wanted
        bends = elastic.any() and not np.all(held[elastic])
        if close_velocities(mechanics, least_strain(mechanics, M) if bends else M, held) <= accepted:
            return
        if marked and held is fixed:  # the user's rates contradict the constraints, however the bodies bend
            if not freedom(mechanics):
                raise InputError([Fault(no_motion_text(mechanics, wanted))])
            names = mechanics.names(np.flatnonzero(fixed))
            raise InputError(
                [
                    Fault(
                        f"The given initial velocities of {', '.join(names)} contradict the constraints: "
                        f"{gaps(mechanics, mechanics.phi_dot_all, '/s')}.{near_note(mechanics, INDEPENDENT)}",
                        hint="Give only as many initial velocities as there are degrees of freedom.",
                    )
                ]
            )
    motions = list(dict.fromkeys(row.owner for row in mechanics.system.rows if row.is_motion))
    if motions and not elastic.any() and not freedom(mechanics):
        raise InputError([Fault(no_motion_text(mechanics, wanted), ("motions", motions[-1]))])
    text = f"No velocities satisfy all constraints: {gaps(mechanics, mechanics.phi_dot_all, '/s')}."
    if len(motions) > 1:
        hint = f"Drive every degree of freedom once (motions: {', '.join(motions)}), or make the motions agree"
        raise InputError([Fault(text, ("motions",), f"{hint}. If they do, the start is singular: start elsewhere.")])
    raise ComputationError(f"{text} The start is a singular position. Start elsewhere.")


def least_strain(mechanics: Mechanics, M: Floats) -> Floats:
    """Metric of elastic rates in which stiff shapes move least: their stiffness, and a little of the mass matrix.

    A mechanism that is locked as long as its bodies are rigid starts as a slow motion would bend it; in the metric of
    the mass matrix the light and stiff shapes would take the largest part, and ring.
    """
    if mechanics.is_sparse:
        return least_strain_sparse(mechanics, M, LITTLE)
    K = elastic_stiffness(mechanics)
    if K is None:
        return M
    softest = float(np.min(np.diag(K)[mechanics.system.elastic]))
    return K + LITTLE * softest / float(np.max(np.diag(M))) * M


def close_velocities(mechanics: Mechanics, M: Floats, held: Flags) -> float:
    """Change the velocities that are not held, least in the metric M, until G v + Phi_t = 0; return the largest row."""
    if mechanics.is_sparse:
        return close_velocities_sparse(mechanics, M, held)
    free = np.flatnonzero(~held)
    mechanics.jacobian()
    for _ in range(2 if free.size else 0):
        lower = np.linalg.cholesky(M[np.ix_(free, free)])
        C = combinations(
            mechanics.G[:, free] * mechanics.scale[free], mechanics.system.rows, mechanics.system.length_scale
        )
        B = np.linalg.solve(lower, (C @ mechanics.G[:, free]).T).T
        y = np.linalg.lstsq(B, -C @ mechanics.phi_dot, rcond=TINY)[0]
        mechanics.v[free] += np.linalg.solve(lower.T, y)
        mechanics.jacobian()
    largest = float(np.max(np.abs(mechanics.phi_dot), initial=0.0))
    size = float(np.max(np.abs(mechanics.v) / mechanics.scale, initial=0.0))
    if largest > 10.0 * RANK * size * mechanics.row_scale:
        return largest
    # Rows that nearly repeat others do not count. Given rates do: a row that only these move is not redundant.
    elastic = mechanics.system.elastic
    moving = ~elastic if elastic.any() and np.all(held[elastic]) else np.ones(mechanics.n_v, bool)
    G = mechanics.G[:, moving] * mechanics.scale[moving]
    return in_range(G, mechanics.system.rows, mechanics.phi_dot, mechanics.system.length_scale)


def solve_accelerations(mechanics: Mechanics) -> None:
    """Set accelerations and multipliers of the state (least squares: redundant rows share their load)."""
    _solve_accelerations(mechanics)
    if mechanics.changes_flanks():
        _solve_accelerations(mechanics)


def _solve_accelerations(mechanics: Mechanics) -> None:
    if mechanics.is_sparse:
        solve_accelerations_sparse(mechanics)
        return
    mechanics.equations()
    M, bias = positive_mass(mechanics)
    lower = np.linalg.cholesky(M)
    free = np.linalg.solve(lower.T, np.linalg.solve(lower, -bias))
    if not mechanics.n_rows:
        mechanics.a[:] = free
        return
    C = combinations(mechanics.G * mechanics.scale, mechanics.system.rows, mechanics.system.length_scale)
    B = np.linalg.solve(lower, (C @ mechanics.G).T).T
    left, sigma, right = np.linalg.svd(B, full_matrices=False)
    inverse = np.where(sigma > TINY * float(sigma.max(initial=0.0)), 1.0 / np.maximum(sigma, 1e-300), 0.0)
    y = right.T @ (inverse * (left.T @ (C @ -(mechanics.gam + mechanics.G @ free))))
    mechanics.a[:] = free + np.linalg.solve(lower.T, y)
    mechanics.lam[:] = -(C.T @ (left @ (inverse * (right @ y))))
